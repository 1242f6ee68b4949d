"""Theorems on Chomp boards without tables: closed forms, and strategy stealing.

Sources: D. Gale, A curious Nim-type game, Amer. Math. Monthly 81 (1974) 876-879, for rectangles,
squares and two rows; a hook (one row and one column) is Nim with its two arms as heaps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Bite = tuple[int, int]
"""Row and column of the bitten cookie, counted from 1."""


@dataclass(frozen=True, slots=True)
class BoardTheorem:
    """The result of a theorem for a board.

    Attributes:
        is_p: whether the previous player wins.
        statement: the theorem, in words.
        winning_bites: bites that leave a P-position, row by row; None if the theorem does not give
            any.
    """

    is_p: bool
    statement: str
    winning_bites: tuple[Bite, ...] | None


EMPTY = BoardTheorem(False, "the opponent has just eaten the poison", ())

_TWO_ROWS = "two rows or columns: P exactly if the second is one shorter than the first"
_HOOK = "a row and a column that share the poison: Nim with the two arms as heaps"
_SQUARE = (
    "the bite in row 2, column 2 of a square leaves two equal arms; there may be other winning"
    " bites"
)
_RECTANGLE = (
    "strategy stealing: if biting the last cookie of a rectangle does not win, then the opponent's"
    " winning reply could have been the first move; this names no winning bite"
)


def closed_form(rows: Sequence[int]) -> BoardTheorem | None:
    """Return outcome and all winning bites of the empty board, hooks, two rows and two columns.

    Args:
        rows: row lengths, positive and not increasing, the poison row first.

    Returns:
        None for every other board.
    """
    if not rows:
        return EMPTY
    second = rows[1] if len(rows) > 1 else 0
    if second <= 1:
        return _hook(rows[0], len(rows))
    if len(rows) == 2:
        return _two_rows(rows[0], second, turned=False)
    if rows[0] == 2:
        return _two_rows(len(rows), sum(length == 2 for length in rows), turned=True)
    return None


def rectangle(rows: Sequence[int]) -> BoardTheorem | None:
    """Decide rectangles: N, and a winning bite if square; None for other boards.

    Call it after `closed_form`, which decides thin rectangles completely.
    """
    if len(rows) < 2 or rows[0] < 2 or rows[0] != rows[-1]:
        return None
    if len(rows) == rows[0]:
        return BoardTheorem(False, _SQUARE, ((2, 2),))
    return BoardTheorem(False, _RECTANGLE, None)


def _hook(width: int, height: int) -> BoardTheorem:
    if width == height:
        return BoardTheorem(True, _HOOK, ())
    bite = (1, height + 1) if width > height else (width + 1, 1)
    return BoardTheorem(False, _HOOK, (bite,))


def _two_rows(first: int, second: int, *, turned: bool) -> BoardTheorem:
    """Decide boards of two rows; `turned` means that the rows are columns."""
    statement = _TWO_ROWS.replace("rows", "columns") if turned else _TWO_ROWS
    if first == second + 1:
        return BoardTheorem(True, statement, ())
    row, column = (2, second) if first == second else (1, second + 2)
    return BoardTheorem(False, statement, ((column, row) if turned else (row, column),))
