"""Measure seconds for heap games: sheets of Nim with passes, Wythoff tables, search and theorems.

Run with `python -m bench.heaps`. Every figure is the best of three in seconds of processor time,
after compilation.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers import heap_sheets, tables
from position_oracle.engine.solvers.heap_search import heap_moves
from position_oracle.engine.theory import nim, wythoff
from position_oracle.engine.theory.perturbation import Perturbation

RUNS = 3
SIDE = 4096
BATCH = 1_000_000
PAIRS = ((0, 1), (0, 2), (1, 2))
LINES = {"pairs": PAIRS, "all": ((0, 1, 2),), "both": (*PAIRS, (0, 1, 2))}


def best_of(action: Callable[[], object]) -> float:
    """Return the least processor time of several runs, in seconds."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def figure(what: str, cells: int, action: Callable[[], object]) -> None:
    """Measure one function and print the time."""
    seconds = best_of(action)
    print(f"{what:<48}{seconds:9.3f} s {seconds / cells * 1e9:9.1f} ns per cell", flush=True)


def sheets_and_values(side: int) -> None:
    """Measure sheets and Grundy tables of side x side cells."""
    top, cells = side - 1, side * side
    noise = Perturbation.parse("normal(8)", seed=1)
    sheets = partial(heap_sheets.solve, (), top, top)
    print(f"{side} x {side} cells")
    figure("nim, one pass", cells, partial(sheets, 1))
    figure("nim, one pass, [1,6,7] declared", cells, partial(sheets, 1, declared=[(1, 6, 7)]))
    figure("nim, [1,6,7] declared", cells, partial(sheets, 0, declared=[(1, 6, 7)]))
    figure("nim, normal(8) in every column", cells, partial(sheets, 0, columns=noise.columns))
    figure(
        "wythoff, Grundy values", cells, partial(heap_sheets.solve, heap_sheets.WYTHOFF, top, top)
    )
    for definition, lines in LINES.items():
        solve = partial(heap_sheets.solve, lines, top, top)
        figure(f"wythoff, three heaps, {definition}", cells, solve)


def search(limit: int) -> None:
    """Measure outcomes, Grundy values and remoteness of all positions inside a box."""
    for heaps, height, passes in ((3, limit, 1), (5, limit // 4, 0)):
        cells = (height + 1) ** heaps * (passes + 1)
        game = heap_moves(GameSpec("nim", heaps, passes=passes), (height,) * heaps)
        for kind in ("wins", "grundy", "remoteness"):
            what = f"{kind}, {heaps} heaps to {height}, {passes} passes"
            figure(what, cells, partial(tables.solve, game, kind))


def closed_forms() -> None:
    """Measure batches of random positions with heaps of 63 bits, answered by theorems."""
    heaps = np.random.default_rng(1).integers(0, 2**63, (BATCH, 3))
    pairs = np.ascontiguousarray(heaps[:, :2])
    figure("nim, outcomes, three heaps", BATCH, lambda: nim.is_p_position_batch(heaps))
    figure("nim, winning moves, three heaps", BATCH, lambda: nim.target_batch(heaps))
    figure("wythoff, outcomes, two heaps", BATCH, lambda: wythoff.is_p_position_batch(pairs))
    figure("wythoff, winning moves, two heaps", BATCH, lambda: wythoff.taken_batch(pairs))


def main() -> None:
    """Print all measured numbers."""
    for lines in ((), heap_sheets.WYTHOFF, *LINES.values()):
        heap_sheets.solve(lines, 3, 3, 1, declared=[(1, 2, 3)])
    sheets_and_values(SIDE)
    search(100)
    closed_forms()


if __name__ == "__main__":
    main()
