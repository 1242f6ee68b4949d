"""The sheets during a sweep of the rows: results, diagonals and tails."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import bare_entry, bare_kernel
from position_oracle.engine.solvers.row_sweep.bits import low_bits, set_bit
from position_oracle.engine.solvers.row_sweep.state import grow_down, grow_up
from position_oracle.engine.solvers.row_sweep.tile import take
from position_oracle.schema.census import Census
from position_oracle.schema.sheets import offsets_of

DIAGONAL_DROP: Final = 48
"""Assumed bound on max f(c', c') - f(c, c) over c' < c. The sweep checks it for every column.

With this bound, the diagonals up to 64 below the first value of a column are final when the column
begins, and refills of lower windows may use all diagonals found so far.
"""

SETTLED_ROWS: Final = 2048
"""Number of rows after its first value within which a column reaches its largest z. The sweep
checks it."""

_HEAD: Final = np.dtype(
    [
        ("top", np.int64),  # largest diagonal
        ("frontier", np.int64),  # from this row on all finished sheets are in their tails
        ("tail_values", np.int64),
        ("tail_words", np.int64),
        ("odd", np.int64),
    ]
)


class Ledger(NamedTuple):
    """The results of the sheets so far; index c is the sheet of column c.

    ``diagonal`` f(c, c), ``top`` the largest diagonal before it, ``end`` the first row after the
    prefix (-1: not known), ``period``, ``largest_z``, ``upper`` the number of prefix values above
    the diagonal, all int32; ``tail_z`` one period of every tail in order of c. ``dd`` is the bit
    set of diagonals with a word of ones in front. ``tail_bits`` are the tails of period 1, 2 and 4
    as in ``clear_tile``; the others are listed in ``odd``, with the place of their values in
    ``odd_place``. ``common`` uint32 is the least common multiple of the periods of the tails that
    take a value z with z >> 6 = index.
    """

    diagonal: NDArray[np.int32]
    top: NDArray[np.int32]
    end: NDArray[np.int32]
    period: NDArray[np.int32]
    largest_z: NDArray[np.int32]
    upper: NDArray[np.int32]
    tail_z: NDArray[np.int32]
    dd: NDArray[np.uint64]
    tail_bits: NDArray[np.uint64]
    odd: NDArray[np.int32]
    odd_place: NDArray[np.int64]
    common: NDArray[np.uint32]
    head: NDArray[np.void]


def allocate_ledger(limit: int) -> Ledger:
    """Allocate a ledger without results for the sheets up to ``limit``."""
    z_words = int(0.6 * limit) // 64 + 64
    head = np.zeros(1, _HEAD)
    head["top"] = -1
    dd = np.zeros(int(1.8 * limit) // 64 + 64, np.uint64)
    dd[0] = ~np.uint64(0)
    return Ledger(
        np.zeros(limit + 1, np.int32),
        np.zeros(limit + 1, np.int32),
        np.full(limit + 1, -1, np.int32),
        np.zeros(limit + 1, np.int32),
        np.zeros(limit + 1, np.int32),
        np.zeros(limit + 1, np.int32),
        np.zeros(limit + 4096, np.int32),
        dd,
        np.zeros(4 * z_words, np.uint64),
        np.zeros(limit // 16 + 256, np.int32),
        np.zeros(limit // 16 + 256, np.int64),
        np.ones(z_words, np.uint32),
        head,
    )


def add_diagonals(ledger: Ledger, diagonal: NDArray[np.integer]) -> None:
    """Add diagonal values to the barred ones."""
    values = diagonal.astype(np.int64)
    bits = np.uint64(1) << (values & 63).astype(np.uint64)
    np.bitwise_or.at(ledger.dd, (values >> 6) + 1, bits)


@bare_kernel
def begin_sheet(ledger, c, a):
    """Store f(c, c) = a; return False if it breaks an assumption of the windows."""
    head = ledger.head[0]
    if a < head.top - DIAGONAL_DROP:
        return False
    ledger.diagonal[c] = a
    ledger.top[c] = head.top
    ledger.largest_z[c] = a - c
    set_bit(ledger.dd, a)
    head.top = max(head.top, a)
    return True


@bare_kernel
def begin_column(column, ledger, c):
    """Set ``column`` to the state of column c after its first value.

    The diagonals of smaller columns are barred.
    """
    a = np.int64(ledger.diagonal[c])
    column.low = a
    column.high = a + 1
    column.below = low_bits(64 - a) if a < 64 else np.uint64(0)  # no value is below 0
    column.above = np.uint64(0)
    while c > 0 and ledger.top[c] >= a - 64:
        c -= 1
        distance = np.int64(ledger.diagonal[c]) - a
        if -64 <= distance < 0:
            column.below |= np.uint64(1) << np.uint64(distance + 64)
        elif 0 < distance <= 64:
            column.above |= np.uint64(1) << np.uint64(distance - 1)
    grow_down(column, ledger.dd)
    grow_up(column)


@bare_kernel
def diagonals_above(ledger, c):
    """Return the number of diagonals f(c', c') > f(c, c) with c' < c."""
    a = np.int64(ledger.diagonal[c])
    count = 0
    while ledger.top[c] > a:
        c -= 1
        if ledger.diagonal[c] > a:
            count += 1
    return count


@bare_kernel
def take_odd_tails(tile, ledger, first):
    """Mark the values of the listed tails of sheets c < ``first`` in the rows of a tile."""
    row = tile.head[0].row
    for j in range(ledger.head[0].odd):
        c = ledger.odd[j]
        if c >= first:
            break
        period = np.int64(ledger.period[c])
        place = ledger.odd_place[j]
        step = (row - ledger.end[c]) % period
        for i in range(8 * tile.head[0].strips):
            take(tile, i, row + i + ledger.tail_z[place + step])
            step = step + 1 if step + 1 < period else 0


@bare_kernel
def add_tail(ledger, c, place):
    """Add the tail of sheet c, with known ``end``, ``period`` and values at ``place``.

    The result is False if there is no space.
    """
    head = ledger.head[0]
    period = np.int64(ledger.period[c])
    end = np.int64(ledger.end[c])
    if period in (1, 2, 4):
        for residue in range(4):
            z = np.int64(ledger.tail_z[place + ((residue - end) & (period - 1))])
            if 4 * (z >> 6) + 4 >= ledger.tail_bits.size:
                return False
            ledger.tail_bits[4 * (z >> 6) + residue] |= np.uint64(1) << np.uint64(z & 63)
            head.tail_words = max(head.tail_words, (z >> 6) + 1)
    else:
        if head.odd == ledger.odd.size:
            return False
        ledger.odd[head.odd] = c
        ledger.odd_place[head.odd] = place
        head.odd += 1
    if period > 1:
        for j in range(period):
            word = np.int64(ledger.tail_z[place + j]) >> 6
            common = np.lcm(np.int64(ledger.common[word]), period)
            if common > 1 << 30:
                return False
            ledger.common[word] = common
    return True


@bare_entry
def restore_finished(ledger, first, row):
    """Add the tails of the sheets c < ``first`` and the diagonals of the columns c < ``row``.

    The result is False if there is no space.
    """
    head = ledger.head[0]
    for c in range(min(row, ledger.end.size)):
        ledger.top[c] = head.top
        set_bit(ledger.dd, np.int64(ledger.diagonal[c]))
        head.top = max(head.top, np.int64(ledger.diagonal[c]))
    for c in range(first):
        head.frontier = max(head.frontier, np.int64(ledger.end[c]))
        if ledger.period[c] > 0:
            if not add_tail(ledger, c, head.tail_values):
                return False
            head.tail_values += np.int64(ledger.period[c])
    return True


def census_of(ledger: Ledger) -> Census:
    """Make the census of a ledger in which all sheets are finished; it takes over the arrays."""
    x = np.arange(len(ledger.end), dtype=np.int32)
    ledger.end[:] -= x
    ledger.diagonal[:] -= x
    offset = offsets_of(ledger.period)
    lower = ledger.top  # no longer needed, and of the right size
    np.subtract(ledger.end, ledger.upper, out=lower)
    lower -= ledger.end > 0
    return Census(
        prefix_length=ledger.end,
        tail_period=ledger.period,
        tail_offset=offset,
        tail_z=ledger.tail_z[: offset[-1]].copy(),
        diagonal_z=ledger.diagonal,
        max_z=ledger.largest_z,
        lower=lower,
        upper=ledger.upper,
    )
