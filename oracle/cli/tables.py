"""`oracle tables`: the contents of a store and their origin."""

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

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="Address of a folder: s3://, gs://, az://, https:// or file:///; see"
        " docs/operation.md.",
    ),
]

Sha256 = Annotated[
    str | None,
    typer.Option("--sha256", help="SHA-256 of the file to pull; the default is the current one."),
]

app = typer.Typer(name="tables", invoke_without_command=True, rich_markup_mode=None)


@app.callback()
def run(
    context: typer.Context,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
    upgrade: Upgrade = False,
    describe: Describe = False,
) -> int:
    """List the tables of a store: games, limits, rows, and the builds they come from."""
    if (command := context.invoked_subcommand) is not None:
        if any((db != DEFAULT_DB, as_json, upgrade, describe)):
            raise typer.BadParameter(
                f"write options after the command: oracle tables {command} ..."
            )
        return ExitCode.ANSWERED
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


@app.command()
def push(url: Url, db: Db = DEFAULT_DB) -> int:
    """Put the current table file at an address, for `oracle tables pull`; prints its SHA-256."""
    from position_oracle.oracle.shipping import push

    typer.echo(push(db, url))
    return ExitCode.ANSWERED


@app.command()
def pull(url: Url, db: Db = DEFAULT_DB, sha256: Sha256 = None) -> int:
    """Pull a table file from an address, compare its SHA-256, and publish it in the store."""
    from position_oracle.oracle.loading import arrange
    from position_oracle.oracle.shipping import pull

    pulled = pull(db, url, sha256)
    arrange(db)  # before anybody asks
    typer.echo(f"{pulled.path}: {pulled.digest}{'' if pulled.is_new else ', which was there'}")
    return ExitCode.ANSWERED


@app.command()
def rollback(db: Db = DEFAULT_DB) -> int:
    """Publish the table file before the current one again; running services load it."""
    from position_oracle.schema.store import Store

    store = Store.at(db)
    with store.locked("a rollback"):
        typer.echo(store.roll_back())
    return ExitCode.ANSWERED


def _describe(as_json: bool) -> int:
    from position_oracle.schema.description import markdown, own

    if as_json:
        for each in own():
            typer.echo(json.dumps(asdict(each)))
    else:
        typer.echo(markdown(own()), nl=False)
    return ExitCode.ANSWERED
