"""Three-heap Nim with passes and its generic variants, as a table of loser sheets.

For every (x, y) there is exactly one z with [x, y, z] a P-position: two could be joined by a move
in the third heap, and only finitely many z are barred, each by a P-position that shares two heaps
with [x, y, z], by the pass, or by a declaration. So loser sheet L_x is a row of numbers, filled by
the supermex operator of R. E. Morrison, E. J. Friedman and A. S. Landsberg, Combinatorial games
with a pass, sections 2.1 and 4.3: L_x = M(W_x + L'_x + V_x), where W_x holds the P-positions of
lower sheets, L'_x those with one pass less (equation 7) and V_x the declared N-positions
(equation 16).

With n positions declared in the column, z <= x + y + n + 1 (and no 1 without passes).

Passes are shared tokens that a regular move keeps; the empty heaps and declared positions allow no
pass. Under these rules k + 2 passes have the P-positions of k passes, whatever is declared (proof
in docs/nim-passes.md), so at most two levels of sheets are ever computed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.steps import Progress, steps
from position_oracle.schema.errors import InvalidPositionError

Triple = tuple[int, int, int]
Columns = Callable[[int, int], NDArray[np.int64]]
"""(x, limit_y) to the z declared in each column y = 0..limit_y of sheet x; -1 for none."""

LIMIT_MAX = 2**20
"""Largest heap of the first two for which a table may be asked."""

_NONE = np.int64(-1)
BLOCK = 64


@dataclass(frozen=True, slots=True, eq=False)
class NimSheets:
    """The P-positions of a three-heap game with a given number of passes left.

    Attributes:
        passes: Passes left in these positions.
        z: Shape (X, Y), int32: [x, y, z[x, y]] is the P-position of column y of sheet x.
    """

    passes: int
    z: NDArray[np.int32]


def estimate_bytes(limit_x: int, limit_y: int, passes: int) -> int:
    """Bytes that `solve_nim_pass` holds at its peak with its result: an upper estimate."""
    rows, columns = limit_x + 1, limit_y + 1
    tables = 2 if rows > columns else 1  # the higher table may be made by transposition
    words = (rows + columns) // 64 + 2
    return tables * 4 * rows * columns + (1 + passes % 2) * 8 * max(rows, columns) * words


def solve_nim_pass(
    limit_x: int,
    limit_y: int,
    passes: int,
    *,
    declared: Sequence[Triple] = (),
    columns: Columns | None = None,
    reduce_passes: bool = True,
    progress: Progress | None = None,
) -> NimSheets:
    """The unique z for every x in 0..limit_x and y in 0..limit_y.

    Args:
        limit_x: Largest x, at most 2^20.
        limit_y: Largest y, at most 2^20.
        passes: Passes left.
        declared: Declared N-positions as ordered triples (x, y, z): terminal, won by the player
            who is to move there, however many passes are left. Permutations are not implied.
            Declaring (0, 0, 0) gives misere play.
        columns: Further declared N-positions, one in every column of every sheet, such as
            `engine.theory.perturbation.Perturbation.columns`.
        reduce_passes: Use the theorem that k + 2 passes are as good as k. Without it every level
            down to no pass is computed by the recursion, which takes passes + 1 times as long.
        progress: Called with (sheets done, sheets in all) after some of the sheets.

    Returns:
        The sheets with all `passes` left, z of shape (limit_x + 1, limit_y + 1).

    Raises:
        InvalidPositionError: A limit or the passes out of range, or a declared triple with a
            negative heap.
        StoppedError: the current budget is spent.
    """
    _check(limit_x, limit_y, passes, declared)
    symmetric = columns is None and {(y, x, z) for x, y, z in declared} == set(declared)
    swapped = symmetric and limit_x > limit_y
    if swapped:
        limit_x, limit_y = limit_y, limit_x
    levels = 1 + (passes % 2 if reduce_passes else passes)
    table = np.empty((limit_x + 1, limit_y + 1), dtype=np.int32)
    variant = _variant(limit_x, limit_y, declared, columns)
    rows = _rows(limit_x, limit_y, levels, variant, symmetric)
    for x, _ in steps(0, limit_x + 1, progress=progress):
        table[x] = next(rows)
    if symmetric:
        mirror(table)
    return NimSheets(passes, transposed(table) if swapped else table)


def _check(limit_x: int, limit_y: int, passes: int, declared: Sequence[Triple]) -> None:
    for name, limit in (("limit_x", limit_x), ("limit_y", limit_y)):
        if not 0 <= limit <= LIMIT_MAX:
            raise InvalidPositionError(f"{name} {limit} is not in 0..{LIMIT_MAX}")
    if passes < 0:
        raise InvalidPositionError(f"passes {passes} is negative")
    for triple in declared:
        if len(triple) != 3 or min(triple) < 0:
            raise InvalidPositionError(f"declared {list(triple)} is no triple of heaps")


@dataclass(frozen=True, slots=True)
class _Variant:
    """The declared N-positions: a finite list as {x: [(y, z), ...]}, and columns of every sheet."""

    by_sheet: dict[int, list[tuple[int, int]]]
    columns: Columns | None

    @property
    def most_in_a_column(self) -> int:
        return 1 + max((len(sheet) for sheet in self.by_sheet.values()), default=0)

    def barred(self, x: int, limit_y: int) -> list[NDArray[np.int64]]:
        """The declared z of sheet x, as rows with one z (-1 for none) for each y."""
        rows = [] if self.columns is None else [self.columns(x, limit_y)]
        placed: dict[int, int] = {}
        first = len(rows)
        for y, z in self.by_sheet.get(x, []):
            index = first + placed.get(y, 0)
            placed[y] = placed.get(y, 0) + 1
            if index == len(rows):
                rows.append(np.full(limit_y + 1, _NONE))
            rows[index][y] = z
        return rows


def _variant(
    limit_x: int, limit_y: int, declared: Sequence[Triple], columns: Columns | None
) -> _Variant:
    """Sort the declared triples by sheet, without those that no position of the table can be."""
    z_max = limit_x + limit_y + len(declared) + 2
    by_sheet: dict[int, list[tuple[int, int]]] = {}
    for x, y, z in sorted(set(declared)):
        if x <= limit_x and y <= limit_y and z <= z_max:
            by_sheet.setdefault(x, []).append((y, z))
    return _Variant(by_sheet, columns)


def _rows(
    limit_x: int, limit_y: int, levels: int, variant: _Variant, symmetric: bool
) -> Iterator[NDArray[np.int64]]:
    """The sheets of the highest level, one after the other; only y >= x where symmetric."""
    from position_oracle.engine.solvers.heap_kernels import fill_nim_row

    words = (limit_x + limit_y + 1 + variant.most_in_a_column) // 64 + 1
    used = [np.zeros((limit_y + 1, words), dtype=np.uint64) for _ in range(levels)]
    full = [np.zeros(limit_y + 1, dtype=np.int64) for _ in range(levels)]
    for x in range(limit_x + 1):
        first = x if symmetric else 0
        declared = variant.barred(x, limit_y)
        row = np.empty(0, dtype=np.int64)
        for level in range(levels):
            barred = [*declared, _pass_winners(x, row)] if level else declared
            stacked = np.array(barred, dtype=np.int64).reshape(-1, limit_y + 1)
            # By symmetry the z of this sheet at y < x are those of column x below.
            row_used = used[level][x].copy() if symmetric else np.zeros(words, dtype=np.uint64)
            row = fill_nim_row(row_used, used[level], full[level], stacked, first)
        yield row


def _pass_winners(x: int, row: NDArray[np.int64]) -> NDArray[np.int64]:
    """The z from which a pass wins, given the P-positions with one pass less."""
    if x == 0 and row[0] == 0:
        row = row.copy()
        row[0] = _NONE  # the empty heaps allow no pass
    return row


def mirror(table: NDArray[np.int32]) -> None:
    """Copy the part above the diagonal below it, in place.

    Raises:
        StoppedError: the current budget is spent.
    """
    from position_oracle.engine.solvers.heap_kernels import mirror_rows

    for top, end in steps(0, table.shape[0], BLOCK):
        mirror_rows(table, top, end)


def transposed(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """The transpose as a table of its own.

    Raises:
        StoppedError: the current budget is spent.
    """
    turned = np.empty(table.shape[::-1], table.dtype)
    for top, end in steps(0, len(turned), BLOCK):
        turned[top:end] = table[:, top:end].T
    return turned
