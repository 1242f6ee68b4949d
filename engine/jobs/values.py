"""Grundy values and remoteness of every position up to a limit, of any family that has them.

`engine.jobs.value_layouts` describes the limits.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Final

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, covers_sides
from position_oracle.engine.jobs.limits import numbers_of
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.jobs.value_layouts import FAMILIES, layout_of
from position_oracle.schema.errors import ResourceLimitError
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.value_rows import rows_of_values

KINDS: Final = ("grundy", "remoteness")

_WRITING_BYTES: Final = 16
"""Bytes of memory for a position while it is written, besides the memory of the solver."""
_ROW_BYTES: Final = 6

_USUAL: Final = {"chomp3": "200", "chomp": "11x11"}
_USUAL_HEAPS: Final = ("10000", "1000", "300", "100", "60", "30", "15", "10", "7", "5", "3", "2")
_USUAL_POSITIONS: Final = 1_100_000
_USUAL_STEPS: Final = 5_000_000_000
"""Largest numbers of positions and steps of a default limit in heap games."""


def value_jobs(family: str) -> tuple[Job, ...]:
    """Return the jobs that fill the tables `grundy` and `remoteness` of a family."""
    return tuple(_job(family, kind) for kind in KINDS if family in FAMILIES)


def _usual_limit(kind: str, game: GameSpec) -> str:
    """Return a limit of about a million positions; less with more passes or costly searches."""
    if game.family in _USUAL:
        return _USUAL[game.family]
    for limit in _USUAL_HEAPS:
        with suppress(ResourceLimitError):
            layout = layout_of(game, limit, kind)
            if layout.count <= _USUAL_POSITIONS and layout.steps <= _USUAL_STEPS:
                return limit
    return "1"


def _covers_boxes(limit: str, other: str) -> bool:
    """Return whether a box of boards contains another, as it stands or transposed."""
    return all(map(int.__ge__, sorted(numbers_of(limit)), sorted(numbers_of(other))))


def _job(family: str, kind: str) -> Job:
    def read_limit(game: GameSpec, limit: str) -> str:
        return layout_of(game, limit, kind).limit

    def estimate(game: GameSpec, limit: str) -> ResourceEstimate:
        layout = layout_of(game, limit, kind)
        return ResourceEstimate(
            rows=layout.count,
            seconds=2.5 + 2e-9 * layout.steps + 600e-9 * layout.count,
            memory_bytes=(900 << 20) + layout.solve_bytes + layout.count * _WRITING_BYTES,
            disk_bytes=EMPTY_FILE_BYTES + layout.count * _ROW_BYTES,
        )

    def blocks(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
        layout = layout_of(game, limit, kind)
        budget = current()
        values = layout.values(reporter.part("solve"))
        report = reporter.part("write")
        done = 0
        for flat, begins in layout.rows():
            budget.check()
            count = len(begins) - 1
            yield {kind: rows_of_values(flat, begins, values[done : done + count])}
            done += count
            report(done, layout.count)

    def checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
        from position_oracle.engine.jobs.values_checks import value_checks

        return value_checks(snapshot, layout_of(game, limit, kind), kind, sample)

    return Job(
        family=family,
        kind=kind,
        tables=(kind,),
        usual_limit=partial(_usual_limit, kind),
        read_limit=read_limit,
        estimate=estimate,
        blocks=blocks,
        checks=checks,
        games_needed=_games_needed,
        covers=_covers_boxes if family == "chomp" else covers_sides,
        check_row_bytes=10,
        check_base_bytes=600 << 20,  # among it blocks of boards, whose rows are many
    )


def _games_needed(game: GameSpec) -> tuple[GameSpec, ...]:
    """Return the game with no pass, or the games with no pass and one pass."""
    if not game.passes or not game.is_plain:
        return (game,)
    return game.with_passes(0), game.with_passes(1)
