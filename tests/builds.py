"""Stores for tests: several builds written into one file at once."""

from collections.abc import Iterable
from pathlib import Path

from position_oracle.engine.jobs.plan import BuildPlan, game_record
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.run import environment_text
from position_oracle.schema.snapshot import Store, begin_draft, utc_now


def build_all(builds: Iterable[tuple[str, object, str | None]], place: Path) -> None:
    """Publish the tables that `run_build` would make for each build, in a fraction of the time.

    Args:
        builds: game, limit and kind of each.
        place: the store. Its earlier tables stay.
    """
    store = Store.at(place)
    with begin_draft(store) as draft:
        for game, limit, kind in builds:
            plan = BuildPlan.of(game, str(limit), kind)
            writer = draft.replace(game_record(plan.game), plan.kind, plan.job.tables)
            scratch = store.scratch(f"{plan.game.family}-{plan.kind}", plan.limit)
            reporter = Reporter(lambda _: None, scratch, None)
            for block in plan.job.blocks(plan.game, plan.limit, reporter):
                for table, rows in block.items():
                    writer.append(table, rows)
            writer.finish(
                limit=plan.limit,
                started_at=utc_now(),
                seconds=0.1,
                environment=environment_text(),
            )
        draft.publish()
