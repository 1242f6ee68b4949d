"""The inner loops: one sheet walked through the rows of one tile.

In sheet c the value of row b is the least a >= b that is free in row(b) | col(c) | dd(c). Two bit
sets answer that: ``rows`` holds row(b), and ``used`` holds col(c) | dd(c). Values below the first
word of a row are all in row(b) | dd, which only grows with c. Between the two loser lines ``used``
is solid: its words in [low, high) are full and are jumped over. All index arithmetic is unsigned,
which spares the code for negative indices.
"""

import numpy as np
from numba import njit

from engine.solvers.three_row.atomics import trailing_zeros

__all__ = ["FULL", "NO_VALUE", "walk", "walk_excluding"]

FULL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NO_VALUE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U6 = np.uint64(6)
_U63 = np.uint64(63)


@njit(nogil=True, error_model="numpy")
def walk(rows, first, used, dd, z, c, b, end, shift, low, high, word_count, stride):
    """Walk rows [b, end); all integers uint64, ``shift`` = b minus its place in the ring.

    Returns (next row, low, high, stopped): stopped when the last value was z = 0; a next row
    that is not ``end`` without stopping means that the ring of words is too small.
    """
    mask = word_count - _U1
    stopped = False
    while b < end:
        i = b - shift
        w = np.uint64(first[i])
        k = (w & mask) * stride + i
        row = rows[k]
        col = used[w]
        free = ~(row | col)
        if free != _U0:
            bit = free & (_U0 - free)
            row |= bit
            col |= bit
            used[w] = col
            if (row | dd[w]) == FULL:
                first[i] = w + _U1
                rows[k] = _U0
            else:
                rows[k] = row
        else:
            top = w + word_count
            if (row | dd[w]) == FULL:
                first[i] = w + _U1
                rows[k] = _U0
            while free == _U0:
                w += _U1
                if w >= low and w < high:
                    w = high
                if w >= top:
                    return b, low, high, False
                k = (w & mask) * stride + i
                row = rows[k]
                col = used[w]
                free = ~(row | col)
            bit = free & (_U0 - free)
            rows[k] = row | bit
            col |= bit
            used[w] = col
        a = (w << _U6) + trailing_zeros(free)
        z[b - c] = np.int32(a - b)
        if col == FULL:
            if w == high:
                high += _U1
                while used[high] == FULL:
                    high += _U1
            elif w + _U1 == low:
                low -= _U1
                while used[low - _U1] == FULL:
                    low -= _U1
        b += _U1
        if a + _U1 == b:
            stopped = True
            break
    return b, low, high, stopped


@njit(nogil=True, error_model="numpy")
def walk_excluding(
    rows, first, used, dd, z, c, b, end, shift, low, high, word_count, stride, excluded
):
    """As ``walk``, with one more value excluded per row: ``excluded[b mod its length]``."""
    mask = word_count - _U1
    stopped = False
    wrap = np.uint64(excluded.size) - _U1
    while b < end:
        i = b - shift
        w = np.uint64(first[i])
        k = (w & mask) * stride + i
        row = rows[k]
        col = used[w]
        barred = excluded[b & wrap]
        barred_word = barred >> _U6
        barred_bit = _U1 << (barred & _U63)
        free = ~(row | col)
        if w == barred_word:
            free &= ~barred_bit
        if free == _U0:
            top = w + word_count
            if (row | dd[w]) == FULL:
                first[i] = w + _U1
                rows[k] = _U0
            while free == _U0:
                w += _U1
                if w >= low and w < high:
                    w = high
                if w >= top:
                    return b, low, high, False
                k = (w & mask) * stride + i
                row = rows[k]
                col = used[w]
                free = ~(row | col)
                if w == barred_word:
                    free &= ~barred_bit
        bit = free & (_U0 - free)
        rows[k] = row | bit
        col |= bit
        used[w] = col
        a = (w << _U6) + trailing_zeros(free)
        z[b - c] = np.int32(a - b)
        if col == FULL:
            if w == high:
                high += _U1
                while used[high] == FULL:
                    high += _U1
            elif w + _U1 == low:
                low -= _U1
                while used[low - _U1] == FULL:
                    low -= _U1
        b += _U1
        if a + _U1 == b:
            stopped = True
            break
    return b, low, high, stopped
