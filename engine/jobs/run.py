"""Runs a build plan: solve, write, check, publish."""

import json
import platform
import shutil
import time
from contextlib import closing
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from position_oracle.engine.budget import Budget, current
from position_oracle.engine.jobs.ahead import computed_ahead
from position_oracle.engine.jobs.plan import BuildPlan, check_plans, game_record
from position_oracle.engine.jobs.progress import Progress, ProgressCallback, Reporter
from position_oracle.schema.errors import BuildInterruptedError, StoppedError
from position_oracle.schema.games import Build
from position_oracle.schema.snapshot import Store, begin_draft, utc_now

_RECORDED_PACKAGES: Final = ("numpy", "numba", "duckdb")


def run_build(
    plan: BuildPlan,
    place: Store | Path | str | None = None,
    *,
    progress: ProgressCallback | None = None,
    replace: bool = False,
    scheduler: str | None = None,
) -> Build:
    """Compute the results of a plan, and publish them together with those of all other games.

    The current file stays unchanged until the new one is complete and checked. If the job fails, is
    stopped or is killed, nothing changes. The job checks the current budget several times a second
    until publication.

    Args:
        plan: the results to compute.
        place: the store; None for the default one.
        progress: callback, a few times a second, perhaps from another thread.
        replace: whether tables that answer more may be replaced.
        scheduler: address of a Dask scheduler whose workers do the work, e.g.
            `tcp://192.0.2.7:8786`; None for this machine.

    Returns:
        The provenance stored with the results.

    Raises:
        ResourceLimitError: the build needs too much memory or disk; raised before any work.
        BuildInterruptedError: the budget was spent, or Ctrl-C was pressed; nothing was published.
        NotationError: workers of a scheduler cannot do this work, or the address is not valid.
        BuildError: another build is writing to the store, the solver gave up, the scheduler does
            not answer or has no workers, or the published tables answer more.
        TableFileError: the current file cannot be carried over, or the new file is damaged.
    """
    store = Store.at(place)
    if scheduler is not None:
        plan.check_scheduler(scheduler)
    try:
        check_plans([plan], store)
        if not replace:
            plan.check_loses_nothing(store)
        with current().active() as budget:
            return _run(
                plan, store, progress or _ignore, budget, replace=replace, scheduler=scheduler
            )
    except (KeyboardInterrupt, StoppedError):
        raise BuildInterruptedError(
            f"the build of {plan.text} was stopped; the tables published before are as they were"
        ) from None


def _run(
    plan: BuildPlan,
    store: Store,
    progress: ProgressCallback,
    budget: Budget,
    *,
    replace: bool,
    scheduler: str | None,
) -> Build:
    job = plan.job
    started_at, begun = utc_now(), time.monotonic()
    with begin_draft(store, purpose=f"a build of {plan.text}") as draft:
        if not replace:
            # Another build may have been published before this one held the lock.
            plan.check_loses_nothing(store)
        writer = draft.replace(game_record(plan.game), plan.kind, job.tables)
        scratch = store.scratch(f"{plan.game.family}-{plan.kind}", plan.limit)
        reporter = Reporter(progress, scratch, scheduler)
        with closing(computed_ahead(lambda: job.blocks(plan.game, plan.limit, reporter))) as blocks:
            for block in blocks:
                for table_name, rows in block.items():
                    writer.append(table_name, rows)
        record = writer.finish(
            limit=plan.limit,
            started_at=started_at,
            seconds=time.monotonic() - begun,
            environment=environment_text(),
        )
        progress(Progress("check", 0, record.rows, record.rows))
        draft.publish(budget.check)
        shutil.rmtree(scratch, ignore_errors=True)
        progress(Progress("check", record.rows, record.rows, record.rows, 0.0))
    return record


@cache
def environment_text() -> str:
    """Return versions of Python, the computing and storing libraries, and the platform, as JSON."""
    versions = {name: version(name) for name in _RECORDED_PACKAGES}
    return json.dumps(
        {"python": platform.python_version(), **versions, "platform": platform.platform()}
    )


def _ignore(_: Progress) -> None:
    pass
