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
from typing import Any

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.limits import numbers_of
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.resources import ResourceEstimate
from position_oracle.schema.errors import UnknownGameError
from position_oracle.schema.snapshot import Snapshot

Block = Mapping[str, Any]
"""Rows by the name of their table: Arrow tables, or arrays by column name."""

CheckFunction = Callable[[Snapshot, GameSpec, str, Sample], Iterator[Check]]


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
        read_limit: returns the canonical form of a limit for a game; raises NotationError if the
            text is not a limit, or if the game has no such results.
        estimate: returns rows, time, memory and disk of a build up to a canonical limit, fitted to
            runs on two cores; `make bench` compares them with measured ones.
        blocks: yields the rows in sorted order, block by block, in bounded memory; checks the
            current budget.
        checks: yields checks of stored results against the rules of the game; a full check also
            computes the tables again (`engine.jobs.verify`).
        games_needed: returns the games whose results together answer questions about a game, in
            build order. The last one decides its outcomes; earlier ones show whether a pass wins.
        covers: returns whether limit A covers limit B, that is, whether tables up to A answer every
            question that tables up to B answer.
        check_row_bytes: memory of the checks for each stored row, over all tables of the job.
        check_base_bytes: other memory of the checks.
        spreads: whether the workers of a scheduler can do the work; see `Reporter.scheduler`.
    """

    family: str
    kind: str
    tables: tuple[str, ...]
    usual_limit: Callable[[GameSpec], str]
    read_limit: Callable[[GameSpec, str], str]
    estimate: Callable[[GameSpec, str], ResourceEstimate]
    blocks: Callable[[GameSpec, str, Reporter], Iterator[Block]]
    checks: CheckFunction
    games_needed: Callable[[GameSpec], tuple[GameSpec, ...]] = only_itself
    covers: Callable[[str, str], bool] = covers_sides
    check_row_bytes: int = 300
    check_base_bytes: int = 400 << 20
    spreads: bool = False


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
