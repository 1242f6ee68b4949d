"""Sections 1 to 7: ordinals, size, Grundy values, the fundamental theorem, P-ordered positions."""

from collections.abc import Iterable
from functools import cache
from itertools import product
from random import Random
from typing import Final

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    natural,
    omega_power,
    ordinal_add,
)
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.p_ordered import is_p_ordered_p
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.engine.theory.transfinite.size import size, size_beside_tower
from position_oracle.oracle.reproduce.papers.random_play import bites, boards_of
from position_oracle.oracle.reproduce.papers.transfinite.certificates import (
    finite_grundy,
    outcome,
    outcomes,
    random_ordinal,
    verdict,
)
from position_oracle.oracle.reproduce.papers.transfinite.products import (
    ordinal_mul,
    pairing_reply,
    product_of,
)
from position_oracle.oracle.reproduce.registry import Chapter, Paper, Quantity, equal, every
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.TRANSFINITE)

Board = tuple[int, ...]


@chapter.entry(
    "Introduction: the boxes 2 x h and 3 x h",
    "2 x h is N for finite h > 0, P for h = w, N beyond; 3 x h is P only for h = w^w; w x w x w x 2"
    " x 2 x 2 is P.",
)
def _introduction(tables: ReportTables) -> Iterable[Quantity]:
    heights = [f"{h}" for h in range(1, tables.size(40, 15))]
    yield equal("2 x h that are P, finite h", 0, outcomes(f"2x{h}" for h in heights).count("P"))
    later = ("w", "(w+1)", "(w*2)", "w^2", "(w^2+w)", "w^w", "(w^w+1)")
    yield equal(
        "2 x h for h = w, w+1, w*2, w^2, w^2+w, w^w, w^w+1",
        ("P", *"NNNNNN"),
        outcomes(f"2x{h}" for h in later),
    )
    yield equal("3 x h that are P, finite h", 0, outcomes(f"3x{h}" for h in heights).count("P"))
    tall = ("w", "(w+1)", "w^2", "w^3", "w^w", "(w^w+1)", "w^(w+1)")
    yield equal(
        "3 x h for h = w, w+1, w^2, w^3, w^w, w^w+1, w^(w+1)",
        tuple("NNNNPNN"),
        outcomes(f"3x{h}" for h in tall),
    )
    yield equal("w x w x w x 2 x 2 x 2", "P", outcome("wxwxwx2x2x2"))


@chapter.entry(
    "Abstract; Section 13",
    "2 x w, 3 x w^w, 2 x 2 x w^3, 2 x 2 x w x w and w x w x w x 2 x 2 x 2 are P-positions.",
)
def _boxes(_: ReportTables) -> Iterable[Quantity]:
    for text in ("2xw", "3xw^w", "2x2xw^3", "2x2xwxw", "wxwxwx2x2x2"):
        yield equal(text, "P", outcome(text))
    near_by = ("2x(w+1)", "3x(w^w+1)", "2x2xw^2", "2x2x(w^3+1)", "2x2xwx(w+1)")
    yield equal("boxes beside them: " + ", ".join(near_by), tuple("NNNNN"), outcomes(near_by))


@chapter.entry(
    "Ordinals; Section 1",
    "Ordinal sum and product are not commutative, 1 + w = w and 2 w = w; natural ones are. Ordinal"
    " addition of w^e and y is y if y >= w^(e+1), else the natural sum.",
)
def _ordinals(tables: ReportTables) -> Iterable[Quantity]:
    yield equal(
        "1 + w and w + 1, ordinal",
        ("w", "w+1"),
        (str(ordinal_add(1, OMEGA)), str(ordinal_add(OMEGA, 1))),
    )
    yield equal(
        "2 w and w 2, ordinal",
        ("w", "w*2"),
        (str(ordinal_mul(2, OMEGA)), str(ordinal_mul(OMEGA, 2))),
    )
    yield equal("1 + w and 2 w, natural", ("w+1", "w*2"), (str(OMEGA + 1), str(OMEGA * 2)))
    random, right, count = Random(1), 0, tables.size(500, 150)
    exponents = [natural(k) for k in range(5)] + [OMEGA]
    for _step in range(count):
        e = natural(random.randrange(5))
        y = random_ordinal(random, exponents, 3)
        power = omega_power(e)
        expected = y if y >= omega_power(e + 1) else power + y
        right += ordinal_add(power, y) == expected
    yield every("random y for which the rule holds", count, right)


@chapter.entry(
    "Figure 1; Size, Section 2",
    "(w+1) x 2 + (w*2) x 1 has size w*3 + 1; a finite position has its number of points.",
)
def _figure_1(tables: ReportTables) -> Iterable[Quantity]:
    yield equal("size of (w+1)x2 + (w*2)x1", "w*3+1", str(size(parse_position("(w+1)x2+(w*2)x1"))))
    yield equal("size of w x 2", "w*2", str(size(parse_position("wx2"))))
    boards = [b for n in range(1, tables.size(10, 7)) for b in boards_of(n)]
    right = sum(size(OrdinalPosition.columns(*board)) == sum(board) for board in boards)
    yield every("finite positions whose size is their number of points", len(boards), right)


@chapter.entry("Figure 2", "1 x w x w^2 + w x w^2 x 1 + w^2 x 1 x w has size w^3*3.")
def _figure_2(_: ReportTables) -> Iterable[Quantity]:
    position = parse_position("1xwxw^2+wxw^2x1+w^2x1xw")
    yield equal("size", "w^3*3", str(size(position)))
    yield equal(
        "sizes of its three boxes",
        ("w^3", "w^3", "w^3"),
        tuple(str(size(OrdinalPosition((box,)))) for box in position.boxes),
    )
    yield equal("dimension", 3, position.dimension)


@chapter.entry("Bites decrease size; Section 2", "A bite leaves a position of smaller size.")
def _decrease(tables: ReportTables) -> Iterable[Quantity]:
    random, wrong, count = Random(2), 0, tables.size(400, 120)
    exponents = [natural(k) for k in range(4)] + [OMEGA]
    for _step in range(count):
        heights = sorted((random_ordinal(random, exponents, 3) + 1 for _ in range(3)), reverse=True)
        position = OrdinalPosition.columns(*heights)
        column = random.randrange(3)
        at = random_ordinal(random, exponents, 2)
        if (natural(column), at) in position:
            wrong += not size(position.bite((column, at))) < size(position)
    yield equal(f"of {count} random bites, those that do not", 0, wrong)


@chapter.entry(
    "Grundy values; Section 3",
    "The poison cookie has value 1, a column its height, only the empty position 0; a position is P"
    " exactly if its value is 1; values are at most the size.",
)
def _grundy(tables: ReportTables) -> Iterable[Quantity]:
    boards = [b for n in range(1, tables.size(14, 10)) for b in boards_of(n)]
    values = {board: finite_grundy(_columns(board)) for board in boards}
    yield equal("the poison cookie and a column of 7", (1, 7), (values[1,], finite_grundy((7,))))
    yield equal(
        f"finite positions of value 0 among {len(boards)}",
        0,
        sum(value == 0 for value in values.values()),
    )
    p = [b for b in boards if not any(_is_p(left) for left in bites(b) if left)]
    yield every(
        "P-positions, by value 1 and by their bites", len(p), sum(values[b] == 1 for b in p)
    )
    yield equal(
        "other positions of value 1", 0, sum(value == 1 for value in values.values()) - len(p)
    )
    yield equal("values above the size", 0, sum(values[b] > sum(b) for b in boards))
    yield equal("a column of w^2 + 3", "w^2+3", str(verdict("1x(w^2+3)").grundy))


def _columns(board: Board) -> Board:
    return board


@cache
def _is_p(board: Board) -> bool:
    return not any(_is_p(left) for left in bites(board) if left)


@chapter.entry(
    "Termination criteria; Section 4",
    "With the poison forbidden, values are one less if finite, and equal from w on. A sum played"
    " misere without restriction is P if the Nim sum is 1 where all values are 0 or 1, else 0. With"
    " the poison forbidden misere play is not tame.",
)
def _termination(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.theory.transfinite.p_ordered import restricted

    boards = [b for n in range(1, tables.size(9, 7)) for b in boards_of(n)]
    less = sum(_restricted(b) == finite_grundy(b) - 1 for b in boards)
    yield every("finite positions with one less", len(boards), less)
    yield equal(
        "restricted values of columns 5, w, w + 2",
        ("4", "w", "w+2"),
        tuple(str(restricted(value)) for value in (natural(5), OMEGA, OMEGA + 2)),
    )
    hook, poison = (3, 1, 1), (1,)
    yield equal(
        "with the poison forbidden, values of the hook with arms of 2 and of the poison alone",
        (0, 0),
        (_restricted(hook), _restricted(poison)),
    )
    yield equal(
        "and in misere play are they P: no heap of Nim stands for the hook, as for 2 + 2",
        (True, False),
        (_restricted_misere(hook), _restricted_misere(poison)),
    )
    small = [b for n in range(tables.size(5, 4)) for b in boards_of(n)]
    pairs = [(a, b) for a in small for b in small]
    right = 0
    for a, b in pairs:
        values = finite_grundy(a), finite_grundy(b)
        nim = values[0] ^ values[1]
        right += _misere((a, b)) == (nim == 1 if max(values) < 2 else nim == 0)
    yield every("sums of two positions by the misere rule", len(pairs), right)


@cache
def _restricted(board: Board) -> int:
    reached = {_restricted(left) for left in bites(board) if left}
    return next(value for value in range(len(reached) + 1) if value not in reached)


@cache
def _restricted_misere(board: Board) -> bool:
    """Return whether a position is P if the poison may not be eaten and the last bite loses."""
    moves = [left for left in bites(board) if left]
    return bool(moves) and not any(_restricted_misere(left) for left in moves)


@cache
def _misere(boards: tuple[Board, Board]) -> bool:
    """Return whether a sum is P if the player who makes the last bite of all loses."""
    a, b = boards
    moves = [(left, b) for left in bites(a)] + [(a, left) for left in bites(b)]
    return bool(moves) and not any(_misere(tuple(sorted(move))) for move in moves)


@chapter.entry(
    "Theorem 5.1; Figure 3",
    "For any A and nonempty base B there is exactly one height h at which A extended by B is P.",
)
def _fundamental(tables: ReportTables) -> Iterable[Quantity]:
    unique = tried = 0
    for board in (b for n in range(tables.size(8, 6)) for b in boards_of(n) if len(b) <= 3):
        for width in (1, 2):
            heights = [str(h) for h in range(1, 40) if _is_p(_extended(board, width, h))]
            tried += 1
            if not heights and width == 2:
                heights = [h for h in BEYOND if outcome(_infinite(board, h)) == "P"]
            unique += len(heights) == 1
    yield every(
        "finite A and B of one or two columns with one height, 1 .. 39, w .. w + 3, w*2",
        tried,
        unique,
    )
    found = [outcome(f"3x2+2x{h}") for h in ("3", "4", "5", "6", "w", "(w+1)", "(w*2)")]
    yield equal(
        "A = 3 x 2, B = two columns, h = 3 .. 6, w, w + 1, w*2: how many are P", 1, found.count("P")
    )
    wide = [outcome(f"1x{h}+3x1") for h in ("1", "2", "3", "4", "w")]
    yield equal("A = 3 x 1, B = one column, h = 1, 2, 3, 4, w", tuple("NNPNN"), tuple(wide))


def _extended(board: Board, width: int, h: int) -> Board:
    """Return columns of a board, the first `width` of them raised to h, and all cut at h."""
    columns = [min(c, h) for c in board]
    columns += [0] * (width - len(columns))
    return tuple(c for c in [h] * width + columns[width:] if c)


BEYOND: Final = ("w", "(w+1)", "(w+2)", "(w+3)", "(w*2)")


def _infinite(board: Board, height: str) -> str:
    rest = [f"{place + 1}x{c}" for place, c in enumerate(board) if place >= 2]
    return "+".join([f"2x{height}", *rest])


@chapter.entry(
    "Corollary 5.2",
    "The Size Lemma: H(A, B_0) <= 1 + size of A beside the tower; every element of M_0 is less than"
    " that size.",
    correction="Elements of M_0 are less than 1 + that size: heights that are taken reach the"
    " size.",
)
def _size_lemma(tables: ReportTables) -> Iterable[Quantity]:
    above = reach = 0
    boards = [b for n in range(1, tables.size(10, 8)) for b in boards_of(n)]
    for board in boards:
        beside = int(size_beside_tower(OrdinalPosition.columns(*board), 1))
        h = next(h for h in range(1, 60) if _is_p((h, *(min(c, h) for c in board[1:]))))
        above += h > 1 + beside
        reach += h == 1 + beside
    yield equal("finite A whose height exceeds the bound", 0, above)
    yield equal(
        "largest element of M_0, over size, is below it (0) or reaches it (1)",
        0,
        int(reach > 0),
        corrected=1,
    )


@chapter.entry(
    "Figure 4; Figure 5; Section 6",
    "X with a stalk of height h at right angles is P exactly if h = G(X); and a tower over X can be"
    " made so high that any value g comes out.",
)
def _constructions(tables: ReportTables) -> Iterable[Quantity]:
    boards = [b for n in range(1, tables.size(8, 6)) for b in boards_of(n)]
    right = sum([h for h in range(1, 12) if _stalked(b, h)] == [finite_grundy(b)] for b in boards)
    yield every("finite X whose only such stalk has height G(X)", len(boards), right)
    for text, value in (("2xw", "1"), ("2x(w*2)", "4"), ("2xw^2", "w")):
        heights = [
            h for h in ("1", "2", "3", "4", "5", "w", "(w+1)") if _stalk_outcome(text, h) == "P"
        ]
        yield equal(f"{text}: heights of stalks that make it P", (value,), tuple(heights))
    found = tuple(str(two_wide.left_height(2, g)) for g in (1, 2, 5, OMEGA))
    first = [parse_ordinal(h) for h in found]
    values = tuple(str(two_wide.grundy(h, min(h, natural(2)))) for h in first)
    yield equal(
        "second column 2, first column so that G = 1, 2, 5, w", ("1", "2", "5", "w"), values
    )


def _stalk_outcome(text: str, height: str) -> str:
    flat = parse_position(text)
    boxes = [(*box, natural(1)) for box in flat.boxes]
    stalk = (natural(1), natural(1), parse_ordinal(height.strip("()")))
    return str(decide(OrdinalPosition.union([*boxes, stalk])).outcome)


@cache
def _stalked(board: Board, h: int) -> bool:
    """Return whether a board with a stalk of h cookies over its poison, poison included, is P."""
    for left in bites(board):
        if left and _stalked(left, h):
            return False
    return not any(_stalked(board, k) for k in range(1, h))


@chapter.entry(
    "Proposition 6.1",
    "Beanstalk Lemma: a finite position with an infinite tower has an infinite value; more, its"
    " value begins with the same term as the tower.",
)
def _beanstalk(tables: ReportTables) -> Iterable[Quantity]:
    towers = ("w", "w+3", "w*2", "w^2+w", "w^w")
    boards = [b for n in range(1, tables.size(7, 5)) for b in boards_of(n) if len(b) <= 2]
    same = tried = 0
    for board, tower in product(boards, towers):
        h, k = parse_ordinal(tower), natural(board[1] if len(board) > 1 else 0)
        value = two_wide.grundy(h, k)
        tried += 1
        same += not value.is_finite and value.terms[0] == h.terms[0]
    yield every("two-wide positions with the same first term", tried, same)
    yield equal(
        "3 x 2 with towers w, w*2, w^2: P",
        tuple("NNN"),
        outcomes(f"3x2+1x{t}" for t in ("w", "(w*2)", "w^2")),
    )


@chapter.entry(
    "Theorem 7.1",
    "G(X x P) = G(X) for any X and any P-ordered P-position P; so products of P-ordered P-positions"
    " are P.",
    correction="In the list of section 7, `every P-position must be' speaks of P-ordered"
    " positions.",
)
def _theorem_7_1(tables: ReportTables) -> Iterable[Quantity]:
    factors = ["2xw", "1x2+2x1", "1x3+2x2", "1x3+3x1", "1xw+wx1", "1xw^2+w^2x1"]
    yield every(
        "P-ordered P-positions among " + ", ".join(factors),
        len(factors),
        sum(is_p_ordered_p(parse_position(text)) for text in factors),
    )
    bodies = ["1x4", "2x3", "2xw", "2x(w*2)", "2xw^2", "1x(w+2)"]
    same = 0
    for body, factor in product(bodies, factors):
        x = parse_position(body)
        found = decide(product_of(x, parse_position(factor)))
        same += found.grundy == decide(x).grundy
    yield every("products with the value of X", len(bodies) * len(factors), same)
    for text in ("2x2xwxw", "wxwxwx2x2x2"):
        yield equal(text, "P", outcome(text))
    yield every("the strategy: replies that leave a P-position", 3, _replies(tables))


def _replies(_: ReportTables) -> int:
    pairs = [parse_position("2xw")] * 2
    whole = product_of(*pairs)
    right = 0
    for bite in ((0, 0, 0, 5), (0, 3, 0, 0), (1, 2, 0, 0)):
        at = tuple(natural(x) for x in bite)
        left = whole.bite(at)
        right += str(decide(left.bite(pairing_reply(pairs, at))).outcome) == "P"
    return right


@chapter.entry(
    "P-ordered positions; Section 7",
    "Positions whose P-subpositions are ordered by inclusion lie in 2 x Omega or in two stalks; the"
    " P-positions among them are 2 x w, i + 1 over i, and equal stalks.",
)
def _p_ordered(tables: ReportTables) -> Iterable[Quantity]:
    boards = [b for n in range(1, tables.size(11, 9)) for b in boards_of(n)]
    listed = [b for b in boards if _is_p(b) and _ordered(b)]
    in_list = [b for b in listed if is_p_ordered_p(OrdinalPosition.columns(*b))]
    yield every(
        "finite P-ordered P-positions, all of which are in the list", len(listed), len(in_list)
    )
    yield equal(
        "minimal positions that are not P-ordered: columns 3, 2, 1", False, _ordered((3, 2, 1))
    )
    yield equal(
        "and what it holds, 3 x 1 + 1 x 3 and 2, 1", True, _is_p((3, 1, 1)) and _is_p((2, 1))
    )


@cache
def _ordered(board: Board) -> bool:
    inside = [
        b
        for n in range(1, sum(board) + 1)
        for b in boards_of(n)
        if len(b) <= len(board) and all(x <= y for x, y in zip(b, board, strict=False)) and _is_p(b)
    ]
    return all(_in(a, b) or _in(b, a) for a in inside for b in inside)


def _in(one: Board, other: Board) -> bool:
    return len(one) <= len(other) and all(x <= y for x, y in zip(one, other, strict=False))
