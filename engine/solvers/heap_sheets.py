"""Loser sheets of games with three heaps: the unique z for every x and y, in any variant.

A move takes any number from one heap, or equal numbers from the heaps of a line. For every (x, y)
there is exactly one z with [x, y, z] a P-position: two such positions would be joined by a move in
the third heap, and only finitely many z are barred: by the pass, by a declaration, and by every
lower P-position [x', y', w], which bars

    z = w        if one move leads from (x, y) to (x', y') and leaves the third heap alone,
    z = w + t    if one move takes t from the third heap as well.

So loser sheet L_x is a row of numbers, filled by the supermex operator of R. E. Morrison, E. J.
Friedman and A. S. Landsberg, Combinatorial games with a pass, sections 2.1 and 4.3: L_x = M(W_x +
L'_x + V_x), where W_x holds the values barred by the P-positions of lower sheets, L'_x the
P-positions with one pass fewer (equation 7) and V_x the declared N-positions (equation 16). Values
barred by moves that include the third heap are kept in bit sets of z - x or z - y, because these
differences are constant along the line of the move.

Both players share the passes, and a regular move keeps them; the empty heaps and declared positions
allow no pass. Under these rules k + 2 passes have the P-positions of k passes, whatever is declared
(proof in docs/nim-passes.md), so games need at most two levels of sheets (`heap_games`).

Without lines the game is Nim. With the line (0, 1) alone the third heap is a separate component, so
z is the Grundy value of (x, y) in the game of two heaps by W. A. Wythoff, A modification of the
game of nim, Nieuw Arch. Wisk. 7 (1907) 199-202 (A004481, its diagonal A047708). With the line (0,
1, 2) alone the P-positions are those of Nim, z = x XOR y: at the lowest binary digit 1 of t, taking
t from three heaps changes all three digits, so it leads from no position of nim-sum 0 to another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.steps import StepCallback, steps

Triple = tuple[int, int, int]
Lines = tuple[tuple[int, ...], ...]
Columns = Callable[[int, int], NDArray[np.int64]]
"""Function of (x, limit_y) that returns the z declared in each column y = 0..limit_y of sheet x; -1
for none."""

WYTHOFF: Final[Lines] = ((0, 1),)
"""The lines whose sheets are the Grundy values of Wythoff's game with two heaps."""

LIMIT_MAX: Final = 2**20
"""Largest of the first two heaps for which a table can be computed."""

BLOCK: Final = 64


class Taken(NamedTuple):
    """Cells barred by smaller P-positions, as bit sets of z, or of z - x + bias.

    Attributes:
        column: uint64 (columns, words), by y.
        full: int64 (columns,): no bit is free in the words of a column below this index.
        offset: 0, or the largest x if y may be smaller than x.
        diagonal: the same as `column` by y - x + offset; None without the line (0, 1).
        diagonal_full: as `full`, for `diagonal`.
        column_shifted: by y, for the lines (0, 2) and (1, 2); None without them.
        diagonal_shifted: by y - x + offset, for the line (0, 1, 2); None without it.
    """

    column: NDArray[np.uint64]
    full: NDArray[np.int64]
    offset: int
    diagonal: NDArray[np.uint64] | None
    diagonal_full: NDArray[np.int64] | None
    column_shifted: NDArray[np.uint64] | None
    diagonal_shifted: NDArray[np.uint64] | None


@dataclass(frozen=True, slots=True)
class _Size:
    """The game and the size of its table.

    Attributes:
        lines: see `solve`.
        rows: number of sheets; at most the number of columns if `symmetric`.
        columns: columns of a sheet.
        symmetric: whether x and y may be exchanged, so that only y >= x is computed.
        barred: the maximum number of further z barred in a column.
    """

    lines: Lines
    rows: int
    columns: int
    symmetric: bool
    barred: int

    @property
    def has_pairs(self) -> bool:
        """Whether the game has the lines (0, 2) and (1, 2)."""
        return (1, 2) in self.lines

    @property
    def bias(self) -> int:
        """An upper bound of the first two heaps."""
        return max(self.rows, self.columns)

    @property
    def words(self) -> int:
        """Number of words for every z."""
        x, y = self.rows - 1, self.columns - 1
        most = (x + y) * (1 + self.has_pairs) + min(x, y) * len({(0, 1), (0, 1, 2)} & {*self.lines})
        return (most + self.barred + 1) // 64 + 1

    @property
    def shifted_words(self) -> int:
        """Number of words for every z + bias; the reader also loads the word after the last."""
        return self.words + self.bias // 64 + 2

    @property
    def diagonals(self) -> int:
        """Number of diagonals."""
        return self.columns if self.symmetric else self.rows + self.columns - 1

    def taken(self) -> Taken:
        """Make empty bit sets."""
        diagonal, triples = (0, 1) in self.lines, (0, 1, 2) in self.lines
        words, shifted = self.words, self.shifted_words
        return Taken(
            np.zeros((self.columns, words), np.uint64),
            np.zeros(self.columns, np.int64),
            0 if self.symmetric else self.rows - 1,
            np.zeros((self.diagonals, words), np.uint64) if diagonal else None,
            np.zeros(self.diagonals, np.int64) if diagonal else None,
            np.zeros((self.columns, shifted), np.uint64) if self.has_pairs else None,
            np.zeros((self.diagonals, shifted), np.uint64) if triples else None,
        )

    @property
    def bytes_a_level(self) -> int:
        """Bytes of memory of the `Taken` of one level of sheets."""
        plain = self.columns + self.diagonals * ((0, 1) in self.lines)
        moved = self.columns * self.has_pairs + self.diagonals * ((0, 1, 2) in self.lines)
        return 8 * (plain * (self.words + 1) + moved * self.shifted_words)


def estimate_bytes(lines: Lines, limit_x: int, limit_y: int, passes: int = 0) -> int:
    """Estimate an upper bound of the bytes that `solve` holds at its peak, including its result."""
    rows, columns = sorted((limit_x + 1, limit_y + 1))
    tables = 2 if limit_x > limit_y else 1  # the higher table may be made by transposition
    size = _Size(lines, rows, columns, symmetric=True, barred=2)
    return tables * 4 * rows * columns + (1 + passes) * size.bytes_a_level


def solve(
    lines: Lines,
    limit_x: int,
    limit_y: int,
    passes: int = 0,
    *,
    declared: Sequence[Triple] = (),
    columns: Columns | None = None,
    progress: StepCallback | None = None,
) -> NDArray[np.int32]:
    """Compute the unique z for every x in 0..limit_x and y in 0..limit_y.

    Args:
        lines: The sets of several heaps from which equal numbers may be taken: any of (0, 1), (0,
            2) together with (1, 2), and (0, 1, 2).
        limit_x: Largest x, at most 2^20.
        limit_y: Largest y, at most 2^20.
        passes: Passes left. The recursion computes every level down to no pass, which takes passes
            + 1 times as long.
        declared: Declared N-positions as ordered triples (x, y, z): terminal positions won by the
            player to move, for any number of passes left. Permutations are not implied. Declaring
            (0, 0, 0) gives misere play.
        columns: Further declared N-positions, one in every column of every sheet, such as
            `engine.theory.perturbation.Perturbation.columns`.
        progress: Called with (sheets done, sheets in all) after some of the sheets.

    Returns:
        Shape (limit_x + 1, limit_y + 1), int32: [x, y, z[x, y]] is the P-position of column y of
        sheet x, with all `passes` left.
    """
    symmetric = columns is None and {(y, x, z) for x, y, z in declared} == set(declared)
    swapped = symmetric and limit_x > limit_y
    if swapped:
        limit_x, limit_y = limit_y, limit_x
    table = np.empty((limit_x + 1, limit_y + 1), dtype=np.int32)
    by_sheet = _by_sheet(limit_x, limit_y, declared)
    most = 2 + max(map(len, by_sheet.values()), default=0)
    rows = _rows(_Size(lines, *table.shape, symmetric, most), 1 + passes, by_sheet, columns)
    for x, _ in steps(0, limit_x + 1, progress=progress):
        table[x] = next(rows)
    if symmetric:
        _mirror(table)
    return _transposed(table) if swapped else table


def _by_sheet(
    limit_x: int, limit_y: int, declared: Sequence[Triple]
) -> dict[int, list[tuple[int, int]]]:
    """Return the declared (y, z) by x, without those outside the table."""
    z_max = 4 * (limit_x + limit_y) + len(declared) + 2
    by_sheet: dict[int, list[tuple[int, int]]] = {}
    for x, y, z in sorted(set(declared)):
        if x <= limit_x and y <= limit_y and z <= z_max:
            by_sheet.setdefault(x, []).append((y, z))
    return by_sheet


def _placed(sheet: Sequence[tuple[int, int]], columns: int) -> list[NDArray[np.int64]]:
    """Return the declared (y, z) of a sheet as rows with one z (-1 for none) for each y."""
    rows: list[NDArray[np.int64]] = []
    for y, z in sheet:
        row = next((row for row in rows if row[y] < 0), None)
        if row is None:
            rows.append(row := np.full(columns, -1))
        row[y] = z
    return rows


def _rows(
    size: _Size,
    levels: int,
    by_sheet: Mapping[int, Sequence[tuple[int, int]]],
    columns: Columns | None,
) -> Iterator[NDArray[np.int64]]:
    """Yield the sheets of the highest level, one after the other; only y >= x if symmetric."""
    from position_oracle.engine.solvers.sheet_kernels import fill_sheet

    taken = [size.taken() for _ in range(levels)]
    for x in range(size.rows):
        declared = [] if columns is None else [columns(x, size.columns - 1)]
        declared += _placed(by_sheet.get(x, ()), size.columns)
        row = np.empty(0, dtype=np.int64)
        for level, sets in enumerate(taken):
            barred = [*declared, _pass_winners(x, row)] if level else declared
            row = np.zeros(size.columns, np.int64)
            fill_sheet(
                x,
                x if size.symmetric else 0,
                size.bias,
                np.array(barred, dtype=np.int64).reshape(-1, size.columns),
                _begun(size, sets.column, x),
                None if sets.column_shifted is None else _begun(size, sets.column_shifted, x),
                *sets,
                row,
            )
        yield row


def _begun(size: _Size, columns: NDArray[np.uint64], x: int) -> NDArray[np.uint64]:
    """Return the cells that sheet x bars at y < x: by symmetry, those that column x bars."""
    return columns[x].copy() if size.symmetric else np.zeros(columns.shape[1], np.uint64)


def _pass_winners(x: int, row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the z from which a pass wins, given the P-positions with one pass fewer."""
    if x == 0 and row[0] == 0:
        row = row.copy()
        row[0] = -1  # the empty heaps allow no pass
    return row


def _mirror(table: NDArray[np.int32]) -> None:
    """Copy the part above the diagonal below it, in place, in blocks that fit into the cache."""
    for top, end in steps(0, table.shape[0], BLOCK):
        for left in range(0, top, BLOCK):
            table[top:end, left : left + BLOCK] = table[left : left + BLOCK, top:end].T
        corner = table[top:end, top:end]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T


def _transposed(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the transpose as a table of its own."""
    turned = np.empty(table.shape[::-1], table.dtype)
    for top, end in steps(0, len(turned), BLOCK):
        turned[top:end] = table[:, top:end].T
    return turned
