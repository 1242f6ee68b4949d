"""Figures 1 to 13."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games import chomp3
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.theory.geometry.dynamics import density, distance
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.reproduce.operators import (
    difference,
    nim_step,
    overlap,
    sheets_of_heaps,
    supermex_window,
    window_density,
)
from position_oracle.oracle.reproduce.papers.chomp.shapes import lines_of
from position_oracle.oracle.reproduce.papers.passes.shapes import (
    APART,
    CHOMP_PASSING,
    GENERIC,
    NOISE,
    OTHER,
    PASSING,
    PLAIN,
    SAME,
    apart,
    nearest_phase,
    window,
)
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_least,
    at_most,
    equal,
    every,
    near,
)
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.PASSES)

CONSTANTS = closed_form()


@chapter.entry(
    "Figure 1",
    "Instant-winner sheets of Nim, Nim with a pass, Chomp, and Chomp with a pass: the pass changes"
    " Nim altogether and Chomp hardly.",
)
def _figure_1(tables: ReportTables) -> Iterable[Quantity]:
    x = 100
    phases = min(apart(tables, (PLAIN, k), (PASSING, x)) for k in range(x, 2 * x, 10))
    yield at_least(
        f"Nim and Nim with a pass: difference of W_{x}, at the nearest phase", APART, phases
    )
    last = tables.size(1_000, 400)
    shapes = [
        density(tables.variant(game, last), last // 2, last) for game in ("chomp3", CHOMP_PASSING)
    ]
    yield at_most("Chomp and Chomp with a pass: distance of their shapes", 0.08, distance(*shapes))
    for game in ("chomp3", CHOMP_PASSING):
        sheets = tables.variant(game, last)
        found = [lines_of(sheets, k) for k in range(last - 20, last)]
        mean = {
            name: float(np.mean([getattr(f, name) for f in found]))
            for name in ("start", "lower", "upper")
        }
        yield near(f"{game}: height at y = 0 over x", CONSTANTS.alpha, mean["start"], 0.02)
        yield near(f"{game}: slope of the lower line", CONSTANTS.slope_lower, mean["lower"], 0.05)
        yield near(f"{game}: slope of the upper line", CONSTANTS.slope_upper, mean["upper"], 0.02)


@chapter.entry(
    "Figure 2",
    "Position space is cut into sheets x = 0, 1, 2, ...; no move leads to a sheet of larger x.",
)
def _figure_2(_: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.games.spec import GameSpec

    game = GameSpec("chomp3")
    positions = [(x, y, z) for x in range(5) for y in range(5) for z in range(5) if x + y + z]
    moves = [(p, q) for p in positions for _, q in chomp3.RULES.actions(p, game)]
    yield equal(
        f"of {len(moves):,} moves of Chomp, those to a larger x",
        0,
        sum(q[0] > p[0] for p, q in moves),
    )
    yield equal(
        "instant winners come by moves to a smaller x: moves that lower x from [2, 3, 1]",
        6,
        sum(q[0] < 2 for _, q in chomp3.RULES.actions((2, 3, 1), game)),
    )
    yield equal(
        "and moves within the sheet",
        7,
        sum(q[0] == 2 for _, q in chomp3.RULES.actions((2, 3, 1), game)),
    )


@chapter.entry(
    "Figure 3",
    "R leads from each instant-winner sheet to the next, M from each to its loser sheet.",
)
def _figure_3(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(60, 30)
    z, found = tables.heaps(PLAIN, 2 * last - 1), np.zeros((2 * last, 4 * last), bool)
    right_l = right_w = 0
    for x in range(last):
        losers, found = nim_step(found)
        right_l += np.array_equal(losers, z[x])
        right_w += np.array_equal(found, sheets_of_heaps(z, x + 1, 4 * last))
    yield every("sheets L_x of Nim so found", last, right_l)
    yield every("sheets W_(x+1) of Nim so found", last, right_w)
    yield every("P-positions of a sheet, one in each of n columns", 2 * last, len(losers))


@chapter.entry("Figure 4", "Nim's W_50 and W_100 show one pattern; so do W_200, W_400, ...")
def _figure_4(tables: ReportTables) -> Iterable[Quantity]:
    yield from factor_of_two(tables, PLAIN, 50)
    yield equal("cells of W_50 that are not the 2 x 2 blocks of W_100", 0, doubled(tables, 50))


def factor_of_two(tables: ReportTables, game: str, x: int) -> Iterable[Quantity]:
    """Compare sheets x and 2 x, and sheets x and 3 x / 2."""
    steps = tables.size(3, 2)
    for k in (x << step for step in range(steps)):
        yield at_most(
            f"difference of W_{k} and W_{2 * k}, box by box",
            SAME,
            apart(tables, (game, k), (game, 2 * k)),
        )
    yield at_least(
        f"how many times more W_{2 * x} and W_{3 * x} differ than W_{2 * x} and W_{4 * x}",
        2.0,
        apart(tables, (game, 2 * x), (game, 3 * x)) / apart(tables, (game, 2 * x), (game, 4 * x)),
    )


def doubled(tables: ReportTables, x: int) -> int:
    """Return marked cells of W_x whose block of W_2x is not marked, and the converse."""
    small, large = window(tables, PLAIN, x), window(tables, PLAIN, 2 * x)
    blocks = large.reshape(2 * x, 2, 2 * x, 2).any(axis=(1, 3))
    return int(np.count_nonzero(blocks != small))


@chapter.entry(
    "Figure 5", "W_55 and W_110 of Nim share a pattern, which is not quite that of W_50 and W_100."
)
def _figure_5(tables: ReportTables) -> Iterable[Quantity]:
    yield from factor_of_two(tables, PLAIN, 55)
    yield equal("cells of W_55 that are not the 2 x 2 blocks of W_110", 0, doubled(tables, 55))
    yield at_least("difference of W_100 and W_110", SAME, apart(tables, (PLAIN, 100), (PLAIN, 110)))


@chapter.entry(
    "Figure 6",
    "With a pass there are sheets with and without it; no move goes from used to unused, and the"
    " pass stays at its x.",
)
def _figure_6(_: ReportTables) -> Iterable[Quantity]:
    moves = list(_pass_moves((2, 3, 1)))
    yield equal("moves from [2, 3, 1] with the pass unused: six and the pass", 7, len(moves))
    yield equal("of these to a larger x", 0, sum(move[0] > 2 for move in moves))
    yield equal(
        "of these that use up the pass, all at x = 2",
        (1, 1),
        (sum(m[3] == 0 for m in moves), sum(m[3] == 0 and m[0] == 2 for m in moves)),
    )
    yield equal("moves from the empty heaps", 0, len(list(_pass_moves((0, 0, 0)))))


def _pass_moves(heaps: tuple[int, int, int]) -> Iterable[tuple[int, int, int, int]]:
    from position_oracle.engine.games import nim
    from position_oracle.engine.games.game_text import parse_game

    game = parse_game(PASSING)
    for _, (x, y, z) in nim.RULES.actions(heaps, game):
        yield x, y, z, 1
    if sum(heaps):
        yield (*heaps, 0)


@chapter.entry(
    "Figure 7",
    "Nim with a pass: W_50 and W_100 share one geometry, W_55 and W_110 another, slightly different"
    " one; both differ strikingly from Nim's.",
)
def _figure_7(tables: ReportTables) -> Iterable[Quantity]:
    for x in (50, 55):
        yield at_most(
            f"difference of W_{x} and W_{2 * x}",
            SAME,
            apart(tables, (PASSING, x), (PASSING, 2 * x)),
        )
    yield at_least(
        "W_100 and W_110 differ more than W_100 and W_200, times",
        1.5,
        apart(tables, (PASSING, 100), (PASSING, 110))
        / apart(tables, (PASSING, 100), (PASSING, 200)),
    )
    yield at_least(
        "difference of W_100 from Nim's at the nearest phase",
        APART,
        nearest_phase(tables, PLAIN, PASSING, 100),
    )


@chapter.entry(
    "Figure 8", "The board of Chomp at the start and in general: [x, y, z] with the poison left."
)
def _figure_8(_: ReportTables) -> Iterable[Quantity]:
    yield equal("rows of [5, 0, 0]", (5, 5, 5), tuple(chomp3.to_rows((5, 0, 0))))
    yield equal("rows of [2, 3, 4]", (9, 5, 2), tuple(chomp3.to_rows((2, 3, 4))))
    yield equal("rows of the terminal [0, 0, 1]", (1, 0, 0), tuple(chomp3.to_rows((0, 0, 1))))


@chapter.entry(
    "Figure 9",
    "Generic Nim, [9, 13, 4] declared an N-position, at x = 85. Declaring [7, 4, 3] instead gives"
    " the same geometry, which is that of Nim with a pass.",
)
def _figure_9(tables: ReportTables) -> Iterable[Quantity]:
    yield equal("[9, 13, 4] and [7, 4, 3] are P in Nim", (0, 0), (9 ^ 13 ^ 4, 7 ^ 4 ^ 3))
    yield at_most(
        "difference of both generic games, W_85", SAME, apart(tables, (GENERIC, 85), (OTHER, 85))
    )
    yield at_most(
        "from Nim with a pass, at the nearest phase",
        SAME,
        nearest_phase(tables, GENERIC, PASSING, 85),
    )
    yield at_least(
        "from Nim, at the nearest phase", APART / 2, nearest_phase(tables, PLAIN, GENERIC, 85)
    )
    yield at_most(
        "W_85 and W_170: factor of two", SAME, apart(tables, (GENERIC, 85), (GENERIC, 170))
    )


@chapter.entry("Figure 10", "Generic Chomp, W_200: the geometry of Chomp again.")
def _figure_10(tables: ReportTables) -> Iterable[Quantity]:
    plain = tables.variant("chomp3", 400)
    game = f"chomp3{{declared=[3,2,{plain.z_at(3, 2)}]}}"
    sheets = tables.variant(game, 400)
    found = [lines_of(sheets, k) for k in range(190, 211)]
    for name, expected in (
        ("start", CONSTANTS.alpha),
        ("lower", CONSTANTS.slope_lower),
        ("upper", CONSTANTS.slope_upper),
        ("end", CONSTANTS.line_end),
    ):
        mean = float(np.mean([getattr(f, name) for f in found]))
        yield near(f"x = 190 to 210: {name} of the lines", expected, mean, 0.03)
    both = [window_density(instant_winners(s, 200, 200, 176) > 0) for s in (plain, sheets)]
    yield at_most("difference of W_200 from Chomp's, box by box", 0.05, difference(*both))


@chapter.entry(
    "Figure 11",
    "Infinite-generic Nim, one position declared in every column of every sheet, normally"
    " distributed about the main diagonal: W_85 is that of generic Nim up to the factor of two.",
)
def _figure_11(tables: ReportTables) -> Iterable[Quantity]:
    yield at_most(
        "difference from generic Nim at the nearest phase",
        SAME,
        nearest_phase(tables, GENERIC, NOISE, 85),
    )
    yield at_least(
        "difference from Nim at the nearest phase",
        APART / 2,
        nearest_phase(tables, PLAIN, NOISE, 85),
    )
    yield at_most("W_85 and W_170", SAME, apart(tables, (NOISE, 85), (NOISE, 170)))
    yield at_least(
        "share of its P-positions that generic Nim has elsewhere, sheet 85",
        0.5,
        float(np.mean(tables.heaps(NOISE, 170)[85] != tables.heaps(GENERIC, 170)[85])),
    )


@chapter.entry(
    "Figure 12",
    "The overlap of Nim with a pass's P-positions with those that the sheet would have without its"
    " own pass-winners is small at small x and rises with x.",
)
def _figure_12(tables: ReportTables) -> Iterable[Quantity]:
    shares = overlaps(tables, tables.size(300, 150))
    yield at_most("mean overlap for x = 1 to 10", 0.75, float(shares[:10].mean()))
    yield at_least(
        "mean overlap in the last quarter of x", 0.95, float(shares[-len(shares) // 4 :].mean())
    )
    parts = [float(part.mean()) for part in np.array_split(shares, 4)]
    yield every(
        "quarters of the range with a larger mean than the one before",
        3,
        sum(b > a for a, b in pairwise(parts)),
    )


def overlaps(tables: ReportTables, last: int) -> NDArray[np.float64]:
    """Return the overlap of Figure 12 for x = 1 .. last, in columns y < 2 x + 2."""
    z = tables.heaps(PASSING, 2 * last + 2)

    def make() -> NDArray[np.float64]:
        found = []
        for x in range(1, last + 1):
            width = 2 * x + 2
            without = supermex_window(sheets_of_heaps(z[:, :width], x, 3 * x + 4), diagonals=False)
            found.append(overlap(z[x, :width].astype(np.int64), without))
        return np.array(found)

    return tables.once(("overlaps", last), make)


@chapter.entry(
    "Figure 13",
    "Declaring one more position of sheet 50 of generic Nim: after about 15 levels nearly half of"
    " all P-positions have moved.",
)
def _figure_13(tables: ReportTables) -> Iterable[Quantity]:
    before = tables.heaps(GENERIC, 150)
    found = []
    for y in range(0, 60, tables.size(1, 3)):
        declared = f"[9,13,4]+[50,{y},{before[50, y]}]"
        after = tables.heaps(f"nim{{heaps=3,declared={declared}}}", 150)
        found.append([float(np.mean(after[x, :50] != before[x, :50])) for x in range(151)])
    shares = np.array(found)
    best = shares[shares[:, 65].argmax()]
    yield at_least("largest share moved at x = 65, columns y < 50", 0.4, float(best[65]))
    yield at_least("and its mean from there to x = 150", 0.4, float(best[65:].mean()))
    yield equal("share moved below x = 50", 0.0, float(shares[:, :50].max()))
    yield at_most("share moved at x = 50 itself", 0.25, float(best[50]))
