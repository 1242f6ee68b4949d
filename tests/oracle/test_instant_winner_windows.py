"""Windows of instant-winner sheets: oracle, service, clients and terminal."""

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from position_oracle import AsyncOracleClient, InvalidQuestionError, OracleClient, Origin
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError
from tests.serving import running_server

GOLDEN = Path(__file__).parents[1] / "golden"


def golden_windows() -> list[dict[str, object]]:
    lines = (GOLDEN / "10_sheets.jsonl").read_text().splitlines()
    cases = [json.loads(line) for line in lines]
    return [case for case in cases if case["kind"] == "W" and case["game"].startswith("chomp3")]


def test_golden_windows_come_over_the_wire(store: Path) -> None:
    names = {"chomp3": "chomp3", "chomp3_pass1": "chomp3{passes=1}"}
    with running_server(Oracle.open(store)) as port, OracleClient(f"127.0.0.1:{port}") as client:
        for case in golden_windows():
            size = int(case["window"])  # type: ignore[call-overload]
            window = client.instant_winners(names[str(case["game"])], case["x"], size, size)  # type: ignore[arg-type]
            assert np.argwhere(window).tolist() == sorted(case["W"])  # type: ignore[call-overload]


def test_both_clients_and_the_solver_agree(store: Path) -> None:
    expected = instant_winners(solve(250), 250, 60, 200)

    async def ask(address: str) -> object:
        async with AsyncOracleClient(address) as client:
            return await client.instant_winners("chomp3", 250, 60, 200)

    with running_server(Oracle.open(store)) as port:
        address = f"127.0.0.1:{port}"
        with OracleClient(address) as client:
            np.testing.assert_array_equal(client.instant_winners("chomp3", 250, 60, 200), expected)
        np.testing.assert_array_equal(asyncio.run(ask(address)), expected)
    assert (expected & Origin.LOWER).any()


@pytest.mark.parametrize(
    ("question", "error", "says"),
    [
        (("chomp3", -1, 4, 4), InvalidQuestionError, "x"),
        (("chomp3", 3, 4, -4), InvalidQuestionError, "size_z"),
        (("chomp3", 2**63, 4, 4), InvalidQuestionError, "9223372036854775808"),
        (("chomp3", 3, 1 << 20, 1 << 20), InvalidQuestionError, "cells"),
        (("chomp", 3, 4, 4), NotImplementedError, "has no sheets"),
        (("chomp3", 90_000, 4, 4), NotImplementedError, "oracle build"),
        (("go", 3, 4, 4), LookupError, "go"),
    ],
)
def test_bad_questions(
    store: Path, question: tuple[str, int, int, int], error: type[Exception], says: str
) -> None:
    with (
        running_server(Oracle.open(store)) as port,
        OracleClient(f"127.0.0.1:{port}") as client,
        pytest.raises(error, match=says),
    ):
        client.instant_winners(*question)


@pytest.mark.parametrize("game", ["chomp3", "chomp3{passes=1}", "nim{heaps=3}"])
def test_windows_far_beyond_every_number_are_refused(store: Path, game: str) -> None:
    oracle = Oracle.open(store)
    for first_y, first_z in ((2**62, 2**62), (2**63, 0), (0, 2**64)):
        with pytest.raises(InvalidPositionError, match="allowed are"):
            oracle.instant_winners(game, 100, 3, 3, first_y=first_y, first_z=first_z)
    with pytest.raises(InvalidPositionError, match="allowed are"):
        oracle.losers(game, 100, 3, first_y=2**64)


def test_a_cut_game_says_so(store: Path) -> None:
    game = parse_game("chomp3{noise=normal(3),seed=1}")
    oracle = Oracle.open(store)
    assert oracle.instant_winners(game, 20, 30, 30).any()
    with pytest.raises(UnknownAnswerError, match="noise"):
        oracle.instant_winners(game, 20, 3_000, 30)


def test_the_terminal_draws_both_sheets(
    store: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # W_3 has the tails z = 1 of L_0 and z = 2 of L_2, and since f(j, j) = 1, 3, 4 for j = 0, 1, 2,
    # the diagonals y + z = 0 and 1.
    assert run(["sheet", "chomp3", "3", "--size", "6x5", "--db", str(store)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "    4 ......",
        "    3 ......",
        "    2 ======",
        "    1 ======",
        "    0 dd....",
        "      0",
    ]
    arguments = ["--kind", "L", "--size", "6x5", "--db", str(store)]
    assert run(["sheet", "chomp3", "3", *arguments]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "    3 @@...."
    file = tmp_path / "window.npy"
    assert run(["sheet", "chomp3", "3", "--npy", str(file), "--db", str(store)]) == 0
    np.testing.assert_array_equal(np.load(file), instant_winners(solve(3), 3, 72, 36))
    assert run(["sheet", "chomp3", "3", "--size", "wide", "--db", str(store)]) == 2
