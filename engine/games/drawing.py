"""Positions drawn as lines of text: boards with the poison at the lower left, heaps as rows."""

from collections.abc import Collection, Sequence
from typing import Final

from position_oracle.engine.games.spec import Coordinates

MAX_DRAWN: Final = 60
"""Larger boards (in columns or rows) and larger heaps are not drawn."""


def board_lines(rows: Coordinates, bites: Collection[tuple[int, int]]) -> list[str]:
    """Draw a board of Chomp, row by row from the top, with the numbers of its columns.

    Args:
        rows: row lengths, poison row first.
        bites: cookies to mark with `*`, by row and column from 1.

    Returns:
        Lines; no lines if the board is empty or too large to draw.
    """
    if not rows or rows[0] > MAX_DRAWN or len(rows) > MAX_DRAWN:
        return []
    lines = []
    for row in range(len(rows), 0, -1):
        cells = (_cell(row, column, bites) for column in range(1, rows[row - 1] + 1))
        lines.append(f"  {row:>3}  " + " ".join(cells))
    return [*lines, "       " + " ".join(str(column % 10) for column in range(1, rows[0] + 1))]


def heap_lines(heaps: Sequence[int], marks: Sequence[str] = ()) -> list[str]:
    """Draw heaps as rows of tokens, with their numbers from 1.

    Args:
        heaps: their sizes.
        marks: texts to write after each heap, if there are any.

    Returns:
        Lines; no lines if a heap is too large to draw.
    """
    if max(heaps, default=0) > MAX_DRAWN or len(heaps) > MAX_DRAWN:
        return []
    said = marks or [""] * len(heaps)
    rows = enumerate(zip(heaps, said, strict=True), start=1)
    return [f"  {i:>3}  {' '.join('o' * heap)}  {mark}".rstrip() for i, (heap, mark) in rows]


def _cell(row: int, column: int, bites: Collection[tuple[int, int]]) -> str:
    if (row, column) in bites:
        return "*"
    return "X" if (row, column) == (1, 1) else "o"
