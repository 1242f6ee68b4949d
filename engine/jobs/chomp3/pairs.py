"""Check that no P-position of three-row Chomp reaches another, in all infinite sheets.

Two P-positions with rows (a, b, c) are one move apart exactly if they share two rows in one of
these ways. Each way has its check:

- same a and c (M1), within a sheet: the numbers y + z of a sheet are distinct;
- same b and c (M2): the form of the table allows one z for each column;
- same a and b (M4): in a row b the numbers z of all sheets are distinct;
- a = f(q, q) with q < c (M5): no sheet has a deadly diagonal of a lower sheet among its a;
- (b, b, c), which every longer position of the sheet reaches (M3): z = 0 ends its sheet;
- (q, q, q) (M6): no P-position has a larger x.

Tails are infinite, so they are compared as arithmetic progressions.
"""

import math
from collections.abc import Iterator

import numpy as np

from position_oracle.schema.sheets import NO_Z, LoserSheets

STRIP_BYTES = 256 << 20
"""Size in bytes of the table of taken values that is used to compare rows."""


def conflicts(sheets: LoserSheets) -> Iterator[str]:
    """Describe pairs of P-positions that are one move apart; at least one pair if there are any."""
    yield from _misplaced_zeros(sheets)
    yield from _after_rectangle(sheets)
    yield from _sheet_conflicts(sheets)
    yield from _row_conflicts(sheets)
    yield from _tail_row_conflicts(sheets)


def _misplaced_zeros(sheets: LoserSheets) -> Iterator[str]:
    """Check M3: z = 0 may occur only at the end of a sheet that stops."""
    zeros = np.flatnonzero(sheets.prefix_z == 0)
    sheet = np.searchsorted(sheets.prefix_offset, zeros, side="right") - 1
    is_end = (zeros + 1 == sheets.prefix_offset[sheet + 1]) & (sheets.tail_period[sheet] <= 0)
    for x, at in zip(sheet[~is_end], zeros[~is_end], strict=True):
        y = at - sheets.prefix_offset[x]
        yield f"[{x},{y},0] is reached by later columns of sheet {x}"
    for at in np.flatnonzero(sheets.tail_z == 0):
        x = np.searchsorted(sheets.tail_offset, at, side="right") - 1
        yield f"the tail of sheet {x} contains z = 0"


def _after_rectangle(sheets: LoserSheets) -> Iterator[str]:
    """Check M6: no P-position comes after a rectangle."""
    rectangles = np.flatnonzero(sheets.diagonal == 0)
    if rectangles.size:
        first = int(rectangles[0])
        for x in np.flatnonzero(
            sheets.prefix_length[first + 1 :] + sheets.tail_period[first + 1 :] > 0
        ):
            yield f"sheet {first + 1 + x} reaches the rectangle [{first},0,0]"


def _sheet_conflicts(sheets: LoserSheets) -> Iterator[str]:
    """Check M1 and M5: within each sheet, and against the deadly diagonals of smaller sheets."""
    size = int(np.max(np.arange(len(sheets)) + sheets.diagonal, initial=0)) + 1
    is_diagonal = np.zeros(size, np.bool_)
    for x in range(len(sheets)):
        prefix, start = sheets.prefix(x).astype(np.int64), int(sheets.prefix_length[x])
        a = x + np.arange(start) + prefix
        if len(np.unique(a)) < start:
            yield f"sheet {x} has two P-positions with the same longest row"
        period, tail = int(sheets.tail_period[x]), sheets.tail(x)
        first = x + start + np.arange(len(tail)) + tail
        if len(np.unique(first % max(period, 1))) < len(tail):
            yield f"the tail of sheet {x} meets itself"
        meets_diagonal = bool(is_diagonal[a[a < size]].any())
        for begin in first.tolist():
            if np.any((a >= begin) & ((a - begin) % period == 0)):
                yield f"the tail of sheet {x} meets its prefix"
            meets_diagonal |= bool(is_diagonal[begin::period].any())
        if meets_diagonal:
            yield f"sheet {x} reaches a deadly diagonal below it"
        if sheets.diagonal[x] != NO_Z:
            is_diagonal[x + sheets.diagonal[x]] = True


def _row_conflicts(sheets: LoserSheets) -> Iterator[str]:
    """Check M4 in the rows in which some sheet is still in its prefix."""
    rows = int(np.max(np.arange(len(sheets)) + sheets.prefix_length, initial=0))
    width = int(max(sheets.prefix_z.max(initial=0), sheets.tail_z.max(initial=0))) + 1
    strip = max(1, STRIP_BYTES // width)
    for begin in range(0, rows, strip):
        end = min(begin + strip, rows)
        taken = np.zeros((end - begin) * width, np.bool_)
        for x in range(min(end, len(sheets))):
            z = sheets.look_up(x, np.arange(max(begin - x, 0), end - x))
            first_row = max(begin, x) - begin
            at = (first_row + np.arange(len(z))) * width + z
            at = at[z != NO_Z]
            if taken[at].any():
                b = begin + int(at[taken[at]][0]) // width
                yield f"sheet {x} and a lower one have the same z in row b = {b}"
            taken[at] = True


def _tail_row_conflicts(sheets: LoserSheets) -> Iterator[str]:
    """Check M4 beyond all prefixes: tails with the same z must not meet in any row b.

    Tail i is b = start_i mod p_i; two meet if their starts agree modulo gcd(p_i, p_j).
    """
    by_z: dict[int, list[tuple[int, int, int]]] = {}
    for x in np.flatnonzero(sheets.tail_period > 0).tolist():
        start, period = x + int(sheets.prefix_length[x]), int(sheets.tail_period[x])
        for i, z in enumerate(sheets.tail(x).tolist()):
            for other_start, other_period, other in by_z.get(z, ()):
                if other != x and (start + i - other_start) % math.gcd(period, other_period) == 0:
                    yield f"the tails of sheets {other} and {x} meet at z = {z}"
            by_z.setdefault(z, []).append((start + i, period, x))
