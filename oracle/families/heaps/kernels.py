"""Compiled look-ups in tables of heap games: the tokens that winning moves take on each line.

A line is a set of heaps from which a move takes equal numbers. No move joins two P-positions, so at
most one child along each line is a P-position.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import njit

UNKNOWN: Final = 0
P: Final = 1
N: Final = 2


@njit(cache=True, nogil=True)
def sheet_outcomes(heaps, t, out):
    """Write the outcome of every row [x, y, z] with x and y in the table; skip other rows."""
    for i in range(len(heaps)):
        x, y = heaps[i, 0], heaps[i, 1]
        if x < t.rows.shape[0] and y < t.rows.shape[1]:
            out[i] = P if np.int64(t.rows[x, y]) == heaps[i, 2] else N


@njit(cache=True, nogil=True)
def sheet_taken(heaps, t, taken):
    """Find the tokens that winning moves take along `LINES` from N-positions of the table, or 0.

    Args:
        heaps: int64 (n, 3), x and y in the table.
        t: the arrays of the game.
        taken: int64 (n, 7), zeros, filled in.
    """
    for i in range(len(heaps)):
        x, y, z = heaps[i, 0], heaps[i, 1], heaps[i, 2]
        taken[i, 0] = _from_first(x, y, z, t)
        taken[i, 1] = _from_second(x, y, z, t)
        taken[i, 2] = max(z - np.int64(t.rows[x, y]), 0)
        if t.pairs:
            taken[i, 3] = _from_both(x, y, z, t)
            taken[i, 4] = _with_third(x, z, t.columns[y])
            taken[i, 5] = _with_third(y, z, t.rows[x])
        if t.triples:
            for take in range(1, min(x, y, z) + 1):
                if np.int64(t.rows[x - take, y - take]) == z - take:
                    taken[i, 6] = take
                    break


@njit(cache=True, nogil=True)
def _from_first(x, y, z, t):
    if t.symmetric and y < t.rows.shape[0] and z < t.rows.shape[1]:
        return max(x - np.int64(t.rows[y, z]), 0)
    line = t.columns[y]
    for rest in range(x):
        if np.int64(line[rest]) == z:
            return x - rest
    return 0


@njit(cache=True, nogil=True)
def _from_second(x, y, z, t):
    line = t.rows[x]
    if t.symmetric and z < t.rows.shape[1]:
        return max(y - np.int64(line[z]), 0)
    for rest in range(y):
        if np.int64(line[rest]) == z:
            return y - rest
    return 0


@njit(cache=True, nogil=True)
def _from_both(x, y, z, t):
    """Find equal numbers from the first two heaps; use the sheet of the third heap if it exists."""
    if t.symmetric and z < t.rows.shape[0]:
        line, step = t.rows[z], y - x
        for rest in range(max(-step, 0), x):
            if np.int64(line[rest]) == rest + step:
                return x - rest
        return 0
    for take in range(1, min(x, y) + 1):
        if np.int64(t.rows[x - take, y - take]) == z:
            return take
    return 0


@njit(cache=True, nogil=True)
def _with_third(heap, z, line):
    """Find equal numbers from the third heap and another one; `line` has the z of the table."""
    step = z - heap
    for rest in range(max(-step, 0), heap):
        if np.int64(line[rest]) == rest + step:
            return heap - rest
    return 0
