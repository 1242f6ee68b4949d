"""`oracle build`: compute the tables of a game and publish them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Game, Json

if TYPE_CHECKING:
    from position_oracle.engine.budget import Budget
    from position_oracle.engine.jobs.plan import BuildPlan
    from position_oracle.engine.jobs.progress import Progress, ProgressCallback
    from position_oracle.schema.games import Build
    from position_oracle.schema.snapshot import Store


def run(
    game: Game,
    limit: Annotated[
        str | None,
        typer.Option(
            "--limit",
            "-n",
            envvar="ORACLE_LIMIT",
            help="How far: for three-row Chomp the largest x (all y and z are then answered);"
            " with noise also the largest y, e.g. 1000x2000. For three heaps the largest x and y."
            " For transfinite the largest coefficients, e.g. 2x3x2; for its frontier the largest"
            " a.",
            show_default="10000; 2x3x2 for transfinite, 400 for its frontier",
        ),
    ] = None,
    db: Db = DEFAULT_DB,
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="The kind of tables, if a family has several."),
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Print the rows, time, memory and disk of the build; do nothing."
        ),
    ] = False,
    if_missing: Annotated[
        bool,
        typer.Option("--if-missing", help="Do nothing if tables at least as large are stored."),
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace stored tables even if they are larger."),
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="tcp://HOST:PORT",
            help="Let the workers of this Dask scheduler do the work (kind sensitivity of chomp3).",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Compute the tables of GAME and publish them in place of the old ones.

    The new file is written beside the old and replaces it only when it is complete and checked;
    stopped or killed at any moment, a build changes nothing. For a game with passes, the tables
    without a pass and with one are built: two more passes change no P-position.
    """
    from position_oracle.engine.jobs.plan import BuildPlan, check_plans
    from position_oracle.oracle.loading import arrange
    from position_oracle.schema.snapshot import Store

    store = Store.at(db)
    needed = BuildPlan.all_needed(game, limit or None, kind)
    plans = [plan for plan in needed[:-1] if not plan.is_there(store)] + [
        plan for plan in needed[-1:] if not (if_missing and plan.is_there(store))
    ]
    if not plans and not as_json:
        typer.echo(f"{game}: the tables are already there")
    if scheduler is not None:
        needed[-1].check_scheduler(scheduler)
    if estimate:
        _print_estimates(plans, store, as_json=as_json)
        return ExitCode.ANSWERED
    check_plans(plans, store)
    if not replace:
        for plan in plans:
            plan.check_loses_nothing(store)
    with store.locked("to build"):  # an impossible build is reported before the progress bar
        pass
    for plan in plans:
        record = _build(plan, store, replace=replace, quiet=as_json, scheduler=scheduler)
        _print_record(record, store, as_json=as_json)
    arrange(db)  # for all callers, unless done before
    return ExitCode.ANSWERED


def _build(
    plan: "BuildPlan", store: "Store", *, replace: bool, quiet: bool, scheduler: str | None
) -> "Build":
    from position_oracle.engine.budget import Budget
    from position_oracle.engine.jobs.run import run_build

    with (
        Budget().active() as budget,
        _stopping_on_signals(budget),
        _progress_bar(plan, quiet=quiet) as report,
    ):
        return run_build(plan, store, progress=report, replace=replace, scheduler=scheduler)


@contextmanager
def _stopping_on_signals(budget: "Budget") -> Iterator[None]:
    """End the build cleanly on Ctrl-C and SIGTERM."""

    def stop(*_: object) -> None:
        # Not `cancel`, which takes a lock that the interrupted code may hold.
        budget.flag[0] = 1

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _progress_bar(plan: "BuildPlan", *, quiet: bool) -> "Iterator[ProgressCallback | None]":
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from position_oracle.engine.amounts import duration_text

    if quiet:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}  {task.fields[found]:,} P-positions"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(f"{plan.game.text} start", total=None, found=0, left="")

        def report(state: "Progress") -> None:
            left = state.seconds_left
            bar.update(
                task,
                description=f"{plan.game.text} {state.phase}",
                completed=state.done,
                total=state.total,
                found=state.p_positions,
                left="" if not left else f"{duration_text(left)} left",
            )

        yield report


def _print_estimates(plans: "list[BuildPlan]", store: "Store", *, as_json: bool) -> None:
    import json
    from dataclasses import asdict

    from position_oracle.engine.jobs.plan import check_plans, estimate_all

    for plan in plans:
        needs = plan.estimate()
        if as_json:
            typer.echo(json.dumps({"game": plan.game.text, "limit": plan.limit, **asdict(needs)}))
        else:
            typer.echo(f"{plan.text}: {needs}")
    if as_json:
        return
    if len(plans) > 1:
        typer.echo(f"all together: {estimate_all(plans)}")
    check_plans(plans, store)


def _print_record(record: "Build", store: "Store", *, as_json: bool) -> None:
    import json
    from dataclasses import asdict

    file = store.require_current()
    if as_json:
        values = {**asdict(record), "started_at": record.started_at.isoformat(), "file": str(file)}
        typer.echo(json.dumps(values))
    else:
        typer.echo(
            f"{record.game} {record.kind} up to {record.limit}: {record.rows:,} rows in"
            f" {record.seconds:.1f} s, published as {file}"
        )
