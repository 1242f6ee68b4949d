"""Jobs as data: how the results of one kind of one family are computed and checked.

A family's jobs are the tuple `JOBS` of the module or folder `engine.jobs.<family>`, imported at its
first use; the first job is the usual one of the family. To add a kind, add a `Job` there. Families
share the jobs of `heap_sheets`, `values` and `position_values`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.limits import numbers_of
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.resources import ResourceEstimate
from position_oracle.schema.errors import UnknownGameError
from position_oracle.schema.snapshot import Snapshot

EMPTY_FILE_BYTES: Final = 3 << 20
"""Size in bytes of a table file without results."""

Block = Mapping[str, Any]
"""Rows by the name of their table: Arrow tables, or arrays by column name."""

CheckFunction = Callable[[Snapshot, GameSpec, str, Sample], Iterator[Check]]


@dataclass(frozen=True, slots=True)
class Work:
    """Amount of work of a build.

    Attributes:
        rows: rows that are stored.
        steps: steps of the solver.
        memory_bytes: peak memory of solver, results and blocks.
        disk_bytes: size of the results on disk.
    """

    rows: int
    steps: float
    memory_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class CostModel:
    """Cost of work on two cores, fitted to runs; `make bench` compares it with measured times.

    Attributes:
        start_seconds: time that every build takes, whatever its size.
        step_nanoseconds: time of one step of the solver.
        row_nanoseconds: time to write and check one row.
        base_bytes: memory of the libraries, of kernels and of writing.
        check_row_bytes: memory of the checks for each stored row, over all tables of the job.
        check_base_bytes: other memory of the checks.
    """

    start_seconds: float
    step_nanoseconds: float
    row_nanoseconds: float
    base_bytes: int
    check_row_bytes: int = 300
    check_base_bytes: int = 400 << 20

    def estimate(self, work: Work) -> ResourceEstimate:
        """Return the cost of an amount of work."""
        nanoseconds = work.steps * self.step_nanoseconds + work.rows * self.row_nanoseconds
        return ResourceEstimate(
            rows=work.rows,
            seconds=self.start_seconds + nanoseconds * 1e-9,
            memory_bytes=self.base_bytes + work.memory_bytes,
            disk_bytes=EMPTY_FILE_BYTES + work.disk_bytes,
        )

    def checking_bytes(self, rows: int) -> int:
        """Return an upper bound of the memory for checking a sample of some stored rows."""
        return self.check_base_bytes + rows * self.check_row_bytes


def only_itself(game: GameSpec) -> tuple[GameSpec, ...]:
    """Return the game itself as the only game needed."""
    return (game,)


def always(limit: str) -> Callable[[GameSpec], str]:
    """Return a function that gives the same usual limit for every game."""
    return lambda _: limit


def covers_sides(limit: str, other: str) -> bool:
    """Return whether each number of a limit, joined by `x`, is at least that of another limit."""
    sides, others = numbers_of(limit), numbers_of(other)
    return len(sides) == len(others) and all(map(int.__ge__, sides, others))


@dataclass(frozen=True, slots=True)
class Job:
    """A job: it computes, stores and checks one kind of results of one family.

    Attributes:
        family: the family, e.g. `chomp3`.
        kind: the kind of results, e.g. `sheets`.
        tables: names of the result tables written.
        usual_limit: returns the default limit for a game: about a minute on a machine with two
            cores and 2 GB of memory.
        cost: the cost model of the work.
        read_limit: returns the canonical form of a limit for a game; raises NotationError if the
            text is not a limit, or if the game has no such results.
        work: returns the work of a build up to a canonical limit.
        blocks: yields the rows in sorted order, block by block, in bounded memory; checks the
            current budget.
        checks: yields checks of stored results against the rules of the game and published facts; a
            full check also computes the tables again (`engine.jobs.verify`).
        games_needed: returns the games whose results together answer questions about a game, in
            build order. The last one decides its outcomes; earlier ones show whether a pass wins.
        covers: returns whether limit A covers limit B, that is, whether tables up to A answer every
            question that tables up to B answer.
        spreads: whether the workers of a scheduler can do the work; see `Reporter.scheduler`.
    """

    family: str
    kind: str
    tables: tuple[str, ...]
    usual_limit: Callable[[GameSpec], str]
    cost: CostModel
    read_limit: Callable[[GameSpec, str], str]
    work: Callable[[GameSpec, str], Work]
    blocks: Callable[[GameSpec, str, Reporter], Iterator[Block]]
    checks: CheckFunction
    games_needed: Callable[[GameSpec], tuple[GameSpec, ...]] = only_itself
    covers: Callable[[str, str], bool] = covers_sides
    spreads: bool = False

    def estimate(self, game: GameSpec, limit: str) -> ResourceEstimate:
        """Return rows, time, memory and disk of a build up to a canonical limit."""
        return self.cost.estimate(self.work(game, limit))


def lazily(module: str, name: str) -> CheckFunction:
    """Return a function that imports a module at its first call and yields the module's checks."""

    def checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
        found: CheckFunction = getattr(import_module(module), name)
        return found(snapshot, game, limit, sample)

    return checks


@cache
def jobs_of(family: str) -> tuple[Job, ...]:
    """Return the jobs of a family, the usual one first; none if the family stores nothing."""
    from position_oracle.engine.jobs.heap_sheets import sheet_jobs
    from position_oracle.engine.jobs.position_values import position_value_jobs
    from position_oracle.engine.jobs.values import value_jobs

    name = f"position_oracle.engine.jobs.{family}"
    own: tuple[Job, ...] = import_module(name).JOBS if find_spec(name) else ()
    return (*own, *sheet_jobs(family), *value_jobs(family), *position_value_jobs(family))


def job_for(game: GameSpec, kind: str | None = None) -> Job:
    """Return the job for a game and kind of results; the usual kind if none is named.

    Raises:
        UnknownGameError: the family has no tables, or none of this kind.
    """
    jobs = jobs_of(game.family)
    for job in jobs:
        if kind in {None, job.kind}:
            return job
    if not jobs:
        raise UnknownGameError(f"{game.text}: there are no tables of this game")
    kinds = ", ".join(job.kind for job in jobs)
    raise UnknownGameError(f"{game.text}: no tables of kind {kind}; there are: {kinds}")
