"""Best lines over the network, from both clients and in the terminal."""

import json
from pathlib import Path

import pytest

from position_oracle import InvalidQuestionError, OracleClient
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.clients.conftest import Connect

TEXTS = [
    "chomp:4/3/2",
    "chomp3:[9,4,3]",
    "nim:[3,5,7]",
    "kayles:[4,5]",
    "toads:TT.FF",
    "divisors:72",
    "nim:[1] + chomp:3/2",
    "transfinite:2xw",
    "chomp{misere}:3/2",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_line_is_that_of_the_oracle(
    connect: Connect, port: int, oracle: Oracle, text: str
) -> None:
    found = connect(port).best_line(text)
    assert found.as_json() == oracle.best_line(text).as_json()
    assert all(ply.action is not None for ply in found.plies)
    assert found.answer.tables is not None


def test_as_many_plies_as_are_asked_for(client: OracleClient) -> None:
    line = client.best_line("nim:[3,5,7]", 4)
    assert len(line.plies) == 4
    assert not line.complete
    assert line.remoteness == 15
    following = client.best_line(line.plies[-1].move.position)
    assert following.remoteness == 11


@pytest.mark.parametrize("plies", [0, -1, 10_001, 2**40])
def test_plies_have_limits(client: OracleClient, plies: int) -> None:
    with pytest.raises(InvalidQuestionError, match="allowed are 1 to 10000") as caught:
        client.best_line("nim:[3]", plies)
    assert caught.value.field == "plies"


def test_the_line_at_the_terminal(
    store: Path, port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["line", "chomp:4/3/2", "--db", str(store)]) == 0
    here = capsys.readouterr().out
    assert "remoteness 7 plies to the end" in here
    assert "7. bite row 2, column 1  chomp:1  wins, 0 plies left" in here
    assert run(["line", "chomp:4/3/2", "--server", f"127.0.0.1:{port}"]) == 0
    there = capsys.readouterr().out
    assert here.splitlines()[3:] == there.splitlines()[3:]
    assert run(["line", "nim:[3,5,7]", "--plies", "2", "--json", "--db", str(store)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["plies"]) == 2
    assert not record["complete"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["transfinite:2xw"], 3),
        (["nim:[3", "--plies", "2"], 2),
        (["nim:[3]", "--plies", "0"], 2),
        (["nim:[3]", "--plies", "10001"], 2),
        (["nim:[0]"], 0),
    ],
)
def test_exit_codes(
    store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int
) -> None:
    assert run(["line", *arguments, "--db", str(store)]) == code
    assert len(capsys.readouterr().err.splitlines()) == (1 if code == 2 else 0)
