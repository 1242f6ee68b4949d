"""`oracle export`: tables and views as Parquet or CSV, with a datasheet."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, whole_number


class Format(StrEnum):
    """The formats of `schema.export.Format`, repeated here so that help imports less."""

    PARQUET = "parquet"
    CSV = "csv"


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder to write; it must not exist yet.")
    ],
    form: Annotated[Format, typer.Option("--format", help="Format of the files.")] = Format.PARQUET,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="A table or view; may be repeated. The default is all that have rows.",
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="A game; may be repeated. The default is all."),
    ] = None,
    most_rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            metavar="N",
            parser=whole_number(10_000),
            help="Make a folder for each table, of files with at most N rows.",
        ),
    ] = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> int:
    """Write stored tables and views as Parquet or CSV, with a datasheet.

    datasheet.json and DATASHEET.md say what each column means, how and when it was computed, and
    the checksums of the files.
    """
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.schema import export as exports
    from position_oracle.schema.snapshot import Snapshot

    games = [parse_game(text).text for text in game or ()]
    with Snapshot.open(db) as snapshot:
        files = exports.export(
            snapshot, folder, exports.Format(form.value), tuple(table or ()), games, most_rows
        )
    for each in files:
        if as_json:
            typer.echo(json.dumps(each.as_json()))
        else:
            typer.echo(f"  {each.name:28} {each.rows:>13,} rows  {each.size / 1e6:>9.2f} MB")
    if not as_json:
        typer.echo(f"{folder} has {len(files)} files and their datasheet")
    return ExitCode.ANSWERED
