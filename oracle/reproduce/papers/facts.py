"""Published facts of others that the tables reproduce."""

from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.solvers.boards.census import take_census
from position_oracle.engine.solvers.boards.outcomes import Bite, solve_shape
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.shape import box
from position_oracle.engine.theory.octal import parse_code
from position_oracle.engine.theory.octal_pass import solve_pass_sequence
from position_oracle.engine.theory.openings import openings
from position_oracle.engine.theory.periodicity import ValueSequence
from position_oracle.oracle.reproduce.octal_tables import solve_long_sequence
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_most,
    equal,
    every,
    holds,
)
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.sheets import NO_Z, LoserSheets

if TYPE_CHECKING:
    from position_oracle.schema.census import Census

chapter = Chapter(Paper.FACTS)

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

RECTANGLES: Final = (2, 4, 5, 9, 11, 12, 13, 16, 19, 21, 24, 26, 28, 31, 32, 35, 36, 39, 42, 41)
"""A069001: Grundy values of the 3 x n rectangles, n = 1, 2, ..., if the poison cannot be eaten."""

EQUAL_HEAPS: Final = (0, 2, 1, 6, 7, 8, 3, 5, 4, 16, 14, 15, 10, 9, 11, 20, 13, 21, 12, 25)
"""A047708: Grundy values of Wythoff's game with heaps (n, n)."""

A029899: Final = (
    *(0, 1, 3, 5, 7, 10, 13, 17, 20, 25, 29, 33, 39, 44, 51),
    *(56, 62, 70, 76, 85, 92, 100, 110, 121, 129, 137, 149, 158, 167, 180),
)
A029901: Final = (2, 5, 7, 9, 12, 14, 17, 19, 22, 23, 26, 29, 31, 33, 36, 38, 41, 43, 46, 47)
A029902: Final = (1, 3, 4, 6, 8, 10, 12, 13, 15, 16, 18, 20, 21, 23, 25, 27, 29, 30, 32, 33)
A029903: Final = (1, 2, 4, 5, 6, 7, 9, 11, 12, 14, 15, 16, 17, 19, 21, 22, 23, 24, 25, 27)
A029904: Final = (0, 2, 7, 10, 12, 19, 20, 24, 27, 31, 34, 36, 39, 44, 48, 50, 56, 60, 63, 63)
A029905: Final = (0, 2, 5, 7, 9, 11, 14, 17, 19, 22, 24, 26, 28, 31, 34, 36, 38, 40, 42, 45)
A004481: Final = (
    *(0, 1, 1, 2, 2, 2, 3, 0, 0, 3, 4, 4, 1, 4, 4),
    *(5, 5, 5, 5, 5, 5, 6, 3, 3, 6, 3, 3, 6),
)
KAYLES: Final = (0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7)
DAWSON: Final = (
    *(0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2),
    *(3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 2, 7, 4),
)


@chapter.entry(
    "OEIS A029899",
    "Numbers of P-positions (p, q, r) of three-row Chomp with p <= n (Zeilberger).",
)
def _a029899(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(400)
    found = tuple(p_count(sheets, n) for n in range(len(A029899)))
    yield equal("n = 0 .. 29", A029899, found)
    for n, count in P_COUNTS.items():
        yield equal(f"n = {n}", count, p_count(sheets, n))


def p_count(sheets: LoserSheets, n: int) -> int:
    """Return the number of P-positions with a first row of at most n."""
    x, y = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    z = sheets.look_up(x, y)
    return int(np.count_nonzero((z != NO_Z) & (x + y + z <= n)))


@chapter.entry(
    "OEIS A029900; OEIS A029901; OEIS A029902",
    "The p of P-positions (p, q, q), and p and r of P-positions (p, p, r) (Zeilberger).",
)
def _deadly(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(400)
    yield equal(
        "f(q, q), q = 0 .. 19",
        DIAGONAL,
        tuple(int(d) + q for q, d in enumerate(sheets.diagonal[: len(DIAGONAL)])),
    )
    stops = np.flatnonzero(sheets.tail_period == 0)
    lengths = stops + sheets.prefix_length[stops] - 1
    order = np.argsort(lengths)[: len(A029901)]
    yield equal("p of (p, p, r)", A029901, tuple(lengths[order].tolist()))
    yield equal("r of them", A029902, tuple(stops[order].tolist()))


@chapter.entry(
    "OEIS A029903; OEIS A029904; OEIS A029905",
    "Where f(q, r) = q + c for all large q: the c, the q from which on, the r.",
)
def _constant(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(400)
    x = np.flatnonzero(sheets.tail_period == 1)[: len(A029905)]
    yield equal("r", A029905, tuple(x.tolist()))
    yield equal("c", A029903, tuple(int(sheets.tail(k)[0]) for k in x.tolist()))
    yield equal("q", A029904, tuple((x + sheets.prefix_length[x]).tolist()))


@chapter.entry(
    "OEIS A147983; Brouwer, Horvath, Molnar-Saska and Szabo (2005)",
    "The r whose f(q, r) - q becomes periodic with a period above 1, and how many r <= 10,000 and"
    " 50,000 have each period.",
)
def _periods(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    found = np.flatnonzero(census.tail_period > 1)[: len(PERIODIC)]
    yield equal("the first twenty", PERIODIC, tuple(found.tolist()))
    for last, counts in CENSUS_COUNTS.items():
        if last < len(census.tail_period):
            periods, numbers = np.unique(census.tail_period[: last + 1], return_counts=True)
            ours = dict(zip(periods.tolist(), numbers.tolist(), strict=True))
            yield equal(
                f"r <= {last:,}: (period, how many)", tuple(counts.items()), tuple(ours.items())
            )
    for r, values in (
        (120, (72, 70)),
        (2027, (1189, 1189, 1186)),
        (6541, (3833, 3833, 3833, 3829, 3832, 3833, 3833, 3833, 3829)),
    ):
        tail = census.tail_z[census.tail_offset[r] : census.tail_offset[r + 1]]
        yield equal(f"the period of r = {r}", values, tuple(tail.tolist()))


@chapter.entry(
    "Zeilberger, Three-rowed Chomp (2001)",
    "For few columns of three the P-positions are simple: [0, y, 1] for all y; [1, 0, 2] and [1, 1,"
    " 0]; [2, y, 2] for all y.",
)
def _zeilberger(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(400)
    y = np.arange(300)
    yield every(
        "columns of sheet 0 with z = 1", 300, int(np.count_nonzero(sheets.look_up(0, y) == 1))
    )
    yield equal("sheet 1", (2, 0), tuple(sheets.prefix(1).tolist()))
    yield every(
        "columns of sheet 2 with z = 2", 300, int(np.count_nonzero(sheets.look_up(2, y) == 2))
    )


@chapter.entry(
    "Byrnes, Poset game periodicity (2003)",
    "The P-positions of every sheet are eventually periodic.",
)
def _byrnes(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    yield equal(
        f"sheets x <= {len(census.tail_period) - 1:,} that neither stop nor have a certified tail",
        0,
        int(np.count_nonzero(census.tail_period < 0)),
    )
    yield at_most(
        "largest distance of the beginning of a tail from sqrt 2 x rows",
        8.0,
        float(_tail_starts(census)),
    )


def _tail_starts(census: "Census") -> float:
    x = np.flatnonzero(census.tail_period > 0)
    return float(np.abs(x + census.prefix_length[x] - 2**0.5 * x).max())


@chapter.entry(
    "OEIS A069001",
    "Grundy values of the 3 x n rectangles, where the poison may not be eaten.",
)
def _rectangles(_: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers import three_row_values

    table = three_row_values.solve("grundy", len(RECTANGLES))
    found = tuple(table.at((n, n, n)) for n in range(1, len(RECTANGLES) + 1))
    yield equal("n = 1 .. 20", RECTANGLES, found)


@chapter.entry(
    "Schuh (1952); Gale (1974)",
    "Divisors of a number with two primes are Chomp; the first player wins every rectangle but the"
    " poison, and n x n by the bite in row 2, column 2.",
)
def _schuh(tables: ReportTables) -> Iterable[Quantity]:
    side = tables.size(12, 9)
    table = solve_shape(box(side, side))
    squares = [n for n in range(2, side + 1) if (2, 2) in table.winning_bites((n,) * n)]
    yield equal("n x n won by that bite", side - 1, len(squares))
    lost = [
        s
        for s in combinations_with_replacement(range(1, side + 1), 2)
        if s != (1, 1) and not table.winning_bites((s[1],) * s[0])
    ]
    yield equal("rectangles without a winning bite", (), tuple(lost))
    # 72 = 2^3 3^2 is the board 4/4/4; 12 = 2^2 3 is the bite in row 2, column 3.
    wins = (2, 3) in table.winning_bites((4, 4, 4))
    yield holds("naming 12 wins the divisors of 72", ours=wins)


@chapter.entry(
    "OEIS A112470; OEIS A112471; OEIS A112472; OEIS A112473",
    "Partitions of n that are P-positions as Chomp boards, those that are N, and of these those"
    " with one winning bite and with several.",
)
def _by_cookies(tables: ReportTables) -> Iterable[Quantity]:
    cookies = tables.size(25, 15)
    census = take_census(solve_shape(Outer.parse(str(cookies)).shape))
    for (column, number), terms in BY_COOKIES.items():
        last = min(cookies, len(terms) - 1)
        sums = np.zeros(last + 1, np.int64)
        chosen = census["cookies"] <= last
        np.add.at(sums, census["cookies"][chosen], census[column][chosen])
        yield equal(f"{number}, n = 0 .. {last}", terms[: last + 1], tuple(sums.tolist()))
    boards, lost = np.zeros(16, np.int64), np.zeros(16, np.int64)
    chosen = census["cookies"] < 16
    np.add.at(boards, census["cookies"][chosen], census["boards"][chosen])
    np.add.at(lost, census["cookies"][chosen], census["p_positions"][chosen])
    yield equal(
        "A112471, n = 0 .. 15",
        (1, 0, 2, 2, 5, 4, 11, 12, 20, 25, 40, 53, 67, 92, 125, 167),
        tuple((boards - lost).tolist()),
    )


@chapter.entry(
    "Brouwer: four rows",
    "P-positions of at most four rows with a first row of at most n: 75, 4,978, 8,219, 34,510.",
)
def _four_rows(tables: ReportTables) -> Iterable[Quantity]:
    columns = tables.size(100, 60)
    boards = solve_shape(box(4, columns)).p_positions()
    for n, count in FOUR_ROWS.items():
        if n <= columns:
            yield equal(f"n = {n}", count, int(np.count_nonzero(boards[:, 0] <= n)))
    small = tuple(int(np.count_nonzero(boards[:, 0] <= n)) for n in range(1, 11))
    yield equal("n = 1 .. 10", (1, 4, 7, 10, 16, 20, 30, 38, 54, 75), small)


@chapter.entry(
    "Rectangles with two winning openings",
    "6 x 13, 8 x 10, 9 x 10, 10 x 14 and 12 x 13 have two winning openings, all others up to 14 x"
    " 14 but 1 x 1 exactly one (Berlekamp, Conway and Guy; Brouwer).",
)
def _two_openings(tables: ReportTables) -> Iterable[Quantity]:
    rows, columns = tables.size((12, 14), (9, 13))
    table = solve_shape(box(rows, columns))
    wrong = []
    for m, n in combinations_with_replacement(range(1, columns + 1), 2):
        if m > rows or (m, n) == (1, 1):
            continue
        bites = tuple(table.winning_bites((n,) * m))
        expected = TWO_OPENINGS.get((m, n))
        if expected is not None:
            yield equal(f"{m} x {n}: the bites (row, column)", expected, bites)
        elif len(bites) != 1:
            wrong.append((m, n))
    yield equal(f"other rectangles inside {rows} x {columns} without exactly one", (), tuple(wrong))


@chapter.entry(
    "Uniqueness of openings in three rows",
    "Every 3 x n rectangle has one winning opening, checked before for n <= 90,000 (Brouwer).",
)
def _unique(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    found = openings(census.diagonal_z, census.prefix_length, census.tail_period)
    last = found.complete_to
    yield equal(
        f"n = 2 .. {last:,} with another number than one",
        0,
        int(np.count_nonzero(found.count[2 : last + 1] != 1)),
    )


@chapter.entry(
    "Bouton (1901); Wythoff (1907); Fraenkel (1984)",
    "Nim's P-positions have nim-sum 0; Wythoff's are (floor(n phi), floor(n phi^2)); in misere play"
    " only (0, 0) and (1, 2) change, to (0, 1) and (2, 2).",
)
def _classics(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers import heap_sheets
    from position_oracle.engine.theory import wythoff

    z = tables.heaps("nim{heaps=3}", 100)
    x, y = np.indices(z.shape)
    yield every("Nim, heaps to 100", z.size, int(np.count_nonzero(z == (x ^ y))))
    last = tables.size(400, 150)
    zero = np.argwhere(heap_sheets.solve(heap_sheets.WYTHOFF, last, 2 * last) == 0)
    phi = (1 + 5**0.5) / 2
    pairs = {(int(n * phi), int(n * phi) + n) for n in range(last)}
    ours = {(int(a), int(b)) for a, b in zero if a <= b and a <= last // 2}
    yield every(
        "Wythoff: P-positions with the smaller heap to half of that", len(ours), len(ours & pairs)
    )
    search = _misere_wythoff(30)
    same = sum(
        wythoff.is_p_position(a, b, misere=True) == (pair in search)
        for pair in combinations_with_replacement(range(30), 2)
        for a, b in [pair]
    )
    yield every("misere Wythoff, heaps below 30, by game tree", 465, same)


def _misere_wythoff(size: int) -> set[tuple[int, int]]:
    p: set[tuple[int, int]] = set()
    for a, b in sorted(combinations_with_replacement(range(size), 2), key=sum):
        moves = {(k, b) for k in range(a)} | {(min(a, k), max(a, k)) for k in range(b)}
        moves |= {(a - t, b - t) for t in range(1, a + 1)}
        if moves and not moves & p:
            p.add((a, b))
    return p


@chapter.entry(
    "OEIS A004481; OEIS A047708",
    "Grundy values of Wythoff's game by antidiagonals, and of equal heaps.",
)
def _wythoff_values(_: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers import heap_sheets

    values = heap_sheets.solve(heap_sheets.WYTHOFF, 24, 24)
    lines = [int(values[k, n - k]) for n in range(7) for k in range(n + 1)]
    yield equal("antidiagonals 0 .. 6", A004481, tuple(lines))
    yield equal(
        "(n, n), n = 0 .. 19",
        EQUAL_HEAPS,
        tuple(int(values[n, n]) for n in range(len(EQUAL_HEAPS))),
    )


@chapter.entry(
    "Guy and Smith (1956); OEIS A002186; OEIS A002187",
    "Kayles has period 12 from 71 on, Dawson's Chess 34 from 52 on; values as tabulated.",
)
def _guy_and_smith(_: ReportTables) -> Iterable[Quantity]:
    for name, code, terms, period, exception in (
        ("Kayles 0.77", "0.77", KAYLES, 12, 70),
        ("Dawson's Chess 0.137", "0.137", DAWSON, 34, 51),
    ):
        found = solve_long_sequence(parse_code(code), 2_000)
        yield equal(f"{name}: values", terms, tuple(found.values[: len(terms)].tolist()))
        yield equal(f"{name}: period and last exception", (period, exception), _certified(found))


def _certified(found: ValueSequence) -> tuple[int, int]:
    certificate = found.certificate
    return (certificate.period, certificate.last_exception) if certificate else (0, 0)


OCTAL_PERIODS: Final = {
    "0.156": (349, 3_478),
    "0.644": (442, 3_255),
    "0.165": (1_550, 5_180),
    "0.356": (142, 7_314),
    "0.127": (4, 46_577),
    "0.56": (144, 326_637),
}
"""Period and last exception."""


@chapter.entry(
    "Periods of octal games",
    "0.156 has period 349 after 3,478; 0.165 1,550 after 5,180; 0.356 142 after 7,314; 0.644 442"
    " after 3,255; 0.127 4 after 46,577 (A071464); 0.56 144 after 326,637 (A071436; Gangolli and"
    " Plambeck).",
    correction="For 0.56 the last exception is heap 326,639: the sequence is indexed otherwise.",
)
def _octal(tables: ReportTables) -> Iterable[Quantity]:
    codes = tuple(OCTAL_PERIODS)
    for code in tables.size(codes, codes[:2]):  # sequences beyond heaps of 8,191 are compiled
        yield equal(
            f"{code}: period, last exception",
            OCTAL_PERIODS[code],
            _certified(solve_long_sequence(parse_code(code), 2_000_000)),
            corrected=(144, 326_639) if code == "0.56" else None,
        )


@chapter.entry(
    "Horrocks and Nowakowski (2003)",
    "With a pass on one heap, values of octal games can be arithmetic periodic, or so for some"
    " residues only.",
)
def _horrocks(_: ReportTables) -> Iterable[Quantity]:
    for code, period, saltus, kind in (
        ("0.57", 12, 8, "arithmetic periodic"),
        ("0.75", 4, 4, "arithmetic periodic"),
        ("4.7", 6, 8, "arithmetic periodic"),
        ("0.517", 18, 8, "periodic and arithmetic periodic"),
    ):
        found = solve_pass_sequence(parse_code(code), 2_000).certificate
        yield equal(
            f"{code}: period, saltus, kind, certified",
            (period, saltus, kind),
            (found.period, found.saltus, found.kind) if found else (0, 0, "none"),
        )
