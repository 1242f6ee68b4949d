"""Checks of a stored census: openings, periods, sweeps, answers.

The solver's own sweep (`engine.solvers.row_sweep`) finds the answers from the checkpoints, and the
checks compare them with the rules of the game.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.limits import numbers_of
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.theory.openings import openings
from position_oracle.schema.census import Census, read_census, read_checkpoints, reader_of
from position_oracle.schema.snapshot import Snapshot

if TYPE_CHECKING:
    from position_oracle.engine.solvers.row_sweep.query import Answers

MAX_SWEPT: Final = 300
"""Maximum number of positions answered by a sweep; at x = 1,000,000 each takes 0.1 s."""

LEAST_SWEPT: Final = 20
SWEEPING_SECONDS: Final = 60.0
"""Approximate time for sweeps; fewer are made if each is expensive."""


def census_checks(
    snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
) -> Iterator[Check]:
    """Yield all checks of a census."""
    census = read_census(snapshot, game.text)
    largest, spacing = numbers_of(limit)
    yield check_equal("one row a sheet", largest + 1, len(census), largest + 1)
    yield _openings(census)
    yield _ladders(census)
    if not sample.whole:  # else the whole build is made again
        yield from _swept_again(census)
    if spacing and largest:
        yield _by_rules(snapshot, game, census, spacing, sample)


def _openings(census: Census) -> Check:
    found = openings(census.diagonal_z, census.prefix_length, census.tail_period)
    counts = found.count[2 : found.complete_to + 1]
    wrong = np.flatnonzero(counts != 1)
    return check(
        "every rectangle of three rows has exactly one winning opening",
        len(counts),
        (f"3 x {n + 2} has {counts[n]}" for n in wrong.tolist()),
    )


def _ladders(census: Census) -> Check:
    """Check that tails have their least period, and that the prefix differs before them."""
    periodic = np.flatnonzero(census.tail_period > 1)

    def wrong() -> Iterator[str]:
        for x in periodic.tolist():
            tail = census.tail(x)
            if any(
                len(tail) % p == 0 and (tail[p:] == tail[:-p]).all() for p in range(1, len(tail))
            ):
                yield f"sheet {x}: its period {len(tail)} is not the least"

    return check("periods are the least", len(periodic), wrong())


def _swept_again(census: Census) -> Iterator[Check]:
    """Compare every column with a new sweep, if it takes less than a minute."""
    from position_oracle.engine.solvers.row_sweep.driver import census as sweep
    from position_oracle.engine.solvers.row_sweep.driver import estimate

    if estimate(census.limit).cpu_seconds > SWEEPING_SECONDS:
        return
    found = sweep(census.limit)
    names = [field.name for field in fields(Census)]
    wrong = (
        f"{name} is another"
        for name in names
        if not np.array_equal(getattr(census, name), getattr(found, name))
    )
    yield check("the sheets are what a sweep from row 0 gives", len(census), wrong)


def _by_rules(
    snapshot: Snapshot, game: GameSpec, census: Census, spacing: int, sample: Sample
) -> Check:
    """Check that every N-position has a winning move, and that all of these lead to P-positions."""
    from position_oracle.engine.solvers.row_sweep.query import Answers

    rows, offsets, data = read_checkpoints(snapshot, game.text)
    answers = Answers(census, reader_of(offsets, data), len(rows), spacing)
    count = min(sample.draws, swept_positions(len(census) - 1, spacing))
    rng = np.random.default_rng(sample.seed)

    def wrong() -> Iterator[str]:
        for x, y, z in _drawn(rng, len(census) - 1, count):
            current().check()
            yield from _conflicts(answers, (x, y, z))

    return check("answers by sweeping keep the rules of the game", count, wrong())


def swept_positions(limit: int, spacing: int) -> int:
    """Return the number of positions to answer; each takes two sweeps of half a spacing."""
    seconds = 0.01 + 1e-10 * limit * spacing
    return max(LEAST_SWEPT, min(MAX_SWEPT, int(SWEEPING_SECONDS / seconds)))


def _drawn(rng: np.random.Generator, limit: int, count: int) -> Iterator[tuple[int, int, int]]:
    for _ in range(count):
        x = int(rng.integers(0, limit + 1))
        yield x, int(rng.integers(0, x // 2 + 2)), int(rng.integers(0, x + 2))


def _conflicts(answers: "Answers", position: tuple[int, int, int]) -> Iterator[str]:
    found = answers.answer(position)
    if position == (0, 0, 0):
        return
    if found.wins and not found.moves:
        yield f"{list(position)} is N without a winning move"
    for child in found.moves:
        if answers.answer(child, with_moves=False).wins:
            yield f"{list(position)} is N by the move to {list(child)}, which is N"
