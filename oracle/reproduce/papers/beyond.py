"""New results, each with its evidence and the observation that would refute it."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Final

import numpy as np

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.tree import tree_of, with_passes
from position_oracle.engine.solvers import folds, heap_sheets
from position_oracle.engine.solvers.graph import build
from position_oracle.engine.theory.geometry.dynamics import moved_shares
from position_oracle.engine.theory.geometry.fits import measure
from position_oracle.oracle.reproduce.papers.chomp import figures
from position_oracle.oracle.reproduce.papers.chomp.claims import known_openings
from position_oracle.oracle.reproduce.papers.passes.shapes import declared_once
from position_oracle.oracle.reproduce.papers.transfinite.certificates import certify, outcome
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
)
from position_oracle.oracle.reproduce.shape.judging import judge_moves
from position_oracle.oracle.reproduce.shape.ladders import Tails, rungs_before, threshold
from position_oracle.oracle.reproduce.shape.learning import learn_openings
from position_oracle.oracle.reproduce.shape.opening_patterns import (
    JitteredBeatty,
    binomial_deviation,
    discrepancy,
    kinds_of_diagonals,
    longest_runs,
    words,
)
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.BEYOND)

SQRT_2: Final = 2**0.5
CENSUS_COUNTS: Final = {
    10_000: ({0: 5858, 1: 3939, 2: 141, 3: 7, 4: 54, 9: 2}, 20_723_777),
    50_000: ({0: 29289, 1: 19788, 2: 675, 3: 29, 4: 212, 6: 1, 8: 3, 9: 4}, 517_831_559),
    100_000: ({0: 58579, 1: 39548, 2: 1365, 3: 56, 4: 440, 6: 1, 8: 6, 9: 6}, 2_071_197_230),
    300_000: (
        {0: 175736, 1: 118571, 2: 4220, 3: 159, 4: 1267, 6: 1, 8: 15, 9: 29, 27: 3},
        18_640_000_059,
    ),
    1_000_000: (
        {0: 585787, 1: 395034, 2: 14249, 3: 558, 4: 4234, 6: 2, 8: 33, 9: 99, 27: 5},
        207_108_079_527,
    ),
}
"""Sheets x <= X by period, and P-positions of their prefixes, as first measured."""

PERIOD_27: Final = (112_742, 165_560, 176_144, 432_746, 767_578)


@chapter.entry(
    "Two more passes change nothing",
    "P_(k+2) = P_k and g_(k+2) = g_k for every game without infinite play.",
    evidence="A proof, in docs/nim-passes.md; here the recursion is followed level by level.",
    refuted_by="One position of one game whose outcome with k + 2 passes is not that with k.",
)
def _passes(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.games.registry import rules_of

    last = tables.size(160, 60)
    levels = [heap_sheets.solve((), last, last, k) for k in range(6)]
    for k in range(4):
        differing = int(np.count_nonzero(levels[k + 2] != levels[k]))
        yield equal(
            f"three heaps to {last}: columns that differ with {k + 2} and {k} passes", 0, differing
        )
    for text, side in (("wythoff{heaps=2}", 12), ("nim{max=3}", 12), ("octal{code=0.77}", 9)):
        game = parse_game(text)
        rules = rules_of(game.family)
        plain = tree_of(rules.position(game, (side - 1, side - 1)))
        graph = build(with_passes(plain), (plain.node(rules.position(game, (side - 1,) * 2)), 3))
        wins = folds.wins(graph)
        positions = list(combinations_with_replacement(range(1, side), 2))
        nodes = [plain.node(rules.position(game, pair)) for pair in positions]
        same = sum(
            wins[graph.number[node, k + 2]] == wins[graph.number[node, k]]
            for node in nodes
            for k in (0, 1)
        )
        yield every(
            f"{text}: positions alike with k and k + 2, k = 0 and 1", 2 * len(positions), int(same)
        )


@chapter.entry(
    "Nim with one pass: two heaps, and a heap of one",
    "P are [0, 0], [2m - 1, 2m]; and [1, 0, 2], [1, n, n] for n = 1 and n >= 3.",
    evidence="A proof, in docs/nim-passes.md, theorem 5.",
    refuted_by="Another P-position of that kind.",
)
def _one_pass(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(2_000, 400)
    z = tables.heaps("nim{heaps=3,passes=1}", last)
    y = np.arange(last + 1)
    two = np.where(y == 0, 0, ((y - 1) ^ 1) + 1)
    yield every(f"two heaps to {last:,}", last + 1, int(np.count_nonzero(z[0] == two)))
    yield every("a heap of one, n = 3, 4, ...", last - 2, int(np.count_nonzero(z[1, 3:] == y[3:])))
    bound = y[:, np.newaxis] + y + 1
    yield equal("columns with z above x + y + 1", 0, int(np.count_nonzero(z > bound)))


@chapter.entry(
    "Declaring a P-position of Nim with three even heaps",
    "It changes only the block of eight positions that begins there: the four positions of odd"
    " nim-sum take the place of the four P-positions. Any other P-position leads to generic Nim.",
    evidence="Each line through the block has one P-position in it before and after, so that"
    " nothing beyond is barred or freed. That all others lead to generic Nim is an observation.",
    refuted_by="An even one that changes more, or another that leaves Nim's geometry.",
)
def _even_heaps(tables: ReportTables) -> Iterable[Quantity]:
    pure, side = tables.heaps("nim{heaps=3}", 128), tables.size(14, 8)
    blocks = wrong = 0
    for x, y in product(range(0, side, 2), repeat=2):
        if x == y == 0:
            continue
        blocks += 1
        z = tables.heaps(f"nim{{heaps=3,declared=[{x},{y},{x ^ y}]}}", 128)
        changed = {(int(a), int(b)) for a, b in np.argwhere(z != pure)}
        wrong += changed != {(x, y), (x, y + 1), (x + 1, y), (x + 1, y + 1)}
    yield equal(
        f"even (x, y) below {side} that change other columns than the four of the block", 0, wrong
    )
    found = declared_once(tables, side)
    even = {(x, y) for x, y in product(range(0, side, 2), repeat=2)} - {(0, 0)}
    yield equal(
        f"(x, y) below {side} after which W_85 is Nim's: the even ones",
        blocks,
        len(found.plain & even),
    )
    yield equal("others of that kind", 0, len(found.plain - even))
    yield equal("all others: generic", side * side - 1 - blocks, len(found.generic))


@chapter.entry(
    "Random Chomp on hooks",
    "From p cookies beside the poison and q above it, 1/2 - P = p q / (n (n - 1)(n - 2)), n = p + q"
    " + 1.",
    evidence="A proof, in docs/random-play.md; here against the recursion.",
    refuted_by="A hook with another chance.",
)
def _hooks(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import chance, chomp

    last = tables.size(20, 10)
    hooks = [(p, q) for p in range(1, last) for q in range(1, p + 1)]
    right = sum(
        Fraction(1, 2) - chance(chomp((p + 1, *(1,) * q)))
        == Fraction(p * q, (p + q + 1) * (p + q) * (p + q - 1))
        for p, q in hooks
    )
    yield every(f"hooks with arms below {last}, exactly", len(hooks), right)


@chapter.entry(
    "A sharper form of Conjecture 1.6",
    "Among all boards of n cookies with two rows and two columns 1/2 - P is least, 1/(n (n - 1)),"
    " and greatest, about 1/(4n), on hooks.",
    evidence="Exact for every board of few cookies; for n <= 40 in docs/random-play.md.",
    refuted_by="A board of n cookies outside these bounds.",
)
def _envelope(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import envelopes_up_to

    cookies = tables.size(30, 22)
    found = envelopes_up_to(cookies)
    low = sum(e.least[0] == Fraction(1, e.cookies * (e.cookies - 1)) for e in found)
    high = sum(
        e.greatest[0]
        == Fraction((e.cookies - 1) ** 2 // 4, e.cookies * (e.cookies - 1) * (e.cookies - 2))
        for e in found
    )
    yield every(f"n = 3 .. {cookies} with that least", len(found), low)
    yield every("with that greatest", len(found), high)
    thin, even = (2, *(1,) * (cookies - 2)), (cookies // 2 + 1, *(1,) * ((cookies - 1) // 2))
    yield equal(f"a board of {cookies} with that least", thin, found[-1].least[1])
    yield equal(f"a board of {cookies} with that greatest", even, found[-1].greatest[1])


@chapter.entry(
    "The census of three-row Chomp",
    "How many sheets x <= X have tails of each period, to X = 1,000,000, where periods 6, 8 and 27"
    " occur; published before: to 50,000.",
    evidence="Certified tails of every sheet (docs/row-sweep.md), two runs with different settings"
    " to 1,000,000; here as far as the census of the store goes.",
    refuted_by="A sheet with another period, or a certificate that fails.",
)
def _census(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    end = len(census)
    for last, (counts, prefixes) in CENSUS_COUNTS.items():
        if last < end:
            periods, numbers = np.unique(census.tail_period[: last + 1], return_counts=True)
            ours = dict(zip(periods.tolist(), numbers.tolist(), strict=True))
            yield equal(
                f"x <= {last:,}: (period, sheets)", tuple(counts.items()), tuple(ours.items())
            )
            yield equal(
                f"x <= {last:,}: P-positions of their prefixes",
                prefixes,
                int(census.prefix_length[: last + 1].sum(dtype=np.int64)),
            )
    found = np.flatnonzero(census.tail_period == 27)
    expected = tuple(x for x in PERIOD_27 if x < end)
    yield equal(f"sheets of period 27, x < {end:,}", expected, tuple(found.tolist()))


@chapter.entry(
    "Tails as ladders",
    "Every tail of period 9 comes two sheets after one of period 3 with which it shares a z, every"
    " 27 after a 9, every 8 after a 4. No two constant tails share a z.",
    evidence="All of them to x = 1,000,000; here as far as the census goes. That constant tails"
    " share none is proved (move M4).",
    refuted_by="A tail of period 8, 9 or 27 without its rung before.",
)
def _ladders(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    tails = Tails(census.tail_period, census.tail_offset, census.tail_z)
    for period, before in ((9, 3), (27, 9), (8, 4)):
        number = len(tails.with_period(period))
        found = rungs_before(tails, period)
        yield equal(
            f"tails of period {period}, after one of {before}", number, found.get(before, 0)
        )
    constant = np.flatnonzero(census.tail_period == 1)
    z = census.tail_z[census.tail_offset[constant]]
    yield equal("constant tails that share a z", 0, len(z) - len(np.unique(z)))
    _, right = threshold(tails)
    yield at_least(
        "constant tails at ceil((2 - sqrt 2) x) or one above, by one threshold of the phase: share"
        " right",
        0.985,
        right,
    )


@chapter.entry(
    "Six places of the opening",
    "The opening of 3 x n leaves j with j - floor of its predicted place -1, 0 or 1, for both"
    " kinds: six moves in all.",
    evidence="Every n to 1,414,150; here as far as the census goes.",
    refuted_by="One n with another place, or with two openings.",
)
def _places(tables: ReportTables) -> Iterable[Quantity]:
    known = known_openings(tables)
    yield equal(
        f"places off the floor, n <= {known.n[-1]:,}",
        (-1, 0, 1),
        tuple(np.unique(known.candidate).tolist()),
    )
    yield at_most("largest residual", 1.7705, float(np.abs(known.residual).max()))


@chapter.entry(
    "The kind of the opening follows from diagonals",
    "n opens by rows 2 and 3 exactly if n is a diagonal value f(j, j); otherwise by row 3.",
    evidence="A proof, in engine/theory/openings.py; here against the openings themselves.",
    refuted_by="An n whose kind is another.",
)
def _kinds(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    known = known_openings(tables)
    kinds = kinds_of_diagonals(census.diagonal_z)
    same = int(np.count_nonzero(kinds[2 : known.n[-1] + 1] == known.kind))
    yield every(f"n = 2 .. {known.n[-1]:,}", len(known), same)
    yield at_least(
        "n to which diagonals alone tell the kind, over x", 1.70, len(kinds) / len(census)
    )


@chapter.entry(
    "Openings are a Beatty sequence with jitter",
    "The number of openings by row 3 up to n stays within 2 of (sqrt 2 - 1) n; the diagonal values"
    " have jitter of standard deviation 0.5 without memory. Independent kinds would stray by"
    " hundreds.",
    evidence="Every n to 1,707,044; here as far as the census goes.",
    refuted_by="A discrepancy that grows with n.",
)
def _beatty(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    kinds = kinds_of_diagonals(census.diagonal_z)[2:]
    off = discrepancy(kinds)
    yield at_most("largest discrepancy", 2.0, float(np.abs(off).max()))
    yield near("its standard deviation", 0.35, float(off.std()), 0.03)
    yield at_least(
        f"that of {len(kinds):,} independent kinds", 50.0, binomial_deviation(len(kinds))
    )
    model = JitteredBeatty.fit(census.diagonal_z)
    yield near("standard deviation of diagonal values about their line", 0.5, model.scatter, 0.03)
    yield near("autocorrelation at lag 1 without the phase", -0.04, model.memory, 0.03)
    yield near("offset of the line", 0.97, model.offset, 0.03)
    made_up = discrepancy(kinds_of_diagonals(model.simulate(len(census), seed=1))[2:])
    yield near("deviation of the discrepancy by such a model", 0.36, float(made_up.std()), 0.03)
    yield at_least("words of length 10 (a Sturmian sequence has 11)", 200, words(kinds, 10))
    runs = longest_runs(kinds)
    yield equal("longest runs, by row 3 and by rows 2 and 3", (2, 4), (runs[3], runs[2]))


@chapter.entry(
    "Sensitivity is all or nothing",
    "A P-position declared N either heals completely or leads to a game that is independent of the"
    " first; survivors have moved half at x of 1.4 to 1.5 x0, whatever x0: the growth is linear in"
    " x / x0, not exponential.",
    evidence="200 trials at each of four x0 (docs/geometry.md); here some at two x0.",
    refuted_by="Games that stay half-changed, or a half-way point that moves with x0.",
)
def _all_or_nothing(tables: ReportTables) -> Iterable[Quantity]:
    for x0, last in ((100, 300), (300, 900)):
        shares = figures.spread(tables, x0, last)
        late = np.array([share[-x0 // 4 :].mean() for share in shares])
        neither = np.mean((late > 0.02) & (late < 0.55))
        yield at_most(
            f"x0 = {x0}: share of {len(late)} changes with neither fate", 0.15, float(neither)
        )
        halves = [
            int(np.flatnonzero(s >= 0.5)[0]) / x0
            for s, end in zip(shares, late, strict=True)
            if end > 0.55
        ]
        yield near(
            f"x0 = {x0}: median x / x0 at which half has moved",
            1.45,
            float(np.median(halves)),
            0.15,
        )
        yield near(
            f"x0 = {x0}: share moved in the end", 0.706, float(late[late > 0.55].mean()), 0.05
        )
    plain = tables.variant("chomp3", 300)
    inert = moved_shares(plain, tables.variant("chomp3{declared=[50,3,30]}", 300))
    yield equal(
        "declaring an N-position: largest share moved (proved: nothing changes)",
        0.0,
        float(inert.max()),
    )


@chapter.entry(
    "Fringes of a column",
    "What a column of the sweep has taken is one solid interval but for a few places below and"
    " above, independent of its size; larger fringes are ever rarer.",
    evidence="3.4 million states to c = 1,000,000; the census checks it at every step. Here from"
    " the sheets.",
    refuted_by="A fringe beyond 64 places: a check of the census would fail.",
)
def _fringes(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(5_000, 1_000)
    sheets = tables.sheets(last)
    tops = np.arange(len(sheets)) + sheets.diagonal
    below, above, widest = [], [], 0
    for c in range(last // 2, last, max(1, last // 150)):
        z = sheets.prefix(c).astype(np.int64)
        values = z + np.arange(len(z)) + c
        # Half-way: what the column has taken, and the diagonals of smaller columns.
        taken = set(values[: len(values) // 2].tolist())
        solid = taken | set(tops[:c].tolist())
        low = high = int(values[0])
        while low in solid:
            low -= 1
        while high in solid:
            high += 1
        under = [v for v in taken if v < low]
        over = [v for v in taken if v > high]
        below.append(len(under))
        above.append(len(over))
        widest = max([widest, *(low - v for v in under), *(v - high for v in over)])
    yield at_most("mean number of places below", 0.3, float(np.mean(below)))
    yield at_most("mean number above", 0.6, float(np.mean(above)))
    yield at_most("farthest place of a fringe", 40, widest)


@chapter.entry(
    "Scatter about the lines",
    "Standard deviations of 0.82 (upper) and 1.34 (lower line) at any x; extremes grow like log x.",
    evidence="Sheets to 50,000; here two ranges of the table.",
    refuted_by="Standard deviations that grow with x.",
)
def _scatter(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers.sheet_geometry import sheet_sums

    last = tables.size(5_000, 1_000)
    sums = sheet_sums(tables.sheets(last))
    loose = tables.size(1, 3)  # small sheets scatter more
    for first, end in ((last // 4, last // 2 - 1), (last // 2, last)):
        found = {one.quantity: one.value for one in measure(sums.between(first, end))}
        yield near(f"x = {first:,} to {end:,}: upper", 0.82, found["upper_scatter"], 0.04 * loose)
        yield near(f"x = {first:,} to {end:,}: lower", 1.34, found["lower_scatter"], 0.08 * loose)
        yield near(
            f"x = {first:,} to {end:,}: diagonals", 0.5, found["diagonal_scatter"], 0.03 * loose
        )


@chapter.entry(
    "Constants far out",
    "Measured constants approach equation (5) like x^-1.5: alpha to 6e-9 at x of 500,000 to"
    " 1,000,000.",
    evidence="The census to 1,000,000 (docs/geometry.md); here as far as the census of the store"
    " goes.",
    refuted_by="A constant that stays several standard errors away as x grows.",
)
def _constants(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.jobs.chomp3.census import shape_of

    census = tables.census(tables.size(120_000, 20_000))
    last = len(census) - 1
    sums = shape_of(census).between(last // 2, last)
    for one in measure(sums):
        if one.expected is not None and one.standard_error:
            yield at_most(
                f"{one.quantity}: distance from equation (5), {one.value - one.expected:+.1e},"
                " in standard errors",
                5.0,
                abs(one.value - one.expected) / one.standard_error,
            )


@chapter.entry(
    "Ends, heights and beginnings of sheets",
    "Sheets stop within 3 rows of sqrt 2 x, what is before a tail ends within 6; the largest z is"
    " the first one or at most 2 more.",
    evidence="Every sheet to 1,000,000; here as far as the census goes.",
    refuted_by="A sheet outside these bounds.",
)
def _ends(tables: ReportTables) -> Iterable[Quantity]:
    census = tables.census(tables.size(120_000, 20_000))
    x = np.arange(len(census))
    stops, tails = census.tail_period == 0, census.tail_period > 0
    ends = (x + census.prefix_length - 1 - SQRT_2 * x)[stops]
    yield at_most(
        "sheets that stop: largest distance from sqrt 2 x", 3.0, float(np.abs(ends).max())
    )
    before = (x + census.prefix_length - 1 - SQRT_2 * x)[tails]
    yield at_most(
        "tails: largest distance of the last row before them", 6.0, float(np.abs(before).max())
    )
    more = (census.max_z - census.diagonal_z)[1:]
    yield equal(
        "largest z minus the first one: least and most", (0, 2), (int(more.min()), int(more.max()))
    )


@chapter.entry(
    "Chances for openings beyond every table",
    "From the phase of n / sqrt 2 the move of the opening is guessed with 1.2 bits instead of 1.7;"
    " the first two candidates hold nine of ten.",
    evidence="Learned from n <= 50,000 and judged beyond 500,000; here on the range of the census.",
    refuted_by="Judged chances that are no better than the shares of the kinds.",
)
def _chances(tables: ReportTables) -> Iterable[Quantity]:
    known = known_openings(tables)
    half = int(known.n[-1]) // 2
    learned = learn_openings(known.between(2, half))
    score = judge_moves(learned, known.between(half + 1, 2 * half))
    yield at_most("bits for the move", 1.3, score.bits)
    yield at_least("share of moves among the first two candidates", 0.87, score.best[1])
    yield at_most("calibration error", 0.03, score.calibration)


@chapter.entry(
    "The frontier of transfinite Chomp",
    "All g < 46 are in L, and 46 is not found to a = 1,000 (500 beside w); the paper had searched"
    " to 480.",
    evidence="A scan of all positions of four columns; values that only side-tops give rest on a"
    " proviso (docs/transfinite.md).",
    refuted_by="46 = G(4 x a) or G((4 x a) + (2 x w)) for some a.",
)
def _frontier(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers.frontier import solve

    limit, tops = tables.size((560, 280), (120, 60))
    found = tables.once(("frontier", limit), lambda: solve(limit, tops))
    inside = found.found()
    yield at_least(
        f"least g not found with a < {limit}, beside w a < {tops}",
        tables.size(46, 19),
        next(g for g in range(1, 128) if not inside[g]),
    )
    yield holds("46 is not found", ours=not inside[46])


@chapter.entry(
    "2 x 2 type C beyond the paper",
    "With v and y at levels m and n above the base and z at level 1, for m = n odd both levels n +"
    " 1 and 2n + 2 occur, by whether b xor c is a power of 2.",
    evidence="A proof sketched in docs/transfinite.md; here examples with certificates.",
    refuted_by="One of these positions with a bite that contradicts its outcome.",
)
def _type_c(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.transfinite.position_text import parse_position

    for text, expected in (
        ("[w*4 w*2; w*5+1 w*4]", "P"),
        ("[w*4 w*2; w*9 w*4]", "N"),
        ("[w*2 w*2; w*3+1 w*2]", "P"),
        ("[w*6 w*2; w*7+1 w*6]", "P"),
    ):
        yield equal(text, expected, outcome(text))
    texts = ["[w*4 w*2; w*5+1 w*4]", "[w*4+1 w*2; w*9 w*4]", "[w*6 w*2; w*7+1 w*6]"]
    found = certify(parse_position(text) for text in texts)
    yield equal(f"of {found.bites} bites at them, those that contradict", 0, found.contradictions)


@chapter.entry(
    "Slips found in the papers",
    "Besides known misprints: two in the proof of Theorem 1.4 and the base case of Lemma 4.1"
    " (random play); equations (7) and (13) of the passes paper at the terminal position, and its"
    " variant sheets; sizes and stratification in section 12 (transfinite).",
    evidence="The entries of those chapters, which compute both readings.",
    refuted_by="An entry that agrees with what is printed.",
)
def _slips(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.chapters import all_entries

    named = {
        "random-play": ("Proof of Theorem 1.4", "Lemma 4.1"),
        "passes": ("Equation (7)", "Equation (13)"),
    }
    for paper, references in named.items():
        for reference in references:
            entry = next(e for e in all_entries() if e.paper == paper and reference in e.references)
            verdicts = {quantity.verdict for quantity in entry.compute(tables)}
            yield holds(
                f"{paper}, {reference}: only the corrected statement agrees",
                ours="agrees with the corrected statement" in verdicts,
            )
