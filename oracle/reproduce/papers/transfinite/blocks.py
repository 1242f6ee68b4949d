"""Section 11: positions with a base of 2 x 2."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from random import Random
from typing import Final

from position_oracle.engine.theory.transfinite import small_families, two_by_two, two_wide
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_3,
    OMEGA_OMEGA,
    Ordinal,
    left_sub,
    natural,
    ordinal_add,
)
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.oracle.reproduce.papers.transfinite.certificates import (
    certify,
    outcome,
    outcomes,
    random_ordinal,
)
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_least,
    equal,
    every,
)
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.answers import Outcome

chapter = Chapter(Paper.TRANSFINITE)

Columns = tuple[Ordinal, Ordinal, Ordinal, Ordinal]

EXAMPLES: Final = {
    "finite A": ("[1 1; 3 1]", "[2 2; 5 2]", "[3 2; 6 2]"),
    "B": ("[2 1; 2 2]", "[3 2; 3 3]"),
    "front-top A": ("[w 0; w 0]", "[w 1; w+1 1]"),
    "short C": ("[w w; w*2 w]", "[w+1 w; w*2+1 w]"),
    "tall C": ("[w^2 w^2; w^2+w w^2]", "[w^2+1 w^2; w^2+w+1 w^2]"),
    "thick D": ("[w^2 w; w^2 w]", "[w^2 w; w^2+1 w+1]", "[w^2*2 w^2; w^2*2 w^2]"),
    "thin D": (
        "[w^2 w; w^2*2 w^2]",
        "[w^2*2 w^2; w^2*3 w^2*2]",
        "[w^2*2 w; w^2*2 w*2]",
        "[w^3 w^2; w^3 w^2]",
        "[w^3 w^2; w^3 w^2*2]",
    ),
    "E": (
        "[w^w w; w^w w^w]",
        "[w^w+w w+1; w^w+w w^w]",
        "[w^w w^2; w^w+w^2 w^w]",
        "[w^w+w^3 w^2; w^w+w^3 w^w]",
    ),
    "F": ("[w^3 w^3; w^3 w^3]",),
}
"""The P-positions listed at the end of section 11, as printed."""


def block(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> OrdinalPosition:
    """Return the position [v z; u y]."""
    return OrdinalPosition.birds_eye(v, z, u, y)


def is_p(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> bool:
    """Return whether [v z; u y] is P."""
    return two_by_two.verdict(u, v, y, z).outcome is Outcome.P


@chapter.entry(
    "Theorem 11.1; Figure 8",
    "Front-Top: a brick 1 x 2 x w with a finite front F and a top T is N if a finite height is P,"
    " else P exactly if the restricted value of F is G(T). (The text calls the picture Figure 8,"
    " its caption Figure 9.)",
)
def _front_top(tables: ReportTables) -> Iterable[Quantity]:
    last = tables.size(9, 6)
    tried = right = 0
    for z, a, b in product(range(last), range(last), range(last)):
        if a >= b:
            tried += 1
            there = is_p(OMEGA + a, OMEGA + b, natural(z), natural(z))
            right += there == (two_wide.finite_grundy(a, b) == z)
    yield every("fronts (z, z) under tops (a, b): P exactly if G(a, b) = z", tried, right)
    found = certify(
        block(OMEGA + a, OMEGA + b, natural(z), natural(z))
        for z, a, b in product(range(4), range(4), range(4))
        if a >= b
    )
    yield equal(f"verdicts contradicted by {found.bites} bites", 0, found.contradictions)
    wide = [outcome(t) for t in ("[w 0; w 1]", "[w 1; w 2]", "[w*2 0; w*2 2]")]
    yield equal(
        "fronts of two different heights, [w 0; w 1], [w 1; w 2], [w*2 0; w*2 2]",
        tuple("NNN"),
        tuple(wide),
    )


@chapter.entry(
    "Ordinal subtraction and the list of finite P-positions",
    r"w \ (w (c + 1) + d) = w c + d and w \ z = z from w^2 on; the finite P-positions are [v z;"
    " v+z+1 z] and [z+1 z; z+1 z+1].",
)
def _finite(tables: ReportTables) -> Iterable[Quantity]:
    yield equal(
        r"w \ (w*3 + 2) and w \ (w^2 + w)",
        ("w*2+2", "w^2+w"),
        (str(left_sub(OMEGA, OMEGA * 3 + 2)), str(left_sub(OMEGA, OMEGA_2 + OMEGA))),
    )
    side = tables.size(7, 5)
    found = _finite_p(side)
    expected = {
        (v + z + 1, v, z, z) for z in range(side) for v in range(z, side) if v + z + 1 < side
    }
    expected |= {(z + 1, z + 1, z + 1, z) for z in range(side - 1)}
    expected |= {(u, y, v, z) for u, v, y, z in expected}
    yield every(
        f"P-positions with columns below {side}, by all bites", len(expected), len(found & expected)
    )
    yield equal("others", 0, len(found - expected))


def _finite_p(side: int) -> set[tuple[int, int, int, int]]:
    """Return finite P-positions (u, v, y, z), by the definition."""
    p: set[tuple[int, int, int, int]] = set()
    columns = [
        c
        for c in product(range(side), repeat=4)
        if c[0] >= max(c[1], c[2]) and c[3] <= min(c[1], c[2]) and c[0]
    ]
    for u, v, y, z in sorted(columns, key=sum):
        reached = {(h, min(v, h), min(y, h), min(z, h)) for h in range(1, u)}
        reached |= {(u, h, y, min(z, h)) for h in range(v)}
        reached |= {(u, v, h, min(z, h)) for h in range(y)} | {(u, v, y, h) for h in range(z)}
        if not reached & p:
            p.add((u, v, y, z))
    return p


@chapter.entry(
    "PA1; PA2",
    "Type A (z = y finite): with v finite P exactly if u = v + z + 1, else if G(w \\ u, w \\ v) ="
    " z.",
)
def _type_a(tables: ReportTables) -> Iterable[Quantity]:
    side = tables.size(8, 6)
    finite = [(u, v, z) for u, v, z in product(range(side), repeat=3) if u >= v >= z and u]
    right = sum(is_p(*map(natural, (u, v, z, z))) == (u == v + z + 1) for u, v, z in finite)
    yield every("PA1: finite positions", len(finite), right)
    heights = [OMEGA, OMEGA + 1, OMEGA + 3, OMEGA * 2, OMEGA * 2 + 2, OMEGA_2, OMEGA_2 + OMEGA]
    pairs = [(u, v, z) for u, v, z in product(heights, heights, range(6)) if u >= v]
    right = sum(
        is_p(u, v, natural(z), natural(z))
        == (two_wide.grundy(left_sub(OMEGA, u), left_sub(OMEGA, v)) == z)
        for u, v, z in pairs
    )
    yield every("PA2: positions", len(pairs), right)


@chapter.entry(
    "PB1; PB2; PA3",
    "Type B: only [z+1 z; z+1 z+1] are P. For z >= w, bites of finite height over (0, 0) and (1, 1)"
    " leave N-positions, and so do those over (0, 1) and (1, 0) but for short type C with u_1 ="
    " v_1.",
)
def _type_b(tables: ReportTables) -> Iterable[Quantity]:
    grid = [natural(k) for k in range(4)] + [OMEGA, OMEGA + 1, OMEGA_2]
    listed = {(z + 1, z + 1, z + 1, z) for z in range(6)}
    wrong = 0
    for u, v, y in product(grid, repeat=3):
        for z in range(4):
            if u >= v >= y > natural(z):
                expected = (
                    all(x.is_finite for x in (u, v, y)) and (int(u), int(v), int(y), z) in listed
                )
                wrong += is_p(u, v, y, natural(z)) != expected
    yield equal("type B positions that are P and not listed, or the other way", 0, wrong)
    tall = [OMEGA, OMEGA + 2, OMEGA * 2, OMEGA_2, OMEGA_2 + OMEGA, OMEGA_3, OMEGA_OMEGA]
    to_p = exceptions = outside = 0
    for u, v, y, least in product(tall, repeat=4):
        if not (u >= v >= y >= least):
            continue
        position = block(u, v, y, least)
        short_c = max(v, y, least) < OMEGA_2
        level = u < OMEGA_2 and u.coefficient(natural(1)) == v.coefficient(natural(1))
        for h in range(tables.size(6, 3)):
            to_p += _leaves_p(position, (0, 0, h + 1)) + _leaves_p(position, (1, 1, h))
            sides = _leaves_p(position, (0, 1, h)) + _leaves_p(position, (1, 0, h))
            exceptions += sides if short_c and level else 0
            outside += 0 if short_c and (level or _mirror(u, y)) else sides
    yield equal("PB2: finite bites over (0, 0) and (1, 1) that leave a P-position", 0, to_p)
    yield equal("PA3: those over (0, 1) and (1, 0) outside the exception", 0, outside)
    yield at_least("and within it", 1, exceptions, printed=True)


def _mirror(u: Ordinal, y: Ordinal) -> bool:
    return u < OMEGA_2 and u.coefficient(natural(1)) == y.coefficient(natural(1))


def _leaves_p(position: OrdinalPosition, at: tuple[int, int, int]) -> int:
    point = tuple(natural(x) for x in at)
    if point not in position or not any(at):
        return 0
    return int(decide(position.bite(point)).outcome is Outcome.P)


def _random_blocks(tables: ReportTables, seed: int, kind: str, count: int) -> list[Columns]:
    """Return random positions [v z; u y] of a type."""

    def make() -> list[Columns]:
        random = Random(seed)
        found: list[Columns] = []
        exponents = [natural(k) for k in range(4)] + ([OMEGA] if kind in "EF" else [])
        while len(found) < count:
            a, b, c, d = sorted(
                (random_ordinal(random, exponents, 2) for _ in range(4)), reverse=True
            )
            if a.terms and two_by_two.type_of(b, c, d) == kind:
                found.append((a, b, c, d))
        return found

    return tables.once(("blocks", kind, seed, count), make)


@chapter.entry(
    "Types A to F: certificates",
    "The six types cover all positions within 2 x 2 x Omega, and the properties decide which are"
    " P.",
)
def _types(tables: ReportTables) -> Iterable[Quantity]:
    for kind in "ABCDEF":
        positions = _random_blocks(tables, 6, kind, tables.size(120, 25))
        found = certify(block(*columns) for columns in positions)
        yield equal(
            f"type {kind}: of {found.positions} decided positions ({found.unknown} are not),"
            f" those that {found.bites:,} bites contradict",
            0,
            found.contradictions,
        )
        if kind in "ABDF":
            yield equal(f"type {kind}: positions that are not decided", 0, found.unknown)


@chapter.entry(
    "PC1; PC2; PC3; PC4",
    "Type C: P exactly if the top piece is in the family T and has restricted value 0; u and v of"
    " one level make N; a short type C P-position has u < w^2. In the proof of PC2, h'' = w (+) h'"
    " and the bite (1, 0, h'' + c); PC3 writes h for a number.",
    correction="In PC2, the w of h'' is omega; in PC3, h stands for the multiplier m of w^2 in the"
    " height of the base.",
)
def _type_c(tables: ReportTables) -> Iterable[Quantity]:
    positions = _random_blocks(tables, 7, "C", tables.size(300, 80))
    level = [c for c in positions if _same_level(c[0], c[1])]
    yield equal(
        "PC2: random positions with u and v at one level that are P",
        0,
        sum(is_p(*c) for c in level),
    )
    short = [c for c in positions if c[1] < OMEGA_2]
    yield equal(
        "PC4: short ones with u >= w^2 that are P",
        0,
        sum(is_p(*c) and c[0] >= OMEGA_2 for c in short),
    )
    sums: dict[str, Callable[[Ordinal, Ordinal], Ordinal]] = {
        "natural": lambda one, other: one + other,
        "ordinal": ordinal_add,
    }
    winning = [
        name
        for name, plus in sums.items()
        if all(_pc2_bite(m, a, plus) for m in (1, 2) for a in range(3))
    ]
    yield equal(
        "PC2: h'' = omega + h' with which sum makes its bite win in six tall positions",
        "ordinal",
        winning[0] if winning else "neither",
    )


def _same_level(u: Ordinal, v: Ordinal) -> bool:
    return u.above(natural(0)) == v.above(natural(0))


def _pc2_bite(m: int, a: int, plus: Callable[[Ordinal, Ordinal], Ordinal]) -> bool:
    """Return whether (1, 0, h'' + c) wins at the tall type C with h = w^2 m and top (a, 0)."""
    h, less = OMEGA_2 * m, OMEGA_2 * (m - 1)
    k = two_wide.grundy(natural(a), natural(0))
    c = two_wide.diagonal_height(k)
    at = plus(OMEGA, less) + c
    position = block(h + a, h, h, h)
    point = (natural(1), natural(0), at)
    return point in position and decide(position.bite(point)).outcome is Outcome.P


@chapter.entry(
    "PD1; PD2; PD3",
    "Type D, taken apart into a front F and a top T: P exactly if G(F) = G(T); N if u, v and y have"
    " one coefficient of w^2; both directions of taking apart agree where both are possible.",
)
def _type_d(tables: ReportTables) -> Iterable[Quantity]:
    positions = _random_blocks(tables, 8, "D", tables.size(300, 80))
    right = sum(is_p(*c) == _balanced(*c) for c in positions)
    yield every("PD1: random positions", len(positions), right)
    level = [
        c
        for c in positions
        if c[0].above(natural(1)) == c[1].above(natural(1)) == c[2].above(natural(1))
    ]
    yield equal("PD2: those of one coefficient that are P", 0, sum(is_p(*c) for c in level))
    both = [
        c
        for c in positions
        if c[3].above(natural(1)) < c[2].above(natural(1))
        and c[1].above(natural(1)) < c[0].above(natural(1))
    ]
    agree = sum(_balanced(*c) == _balanced(c[0], c[2], c[1], c[3]) for c in both)
    yield every("PD3: those that agree in both directions", len(both), agree)


def _balanced(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> bool:
    front = two_wide.grundy(left_sub(OMEGA, y), left_sub(OMEGA, z))
    top = two_wide.grundy(left_sub(OMEGA_2, u), left_sub(OMEGA_2, v))
    return front == top


@chapter.entry(
    "Examples of type C; z_1 = 2",
    "With z_1 = 2, [w*2+b w*2+d; w*3+a w*2+c] is P for some a exactly if b xor c is not a power of"
    " 2; if it is one, with w*5 for w*3. In general u_1 + z_1 = v_1 + y_1 + 1 if v_1 or y_1 is odd"
    " or v_1 = y_1 = 2, and + 3 if both are even.",
    correction="For v_1 = y_1 even both levels occur, also beyond 2: u_1 = v_1 + 1 unless b xor c"
    " is a power of 2, else u_1 = 2 v_1 + 1.",
)
def _z1_is_2(tables: ReportTables) -> Iterable[Quantity]:
    side = tables.size(8, 5)
    cases = [(b, c, d) for b, c in product(range(side), repeat=2) for d in range(min(b, c) + 1)]
    right = 0
    for b, c, d in cases:
        power = small_families.is_power_of_two(b ^ c)
        level = 5 if power else 3
        right += _corner(level, 2, 2, b, c, d) is not None
    yield every(
        "(b, c, d), d <= min(b, c), whose corner lies at w*3 or, b xor c a power of 2, w*5",
        len(cases),
        right,
    )
    yield equal(
        "[w*4 w*2; w*9 w*4], u_1 = v_1 + y_1 + 3 - z_1: is it P",
        "P",
        outcome("[w*4 w*2; w*9 w*4]"),
        corrected="N",
    )
    yield equal("[w*4 w*2; w*5+1 w*4]", "P", outcome("[w*4 w*2; w*5+1 w*4]"))
    odd = [(2, 3), (3, 3), (3, 4), (2, 5)]
    found = tuple(
        next((k for k in range(12) if _corner(k, v, y, 0, 0, 0) is not None), -1) for v, y in odd
    )
    yield equal(
        "u_1 for (v_1, y_1) = (2, 3), (3, 3), (3, 4), (2, 5)",
        tuple(v + y - 1 for v, y in odd),
        found,
    )


def _corner(u: int, v: int, y: int, b: int, c: int, d: int) -> int | None:
    """Return the a that makes [w v + b w 2 + d; w u + a w y + c] P, below 128."""
    for a in range(128):
        high = OMEGA * u + a
        if high >= max(OMEGA * v + b, OMEGA * y + c) and is_p(
            high, OMEGA * v + b, OMEGA * y + c, OMEGA * 2 + d
        ):
            return a
    return None


@chapter.entry(
    "Examples of type C; z_1 = 1",
    "With z < w*2 P-positions are those with u_1 + z_1 = v_1 + y_1 + 1 whose finite top pieces have"
    " Nim sum 0; three columns at one level have the value of an L-shaped piece.",
    correction="The piece of three columns at one level is a square without its tallest corner, not"
    " the L shape of PE1.",
)
def _z1_is_1(tables: ReportTables) -> Iterable[Quantity]:
    side = tables.size(6, 4)
    tried = right = 0
    for v, y, b, c, d in product((2, 3), (2, 4), range(side), range(side), range(side)):
        tried += 1
        top = (b, c) if v != y else None
        a = b ^ c ^ d if top else None
        found = [
            k
            for k in range(64)
            if is_p(OMEGA * (v + y) + k, OMEGA * v + b, OMEGA * y + c, OMEGA + d)
        ]
        right += len(found) == 1 and (a is None or found == [a] or v == 2)
    yield every("(v, y, b, c, d) with one corner at the level v_1 + y_1", tried, right)
    same = [(b, c, d) for b, c in product(range(side), repeat=2) for d in range(min(b, c) + 1)]
    cornered = sum(
        is_p(
            OMEGA * 2 + (small_families.missing_corner(b, c, d) or 0),
            OMEGA + b,
            OMEGA + c,
            OMEGA + d,
        )
        for b, c, d in same
    )
    yield every(
        "three columns at level 1: corners given by the square without its corner",
        len(same),
        cornered,
    )


@chapter.entry(
    "PE1", "Type E: P exactly if the value of its L-shaped top is w \\ z; G([a 0; a+b a]) = a + b."
)
def _type_e(tables: ReportTables) -> Iterable[Quantity]:
    found = certify(block(*c) for c in _random_blocks(tables, 9, "E", tables.size(150, 40)))
    yield equal(
        f"verdicts contradicted by {found.bites:,} bites at {found.positions} positions",
        0,
        found.contradictions,
    )
    yield at_least(
        f"share decided, {found.unknown} are not",
        0.2,
        found.positions / (found.positions + found.unknown),
    )
    side = tables.size(9, 6)
    pairs = [(a, b) for a in range(side) for b in range(side) if a + b]
    right = sum(small_families.arms(a + b, a, a) == a + b for a, b in pairs)
    yield every("finite L shapes [a 0; a+b a] of value a + b", len(pairs), right)


@chapter.entry(
    "PF1",
    "Type F: only 2 x 2 x w^3 is P; a reply is printed for every bite of it.",
    correction="For w <= h < w^2 the reply to (1, 1, h) is (1, 0, w^2 + (w \\ h)), and to (1, 0,"
    " h) it"
    " is (0, 0, w^2 (+) (w \\ h)); for bites (0, 0, h) with h >= w^2 read w^2 \\ h for w \\ h.",
)
def _type_f(tables: ReportTables) -> Iterable[Quantity]:
    yield equal(
        "2 x 2 x w^3, 2 x 2 x (w^3 + 1), 2 x 2 x w^w",
        ("P", "N", "N"),
        outcomes(("2x2xw^3", "2x2x(w^3+1)", "2x2xw^w")),
    )
    for name, at, heights, printed, mended in _replies():
        replies = {"printed": printed, "corrected": mended}
        winning = [
            kind for kind, reply in replies.items() if all(_wins(at, h, reply) for h in heights)
        ]
        yield equal(
            f"bites {name}: which replies leave a P-position for all of {len(heights)} h",
            "printed",
            winning[0] if winning else "neither",
            corrected="corrected",
        )


Reply = Callable[[Ordinal], tuple[int, int, Ordinal]]


def _replies() -> Iterator[tuple[str, tuple[int, int], list[Ordinal], Reply, Reply]]:
    low = [OMEGA, OMEGA + 2, OMEGA * 2, OMEGA * 3 + 1]
    middle = [OMEGA_2, OMEGA_2 + 1, OMEGA_2 + OMEGA, OMEGA_2 + OMEGA * 2 + 3]
    high = [OMEGA_2 * 2, OMEGA_2 * 2 + OMEGA, OMEGA_2 * 3 + 1]

    def above(h: Ordinal) -> Ordinal:
        return left_sub(OMEGA, h)

    def diagonal(h: Ordinal) -> tuple[int, int, Ordinal]:
        return 1, 0, two_wide.grundy(above(h), above(h))

    yield "(0, 0, h), w <= h < w^2", (0, 0), low, diagonal, diagonal
    yield (
        "(0, 0, h), w^2 <= h < w^2*2",
        (0, 0),
        middle,
        lambda h: (1, 0, OMEGA + above(h)),
        lambda h: (1, 0, OMEGA + left_sub(OMEGA_2, h)),
    )
    yield (
        "(0, 0, h), w^2*2 <= h",
        (0, 0),
        high,
        lambda h: (1, 0, above(h)),
        lambda h: (1, 0, left_sub(OMEGA_2, h)),
    )
    yield (
        "(1, 1, h), w <= h < w^2",
        (1, 1),
        low,
        lambda h: (1, 0, OMEGA_2 + h),
        lambda h: (1, 0, OMEGA_2 + above(h)),
    )
    yield (
        "(1, 1, h), w^2 <= h",
        (1, 1),
        middle + high,
        lambda h: (1, 0, OMEGA_2 + h),
        lambda h: (1, 0, OMEGA_2 + above(h)),
    )
    yield (
        "(1, 0, h), w <= h < w^2",
        (1, 0),
        low,
        lambda h: (0, 0, OMEGA_2 + h),
        lambda h: (0, 0, ordinal_add(OMEGA_2, above(h))),
    )
    yield (
        "(1, 0, h), w^2 <= h",
        (1, 0),
        middle + high,
        lambda h: (0, 0, OMEGA_2 + h),
        lambda h: (0, 0, ordinal_add(OMEGA_2, above(h))),
    )


def _wins(at: tuple[int, int], h: Ordinal, reply: Reply) -> bool:
    """Return whether a reply to the bite of 2 x 2 x w^3 over `at` at height h leaves a P."""
    whole = OrdinalPosition.box(2, 2, OMEGA_3)
    left = whole.bite((natural(at[0]), natural(at[1]), h))
    i, j, height = reply(h)
    point = (natural(i), natural(j), height)
    return point in left and decide(left.bite(point)).outcome is Outcome.P


@chapter.entry(
    "Examples of section 11",
    "Lists of P-positions of each type.",
    correction="Of type D, [w^3 w^2; w^3 w^2] with F = [0; w^2] is N; with z = w, which is what F"
    " says, it is P.",
)
def _examples(_: ReportTables) -> Iterable[Quantity]:
    for kind, texts in EXAMPLES.items():
        found = tuple(text for text in texts if outcome(text) != "P")
        yield equal(
            f"type {kind}: of {len(texts)} listed, those that are not P",
            (),
            found,
            corrected=("[w^3 w^2; w^3 w^2]",),
        )
        types = {_kind(text) for text in texts}
        yield equal(f"type {kind}: the types they are of", (kind[-1],), tuple(sorted(types)))
    yield equal("[w^3 w; w^3 w^2]", "P", outcome("[w^3 w; w^3 w^2]"))


def _kind(text: str) -> str:
    position = parse_position(text)
    v, y, z = (position.height(*at) for at in ((0, 1), (1, 0), (1, 1)))
    return two_by_two.type_of(max(v, y), min(v, y), z)
