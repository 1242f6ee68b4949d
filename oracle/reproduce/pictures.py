"""The pictures of the report, by the functions of `clients.plot` and with the same tables.

The module needs matplotlib (extra `plot`), and is imported only for pictures.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.clients.plot import (
    COLUMN,
    PAGE,
    Sheet,
    added_lines_figure,
    board_figure,
    chances_figure,
    comparison_figure,
    decomposition_figure,
    file_of,
    foliation_figure,
    implied_diagonals_figure,
    opening_moves_figure,
    opening_places_figure,
    openings_figure,
    overlap_figure,
    recursion_figure,
    scatter_figure,
    sensitivity_figure,
    sheet_figure,
    tail_census_figure,
    tail_periods_figure,
    transfinite_figure,
)
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.oracle.reproduce.operators import sheets_of_heaps
from position_oracle.oracle.reproduce.papers.beyond_random_play import chomp_leads
from position_oracle.oracle.reproduce.papers.chomp import figures
from position_oracle.oracle.reproduce.papers.chomp.claims import NIM_VARIANTS, known_openings
from position_oracle.oracle.reproduce.papers.chomp.shapes import near_with_tail
from position_oracle.oracle.reproduce.papers.passes.figures import overlaps
from position_oracle.oracle.reproduce.papers.passes.shapes import (
    CHOMP_PASSING,
    GENERIC,
    NOISE,
    OTHER,
    PASSING,
    PLAIN,
)
from position_oracle.oracle.reproduce.tables import ReportTables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI: Final = 150
SOURCE: Final = "exact"

Drawing = Callable[[ReportTables], "Iterable[Figure]"]

DRAWINGS: Final[dict[str, Drawing]] = {}
"""Functions that draw the pictures of an entry, by its name."""


def draws(name: str) -> Callable[[Drawing], Drawing]:
    """Let the decorated function draw the pictures of an entry."""

    def register(drawing: Drawing) -> Drawing:
        DRAWINGS[name] = drawing
        return drawing

    return register


def pictures_of(name: str, tables: ReportTables) -> tuple[bytes, ...]:
    """Return PNG files of the pictures of an entry; none if it has none."""
    drawing = DRAWINGS.get(name)
    if drawing is None:
        return ()
    return tuple(file_of(figure, "png", DPI) for figure in drawing(tables))


def chomp_sheet(tables: ReportTables, x: int, game: str = "chomp3") -> Sheet:
    """Return a sheet of three-row Chomp, or a variant, as large as its figure shows it."""
    sheets = tables.sheets(x) if game == "chomp3" else tables.variant(game, max(x, 400))
    side = x, round(0.8 * x)
    winners = instant_winners(sheets, x, *side)
    return Sheet.of(game, sheets, x, winners=winners, size=side, source=SOURCE)


def heap_sheet(tables: ReportTables, game: str, x: int, times: float = 2.0) -> Sheet:
    """Return a sheet of a game of three heaps, `times` x wide, with the ages of its cells."""
    side = round(times * x)
    z = tables.heaps(game, side)[:, :side]
    winners = sheets_of_heaps(z, x, side).astype(np.uint8)
    ages = np.zeros((side, side), np.int32)
    for k in range(x):
        there = np.flatnonzero(z[k] < side)
        ages[there, z[k, there]] = x - k
    losers = np.where(z[x] < side, z[x], -1).astype(np.int64)
    return Sheet(game, x, winners, losers, (side, side), ages=ages, source=SOURCE)


@draws("chomp:figure-1-moves-m1-m6")
def _board(_: ReportTables) -> "Iterable[Figure]":
    yield board_figure((10, 10, 10), title="Three rows")
    yield board_figure(
        (9, 5, 3), outer=(10, 10, 10), coordinates=True, bitten={"A": (3, 4), "B": (2, 6)}
    )


@draws("chomp:figure-2")
def _shapes(tables: ReportTables) -> "Iterable[Figure]":
    yield sheet_figure(chomp_sheet(tables, 800), regions=True, width=PAGE)
    yield sheet_figure(chomp_sheet(tables, 400), width=COLUMN)
    tailed = near_with_tail(tables.sheets(800), 400)
    yield sheet_figure(chomp_sheet(tables, tailed), kind="L", by="line", lines=True)


@draws("chomp:figure-3")
def _parts_of_a_sheet(tables: ReportTables) -> "Iterable[Figure]":
    tailed = near_with_tail(tables.sheets(800), 300)
    yield added_lines_figure(chomp_sheet(tables, tailed))


@draws("chomp:figure-4")
def _w_100(tables: ReportTables) -> "Iterable[Figure]":
    yield sheet_figure(chomp_sheet(tables, 100))


@draws("chomp:figure-5")
def _decomposition(tables: ReportTables) -> "Iterable[Figure]":
    yield decomposition_figure(chomp_sheet(tables, 100), width=PAGE)


@draws("chomp:figure-6")
def _upper_line(tables: ReportTables) -> "Iterable[Figure]":
    yield implied_diagonals_figure(chomp_sheet(tables, 60))


@draws("chomp:figure-7")
def _places(tables: ReportTables) -> "Iterable[Figure]":
    yield opening_moves_figure()
    known = known_openings(tables).between(2, 2_000)
    yield opening_places_figure(known.first, known.kind, known.place, source="n = 2 to 2,000")


@draws("chomp:figure-8")
def _spread(tables: ReportTables) -> "Iterable[Figure]":
    yield sensitivity_figure(_curves(tables, ((50, 200), (300, 900)), reach=30))
    yield sensitivity_figure(_curves(tables, ((50, 200), (300, 900))), iterations=False)


def _curves(
    tables: ReportTables, ranges: Iterable[tuple[int, int]], reach: int | None = None
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return fractions moved by the strongest change at each x0, against x - x0 or x / x0."""
    curves = {}
    for x0, last in ranges:
        shares = figures.spread(tables, x0, last)
        best = max(shares, key=lambda share: float(share[x0 : x0 + 50].mean()))
        end = last if reach is None else x0 + reach
        x = np.arange(x0, end)
        axis = (x - x0).astype(float) if reach else x / x0
        curves[f"one point added to W_{x0}"] = (axis, best[x0:end])
    return curves


@draws("preprint:figure-1")
def _board_again(_: ReportTables) -> "Iterable[Figure]":
    yield board_figure((6, 3, 2), outer=(8, 8, 8), coordinates=True)


@draws("preprint:figure-2")
def _two_scales(tables: ReportTables) -> "Iterable[Figure]":
    yield comparison_figure([chomp_sheet(tables, x) for x in (700, 350)], width=PAGE)


@draws("preprint:figure-3")
def _spread_again(tables: ReportTables) -> "Iterable[Figure]":
    yield sensitivity_figure(_curves(tables, ((100, 300), (400, 1_000)), reach=60))


@draws("preprint:figure-4")
def _nim_ages(tables: ReportTables) -> "Iterable[Figure]":
    x = tables.size(256, 128)
    games = ("nim{heaps=3}", NIM_VARIANTS[0])
    yield comparison_figure([heap_sheet(tables, game, x) for game in games], by="age", width=PAGE)


@draws("passes:figure-1")
def _four_geometries(tables: ReportTables) -> "Iterable[Figure]":
    nim = [heap_sheet(tables, game, 100) for game in (PLAIN, PASSING)]
    yield comparison_figure(nim, width=PAGE, title="(a), (b): Nim, and with a pass")
    chomp = [chomp_sheet(tables, 200, game) for game in ("chomp3", CHOMP_PASSING)]
    yield comparison_figure(chomp, width=PAGE, title="(c), (d): Chomp, and with a pass")


@draws("passes:figure-2")
def _stacked(tables: ReportTables) -> "Iterable[Figure]":
    sheets = [heap_sheet(tables, PLAIN, x, 32 / x) for x in (8, 12, 16)]
    yield foliation_figure(sheets)


@draws("passes:figure-3")
def _recursion(_: ReportTables) -> "Iterable[Figure]":
    yield recursion_figure()


@draws("passes:figure-6")
def _recursion_with_a_pass(_: ReportTables) -> "Iterable[Figure]":
    yield recursion_figure(with_pass=True)


def _pair(game: str, xs: tuple[int, ...]) -> Drawing:
    def drawing(tables: ReportTables) -> "Iterable[Figure]":
        yield comparison_figure([heap_sheet(tables, game, x) for x in xs], width=PAGE)

    return drawing


DRAWINGS["passes:figure-4"] = _pair(PLAIN, (50, 100))
DRAWINGS["passes:figure-5"] = _pair(PLAIN, (55, 110))
DRAWINGS["passes:figure-7"] = _pair(PASSING, (50, 100, 55, 110))


@draws("passes:figure-8")
def _chomp_boards(_: ReportTables) -> "Iterable[Figure]":
    yield board_figure((9, 5, 2), outer=(10, 10, 10), coordinates=True)


@draws("passes:figure-9")
def _generic_nim(tables: ReportTables) -> "Iterable[Figure]":
    yield comparison_figure([heap_sheet(tables, game, 85) for game in (GENERIC, OTHER)], width=PAGE)


@draws("passes:figure-10")
def _generic_chomp(tables: ReportTables) -> "Iterable[Figure]":
    plain = tables.variant("chomp3", 400)
    yield sheet_figure(chomp_sheet(tables, 200, f"chomp3{{declared=[3,2,{plain.z_at(3, 2)}]}}"))


@draws("passes:figure-11")
def _infinite_generic(tables: ReportTables) -> "Iterable[Figure]":
    yield sheet_figure(heap_sheet(tables, NOISE, 85))


@draws("passes:figure-12")
def _overlap(tables: ReportTables) -> "Iterable[Figure]":
    shares = overlaps(tables, tables.size(300, 150))
    yield overlap_figure(np.arange(1, len(shares) + 1), shares, average=15)


@draws("passes:figure-13")
def _nim_spread(tables: ReportTables) -> "Iterable[Figure]":
    before, best = tables.heaps(GENERIC, 150), np.zeros(1)
    for y in range(0, 60, 3):
        declared = f"[9,13,4]+[50,{y},{before[50, y]}]"
        after = tables.heaps(f"nim{{heaps=3,declared={declared}}}", 150)
        shares = (after[50:, :50] != before[50:, :50]).mean(axis=1)
        if shares[:40].mean() > best[:40].mean():
            best = shares
    curve = {"one position added to W_50": (np.arange(len(best)), best)}
    yield sensitivity_figure(curve, title="Spread in generic Nim", independent=None)


@draws("random-play:conjecture-1.6")
def _chances(tables: ReportTables) -> "Iterable[Figure]":
    from position_oracle.oracle.reproduce.random_games import chomp, gaps, graph_of

    side = tables.size(7, 6)
    found = {board: 0.5 - float(gap) for board, gap in gaps(graph_of(chomp((side,) * side)))}
    cookies = np.array([sum(board) for board in found])
    chances = np.array(list(found.values()))
    yield chances_figure(cookies, chances, source=f"all boards inside {side} x {side}, exact")


@draws("transfinite:figure-1-size-section-2")
def _size(_: ReportTables) -> "Iterable[Figure]":
    yield transfinite_figure(
        [("w+1", "2"), ("w*2", "1")], title="Size w*3 + 1", source="Section 2, Figure 1"
    )


@draws("transfinite:theorem-8.1-figure-6")
def _side_top(_: ReportTables) -> "Iterable[Figure]":
    yield transfinite_figure(
        [("1", "w+3"), ("2", "w+2"), ("3", "5"), ("5", "2")], title="A side-top position"
    )


@draws("transfinite:formula-10-1-figure-7a-figure-7b")
def _three_wide(_: ReportTables) -> "Iterable[Figure]":
    yield transfinite_figure([("1", "w*2"), ("2", "w"), ("3", "w")], title="P: 3 x w + 1 x w*2")
    yield transfinite_figure([("3", "w^w")], bites=[("2", "w+1")], title="A bite of 3 x w^w")


@draws("facts:oeis-a147983-brouwer-horvath-molnar-saska-and-szabo-2005")
def _tail_census(tables: ReportTables) -> "Iterable[Figure]":
    period = tables.census(tables.size(120_000, 20_000)).tail_period
    counts = dict(zip(*(a.tolist() for a in np.unique(period, return_counts=True)), strict=True))
    yield tail_census_figure(counts, source=f"x < {len(period):,}")


@draws("beyond:tails-as-ladders")
def _tail_periods(tables: ReportTables) -> "Iterable[Figure]":
    period = tables.census(tables.size(120_000, 20_000)).tail_period
    yield tail_periods_figure(np.arange(len(period)), period, width=PAGE)


@draws("beyond:openings-are-a-beatty-sequence-with-jitter")
def _openings(tables: ReportTables) -> "Iterable[Figure]":
    known = known_openings(tables)
    yield openings_figure(known.first, known.kind, known.place, width=PAGE)


@draws("beyond:scatter-about-the-lines")
def _scatter(tables: ReportTables) -> "Iterable[Figure]":
    from position_oracle.engine.solvers.sheet_geometry import sheet_sums
    from position_oracle.engine.theory.geometry.summary import BIN_WIDTH, BINS, FIRST_BIN

    last = tables.size(5_000, 1_000)
    counts = np.zeros((2, BINS), np.int64)
    sheet_sums(tables.sheets(last).part(last // 2, last + 1), counts)
    distance = FIRST_BIN + BIN_WIDTH * np.arange(BINS)
    curves = {name: (distance, counts[line]) for line, name in enumerate(("upper", "lower"))}
    yield scatter_figure(curves, source=f"x = {last // 2:,} to {last:,}, exact")


@draws("beyond:random-chomp-with-one-pass")
def _chances_with_a_pass(tables: ReportTables) -> "Iterable[Figure]":
    leads = chomp_leads(tables)
    cookies = np.array([sum(board) for board in leads])
    chances = 0.5 + np.fromiter(leads.values(), np.float64, len(leads))
    title = "Random play with one pass: first player's chance below 1/2"
    yield chances_figure(cookies, chances, title=title, source="all boards inside a square")
