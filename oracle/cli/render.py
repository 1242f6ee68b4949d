"""Answers and boards as text for a terminal."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from engine.games import chomp, chomp3, divisors, transfinite
from engine.games.notation import parse
from engine.games.position import Position
from engine.games.spec import Coordinates
from engine.games.sum import SumPosition
from engine.theory import divisors as schuh
from engine.theory.transfinite.finite import to_rows
from schema.answers import (
    Answer,
    Certainty,
    Move,
    Outcome,
    TransfiniteFacts,
    WinProbability,
)

MAX_DRAWN: Final = 60
"""Boards with more columns or rows than this are described, not drawn."""

MAX_FRACTION: Final = 60
"""Characters of a fraction that is shown."""

_OUTCOME: Final = {
    Outcome.P: "P: the player to move loses",
    Outcome.N: "N: the player to move wins",
    Outcome.UNKNOWN: "unknown",
}


def answer_text(
    answer: Answer[Any],
    probability: WinProbability[Any] | None = None,
    more: Iterable[str] = (),
    *,
    list_wins: bool = True,
) -> str:
    """An answer as a few labelled lines, with the board where it can be drawn.

    Args:
        answer: who wins.
        probability: how likely that is, where a model of chance was given.
        more: further lines, shown above the board.
        list_wins: whether to list the winning moves, if the further lines do not.
    """
    position = position_of(answer.position)
    lines = [str(answer.position), f"  outcome    {_OUTCOME[answer.outcome]}"]
    lines.append(f"  known by   {answer.certainty}: {answer.reason}")
    if answer.winning_moves and list_wins:
        shown = [move_text(position, move) for move in answer.winning_moves]
        lines += [f"  {'wins by' if i == 0 else '':10} {text}" for i, text in enumerate(shown)]
    if answer.transfinite is not None:
        lines += _ordinal_lines(answer.transfinite)
    if probability is not None:
        lines += _probability_lines(probability)
    lines += more
    board = drawing(position, answer.winning_moves or ())
    return "\n".join(lines) + (f"\n\n{board}\n" if board else "\n")


def _ordinal_lines(facts: TransfiniteFacts) -> Iterator[str]:
    """The cookie to bite, the Grundy value in both conventions, and the size."""
    if facts.bite is not None:
        yield f"  bite       ({', '.join(facts.bite)})"
    if facts.grundy is not None:
        more = f"; {facts.grundy_unrestricted} with every bite allowed"
        yield f"  Grundy     {facts.grundy}{more}"
    if facts.size is not None:
        yield f"  size       {facts.size}"


def _probability_lines(probability: WinProbability[Any]) -> Iterator[str]:
    """The chance of the player to move, how it is known, and the moves that give it."""
    exact = probability.exact_text
    if probability.value is None or probability.error_bound is None:
        shown = "unknown"
    elif probability.certainty is Certainty.ESTIMATE:
        shown = f"about {probability.value:.4f}, give or take {probability.error_bound:.4f}"
    elif exact is not None and len(exact) <= MAX_FRACTION:
        shown = f"{probability.value!r} = {exact}"
    else:
        shown = f"{probability.value!r}, error at most {probability.error_bound:.1e}"
    yield f"  chance     {shown} for the player to move, {probability.model}"
    yield f"  known by   {probability.certainty}: {probability.reason}"
    for i, move in enumerate(probability.best_moves or ()):
        text = move_text(position_of(probability.position), move)
        yield f"  {'best by' if i == 0 else '':10} {text}"


def position_of(held: Position | str) -> Position:
    """The position of an answer, which a server gives as text."""
    return parse(held) if isinstance(held, str) else held


def move_text(position: Position, move: Move[Any]) -> str:
    """A move by its child, and by the cookie that is bitten or the divisor that is named."""
    text = str(move)
    if position.game.family == "divisors":
        child = position_of(move.child)
        number = divisors.named_number(position.coordinates, child.coordinates)
        return f"{text}   (name {schuh.format_number(number)})"
    bite = bite_of(position, move)
    return text if bite is None else f"{text}   (bite row {bite[0]}, column {bite[1]})"


def bite_of(position: Position, move: Move[Any]) -> tuple[int, int] | None:
    """Row and column, from 1, of the cookie that a move bites; None for a pass or no Chomp."""
    if move.is_pass or (rows := board_rows(position)) is None:
        return None
    after = position_of(move.child)
    child = board_rows(after)
    if child is None:
        return None
    if position.game.family == "divisors":
        # A child may have one prime less, and then its board lies down.
        left = divisors.decode(position.coordinates)
        number = divisors.named_number(position.coordinates, after.coordinates)
        return schuh.bite_of(left, number)
    return chomp.bite_between(rows, child)


def board_rows(position: Position) -> Coordinates | None:
    """Row lengths of a position of Chomp, finite with two axes or primes; else None."""
    if position.game.family == "chomp":
        return position.coordinates
    if position.game.family == "chomp3":
        return tuple(row for row in chomp3.to_rows(position.coordinates) if row)
    if position.game.family == "divisors":
        left = divisors.decode(position.coordinates)
        return schuh.to_board(left) if len(left.primes) <= 2 else None
    if position.game.family == "transfinite":
        return _finite_rows(position)
    return None


def _finite_rows(position: Position) -> Coordinates | None:
    """Row lengths of a finite position of two axes that can be drawn, the first to the right."""
    shape = transfinite.shape_of(position)
    small = shape.dimension == 2 and all(side <= MAX_DRAWN for side in shape.extent)
    return to_rows(shape) if small else None


def drawing(position: Position, winning: tuple[Move[Any], ...] = ()) -> str:
    """A board or heaps, or the components of a sum one below the other; empty if too large."""
    if isinstance(position, SumPosition):
        parts = [(str(part), drawing(part)) for part in position.components]
        return "\n\n".join(f"  {text}\n{drawn}" if drawn else f"  {text}" for text, drawn in parts)
    if position.game.family in {"nim", "wythoff"}:
        return heaps_text(position)
    return board_text(position, winning)


def heaps_text(position: Position) -> str:
    """The heaps as rows of tokens, by number; empty where one is too large to draw."""
    heaps = position.coordinates
    if max(heaps) > MAX_DRAWN or len(heaps) > MAX_DRAWN:
        return ""
    rows = (f"  {number:>3}  {' '.join('o' * heap)}" for number, heap in enumerate(heaps, start=1))
    return "\n".join(row.rstrip() for row in rows)


def board_text(position: Position, winning: tuple[Move[Any], ...] = ()) -> str:
    """The board with the poison at the lower left; `*` marks the bites that win.

    Empty where the position has no board, or one too large to draw.
    """
    rows = board_rows(position)
    if not rows or rows[0] > MAX_DRAWN or len(rows) > MAX_DRAWN:
        return ""
    bites = {bite for move in winning if (bite := bite_of(position, move)) is not None}
    return "\n".join(_board_lines(rows, bites))


def _board_lines(rows: Coordinates, bites: set[tuple[int, int]]) -> Iterator[str]:
    for row in range(len(rows), 0, -1):
        cells = (_cell(row, column, bites) for column in range(1, rows[row - 1] + 1))
        yield f"  {row:>3}  " + " ".join(cells)
    yield "       " + " ".join(str(column % 10) for column in range(1, rows[0] + 1))


def _cell(row: int, column: int, bites: set[tuple[int, int]]) -> str:
    if (row, column) in bites:
        return "*"
    return "X" if (row, column) == (1, 1) else "o"
