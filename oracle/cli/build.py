"""`oracle build`: compute the tables of a game and publish them."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Game, Json

if TYPE_CHECKING:
    from engine.jobs.plan import BuildPlan
    from engine.jobs.progress import Progress, ProgressCallback
    from schema.provenance import BuildRecord
    from schema.snapshot import Store


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
        typer.Option("--kind", help="What to compute, where a family has several kinds of tables."),
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Only say what it would take: rows, time, memory, disk."),
    ] = False,
    if_missing: Annotated[
        bool,
        typer.Option("--if-missing", help="Do nothing where the tables are there already."),
    ] = False,
    as_json: Json = False,
) -> int:
    """Compute the tables of GAME and publish them in place of the old ones.

    The new file is written beside the old and replaces it only when it is complete and checked;
    stopped or killed at any moment, a build changes nothing. For a game with passes, the tables
    without a pass and with one are built: two more passes change no P-position.
    """
    from engine.games.game_text import parse_game
    from engine.jobs.builders import usual_limit
    from engine.jobs.plan import BuildPlan
    from schema.snapshot import Store

    spec = parse_game(game)
    plans = BuildPlan.all_needed(spec, limit or usual_limit(spec, kind), kind)
    store = Store.at(db)
    if estimate:
        _print_estimates(plans, store, as_json=as_json)
        return ExitCode.ANSWERED
    plans = [plan for plan in plans[:-1] if not _is_there(plan, store)] + [
        plan for plan in plans[-1:] if not (if_missing and _is_there(plan, store))
    ]
    for plan in plans:
        plan.check_resources(store)
    for plan in plans:
        record = _build(plan, store, quiet=as_json)
        _print_record(record, store, as_json=as_json)
    if not plans and not as_json:
        typer.echo(f"{game}: the tables are there already")
    return ExitCode.ANSWERED


def _is_there(plan: "BuildPlan", store: "Store") -> bool:
    """Whether tables of this kind of the game are published, as far as the plan goes."""
    from schema.snapshot import Snapshot

    if store.current() is None:
        return False
    with Snapshot.open(store) as snapshot:
        builds = snapshot.builds()
    return any(
        (build.game, build.kind) == (plan.game.text, plan.kind)
        and _reaches(build.limit, plan.limit)
        for build in builds
    )


def _reaches(limit: str, wanted: str) -> bool:
    """Whether a limit such as `10000`, `13x13` or `13x13+25` covers all parts of another."""
    parts = [[int(number) for number in part.split("x")] for part in limit.split("+")]
    return all(
        any(len(part) == len(other) and all(map(int.__ge__, part, other)) for part in parts)
        for other in ([int(number) for number in part.split("x")] for part in wanted.split("+"))
    )


def _build(plan: "BuildPlan", store: "Store", *, quiet: bool) -> "BuildRecord":
    from engine.jobs.run import run_build

    stop = threading.Event()
    with _stopping_on_signals(stop), _progress_bar(plan, quiet=quiet) as report:
        return run_build(plan, store, progress=report, stop=stop)


@contextmanager
def _stopping_on_signals(stop: threading.Event) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the build cleanly."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
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

    from engine.jobs.resources import duration_text

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

    for plan in plans:
        needs = plan.estimate()
        if as_json:
            typer.echo(json.dumps({"game": plan.game.text, "limit": plan.limit, **asdict(needs)}))
        else:
            typer.echo(f"{plan.text}: {needs}")
        if not as_json:
            plan.check_resources(store)


def _print_record(record: "BuildRecord", store: "Store", *, as_json: bool) -> None:
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
