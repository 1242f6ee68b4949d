"""`oracle solve`: the values of every node of a finite game that is given as a graph."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from position_oracle.oracle.cli.options import ExitCode, Json

if TYPE_CHECKING:
    from position_oracle.oracle.given import NodeFacts

MAX_FRACTION: Final = 24
"""Maximum number of characters of a fraction that is shown."""

HEADINGS: Final = ("node", "outcome", "Grundy", "plies", "random", "perfect-vs-random", "wins by")


def run(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help='JSON, {"moves": {"a": ["b"], "b": []}}, or lines such as a: b, c; see'
            " docs/own-game.md.",
        ),
    ],
    as_json: Json = False,
) -> int:
    """Solve a finite game that is given as a graph: its nodes, and the moves between them.

    Of every node the outcome, the moves that win, the Grundy value, the length of the game, and the
    chances against a player who moves at random.
    """
    from position_oracle.engine.games.given import MAX_BYTES, read_given
    from position_oracle.oracle.given import solve
    from position_oracle.schema.errors import PositionOracleError
    from position_oracle.schema.files import read_text

    text = read_text(file, MAX_BYTES)
    try:
        facts = solve(read_given(text))
        if as_json:
            for each in facts:
                typer.echo(json.dumps(each.as_json()))
        else:
            _print_table(list(facts))
    except PositionOracleError as error:
        raise type(error)(f"{file}: {error}") from None
    return ExitCode.ANSWERED


def _print_table(facts: "list[NodeFacts]") -> None:
    rows = [HEADINGS, *map(_row, facts)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS) - 1)]
    for row in rows:
        typer.echo(_line(row, widths))


def _line(row: tuple[str, ...], widths: Iterable[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
    return "  ".join([*cells, row[-1]]).rstrip()


def _row(facts: "NodeFacts") -> tuple[str, ...]:
    exact = "" if facts.exact is None else str(facts.exact)
    return (
        facts.name,
        facts.outcome.name,
        "" if facts.grundy is None else str(facts.grundy),
        str(facts.remoteness),
        exact if exact and len(exact) <= MAX_FRACTION else f"{facts.random:.10g}",
        f"{facts.perfect:.10g}",
        ", ".join(facts.winning_moves),
    )
