"""Measure answers from a census of three-row Chomp: processor time, and whether they agree.

    python -m bench.census [--db FOLDER] [--limit X] [--count N] [--batches K]

With `--db`, a store with a census is asked (`oracle build chomp3 --kind census --limit 1000000`);
else a census to `--limit` is made first. Positions are drawn from all x, half of them anywhere and
half within 20 of a loser line, and each is answered alone, first the outcome, then all winning
moves. Batches are neighbours, within 1,000 of each other. `--exact` also checks the rules of the
game: no winning move leads from one P-position to another, and every winning move of an N-position
leads to a P-position by a sweep of its own.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle

PLAIN = GameSpec("chomp3")
LIMIT = 100_000
COUNT = 200
BATCHES = 5
BATCH = 1_000
DOWN, STEEP = 1 - 2**-0.5, 1 + 2**-0.5
"""Slopes of the upper and of the lower loser line: the change of z from one column to the next."""


def drawn(
    rng: np.random.Generator, limit: int, count: int, *, near: bool
) -> Iterator[tuple[int, int, int]]:
    """Return random positions with any x: anywhere below the rectangle's diagonal, or near a loser
    line.
    """
    for _ in range(count):
        x = int(rng.integers(1, limit + 1))
        y = int(rng.uniform(0, 0.414) * x)
        line = 2**-0.5 * x - (DOWN if rng.integers(2) else STEEP) * y
        z = int(line) + int(rng.integers(-20, 21)) if near else int(rng.uniform(0, x))
        yield x, y, max(0, z)


def milliseconds(ask: Callable[[Position], object], positions: list[Position]) -> list[float]:
    """Return the processor time of each answer, in milliseconds."""
    taken = []
    for position in positions:
        begun = time.process_time()
        ask(position)
        taken.append(1000 * (time.process_time() - begun))
    return taken


def show(what: str, taken: list[float]) -> None:
    """Print the median, the 99th percentile and the mean."""
    median, most = np.quantile(taken, (0.5, 0.99))
    numbers = f"median {median:7.2f} ms, 99 % {most:6.1f} ms, mean {np.mean(taken):6.1f} ms"
    print(f"   {what:38} {numbers}", flush=True)


def neighbours(rng: np.random.Generator, limit: int) -> np.ndarray:
    """Return a thousand positions whose row lengths are within 1,000 of each other."""
    ((x, y, z),) = drawn(rng, limit - 1_000, 1, near=True)
    c, b, a = np.array((x, x + y, x + y + z))[:, None] + rng.integers(0, 1_000, (3, BATCH))
    b = np.maximum(b, c)
    return np.stack((c, b - c, np.maximum(a, b) - b), axis=1).astype(np.int32)


def conflicts(oracle: Oracle, positions: list[Position]) -> int:
    """Return the answers that break the rules of the game."""
    broken = 0
    for position in positions:
        found = oracle.winning_moves(position)
        children = found.winning_moves or ()
        broken += found.outcome is Outcome.N and not children
        broken += sum(oracle.outcome(move.child).outcome is not Outcome.P for move in children)
    return broken


def lost(rng: np.random.Generator, oracle: Oracle, limit: int, count: int) -> list[Position]:
    """Return P-positions that one move reaches from random positions near the lines."""
    found: list[Position] = []
    while len(found) < count:
        for each in drawn(rng, limit, count - len(found), near=True):
            moves = oracle.winning_moves(Position(PLAIN, each)).winning_moves
            found += [move.child for move in moves or ()][:1]
    return found


def measure(oracle: Oracle, limit: int, count: int, batches: int, *, exact: bool) -> None:
    """Measure everything and print the results."""
    rng = np.random.default_rng(12)
    oracle.winning_moves(Position(PLAIN, (limit // 2, limit // 10, limit // 4)))
    chosen = {
        where: [Position(PLAIN, each) for each in drawn(rng, limit, count, near=near)]
        for where, near in (("anywhere", False), ("within 20 of a line", True))
    }
    for single, name in ((oracle.outcome, "outcome"), (oracle.winning_moves, "all moves")):
        taken = {where: milliseconds(single, positions) for where, positions in chosen.items()}
        for where, times in taken.items():
            show(f"{count} {where}, {name}", times)
        show(f"together, {name}", [each for times in taken.values() for each in times])
    for ask, name in ((oracle.outcomes, "outcomes"), (oracle.winning_move_batch, "moves")):
        spent = []
        for _ in range(batches):
            rows = neighbours(rng, limit)
            begun = time.process_time()
            ask(PLAIN, rows)
            spent.append(time.process_time() - begun)
        spread = ", ".join(f"{seconds:.2f}" for seconds in sorted(spent))
        print(f"   {BATCH} neighbours within 1,000, {name}: {spread} s", flush=True)
    if exact:
        asked = [Position(PLAIN, each) for each in drawn(rng, limit, count, near=True)]
        print(f"   {count} near the lines: {conflicts(oracle, asked)} break the rules", flush=True)
        losses = lost(rng, oracle, limit, count)
        wrong = sum(oracle.winning_moves(each).outcome is not Outcome.P for each in losses)
        print(f"   {count} P-positions: {wrong} are answered as N", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, help="a store with a census")
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--batches", type=int, default=BATCHES)
    parser.add_argument("--exact", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.db or Path(folder)
        if options.db is None:
            from position_oracle.engine.jobs.plan import BuildPlan
            from position_oracle.engine.jobs.run import run_build

            begun = time.process_time()
            run_build(BuildPlan.of("chomp3", str(options.limit), "census"), place)
            print(f"   census to {options.limit}: {time.process_time() - begun:.1f} s CPU")
        oracle = Oracle.open(place)
        measure(oracle, options.limit, options.count, options.batches, exact=options.exact)


if __name__ == "__main__":
    main()
