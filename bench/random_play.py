"""Measure seconds for random play: tables, batches, exact recursion, simulation, the service.

Run with `python -m bench random_play`. Every figure but those over loopback is the best of five on
one thread, after compilation; the plain reference is the recursion in fractions that the tests use.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from bench.timing import best_of
from position_oracle import OracleClient
from position_oracle.engine.solvers.random_play.simulate import simulate_chomp
from position_oracle.engine.solvers.random_play.three_row import solve_random
from position_oracle.engine.solvers.random_play.three_row_chances import solve_chances
from position_oracle.engine.solvers.simulate import GAMES
from position_oracle.engine.theory.random_play.two_rows import win_probability_batch
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.reproduce.random_games import (
    TurnDistribution,
    chance,
    check_exactly,
    check_three_rows,
    chomp,
    graph_of,
)
from position_oracle.schema.values import board_count, boards
from tests.reference import random_play_naive as naive
from tests.serving import running_server

LIMIT = 300
LIMIT_SECONDS = 10.0
"""Maximum number of seconds that the table to `LIMIT` may take."""

LOOPBACK_RATE = 1e6
"""Minimum number of probabilities a second that batches over loopback have to reach."""

BATCH = 1_000_000
PLAIN_BOARD = (5, 5, 5, 5, 5)


def figure(what: str, seconds: float, remark: str = "") -> None:
    """Print one measured number."""
    print(f"{what:<44}{seconds:10.4f} s   {remark}", flush=True)


def tables() -> None:
    """Measure three-row tables, and the test of Conjecture 1.5 on a table."""
    table, chances = solve_random(LIMIT), solve_chances(LIMIT)
    count = len(table.excess)
    seconds = best_of(lambda: solve_random(LIMIT))
    remark = f"{count} positions, at most {LIMIT_SECONDS:.0f} s: "
    remark += "kept" if seconds <= LIMIT_SECONDS else "MISSED"
    figure(f"three rows to {LIMIT}, both random", seconds, remark)
    print(f"  error bound of its probabilities: {table.error_bound:.1e}")
    seconds = best_of(lambda: solve_chances(LIMIT))
    figure(f"three rows to {LIMIT}, perfect against random", seconds, f"{count} positions")
    figure("Conjecture 1.5 on the table", best_of(lambda: check_three_rows(table)))
    rows = boards(0, board_count(LIMIT))[-BATCH:].astype(np.int64)
    pairs = rows[:, :2].copy()
    print(f"batches of {BATCH} positions:")
    batch("both random", lambda: table.win_probability_batch(rows))
    batch("perfect against random", lambda: chances.losing_batch(rows, to_move=True))
    batch("two rows in closed form", lambda: win_probability_batch(pairs))


def batch(what: str, work: Callable[[], object]) -> None:
    """Measure one batch, and print the positions a second."""
    seconds = best_of(work)
    figure(f"  {what}", seconds, f"{BATCH / seconds / 1e6:.1f} million/s")


def exact() -> None:
    """Measure exact recursion, and compare it with fractions computed directly from the rules."""

    def check_inside() -> None:
        check_exactly(graph_of(chomp((8,) * 8)))

    figure("8 x 8, exact win probability", best_of(lambda: chance(chomp((8,) * 8))))
    figure(
        "8 x 8, exact distribution of turns", best_of(lambda: TurnDistribution.of(chomp((8,) * 8)))
    )
    figure(
        "Conjecture 1.5 inside 8 x 8, exactly",
        best_of(check_inside),
    )

    def plain() -> None:
        naive.win_probability.cache_clear()
        naive.win_probability(naive.chomp_moves, PLAIN_BOARD, won_at_end=True)

    fast, slow = best_of(lambda: chance(chomp(PLAIN_BOARD))), best_of(plain)
    figure("5 x 5, exact win probability", fast, f"{slow / fast:.1f} times the plain recursion")


def simulation() -> None:
    """Measure simulated games."""
    simulate_chomp((2, 1), seed=0, games=1)
    for rows in ((3, 3, 3), (8,) * 8, (LIMIT,) * 3):
        seconds = best_of(partial(simulate_chomp, rows, seed=0))
        figure(f"{GAMES} games from {len(rows)} x {rows[0]}", seconds)


def loopback() -> None:
    """Measure batches of doubles over gRPC, with server and client in one process."""
    positions = boards(0, board_count(100))[-BATCH // 8 :, ::-1].copy()
    positions[:, 1:] -= positions[:, :-1].copy()
    positions = np.tile(positions, (8, 1))
    with (
        running_server(Oracle()) as port,
        OracleClient(f"127.0.0.1:{port}") as client,
    ):
        print(f"over loopback, at least {LOOPBACK_RATE / 1e6:.0f} million/s:")
        for model in ("random", "perfect-vs-random", "sloppy(0.1)-vs-perfect"):
            ask = partial(client.win_probabilities, "chomp3", positions, model)
            seconds = best_of(ask)
            rate = len(positions) / seconds
            kept = "kept" if rate >= LOOPBACK_RATE else "MISSED"
            figure(f"  {model}", seconds, f"{rate / 1e6:.1f} million/s: {kept}")


def main() -> None:
    """Print all measured numbers."""
    tables()
    exact()
    simulation()
    loopback()


if __name__ == "__main__":
    main()
