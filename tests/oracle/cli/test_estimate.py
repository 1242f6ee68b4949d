"""`oracle estimate`, local and by a server; `oracle ask` about positions that nothing decides."""

import json
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.serving import running_server


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_openings(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "estimate", "--opening", 2_000_000, "--db", store)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 8
    assert "chomp3:[" in lines[0]
    assert "something else" in lines[6]
    assert lines[7].startswith("Not exact.")


def test_rows_are_a_column(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, by_rows, _ = call(capsys, "estimate", "--rows", "2500000,2000000", "--json", "--db", store)
    _, by_column, _ = call(
        capsys, "estimate", "--column", "2000000,500000", "--json", "--db", store
    )
    assert by_rows == by_column
    found = json.loads(by_rows)
    assert found["certainty"] == "ESTIMATE"
    assert not found["is_known"]
    assert found["candidates"][0]["position"].startswith("chomp3:[2000000,500000,")


def test_a_server_says_the_same(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = (("--opening", "9000000"), ("--column", "9000000,12"), ("--column", "100,5"))
    with running_server(Oracle.open(store)) as port:
        for question in questions:
            here = call(capsys, "estimate", *question, "--most", 3, "--db", store)
            there = call(
                capsys, "estimate", *question, "--most", 3, "--server", f"127.0.0.1:{port}"
            )
            assert there == here
    assert "The available tables decide this" in here[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give one of"),
        (("--opening", "5", "--column", "5,5"), "give one of"),
        (("--column", "5"), "write two whole numbers"),
        (("--rows", "5,9"), "b may not be less than c"),
        (("--column", "0,9"), "x is 0"),
        (("--opening", "1"), "allowed are whole numbers from 2 to"),
    ],
)
def test_refusals(
    store: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    code, _, err = call(capsys, "estimate", *arguments, "--db", store)
    assert code == 2
    assert says in err


def test_ask_shows_the_chance_beside_unknown(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "ask", "chomp3:[2000000,500000,1267767]", "--db", store)
    assert code == 3
    assert "outcome    unknown" in out
    assert "not exact" in out
