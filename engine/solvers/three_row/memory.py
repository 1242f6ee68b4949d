"""The working arrays of a build, and their sizes.

Only rows c <= b <= about 1.42 c are in use while sheet c is computed, and in row b only the values
from its first free one up to the upper loser line. So rows live in a ring of ``row_count`` rows,
and the 64-value words of a row in a ring of ``word_count`` words. Words come first and rows second,
because the inner loop goes up row by row and changes its word seldom: word w of row b is
``rows[(w mod word_count) * row_count + b mod row_count]``.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CHUNK = 64
"""Rows that are opened at a time."""

COMMON_PERIOD = 24
"""Tails whose period divides this number are kept as bit sets, one for each residue of b."""

PATTERN_WORDS = 64
"""Number of words of the pattern of values that a certificate compares."""


def _int64_fields(*names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.int64) for name in names])


HEAD = _int64_fields(
    "positions",  # P-positions written to the output of the block
    "tail_positions",  # values written to its tails
    "frontier",  # every finished sheet has stopped or is in its tail from this row on
    "ready",  # rows below this one have been opened
    "dd_top",  # the greatest deadly diagonal
    "closed",  # x of a rectangle that is a P-position, -1 if there is none
    "periodic",  # tails of period > 1
    "tail_values",  # values kept of these tails
    "tail_words",  # words that a tail may reach beyond the row
)
"""Progress of a build."""

STATE = _int64_fields(
    "next_row",  # the next row of the sheet
    "low",  # words from `low` to before `high` are full: between the two loser lines
    "high",
    "done",  # whether the sheet has stopped, or its tail is proven
    "start",  # when done: y at which the tail begins, and
    "period",  # its period
    "declared",  # place of the next declared N-position
    "certify_from",  # no tail can be proven before this row
    "dd_top",  # the greatest deadly diagonal of smaller sheets
    "top",  # the greatest value used, -1 before it is needed
    # the saved state of Brent's search for a repetition, and what has been met since:
    "saved_row",
    "saved_distance",
    "saved_width",
    "power",  # number of rows after which the saved state is renewed, 0 if there is none
    "least",  # least distance to the first free value
    "greatest",  # greatest z
    "common",  # common period of the tails between `common_least` and `common_greatest`
    "common_least",
    "common_greatest",
)
"""Position of a sheet on its way up the rows, and its certificate (see `certificate`)."""


class Sizes(NamedTuple):
    """Sizes of the working arrays."""

    limit: int
    row_count: int
    word_count: int
    slack: int
    declared_end: int

    @property
    def shared_bytes(self) -> int:
        """Size of the largest arrays, the rows and the bit sets of tails."""
        return 8 * self.word_count * (self.row_count + COMMON_PERIOD)


def sizes_for(limit: int, row_end: int | None, declared: NDArray[np.int64], slack: int) -> Sizes:
    """Return the sizes of the arrays, with ``slack`` rows and values beyond the plain game.

    The plain game has 1.4142 c active rows in sheet c, and values up to 1.4142 b in a new row b. No
    tail is proven before the last row b with a declared N-position, so rows reach up to it.

    Args:
        limit: number of sheets.
        row_end: rows end before this one; None for no end.
        declared: rows b of declared N-positions.
        slack: see above.
    """
    declared_end = int(declared.max(initial=-1)) + 1
    rows = max(int(0.43 * limit), declared_end) + slack if row_end is None else row_end
    span = int(0.6 * limit) if row_end is None else 2 * limit + row_end
    words = (span + slack // 4 + 2 * len(declared)) // 64 + 2
    return Sizes(
        limit=limit,
        row_count=(rows // CHUNK + 4) * CHUNK,
        word_count=1 << max(4, words.bit_length()),
        slack=slack,
        declared_end=declared_end,
    )


class Shared(NamedTuple):
    """Memory used by the sheets computed so far.

    ``rows`` uint64 bit sets row(b), ``first`` uint32 first word of row b that may hold a free
    value, ``dd`` uint64 bit set of deadly diagonals f(c', c'), ``tails`` uint64 (COMMON_PERIOD,
    words): bit sets of z = a - b used by certified tails, by b mod COMMON_PERIOD, ``tail_*`` int64:
    the tails of period > 1, with their values in ``values``, ``head`` one record ``HEAD``. Rows
    from ``row_end`` on are not computed, columns from ``y_limit`` on not given out.
    """

    rows: NDArray[np.uint64]
    first: NDArray[np.uint32]
    dd: NDArray[np.uint64]
    tails: NDArray[np.uint64]
    tail_row: NDArray[np.int64]
    tail_period: NDArray[np.int64]
    tail_low: NDArray[np.int64]
    tail_high: NDArray[np.int64]
    tail_values: NDArray[np.int64]
    values: NDArray[np.int32]
    head: Any
    row_count: int
    word_count: int
    row_end: int
    y_limit: int


class Exclusions(NamedTuple):
    """Values that no P-position may take, besides those barred by the plain game.

    One z per column (x, y) in the layout of ``Sheets`` (negative: none), and a finite list of
    declared N-positions sorted by (c, b); the positions of sheet c begin at ``declared_offset[c]``.
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
    """One block of results while it is being written."""

    z: NDArray[np.int32]
    prefix_length: NDArray[np.int64]
    period: NDArray[np.int32]
    tail_z: NDArray[np.int32]


class Workspace(NamedTuple):
    """The sheet that is being computed.

    ``used`` uint64 bit set col | dd, ``z`` int32 the values found so far, ``excluded`` uint64 one
    more value for each row ahead, ``state`` one record ``STATE``, ``pattern`` uint64 for the
    certificate, ``declared`` uint64 (declared N-positions,): bits of ``used``, put by for a row.
    """

    used: NDArray[np.uint64]
    z: NDArray[np.int32]
    excluded: NDArray[np.uint64]
    state: Any
    pattern: NDArray[np.uint64]
    declared: NDArray[np.uint64]


def allocate_shared(sizes: Sizes, row_end: int, y_limit: int) -> Shared:
    """Allocate empty arrays for a build of ``sizes.limit`` sheets."""
    reach = (sizes.limit + sizes.row_count) // 64 + sizes.word_count + 4
    tails = sizes.limit + 1
    head = np.zeros(1, HEAD)
    head["frontier"] = 1
    head["dd_top"] = -1
    head["closed"] = -1
    return Shared(
        rows=np.empty(sizes.word_count * sizes.row_count, np.uint64),
        first=np.empty(sizes.row_count, np.uint32),
        dd=np.zeros(reach, np.uint64),
        tails=np.zeros((COMMON_PERIOD, sizes.word_count), np.uint64),
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
