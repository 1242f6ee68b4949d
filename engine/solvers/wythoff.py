"""Wythoff's game as tables: Grundy values of two heaps, P-positions of three.

Two heaps: a move takes any number from one heap or the same number from both. The Grundy value of
(x, y) is the least number that does not occur in its row, column and diagonal towards the origin.

Three heaps: a move takes any number from one heap or the same number from several, in one of
three definitions: from any two heaps ("pairs"), from all three ("all"), or either ("both"). For
every (x, y) there is exactly one z with [x, y, z] a P-position: two would be joined by a move in
the third heap, and every lower P-position [x', y', w] bars only

    z = w        if one move leads from (x, y) to (x', y') and leaves the third heap alone,
    z = w + t    if one move takes t from the third heap as well.

That is at most x + y numbers z and again so many for pairs, and as many as the smaller of x and y
for every further kind of move. The second kind is kept in bit sets of z - x or z - y, which stay
as they are while the position moves on along the line of the move.

In "all" the P-positions are those of Nim, z = x XOR y: at the lowest binary digit 1 of t, taking t
from three heaps changes all three digits, so it leads from no position of nim-sum 0 to another.

Source of the game: W. A. Wythoff, A modification of the game of nim, Nieuw Arch. Wisk. 7 (1907)
199-202. The table of Grundy values is A004481, its diagonal A047708.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.nim_pass import mirror, transposed
from position_oracle.engine.solvers.steps import Progress, steps
from position_oracle.schema.errors import InvalidPositionError

Definition = Literal["pairs", "all", "both"]

LIMIT_MAX = 2**16
"""Largest heap of the first two for which a table may be asked."""


@dataclass(frozen=True, slots=True, eq=False)
class WythoffSheets:
    """The P-positions of three-heap Wythoff.

    Attributes:
        definition: From which heaps equal numbers may be taken.
        z: Shape (X, Y), int32: [x, y, z[x, y]] is the P-position of column y of sheet x.
    """

    definition: Definition
    z: NDArray[np.int32]


def estimate_sheets_bytes(limit_x: int, limit_y: int) -> int:
    """Bytes that `solve_wythoff_sheets` holds at its peak, working arrays and result."""
    short, long = sorted((limit_x + 1, limit_y + 1))
    return _table_bytes(limit_x, limit_y) + 32 * long * ((8 * short + 5 * long) // 128 + 2)


def solve_wythoff_grundy(
    limit_x: int,
    limit_y: int,
    *,
    progress: Progress | None = None,
) -> NDArray[np.int32]:
    """Grundy values of two heaps for all x in 0..limit_x and y in 0..limit_y.

    Args:
        limit_x: Largest x, at most 2^16.
        limit_y: Largest y, at most 2^16.
        progress: Called with (rows done, rows in all) after some of the rows.

    Returns:
        Shape (limit_x + 1, limit_y + 1), int32; 0 exactly at the P-positions.

    Raises:
        InvalidPositionError: A limit out of range.
        StoppedError: the current budget is spent.
    """
    short, long = _check(limit_x, limit_y)
    words = _words(short, long)
    lines = GrundyLines(
        np.zeros((long + 1, words), dtype=np.uint64),
        np.zeros((long + 1, words), dtype=np.uint64),
        np.zeros(long + 1, dtype=np.int64),
        np.zeros(long + 1, dtype=np.int64),
    )
    table = np.empty((short + 1, long + 1), dtype=np.int32)

    from position_oracle.engine.solvers.heap_kernels import wythoff_grundy_row

    for x, _ in steps(0, short + 1, progress=progress):
        # The values of row x at y < x are, by symmetry, those of column x.
        wythoff_grundy_row(x, lines.column[x].copy(), lines, table[x])
    mirror(table)
    return table if limit_x <= limit_y else transposed(table)


def estimate_lines_bytes(limit_x: int, limit_y: int) -> int:
    """Bytes of the bit sets that `solve_wythoff_grundy` holds beside its result."""
    short, long = sorted((limit_x, limit_y))
    return 2 * 8 * (long + 1) * _words(short, long)


def _words(short: int, long: int) -> int:
    """Words for a bit set of values: a position has at most x + y + min(x, y) moves."""
    return (2 * short + long) // 64 + 1


def solve_wythoff_sheets(
    limit_x: int,
    limit_y: int,
    definition: Definition,
    *,
    progress: Progress | None = None,
) -> WythoffSheets:
    """The unique z for all x in 0..limit_x and y in 0..limit_y.

    Args:
        limit_x: Largest x, at most 2^16.
        limit_y: Largest y, at most 2^16.
        definition: "pairs": equal numbers from any two heaps; "all": from all three; "both".
        progress: Called with (sheets done, sheets in all) after some of the sheets.

    Returns:
        The sheets, z of shape (limit_x + 1, limit_y + 1).

    Raises:
        InvalidPositionError: A limit out of range, or another definition.
        StoppedError: the current budget is spent.
    """
    short, long = _check(limit_x, limit_y)
    if definition not in get_args(Definition):
        raise InvalidPositionError(f"definition {definition!r} is not in {get_args(Definition)}")
    words = (4 * short + 2 * long) // 64 + 1
    shifted_words = (4 * short + 3 * long) // 64 + 2  # the reader looks one word ahead

    def sets(width: int) -> NDArray[np.uint64]:
        return np.zeros((long + 1, width), dtype=np.uint64)

    lines = Lines(
        definition != "all",
        definition != "pairs",
        sets(words),
        sets(shifted_words),
        sets(words),
        sets(shifted_words),
        np.zeros(long + 1, dtype=np.int64),
    )
    table = np.empty((short + 1, long + 1), dtype=np.int32)

    from position_oracle.engine.solvers.heap_kernels import wythoff_sheet_row

    for x, _ in steps(0, short + 1, progress=progress):
        # The z of sheet x at y < x are, by symmetry, those of column x.
        used, shifted = lines.column[x].copy(), lines.column_shifted[x].copy()
        wythoff_sheet_row(x, used, shifted, lines, table[x])
    mirror(table)
    return WythoffSheets(definition, table if limit_x <= limit_y else transposed(table))


class GrundyLines(NamedTuple):
    """The values taken in columns (by y) and diagonals (by y - x), as bit sets.

    No bit is free in the words below `column_full[y]` and `diagonal_full[y - x]`.
    """

    column: NDArray[np.uint64]
    diagonal: NDArray[np.uint64]
    column_full: NDArray[np.int64]
    diagonal_full: NDArray[np.int64]


class Lines(NamedTuple):
    """The z barred along the lines of the moves, and which moves there are.

    Columns are indexed by y, diagonals by y - x. Bit i of a shifted set bars z - x = i - bias in
    a column or diagonal (z - y = i - bias in a row), with bias the largest y of the table. Words
    of `column[y]` below `full[y]` have no free bit left.
    """

    pairs: bool
    triples: bool
    column: NDArray[np.uint64]
    column_shifted: NDArray[np.uint64]
    diagonal: NDArray[np.uint64]
    diagonal_shifted: NDArray[np.uint64]
    full: NDArray[np.int64]


def _table_bytes(limit_x: int, limit_y: int) -> int:
    tables = 2 if limit_x > limit_y else 1  # the higher table is made by transposition
    return tables * 4 * (limit_x + 1) * (limit_y + 1)


def _check(limit_x: int, limit_y: int) -> tuple[int, int]:
    for name, limit in (("limit_x", limit_x), ("limit_y", limit_y)):
        if not 0 <= limit <= LIMIT_MAX:
            raise InvalidPositionError(f"{name} {limit} is not in 0..{LIMIT_MAX}")
    return min(limit_x, limit_y), max(limit_x, limit_y)
