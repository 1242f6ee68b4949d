"""`oracle estimate`: estimated P-positions and openings of three-row Chomp beyond every table."""

import json
import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server, whole_number
from position_oracle.schema.errors import NotationError

if TYPE_CHECKING:
    from position_oracle.schema.estimates import Estimates

_PAIR: Final = re.compile(r"([0-9]{1,19}),([0-9]{1,19})")


def run(
    opening: Annotated[
        int | None,
        typer.Option(
            "--opening",
            parser=whole_number(2, 1 << 60),
            metavar="N",
            help="The winning bites of the 3 x N rectangle.",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option("--column", metavar="X,Y", help="The P-position [X, Y, z], for any z."),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option("--rows", metavar="B,C", help="The same by row lengths: f(B, C)."),
    ] = None,
    most: Annotated[
        int,
        typer.Option(
            parser=whole_number(1, 64), metavar="INTEGER", help="Number of candidates to list."
        ),
    ] = 8,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Estimate P-positions and openings beyond the tables (never exact)."""
    if [opening, column, rows].count(None) != 2:
        raise NotationError("give one of --opening N, --column X,Y and --rows B,C")
    pair = None if opening is not None else _read_column(column, rows)
    with answerer(db, server) as oracle:
        if opening is not None:
            found = oracle.estimate_opening(opening, most=most)
        elif pair is not None:
            found = oracle.estimate_column(*pair, most=most)
    _show(found, as_json=as_json)
    return ExitCode.ANSWERED


def _read_column(column: str | None, rows: str | None) -> tuple[int, int]:
    match = _PAIR.fullmatch(column or rows or "")
    if match is None:
        raise NotationError(f"{(column or rows or '')[:40]!r}: write two whole numbers, as 500,200")
    first, second = int(match[1]), int(match[2])
    if rows is None:
        return first, second
    if first < second:
        raise NotationError(f"rows {first}, {second}: b may not be less than c")
    return second, first - second


def _show(found: "Estimates", *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found.as_json()))
        return
    for one in found.candidates:
        typer.echo(f"  {one.chance:8.5f}  {one.position or 'no P-position in this column'}")
    typer.echo(f"  {found.rest:8.5f}  something else")
    good = found.calibration
    typer.echo(
        f"Not exact. Learned from {good.learned_from}; judged on {good.judged_on}:"
        f" {good.bits:.3f} bits ({good.base_bits:.3f} without phases), calibration error"
        f" {good.calibration_error:.4f}"
    )
    if found.is_known:
        typer.echo("The available tables decide this: use oracle ask or oracle sheet.")
