"""P-ordered P-positions, orthogonal sums, products and their pairing strategy (Theorem 7.1)."""

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from position_oracle.engine.theory.transfinite import p_ordered
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    ONE,
    ZERO,
    Ordinal,
    natural,
)
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position import EMPTY, Bite, OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.oracle.reproduce.papers.transfinite.products import pairing_reply, product_of
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import InvalidPositionError
from tests.each import for_each
from tests.reference import transfinite_naive as naive

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "transfinite.json").read_text())
PRODUCTS = [case for case in GOLDEN["cases"] if case["kind"] == "product"]
VALUES = [case for case in PRODUCTS if case["query"] == "value"]
REPLIES = [case for case in PRODUCTS if case["query"] == "reply"]
MANY = pytest.mark.parametrize("count", [60, pytest.param(20_000, marks=pytest.mark.slow)])

FACTORS = [
    parse_position(text)
    for text in ("2xw", "wx2", "1x1", "1x2 + 2x1", "1x4 + 2x3", "4x1 + 3x2", "1xw + wx1")
]


def read(boxes: list[list[str]]) -> OrdinalPosition:
    return OrdinalPosition.union([[parse_ordinal(side) for side in box] for box in boxes])


@for_each("case", VALUES)
def test_golden_values(case: dict[str, Any]) -> None:
    whole = product_of(read(case["X"]), *map(read, case["factors"]))
    found = decide(whole)
    assert str(found.grundy) == case["grundy"]
    assert str(found.outcome) == case["outcome"]
    if found.outcome is Outcome.N:
        assert found.bite is not None
        assert decide(whole.bite(found.bite)).outcome is Outcome.P


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["id"])
def test_golden_replies(case: dict[str, Any]) -> None:
    factors = [read(factor) for factor in case["factors"]]
    bite = tuple(parse_ordinal(x) for x in case["bite"])
    reply = pairing_reply(factors, bite)
    assert list(map(str, reply)) == case["reply"]
    left = product_of(factors[0], *factors[1:]).bite(bite)
    assert decide(left).outcome is Outcome.N
    assert decide(left.bite(reply)).outcome is Outcome.P


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, True) for text in ("1", "1x1", "2xw", "wx2", "1x3 + 2x2", "1x1x1", "2x1xw")),
        *((text, True) for text in ("1x2 + 2x1", "1xw^w + w^wx1", "2x2 + 3x1")),
        *((text, False) for text in ("2", "w", "2x2", "2x(w+1)", "3xw^w", "2x2xw^3", "1xw + 2x3")),
        *((text, False) for text in ("0", "1x2 + 3x1", "2x2xwxw", "2xw + 3x1")),
    ],
)
def test_p_ordered_p_positions(text: str, expected: bool) -> None:
    assert p_ordered.is_p_ordered_p(parse_position(text)) is expected


def test_p_ordered_means_that_p_subpositions_form_a_chain() -> None:
    """The definition of section 7, for all finite boards in 4 x 4, by brute force."""
    boards = [
        OrdinalPosition.columns(*heights)
        for heights in product(range(5), repeat=4)
        if list(heights) == sorted(heights, reverse=True) and heights[0]
    ]
    cells = {board: naive.cells(*((int(a), int(b)) for a, b in board.boxes)) for board in boards}
    p_positions = [board for board in boards if naive.is_p(cells[board])]
    for board in p_positions:
        within = [cells[other] for other in p_positions if cells[other] <= cells[board]]
        chain = all(a <= b or b <= a for a in within for b in within)
        assert p_ordered.is_p_ordered_p(board) == chain, board


def test_the_winning_strategy_of_w3_by_23() -> None:
    """Section 7: the six-dimensional box and its three rules for replies, with axes permuted."""
    whole = parse_position("wxwxwx2x2x2")
    assert decide(whole).outcome is Outcome.P
    for bite, answer in (
        ("r t i+1 s u 0", "r t i s u 1"),
        ("r i+1 0 s 0 0", "r i 0 s 1 0"),
        ("i+1 0 0 0 0 0", "i 0 0 1 0 0"),
    ):
        values = {"r": 3, "t": 2, "i": 4, "i+1": 5, "s": 1, "u": 1, "0": 0, "1": 1}
        one, other = (tuple(natural(values[x]) for x in text.split()) for text in (bite, answer))
        after = whole.bite(one)
        assert decide(after).outcome is Outcome.N
        assert decide(after.bite(other)).outcome is Outcome.P
        assert decide(whole.bite(other).bite(one)).outcome is Outcome.P


def random_product(rng: Random) -> tuple[list[OrdinalPosition], OrdinalPosition]:
    factors = [rng.choice(FACTORS) for _ in range(rng.randint(1, 3))]
    return factors, product_of(factors[0], *factors[1:])


def random_cookie(rng: Random, position: OrdinalPosition) -> Bite:
    box = rng.choice(position.boxes)
    return tuple(
        natural(rng.randint(0, min(5, int(side) - 1 if side.is_finite else 5))) for side in box
    )


@MANY
def test_certificates_of_full_products(count: int) -> None:
    """For every bite into a product of P-ordered P-positions there is a reply to a P-position."""
    rng = Random(7)
    for _ in range(count):
        factors, whole = random_product(rng)
        bite = random_cookie(rng, whole)
        if not any(bite):
            with pytest.raises(InvalidPositionError, match="poison"):
                pairing_reply(factors, bite)
            continue
        after = whole.bite(bite)
        found = decide(after)
        assert found.outcome is Outcome.N
        assert found.bite is not None
        assert decide(after.bite(found.bite)).outcome is Outcome.P
        assert decide(after.bite(pairing_reply(factors, bite))).outcome is Outcome.P


@MANY
def test_certificates_of_products_with_a_two_wide_position(count: int) -> None:
    rng = Random(8)
    for _ in range(count):
        h, k = naive.two_columns(rng)
        _, factor = random_product(rng)
        base = OrdinalPosition.columns(h, k)
        whole = product_of(base, factor)
        if len(p_ordered.wide_axes(whole)) > 6:
            continue
        found = decide(whole)
        assert found.grundy == decide(base).grundy
        if found.outcome is Outcome.N:
            assert found.bite is not None
            assert decide(whole.bite(found.bite)).outcome is Outcome.P


@MANY
def test_certificates_of_orthogonal_sums(count: int) -> None:
    """Section 4: one-wide and two-wide parts at right angles add like a Nim sum."""
    rng = Random(4)
    for _ in range(count):
        h, k = naive.two_columns(rng)
        part = OrdinalPosition.columns(h, k)
        value = p_ordered.restricted(decide(part).grundy or ZERO)
        stalk = ONE + value if rng.random() < 0.3 else naive.ordinal(rng, naive.HIGH) + 1
        if not value.is_finite and stalk == value + 1 and rng.random() < 0.5:
            stalk = value
        whole = _beside(part, stalk)
        found = decide(whole)
        total = value ^ p_ordered.restricted(stalk)
        assert found.grundy == p_ordered.unrestricted(total)
        assert (found.outcome is Outcome.P) == (not total)
        if found.outcome is Outcome.N:
            assert found.bite is not None
            assert decide(whole.bite(found.bite)).outcome is Outcome.P


def _beside(position: OrdinalPosition, height: Ordinal) -> OrdinalPosition:
    """Return the position with a column of this height beside it, joined by the poison cookie."""
    layer = product_of(position, OrdinalPosition.box(1))
    return OrdinalPosition.union((*layer.boxes, (ONE, ONE, height)))


def test_the_column_beside_a_position_measures_its_grundy_value() -> None:
    """Section 6, first construction: (X x 1) + (1 x g) is P for g = G(X)."""
    for text in ("2xw", "1x(w*2+3) + 2x(w+1)", "2x(w*2)", "1x5 + 2x2", "2x(w^2)"):
        position = parse_position(text)
        value = decide(position).grundy
        assert value is not None
        assert decide(_beside(position, value)).outcome is Outcome.P
        assert decide(_beside(position, value + 1)).outcome is Outcome.N


def test_restricted_values() -> None:
    assert p_ordered.restricted(natural(5)) == 4
    assert p_ordered.restricted(OMEGA + 3) == OMEGA + 3
    assert p_ordered.unrestricted(ZERO) == 1
    assert p_ordered.unrestricted(OMEGA_2) == OMEGA_2


def test_replies_only_to_bites_into_products() -> None:
    with pytest.raises(InvalidPositionError, match="not a P-ordered"):
        pairing_reply([OrdinalPosition.box(2, 2)], (ONE, ONE))
    with pytest.raises(InvalidPositionError, match="no cookie"):
        pairing_reply([OrdinalPosition.box(2, OMEGA)], (natural(2), ONE))
    assert p_ordered.restoring_bite(EMPTY) is None
    assert p_ordered.restoring_bite(OrdinalPosition.box(2, OMEGA)) is None
    answered: list[tuple[OrdinalPosition, Bite | None]] = [
        (OrdinalPosition.columns(5, 1), (ZERO, natural(2))),
        (OrdinalPosition.columns(1, 1, 1, 1), (ONE, ZERO)),
    ]
    for position, bite in answered:
        assert p_ordered.restoring_bite(position) == bite


def test_sections_are_checked_one_by_one() -> None:
    whole = product_of(parse_position("2xw"), parse_position("1x3 + 2x2"))
    assert set(p_ordered.fibre_axes(whole)) == {(0, 1), (2, 3)}
    broken = whole.bite((ONE, natural(4), ONE, ONE))
    found = dict(p_ordered.broken_sections(broken, (2, 3)))
    assert found == {(ONE, natural(4)): OrdinalPosition.columns(3, 1)}
    many: list[Ordinal] = [natural(n) for n in range(1, 70)]
    stairs = OrdinalPosition.union(
        (n, n2, 2, OMEGA) for n, n2 in zip(many, reversed(many), strict=True)
    )
    assert any(p_ordered.broken_sections(stairs, (2, 3)))
