"""Running a plan: solve, write, check, publish."""

import json
import platform
import shutil
import time
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Final

from position_oracle.engine.budget import Budget, current
from position_oracle.engine.jobs.ahead import computed_ahead
from position_oracle.engine.jobs.plan import BuildPlan, game_record
from position_oracle.engine.jobs.progress import Progress, ProgressCallback, Reporter
from position_oracle.schema.errors import BuildInterruptedError, StoppedError
from position_oracle.schema.provenance import BuildRecord
from position_oracle.schema.snapshot import Store, begin_draft, utc_now

_RECORDED_PACKAGES: Final = ("numpy", "numba", "duckdb")


def run_build(
    plan: BuildPlan,
    place: Store | Path | str | None = None,
    *,
    progress: ProgressCallback | None = None,
    replace: bool = False,
    scheduler: str | None = None,
) -> BuildRecord:
    """Compute the results of a plan, and publish them with those of all other games.

    Until the new file is complete and checked, the current one stays as it is; if the job fails,
    is stopped or killed, nothing changes. The current budget is looked at several times a second,
    up to the moment of publication.

    Args:
        plan: what to compute.
        place: the store; the default one if none is named.
        progress: called a few times a second, perhaps from another thread.
        replace: whether tables that answer more may be replaced.
        scheduler: address of a Dask scheduler whose workers do the work, e.g.
            `tcp://192.0.2.7:8786`; None: this machine does.

    Returns:
        The provenance stored with the results.

    Raises:
        ResourceLimitError: it would not fit; refused before any work.
        BuildInterruptedError: the budget is spent, or Ctrl-C; nothing was published.
        NotationError: such work is not done by workers of a scheduler, or its address is none.
        BuildError: another build is writing to the store, the solver gave up, the scheduler does
            not answer or has no workers, or the published tables answer more.
        TableFileError: the current file cannot be carried over, or what was written is damaged.
    """
    store = Store.at(place)
    if scheduler is not None:
        plan.check_scheduler(scheduler)
    try:
        plan.check_resources(store)
        if not replace:
            plan.check_loses_nothing(store)
        with current().active() as budget:
            return _run(
                plan, store, progress or _ignore, budget, replace=replace, scheduler=scheduler
            )
    except (KeyboardInterrupt, StoppedError, BuildInterruptedError):
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
) -> BuildRecord:
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


def environment_text() -> str:
    """Versions of Python, the libraries that compute and store, and the platform, as JSON."""
    versions = {name: version(name) for name in _RECORDED_PACKAGES}
    return json.dumps(
        {"python": platform.python_version(), **versions, "platform": platform.platform()}
    )


def _ignore(_: Progress) -> None:
    pass
