"""Moves of three-row Chomp between P-positions of loser sheets; independent of the solver."""

import numpy as np

from position_oracle.schema.sheets import NO_Z, LoserSheets

Triple = tuple[int, int, int]


def winning_child(sheets: LoserSheets, x: int, y: int, z: int) -> Triple | None:
    """Return a P-position that a bite from [x, y, z] leads to, or None.

    The function tries the six kinds of moves of three-row Chomp (rows a >= b >= c). It misses
    P-positions in columns that were not computed. The sheets begin with x = 0.
    """
    a, b, c = x + y + z, x + y, x
    column = int(sheets.look_up(c, y))
    if NO_Z < column < z:
        return c, y, column
    if (found := _in_sheet(sheets, c, y, a)) is not None:
        return found
    if (found := _stopped_before(sheets, c, y)) is not None:
        return found
    smaller = np.arange(c)
    lower = np.flatnonzero(sheets.look_up(smaller, b - smaller) == z)
    if lower.size:
        return int(lower[0]), b - int(lower[0]), z
    diagonal = sheets.diagonal[:c]
    on_diagonal = np.flatnonzero((smaller + diagonal == a) & (diagonal != NO_Z))
    if on_diagonal.size:
        q = int(on_diagonal[0])
        return q, 0, a - q
    rectangles = np.flatnonzero(diagonal == 0)
    return (int(rectangles[0]), 0, 0) if rectangles.size else None


def _in_sheet(sheets: LoserSheets, x: int, y: int, a: int) -> Triple | None:
    """Return the P-position with the same rows a and c and a shorter second row (move M1)."""
    prefix = sheets.prefix(x)[:y].astype(np.int64)
    same = np.flatnonzero(x + np.arange(len(prefix)) + prefix == a)
    if same.size:
        return x, int(same[0]), int(prefix[same[0]])
    start, period = int(sheets.prefix_length[x]), int(sheets.tail_period[x])
    for i, z in enumerate(sheets.tail(x).tolist()):
        column = a - x - z
        if start + i <= column < y and (column - start - i) % period == 0:
            return x, column, z
    return None


def _stopped_before(sheets: LoserSheets, x: int, y: int) -> Triple | None:
    """Return the P-position with rows a = b >= c that a shorter first row leads to (move M3)."""
    columns = np.flatnonzero(sheets.prefix(x)[:y] == 0)
    return (x, int(columns[0]), 0) if columns.size else None
