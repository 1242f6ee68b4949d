"""The loops over one loser sheet of three heaps; `heap_sheets` describes their arguments.

Array indices are unsigned, so that numba adds no test for negative ones.
"""

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.instructions import trailing_zeros

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


@kernel
def _read(bits: NDArray[np.uint64], start: int) -> np.uint64:
    """Return 64 bits of a bit set from any index on."""
    word, shift = start >> 6, np.uint64(start & 63)
    return np.uint64((bits[word] >> shift) | (bits[word + 1] << _ONE << (np.uint64(63) - shift)))


@kernel
def _add(bits: NDArray[np.uint64], place: int) -> None:
    bits[place >> 6] |= _ONE << np.uint64(place & 63)


@kernel
def fill_sheet(
    x,
    first,
    bias,
    barred,
    used,
    used_shifted,
    column,
    full,
    offset,
    diagonal,
    diagonal_full,
    column_shifted,
    diagonal_shifted,
    row,
):
    """Fill sheet x for y = first, first + 1, ..., given the sheets below.

    Args:
        x: the number of the sheet.
        first: the first y.
        bias: a number added to differences of heaps, so that they are not negative.
        barred: int64 (n, columns): further barred z, -1 for none.
        used: bit set of the z taken or barred in this sheet.
        used_shifted: bit set of z - y + bias in this sheet; None without the lines (0, 2), (1, 2).
        column: see `heap_sheets.Taken`, also for the arguments below; code for an argument that is
            None is not compiled.
        full: likewise.
        offset: likewise.
        diagonal: likewise.
        diagonal_full: likewise.
        column_shifted: likewise.
        diagonal_shifted: likewise.
        row: filled with the z.
    """
    row_full = np.uint64(0)
    for y in range(np.uint64(first), np.uint64(row.shape[0])):
        place = np.uint64(np.int64(y) - x + offset)
        word = max(row_full, np.uint64(full[y]))
        if diagonal is not None:
            word = max(word, np.uint64(diagonal_full[place]))
        word -= _ONE
        free = np.uint64(0)
        while True:
            while free == 0:
                word += _ONE
                taken = used[word] | column[y, word]
                if diagonal is not None:
                    taken |= diagonal[place, word]
                if column_shifted is not None:
                    taken |= _read(column_shifted[y], 64 * np.int64(word) - x + bias)
                    taken |= _read(used_shifted, 64 * np.int64(word) - np.int64(y) + bias)
                if diagonal_shifted is not None:
                    taken |= _read(diagonal_shifted[place], 64 * np.int64(word) - x + bias)
                free = ~taken
            low = free & (~free + _ONE)
            z = 64 * np.int64(word) + trailing_zeros(low)
            clash = False
            for index in range(barred.shape[0]):
                clash |= barred[index, y] == z
            if not clash:
                break
            free ^= low
        row[y] = z
        used[word] |= low
        column[y, word] |= low
        if diagonal is not None:
            diagonal[place, word] |= low
            while diagonal[place, np.uint64(diagonal_full[place])] == _FULL:
                diagonal_full[place] += 1
        if column_shifted is not None:
            _add(column_shifted[y], z - x + bias)
            _add(used_shifted, z - np.int64(y) + bias)
        if diagonal_shifted is not None:
            _add(diagonal_shifted[place], z - x + bias)
        while used[row_full] == _FULL:
            row_full += _ONE
        while column[y, np.uint64(full[y])] == _FULL:
            full[y] += 1
