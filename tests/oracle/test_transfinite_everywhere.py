"""Transfinite Chomp over the command line, the server and the clients; bad texts there."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle import (
    AsyncOracleClient,
    Certainty,
    InvalidQuestionError,
    OracleClient,
    Outcome,
    TransfiniteFacts,
)
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.serving import running_server

COLUMNS = "transfinite:1x(w*3) + 2x(w*2+1)"
TEXTS = [
    COLUMNS,
    "transfinite:3xω^ω",
    "transfinite:[w*5 w; w*6 w*4]",
    "transfinite:2x2xw^w",
    "transfinite:3x4",
    "transfinite:0",
    "transfinite:1x1xw + 2x(w*100)x1",
]
BAD = [
    "transfinite:(w+1x2",
    "transfinite:w^100000x2",
    "transfinite:e0x2",
    "transfinite:" + "x".join(["w"] * 13),
    "transfinite:" + "w^(" * 500 + "w" + ")" * 500,
    "transfinite:" + "(" * 4000,
    "transfinite:2x" + "9" * 5000,
    "transfinite:" + " + ".join(f"{n}xw" for n in range(1, 600)),
]


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with running_server(Oracle.open(store)) as port:
        yield f"127.0.0.1:{port}"


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[OracleClient]:
    with OracleClient(address) as connected:
        yield connected


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[str], str]:
    code = run(["ask", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


def test_the_server_answers_as_the_tables_do(
    store: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here = asked(capsys, "--json", "--db", store, *TEXTS)
    there = asked(capsys, "--json", "--server", address, *TEXTS)
    assert here == there
    assert here[0] == 0
    records = [json.loads(line) for line in here[1]]
    assert records[0].pop("tables") == Oracle.open(store).tables().version
    assert records[0] == {
        "position": COLUMNS,
        "game": "transfinite",
        "outcome": "N",
        "certainty": "THEOREM",
        "reason": "two-wide Grundy values (9-1)-(9-6)",
        "winning_moves": ["transfinite:2xw"],
        "winning_actions": [
            {"ordinal_bite": {"coordinates": ["0", "w"]}, "words": "bite row w, column 1"}
        ],
        "grundy": "w+1",
        "grundy_unrestricted": "w+1",
        "remoteness": None,
        "size": "w*5+1",
        "rule": "two-wide Grundy values (9-1)-(9-6)",
        "bite": ["0", "w"],
    }
    assert records[1]["position"] == "transfinite:3xw^w"
    assert (records[1]["outcome"], records[1]["winning_moves"]) == ("P", [])


def test_the_terminal_shows_bite_value_size_and_board(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines, _ = asked(capsys, "--db", store, COLUMNS, "transfinite:3x4")
    assert code == 0
    assert "  bite       (0, w)" in lines
    assert "  Grundy     w+1; w+1 with every bite allowed" in lines
    assert "  size       w*5+1" in lines
    assert "    3  o * o" in lines


def test_an_unknown_outcome_has_its_exit_code(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines, _ = asked(capsys, "--json", "--db", store, "transfinite:2x3x(w^2+w) + 3x3xw")
    record = json.loads(lines[0])
    assert code == 3
    assert record["certainty"] == "UNKNOWN"
    assert record["winning_moves"] is None
    assert record["reason"]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_texts_are_refused_everywhere(
    store: Path, client: OracleClient, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    code, lines, message = asked(capsys, "--db", store, text)
    assert (code, lines) == (2, [])
    assert message.startswith("oracle: ")
    assert len(message) < 500
    with pytest.raises(InvalidQuestionError) as caught:
        client.winning_moves(text)
    assert caught.value.field == "position.text"
    assert client.outcome(COLUMNS).outcome is Outcome.N


def test_clients_carry_the_facts(client: OracleClient, address: str) -> None:
    answer = client.winning_moves(COLUMNS)
    rule = "two-wide Grundy values (9-1)-(9-6)"
    assert answer.certainty is Certainty.THEOREM
    assert answer.winning_moves is not None
    assert [move.position for move in answer.winning_moves] == ["transfinite:2xw"]
    assert answer.transfinite == TransfiniteFacts("w*5+1", rule, ("0", "w"), "w+1", "w+1")
    assert client.outcome(COLUMNS).winning_moves is None
    assert client.winning_moves("chomp3:[4,3,2]").transfinite is None

    async def ask() -> object:
        async with AsyncOracleClient(address) as other:
            return await other.winning_moves(COLUMNS)

    assert asyncio.run(ask()) == answer


def test_analyses_travel(client: OracleClient) -> None:
    analysis = client.analyze(COLUMNS)
    assert analysis.answer.transfinite is not None
    assert analysis.answer.transfinite.grundy == "w+1"
    assert analysis.moves is not None
    assert [move.move.position for move in analysis.moves] == ["transfinite:2xw"]
    assert not analysis.complete


def test_batches_are_of_the_number_of_axes_and_sides(client: OracleClient) -> None:
    assert client.outcomes("transfinite", [[2, 3, 3]]).tolist() == [Outcome.N]
    with pytest.raises(InvalidQuestionError, match="number of axes"):
        client.outcomes("transfinite", [[13, 2]])


def test_the_game_is_listed(client: OracleClient) -> None:
    (info,) = (info for info in client.games() if info.game == "transfinite")
    assert {"outcome", "winning_moves", "grundy"} < set(info.questions)
    assert {"remoteness", "best_line", "win_probability", "turns"} < set(info.questions)
    assert "2 x 2" in info.sources[0].range
