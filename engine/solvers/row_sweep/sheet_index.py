"""The sheets of a census, arranged for look-ups and for replays."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import bare_entry
from position_oracle.engine.solvers.row_sweep.ledger import Ledger, add_diagonals, allocate_ledger
from position_oracle.schema.census import Census

NO_SHEET: Final = np.int32(2**31 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class CensusIndex:
    """A census arranged for look-ups.

    Attributes:
        ledger: the results that a replay uses: all except the regular tails (of period 1, 2 or 4),
            which depend on the beginning of the replay.
        place: int64; the index in the ledger's ``tail_z`` at which the tail of sheet c begins.
        column_of: int32; the c with f(c, c) = a by a (-1: none).
        tail_sheet: int32; ``tail_sheet[64 * (4 * w + r) + j]`` is the sheet whose regular tail has
            z = 64 w + j in the rows b with b mod 4 = r.
        odd: int32; the sheets with other tails.
    """

    ledger: Ledger
    place: NDArray[np.int64]
    column_of: NDArray[np.int32]
    tail_sheet: NDArray[np.int32]
    odd: NDArray[np.int32]


def index_sheets(census: Census) -> CensusIndex:
    """Arrange a census."""
    x = np.arange(census.limit + 1)
    diagonal = x + census.diagonal_z
    end = x + census.prefix_length
    column_of = np.full(int(diagonal.max()) + 1, -1, np.int32)
    column_of[diagonal] = x
    regular = np.flatnonzero(np.isin(census.tail_period, (1, 2, 4)))
    tail_sheet = np.full(256 * (int(census.tail_z.max(initial=0)) // 64 + 2), NO_SHEET, np.int32)
    for residue in range(4):
        step = (residue - end[regular]) & (census.tail_period[regular] - 1)
        z = census.tail_z[census.tail_offset[regular] + step].astype(np.int64)
        tail_sheet[64 * (4 * (z >> 6) + residue) + (z & 63)] = regular
    odd = np.flatnonzero(~np.isin(census.tail_period, (0, 1, 2, 4))).astype(np.int32)
    ledger = allocate_ledger(census.limit)
    ledger.diagonal[:] = diagonal
    ledger.top[1:] = np.maximum.accumulate(diagonal)[:-1]
    ledger.top[0] = -1
    ledger.end[:] = end
    ledger.period[:] = census.tail_period
    ledger.largest_z[:] = census.max_z
    ledger.odd[: len(odd)] = odd
    ledger.odd_place[: len(odd)] = census.tail_offset[odd]
    ledger.head["odd"] = len(odd)
    add_diagonals(ledger, diagonal)
    return CensusIndex(
        ledger=ledger._replace(
            tail_z=census.tail_z.astype(np.int32),
            tail_bits=np.zeros(len(tail_sheet) // 64 + 8, np.uint64),
        ),
        place=census.tail_offset,
        column_of=column_of,
        tail_sheet=tail_sheet,
        odd=odd,
    )


@bare_entry
def tail_bits_below(tail_sheet, first, bits):
    """Fill ``bits`` (see ``clear_tile``) with the regular tails of sheets c < ``first``.

    The result is the number of words in use.
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
