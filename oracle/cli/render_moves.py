"""Analyses as text for a terminal: values of a position, and a table of its moves."""

from collections.abc import Iterator
from typing import Any

from position_oracle.oracle.cli.render import move_text, position_of
from position_oracle.schema.analyses import MAX_LISTED_MOVES, Analysis, AnalyzedMove
from position_oracle.schema.answers import Outcome, PositionValues

_RESULT = {Outcome.P: "wins", Outcome.N: "loses", Outcome.UNKNOWN: "?"}


def value_lines(values: PositionValues) -> Iterator[str]:
    """Yield lines with the Grundy value and the remoteness, if known."""
    if values.grundy is not None:
        one_more = values.grundy_unrestricted
        more = "" if one_more is None else f"; {one_more} with every bite allowed"
        yield f"  Grundy     {values.grundy}{more}"
    if values.remoteness is not None:
        yield f"  remoteness {plies_text(values.remoteness)} to the end"


def plies_text(plies: int) -> str:
    """Format a number of moves, e.g. `1 ply`."""
    return f"{plies} {'ply' if plies == 1 else 'plies'}"


def table_shows_wins(analysis: Analysis[Any], most: int) -> bool:
    """Return whether the table of moves contains every winning move."""
    return analysis.complete and len(analysis.answer.winning_moves or ()) <= most


def move_lines(analysis: Analysis[Any], most: int) -> Iterator[str]:
    """Format the moves, best first, as a table with a heading; very long tables are cut.

    Args:
        analysis: the position and its moves.
        most: maximum number of moves to show.
    """
    moves = analysis.moves
    if not moves or not most:
        return
    if not analysis.complete:
        yield f"  moves      too many to list (more than {MAX_LISTED_MOVES:,}, or of great length)"
        return
    shown = moves[:most]
    of = f"{len(shown)} of {len(moves)}" if len(shown) < len(moves) else f"all {len(moves)}"
    yield f"  moves      {of}, best first"
    rows = [("leads to", "", "Grundy", "plies")]
    rows += [_row(analysis, move) for move in shown]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for text, result, grundy, plies in rows:
        cells = (
            text.ljust(widths[0]),
            result.ljust(widths[1]),
            grundy.rjust(widths[2]),
            plies.rjust(widths[3]),
        )
        yield f"    {'  '.join(cells)}".rstrip()


def _row(analysis: Analysis[Any], analyzed: AnalyzedMove[Any]) -> tuple[str, str, str, str]:
    values = analyzed.values
    return (
        move_text(position_of(analysis.answer.position), analyzed.move),
        _RESULT[analyzed.outcome],
        "" if values.grundy is None else str(values.grundy),
        "" if values.remoteness is None else str(values.remoteness),
    )
