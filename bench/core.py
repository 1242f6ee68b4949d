"""Measure the core that answers three-row Chomp in this process: loading, batches, questions."""

import tempfile
import time
from pathlib import Path

import numpy as np

from bench.timing import best_of
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.run import run_build
from position_oracle.oracle.core import Oracle

LIMIT = 10_000
BATCH = 100_000
QUESTIONS = 2_000


def main() -> None:
    """Print the measured numbers."""
    with tempfile.TemporaryDirectory() as folder:
        record = run_build(BuildPlan.of("chomp3", LIMIT), folder)
        print(f"build, write and check x <= {LIMIT}: {record.seconds:.2f} s, {record.rows:,} rows")
        begun = time.perf_counter()
        oracle = Oracle.open(Path(folder))
        first = time.perf_counter() - begun
        seconds = best_of(lambda: Oracle.open(Path(folder)))
        print(
            f"load x <= {LIMIT} and make ready: {first:.2f} s the first time, then"
            f" {seconds:.2f} s, {record.rows / seconds / 1e6:.0f} million rows/s (target 20)"
        )
    _batches(oracle)
    _questions(oracle)
    _openings(oracle)


def _batches(oracle: Oracle) -> None:
    game = GameSpec("chomp3")
    positions = np.random.default_rng(1).integers(0, LIMIT, (BATCH, 3), dtype=np.int32)
    seconds = best_of(lambda: oracle.outcomes(game, positions))
    print(f"outcomes: {BATCH / seconds / 1e6:.1f} million positions/s on one core (target 10)")
    seconds = best_of(lambda: oracle.winning_move_batch(game, positions))
    print(f"winning moves: {BATCH / seconds / 1e3:.0f} thousand positions/s on one core")


def _questions(oracle: Oracle) -> None:
    rng = np.random.default_rng(2)
    texts = [
        f"chomp3:[{rng.integers(9 * LIMIT // 10, LIMIT)},{y},{z}]"
        for y, z in rng.integers(0, LIMIT, (QUESTIONS, 2)).tolist()
    ]
    positions = [parse(text) for text in texts]
    for name, ask in (("outcome", oracle.outcome), ("winning moves", oracle.winning_moves)):
        seconds = best_of(lambda ask=ask: [ask(position) for position in positions])  # type: ignore[misc]
        print(f"one question, {name}, x near {LIMIT}: {seconds / QUESTIONS * 1e6:.1f} us")
    tried = positions[0]
    reference = best_of(lambda: _by_all_children(oracle, tried))
    inverse = best_of(lambda: oracle.winning_moves(tried))
    print(f"inverse look-ups are {reference / inverse:.0f} times as fast as trying all children")


def _by_all_children(oracle: Oracle, position: object) -> None:
    from position_oracle.engine.games.chomp3 import RULES
    from position_oracle.engine.games.position import Position

    assert isinstance(position, Position)
    moves = RULES.actions(position.value, position.game)
    children = np.array([child for _, child in moves], np.int32)
    np.flatnonzero(oracle.outcomes(position.game, children) == 1)


def _openings(oracle: Oracle) -> None:
    begun = time.perf_counter()
    several = [
        x
        for x in range(1, LIMIT + 1)
        if len(oracle.winning_moves(f"chomp3:[{x},0,0]").winning_moves or ()) != 1
    ]
    print(
        f"openings [x, 0, 0], 1 <= x <= {LIMIT}, without exactly one winning move:"
        f" {len(several)} ({time.perf_counter() - begun:.2f} s)"
    )


if __name__ == "__main__":
    main()
