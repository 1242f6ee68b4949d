"""Checks of stored loser sheets of three-row Chomp, and of its variants.

They share no code with the solver, except that `variants` solves a game with fewer passes if it is
not stored.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp3.facts import published_checks
from position_oracle.engine.jobs.chomp3.geometry_checks import shape_checks
from position_oracle.engine.jobs.chomp3.moves import winning_child
from position_oracle.engine.jobs.chomp3.pairs import conflicts
from position_oracle.engine.jobs.chomp3.sheets import bounds
from position_oracle.engine.jobs.chomp3.variants import Variant
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.schema.sheets import NO_Z, LoserSheets
from position_oracle.schema.snapshot import Snapshot


def sheet_checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check counts, published facts, and the rules of the game.

    Raises:
        CorruptTableError: the tables cannot be read or do not fit together.
    """
    sheets = snapshot.read_sheets(game.text, check=False)
    failures = [] if len(sheets) == bounds(limit)[0] else [f"the limit is {limit}"]
    yield check("there is a sheet for every x up to the limit", len(sheets), failures)
    if game.is_plain and not game.passes:
        yield from published_checks(sheets)
    yield from shape_checks(snapshot, game, sheets, sample)
    variant = Variant.of(snapshot, game, limit)
    if sample.whole:
        positions = len(sheets.prefix_z) + len(sheets.tail_z)
        yield check(
            "no P-position reaches another: all pairs, with infinite tails",
            positions,
            conflicts(sheets),
        )
        yield check(
            "no P-position is declared N, or can be passed to a P-position: all of them",
            positions,
            variant.failures(sheets),
        )
    yield _sampled_p_positions(sheets, variant, sample)
    yield _sampled_n_positions(sheets, variant, sample)


def _sampled_p_positions(sheets: LoserSheets, variant: Variant, sample: Sample) -> Check:
    """Check that no P-position of a sample reaches another."""
    drawn = list(_draw_p_positions(sheets, sample))

    def failures() -> Iterator[str]:
        for x, y, z in drawn:
            if variant.game.declares((x, y, z)):
                yield f"[{x},{y},{z}] is a P-position and declared N"
            elif variant.passes_to_p(x, y, z):
                yield f"[{x},{y},{z}] is a P-position and can be passed to one"
            elif (child := winning_child(sheets, x, y, z)) is not None:
                yield f"the P-position [{x},{y},{z}] reaches the P-position {list(child)}"

    return check("no P-position of a sample reaches another", len(drawn), failures())


def _sampled_n_positions(sheets: LoserSheets, variant: Variant, sample: Sample) -> Check:
    """Check that every N-position of a sample reaches a P-position, unless it is declared N."""
    drawn = list(_draw_n_positions(sheets, sample))

    def failures() -> Iterator[str]:
        for x, y, z in drawn:
            reaches = (
                variant.game.declares((x, y, z))
                or winning_child(sheets, x, y, z) is not None
                or variant.passes_to_p(x, y, z)
            )
            if not reaches:
                yield f"the N-position [{x},{y},{z}] reaches no P-position"

    return check("every N-position of a sample reaches a P-position", len(drawn), failures())


def _draw_p_positions(sheets: LoserSheets, sample: Sample) -> Iterator[tuple[int, int, int]]:
    """Draw P-positions: most from prefixes, some from tails far out."""
    random = np.random.default_rng(sample.seed)
    occupied = np.flatnonzero(sheets.prefix_length + sheets.tail_period > 0)
    if not occupied.size:
        return
    x = random.choice(occupied, sample.draws)
    reach = sheets.prefix_length[x] + np.where(
        sheets.tail_period[x] > 0, 1 + sheets.prefix_length[x] // 4, 0
    )
    y = random.integers(0, reach)
    for position in zip(x, y, sheets.look_up(x, y), strict=True):
        found_x, found_y, z = map(int, position)
        if z != NO_Z:
            yield found_x, found_y, z


def _draw_n_positions(sheets: LoserSheets, sample: Sample) -> Iterator[tuple[int, int, int]]:
    """Draw N-positions: most below the P-position of their column, where wins are hard to find."""
    random = np.random.default_rng([sample.seed, 1])
    x = random.integers(0, len(sheets), sample.draws)
    reach = sheets.prefix_length[x] + np.where(
        sheets.tail_period[x] < 0, 0, 2 + sheets.prefix_length[x] // 4
    )
    y = random.integers(0, np.maximum(reach, 1))
    column = sheets.look_up(x, y)
    below = (column > 0) & (random.random(sample.draws) < 0.8)
    z = random.integers(0, np.where(below, column, 2 * np.maximum(column, 0) + 10))
    known = ~_beyond_cut(sheets, x + y)
    wanted = known & (z != column) & (x + y + z > 0)
    for position in zip(x[wanted], y[wanted], z[wanted], strict=True):
        yield int(position[0]), int(position[1]), int(position[2])


def _beyond_cut(sheets: LoserSheets, row: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether some sheet was not computed in row b = x + y."""
    cut = np.flatnonzero(sheets.tail_period < 0)
    first_unknown = (
        int(np.min(cut + sheets.prefix_length[cut])) if cut.size else np.iinfo(np.int64).max
    )
    return row >= first_unknown
