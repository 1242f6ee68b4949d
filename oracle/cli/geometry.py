"""`oracle geometry`: the shape of the loser sheets of three-row Chomp, as stored tables have it."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json
from schema.errors import UnknownAnswerError

if TYPE_CHECKING:
    from schema.shapes import Shape


def run(
    game: Annotated[str, typer.Argument(help="A game of three-row Chomp.")] = "chomp3",
    every: Annotated[
        bool, typer.Option("--all", help="All ranges of x, not only the last one.")
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> int:
    """Show slopes, densities, tails and scatter, measured and in theory."""
    from engine.games.game_text import parse_game
    from schema.shapes import read_shapes
    from schema.snapshot import Snapshot

    name = parse_game(game).text
    with Snapshot.open(db) as snapshot:
        shapes = read_shapes(snapshot, name)
    if not shapes:
        raise UnknownAnswerError(
            f"no shape of {name} is stored; oracle build {json.dumps(name)} --replace measures it"
        )
    for shape in shapes if every else shapes[-1:]:
        _show(shape, as_json=as_json)
    return ExitCode.ANSWERED


def _show(shape: "Shape", *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(shape.as_json()))
        return
    typer.echo(f"{shape.game}: sheets {shape.first_x} to {shape.last_x} ({shape.source})")
    for one in shape.measures:
        line = f"  {one.quantity:17}{one.value:14.7f}"
        if one.standard_error is not None:
            line += f"  error {one.standard_error:.1e}"
        if one.deviation is not None:
            line += f"  theory {one.expected:.7f}, off by {one.deviation:+.1e}"
        typer.echo(line)
