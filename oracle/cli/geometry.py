"""`oracle geometry`: the measured shape of the loser sheets of a game."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server

if TYPE_CHECKING:
    from position_oracle.schema.geometry import Shape


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
    with answerer(db, server) as oracle:
        shapes = oracle.geometry(game).shapes
    for shape in shapes if every else shapes[-1:]:
        _show(shape, as_json=as_json)
    return ExitCode.ANSWERED


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
