"""Running a plan: solve, write, check, publish."""

import json
import platform
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import Final

from engine.jobs.plan import BuildPlan, game_record
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, stopped_by
from schema.errors import BuildInterruptedError
from schema.provenance import BuildRecord
from schema.snapshot import Store, begin_draft, utc_now

_RECORDED_PACKAGES: Final = ("numpy", "numba", "duckdb")


def run_build(
    plan: BuildPlan,
    place: Store | Path | str | None = None,
    *,
    progress: ProgressCallback | None = None,
    stop: StopFlag | None = None,
) -> BuildRecord:
    """Compute the results of a plan, and publish them with those of all other games.

    Until the new file is complete and checked, the current one stays as it is; if the job fails,
    is stopped or killed, nothing changes.

    Args:
        plan: what to compute.
        place: the store; the default one if none is named.
        progress: called a few times a second, perhaps from another thread.
        stop: looked at several times a second; when it is set, the job ends.

    Returns:
        The provenance stored with the results.

    Raises:
        ResourceLimitError: it would not fit; refused before any work.
        BuildInterruptedError: stopped by `stop` or by Ctrl-C; nothing was published.
        BuildError: another build is writing to the store, or the solver gave up.
        TableFileError: the current file cannot be carried over, or what was written is damaged.
    """
    store = Store.at(place)
    report = progress or _ignore
    flag = stop or threading.Event()
    plan.check_resources(store)
    try:
        return _run(plan, store, report, flag)
    except KeyboardInterrupt:
        raise BuildInterruptedError(
            f"the build of {plan.text} was stopped; the tables published before are as they were"
        ) from None


def _run(plan: BuildPlan, store: Store, report: ProgressCallback, stop: StopFlag) -> BuildRecord:
    builder = plan.builder
    started_at, begun = utc_now(), time.monotonic()
    with begin_draft(store, purpose=f"a build of {plan.text}") as draft:
        writer = draft.replace(game_record(plan.game), plan.kind, builder.table_names)
        with stopped_by(stop):
            builder.run(plan.game, plan.limit, writer, report, stop)
        record = writer.finish(
            limit=plan.limit,
            started_at=started_at,
            seconds=time.monotonic() - begun,
            environment=environment_text(),
        )
        report(Progress("check", 0, record.rows, record.rows))
        if stop.is_set():
            raise BuildInterruptedError(f"the build of {plan.text} was stopped")
        draft.publish()
        report(Progress("check", record.rows, record.rows, record.rows, 0.0))
    return record


def environment_text() -> str:
    """Versions of Python, the libraries that compute and store, and the platform, as JSON."""
    versions = {name: version(name) for name in _RECORDED_PACKAGES}
    return json.dumps(
        {"python": platform.python_version(), **versions, "platform": platform.platform()}
    )


def _ignore(_: Progress) -> None:
    pass
