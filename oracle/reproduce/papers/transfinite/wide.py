"""Sections 8 to 10: side-top positions, two-wide and three-wide Chomp."""

from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Final

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_OMEGA,
    Ordinal,
    natural,
    omega_power,
)
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.oracle.reproduce.papers.transfinite.certificates import (
    certify,
    finite_grundy,
    outcome,
    random_ordinal,
)
from position_oracle.oracle.reproduce.papers.transfinite.products import ordinal_mul
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_least,
    equal,
    every,
)
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.TRANSFINITE)

TABLE_1: Final = (
    (0,),
    (1, 2),
    (2, 1, 3),
    (3, 4, 1, 5),
    (4, 3, 5, 1, 6),
    (5, 6, 4, 7, 1, 8),
    (6, 5, 7, 4, 8, 1, 9),
    (7, 8, 6, 9, 4, 10, 1),
    (8, 7, 9, 6, 10, 4, 11),
    (9, 10, 8, 11, 7, 12, 4),
    (10, 9, 11, 8, 12, 7, 13),
    (11, 12, 10, 13, 9, 14, 7),
)
"""G(u, v) as printed: row u, column v."""


@chapter.entry(
    "Theorem 8.1; Figure 6",
    "U = 2 x w with a finite side S and a top T is N if some finite height over the base is P;"
    " otherwise it is P exactly if the restricted value of S is G(T).",
    correction="In the proof, G(S~) means the restricted value.",
)
def _side_top(tables: ReportTables) -> Iterable[Quantity]:
    sheets, count = tables.sheets(400), tables.size(60, 25)
    tails = sheets.tails[:count]
    yield equal(
        "columns with an infinite H, the first ten: 0, 2, 5, 7, 9, 11, 14, 17, 19, 22",
        (0, 2, 5, 7, 9, 11, 14, 17, 19, 22),
        tuple(tails[:10]),
    )
    right = tried = 0
    for rank, x in list(enumerate(tails))[:12]:
        for h in range(1, 14):
            top = two_wide.grundy(h, h) if h else 0
            position = OrdinalPosition.columns(OMEGA + h, OMEGA + h, x)
            tried += 1
            right += (str(decide(position).outcome) == "P") == (top == rank)
    yield every(
        "2 x (w + h) with a side column of such a height: P exactly if the rank is G(2 x h)",
        tried,
        right,
    )
    stops = [x for x in range(40) if x not in sheets.tails]
    yield every(
        "side columns of other heights: N",
        len(stops),
        sum(outcome(f"2xw+3x{x}") == "N" for x in stops if x) + stops.count(0),
    )


@chapter.entry("Table 1", "Grundy values of two columns of finite heights u >= v.")
def _table_1(_: ReportTables) -> Iterable[Quantity]:
    for u, row in enumerate(TABLE_1):
        yield equal(f"u = {u}", row, tuple(finite_grundy((u, v)) for v in range(len(row))))


@chapter.entry("Formula (9-1)", "Closed form of G(u, v) for finite u >= v, by the parity of u - v.")
def _formula_1(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(60, 30)
    pairs = [(u, v) for u in range(last) for v in range(u + 1)]

    def printed(u: int, v: int) -> int:
        apart = u - v
        if apart % 2 == 0:
            return apart + (3 * v + 1) // 2
        return min(apart + v // 2, (3 * apart - 1) // 2)

    yield every(
        f"pairs below {last}, by the mex of all bites",
        len(pairs),
        sum(printed(u, v) == finite_grundy((u, v)) for u, v in pairs),
    )
    yield every(
        "the same by the engine",
        len(pairs),
        sum(two_wide.finite_grundy(u, v) == printed(u, v) for u, v in pairs),
    )


@chapter.entry(
    "Progressions of section 9",
    "Two columns of one height below w take the values N less {3k + 1}; below w*2 those and {3k +"
    " 1} less {9k + 4}, and so on; G(w u, w u) = (3^u - 1) / 2: 1, 4, 13, ...",
)
def _progressions(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(90, 40)
    values = {finite_grundy((h, h)) for h in range(last)}
    expected = {value for value in range(last) if value % 3 != 1}
    yield equal(
        f"values below {last} of equal columns that are not 1 modulo 3",
        expected <= values,
        all(value % 3 != 1 for value in values),
    )
    yield equal(
        "G(w u, w u) for u = 1 to 5",
        (1, 4, 13, 40, 121),
        tuple(int(two_wide.grundy(OMEGA * u, OMEGA * u)) for u in range(1, 6)),
    )
    second = {int(two_wide.grundy(OMEGA + h, OMEGA + h)) for h in range(30)}
    yield equal(
        "values of w + h, h < 30: all 1 modulo 3, none 4 modulo 9",
        (True, True),
        (all(v % 3 == 1 for v in second), all(v % 9 != 4 for v in second)),
    )


@chapter.entry(
    "Formula (9-2); Formula (9-3)",
    "G(w u + a, w u + b) = 3^u G(a, b) + (3^u - 1) / 2; with u > v, G(w u + a, w v + b) = w (u - v)"
    " + (a xor b).",
    correction="The conditions read u < w for finite i, not u < w^i.",
)
def _formulas_2_3(tables: ReportTables) -> Iterable[Quantity]:
    size = tables.size(12, 8)
    same = different = equal_ones = others = 0
    for u, a, b in product(range(1, 4), range(size), range(size)):
        if a >= b:
            equal_ones += 1
            said = 3**u * finite_grundy((a, b)) + (3**u - 1) // 2
            same += two_wide.grundy(OMEGA * u + a, OMEGA * u + b) == said
        for v in range(u):
            others += 1
            value = two_wide.grundy(OMEGA * u + a, OMEGA * v + b)
            different += value == OMEGA * (u - v) + (a ^ b)
    yield every("(9-2)", equal_ones, same)
    yield every("(9-3)", others, different)
    found = certify(
        OrdinalPosition.columns(OMEGA * u + a, OMEGA * v + b)
        for u, v, a, b in product(range(3), range(3), range(5), range(5))
        if (u, a) >= (v, b) and u + a
    )
    yield equal(
        f"verdicts contradicted by {found.bites} bites at {found.positions} positions",
        0,
        found.contradictions,
    )


@chapter.entry(
    "Formula (9-4); Formula (9-5)",
    "For 2 < i < w: G(w^i u + a, w^i u + b) = w^(i-1) u + G(a, b), and w^i (u - v) + (a xor b) for"
    " u > v.",
    correction="They hold from i = 2 on: 2 <= i < w.",
)
def _formulas_4_5(tables: ReportTables) -> Iterable[Quantity]:
    holds = []
    lower = [Ordinal(), natural(3), OMEGA, OMEGA * 2 + 1]
    for i in range(1, 5):
        power, less = omega_power(i), omega_power(i - 1)
        small = [a for a in lower if a < power]
        right = all(
            two_wide.grundy(power * u + a, power * u + b) == less * u + two_wide.grundy(a, b)
            for u in (1, 2)
            for a, b in product(small, small)
            if a >= b
        )
        if right:
            holds.append(i)
    yield equal("least i of 1 .. 4 from which (9-4) holds", 3, holds[0], corrected=2)
    tried = right_5 = 0
    for i, u in product((2, 3, 4), (2, 3)):
        power = omega_power(i)
        small = [a for a in lower if a < power]
        for v, a, b in product(range(1, u), small, small):
            tried += 1
            value = two_wide.grundy(power * u + a, power * v + b)
            right_5 += value == power * (u - v) + (a ^ b)
    yield every("(9-5)", tried, right_5)
    yield equal(
        "G(w^2, w^2), G(w^3, w^3), G(w^2*2, w^2*2)",
        ("w", "w^2", "w*2"),
        tuple(str(two_wide.grundy(h, h)) for h in map(parse_ordinal, ("w^2", "w^3", "w^2*2"))),
    )


@chapter.entry(
    "Formula (9-6)",
    "For i >= w: G((w^w)^j u + a, (w^w)^j v + b) = (w^w)^j G(u, v) + (G(a, b) or a xor b). On the"
    " way, G((w^w)^2, (w^w)^2) is said to be (w^w)^2.",
    correction="By (9-6) it is (w^w)^2 * 2: bites of the right column alone take every (w^w)^2 + k"
    " with k < (w^w)^2.",
)
def _formula_6(tables: ReportTables) -> Iterable[Quantity]:
    tower = OMEGA_OMEGA
    pairs = [(1, 1), (2, 1), (2, 2), (3, 1), (3, 3)]
    yield equal(
        "G(w^w u, w^w v) for (u, v) = (1, 1), (2, 1), (2, 2), (3, 1), (3, 3), over w^w",
        tuple(finite_grundy(pair) for pair in pairs),
        tuple(_over(two_wide.grundy(tower * u, tower * v), tower) for u, v in pairs),
    )
    for text, value in (
        ("w", "1"),
        ("w*2", "4"),
        ("w*3", "13"),
        ("w^2", "w"),
        ("w^3", "w^2"),
        ("w^4", "w^3"),
    ):
        h = tower * parse_ordinal(text)
        yield equal(
            f"G(w^w {text}, w^w {text})",
            str(tower * parse_ordinal(value)),
            str(two_wide.grundy(h, h)),
        )
    square = parse_ordinal("w^(w*2)")
    yield equal(
        "G((w^w)^2, (w^w)^2)",
        "w^(w*2)",
        str(two_wide.grundy(square, square)),
        corrected="w^(w*2)*2",
    )
    taken = sum(
        two_wide.grundy(square, k) == square + k
        for k in map(natural, range(1, tables.size(30, 10)))
    )
    yield every(
        "values (w^w)^2 + k that a bite of the right column takes, k = 1, 2, ...",
        tables.size(30, 10) - 1,
        taken,
    )


def _over(value: Ordinal, unit: Ordinal) -> int:
    return next(k for k in range(100) if value == unit * k)


@chapter.entry(
    "Two-wide positions: certificates",
    "Formulas (9-1) to (9-6) cover all cases.",
)
def _two_wide(tables: ReportTables) -> Iterable[Quantity]:
    random, count = Random(3), tables.size(600, 150)
    exponents = [natural(k) for k in range(4)] + [OMEGA, OMEGA + 1]
    pairs = [
        sorted((random_ordinal(random, exponents, 3) for _ in range(2)), reverse=True)
        for _step in range(count)
    ]
    found = certify(OrdinalPosition.columns(*pair) for pair in pairs if pair[0].terms)
    yield equal("random positions that no theorem decides", 0, found.unknown)
    yield equal(
        f"verdicts contradicted by {found.bites:,} bites at {found.positions} positions",
        0,
        found.contradictions,
    )


@chapter.entry(
    "Formula (10-1); Figure 7a; Figure 7b",
    "A three-wide position with w <= x < w^w, taken apart into bottoms and tops, is P exactly if"
    " G(U_b) = G(X_b) and the Nim sum of the tops is 0.",
    correction="Where G(U_b) < G(X_b), the reply may need a finite third column of any rank; that"
    " there are infinitely many sheets with an infinite tail is not proved in the paper.",
)
def _three_wide(tables: ReportTables) -> Iterable[Quantity]:
    random, count = Random(4), tables.size(500, 120)
    exponents = [natural(k) for k in range(4)]
    triples: list[list[Ordinal]] = []
    while len(triples) < count:
        u, v, x = sorted((random_ordinal(random, exponents, 2) for _ in range(3)), reverse=True)
        if x >= OMEGA:
            triples.append([u, v, x])
    found = certify(OrdinalPosition.columns(*triple) for triple in triples)
    yield equal("random positions that no theorem decides", 0, found.unknown)
    yield equal(
        f"verdicts contradicted by {found.bites:,} bites at {found.positions} positions",
        0,
        found.contradictions,
    )
    heights = ("w*2", "w*2+1", "w*3", "w^2", "w^2+w")
    p = [
        h
        for h in heights
        if str(decide(OrdinalPosition.columns(parse_ordinal(h), OMEGA, OMEGA)).outcome) == "P"
    ]
    yield equal("third and second column w: first columns that make it P", ("w*2",), tuple(p))
    tails = tables.census(tables.size(120_000, 20_000)).tail_period > 0
    yield at_least(
        "sheets with an infinite tail so far, each a rank for a finite third column",
        1_000,
        int(tails.sum()),
    )


@chapter.entry(
    "The tall box; Section 10",
    "3 x w^w is P: the section gives an answer to every bite. Two equal columns over w^i x_i + c"
    " are balanced by w^(i+1) x_i + a with G(2 x a) = c; three by w^i 2 x_i + G(2 x c). From 3 x z"
    " with an even last coefficient sometimes a bite (1, v) wins, too.",
)
def _tall_box(tables: ReportTables) -> Iterable[Quantity]:
    random, count = Random(5), tables.size(150, 50)
    exponents = [natural(k) for k in range(4)]
    right = {0: 0, 1: 0, 2: 0}
    tried = dict(right)
    whole = OrdinalPosition.box(3, OMEGA_OMEGA)
    for _step in range(count):
        z = random_ordinal(random, exponents, 2)
        for column in (0, 1, 2):
            left = whole.bite((column, z)) if z.terms or column else None
            if left is None or (column == 0 and z.is_finite) or z.is_finite:
                continue
            tried[column] += 1
            bite = _answer(column, z)
            after = left.bite(bite)
            right[column] += str(decide(after).outcome) == "P"
    for column in (2, 1, 0):
        yield every(
            f"infinite bites of column {column + 1} whose answer leaves a P-position",
            tried[column],
            right[column],
        )
    second = [z for z in ("w^2*2", "w^2*3", "w^3*2", "w^3*3", "w^2*4") if _second_bite(z)]
    yield equal(
        "3 x z of w^2*2, w^2*3, w^3*2, w^3*3, w^2*4 with a winning bite (1, v) as well",
        ("w^2*2", "w^3*2", "w^2*4"),
        tuple(second),
    )
    yield equal("3 x w^w and 3 x (w^w + 1)", ("P", "N"), (outcome("3xw^w"), outcome("3x(w^w+1)")))


def _second_bite(text: str) -> bool:
    """Return whether some bite (1, v) wins from 3 x z, v of one term."""
    z = parse_ordinal(text)
    heights = (omega_power(e, c) for e in range(1, 4) for c in range(1, 5))
    return any(
        str(decide(OrdinalPosition.columns(z, v, v)).outcome) == "P" for v in heights if v < z
    )


def _answer(column: int, z: Ordinal) -> tuple[Ordinal, Ordinal]:
    """Return the reply of section 10 to the bite of a column at an infinite height."""
    (exponent, coefficient), rest = z.terms[0], Ordinal(z.terms[1:])
    if column == 2:
        top = two_wide.diagonal_height(rest)
        return natural(0), omega_power(exponent + 1, coefficient) + top
    if column == 1:
        return natural(0), omega_power(exponent, 2 * coefficient) + two_wide.grundy(rest, rest)
    if exponent == 1:
        return _side_top_answer(z)
    lower = Ordinal(((natural(int(exponent) - 1), coefficient),))
    return natural(2), lower + two_wide.grundy(rest, rest)


def _side_top_answer(z: Ordinal) -> tuple[Ordinal, Ordinal]:
    """Return, for z = w (n + 1) + c, the third column whose rank is G(2 x (w n + c))."""
    from position_oracle.engine.theory.supermex import loser_sheets

    above = Ordinal(z.terms)
    n, rest = above.terms[0][1] - 1, Ordinal(above.terms[1:])
    top = (ordinal_mul(OMEGA, n) if n else Ordinal()) + rest
    return natural(2), natural(loser_sheets(128).tails[int(two_wide.grundy(top, top))])
