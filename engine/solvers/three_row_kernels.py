"""The loops over the positions of one first row, with all compiled code of the tables.

Positions are row lengths a >= b >= c, poison row first. The six moves (engine.games.chomp3) reach

    M1  (a, b', c)    c <= b' < b        kept for each c, started anew with each a      ``column``
    M2  (j, j, c)     c <= j < b         kept for each c; the ``row`` of (b, c) starts  ``diagonal``
                                         as a copy of it, when a = b
    M3  (a', b, c)    b <= a' < a        kept for each (b, c)                           ``row``
    M4  (a, b, c')    c' < c             one for all three, started anew with each      ``seen``
    M5  (a, j, j)     j < c              (a, b), as it only grows with c
    M6  (j, j, j)     j < c

With a as the outermost and c as the innermost loop, the set of reachable values is the union of
three summaries. Each new position is added to three summaries, or to four if a = b. For Grundy
values a summary is the bit set of the values; for remoteness it is a pair of numbers.

The loops use the unrestricted convention, in which the poison may be eaten and the empty board (0,
0, 0) is a position; the restricted numbers of `tables` are smaller by one. The empty board must be
added before the first call: that is the state of arrays of zeros, for remoteness with ``NONE`` in
the first of each pair.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel, njit
from position_oracle.engine.solvers.instructions import is_stopped, trailing_zeros

Bits = NDArray[np.uint64]
Numbers = NDArray[np.uint16]
Flag = NDArray[np.int64]

NONE: Final = np.uint16(0xFFFF)
"""Code for no P-position on a line; larger than every remoteness."""

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_WORD = np.uint64(6)
_BIT = np.uint64(63)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_grundy(
    first_row: int,
    values: Numbers,
    column: Bits,
    row: Bits,
    diagonal: Bits,
    seen: Bits,
    flag: Flag,
) -> None:
    """Fill the unrestricted Grundy values of all positions with a = first_row >= 0.

    Args:
        first_row: a; calls have a = 0, 1, 2, ... in this order.
        values: uint16, by rank; the positions with a smaller first row are known.
        column: uint64, shape (limit + 1, words); scratch.
        row: uint64, shape ((limit + 1) (limit + 2) / 2, words), zeros before the first call.
        diagonal: uint64, shape (limit + 1, words), zeros before the first call.
        seen: uint64, shape (words,); scratch. 64 * words > 3 * limit.
        flag: the flag of the budget; once it is set, the function returns early.
    """
    a = np.uint64(first_row)
    start = a * (a + _ONE) * (a + np.uint64(2)) // np.uint64(6)
    column[: first_row + 1] = 0
    for second_row in range(first_row + 1):
        if is_stopped(flag):
            return
        b = np.uint64(second_row)
        pair = b * (b + _ONE) // np.uint64(2)
        seen[:] = 0
        full = _ZERO
        for third_row in range(second_row + 1):
            c = np.uint64(third_row)
            if a == b:
                for index in range(len(seen)):  # quicker to compile than a slice
                    row[pair + c, index] = diagonal[c, index]
            word = full
            free = ~(seen[word] | column[c, word] | row[pair + c, word])
            while free == _ZERO:
                word += _ONE
                free = ~(seen[word] | column[c, word] | row[pair + c, word])
            bit = free & (~free + _ONE)
            values[start + pair + c] = (word << _WORD) + np.uint64(trailing_zeros(bit))
            seen[word] |= bit
            column[c, word] |= bit
            row[pair + c, word] |= bit
            if a == b:
                diagonal[c, word] |= bit
            corner = c * (c + _ONE) // np.uint64(2) + c
            _enter(seen, np.uint64(values[start + corner]))
            square = corner + c * (c + _ONE) * (c + np.uint64(2)) // np.uint64(6)
            _enter(seen, np.uint64(values[square]))
            while seen[full] == _FULL:
                full += _ONE


@kernel
def _enter(bits: Bits, value: np.uint64) -> None:
    bits[value >> _WORD] |= _ONE << (value & _BIT)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_remoteness(
    first_row: int,
    values: Numbers,
    column: Numbers,
    row: Numbers,
    diagonal: Numbers,
    flag: Flag,
) -> None:
    """Fill the remoteness, with the poison bite counted, of all positions with a = first_row >= 1.

    In this count P-positions have odd numbers and N-positions even ones. The two numbers kept for
    each line are the least remoteness of its P-positions and the greatest of all its positions.

    Args:
        first_row: a; calls have a = 1, 2, 3, ... in this order.
        values: uint16, by rank; the positions with a smaller first row are known.
        column: uint16, shape (limit + 1, 2); scratch.
        row: uint16, shape ((limit + 1) (limit + 2) / 2, 2); (NONE, 0) before the first call.
        diagonal: uint16, shape (limit + 1, 2); (NONE, 0) before the first call.
        flag: the flag of the budget; once it is set, the function returns early.
    """
    a = np.uint64(first_row)
    start = a * (a + _ONE) * (a + np.uint64(2)) // np.uint64(6)
    column[:, 0] = NONE
    column[:, 1] = 0
    for second_row in range(first_row + 1):
        if is_stopped(flag):
            return
        b = np.uint64(second_row)
        pair = b * (b + _ONE) // np.uint64(2)
        least, greatest = NONE, np.uint16(0)
        for third_row in range(second_row + 1):
            c = np.uint64(third_row)
            if a == b:
                row[pair + c, 0], row[pair + c, 1] = diagonal[c, 0], diagonal[c, 1]
            hurried = min(least, column[c, 0], row[pair + c, 0])
            if hurried != NONE:
                plies = np.uint16(hurried + 1)
            else:
                plies = np.uint16(max(greatest, column[c, 1], row[pair + c, 1]) + 1)
            values[start + pair + c] = plies
            _extend(column, c, plies)
            _extend(row, pair + c, plies)
            if a == b:
                _extend(diagonal, c, plies)
            corner = c * (c + _ONE) // np.uint64(2) + c
            square = corner + c * (c + _ONE) * (c + np.uint64(2)) // np.uint64(6)
            for other in (plies, values[start + corner], values[square]):
                greatest = max(greatest, other)
                if other & 1:
                    least = min(least, other)


@kernel
def _extend(lines: Numbers, index: np.uint64, plies: np.uint16) -> None:
    lines[index, 1] = max(lines[index, 1], plies)
    if plies & 1:
        lines[index, 0] = min(lines[index, 0], plies)
