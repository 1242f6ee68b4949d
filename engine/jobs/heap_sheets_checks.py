"""Checks of stored sheets of games with three heaps.

They share no code with the solver, with two exceptions: `heap_table` solves a variant with fewer
passes if it is not stored, and `heap_facts` asks which theorems hold for a game.
"""

from collections.abc import Iterator

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.heap_facts import fact_checks
from position_oracle.engine.jobs.heap_table import StoredHeaps
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.schema.snapshot import Snapshot

_DRAWS_PER_LINE = 40
"""Number of drawn positions for each drawn line, because a line holds thousands of positions."""

_NAMES = {
    (0,): "the first heap",
    (1,): "the second heap",
    (0, 1): "the first and second heap",
    (0, 2): "the first and third heap",
    (1, 2): "the second and third heap",
    (0, 1, 2): "all heaps",
}


def heap_checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check size, facts, and the rules of the game.

    Raises:
        CorruptTableError: the tables cannot be read or do not fit together.
    """
    table = StoredHeaps.read(snapshot, game)
    rows, columns = table.z.shape
    name = "there is a z for every x and y up to the limit"
    yield check_equal(name, rows, f"{rows - 1}x{columns - 1}", limit)
    yield from fact_checks(table)
    yield check(
        "no P-position is declared N, or can be passed to a P-position: all of them",
        table.z.size,
        table.wrong_p_positions(),
    )
    yield _lines(table, sample)
    yield _sampled_n_positions(table, sample)


def _lines(table: StoredHeaps, sample: Sample) -> Check:
    """Check that no move joins two P-positions, along all lines or a sample of lines."""
    lines = list(table.lines())
    name = "no P-position reaches another: all lines"
    if not sample.whole and len(lines) > (wanted := 1 + sample.draws // _DRAWS_PER_LINE):
        random = np.random.default_rng(sample.seed)
        lines = [lines[i] for i in np.sort(random.choice(len(lines), wanted, replace=False))]
        name = "no P-position reaches another: a sample of lines"
    failures = (
        f"two P-positions of line {line} are joined by a move in {_NAMES[heaps]}"
        for heaps, line in lines
        if table.repeated(heaps, line)
    )
    return check(name, len(lines), failures)


def _sampled_n_positions(table: StoredHeaps, sample: Sample) -> Check:
    """Check that every N-position of a sample reaches a P-position, unless it is declared N.

    The sample lies below the P-positions of the columns. An N-position above the P-position reaches
    it by lowering the third heap.
    """
    random = np.random.default_rng([sample.seed, 1])
    rows, columns = table.z.shape
    x = random.integers(0, rows, sample.draws)
    y = random.integers(0, columns, sample.draws)
    column = table.z[x, y]
    drawn = np.flatnonzero(column > 0)
    z = random.integers(0, column[drawn])

    def failures() -> Iterator[str]:
        for position in zip(x[drawn].tolist(), y[drawn].tolist(), z.tolist(), strict=True):
            if not (_ends(table.game, position) or table.reaches_p(*position)):
                yield f"the N-position {list(position)} reaches no P-position"

    return check("every N-position of a sample reaches a P-position", len(drawn), failures())


def _ends(game: GameSpec, position: tuple[int, int, int]) -> bool:
    return game.declares(position) or (game.misere and not any(position))
