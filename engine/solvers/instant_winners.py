"""Instant-winner sheets W_x: positions from which one move reaches a P-position of smaller x.

For three-row Chomp those moves are M4, M5 and M6. M4 keeps the first two rows: it copies the
loser sheet L_{x'} into W_x, shifted by x - x' towards smaller y. M5 bites rows two and three down
to j: every position of sheet x with first row f(j, j), j < x, is an instant winner; in the plane
of y and z these positions are a diagonal, the deadly diagonal of j. M6 leaves a rectangle, which
is never a P-position in the plain game. (Friedman & Landsberg, Nonlinear dynamics in
combinatorial games, 2007, section II; their W_x = sum of shifted L_{x'} and of D.)
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.steps import steps
from position_oracle.schema.answers import Origin
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)
from position_oracle.schema.sheets import LoserSheets

MAX_CELLS: Final = 1 << 28
"""Maximum size of a window, in cells of one byte."""

MAX_FIRST: Final = 2**31 - 1
"""Maximum y and z at which a window may begin."""

_COLUMNS: Final = 1 << 14
"""Number of columns of a window that are marked at a time."""

# Height of both loser lines of a sheet at y = 0, over x; their slopes have the mean -1
# (Friedman & Landsberg 2007, equation 5).
_ALPHA: Final = 2**-0.5


def instant_winners(
    sheets: LoserSheets, x: int, size_y: int, size_z: int, first_y: int = 0, first_z: int = 0
) -> NDArray[np.uint8]:
    """Return a window of the instant-winner sheet W_x of a three-row game.

    Args:
        sheets: at least the loser sheets 0 .. x - 1.
        x: the number of the sheet.
        size_y: columns of the window, y = first_y .. first_y + size_y - 1.
        size_z: cells of a column, z = first_z .. first_z + size_z - 1.
        first_y: the first column.
        first_z: the first cell of a column.

    Returns:
        uint8 (size_y, size_z): `Origin` flags, 0 if the position is not an instant winner.

    Raises:
        InvalidPositionError: x, a size or a first coordinate is negative.
        ResourceLimitError: the window has more than `MAX_CELLS` cells.
        UnknownAnswerError: a sheet below x is missing, or ends before the window does.
    """
    check_window(x, size_y, size_z, first_y, first_z)
    _check_reach(sheets, x)
    window = np.zeros((size_y, size_z), np.uint8)
    corner = first_y, first_z
    if not window.size:
        return window
    for first, end in steps(0, size_y, _COLUMNS):
        for smaller in watched(range(min(x, sheets.end_x)), every=16):
            _copy_sheet(window, sheets, smaller, x - smaller, first, end, corner)
            top = sheets.z_at(smaller, 0)
            if top is not None:
                mark_diagonal(window, smaller + top - x - sum(corner), first, end)
        if sheets.closed_by is not None and sheets.closed_by < x:
            window[first:end] |= np.uint8(Origin.RECTANGLE)
    return window


def check_window(x: int, size_y: int, size_z: int, first_y: int = 0, first_z: int = 0) -> None:
    """Refuse a window of W_x that is too large or out of range.

    Raises:
        InvalidPositionError: x, a size or a first coordinate is negative, or the window begins
            beyond `MAX_FIRST`.
        ResourceLimitError: the window has more than `MAX_CELLS` cells.
    """
    if min(x, size_y, size_z, first_y, first_z) < 0:
        raise InvalidPositionError(
            f"W_{x}, window {size_y} x {size_z} from y = {first_y}, z = {first_z}: none may be"
            " negative"
        )
    if max(first_y, first_z) > MAX_FIRST:
        raise InvalidPositionError(
            f"W_{x}, window from y = {first_y}, z = {first_z}: allowed are 0 to {MAX_FIRST}"
        )
    if max(size_y, 1) * max(size_z, 1) > MAX_CELLS:
        raise ResourceLimitError(
            f"a window of {size_y} x {size_z} cells is too large; the limit is {MAX_CELLS:,} cells"
        )


def _check_reach(sheets: LoserSheets, x: int) -> None:
    if x > sheets.end_x and sheets.closed_by is None:
        raise UnknownAnswerError(
            f"W_{x} needs the loser sheets below {x}; there are those below {sheets.end_x}"
        )


def _copy_sheet(
    window: NDArray[np.uint8],
    sheets: LoserSheets,
    x: int,
    shift: int,
    first: int,
    end: int,
    corner: tuple[int, int],
) -> None:
    """Mark L_x, shifted by `shift` towards smaller y, in the columns first .. end - 1.

    The window begins at `corner`. Each P-position is marked with its origin.
    """
    shift += corner[0]
    z, in_tail = _columns(sheets, x, shift + first, shift + end)
    y = np.arange(shift + first, shift + end)
    line = np.where(z + y < _ALPHA * x, Origin.LOWER, Origin.UPPER)
    origin = np.where(in_tail, Origin.FLAT, line).astype(np.uint8)
    cell = z - corner[1]
    seen = np.flatnonzero((z >= 0) & (cell >= 0) & (cell < window.shape[1]))
    window[first + seen, cell[seen]] |= origin[seen]


def _columns(
    sheets: LoserSheets, x: int, first: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the z of columns first .. end - 1 of sheet x (-1: none), and which are in the tail."""
    index = x - sheets.first_x
    start, stop = (int(n) for n in sheets.prefix_offset[index : index + 2])
    period = int(sheets.tail_period[index])
    z = np.full(end - first, -1, np.int64)
    part = sheets.prefix_z[min(start + first, stop) : min(start + end, stop)]
    z[: len(part)] = part
    in_tail = np.arange(first, end) >= stop - start
    if period < 0 and in_tail.any():
        raise UnknownAnswerError(f"sheet {x} is known for y < {stop - start}, not for y < {end}")
    if period > 0:
        tail = sheets.tail_z[sheets.tail_offset[index] :][:period]
        z[in_tail] = tail[(np.flatnonzero(in_tail) + first - (stop - start)) % period]
    return z, in_tail


def mark_diagonal(window: NDArray[np.uint8], total: int, first: int, end: int) -> None:
    """Mark the cells (i, j) with i + j = total in the columns i = first .. end - 1."""
    y = np.arange(max(first, total - window.shape[1] + 1), min(total + 1, end))
    window[y, total - y] |= np.uint8(Origin.DIAGONAL)
