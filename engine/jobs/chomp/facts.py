"""Published facts about Chomp boards of any shape, for checks of stored tables.

Sources: the On-Line Encyclopedia of Integer Sequences for boards by cookies; A. E. Brouwer's page
on Chomp for four rows and for the rectangles with two winning openings.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.jobs.report import Check, check_equal
from position_oracle.engine.solvers.boards.outcomes import Bite, OutcomeTable
from position_oracle.schema.boards import OuterBoard

IntArray = NDArray[np.int64]

BY_COOKIES: Final = {
    ("p_positions", "A112470"): (
        *(0, 1, 0, 1, 0, 3, 0, 3, 2, 5, 2, 3, 10, 9, 10, 9),
        *(14, 17, 14, 23, 42, 45, 28, 55, 74, 67),
    ),
    ("one_winning_bite", "A112472"): (0, 0, 2, 2, 5, 4, 10, 10, 18, 21, 28, 44, 56, 70, 85, 115),
    ("more_winning_bites", "A112473"): (0, 0, 0, 0, 0, 0, 1, 2, 2, 4, 12, 9, 11, 22, 40, 52),
}
"""Numbers of boards of n = 0, 1, 2, ... cookies, by column of `board_count` and sequence."""

FOUR_ROWS: Final = {10: 75, 50: 4978, 60: 8219, 100: 34510}
"""Numbers of P-positions with at most four rows and longest row at most n."""

TWO_OPENINGS: Final[dict[tuple[int, int], tuple[Bite, ...]]] = {
    (6, 13): ((4, 12), (5, 9)),
    (8, 10): ((4, 9), (5, 6)),
    (9, 10): ((7, 8), (9, 5)),
    (10, 14): ((5, 13), (7, 9)),
    (12, 13): ((10, 11), (11, 9)),
}
"""Rectangles with two winning openings; all others up to 14 x 14, except 1 x 1, have one."""

_LARGEST_RECTANGLE: Final = 14


@dataclass(frozen=True, slots=True)
class StoredOutcomes:
    """Stored results about the boards inside one bounding board.

    Attributes:
        outer: the bounding board.
        table: outcomes of the boards inside.
        counts: columns of the table `board_count`; int64 arrays of one length.
    """

    outer: OuterBoard
    table: OutcomeTable
    counts: dict[str, IntArray]

    def counted(self, column: str, by: str, last: int) -> list[int]:
        """Sum a column for the values 0 .. last of another column, e.g. `cookies`."""
        chosen = self.counts[by] <= last
        sums = np.zeros(last + 1, np.int64)
        np.add.at(sums, self.counts[by][chosen], self.counts[column][chosen])
        return [int(number) for number in sums]


def published_checks(stored: Iterable[StoredOutcomes]) -> Iterator[Check]:
    """Yield checks of the facts that tables of these sizes contain."""
    for each in stored:
        for (column, sequence), terms in BY_COOKIES.items():
            last = min(each.outer.complete_cookies, len(terms) - 1)
            found = each.counted(column, "cookies", last)
            name = f"{column} by cookies up to {last} ({sequence})"
            yield check_equal(name, last + 1, found, list(terms[: last + 1]))
        rows, columns = len(each.outer.row_lengths), each.outer.row_lengths[0]
        if rows == 4 and each.outer.row_lengths[-1] == columns:
            widths = [n for n in FOUR_ROWS if n <= columns]
            cumulative = np.cumsum(each.counted("p_positions", "width", columns))
            yield check_equal(
                "P-positions of four rows with longest row at most n",
                len(widths),
                [int(cumulative[n]) for n in widths],
                [FOUR_ROWS[n] for n in widths],
            )
        yield _openings(each.table, each.outer.name)


def _openings(table: OutcomeTable, outer: str) -> Check:
    """Check that every rectangle except the poison has one winning opening, and five have two."""
    count, detail = 0, ""
    for rows, columns in combinations_with_replacement(range(1, _LARGEST_RECTANGLE + 1), 2):
        if (rows, columns) == (1, 1) or not table.shape.contains((columns,) * rows):
            continue
        bites = table.winning_bites((columns,) * rows)
        published = TWO_OPENINGS.get((rows, columns))
        count += 1
        if len(bites) != 1 if published is None else tuple(bites) != published:
            detail = detail or f"{rows} x {columns} has {bites}"
    return Check(f"winning openings of rectangles inside {outer}", count, detail)
