"""Columns' states as bytes; each of the four numbers takes a quarter of a byte on average.

The lower ends of neighbouring columns differ by 2.4 on average, the upper ends by 1. A state
becomes four small numbers,

    zigzag(low - low of the column before - 2), zigzag(high - high of the column before - 1),
    the lower window in reverse order, so that the bits next to the interval come first,
    the upper window,

each a byte in a separate stream. 255 stands for a number of 255 or more, which follows in eight
bytes in a fifth stream. The lower window leaves out the deadly diagonals well below a column's
first value, because the sheet table has them. So the bytes do not depend on the progress of the
sweep when a window was refilled.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import bare_entry, bare_inlined
from position_oracle.engine.solvers.instructions import reversed_bits
from position_oracle.engine.solvers.row_sweep.bits import low_bits, window

CHUNK: Final = 8192
"""Number of columns that are encoded together, and can be decoded separately."""

_ESCAPE: Final = np.uint64(255)
_U1: Final = np.uint64(1)
_MEAN_LOW: Final = 2
_MEAN_HIGH: Final = 1


@bare_inlined
def _zigzag(number):
    return np.uint64((number << 1) ^ (number >> 63))


@bare_inlined
def _unzigzag(word):
    return np.int64(word >> _U1) ^ -np.int64(word & _U1)


@bare_inlined
def _known_diagonals(dd, diagonal, low):
    """Return the bits of a lower window that are deadly diagonals, 64 or more below the value."""
    count = np.int64(diagonal) - low
    if count <= 0:
        return np.uint64(0)
    known = window(dd, low - 64)
    return known if count >= 64 else known & low_bits(count)


@bare_entry
def encode_states(column, states, ledger, streams, escapes):
    """Encode one chunk: ``streams`` uint8 of shape (4, n), ``escapes`` uint64.

    The result is the number of escapes, or -1 if a state is not normal.
    """
    count = 0
    low = states[0].low - _MEAN_LOW
    high = states[0].high - _MEAN_HIGH
    for j in range(column.size):
        state = states[j]
        if state.below >> np.uint64(63) != 0 or state.above & _U1 != 0:
            return -1
        own = state.below ^ _known_diagonals(ledger.dd, ledger.diagonal[column[j]], state.low)
        numbers = (
            _zigzag(state.low - low - _MEAN_LOW),
            _zigzag(state.high - high - _MEAN_HIGH),
            reversed_bits(own) >> _U1,
            state.above >> _U1,
        )
        for k in range(4):
            if numbers[k] < _ESCAPE:
                streams[k, j] = numbers[k]
            else:
                streams[k, j] = _ESCAPE
                escapes[count] = numbers[k]
                count += 1
        low = state.low
        high = state.high
    return count


@bare_entry
def decode_states(streams, escapes, row, first, low, high, ledger, number, column, states):
    """Decode one chunk of columns from ``first`` on into ``column`` int32 and ``states``.

    Columns that, by the ledger, stopped before ``row`` are skipped. ``number`` is scratch, uint64,
    shape (4,). The result is False if the bytes are inconsistent.
    """
    c = np.int64(first)
    used = 0
    low -= _MEAN_LOW
    high -= _MEAN_HIGH
    for j in range(streams.shape[1]):
        while c < ledger.end.size and ledger.period[c] == 0 and 0 <= ledger.end[c] <= row:
            c += 1
        if c >= ledger.end.size:
            return False
        for k in range(4):
            number[k] = streams[k, j]
            if number[k] == _ESCAPE:
                if used >= escapes.size:
                    return False
                number[k] = escapes[used]
                used += 1
        low += _MEAN_LOW + _unzigzag(number[0])
        high += _MEAN_HIGH + _unzigzag(number[1])
        state = states[j]
        state.low = low
        state.high = high
        if low < 0 or low > ledger.dd.size * 64 - 256:
            return False
        own = reversed_bits(number[2] << _U1)
        state.below = own ^ _known_diagonals(ledger.dd, ledger.diagonal[c], low)
        state.above = number[3] << _U1
        column[j] = c
        c += 1
    return used == escapes.size
