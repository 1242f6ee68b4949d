"""Checks stored results against their checksums and the rules of the game."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from position_oracle.engine.amounts import size_text
from position_oracle.engine.budget import current
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Job, job_for
from position_oracle.engine.jobs.plan import game_record
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, VerifyReport, check, check_equal
from position_oracle.engine.jobs.resources import MEMORY_VARIABLE, memory_limit
from position_oracle.schema import tables
from position_oracle.schema.digests import TableDigest
from position_oracle.schema.errors import (
    CorruptTableError,
    ResourceLimitError,
    UnknownGameError,
)
from position_oracle.schema.games import Build
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.writing import rows_for

DEFAULT_SAMPLE = Sample()

_DEFLATED: Final = ("checkpoint", "data")
"""A column that is not compared: another zlib may deflate the same states into other bytes."""


def verify_build(
    snapshot: Snapshot,
    game: GameSpec | str,
    kind: str | None = None,
    *,
    sample: Sample = DEFAULT_SAMPLE,
    observer: Callable[[Check], None] | None = None,
) -> VerifyReport:
    """Check the stored results of a game by `Job.checks` and by checksums.

    If the sample is everything, the tables are also computed again.

    Args:
        snapshot: an open table file.
        game: the game or its text.
        kind: the kind of results; None for the usual one of the family.
        sample: the amount to check.
        observer: callback that receives each check when it is done.

    Returns:
        A report. A failed check is an entry of the report, not an exception.

    Raises:
        UnknownGameError: the file does not have the results.
        ResourceLimitError: the checks take more memory than there is.
        StoppedError: the current budget is spent; it is checked between checks.
    """
    spec = parse_game(game) if isinstance(game, str) else game
    job, budget = job_for(spec, kind), current()
    record = _record(snapshot, spec, job.kind)
    _check_memory(spec, job, record, sample)
    checks: list[Check] = []
    for found in _checks(snapshot, spec, job, record, sample):
        checks.append(found)
        if observer is not None:
            observer(found)
        budget.check()
    return VerifyReport(spec.text, job.kind, record.limit, tuple(checks))


def _check_memory(game: GameSpec, job: Job, record: Build, sample: Sample) -> None:
    needed = job.check_base_bytes + record.rows * job.check_row_bytes
    if sample.whole or game.passes:  # results are computed again, or results with a pass fewer
        with suppress(ValueError, ResourceLimitError):  # the checks report a damaged limit
            needed = max(needed, job.estimate(game, record.limit).memory_bytes)
    if needed > (memory := memory_limit()):
        raise ResourceLimitError(
            f"checking {game.text} {job.kind} up to {record.limit} takes up to"
            f" {size_text(needed)} of memory, and {size_text(memory)} are available (set"
            f" {MEMORY_VARIABLE} to change that)"
        )


def _checks(
    snapshot: Snapshot, game: GameSpec, job: Job, record: Build, sample: Sample
) -> Iterator[Check]:
    yield _checksums(snapshot, game, record)
    row = snapshot.game(game.text)
    yield check_equal("the row of the game is that of its text", 1, row, game_record(game))
    try:
        yield from job.checks(snapshot, game, record.limit, sample)
        if sample.whole:
            yield _computed_again(snapshot, game, job, record)
    except (CorruptTableError, ResourceLimitError, ValueError) as error:
        # Damaged tables and limits may not fit into arrays, either.
        yield Check("the tables fit together", record.rows, str(error) or repr(error))


def _computed_again(snapshot: Snapshot, game: GameSpec, job: Job, record: Build) -> Check:
    """Check that computing the tables again gives columns with the recorded checksums."""
    written = {name: tables.result_tables()[name] for name in job.tables}
    digests = {
        name: TableDigest(name, tables.arrow_schema(table)) for name, table in written.items()
    }
    with TemporaryDirectory() as scratch:
        for block in job.blocks(game, record.limit, Reporter(lambda _: None, Path(scratch))):
            for name, columns in block.items():
                digests[name].update(rows_for(written[name], columns))
    again = {column for digest in digests.values() for column in digest.records()}
    differing = (
        f"{column.table_name}.{column.column_name} differs"
        for column in snapshot.checksums(game.text, job.kind)
        if column not in again and (column.table_name, column.column_name) != _DEFLATED
    )
    return check("computing the tables again gives the same", record.rows, differing)


def _checksums(snapshot: Snapshot, game: GameSpec, record: Build) -> Check:
    name = "rows and checksums are those recorded by the build"
    try:
        found = snapshot.verify(game.text, record.kind)
    except CorruptTableError as error:
        return Check(name, record.rows, str(error))
    rows = max(column.rows for column in snapshot.checksums(game.text, record.kind))
    return check_equal(name, record.rows, (rows, found), (record.rows, record.checksum))


def _record(snapshot: Snapshot, game: GameSpec, kind: str) -> Build:
    for record in snapshot.builds():
        if (record.game, record.kind) == (game.text, kind):
            return record
    snapshot.game(game.text)
    raise UnknownGameError(f"{snapshot.path.name} has no {kind} of {game.text}")
