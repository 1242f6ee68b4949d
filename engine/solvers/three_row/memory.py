"""The working arrays of one build, and their sizes.

Only rows c <= b <= about 1.42 c are in use while sheet c is computed, and in row b only the values
from its first free one up to the upper loser line. So rows live in a ring of ``row_count`` rows,
and the 64-value words of a row in a ring of ``word_count`` words. A tile of rows is one piece of
memory, in which words come first and rows second, because the inner loop goes up row by row and
changes its word seldom: word w of row b is ``rows[row_place(b) + (w mod word_count) * TILE]``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BIT_CLASSES",
    "GROUP",
    "H_CLOSED",
    "H_DD_TOP",
    "H_FRONTIER",
    "H_OUT",
    "H_PERIODIC",
    "H_READY",
    "H_SHEETS",
    "H_SLOTS",
    "H_TAIL_OUT",
    "H_TAIL_WORDS",
    "H_VALUES",
    "TILE",
    "Board",
    "Exclusions",
    "Output",
    "Sizes",
    "Workspace",
    "allocate_board",
    "allocate_output",
    "allocate_workspace",
]

TILE = 256
"""Rows a sheet advances at a time; threads synchronise once per tile."""

GROUP = 8
"""Consecutive sheets one thread carries through a tile, so that the tile stays in its cache."""

BIT_CLASSES = 64
"""Tails up to this period are kept as bit sets, one for each residue of b."""

_SLOTS = 1024

H_OUT, H_TAIL_OUT, H_SHEETS, H_FRONTIER, H_READY, H_DD_TOP, H_CLOSED = range(7)
H_PERIODIC, H_VALUES, H_SLOTS, H_TAIL_WORDS = range(7, 11)


class Sizes(NamedTuple):
    """Extents of the working arrays."""

    limit: int
    row_count: int
    word_count: int
    slack: int

    @property
    def board_bytes(self) -> int:
        """Size of the largest arrays, the rows and the bit sets of tails."""
        return 8 * self.word_count * (self.row_count + _SLOTS)


class Board(NamedTuple):
    """What the sheets computed so far have used; shared by the threads.

    ``rows`` uint64 bit sets row(b), ``first`` uint32 first word of row b that may hold a free
    value, ``dd`` uint64 bit set of deadly diagonals f(c', c'), ``tails`` uint64 (slot, word): bit
    sets of z = a - b used by certified tails, ``slot_of`` int64: first slot of each period,
    ``tail_*`` int64: the tails of period > 1, with their values in ``values``, ``head`` int64
    counters. Rows from ``row_end`` on are not computed, columns from ``y_limit`` on not given out.
    """

    rows: NDArray[np.uint64]
    first: NDArray[np.uint32]
    dd: NDArray[np.uint64]
    tails: NDArray[np.uint64]
    slot_of: NDArray[np.int64]
    tail_row: NDArray[np.int64]
    tail_period: NDArray[np.int64]
    tail_low: NDArray[np.int64]
    tail_high: NDArray[np.int64]
    tail_values: NDArray[np.int64]
    values: NDArray[np.int32]
    head: NDArray[np.int64]
    row_count: int
    word_count: int
    row_end: int
    y_limit: int


class Exclusions(NamedTuple):
    """Values that no P-position may take, besides the rules of the plain game.

    One z per column (x, y) in the layout of ``Sheets`` (negative: none), and a finite list of
    declared N-positions sorted by (c, b), those of sheet c from ``declared_offset[c]``.
    """

    present: bool
    spares_poison: bool
    prefix_offset: NDArray[np.int64]
    z: NDArray[np.int32]
    period: NDArray[np.int32]
    tail_offset: NDArray[np.int64]
    tail_z: NDArray[np.int32]
    declared_offset: NDArray[np.int64]
    declared_b: NDArray[np.int64]
    declared_a: NDArray[np.int64]


class Output(NamedTuple):
    """One block of results while it is written."""

    z: NDArray[np.int32]
    prefix_length: NDArray[np.int64]
    period: NDArray[np.int32]
    tail_z: NDArray[np.int32]


class Workspace(NamedTuple):
    """What one thread keeps about the sheets of its group, one row of each array per sheet.

    ``used`` uint64 bit sets col | dd, ``z`` int32 the sheet walked so far, ``states`` int64 and
    ``patterns`` uint64 for the certificate; for all of them ``dd`` uint64, the deadly diagonals
    when the group began, and ``excluded`` uint64, one value per row of the present tile.
    """

    used: NDArray[np.uint64]
    dd: NDArray[np.uint64]
    z: NDArray[np.int32]
    excluded: NDArray[np.uint64]
    states: NDArray[np.int64]
    patterns: NDArray[np.uint64]


def allocate_workspace(board: Board, fields: int, pattern_words: int) -> Workspace:
    """Arrays for one thread."""
    reach = len(board.dd)
    return Workspace(
        used=np.zeros((GROUP, reach), np.uint64),
        dd=np.zeros(reach, np.uint64),
        z=np.empty((GROUP, board.row_count), np.int32),
        excluded=np.zeros(TILE, np.uint64),
        states=np.zeros((GROUP, fields), np.int64),
        patterns=np.zeros((GROUP, pattern_words), np.uint64),
    )


def allocate_board(sizes: Sizes, row_end: int, y_limit: int) -> Board:
    """Empty arrays for a build of ``sizes.limit`` sheets, none computed yet."""
    reach = (sizes.limit + sizes.row_count) // 64 + sizes.word_count + 4
    tails = sizes.limit + 1
    head = np.zeros(16, np.int64)
    head[H_FRONTIER] = 1
    head[H_DD_TOP] = -1
    head[H_CLOSED] = -1
    head[H_SLOTS] = 1
    return Board(
        rows=np.empty(sizes.word_count * sizes.row_count, np.uint64),
        first=np.empty(sizes.row_count, np.uint32),
        dd=np.zeros(reach, np.uint64),
        tails=np.zeros((_SLOTS, sizes.word_count), np.uint64),
        slot_of=np.zeros(BIT_CLASSES + 1, np.int64),
        tail_row=np.empty(tails, np.int64),
        tail_period=np.empty(tails, np.int64),
        tail_low=np.empty(tails, np.int64),
        tail_high=np.empty(tails, np.int64),
        tail_values=np.empty(tails, np.int64),
        values=np.empty(64 * tails + sizes.slack, np.int32),
        head=head,
        row_count=sizes.row_count,
        word_count=sizes.word_count,
        row_end=row_end,
        y_limit=y_limit,
    )


def allocate_output(count: int, positions: int, tail_values: int) -> Output:
    """Room for ``count`` sheets; pages of the large arrays are touched only when written."""
    return Output(
        z=np.empty(positions, np.int32),
        prefix_length=np.zeros(count, np.int64),
        period=np.zeros(count, np.int32),
        tail_z=np.empty(tail_values, np.int32),
    )
