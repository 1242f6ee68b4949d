"""`oracle geometry`: the shape of the loser sheets of a game, as it was measured."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server

if TYPE_CHECKING:
    from position_oracle.schema.geometry import Geometry, Shape


def run(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game with loser sheets, e.g. chomp3.")
    ] = "chomp3",
    every: Annotated[
        bool, typer.Option("--all", help="All ranges of x, not only the last one.")
    ] = False,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Show slopes, densities, tails and scatter, measured and in theory."""
    shapes = _geometry(game, db, server).shapes
    for shape in shapes if every else shapes[-1:]:
        _show(shape, as_json=as_json)
    return ExitCode.ANSWERED


def _geometry(game: str, db: Path, server: str | None) -> "Geometry":
    from position_oracle.engine.games.game_text import parse_game

    spec = parse_game(game)
    if server is not None:
        from position_oracle.oracle.cli.remote import remote_client

        with remote_client(server) as client:
            return client.geometry(game)
    from position_oracle.oracle.cli.local import open_oracle

    return open_oracle(db).geometry(spec)


def _show(shape: "Shape", *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(shape.as_json()))
        return
    typer.echo(f"{shape.game}: sheets {shape.first_x} to {shape.last_x} ({shape.source})")
    for one in shape.measures:
        line = f"  {one.quantity:22}{one.value:12.7f}"
        if one.standard_error is not None:
            line += f"  error {one.standard_error:.1e}"
        if one.deviation is not None:
            line += f"  theory {one.expected:.7f}, off by {one.deviation:+.1e}"
        typer.echo(line)
