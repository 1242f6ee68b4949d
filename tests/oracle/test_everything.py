"""All values and chances of 240 positions of twelve kinds, over every interface.

The golden cases are those of tests/golden/17_everything.jsonl, made by naive game trees.
"""

import asyncio
import io
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from position_oracle import AsyncOracleClient, OracleClient
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.each import for_each
from tests.oracle.web.conftest import SETTINGS
from tests.oracle.web.http import get
from tests.serving import running

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "golden" / "17_everything.jsonl")
    .read_text()
    .splitlines()
]
MODELS = ("random", "perfect-vs-random", "random-vs-perfect", "perfect-vs-sloppy(0.1)")
BY_KIND = {case["kind"]: case for case in CASES}
FEW_AND_ALL = pytest.mark.parametrize(
    "cases",
    [list(BY_KIND.values()), pytest.param(CASES, marks=pytest.mark.slow)],
    ids=["one-of-each-kind", "all"],
)


def wins(case: dict[str, Any]) -> set[str]:
    """Return the positions that winning moves lead to, in canonical form."""
    return {str(parse(text)) for text in case["wins"]}


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture(scope="module")
def ports() -> Iterator[tuple[int, int]]:
    """The ports of gRPC and of HTTP of one server."""
    with running(Oracle(), SETTINGS) as server:
        assert server.web_port is not None
        yield server.port, server.web_port


@for_each("case", CASES)
def test_in_this_process(oracle: Oracle, case: dict[str, Any]) -> None:
    check(case, oracle)


def check(case: dict[str, Any], asked: Any) -> None:
    """Check everything about a position, as any answerer gives it."""
    text = case["position"]
    analysis = asked.analyze(text)
    assert str(analysis.answer.outcome) == case["outcome"]
    assert {str(move.child) for move in analysis.answer.winning_moves} == wins(case)
    assert analysis.values.remoteness == case["remoteness"]
    if case["grundy"] is not None:
        assert analysis.values.grundy == case["grundy"]
    for model in MODELS:
        chance = asked.win_probability(text, model)
        assert chance.exact == Fraction(case[model]), model
        if chance.best_moves and case["outcome"] == "N":
            assert {str(move.child) for move in chance.best_moves} == wins(case)
    line = asked.best_line(text)
    assert line.complete
    assert len(line.plies) == line.remoteness == case["remoteness"]


@FEW_AND_ALL
def test_through_the_client(ports: tuple[int, int], cases: list[dict[str, Any]]) -> None:
    with OracleClient(f"127.0.0.1:{ports[0]}", timeout=60) as client:
        for case in cases:
            check(case, client)


def test_through_the_asyncio_client(ports: tuple[int, int]) -> None:
    async def ask_all() -> None:
        async with AsyncOracleClient(f"127.0.0.1:{ports[0]}", timeout=60) as client:
            for case in BY_KIND.values():
                analysis = await client.analyze(case["position"])
                assert analysis.values.remoteness == case["remoteness"]
                chance = await client.win_probability(case["position"], "random")
                assert chance.exact == Fraction(case["random"])

    asyncio.run(ask_all())


@FEW_AND_ALL
def test_over_http(ports: tuple[int, int], cases: list[dict[str, Any]]) -> None:
    for case in cases:
        position = quote(case["position"])
        found = get(ports[1], f"/v1/analyze?position={position}").json
        assert found["answer"]["outcome"] == f"OUTCOME_{case['outcome']}"
        assert int(found["values"].get("remoteness", 0)) == case["remoteness"]
        for model in MODELS:
            path = f"/v1/probability?position={position}&model={quote(model)}"
            chance = get(ports[1], path).json["probability"]
            exact = Fraction(*(int(chance["exact"][part]) for part in ("numerator", "denominator")))
            assert exact == Fraction(case[model])


@FEW_AND_ALL
@pytest.mark.parametrize("model", MODELS)
def test_on_the_command_line(
    model: str,
    cases: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)  # where no tables are
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{c['position']}\n" for c in cases)))
    assert run(["ask", "-", "--json", "--model", model]) == 0
    for case, line in zip(cases, io.StringIO(capsys.readouterr().out), strict=True):
        found = json.loads(line)
        assert (found["outcome"], found["remoteness"]) == (case["outcome"], case["remoteness"])
        assert set(found["winning_moves"]) - {"pass"} <= wins(case)
        assert Fraction(found["win_probability"]["exact"]) == Fraction(case[model])
