"""Measure seconds for boards of any shape: outcomes, Grundy values, remoteness and look-ups.

Run with `python -m bench.boards`. Every figure is the best of three in seconds of processor time,
after compilation; the plain reference is the memoised recursion that the tests use.
"""

import time
from collections.abc import Callable

import numpy as np

from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.boards.outcomes import OutcomeTable, solve_shape
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import box, under
from tests.reference import boards_naive as naive

RUNS = 3


def seconds_of(action: Callable[[], object]) -> float:
    """Return the processor time of one run, in seconds."""
    start = time.process_time()
    action()
    return time.process_time() - start


def best_of(action: Callable[[], object]) -> float:
    """Return the least processor time of several runs, in seconds."""
    return min(seconds_of(action) for _ in range(RUNS))


def figure(what: str, seconds: float, remark: str = "") -> None:
    """Print one measured number."""
    print(f"{what:<40}{seconds:10.6f} s   {remark}", flush=True)


def compile_all() -> None:
    """Call every measured function once, so that it is compiled."""
    table = solve_shape(box(3, 3))
    folds.grundy(Ranked(box(6, 7)))
    folds.remoteness(Ranked(box(6, 7)))
    table.winning_bites((3,))
    table.outcomes(np.array([[3]]))


def plain_recursion(side: int) -> None:
    """Return the outcomes of all boards inside a square, computed by the plain recursion."""
    naive.is_p.cache_clear()
    for board in naive.boards_inside(side, side):
        naive.is_p(board)


def look_ups(table: OutcomeTable) -> None:
    """Measure batches of random boards, and all winning bites of single boards."""
    ranks = np.random.default_rng(1).integers(0, table.shape.count, 100_000)
    boards = [table.shape.unrank(rank) for rank in ranks.tolist()]
    batch = np.array([board + (0,) * (table.shape.rows - len(board)) for board in boards])
    seconds = best_of(lambda: table.outcomes(batch))
    figure("100,000 outcomes in one batch", seconds, f"{len(boards) / seconds / 1e6:.0f} million/s")
    few = boards[:1000]
    seconds = best_of(lambda: [table.winning_bites(board) for board in few])
    figure("all winning bites of 1,000 boards", seconds, f"{seconds * 1e3:.1f} µs each")


def main() -> None:
    """Print all measured numbers."""
    figure("compilation, or loading it", seconds_of(compile_all))
    plain = best_of(lambda: plain_recursion(7)) / solve_shape(box(7, 7)).shape.count
    figure("plain recursion, one board of 7 x 7", plain)
    for side in (12, 13, 14):
        seconds = best_of(lambda side=side: solve_shape(box(side, side)))  # type: ignore[misc]
        boards = solve_shape(box(side, side)).shape.count
        ratio = plain * boards / seconds
        remark = f"{boards} boards, {seconds / boards * 1e9:.1f} ns each, {ratio:.0f} x plain"
        figure(f"outcomes, {side} x {side}", seconds, remark)
    figure("Grundy values, 12 x 12", best_of(lambda: folds.grundy(Ranked(box(12, 12)))))
    figure("remoteness, 12 x 12", best_of(lambda: folds.remoteness(Ranked(box(12, 12)))))
    figure("search, 60/3/2/1", best_of(lambda: solve_shape(under((60, 3, 2, 1)))))
    look_ups(solve_shape(box(12, 12)))


if __name__ == "__main__":
    main()
