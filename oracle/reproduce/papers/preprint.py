"""Entries of the preprint of Friedman and Landsberg, for its differences from the print."""

from collections.abc import Iterable

import numpy as np

from position_oracle.engine.games import chomp3
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.reproduce.operators import (
    difference,
    left_shift,
    marked,
    nim_step,
    sheets_of_heaps,
    window_density,
)
from position_oracle.oracle.reproduce.papers.chomp import claims, equations, figures, shapes
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

chapter = Chapter(Paper.PREPRINT)

CONSTANTS = closed_form()


@chapter.entry(
    "Figure 1",
    "The board of three-row Chomp, a position after two moves, and its coordinates [x, y, z].",
)
def _figure_1(_: ReportTables) -> Iterable[Quantity]:
    positions = [(2, 1, 3), (0, 0, 1), (4, 0, 0)]
    rows = [tuple(chomp3.to_rows(p)) for p in positions]
    yield equal(
        "rows of [2, 1, 3], [0, 0, 1], [4, 0, 0]", ((6, 3, 2), (1, 0, 0), (4, 4, 4)), tuple(rows)
    )
    yield equal("and back", tuple(positions), tuple(tuple(chomp3.from_rows(r)) for r in rows))
    yield equal("counters", (11, 1, 12), tuple(sum(r) for r in rows))


@chapter.entry(
    "Figure 2",
    "W_700 and W_350 have one geometry up to a scale; L_350 has a lower line, an upper line and, on"
    " some sheets, a flat line of density one; both tilted lines begin near (0, alpha x).",
)
def _figure_2(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(700)
    yield from figures.compare_lines(shapes.lines_of(sheets, 350), 0.02, "L_350")
    yield from figures.compare_lines(shapes.lines_of(sheets, 700), 0.01, "L_700")
    tail = shapes.near_with_tail(sheets, 350)
    filled = np.count_nonzero(sheets.look_up(tail, np.arange(400, 800)) >= 0)
    yield equal(f"L_{tail}: P-positions of the flat line in 400 columns", 400, int(filled))
    both = [window_density(shapes.winners(tables, x) > 0, 20) for x in (350, 700)]
    yield at_most(
        "mean difference of the densities of W_350 and W_700 at one scale", 0.03, difference(*both)
    )
    small = window_density(shapes.winners(tables, 40) > 0, 20)
    yield at_least(
        "W_40 differs from it more: the invariance is not apparent at small x",
        difference(*both),
        difference(small, both[1]),
    )


@chapter.entry(
    "Figure 3",
    "One point added to W_100 (of about 4,000 points of its relevant part) moves nearly half of all"
    " P-positions after about 25 iterations; for W_400 the growth looks linear, too.",
)
def _figure_3(tables: ReportTables) -> Iterable[Quantity]:
    shares = figures.spread(tables, 100, 300)
    best = max(shares, key=lambda share: float(share[125]))
    yield at_least("largest share of P-positions moved at x = 125", 0.45, float(best[125]))
    yield at_least("its mean in later sheets, to x = 300", 0.45, float(best[125:].mean()))
    points = int(np.count_nonzero(shapes.winners(tables, 100)[: int(100 * CONSTANTS.alpha)]))
    yield near("points of W_100 with y < alpha x", 4_000, points, 1_000)
    survivors = [s for s in figures.spread(tables, 400, 1_000) if s[-50:].mean() > 0.5]
    middle = np.mean(survivors, axis=0)
    crossing = int(np.flatnonzero(middle >= 0.5)[0]) / 400
    yield near_threshold("W_400: half of them are moved at x / x0 of", 1.45, crossing, 0.15)


@chapter.entry(
    "Figure 4",
    "W_256 of three-heap Nim is regular, W_x and W_2x look identical, W_x and W_(x+1) similar but"
    " not identical; a variant's W_256 has another geometry, stable and the same for most variants,"
    " with scaling clearest from W_x to W_2x.",
)
def _figure_4(tables: ReportTables) -> Iterable[Quantity]:
    x = tables.size(256, 128)
    nim = tables.heaps("nim{heaps=3}", 4 * x)
    window = {k: sheets_of_heaps(nim, k, 2 * k)[: 2 * k] for k in (x, x + 1, 2 * x)}
    coarse = {k: window_density(w, 16) for k, w in window.items()}
    yield equal(
        f"cells of W_{x} that are not the 2 x 2 blocks of W_{2 * x}",
        0,
        _blocks_that_differ(window[x], window[2 * x]),
    )
    yield holds(
        f"W_{x} and W_{x + 1} are not identical",
        ours=not np.array_equal(window[x], window[x + 1][: 2 * x, : 2 * x]),
    )
    yield at_most("but differ little, box by box", 0.05, difference(coarse[x], coarse[x + 1]))
    variants = [claims.nim_shape(tables, game, x) for game in claims.NIM_VARIANTS]
    yield at_least(
        "least difference of a variant from Nim",
        0.1,
        min(difference(coarse[x], shape) for shape in variants),
    )
    yield at_most(
        "largest difference between two variants",
        0.08,
        max(difference(variants[0], shape) for shape in variants[1:]),
    )


def _blocks_that_differ(small: np.ndarray, large: np.ndarray) -> int:
    """Return cells of W_x whose block of W_2x is not filled alike: blocks of 0 or of 2 cells."""
    sides = [min(side, other // 2) for side, other in zip(small.shape, large.shape, strict=True)]
    cut = large[: 2 * sides[0], : 2 * sides[1]].reshape(sides[0], 2, sides[1], 2)
    blocks = cut.any(axis=(1, 3))
    return int(np.count_nonzero(blocks != small[: sides[0], : sides[1]]))


@chapter.entry(
    "Figure A1; Figure A2; Figure A3; Figure A4",
    "D L_x in its four lines, W_100, W_100 taken apart, and the density of the diagonals that upper"
    " P-positions cast: Figures 3 to 6 of the printed paper.",
)
def _figures_a(tables: ReportTables) -> Iterable[Quantity]:
    for reference in ("Figure 3", "Figure 4", "Figure 5", "Figure 6"):
        entry = next(e for e in figures.chapter.entries if reference in e.references)
        found = list(entry.compute(tables))
        agreeing = sum(quantity.verdict == "agrees" for quantity in found)
        yield every(f"quantities of {reference} that agree", len(found), agreeing)


@chapter.entry(
    "Appendix A: moves and operators",
    "The moves M1 to M6, and operators on sheets; the left shift is printed as (L A)(y, z) = A(y -"
    " 1, z).",
    correction="The left shift is (L A)(y, z) = A(y + 1, z), as printed in 2007: it eliminates the"
    " leftmost column.",
)
def _left_shift(tables: ReportTables) -> Iterable[Quantity]:
    sheets = tables.sheets(120)
    window = marked(shapes.columns_of(sheets, 9, 30), 40)
    fits = [s for s in (-1, 1) if _is_shift(window, left_shift(window), s)]
    yield equal("s in (L A)(y, z) = A(y + s, z)", (-1,), tuple(fits), corrected=(1,))


def _is_shift(before: np.ndarray, after: np.ndarray, step: int) -> bool:
    y = np.arange(max(0, -step), len(after))
    y = y[y + step < len(before)]
    return bool(np.array_equal(after[y], before[y + step]))


@chapter.entry(
    "Equation (1); Equation (2); Equation (3); Equation (4); Equation (6); Equation (7); Equation"
    " (8); Equation (9)",
    "The same equations as in the printed paper, among them W_(x+1) = L (I + D M) W_x.",
)
def _equations(tables: ReportTables) -> Iterable[Quantity]:
    for entry in equations.chapter.entries:
        if entry.reference.startswith("Equation"):
            found = list(entry.compute(tables))
            right = sum(q.verdict != "differs" for q in found)
            yield equal(f"quantities of {entry.reference} that stand", len(found), right)


@chapter.entry(
    "Termination of the supermex",
    "The probability that the computation terminates is gamma = sqrt 2 - 1.",
    correction="It is 1 - gamma = 2 - sqrt 2.",
)
def _termination(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    share = float(np.mean(census.tail_period == 0))
    yield Quantity("share of sheets that end", 2**0.5 - 1, share, 1e-3, corrected=2 - 2**0.5)


@chapter.entry(
    "Equation (5); Appendix B: constraints 1-6",
    "The six constraints and their solution; results (7) and (8) are said to apply to LL and DD.",
    correction="For points of lines that are not solid, (7) and (8) applied to LL and U are meant,"
    " as printed in 2007: deadly diagonals are solid.",
)
def _appendix_b(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.shape.constraints import residuals
    from position_oracle.schema.answers import Origin

    worst = float(np.abs(residuals(CONSTANTS)).max())
    yield near("largest residual of the constraints", 0.0, worst, 1e-12)
    # The lines that sheet 500 has left in W_700, 200 columns further to the left.
    sheets, back, y = tables.sheets(700), 200, np.arange(60)
    z, top = sheets.look_up(500, y + back), int(sheets.look_up(500, 0)) - back
    filled = {
        "LL": z + y < top,
        "U": z + y > top,
        "DD": (shapes.winners(tables, 700)[y, top - y] & Origin.DIAGONAL) > 0,
    }
    sparse = tuple(name for name, columns in filled.items() if not columns.all())
    yield equal("kinds of lines that are not solid", ("LL", "DD"), sparse, corrected=("LL", "U"))


@chapter.entry(
    "Appendix C: winning opening",
    "The opening is near [x0 / sqrt 2, x0 (2 - sqrt 2) / 2, 0] or [x0 (2 - sqrt 2), 0, x0 (sqrt 2 -"
    " 1)], unique (known for x0 < 90,000), and the scatter has a width of less than 2.5.",
)
def _opening(tables: ReportTables) -> Iterable[Quantity]:
    known = claims.known_openings(tables)
    last = min(90_000, int(known.n[-1]))
    part = known.between(2, last)
    yield every(f"x0 = 2 .. {last:,} with one winning opening", last - 1, len(part))
    yield at_most(
        "largest distance from the predicted place",
        2.5,
        float(np.abs(part.residual).max()),
        printed=True,
    )
    r = CONSTANTS.alpha / (CONSTANTS.alpha - CONSTANTS.slope_lower)
    yield near("(L1): 1 - r is 1 / sqrt 2", 0.5**0.5, 1 - r, 1e-12)
    s = CONSTANTS.alpha / (1 + CONSTANTS.alpha)
    yield near("(L2): 1 - s is 2 - sqrt 2", 2 - 2**0.5, 1 - s, 1e-12)
    yield holds("t' > t, so that (L2) is reached from (L1)", ours=s > r)


@chapter.entry(
    "Appendix D: three-heap Nim",
    "W_x = L_0 + ... + L_(x-1), L_x = M W_x with a supermex of rows and columns, W_(x+1) = (I + M)"
    " W_x.",
)
def _appendix_d(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(64, 32)
    window = np.zeros((2 * last, 4 * last), bool)
    right = 0
    for x in range(last):
        losers, window = nim_step(window)
        right += bool(np.array_equal(losers, np.arange(2 * last) ^ x))
    yield every("sheets L_x that the recursion gives as y xor x", last, right)
    z = tables.heaps("nim{heaps=3}", 2 * last - 1)
    yield equal(
        "cells of the last W that differ from the sum of loser sheets",
        0,
        int(np.count_nonzero(window != sheets_of_heaps(z, last, 4 * last))),
    )
