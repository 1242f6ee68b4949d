"""Claims in the text: the opening, the literature, universality, sensitivity, other games."""

from collections.abc import Iterable
from itertools import count, pairwise, product

import numpy as np

from position_oracle.engine.solvers.boards.outcomes import solve_shape
from position_oracle.engine.solvers.shape import box
from position_oracle.engine.theory.geometry.dynamics import Fate, change_of, density, distance
from position_oracle.engine.theory.geometry.fits import measure
from position_oracle.engine.theory.openings import BY_ROW_3, openings
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.reproduce.operators import difference, sheets_of_heaps, window_density
from position_oracle.oracle.reproduce.papers.chomp.equations import measured
from position_oracle.oracle.reproduce.papers.passes.shapes import (
    EVEN_HEAPS,
    NEARLY_ALL,
    declared_once,
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
from position_oracle.oracle.reproduce.shape.judging import judge_z
from position_oracle.oracle.reproduce.shape.learning import learn_columns
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.CHOMP)

CONSTANTS = closed_form()
SQRT_2 = 2**0.5


def known_openings(tables: ReportTables) -> Sequence:
    """Return the opening of every 3 x n rectangle that the census settles."""
    found = tables.census(tables.size(120_000, 20_000))
    return Sequence.of(openings(found.diagonal_z, found.prefix_length, found.tail_period))


@chapter.entry(
    "Facts (F1)-(F3)",
    "An N-position has a P-position among its children, all parents of a P-position are N, and a"
    " position all of whose children are N is P.",
)
def _facts(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.games import chomp3
    from position_oracle.engine.games.spec import GameSpec

    sheets, side, game = tables.sheets(60), tables.size(14, 9), GameSpec("chomp3")
    wrong = total = 0
    for p in product(range(side), repeat=3):
        if p in ((0, 0, 0), (0, 0, 1)):
            continue
        total += 1
        children = [c for _, c in chomp3.RULES.actions(p, game) if sum(c)]
        some_p = any(sheets.z_at(x, y) == z for x, y, z in children)
        wrong += some_p == (sheets.z_at(p[0], p[1]) == p[2])
    yield equal(f"of {total:,} positions, those for which one of the facts fails", 0, wrong)


@chapter.entry(
    "Gale's argument",
    "The player who moves first from a rectangle wins; [x, 0, 0] is never P for x > 0.",
)
def _gale(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(120_000, 20_000)
    census = tables.census(last)
    yield equal(
        f"x = 1 .. {last:,} with [x, 0, 0] P", 0, int(np.count_nonzero(census.diagonal_z[1:] == 0))
    )
    side = tables.size(12, 9)
    table = solve_shape(box(side, side))
    lost = [
        (m, n)
        for m, n in product(range(1, side + 1), repeat=2)
        if m * n > 1 and table.outcome((n,) * m).name == "P"
    ]
    yield equal(f"rectangles up to {side} x {side}, 1 x 1 apart, that are P", 0, len(lost))


@chapter.entry(
    "Termination of the supermex",
    "The supermex ends, with a P-position of z = 0, with probability gamma = sqrt 2 - 1; otherwise"
    " the sheet becomes periodic (Byrnes).",
    correction="It ends with probability 1 - gamma = 2 - sqrt 2; gamma is the probability of a flat"
    " line.",
)
def _termination(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(120_000, 20_000)
    census = tables.census(last)
    share = float(np.mean(census.tail_period == 0))
    yield Quantity("share of sheets that end", SQRT_2 - 1, share, 1e-3, corrected=2 - SQRT_2)
    yield equal(
        "sheets that neither end nor become periodic",
        0,
        int(np.count_nonzero(census.tail_period < 0)),
    )


@chapter.entry(
    "Brouwer's observation; Section IV A",
    "For every x up to about 80,000 there is a P-position [x, 0, z] with z = alpha x +- 1.75, alpha"
    " about 0.7; the theory gives alpha = 1 / sqrt 2.",
    why="Around 1 / sqrt 2 itself the distances reach a little farther on one side, since they lie"
    " about one above; 1.75 holds around their middle.",
)
def _brouwer(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(80_000, 20_000)
    z = tables.census(tables.size(120_000, 20_000)).diagonal_z[: last + 1]
    off = z - np.arange(last + 1) / SQRT_2
    middle = float(off.max() + off.min()) / 2
    yield equal(f"x <= {last:,} without such a P-position", 0, int(np.count_nonzero(z < 0)))
    yield at_most(
        "largest distance from alpha x + constant",
        1.75,
        float(abs(off - middle).max()),
        printed=True,
    )
    fit = float(np.polyfit(np.arange(last + 1), z, 1)[0])
    yield near("alpha by least squares", 1 / SQRT_2, fit, 1e-5)


@chapter.entry(
    "Winning opening (i)",
    "From [x, 0, 0] the winning opening leads near [x / sqrt 2, x (2 - sqrt 2) / 2, 0] or [x (2 -"
    " sqrt 2), 0, x (sqrt 2 - 1)], within 3 units as far as computed.",
)
def _opening_places(tables: ReportTables) -> Iterable[Quantity]:
    found = known_openings(tables)
    row_3 = found.kind == BY_ROW_3
    far = found.n >= 1_000
    for name, which, x, other in (
        ("[x', y', 0]", row_3, 1 / SQRT_2, (2 - SQRT_2) / 2),
        ("[x', 0, z']", ~row_3, 2 - SQRT_2, SQRT_2 - 1),
    ):
        part = which & far
        ratio = found.place[part] / found.n[part]
        yield near(
            f"{name}: x' / x, greatest distance for x >= 1,000",
            x,
            float(ratio[np.argmax(abs(ratio - x))]),
            2e-3,
        )
        rest = 1 - ratio
        yield near(
            f"{name}: the other coordinate over x",
            other,
            float(rest[np.argmax(abs(rest - other))]),
            2e-3,
        )
    yield at_most(
        f"largest distance from the predicted place, x <= {found.n[-1]:,}",
        3.0,
        float(np.abs(found.residual).max()),
        printed=True,
    )


@chapter.entry(
    "Winning opening (ii)",
    "The winning opening of three-row Chomp is unique (known to Brouwer numerically).",
)
def _opening_unique(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    found = openings(census.diagonal_z, census.prefix_length, census.tail_period)
    end = found.complete_to
    yield equal(
        f"winning openings of each x = 2 .. {end:,}, least and most",
        (1, 1),
        (int(found.count[2 : end + 1].min()), int(found.count[2 : end + 1].max())),
    )
    yield undecided("all x", "unique", "an argument by geometry, not a proof; no table refutes it")


@chapter.entry(
    "Winning opening (iii)",
    "The opening leads to [x / sqrt 2, x (2 - sqrt 2) / 2, 0] with probability sqrt 2 - 1, and to"
    " the other place with 2 - sqrt 2.",
)
def _opening_shares(tables: ReportTables) -> Iterable[Quantity]:
    found = known_openings(tables)
    share = float(np.mean(found.kind == BY_ROW_3))
    yield near(f"share of the first kind, x <= {found.n[-1]:,}", SQRT_2 - 1, share, 1e-4)
    yield near("share of the second", 2 - SQRT_2, 1 - share, 1e-4)


@chapter.entry(
    "Derivation of the opening",
    "r(x) = alpha x (alpha - m_L) and s(x) = alpha x / (alpha + 1); of the r positions up to x_max"
    " there are gamma (x_max - r(x_max)) P-positions with z = 0, which gives the share sqrt 2 - 1.",
    correction="r(x) = alpha x / (alpha - m_L), and the number is (1 - gamma)(x_max - r(x_max)).",
)
def _opening_derivation(tables: ReportTables) -> Iterable[Quantity]:
    found = known_openings(tables)
    part = found.kind == BY_ROW_3
    n = found.n[part].astype(float)
    r = float(np.polyfit(n, n - found.place[part], 1)[0])
    alpha, lower = CONSTANTS.alpha, CONSTANTS.slope_lower
    yield Quantity("r(x) / x", alpha * (alpha - lower), r, 1e-4, corrected=alpha / (alpha - lower))
    n = found.n[~part].astype(float)
    s = float(np.polyfit(n, n - found.place[~part], 1)[0])
    yield near("s(x) / x", alpha / (alpha + 1), s, 1e-4)
    census = tables.census(tables.size(120_000, 20_000))
    last = len(census) - 1
    zeros = int(np.count_nonzero(census.tail_period == 0)) / last
    yield Quantity(
        "P-positions with z = 0 in x sheets, over x", SQRT_2 - 1, zeros, 1e-3, corrected=2 - SQRT_2
    )


@chapter.entry(
    "Width of the scatter",
    "P-positions lie within about 2.5 units of the lines, for all x.",
    why="The bound holds for the openings, that is at y = 0 and z = 0. Along the lines the scatter"
    " has standard deviations of 0.8 and 1.3 but rare positions farther out, more the larger x is.",
)
def _scatter(tables: ReportTables) -> Iterable[Quantity]:
    found, known = measured(tables), known_openings(tables)
    yield at_most(
        "largest distance of openings from their places",
        2.5,
        float(np.abs(known.residual).max()),
        printed=True,
    )
    yield at_most(
        "standard deviation of the distance from the upper line",
        2.5,
        found["upper_scatter"].value,
        printed=True,
    )
    yield at_most(
        "standard deviation of the distance from the lower line",
        2.5,
        found["lower_scatter"].value,
        printed=True,
    )
    for line in ("upper", "lower"):
        most = max(-found[f"{line}_least"].value, found[f"{line}_most"].value)
        yield at_most(f"largest distance from the {line} line", 2.5, most, printed=True)


@chapter.entry(
    "Winning moves from other positions; Section IV C",
    "From an arbitrary N-position the winning move need not be unique, unlike from the start.",
)
def _several_moves(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.games import chomp3
    from position_oracle.engine.games.spec import GameSpec

    sheets, side, game = tables.sheets(60), tables.size(14, 9), GameSpec("chomp3")
    counts = [
        sum(sheets.z_at(x, y) == z for _, (x, y, z) in chomp3.RULES.actions(p, game) if x + y + z)
        for p in product(range(side), repeat=3)
        if sheets.z_at(p[0], p[1]) != p[2] and sum(p) > 1
    ]
    yield at_least(
        f"most winning moves of an N-position with x, y, z below {side}",
        2,
        max(counts),
        printed=True,
    )
    yield at_most("of six kinds of moves at most one of each wins", 6, max(counts), printed=True)


CHANGED = ((0, 5), (3, 2), (20, 4))
"""The (x, y) of P-positions that are declared N."""


@chapter.entry(
    "Universality; Section V A",
    "Variants of Chomp, in which some P-positions are declared winners, show the geometry of Figure"
    " 2 again: Chomp is structurally stable.",
)
def _universality(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers.sheet_geometry import sheet_sums

    last = tables.size(1_500, 500)
    plain = tables.variant("chomp3", last)
    shape = density(plain, last // 2, last)
    for x, y in CHANGED:
        game = f"chomp3{{declared=[{x},{y},{plain.z_at(x, y)}]}}"
        sheets = tables.variant(game, last)
        found = {m.quantity: m for m in measure(sheet_sums(sheets).between(last // 2, last))}
        for name in ("alpha", "slope_lower", "slope_upper", "gamma"):
            yield near(
                f"{game}: {name}",
                found[name].expected or 0.0,
                found[name].value,
                0.004 if name != "gamma" else 0.02,
            )
        yield at_most(
            f"{game}: distance of its shape from that of Chomp",
            0.05,
            distance(shape, density(sheets, last // 2, last)),
        )
        fate = change_of(plain, sheets).fate
        yield holds(
            f"{game}: and its P-positions are elsewhere ({fate})",
            ours=fate in {Fate.INDEPENDENT, Fate.SPREADING, Fate.SHIFTED},
        )


@chapter.entry(
    "Nim and its variants; Section V A",
    "The geometry of three-heap Nim is unstable: nearly all variants share another geometry, one"
    " and the same for all of them.",
    why=EVEN_HEAPS,
)
def _nim(tables: ReportTables) -> Iterable[Quantity]:
    x = tables.size(256, 128)
    shapes = {game: nim_shape(tables, game, x) for game in ("nim", *NIM_VARIANTS)}
    variants = [shapes[game] for game in NIM_VARIANTS]
    apart = [difference(shapes["nim"], shape) for shape in variants]
    among = [difference(one, other) for one, other in pairwise(variants)]
    yield at_least(
        f"W_{x}: least difference between Nim and a variant, box by box", 0.1, min(apart)
    )
    yield at_most("largest difference between two variants", 0.08, max(among))
    yield at_least(
        "how many times farther Nim is from them than they are from each other",
        2.0,
        min(apart) / max(among),
    )
    side = tables.size(14, 8)
    found = declared_once(tables, side)
    yield at_least(
        f"share of the P-positions with x, y < {side} that lead to it when declared, nearly all",
        NEARLY_ALL,
        len(found.generic) / (side * side - 1),
    )


NIM_VARIANTS = tuple(
    f"nim{{heaps=3,declared=[{x},{y},{x ^ y}]}}"
    for x, y in ((9, 13), (7, 4), (5, 3), (2, 9), (11, 6))
)


def nim_shape(tables: ReportTables, game: str, x: int) -> "np.ndarray":
    """Return the density of W_x of a game of three heaps, in a window of 2 x by 2 x."""
    name = "nim{heaps=3}" if game == "nim" else game
    z = tables.heaps(name, 2 * x)
    return tables.once(
        ("nim shape", game, x), lambda: window_density(sheets_of_heaps(z, x, 2 * x)[: 2 * x], 16)
    )


@chapter.entry(
    "Sensitivity to initial conditions; Section V B",
    "Small changes of an instant-winner sheet may move P-positions of later sheets dramatically,"
    " though the overall geometry stays.",
)
def _sensitivity(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.papers.chomp.figures import spread

    last = 900
    shares = spread(tables, 300, last)
    late = np.array([share[-30:].mean() for share in shares])
    yield at_least(
        "share of P-positions moved at x = 900 by the strongest of the changes to W_300",
        0.5,
        float(late.max()),
    )
    some = float(np.mean(late > 0.5))
    yield at_least("share of the changes that moved more than half", 0.3, some)
    between = np.mean((late > 0.05) & (late < 0.5))
    yield at_most("share of the changes that moved some, but less than half", 0.15, float(between))


@chapter.entry(
    "Accretion; Section V C",
    "W_x grows by new points attached to its borders: along the lines of the loser sheet.",
)
def _accretion(tables: ReportTables) -> Iterable[Quantity]:
    sheets, x = tables.sheets(900), 900
    y = np.arange(int(CONSTANTS.line_end * x))
    z = sheets.look_up(x, y)
    lower = CONSTANTS.alpha * x + CONSTANTS.slope_lower * y
    upper = CONSTANTS.alpha * x + CONSTANTS.slope_upper * y
    close = np.minimum(abs(z - lower), abs(z - upper)) <= 12
    yield at_least(
        "share of the new points of W_901 within 12 of a line", 0.99, float(close.mean())
    )


@chapter.entry(
    "Compressibility; Section V D",
    "The P-positions are neither solvable nor incompressible: the geometry compresses them, and"
    " what is left looks random.",
)
def _compressibility(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(5_000, 1_000)
    sheets = tables.sheets(last)
    learned = learn_columns(sheets, last // 5, 7 * last // 10)
    random = np.random.default_rng(1)
    x = random.integers(8 * last // 10, last + 1, 5_000)
    y = (random.random(5_000) * CONSTANTS.line_end * x).astype(np.int64)
    bits = judge_z(learned, x, y, sheets.look_up(x, y)).bits
    yield at_most(
        "bits for the z of a column when the geometry is known; log2 of its height is"
        f" {np.log2(0.7 * last):.1f}",
        float(np.log2(0.7 * last)) / 2,
        bits,
    )
    yield at_least("bits left in it", 1.0, bits)


@chapter.entry(
    "Four-row Chomp; Section V E",
    "In four rows an exact recursion relates the sheets, now of three dimensions, in the same way.",
)
def _four_rows(tables: ReportTables) -> Iterable[Quantity]:
    limit = tables.size(36, 20)
    table = solve_shape(box(4, limit))
    found = {tuple(int(v) for v in board) for board in table.p_positions()}
    ours = four_row_positions(limit)
    yield every(
        f"P-positions of four rows to {limit} columns: recursion over d, against the boards",
        len(found),
        len(found & ours),
    )
    yield equal("P-positions that only the recursion gives", 0, len(ours - found))
    wide = tables.size(100, 60)
    rows = solve_shape(box(4, wide))
    counted = {10: 75, 50: 4978, 60: 8219, 100: 34510}
    boards = np.array([tuple(map(int, board)) for board in rows.p_positions()])
    for columns, number in counted.items():
        if columns <= wide:
            yield equal(
                f"P-positions of at most four rows and {columns} columns",
                number,
                int(np.count_nonzero(boards[:, 0] <= columns)),
            )
    tops = np.array([a for a, b, c, d in boards if b == c == d])
    d = np.array([b for a, b, c, d in boards if b == c == d])
    straight = np.polyfit(d, tops, 1)
    yield at_most(
        "the first rows f(d, d, d) of the sheets: largest distance from a straight line",
        6.0,
        float(abs(tops - np.polyval(straight, d)).max()),
    )


def four_row_positions(limit: int) -> set[tuple[int, ...]]:
    """Return P-positions (a, b, c, d) with a <= limit, sheet by sheet of d.

    The a of a P-position is the least one that is not barred. Bites of rows four, three and two bar
    one a each; a bite of row one down to k < b leaves (k, k, min(c, k), min(d, k)), and if that is
    P, no a is left.
    """
    first: dict[tuple[int, int, int], int] = {}
    for d in range(limit + 1):
        for c in range(d, limit + 1):
            for b in range(c, limit + 1):
                below = [first.get((k, min(k, c), min(k, d))) for k in range(b)]
                if any(a == k for k, a in enumerate(below)):
                    continue
                barred = {first.get((b, c, k)) for k in range(d)}
                barred |= {first.get((b, k, min(k, d))) for k in range(c)} | set(below)
                first[b, c, d] = next(a for a in count(max(b, 1)) if a not in barred)
    return {(a, b, c, d) for (b, c, d), a in first.items() if a <= limit}


@chapter.entry(
    "Other games; Section V E",
    "The method was also applied to three-dimensional Wythoff, a restricted version of Frogs and"
    " Toads, and Sprague-Grundy values of two-dimensional Wythoff.",
)
def _other_games(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers import heap_sheets

    x = tables.size(120, 60)
    for rule in ("pairs", "all", "both"):
        z = tables.heaps(f"wythoff{{heaps=3,rule={rule}}}", 4 * x)
        shapes = [window_density(sheets_of_heaps(z, k, 2 * k)[: 2 * k], 8) for k in (x, 2 * x)]
        yield at_most(
            f"three heaps of Wythoff, rule {rule}: W_{x} and W_{2 * x} differ by",
            0.06,
            difference(*shapes),
        )
    values = heap_sheets.solve(heap_sheets.WYTHOFF, 2 * x, 4 * x)
    golden = (1 + 5**0.5) / 2
    for value in (0, 3, 9):
        a, b = np.nonzero(np.asarray(values)[: x + 1] == value)
        line = a <= b
        off = b[line] - golden * a[line]
        yield at_most(
            f"two heaps of Wythoff, value {value}: largest distance from the golden line",
            2.0 * value + 2,
            float(abs(off).max()),
        )
    yield undecided("Frogs and Toads", "some restricted version", "it is not said which version")
