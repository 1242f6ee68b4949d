"""Entries of Devlin and Trifonova, Combinatorial games played randomly: Chomp and nim."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice, pairwise, product
from math import factorial, isqrt, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

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

chapter = Chapter(Paper.RANDOM_PLAY)

HALF: Final = Fraction(1, 2)
Board = tuple[int, ...]

TABLE_1: Final = (
    (1, -1),
    (4, -4),
    (68, -76),
    (2576, -3248),
    (171920, -243152),
    (17808448, -28013888),
    (2643253312, -4585857472),
    (531994564864, -1010163390208),
)
"""alpha_k and beta_k as printed, k = 1 .. 8."""


def boards_of(cookies: int, longest: int | None = None) -> Iterator[Board]:
    """Return every board of n cookies, as row lengths that do not increase."""
    if not cookies:
        yield ()
        return
    for first in range(min(cookies, longest or cookies), 0, -1):
        for rest in boards_of(cookies - first, first):
            yield (first, *rest)


def bites(board: Board) -> Iterator[Board]:
    """Yield the boards after each bite, one for each cookie."""
    for row, length in enumerate(board):
        for column in range(length):
            left = (*board[:row], *(min(other, column) for other in board[row:]))
            yield tuple(other for other in left if other)


def two_row_chances(limit: int) -> dict[tuple[int, int], Fraction]:
    """Return P(n, k) for n <= limit by equation (2.2) alone."""
    found: dict[tuple[int, int], Fraction] = {(0, 0): Fraction(1)}
    for n in range(1, limit + 1):
        for k in range(n + 1):
            children = [found[j, min(j, k)] for j in range(n)] + [found[n, j] for j in range(k)]
            found[n, k] = 1 - sum(children, Fraction(0)) / (n + k)
    return found


def harmonic(n: int) -> Fraction:
    """Return the harmonic number H_n."""
    return sum((Fraction(1, j) for j in range(1, n + 1)), Fraction(0))


def coefficient(x: int, y: int) -> Fraction:
    """Return C(x, y) of Lemma 4.1."""
    from position_oracle.engine.theory.random_play.two_rows import coefficients

    if (x, y) == (1, 1):
        return Fraction(0)
    row, total = coefficients(y), x + y
    return Fraction(
        x * row.alpha + row.beta, factorial(2 * (y - 1)) * total * (total - 1) * (total - 2)
    )


def summed(n: int, k: int) -> Fraction:
    """Return g(n, k) of the proof of Lemma 4.1."""
    from position_oracle.engine.theory.random_play.two_rows import coefficients

    row = coefficients(k)
    above = (n - k) * (
        row.alpha * (k * k + 3 * k * (n - 1) - 2 * n + 2) + row.beta * (3 * k + n - 3)
    )
    return Fraction(
        above, 4 * (k - 1) * (2 * k - 1) * factorial(2 * (k - 1)) * (n + k - 1) * (n + k - 2)
    )


@chapter.entry(
    "Equation (2.1)",
    "The expected number of turns of a board is one more than the mean of those that a bite leaves;"
    " the empty board has 0.",
)
def _equation_2_1(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import TurnDistribution, chomp

    most = tables.size(9, 7)
    boards = [board for n in range(1, most + 1) for board in boards_of(n)]
    mean = {board: TurnDistribution.of(chomp(board)).mean for board in [(), *boards]}
    right = sum(
        mean[board] == 1 + sum(mean[left] for left in bites(board)) / sum(board) for board in boards
    )
    yield every(f"boards of up to {most} cookies for which it holds", len(boards), right)
    yield equal("expected turns of the empty board", 0, mean[()])


@chapter.entry(
    "Equation (2.2)",
    "The player to move wins with the mean, over the bites, of the probability that the player to"
    " move at what is left loses; at the empty board the player to move has won.",
)
def _equation_2_2(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import chance as chance_of
    from position_oracle.oracle.reproduce.random_games import chomp

    most = tables.size(9, 7)
    boards = [board for n in range(1, most + 1) for board in boards_of(n)]
    chance = {board: chance_of(chomp(board)) for board in [(), *boards]}
    right = sum(
        chance[board] == sum(1 - chance[left] for left in bites(board)) / sum(board)
        for board in boards
    )
    yield every(f"boards of up to {most} cookies for which it holds", len(boards), right)
    yield equal("chance of the player to move at the empty board", 1, chance[()])


@chapter.entry(
    "Theorem 1.1",
    "A random game of Chomp from a board takes on average as many turns as 1/(xy) adds up to over"
    " its cells; from an m x n rectangle the product of two harmonic numbers.",
)
def _theorem_1_1(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.turns import expected_turns
    from position_oracle.oracle.reproduce.random_games import TurnDistribution, chomp

    most = tables.size(14, 10)
    boards = [board for n in range(most + 1) for board in boards_of(n)]
    right = sum(TurnDistribution.of(chomp(board)).mean == expected_turns(board) for board in boards)
    yield every(f"boards of up to {most} cookies, by recursion over all games", len(boards), right)
    sides = list(product(range(1, 31), repeat=2))
    rectangles = sum(expected_turns((n,) * m) == harmonic(m) * harmonic(n) for m, n in sides)
    yield every("rectangles up to 30 x 30: H_m H_n", len(sides), rectangles)
    yield equal("3 x 3: (11/6)^2", Fraction(121, 36), expected_turns((3, 3, 3)))


@chapter.entry(
    "Proof of Theorem 1.1",
    "Of the boards that a bite into B leaves, exactly |B| - xy hold the cell (x, y).",
)
def _proof_1_1(tables: ReportTables) -> Iterable[Quantity]:
    most = tables.size(10, 8)
    cells = right = 0
    for board in (board for n in range(1, most + 1) for board in boards_of(n)):
        left = list(bites(board))
        for row, length in enumerate(board, start=1):
            for column in range(1, length + 1):
                cells += 1
                there = sum(len(b) >= row and b[row - 1] >= column for b in left)
                right += there == sum(board) - row * column
    yield every(f"cells of all boards of up to {most} cookies", cells, right)


@chapter.entry(
    "Theorem 1.2",
    "Of the boards with N cells, H_N turns are the fewest on average, and (1/2 + o(1)) H_N^2 the"
    " most; both are attained.",
)
def _theorem_1_2(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.turns import expected_turns, harmonic_float
    from position_oracle.oracle.reproduce.random_games import most_expected_turns

    most = tables.size(24, 16)
    turns = {n: [expected_turns(b) for b in boards_of(n)] for n in range(1, most + 1)}
    least = sum(min(turns[n]) == harmonic(n) for n in turns)
    greatest = sum(max(turns[n]) == most_expected_turns(n) for n in turns)
    yield every(f"N = 1 .. {most} whose least is H_N, over all boards", most, least)
    yield every(f"N = 1 .. {most} whose greatest is that of the board B'", most, greatest)
    steps = _longest(tables.size(10**7, 10**6))
    ratio = [2 * value / harmonic_float(n) ** 2 for n, value in steps]
    yield at_most(
        f"the most over H_N^2 / 2, for {len(steps)} N to {steps[-1][0]:,}",
        1.0,
        max(ratio),
        printed=True,
    )
    yield holds("which rises with N from 482 on", ours=all(a < b for a, b in pairwise(ratio[1:])))


def _longest(last_product: int) -> list[tuple[int, float]]:
    """Return N and the greatest expected turns for N = |P_t|, t = 10, 100, ..."""
    divisors, steps = _divisors(last_product), []
    t = 10
    while t <= last_product:
        m = np.arange(1, t + 1)
        steps.append((int(divisors[1 : t + 1].sum()), float((divisors[1 : t + 1] / m).sum())))
        t *= 10
    return steps


def _divisors(last: int) -> NDArray[np.int64]:
    """Return the number of divisors of 0 .. last; 0 for 0."""
    count = np.zeros(last + 1, np.int64)
    for d in range(1, isqrt(last) + 1):
        # The divisors d and m / d of m >= d^2, which are one where m is d^2.
        count[d * d] += 1
        count[d * d + d :: d] += 2
    return count


@chapter.entry(
    "Proof of Theorem 1.2",
    "d(m)/m adds up to log(t)^2/2 + 2 gamma log(t) + O(1), and d(m) to t log t + (2 gamma - 1) t +"
    " O(sqrt t), with gamma = 0.577...; so that E[B'] = (1/2 + o(1)) log|B|.",
    correction="In the last line the square is missing: E[B'] = (1/2 + o(1)) log(|B|)^2.",
)
def _proof_1_2(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.turns import EULER_GAMMA, harmonic_float

    last = tables.size(10**6, 10**5)
    m, divisors = np.arange(1, last + 1), _divisors(last)[1:]
    logs = np.log(m)
    bounded = np.cumsum(divisors / m) - logs**2 / 2 - 2 * EULER_GAMMA * logs
    rest = np.cumsum(divisors) - m * logs - (2 * EULER_GAMMA - 1) * m
    yield near("gamma", 0.577, harmonic_float(10**9) - log(10**9), 5e-4)
    yield at_most(f"|O(1)| for t <= {last:,}", 1.0, float(np.abs(bounded).max()))
    yield at_most(f"|O(sqrt t)| / sqrt t for t <= {last:,}", 1.0, _largest(rest / np.sqrt(m)))
    counted, turns = _longest(last)[-1]
    power = log(turns / _longest(last)[0][1]) / log(log(counted) / log(_longest(last)[0][0]))
    nearest = min((1, 2), key=lambda exponent: abs(power - exponent))
    yield equal("power of log|B| with which E[B'] grows (1 or 2, nearest)", 1, nearest, corrected=2)


def _largest(values: NDArray[np.float64]) -> float:
    return float(np.abs(values).max())


@chapter.entry(
    "Theorem 1.3",
    "P(n, 0) is 1, 0, 1/2 for n = 0, 1 and more; P(1, 1) = 1/2; all other P(n, k) on two rows have"
    " a closed form in two integer sequences.",
)
def _theorem_1_3(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.two_rows import win_probability

    limit = tables.size(60, 30)
    found = two_row_chances(limit)
    right = sum(win_probability(n, k) == value for (n, k), value in found.items())
    yield equal("P(n, 0), n = 0, 1, 2, 3", (1, 0, HALF, HALF), tuple(found[n, 0] for n in range(4)))
    yield equal("P(1, 1)", HALF, found[1, 1])
    yield every(f"(n, k) with n <= {limit}, closed form against (2.2)", len(found), right)
    yield equal("P(5, 3)", Fraction(157, 336), win_probability(5, 3))


@chapter.entry(
    "Recursion of Theorem 1.3",
    "The two sequences together are multiplied by a 2 x 2 matrix at each step, from (1, -1).",
)
def _matrix(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.two_rows import iterate_coefficients

    rows = list(islice(iterate_coefficients(), tables.size(300, 100)))
    steps = sum(
        (after.alpha, after.beta)
        == (
            row.k * (4 * row.k + 1) * row.alpha + row.beta,
            -row.k * (row.k + 1) * row.alpha + (4 * row.k**2 - row.k - 1) * row.beta,
        )
        for row, after in pairwise(rows)
    )
    yield equal("first vector", (1, -1), (rows[0].alpha, rows[0].beta))
    yield every("steps that are this product", len(rows) - 1, steps)


@chapter.entry("Table 1", "alpha_k and beta_k for k = 1 to 8.")
def _table_1(_: ReportTables) -> Iterable[Quantity]:
    # From the win probabilities alone, which the recursion (2.2) gives: two n for each k.
    found = two_row_chances(10)
    for k, (alpha, beta) in enumerate(TABLE_1, start=1):
        lines = [(HALF - found[n, k]) * _denominator(n, k) for n in (9, 10)]
        slope = lines[1] - lines[0]
        yield equal(f"alpha and beta of k = {k}", (alpha, beta), (slope, lines[0] - 9 * slope))


def _denominator(n: int, k: int) -> int:
    return factorial(2 * (k - 1)) * (n + k) * (n + k - 1) * (n + k - 2)


@chapter.entry(
    "Example of Theorem 1.3",
    "P(n, 4) = 1/2 - (2576 n - 3248) / (6! (n + 4)(n + 3)(n + 2)) for n >= 4.",
)
def _example_1_3(tables: ReportTables) -> Iterable[Quantity]:
    limit = tables.size(40, 25)
    found = two_row_chances(limit)
    right = sum(
        found[n, 4] == HALF - Fraction(2576 * n - 3248, 720 * (n + 4) * (n + 3) * (n + 2))
        for n in range(4, limit + 1)
    )
    yield every(f"n = 4 .. {limit} for which it holds", limit - 3, right)


@chapter.entry(
    "Discovery of Theorem 1.3",
    "For k = 1 to 8 the chance is 1/2 - (A_k n + B_k) / ((n + k)(n + k - 1)(n + k - 2)).",
)
def _discovery(tables: ReportTables) -> Iterable[Quantity]:
    limit = tables.size(30, 20)
    found = two_row_chances(limit)
    linear = 0
    for k in range(1, 9):
        line = [
            (HALF - found[n, k]) * (n + k) * (n + k - 1) * (n + k - 2)
            for n in range(max(k, 2), limit + 1)
        ]
        linear += len({after - before for before, after in pairwise(line)}) == 1
    yield every(f"k whose numerator is linear in n for n <= {limit}", 8, linear)


@chapter.entry(
    "Theorem 1.4",
    "0 < alpha_k <= -beta_k <= (k - 1) alpha_k for k >= 2; 4^(k-1) (k-1)!^2 <= alpha_k <= k times"
    " that; P(n, k) <= 1/2; and bounds on P(n, k) for all n >= k >= 1.",
    correction="The upper bound of P(n, k) with a square root holds for k >= 2 only, which is what"
    " the proof covers: for k = 1 it would put P(2, 1) = 1/3 at 1/6 or less.",
)
def _theorem_1_4(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.two_rows import (
        iterate_coefficients,
        win_probability,
    )

    last = tables.size(200, 60)
    rows = list(islice(iterate_coefficients(), last))
    order = sum(0 < r.alpha <= -r.beta <= (r.k - 1) * r.alpha for r in rows[1:])
    yield every(f"k = 2 .. {last} with the inequalities of alpha and beta", last - 1, order)
    bounds = [(r, 4 ** (r.k - 1) * factorial(r.k - 1) ** 2) for r in rows]
    inside = sum(low <= r.alpha <= r.k * low for r, low in bounds)
    yield every(f"k = 1 .. {last} with the bounds of alpha", last, inside)
    limit = tables.size(90, 40)
    chance = {(n, k): win_probability(n, k) for n in range(1, limit + 1) for k in range(n + 1)}
    yield at_most(
        f"greatest P(n, k) for 1 <= n <= {limit}", HALF, max(chance.values()), printed=True
    )
    fail_above, fail_below = [], []
    for (n, k), value in chance.items():
        if k and n > 1:
            scale = (n + k) * (n + k - 1) * (n + k - 2)
            if value > HALF - (n + 1 - k) * sqrt(k) / scale + 1e-15:
                fail_above.append(k)
            if value < HALF - 2 * n * k**1.5 / scale - 1e-15:
                fail_below.append(k)
    yield equal("(n, k) that break the lower bound", 0, len(fail_below))
    yield equal("k for which some n breaks the upper bound", (), _set(fail_above), corrected=(1,))
    yield equal("P(2, 1)", Fraction(1, 3), chance[2, 1])


def _set(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values)))


@chapter.entry(
    "Proof of Theorem 1.4",
    "Two chains of inequalities between alpha_(k+1), beta_(k+1), alpha_k and beta_k, and bounds of"
    " 4^(k-1) (k-1)!^2 / (2(k-1))! between sqrt k and 2 sqrt k.",
    correction="Two slips that change no result: the chain for -beta_(k+1) has (k^2 + k) beta_k"
    " where (k^2 - k) beta_k is meant; and 4 (k+1) k alpha_k - (k-1) alpha_k, which is to lie below"
    " alpha_(k+1), should be (4k+1) k alpha_k - (k-1) alpha_k.",
)
def _proof_1_4(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.two_rows import iterate_coefficients

    last = tables.size(200, 60)
    rows = list(islice(iterate_coefficients(), last + 1))
    pairs = [(r.k, r.alpha, r.beta, s.alpha, s.beta) for r, s in pairwise(rows)][1:]
    left = [(k, (k * k + k) * a - 3 * k * k * b + b, b, d) for k, a, b, _, d in pairs]
    plus = all(value == -d + (k * k + k) * b for k, value, b, d in left)
    minus = all(value == -d + (k * k - k) * b for k, value, b, d in left)
    sign = "+" if plus else "-" if minus else "neither"
    yield equal("sign in (k^2 + k) beta_k for which the equation holds", "+", sign, corrected="-")
    printed = all(4 * (k + 1) * k * a - (k - 1) * a <= c for k, a, _, c, _ in pairs)
    mended = all((4 * k + 1) * k * a - (k - 1) * a <= c for k, a, _, c, _ in pairs)
    factor = "4(k+1)k" if printed else "(4k+1)k" if mended else "neither"
    yield equal(
        "factor with which the middle inequality holds", "4(k+1)k", factor, corrected="(4k+1)k"
    )
    outer = sum(4 * k * k * a <= c <= 4 * (k + 1) * k * a for k, a, _, c, _ in pairs)
    yield every(f"k = 2 .. {last} with the outer inequalities", len(pairs), outer)
    exact = [(r.k, Fraction(4 ** (r.k - 1) * factorial(r.k - 1) ** 2, r.factorial)) for r in rows]
    fits = sum(k <= 2 * (k - 1) <= v * v <= 4 * (k - 1) <= 4 * k for k, v in exact[1:])
    yield every("k with the bounds of the central binomial coefficient", last, fits)


@chapter.entry(
    "Lemma 4.1",
    "(n + k) C(n, k) is 1/2 less three sums of C; in the proof a closed form g(n, k) of the last"
    " sum, with g(n + 1, k) - g(n, k) = C(n + 1, k), and the base case (n + 2) C(n, 2) = 1/2 - g(n,"
    " 2).",
    correction="The step of g is C(n, k), not C(n + 1, k). The base case lacks a term: (n + 2) C(n,"
    " 2) = 1/2 - C(n, 1) - g(n, 2). For k = 1 the proof says left where right is meant.",
)
def _lemma_4_1(tables: ReportTables) -> Iterable[Quantity]:
    limit = tables.size(40, 20)
    pairs = [(n, k) for n in range(2, limit + 1) for k in range(1, n + 1)]
    right = sum(
        (n + k) * coefficient(n, k)
        == HALF
        - sum(coefficient(j, j) for j in range(1, k))
        - sum(coefficient(n, j) for j in range(1, k))
        - sum(coefficient(j, k) for j in range(k, n))
        for n, k in pairs
    )
    yield every(f"(n, k) with n <= {limit} for which the lemma holds", len(pairs), right)
    wide = [(n, k) for n, k in pairs if k >= 2]
    closed = sum(summed(n, k) == sum(coefficient(j, k) for j in range(k, n)) for n, k in wide)
    yield every("of these, k >= 2, for which g is the sum", len(wide), closed)
    at = _consistent(
        {0, 1},
        lambda s: all(summed(n + 1, k) - summed(n, k) == coefficient(n + s, k) for n, k in wide),
    )
    yield equal("s in g(n + 1, k) - g(n, k) = C(n + s, k)", (1,), at, corrected=(0,))
    base = _consistent(
        {0, 1},
        lambda s: all(
            (n + 2) * coefficient(n, 2) == HALF - s * coefficient(n, 1) - summed(n, 2)
            for n in range(2, limit)
        ),
    )
    yield equal("s in (n + 2) C(n, 2) = 1/2 - s C(n, 1) - g(n, 2)", (0,), base, corrected=(1,))
    step = sum(
        (n + k + 1) * coefficient(n, k + 1) - (n + k) * coefficient(n, k)
        == -coefficient(k, k) - coefficient(n, k) - summed(n, k + 1) + summed(n, k)
        for n, k in wide
    )
    yield every("(n, k), k >= 2, with the induction step", len(wide), step)


def _consistent(choices: Iterable[int], fits: Callable[[int], bool]) -> tuple[int, ...]:
    return tuple(choice for choice in sorted(choices) if fits(choice))


@chapter.entry(
    "Consequence of Theorem 1.4",
    "On two rows of more than one column the player to move wins with less than 1/2; for fixed k,"
    " P(n, k) - 1/2 falls like C_k / n^2.",
)
def _consequence(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.two_rows import coefficients, shortfall

    limit = tables.size(90, 40)
    gaps = [shortfall(n, k) for n in range(2, limit + 1) for k in range(1, n + 1)]
    yield holds(f"1/2 - P(n, k) > 0 for 2 <= n <= {limit}, k >= 1", ours=min(gaps) > 0)
    for k in (1, 4, 8):
        row = coefficients(k)
        ratio = float(shortfall(10**9, k) * 10**18 * row.factorial / row.alpha)
        yield near(f"n^2 (1/2 - P(n, {k})) over alpha_k / (2k-2)!, n = 10^9", 1.0, ratio, 1e-6)


@chapter.entry(
    "Conjecture 1.5",
    "From a board with more than one row and more than one column the player to move wins a random"
    " game with less than 1/2.",
)
def _conjecture_1_5(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import (
        boards_up_to,
        check_exactly,
        check_three_rows,
        chomp,
        graph_of,
    )

    first_row = tables.size(300, 80)
    side, cookies = tables.size(8, 6), tables.size(30, 22)
    families = {
        f"three rows, the first of at most {first_row}": check_three_rows(
            tables.random_play(first_row)
        ),
        f"inside {side} x {side}, exactly": check_exactly(graph_of(chomp((side,) * side))),
        f"of at most {cookies} cookies, exactly": check_exactly(boards_up_to(cookies)),
    }
    boards = 0
    for family, found in families.items():
        boards += found.boards
        yield equal(
            f"boards {family} ({found.boards:,}): counterexample",
            "none",
            "none" if found.counterexample is None else str(found.counterexample),
        )
        yield at_least(
            f"least 1/2 - P there, at {found.closest}", 0.0, float(found.gap), printed=True
        )
        yield equal("boards left undecided", 0, len(found.undecided))
    yield undecided(
        "all boards",
        "P < 1/2",
        f"no finite number of boards proves it; none of these {boards:,} contradicts it",
    )


@chapter.entry(
    "Conjecture 1.6",
    "There are 0 < g(n) < h(n), h(n) -> 0, so that 1/2 - P lies between g(n) and h(n) on all boards"
    " of n cells with more than one row and more than one column.",
)
def _conjecture_1_6(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import (
        envelopes_up_to,
        falls_from,
        hook_envelope,
        two_row_envelope,
    )

    cookies = tables.size(30, 22)
    found = envelopes_up_to(cookies)
    least = min(e.least[0] for e in found)
    yield holds(f"the least 1/2 - P is above 0 for n = 3 .. {cookies}", ours=least > 0)
    hooks = [hook_envelope(e.cookies) for e in found]
    same = sum(
        e.least[0] == h.least[0] and e.greatest[0] == h.greatest[0]
        for e, h in zip(found, hooks, strict=True)
    )
    yield every(
        "n whose extremes are those of hooks, 1/(n(n-1)) and about 1/(4n)", len(found), same
    )
    start, decay = falls_from([e.cookies for e in found], [e.greatest[0] for e in found])
    yield equal("n from which on the greatest falls", 3, start)
    yield at_least("exponent with which the greatest falls", 0.5, decay)
    widest = [float(two_row_envelope(n).greatest[0]) for n in (50, 100, 200, 300)]
    yield holds(
        "two rows: the greatest falls, n = 50, 100, 200, 300",
        ours=all(b < a for a, b in pairwise(widest)),
    )
    yield undecided("h(n) -> 0 over all boards", "a limit", "a limit is beyond any finite range")


@chapter.entry(
    "Theorem 1.7",
    "Random Nim takes the sum of the harmonic numbers of its piles on average; with all piles of"
    " size 1 it lasts k turns, else both players win with 1/2; normal or misere.",
)
def _theorem_1_7(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play import nim
    from position_oracle.oracle.reproduce.random_games import TurnDistribution, chance
    from position_oracle.oracle.reproduce.random_games import nim as heaps_of

    most = tables.size(9, 7)
    positions = [heaps for n in range(1, most + 1) for heaps in boards_of(n)]
    turns = sum(
        TurnDistribution.of(heaps_of(heaps)).mean == nim.expected_turns(heaps)
        for heaps in positions
    )
    yield every(f"(a) positions of up to {most} tokens, by recursion", len(positions), turns)
    ones = [heaps for heaps in positions if heaps[0] == 1]
    lasting = sum(TurnDistribution.of(heaps_of(heaps)).probabilities[-1] == 1 for heaps in ones)
    yield every("(b) positions of single tokens that last k turns", len(ones), lasting)
    right = sum(
        chance(heaps_of(h)) == len(h) % 2 and chance(heaps_of(h, misere=True)) == (len(h) + 1) % 2
        for h in ones
    )
    yield every("(b) of these, the winner by the parity of k, normal and misere", len(ones), right)
    rest = [heaps for heaps in positions if heaps[0] > 1]
    even = sum(chance(heaps_of(h)) == chance(heaps_of(h, misere=True)) == HALF for h in rest)
    yield every("(c) other positions with 1/2, normal and misere", len(rest), even)


@chapter.entry(
    "Section 5",
    "The turns in each pile are independent and those of one row of Chomp; that also holds if the"
    " pile is chosen in any other way, as long as the number taken is uniform.",
)
def _section_5(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.oracle.reproduce.random_games import TurnDistribution, chomp, nim

    heaps = tables.size((4, 5), (3, 4))
    single = [TurnDistribution.of(chomp((heap,))).probabilities for heap in heaps]
    product_ = [Fraction(0)] * (sum(heaps) + 1)
    for (i, p), (j, q) in product(enumerate(single[0]), enumerate(single[1])):
        product_[i + j] += p * q
    found = TurnDistribution.of(nim(heaps)).probabilities
    yield equal(
        f"distribution of the turns of Nim {heaps} is that of a sum", tuple(product_), found
    )
    yield equal(
        "the same, taking from the first pile as long as it lasts",
        tuple(product_),
        _first_pile_first(*heaps),
    )


def _first_pile_first(one: int, other: int) -> tuple[Fraction, ...]:
    """Return the distribution of turns if the first pile is emptied before the second."""
    last: dict[tuple[int, int], list[Fraction]] = {(0, 0): [Fraction(1)]}
    for i, j in product(range(one + 1), range(other + 1)):
        if not i and not j:
            continue
        left = [(k, j) for k in range(i)] if i else [(0, k) for k in range(j)]
        turns = [Fraction(0)] * (i + j + 1)
        for child in left:
            for t, p in enumerate(last[child]):
                turns[t + 1] += p / len(left)
        last[i, j] = turns
    return tuple(last[one, other])


@chapter.entry(
    "Section 6",
    "Other questions about the number of turns T would be interesting; its limiting distribution in"
    " Chomp is not known even for two rows.",
)
def _section_6(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.random_play.turns import expected_turns
    from position_oracle.engine.theory.random_play.two_rows import win_probability
    from position_oracle.oracle.reproduce.random_games import TurnDistribution, chomp

    n = tables.size(24, 12)
    found = TurnDistribution.of(chomp((n, n)))
    yield equal(f"2 x {n}: probability that T is even is P", win_probability(n, n), found.even)
    yield equal(f"2 x {n}: mean of T", expected_turns((n, n)), found.mean)
    spread = float(found.central_moment(3)) / float(found.central_moment(2)) ** 1.5
    yield undecided(
        "limiting distribution of T on two rows",
        "open",
        f"exact for any one board; at 2 x {n}: mean {float(found.mean):.4f}, variance"
        f" {float(found.central_moment(2)):.4f}, skewness {spread:.4f}",
    )
