"""Answers and boards as text for a terminal."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.games import chomp, chomp3, divisors, transfinite
from engine.games.notation import format_move, format_position
from engine.games.position import Move, Outcome, Position
from engine.games.spec import Coordinates
from engine.games.sum import SumPosition
from engine.theory import divisors as schuh
from engine.theory.transfinite.finite import to_rows
from oracle.answers import Answer, Certainty, WinProbability
from oracle.probers.transfinite_answers import TransfiniteAnswer

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
    answer: Answer,
    probability: WinProbability | None = None,
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
    lines = [format_position(answer.position), f"  outcome    {_OUTCOME[answer.outcome]}"]
    lines.append(f"  known by   {answer.certainty}: {answer.reason}")
    if answer.winning_moves and list_wins:
        shown = [move_text(answer.position, move) for move in answer.winning_moves]
        lines += [f"  {'wins by' if i == 0 else '':10} {text}" for i, text in enumerate(shown)]
    if isinstance(answer, TransfiniteAnswer):
        lines += _ordinal_lines(answer)
    if probability is not None:
        lines += _probability_lines(probability)
    lines += more
    board = drawing(answer.position, answer.winning_moves or ())
    return "\n".join(lines) + (f"\n\n{board}\n" if board else "\n")


def _ordinal_lines(answer: TransfiniteAnswer) -> Iterator[str]:
    """The cookie to bite, the Grundy value in both conventions, and the size."""
    if answer.bite is not None:
        yield f"  bite       ({', '.join(answer.bite)})"
    if answer.ordinal_grundy is not None:
        more = f"; {answer.ordinal_grundy_unrestricted} with every bite allowed"
        yield f"  Grundy     {answer.ordinal_grundy}{more}"
    if answer.size is not None:
        yield f"  size       {answer.size}"


def _probability_lines(probability: WinProbability) -> Iterator[str]:
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
    yield f"  chance     {shown} for the player to move, {probability.model.text}"
    yield f"  known by   {probability.certainty}: {probability.reason}"
    for i, move in enumerate(probability.best_moves or ()):
        yield f"  {'best by' if i == 0 else '':10} {move_text(probability.position, move)}"


def move_text(position: Position, move: Move) -> str:
    """A move by its child, and by the cookie that is bitten or the divisor that is named."""
    text = format_move(move)
    if position.game.family == "divisors":
        number = divisors.named_number(position.coordinates, move.child.coordinates)
        return f"{text}   (name {schuh.format_number(number)})"
    bite = bite_of(position, move)
    return text if bite is None else f"{text}   (bite row {bite[0]}, column {bite[1]})"


def bite_of(position: Position, move: Move) -> tuple[int, int] | None:
    """Row and column, from 1, of the cookie that a move bites; None for a pass or no Chomp."""
    rows, child = board_rows(position), board_rows(move.child)
    if move.is_pass or rows is None or child is None:
        return None
    if position.game.family == "divisors":
        # A child may have one prime less, and then its board lies down.
        left = divisors.decode(position.coordinates)
        number = divisors.named_number(position.coordinates, move.child.coordinates)
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


def drawing(position: Position, winning: tuple[Move, ...] = ()) -> str:
    """A board or heaps, or the components of a sum one below the other; empty if too large."""
    if isinstance(position, SumPosition):
        parts = [(format_position(part), drawing(part)) for part in position.components]
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


def board_text(position: Position, winning: tuple[Move, ...] = ()) -> str:
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
