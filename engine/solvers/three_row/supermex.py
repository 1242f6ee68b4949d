"""The supermex: one sheet L_x = M(W_x), found row by row.

``engine.theory.supermex`` has the definition (Friedman and Landsberg 2007) in ten lines. This
module has the version on bit sets, which is the inner loop of every build.

In sheet c the value of row b is the least a >= b that is free in row(b) | col(c) | dd(c). Two bit
sets answer that: ``rows`` holds row(b), and ``used`` holds col(c) | dd(c). Values below the first
word of a row are all in row(b) | dd, which only grows with c. Between the two loser lines ``used``
is solid: its words in [low, high) are full and are jumped over.

So the value lies almost always in one of two words: the first word of the row (at the lower loser
line) or word ``high`` (at the upper line). Which one is practically random, so the loop reads both
and selects by masks instead of a branch. ``_supermex_from`` handles all other cases. All index
arithmetic is unsigned, so that numba adds no code for negative indices.
"""

import numpy as np

from position_oracle.engine.solvers.compiled import bare_kernel
from position_oracle.engine.solvers.instructions import trailing_zeros

FULL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NO_VALUE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U6 = np.uint64(6)
_U63 = np.uint64(63)


@bare_kernel
def _supermex_from(rows, stride, used, i, w, low, high, word_count, excluded_value):
    """Take the first free value from word w on (the general case); NO_VALUE if the ring is full."""
    end = w + word_count
    while w < end:
        if w >= low and w < high:
            w = high
        k = (w & (word_count - _U1)) * stride + i
        free = ~(rows[k] | used[w])
        if w == excluded_value >> _U6:
            free &= ~(_U1 << (excluded_value & _U63))
        if free != _U0:
            bit = free & (_U0 - free)
            rows[k] |= bit
            used[w] |= bit
            return (w << _U6) + np.uint64(trailing_zeros(free))
        w += _U1
    return NO_VALUE


@bare_kernel
def supermex(rows, stride, first, used, dd, z, b, count, low, high, word_count, excluded):
    """The values of ``count`` rows from row b on; all integers uint64.

    ``rows``, ``first``, ``z`` and ``excluded`` (None, or one more excluded value per row) begin at
    row b; in ``rows`` the words of a row are ``stride`` apart. Returns (rows done, low, high,
    stopped): stopped when the last value was z = 0; fewer rows without stopping mean that the ring
    of words is too small.
    """
    mask = word_count - _U1
    stopped = False
    i = _U0
    # the words of the two loser lines, kept in registers
    line_high = (high & mask) * stride
    col_high = used[high]
    w = np.uint64(first[0])
    line = (w & mask) * stride
    col = used[w]
    dd_low = dd[w]
    while i < count:
        if np.uint64(first[i]) != w:
            used[w] = col
            w = np.uint64(first[i])
            line = (w & mask) * stride
            col = used[w]
            dd_low = dd[w]
        row = rows[line + i]
        row_high = rows[line_high + i]
        open_low = ~row & (_U0 - np.uint64(w != high))
        open_high = ~row_high & (_U0 - np.uint64(w + _U1 - low <= high + _U1 - low))
        excluded_value = NO_VALUE
        if excluded is not None:
            excluded_value = excluded[i]
            excluded_bit = _U1 << (excluded_value & _U63)
            excluded_word = excluded_value >> _U6
            open_low &= ~(excluded_bit & (_U0 - np.uint64(w == excluded_word)))
            open_high &= ~(excluded_bit & (_U0 - np.uint64(high == excluded_word)))
        free = open_low & ~col
        free_high = open_high & ~col_high
        if free | free_high != _U0:
            bit = free & (_U0 - free)
            bit_high = free_high & (_U0 - free_high)
            bit_high = bit_high if free == _U0 else _U0
            row |= bit
            col |= bit
            col_high |= bit_high
            rows[line + i] = row
            rows[line_high + i] = row_high | bit_high
            word = w if free != _U0 else high
            a = (word << _U6) + np.uint64(trailing_zeros(bit | bit_high))
        else:
            used[w] = col
            used[high] = col_high
            a = _supermex_from(rows, stride, used, i, w, low, high, word_count, excluded_value)
            if a == NO_VALUE:
                break
            row = rows[line + i]
            col = used[w]
            col_high = used[high]
        distance = a - b - i
        z[i] = np.int32(distance)
        if (row | dd_low) == FULL:
            first[i] = w + _U1
            rows[line + i] = _U0
        if col == FULL and w + _U1 == low:
            used[w] = col
            low = w
            while low > _U0 and used[low - _U1] == FULL:
                low -= _U1
        if col_high == FULL:
            used[w] = FULL if w == high else col
            used[high] = FULL
            while used[high] == FULL:
                high += _U1
            col = used[w]
            col_high = used[high]
            line_high = (high & mask) * stride
        i += _U1
        if distance == _U0:
            stopped = True
            break
    used[w] = col
    used[high] = col_high
    return i, low, high, stopped
