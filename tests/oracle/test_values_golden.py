"""Golden Grundy values and remoteness, through the oracle and the command line."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from position_oracle.oracle.answers import PositionValues
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle

GOLDEN = Path(__file__).parents[1] / "golden"
FACTS = json.loads((GOLDEN / "facts.json").read_text())
HEAPS = {
    "nim": "nim",
    "nim3": "nim",
    "wythoff2": "wythoff",
    "wythoff3_pairs": "wythoff{rule=pairs}",
    "wythoff3_triple": "wythoff{rule=all}",
    "wythoff3_pairs_triple": "wythoff{rule=both}",
}
KEYS = {
    "grundy": "grundy",
    "grundy_1restricted": "grundy",
    "grundy_unrestricted": "grundy_unrestricted",
    "remoteness": "remoteness",
}
FILES = (
    "03_nim_pass",
    "05_grundy_chomp3",
    "05_grundy_wythoff2",
    "06_remoteness_chomp3",
    "06_remoteness_nim3",
    "07_boards",
    "07_rectangles",
)


@pytest.fixture(scope="module")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]


def text_of(case: dict[str, Any]) -> str:
    if case["game"] == "chomp_board":
        return "chomp:" + ("/".join(map(str, case["position"])) or "0")
    passes = f";{case['passes']}" if case.get("passes") else ""
    body = f"[{','.join(map(str, case['position']))}{passes}]"
    return f"{HEAPS.get(case['game'], 'chomp3')}:{body}"


def expected_of(case: dict[str, Any]) -> Iterator[tuple[str, int | None]]:
    yield from ((key, case[name]) for name, key in KEYS.items() if name in case)


@pytest.mark.parametrize("name", FILES)
def test_golden_values_through_the_oracle(oracle: Oracle, name: str) -> None:
    for case in cases(name):
        values = oracle.analyze(text_of(case), moves=False).values
        for key, value in expected_of(case):
            assert getattr(values, key) == value, case


def test_golden_values_without_tables() -> None:
    from position_oracle.engine.games.notation import parse

    oracle = Oracle()
    for case in cases("05_grundy_chomp3") + cases("06_remoteness_chomp3"):
        found = oracle.analyze(parse(text_of(case)), moves=False).values
        for key, value in expected_of(case):
            assert getattr(found, key) == value, case


def test_golden_values_through_the_command_line(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [case for name in FILES for case in cases(name)]
    lines = "".join(f"{text_of(case)}\n" for case in chosen)
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert run(["ask", "-", "--db", str(store)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(answers) == len(chosen) > 1_000
    for case, answer in zip(chosen, answers, strict=True):
        assert answer["outcome"] == case.get("outcome", answer["outcome"])
        for key, value in expected_of(case):
            assert answer[key] == value, case


def values_at(oracle: Oracle, texts: list[str]) -> list[PositionValues]:
    return [oracle.analyze(text, moves=False).values for text in texts]


def test_rectangles_have_the_values_of_a069001_where_poison_is_not_eaten(oracle: Oracle) -> None:
    terms = FACTS["A069001"]["terms"]
    found = values_at(oracle, [f"chomp3:[{n},0,0]" for n in range(1, len(terms) + 1)])
    assert [values.grundy for values in found] == terms
    assert [values.grundy_unrestricted for values in found] == [term + 1 for term in terms]


def test_wythoff_has_the_values_of_a004481_and_a047708(oracle: Oracle) -> None:
    terms = FACTS["A004481"]["terms"]
    pairs = [(x, total - x) for total in range(99) for x in range(total + 1)][: len(terms)]
    found = values_at(oracle, [f"wythoff:[{x},{y}]" for x, y in pairs])
    assert [values.grundy for values in found] == terms
    terms = FACTS["A047708"]["terms"]
    found = values_at(oracle, [f"wythoff:[{n},{n}]" for n in range(len(terms))])
    assert [values.grundy for values in found] == terms


@pytest.mark.parametrize(
    "text",
    [
        "chomp3:[9999,1,1]",
        "chomp3:[9999,1,1;1]",
        "chomp3{declared=[1,1,1]}:[9999,3,2]",
        "chomp:" + "/".join(["99"] * 99),
    ],
)
def test_unknown_values_are_none(oracle: Oracle, text: str) -> None:
    assert oracle.analyze(text, moves=False).values == PositionValues()


@pytest.mark.parametrize("text", ["nim{misere}:[3,4,5]", "nim{declared=[1,2,3]}:[4,5,6]"])
def test_games_that_end_otherwise_have_remoteness_but_no_grundy_value(
    oracle: Oracle, text: str
) -> None:
    values = oracle.analyze(text, moves=False).values
    assert values.grundy is None
    assert values.remoteness is not None
