"""Published facts about plain three-row Chomp, for checks of stored tables.

Sources: the On-Line Encyclopedia of Integer Sequences (contributions of Zeilberger, Brouwer and
others) and Brouwer, Horvath, Molnar-Saska and Szabo, On three-rowed Chomp, Integers 5 (2005).
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import numpy as np

from position_oracle.engine.jobs.report import Check, check
from position_oracle.schema.sheets import NO_Z, LoserSheets

T = TypeVar("T")

P_COUNTS: Final = {50: 490, 100: 1831, 200: 7108, 400: 27908}
"""A029899: P-positions with longest row at most n."""

DIAGONAL: Final = (1, 3, 4, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21, 24, 25, 27, 28, 30, 32, 34)
"""A029900: f(q, q) for q = 0, 1, ..."""

PERIODIC: Final = (
    *(120, 400, 402, 422, 424, 513, 576, 583, 585, 593),
    *(605, 610, 861, 888, 890, 892, 904, 1013, 1015, 1059),
)
"""A147983: the first sheets whose tail has a period above 1."""

CENSUS_COUNTS: Final = {
    10_000: {0: 5858, 1: 3939, 2: 141, 3: 7, 4: 54, 9: 2},
    50_000: {0: 29289, 1: 19788, 2: 675, 3: 29, 4: 212, 6: 1, 8: 3, 9: 4},
}
"""Number of sheets x <= X by the period of their tail; 0 counts the sheets that stop."""

STORED_ROWS: Final = {10_000: 20_728_253}
"""Number of P-positions in the prefixes and in one period of each tail, for x <= X."""


def published_checks(sheets: LoserSheets) -> Iterator[Check]:
    """Yield checks of the facts that a table of this size contains."""
    largest_x = len(sheets) - 1
    yield _compare(
        "P-positions with longest row at most n (A029899)",
        {n: expected for n, expected in P_COUNTS.items() if n <= largest_x},
        lambda n: _p_count(sheets, n),
    )
    yield _compare(
        "deadly diagonal f(q, q) (A029900)",
        {q: p for q, p in enumerate(DIAGONAL) if q <= largest_x},
        lambda q: q + int(sheets.diagonal[q]),
    )
    periodic = tuple(x for x in PERIODIC if x <= largest_x)
    yield _compare(
        "sheets with a period above 1 (A147983)",
        {min(largest_x, PERIODIC[-1]): periodic},
        lambda x: tuple(np.flatnonzero(sheets.tail_period[: x + 1] > 1).tolist()),
    )
    yield _compare(
        "sheets x <= X by period of their tail",
        {x: census for x, census in CENSUS_COUNTS.items() if x <= largest_x},
        lambda x: sheets.part(0, x + 1).census(),
    )
    yield _compare(
        "P-positions in prefixes and one period of each tail, x <= X",
        {x: rows for x, rows in STORED_ROWS.items() if x <= largest_x},
        lambda x: int((sheets.prefix_length + sheets.tail_period)[: x + 1].sum()),
    )
    yield _unique_openings(sheets)


def _compare(name: str, expected: dict[int, T], found: Callable[[int], T]) -> Check:
    failures = (
        f"at {key}: {other} instead of {value}"
        for key, value in expected.items()
        if (other := found(key)) != value
    )
    return check(name, len(expected), failures)


def _p_count(sheets: LoserSheets, n: int) -> int:
    x, y = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    z = sheets.look_up(x, y)
    return int(np.count_nonzero((z != NO_Z) & (x + y + z <= n)))


def _unique_openings(sheets: LoserSheets) -> Check:
    """Check that one move from the 3 x n rectangle wins: to (n, q, q) or to (n, n, r)."""
    x = np.arange(len(sheets))
    stops = np.flatnonzero(sheets.tail_period == 0)
    lengths = np.concatenate([x + sheets.diagonal, stops + sheets.prefix_length[stops] - 1])
    moves = np.bincount(lengths[lengths < len(sheets)], minlength=len(sheets))[1:]
    wrong = np.flatnonzero(moves != 1)
    failures = (f"{moves[n]} from [{n + 1},0,0]" for n in wrong)
    return check("one winning move from every rectangle [x,0,0]", len(moves), failures)
