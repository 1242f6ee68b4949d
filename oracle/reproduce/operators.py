"""The operators of the papers on windows of sheets, implemented by their definitions.

A window is a boolean array (columns, height): the cells [y, z] with y and z from 0 on. `engine` has
fast implementations; entries compare both.
"""

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.sheets import NO_Z

Window = NDArray[np.bool_]
Columns = NDArray[np.int64]


def left_shift(window: Window, steps: int = 1) -> Window:
    """Apply L: the window without its leftmost columns."""
    return window[steps:]


def marked(columns: Columns, height: int) -> Window:
    """Return the sheet with these z as a window; `NO_Z` marks nothing."""
    window = np.zeros((len(columns), height), bool)
    there = np.flatnonzero((columns >= 0) & (columns < height))
    window[there, columns[there]] = True
    return window


def deadly_diagonal(columns: Columns, height: int) -> Window:
    """Return the diagonal that d makes of the P-position at y = 0: z = z* - y."""
    window = np.zeros((len(columns), height), bool)
    top = int(columns[0])
    if top != NO_Z:
        y = np.arange(max(0, top - height + 1), min(top + 1, len(columns)))
        window[y, top - y] = True
    return window


def with_diagonal(columns: Columns, height: int) -> Window:
    """Apply D = I + d: a loser sheet and its deadly diagonal."""
    return marked(columns, height) | deadly_diagonal(columns, height)


def supermex_window(winners: NDArray[np.bool_], *, diagonals: bool = True) -> NDArray[np.int64]:
    """Return the supermex of an instant-winner sheet, within a window of the sheet.

    Args:
        winners: bool, shape (columns, height): the instant winners at [x, y, z].
        diagonals: True if a P-position bars its diagonal y + z (move M1 of Chomp), False if it bars
            its row z (taking from the second heap in Nim).

    Returns:
        int64, shape (columns,): z of the P-position of each column; `NO_Z` after z = 0 in Chomp,
        and if the z is outside the window.
    """
    columns, height = winners.shape
    barred = np.zeros(columns + height, bool)
    found = np.full(columns, NO_Z, np.int64)
    for y in range(columns):
        above = barred[y : y + height] if diagonals else barred[:height]
        free = np.flatnonzero(~(winners[y] | above))
        if not free.size:
            continue
        z = int(free[0])
        found[y] = z
        barred[y + z if diagonals else z] = True
        if z == 0 and diagonals:
            break
    return found


def chomp_step(winners: Window, declared: Window | None = None) -> tuple[Columns, Window]:
    """Apply one step of three-row Chomp: L_x = M(W_x + V_x), W_(x+1) = L(W_x + D L_x).

    Args:
        winners: W_x; one column is lost.
        declared: V_x, or nothing.
    """
    losers = supermex_window(winners if declared is None else winners | declared)
    return losers, left_shift(winners | with_diagonal(losers, winners.shape[1]))


def nim_step(winners: Window, declared: Window | None = None) -> tuple[Columns, Window]:
    """Apply one step of three-heap Nim: L_x = M(W_x + V_x), W_(x+1) = W_x + L_x."""
    seen = winners if declared is None else winners | declared
    losers = supermex_window(seen, diagonals=False)
    return losers, winners | marked(losers, winners.shape[1])


def sheets_of_heaps(z: NDArray[np.int32], x: int, height: int) -> Window:
    """Return the instant-winner sheet W_x of a game of three heaps: the union of smaller sheets."""
    window = np.zeros((z.shape[1], height), bool)
    for columns in z[:x]:
        there = np.flatnonzero((columns >= 0) & (columns < height))
        window[there, columns[there]] = True
    return window


def window_density(window: Window, boxes: int = 16) -> NDArray[np.float64]:
    """Return the fraction of marked cells in boxes that divide a window evenly; float64.

    The shape is (boxes, boxes). The boxes are at the same places, in units of the side of the
    window.
    """
    found = window.astype(np.float64)
    for axis, side in enumerate(window.shape):
        edges = np.arange(boxes + 1) * side // boxes
        sums = np.add.reduceat(found, edges[:-1], axis=axis)
        found = sums / np.diff(edges).reshape((-1, 1) if axis == 0 else (1, -1))
    return found


def difference(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the mean absolute difference of two densities: 0 for equal ones, at most 1."""
    return float(np.abs(one - other).mean())


def overlap(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Return the fraction of P-positions of one sheet that another sheet shares."""
    there = one != NO_Z
    return float(np.mean(one[there] == other[there])) if there.any() else 1.0
