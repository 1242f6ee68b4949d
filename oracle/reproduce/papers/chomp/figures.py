"""Figures 1 to 8."""

from collections.abc import Iterable
from itertools import product

import numpy as np

from position_oracle.engine.games import chomp3
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.geometry.dynamics import moved_shares
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.reproduce.operators import difference, window_density
from position_oracle.oracle.reproduce.papers.chomp.shapes import (
    Lines,
    lines_of,
    near_with_tail,
    regions_of,
    slope,
    winners,
)
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_least,
    at_most,
    equal,
    every,
    holds,
    near,
    near_threshold,
)
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.answers import Origin

chapter = Chapter(Paper.CHOMP)

CONSTANTS = closed_form()


def compare_lines(found: Lines, tolerance: float, name: str) -> Iterable[Quantity]:
    """Compare a sheet's lines with those of equation (5)."""
    yield near(
        f"{name}: height of both lines at y = 0, over x", CONSTANTS.alpha, found.start, tolerance
    )
    yield near(f"{name}: slope of the lower line", CONSTANTS.slope_lower, found.lower, tolerance)
    yield near(f"{name}: slope of the upper line", CONSTANTS.slope_upper, found.upper, tolerance)
    yield near(
        f"{name}: y at which the lower line ends, over x", CONSTANTS.line_end, found.end, tolerance
    )
    yield near(
        f"{name}: share of its P-positions on the upper line",
        CONSTANTS.density_upper,
        found.share_upper,
        3 * tolerance,
    )


@chapter.entry(
    "Figure 1; Moves (M1)-(M6)",
    "[x, y, z] counts the columns of height three, two and one; from it six kinds of moves lead to"
    " other triples, which are what biting a counter and all north-east of it leaves.",
)
def _figure_1(tables: ReportTables) -> Iterable[Quantity]:
    game, side = GameSpec("chomp3"), tables.size(7, 5)
    positions = [p for p in product(range(side), repeat=3) if sum(p)]
    moves = {p: {q for _, q in chomp3.RULES.actions(p, game)} for p in positions}
    same = sum(_by_moves(*p) == _by_bites(*p) == moves[p] | {(0, 0, 0)} for p in positions)
    yield every(f"positions with x, y, z < {side} whose moves are its bites", len(positions), same)
    yield equal("rows of [3, 2, 4]", (9, 5, 3), tuple(chomp3.to_rows((3, 2, 4))))
    bites = sum(chomp3.to_rows((3, 2, 4)))
    yield equal("bites from [3, 2, 4]: three for each of x, two of y, one of z", 17, bites)


def _by_moves(x: int, y: int, z: int) -> set[tuple[int, int, int]]:
    found = {(x, y - t, z + t) for t in range(1, y + 1)} | {(x, y - t, 0) for t in range(1, y + 1)}
    found |= {(x, y, z - t) for t in range(1, z + 1)}
    for t in range(1, x + 1):
        found |= {(x - t, y + t, z), (x - t, 0, z + y + t), (x - t, 0, 0)}
    return found


def _by_bites(x: int, y: int, z: int) -> set[tuple[int, int, int]]:
    rows, found = (x + y + z, x + y, x), set()
    for row, length in enumerate(rows):
        for column in range(length):
            a, b, c = (min(r, column) if i >= row else r for i, r in enumerate(rows))
            found.add((c, b - c, a - b))
    return found


@chapter.entry(
    "Figure 2",
    "The instant-winner sheets W_800 and W_400 and the loser sheet L_400. W has a filled triangle"
    " (I), two triangles of other densities (II, III) and horizontal bands to the right (IV); W_400"
    " is W_800 at half the size. L has a lower line, an upper line from the same point, and on some"
    " sheets a flat line.",
)
def _figure_2(tables: ReportTables) -> Iterable[Quantity]:
    large, small = tables.size(800, 800), tables.size(400, 400)
    sheets = tables.sheets(large)
    yield from compare_lines(lines_of(sheets, small), 0.02, f"L_{small}")
    tailed = near_with_tail(sheets, small)
    height = lines_of(sheets, tailed).tail
    yield near(
        f"L_{tailed}: height of the flat line, over x", CONSTANTS.tail_height, height or 0.0, 0.01
    )
    found = regions_of(tables, large)
    yield near(f"W_{large}, region I: share of marked cells", 1.0, found.lower_left, 0.0)
    yield near(
        "region III, above the flat lines: lambda_U / (alpha - m_U)",
        CONSTANTS.density_upper / (CONSTANTS.alpha - CONSTANTS.slope_upper),
        found.upper,
        0.02,
    )
    yield near(
        "region II: share on deadly diagonals, 1 / (alpha + 1)",
        1 / (CONSTANTS.alpha + 1),
        found.diagonal,
        0.01,
    )
    yield near(
        "region IV: share of filled bands, gamma / (alpha (1 - m_U / m_L))",
        CONSTANTS.gamma / CONSTANTS.tail_height,
        found.bands,
        0.02,
    )
    yield near("above the upper line: share of marked cells", 0.0, found.outside, 0.0)
    shapes = [window_density(winners(tables, x) > 0, 20) for x in (small, large)]
    yield at_most(
        "mean difference of the densities of both, box by box of 20 x 20 at one scale",
        0.03,
        difference(*shapes),
    )
    equal_cells = winners(tables, small) > 0
    doubled = (winners(tables, large) > 0)[::2, ::2]
    columns, rows = (min(a, b) for a, b in zip(equal_cells.shape, doubled.shape, strict=True))
    differing = np.mean(equal_cells[:columns, :rows] != doubled[:columns, :rows])
    yield at_least(
        "share of cells that differ all the same, point by point", 0.05, float(differing)
    )


@chapter.entry(
    "Figure 3",
    "D L_x consists of four lines: lower, upper and flat line, and the deadly diagonal, which runs"
    " down at 45 degrees from the point where the first two begin.",
)
def _figure_3(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(tables.size(5_000, 1_000))
    x = near_with_tail(sheets, tables.size(4_000, 900))
    found, top = lines_of(sheets, x), sheets.z_at(x, 0) or 0
    yield from compare_lines(found, 0.01, f"L_{x}")
    yield near("height of the flat line over x", CONSTANTS.tail_height, found.tail or 0.0, 0.005)
    yield near(
        "y at which the flat line begins, over that at which the lower one ends",
        1.0,
        int(sheets.prefix_length[x]) / (found.end * x),
        25 / x,
    )
    diagonal = np.arange(top + 1)
    yield equal(
        "slope of the deadly diagonal from [x, 0, z*]", -1, round(slope(diagonal, top - diagonal))
    )
    columns = sheets.look_up(x, np.arange(1, top))
    on = int(np.count_nonzero(columns + np.arange(1, top) == top))
    yield equal("other P-positions on it", 0, on)


@chapter.entry("Figure 4", "The instant-winner sheet W_100, with the four regions of Figure 2.")
def _figure_4(tables: ReportTables) -> Iterable[Quantity]:
    found = regions_of(tables, 100, margin=5.0)
    yield near("region I: share of marked cells", 1.0, found.lower_left, 0.0)
    yield near(
        "region II: share on deadly diagonals", 1 / (CONSTANTS.alpha + 1), found.diagonal, 0.05
    )
    yield near(
        "region IV: share of filled bands",
        CONSTANTS.gamma / CONSTANTS.tail_height,
        found.bands,
        0.05,
    )
    highest = int(np.flatnonzero((winners(tables, 100) > 0).any(axis=0)).max())
    yield near("height of the highest mark, over x", CONSTANTS.alpha, highest / 100, 0.03)


@chapter.entry(
    "Figure 5",
    "W_100 taken apart: marks from lower lines (LL), upper lines (U), flat lines (F) and deadly"
    " diagonals (DD). DD overlaps U and F; no other two overlap.",
)
def _figure_5(tables: ReportTables) -> Iterable[Quantity]:
    window = winners(tables, 100)
    parts = {"LL": Origin.LOWER, "U": Origin.UPPER, "F": Origin.FLAT, "DD": Origin.DIAGONAL}
    marks = {name: (window & flag) > 0 for name, flag in parts.items()}

    def both(one: str, other: str) -> int:
        return int(np.count_nonzero(marks[one] & marks[other]))

    for one, other in (("LL", "U"), ("LL", "F"), ("U", "F"), ("LL", "DD")):
        yield equal(f"cells of both {one} and {other}", 0, both(one, other))
    for other in ("U", "F"):
        yield at_least(f"cells of both DD and {other}", 1, both("DD", other), printed=True)
    for name, slope_ in (("LL", CONSTANTS.slope_lower), ("DD", -1.0)):
        reach = int(np.flatnonzero(marks[name].any(axis=1)).max())
        yield near(f"{name} reaches to y over x", CONSTANTS.alpha / -slope_, reach / 100, 0.03)
    rows = np.flatnonzero(marks["F"].any(axis=0))
    yield near("rows with a flat line, over x: gamma", CONSTANTS.gamma, len(rows) / 100, 0.03)
    yield near(
        "height of the highest flat line, over x",
        CONSTANTS.tail_height,
        int(rows.max()) / 100,
        0.03,
    )


@chapter.entry(
    "Figure 6",
    "P-positions of the upper line are 1 / lambda_U apart in y and -m_U / lambda_U in z, so that"
    " the diagonals they cast have density lambda_U / (1 + m_U) = 1.",
)
def _figure_6(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(tables.size(5_000, 1_000))
    x = sheets.end_x - 1
    z = sheets.prefix(x).astype(np.int64)
    y = np.arange(len(z))
    end = int(lines_of(sheets, x).end * x)
    high = np.flatnonzero((y + z > z[0]) & (y <= end))
    density, measured = len(high) / end, slope(y[high], z[high])
    yield near("separation in y, 1 / lambda_U", 1 / CONSTANTS.density_upper, 1 / density, 0.03)
    yield near(
        "separation in z, -m_U / lambda_U",
        -CONSTANTS.slope_upper / CONSTANTS.density_upper,
        -measured / density,
        0.03,
    )
    cast = y[high] + z[high]
    yield equal("diagonals that two of them share", 0, len(cast) - len(np.unique(cast)))
    span = int(cast.max() - cast.min()) + 1
    yield near("diagonals over the range that they span", 1.0, len(cast) / span, 0.01)


@chapter.entry(
    "Figure 7",
    "The two places at which the winning opening may lie: the deadly-diagonal point of a smaller"
    " sheet, and the foot of a lower line; the upper one with probability sqrt 2 - 1, the lower one"
    " with 2 - sqrt 2.",
)
def _figure_7(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.openings import BY_ROW_3, openings
    from position_oracle.oracle.reproduce.shape.sequence import Sequence

    found = tables.census(tables.size(120_000, 20_000))
    known = Sequence.of(openings(found.diagonal_z, found.prefix_length, found.tail_period))
    row_3 = known.kind == BY_ROW_3
    root = 2**0.5
    yield near("share of openings to [x / sqrt 2, .., 0]", root - 1, float(row_3.mean()), 1e-4)
    yield near(
        "share of openings to [x (2 - sqrt 2), 0, ..]", 2 - root, float(1 - row_3.mean()), 1e-4
    )
    yield at_most(
        "largest distance from the predicted places, in units of x",
        3.0,
        float(np.abs(known.residual).max()),
        printed=True,
    )


@chapter.entry(
    "Figure 8",
    "Adding one point to W_50 (blue) or W_300 (red) moves P-positions of the lines of later sheets,"
    " at first in a linear way; for W_50 over half of them after only seven iterations. Tails"
    " (green, W_300) are moved as well.",
)
def _figure_8(tables: ReportTables) -> Iterable[Quantity]:
    shares = spread(tables, 50, 200)
    best = max(shares, key=lambda share: float(share[57]))
    yield at_least(
        "x0 = 50: largest share of P-positions moved after seven iterations", 0.5, float(best[57])
    )
    yield at_least("mean share moved in all later sheets, to x = 200", 0.5, float(best[57:].mean()))
    yield equal("share moved before the change", 0.0, float(max(s[:50].max() for s in shares)))
    survivors = [share for share in spread(tables, 300, 900) if share[-30:].mean() > 0.5]
    middle = np.mean([share[300:900].reshape(-1, 10).mean(axis=1) for share in survivors], axis=0)
    x = np.arange(len(middle))[:12]
    fit = np.polyfit(x, middle[:12], 1)
    left = middle[:12] - np.polyval(fit, x)
    explained = 1 - float(left.var() / middle[:12].var())
    yield at_least(
        "x0 = 300: correlation squared of the growth to x = 420 with a line", 0.95, explained
    )
    yield near_threshold(
        "share moved in the end, that of two unrelated games", 0.7, float(middle[-3:].mean()), 0.05
    )
    yield holds("tails are moved, too", ours=_tails_moved(tables))


def spread(tables: ReportTables, x0: int, last_x: int) -> "list[np.ndarray]":
    """Return fractions of P-positions moved in each sheet, for points added on lines of W_x0."""
    plain = tables.variant("chomp3", last_x)
    step = max(1, int(CONSTANTS.line_end * x0) // tables.size(40, 25))

    def make() -> list[np.ndarray]:
        found = []
        for y in range(0, int(CONSTANTS.line_end * x0) + 1, step):
            game = f"chomp3{{declared=[{x0},{y},{plain.z_at(x0, y)}]}}"
            found.append(moved_shares(plain, tables.variant(game, last_x)))
        return found

    return tables.once(("spread", x0, last_x), make)


def _tails_moved(tables: ReportTables) -> bool:
    plain = tables.variant("chomp3", 600)
    game = f"chomp3{{declared=[300,0,{plain.z_at(300, 0)}]}}"
    other = tables.variant(game, 600)
    both = [x for x in range(450, 600) if len(plain.tail(x)) and len(other.tail(x))]
    return any(not np.array_equal(plain.tail(x), other.tail(x)) for x in both)
