"""The sheet table of a census, arranged for look-ups."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.jit import entry, kernel
from position_oracle.engine.solvers.row_sweep.table import Census
from position_oracle.engine.solvers.row_sweep.tile import take

__all__ = ["NO_SHEET", "SheetIndex", "index_sheets", "mark_odd_tails", "tail_bits_below"]

NO_SHEET: Final = np.int32(2**31 - 1)
_U1: Final = np.uint64(1)


class SheetIndex(NamedTuple):
    """A census, entry c for sheet c; int32 where nothing else is said.

    ``diagonal`` f(c, c), ``end`` the first row after the prefix, ``period``, ``place`` int64 and
    ``tail_z`` as in the census, ``dd`` uint64 the bit set of diagonals with a word of ones in
    front, ``column_of`` the c with f(c, c) = a by a (-1: none). ``odd`` are the sheets with other
    periods than 0, 1, 2 and 4; of those with 1, 2 or 4, ``tail_sheet[64 * (4 * w + r) + j]`` is
    the one whose tail has z = 64 w + j in the rows b with b mod 4 = r.
    """

    diagonal: NDArray[np.int32]
    end: NDArray[np.int32]
    period: NDArray[np.int32]
    place: NDArray[np.int64]
    tail_z: NDArray[np.int32]
    dd: NDArray[np.uint64]
    column_of: NDArray[np.int32]
    tail_sheet: NDArray[np.int32]
    odd: NDArray[np.int32]


def index_sheets(census: Census) -> SheetIndex:
    """Arrange a census."""
    x = np.arange(census.limit + 1)
    diagonal = x + census.diagonal_z
    end = x + census.prefix_length
    largest = int(diagonal.max())
    dd = np.zeros(int(1.8 * census.limit) // 64 + 64, np.uint64)
    dd[0] = ~np.uint64(0)
    np.bitwise_or.at(dd, (diagonal >> 6) + 1, _U1 << (diagonal & 63).astype(np.uint64))
    column_of = np.full(largest + 1, -1, np.int32)
    column_of[diagonal] = x
    regular = np.flatnonzero(np.isin(census.period, (1, 2, 4)))
    tail_sheet = np.full(256 * (int(census.tail_z.max(initial=0)) // 64 + 2), NO_SHEET, np.int32)
    for residue in range(4):
        step = (residue - end[regular]) & (census.period[regular] - 1)
        z = census.tail_z[census.tail_offset[regular] + step].astype(np.int64)
        tail_sheet[64 * (4 * (z >> 6) + residue) + (z & 63)] = regular
    return SheetIndex(
        diagonal=diagonal.astype(np.int32),
        end=end.astype(np.int32),
        period=census.period,
        place=census.tail_offset,
        tail_z=census.tail_z,
        dd=dd,
        column_of=column_of,
        tail_sheet=tail_sheet,
        odd=np.flatnonzero(~np.isin(census.period, (0, 1, 2, 4))).astype(np.int32),
    )


@entry
def tail_bits_below(tail_sheet, first, bits):
    """``bits`` (see ``clear_tile``) of the regular tails of sheets c < ``first``.

    Returns the number of words in use.
    """
    used = 0
    for place in range(tail_sheet.size >> 6):
        word = np.uint64(0)
        base = 64 * place
        for j in range(64):
            word |= np.uint64(tail_sheet[base + j] < first) << np.uint64(j)
        bits[place] = word
        if word != 0:
            used = (place >> 2) + 1
    return used


@kernel
def mark_odd_tails(tile, sheets, first):
    """Mark the values of the other tails of sheets c < ``first`` in the rows of a tile."""
    row = tile.head[0].row
    for j in range(sheets.odd.size):
        c = sheets.odd[j]
        if c >= first:
            break
        period = np.int64(sheets.period[c])
        step = (row - sheets.end[c]) % period
        for i in range(8 * tile.head[0].strips):
            take(tile, i, row + i + sheets.tail_z[sheets.place[c] + step])
            step = step + 1 if step + 1 < period else 0
