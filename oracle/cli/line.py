"""`oracle line`: the best line of a game, if the winner hurries and the loser delays."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server, whole_number

if TYPE_CHECKING:
    from position_oracle.schema.lines import BestLine

MAX_PLIES: Final = 10_000  # as in `schema.lines`, which help need not import

_ENDS: Final = {"P": "wins", "N": "loses"}


def run(
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="The position to begin with.")
    ],
    plies: Annotated[
        int,
        typer.Option(
            "--plies",
            parser=whole_number(1, MAX_PLIES),
            metavar="INTEGER",
            help="Largest number of moves.",
        ),
    ] = 100,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Show the best line: every move of a game in which nobody errs.

    The winner wins as soon as possible, the loser loses as late as possible. From one position to
    the next the remoteness falls by one, and no move does better, which proves the length of the
    line.
    """
    with answerer(db, server) as oracle:
        line = oracle.best_line(position, plies)
    if as_json:
        typer.echo(json.dumps(line.as_json()))
    else:
        from position_oracle.oracle.cli.terminal import fitted

        typer.echo(fitted("\n".join(_lines(line))))
    return ExitCode.ANSWERED if line.complete or line.plies else ExitCode.UNKNOWN


def _lines(line: "BestLine[Any]") -> Iterator[str]:
    from position_oracle.oracle.cli.render_moves import plies_text

    answer = line.answer
    yield str(answer.position)
    winner = {"P": "the player to move loses", "N": "the player to move wins"}
    said = winner.get(answer.outcome.name)
    yield f"  outcome    {answer.outcome.name}: {said}" if said else "  outcome    unknown"
    yield f"  known by   {answer.certainty}: {answer.reason}"
    if line.remoteness is not None:
        yield f"  remoteness {plies_text(line.remoteness)} to the end"
    extent = "to the end" if line.complete else "not to the end"
    yield f"  line       {plies_text(len(line.plies))}, {extent}: {line.reason}"
    width = len(str(len(line.plies)))
    words = [str(ply.action or ply.move) for ply in line.plies]
    widest = max(map(len, words), default=0)
    for number, (ply, said) in enumerate(zip(line.plies, words, strict=True), start=1):
        left = ply.values.remoteness
        after = "" if left is None else f", {plies_text(left)} left"
        verdict = _ENDS.get(ply.outcome.name, "?")
        yield f"    {number:>{width}}. {said:<{widest}}  {ply.move.child}  {verdict}{after}"
