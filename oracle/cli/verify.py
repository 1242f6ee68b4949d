"""`oracle verify`: checks of stored tables against the rules of the games."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Seed, whole_number

if TYPE_CHECKING:
    from position_oracle.engine.jobs.report import Check

MAX_SAMPLE: Final = 1_000_000  # as in `engine.jobs.report`, which help need not import


def run(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="Games to check; all of the store if none."),
    ] = None,
    db: Db = DEFAULT_DB,
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            parser=whole_number(1, MAX_SAMPLE),
            metavar="INTEGER",
            help="Positions to draw for each check; a million take some minutes.",
        ),
    ] = 10_000,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Check more positions, and compute the tables again."),
    ] = False,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Check that no P-position reaches another, and that N-positions reach one.

    The arrays that answer are compared with their digests.

    Exit code: 0 if everything holds, 1 if not, 2 if a game has no tables.
    """
    from position_oracle.engine.amounts import duration_text
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.engine.jobs.report import Sample
    from position_oracle.engine.jobs.verify import verify_build
    from position_oracle.oracle.loading import is_sound
    from position_oracle.schema.snapshot import Snapshot
    from position_oracle.schema.store import current_file

    wanted = {parse_game(game).text for game in games or []}
    are_sound = is_sound(current_file(db))
    if not as_json:
        typer.echo(f"  {_mark(are_sound)} mapped arrays{'' if are_sound else ': damaged'}")
    how = Sample(None if everything else sample, seed)
    holds = are_sound
    with Snapshot.open(db) as snapshot:
        snapshot.check_builds()
        for name in wanted:
            snapshot.game(name)
        for build in snapshot.builds():
            if wanted and build.game not in wanted:
                continue
            if as_json:
                report = verify_build(snapshot, build.game, build.kind, sample=how)
                checks = [asdict(check) | {"passed": check.passed} for check in report.checks]
                said = asdict(report) | {"checks": checks, "passed": report.passed}
                typer.echo(json.dumps(said))
            else:
                typer.echo(f"{build.game} {build.kind} up to {build.limit}")
                if everything:
                    typer.echo(f"  is computed again, which took {duration_text(build.seconds)}")
                report = verify_build(
                    snapshot, build.game, build.kind, sample=how, observer=_print_check
                )
            holds = holds and report.passed
    return ExitCode.ANSWERED if holds else ExitCode.FAILED


def _print_check(check: "Check") -> None:
    """Print a check as soon as it is done; checks of large tables take minutes."""
    typer.echo(f"  {_mark(check.passed)} {check.name} ({check.count:,}) {check.detail}".rstrip())


def _mark(holds: bool) -> str:
    return "ok  " if holds else "FAIL"
