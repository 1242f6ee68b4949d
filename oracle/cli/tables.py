"""`oracle tables`: what a store holds and where it comes from."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json

Upgrade = Annotated[
    bool,
    typer.Option(
        "--upgrade",
        help="Bring a file of an older program to the format of this one first; the old file stays"
        " until two newer ones are there.",
    ),
]

Describe = Annotated[
    bool,
    typer.Option(
        "--describe",
        help="Print all tables, views and macros of a table file, with the type and meaning of"
        " each column; no store is needed.",
    ),
]


def run(
    db: Db = DEFAULT_DB, as_json: Json = False, upgrade: Upgrade = False, describe: Describe = False
) -> int:
    """List the tables of a store: games, limits, rows, and the builds they come from."""
    if describe:
        return _describe(as_json)
    from position_oracle.schema.snapshot import Snapshot
    from position_oracle.schema.snapshot import upgrade as upgrade_store

    if upgrade:
        upgrade_store(db)
    with Snapshot.open(db) as snapshot:
        builds = snapshot.builds()
    if as_json:
        for build in builds:
            values = {**asdict(build), "started_at": build.started_at.isoformat()}
            typer.echo(json.dumps(values))
        return ExitCode.ANSWERED
    size = snapshot.path.stat().st_size
    typer.echo(
        f"{snapshot.path}: format {snapshot.info.format_version}, {size / 1e6:.1f} MB,"
        f" written by {snapshot.info.program}"
    )
    for build in builds:
        typer.echo(
            f"  {build.game:32} {build.kind:10} up to {build.limit:>8}  {build.rows:>13,} rows"
            f"  {build.started_at:%Y-%m-%d %H:%M} UTC, {build.seconds:.1f} s,"
            f" checksum {build.checksum}"
        )
    return ExitCode.ANSWERED


def _describe(as_json: bool) -> int:
    from position_oracle.schema.description import markdown, own

    if as_json:
        for each in own():
            typer.echo(json.dumps(asdict(each)))
    else:
        typer.echo(markdown(own()), nl=False)
    return ExitCode.ANSWERED
