"""Three-row Chomp by the rules alone, from every position and move, and by plain recursion.

A position is a board with row lengths a >= b >= c (first row a holds the poison cookie) and a
number of passes k. Biting cookie j of a row shortens that row and all rows above it to j.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import count

Rows = tuple[int, int, int]
Triple = tuple[int, int, int]


def moves(rows: Rows) -> Iterator[Rows]:
    """The boards that one bite leaves, except the empty one (a bite of the poison loses)."""
    a, b, c = rows
    for left in range(c):
        yield a, b, left
    for left in range(b):
        yield a, left, min(c, left)
    for left in range(1, a):
        yield left, min(b, left), min(c, left)


def p_positions(
    longest: int, passes: int = 0, declared: Collection[Triple] = ()
) -> list[set[Rows]]:
    """P-positions with first row 1..longest, as row lengths, for k = 0..passes.

    Declared triples [x, y, z] are terminal for every k, and won by the player to move there.
    """
    terminal = {(x + y + z, x + y, x) for x, y, z in declared}
    found: list[set[Rows]] = []
    for k in range(passes + 1):
        p: set[Rows] = set()
        for a in range(1, longest + 1):
            for b in range(a + 1):
                for c in range(b + 1):
                    rows = (a, b, c)
                    if rows in terminal:
                        continue
                    passable = k > 0 and rows != (1, 0, 0) and rows in found[k - 1]
                    if not passable and not any(left in p for left in moves(rows)):
                        p.add(rows)
        found.append(p)
    return found


def sheet_recursion(
    limit: int, row_end: int, excluded: Callable[[int, int], Collection[int]]
) -> list[list[int | None]]:
    """z for every y with x + y < row_end (None: no P-position), for each x < limit.

    The value of (b, c) is the least a that no smaller P-position excludes, and that is not in the
    set of z ``excluded(x, y)``. A sheet ends at z = 0, and all sheets end at a rectangle.
    """
    in_row: list[set[int]] = [set() for _ in range(row_end)]
    diagonal: set[int] = set()
    sheets: list[list[int | None]] = []
    closed = False
    for c in range(limit):
        column: set[int] = set()
        sheet: list[int | None] = []
        ended = closed
        for b in range(c, row_end):
            if ended:
                sheet.append(None)
                continue
            sets = (in_row[b], column, diagonal, {b + z for z in excluded(c, b - c)})
            a = next(a for a in count(max(b, 1)) if not any(a in each for each in sets))
            sheet.append(a - b)
            in_row[b].add(a)
            column.add(a)
            ended = a == b
            closed = closed or a == c
        if sheet and sheet[0] is not None:
            diagonal.add(c + sheet[0])
        sheets.append(sheet)
    return sheets
