"""Claims in the text: passes and sums, attractors, uniqueness, robustness, decay."""

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np

from position_oracle.engine.solvers.sheet_geometry import sheet_sums
from position_oracle.engine.theory.geometry.fits import measure
from position_oracle.oracle.reproduce.papers.passes.figures import overlaps
from position_oracle.oracle.reproduce.papers.passes.shapes import (
    APART,
    CHOMP_PASSING,
    EVEN_HEAPS,
    GENERIC,
    NEARLY_ALL,
    NOISE,
    PASSING,
    PLAIN,
    SAME,
    apart,
    declared_once,
    nearest_phase,
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
    undecided,
)
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.PASSES)

INSTANCES = tuple(
    f"nim{{heaps=3,declared=[{x},{y},{x ^ y}]}}"
    for x, y in ((9, 13), (7, 4), (1, 6), (3, 8), (5, 9), (11, 2))
)
"""Generic Nim games, each with one P-position declared N."""


@chapter.entry(
    "Consideration 1; Section 1.2",
    "If the pass were allowed at the end, too, the game would be a sum with a heap of one token.",
)
def _sum(tables: ReportTables) -> Iterable[Quantity]:
    side = tables.size(7, 5)
    outcomes: dict[tuple[tuple[int, ...], int], bool] = {}
    for heaps in sorted(product(range(side), repeat=3), key=sum):
        for left in (0, 1):
            moves = [(h, left) for h in _takes(heaps)] + ([(heaps, 0)] if left else [])
            outcomes[heaps, left] = not any(outcomes[move] for move in moves)
    same = sum(p == (h[0] ^ h[1] ^ h[2] ^ left == 0) for (h, left), p in outcomes.items())
    yield every(
        "positions whose outcome is that of Nim with the pass as one more token",
        len(outcomes),
        same,
    )


def _takes(heaps: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    for place, heap in enumerate(heaps):
        for left in range(heap):
            yield (*heaps[:place], left, *heaps[place + 1 :])


@chapter.entry(
    "Considerations 2 and 3; Section 1.2",
    "If p is P and not terminal, then p with the pass is N: the pass wins, and it wins nowhere"
    " else.",
)
def _pass_wins(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(200, 100)
    pure, passing = tables.heaps(PLAIN, last), tables.heaps(PASSING, last)
    both = np.argwhere(pure == passing)
    yield equal(
        "Nim: (x, y) whose P-positions with and without the pass are the same",
        ((0, 0),),
        tuple((int(x), int(y)) for x, y in both),
    )
    plain, other = tables.variant("chomp3", 400), tables.variant(CHOMP_PASSING, 400)
    shared = [
        (x, y)
        for x in range(last)
        for y in range(last)
        if (z := plain.z_at(x, y)) is not None and z == other.z_at(x, y)
    ]
    yield equal("Chomp: the same, of x and y below that", ((0, 0),), tuple(shared))


@chapter.entry(
    "Bouton's theorem; Section 2.1", "Pure Nim is solved: P-positions are known in closed form."
)
def _bouton(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(400, 200)
    z = tables.heaps(PLAIN, last)
    x, y = np.indices(z.shape)
    yield every(
        "P-positions [x, y, z] with z = x xor y", z.size, int(np.count_nonzero(z == (x ^ y)))
    )


@chapter.entry(
    "Remarks on Nim's geometry; Section 2.1",
    "Sheets W_x, W_2x, W_4x, ... share one geometry for any x; two arbitrary sheets do not; Nim's"
    " is highly regular.",
)
def _remarks(tables: ReportTables) -> Iterable[Quantity]:
    xs = tables.size((50, 55, 60, 70, 75), (50, 55))
    yield at_most(
        "largest difference of W_x and W_2x",
        SAME,
        max(apart(tables, (PLAIN, x), (PLAIN, 2 * x)) for x in xs),
    )
    yield at_least(
        "largest difference of W_x and W_x', x < x' < 2 x",
        APART,
        max(apart(tables, (PLAIN, x), (PLAIN, y)) for x, y in combinations(xs, 2)),
    )
    z = tables.heaps(PLAIN, 256)
    whole = sum(z[x, y] == x ^ y for x in range(0, 256, 5) for y in range(256))
    yield every("cells that one formula gives, of every fifth sheet", 52 * 256, int(whole))


@chapter.entry(
    "Geometry of Nim with a pass; Section 2.2",
    "Sheets of Nim with a pass are alike up to scale, with a factor-of-two periodicity, and more"
    " complex than Nim's.",
)
def _nim_pass(tables: ReportTables) -> Iterable[Quantity]:
    for x in (50, 55, 70):
        yield at_most(
            f"difference of W_{x} and W_{2 * x}",
            SAME,
            apart(tables, (PASSING, x), (PASSING, 2 * x)),
        )
    yield at_least(
        "difference of W_100 from Nim's, at the nearest phase",
        APART,
        nearest_phase(tables, PLAIN, PASSING, 100),
    )
    z = tables.heaps(PASSING, 200)
    steps = np.abs(np.diff(z[100, :200]))
    regular = np.abs(np.diff(tables.heaps(PLAIN, 200)[100, :200]))
    yield at_least(
        f"different steps from column to column in sheet 100; Nim has {len(np.unique(regular))}",
        2 * len(np.unique(regular)),
        len(np.unique(steps)),
    )


@chapter.entry(
    "Solution of Nim with a pass; Section 2.2",
    "No analytical solution is known, and perhaps there is none.",
)
def _solution(tables: ReportTables) -> Iterable[Quantity]:
    z = tables.heaps(PASSING, 200)
    pairs = [(int(x), int(z[0, x])) for x in range(1, 9)]
    yield equal(
        "with an empty heap there is one: partners of 1, ..., 8",
        (2, 1, 4, 3, 6, 5, 8, 7),
        tuple(partner for _, partner in pairs),
    )
    ones = sum(int(z[1, n]) == n for n in range(3, 201))
    yield every("and with a heap of one: [1, n, n] for n = 3 .. 200", 198, ones)
    yield undecided("in general", "open", "no table proves that there is none")


@chapter.entry(
    "Geometry of Chomp with a pass; Section 3",
    "Chomp with a pass has the slopes and densities of Chomp, though its recursion differs; no"
    " factor-of-two periodicity.",
)
def _chomp_pass(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(1_500, 500)
    sums = sheet_sums(tables.variant(CHOMP_PASSING, last)).between(last // 2, last)
    found = {one.quantity: one for one in measure(sums)}
    for name in ("alpha", "slope_lower", "slope_upper", "density_upper", "gamma"):
        one = found[name]
        yield near(
            f"{name} (standard error {one.standard_error:.1e})",
            one.expected or 0.0,
            one.value,
            0.01 if name != "gamma" else 0.03,
        )
    z = [tables.variant(CHOMP_PASSING, last).z_at(x, 0) or 0 for x in (200, 300, 400)]
    ratios = [value / x for value, x in zip(z, (200, 300, 400), strict=True)]
    yield at_most("spread of z* / x at x = 200, 300, 400", 0.03, max(ratios) - min(ratios))


@chapter.entry(
    "Attractor of generic Nim; Section 4.2",
    "Nearly all instances of generic Nim share one geometry, up to the factor of two; it is that of"
    " Nim with a pass.",
    why=EVEN_HEAPS,
)
def _attractor(tables: ReportTables) -> Iterable[Quantity]:
    x = 85
    games = INSTANCES[: tables.size(len(INSTANCES), 4)]
    yield at_most(
        f"largest difference between {len(games)} instances, W_{x}",
        SAME,
        max(apart(tables, (a, x), (b, x)) for a, b in combinations(games, 2)),
    )
    yield at_most(
        "difference from Nim with a pass, at the nearest phase",
        SAME,
        nearest_phase(tables, games[0], PASSING, x),
    )
    yield at_least(
        "difference from Nim, at the nearest phase",
        APART / 2,
        nearest_phase(tables, PLAIN, games[0], x),
    )
    side = tables.size(14, 8)
    found = declared_once(tables, side)
    share = len(found.generic) / (side * side - 1)
    yield at_least(
        f"share of the P-positions with x, y < {side} that lead to it when declared, nearly all",
        NEARLY_ALL,
        share,
    )


@chapter.entry(
    "Uniqueness of the attractor of generic Chomp; Footnote 6",
    "The six parameters of generic Chomp and of Chomp with a pass are the same, within the"
    " numerical uncertainty.",
)
def _footnote_6(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(1_500, 500)
    plain = tables.variant("chomp3", 400)
    generic = f"chomp3{{declared=[3,2,{plain.z_at(3, 2)}]}}"
    measures = []
    for game in (generic, CHOMP_PASSING):
        sums = sheet_sums(tables.variant(game, last)).between(last // 2, last)
        measures.append({one.quantity: one for one in measure(sums)})
    for name in ("alpha", "slope_lower", "density_lower", "slope_upper", "density_upper", "gamma"):
        one, other = (found[name] for found in measures)
        error = float(np.hypot(one.standard_error or 0.0, other.standard_error or 0.0))
        yield at_most(
            f"{name}: difference, in standard errors", 6.0, abs(one.value - other.value) / error
        )
    yield at_most(
        "largest of these differences",
        0.02,
        max(
            abs(measures[0][n].value - measures[1][n].value)
            for n in ("alpha", "slope_lower", "slope_upper", "density_upper")
        ),
    )


@chapter.entry(
    "Analogies; Section 5 and Section 6.1",
    "x -> 2x runs away except from 0; x -> x/2 + epsilon stays within 2 epsilon of 0.",
)
def _analogies(_: ReportTables) -> Iterable[Quantity]:
    away, still, near_zero = 1e-6, 0.0, 0.3
    for _step in range(60):
        away, still, near_zero = 2 * away, 2 * still, near_zero / 2 + 0.01
    yield at_least("1e-6 after 60 steps of the first", 1e9, away)
    yield equal("0 after them", 0.0, still)
    yield near("0.3 after 60 steps of the second, epsilon = 0.01", 0.02, near_zero, 1e-9)


@chapter.entry(
    "Robustness; Section 6.1",
    "After one change, or finitely many, the attractor is back after few iterations; even a random"
    " change in every column of every sheet leaves it.",
)
def _robustness(tables: ReportTables) -> Iterable[Quantity]:
    z = tables.heaps(GENERIC, 340)
    changed = f"nim{{heaps=3,declared=[9,13,4]+[50,2,{z[50, 2]}]+[51,7,{z[51, 7]}]}}"
    for x in (60, 85, 170):
        yield at_most(
            f"two changes at x = 50 and 51: difference of W_{x}",
            SAME,
            apart(tables, (changed, x), (GENERIC, x)),
        )
    yield at_most(
        "a change in every column: difference at the nearest phase, W_85",
        SAME,
        nearest_phase(tables, GENERIC, NOISE, 85),
    )
    last = tables.size(800, 400)
    noisy = tables.variant("chomp3{noise=normal(8),seed=1}", last, 2 * last)
    sums = sheet_sums(noisy).between(last // 2, last)
    for one in measure(sums):
        if one.quantity in ("alpha", "slope_lower", "slope_upper"):
            yield near(
                f"Chomp with a change in every column: {one.quantity}",
                one.expected or 0.0,
                one.value,
                0.01,
            )


@chapter.entry(
    "Number of P-positions; Section 6.2",
    "For given x and y a unique z makes [x, y, z] P, so that an n x n sheet has O(n) of them.",
    correction="In Nim exactly one. In Chomp at most one: sheets that stop have none beyond.",
)
def _counts(tables: ReportTables) -> Iterable[Quantity]:
    z = tables.heaps(PASSING, 200)
    inside = int(np.count_nonzero(z[100, :200] < 200))
    yield at_most(
        "Nim with a pass: P-positions of sheet 100 in 200 x 200", 200, inside, printed=True
    )
    sheets = tables.variant("chomp3", 400)
    least = min(int(np.count_nonzero(sheets.look_up(x, np.arange(400)) >= 0)) for x in range(1, 50))
    yield equal(
        "Chomp: every column of sheets 1 to 49 has one, to y = 400",
        "yes",
        "yes" if least == 400 else "not all",
        corrected="not all",
    )


@chapter.entry(
    "Degree of perturbation; Section 6.2",
    "The pass-winners of a sheet act on it more weakly the larger x is.",
)
def _degree(tables: ReportTables) -> Iterable[Quantity]:
    shares = overlaps(tables, tables.size(300, 150))
    slope = float(np.polyfit(np.log(np.arange(1, len(shares) + 1)), 1 - shares, 1)[0])
    yield at_most("slope of the share that differs against log x", -0.01, slope)
    yield at_most(
        "share that differs in the last quarter",
        0.05,
        1 - float(shares[-len(shares) // 4 :].mean()),
    )


@chapter.entry(
    "More passes; Section 7",
    "Other changes, such as several passes, are expected to lead to comparable recursions and"
    " complexity.",
    why="k + 2 passes have the P-positions of k passes (docs/nim-passes.md has the proof): with two"
    " passes Nim is Nim again, and Chomp is Chomp.",
)
def _more_passes(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers import heap_sheets

    last = tables.size(120, 60)
    levels = [heap_sheets.solve((), last, last, k) for k in range(5)]
    yield holds("three passes are as one", ours=bool(np.array_equal(levels[3], levels[1])))
    same = sum(bool(np.array_equal(levels[k], levels[0])) for k in (2, 4))
    yield equal("of 2 and 4 passes, those with which Nim differs from Nim without", 2, 2 - same)


@chapter.entry(
    "Lyapunov exponents; Section 7",
    "Quantities like Lyapunov exponents of the operators remain an open question.",
)
def _lyapunov(_: ReportTables) -> Iterable[Quantity]:
    yield undecided("a definition", "open", "it asks for a notion, not for a number")
