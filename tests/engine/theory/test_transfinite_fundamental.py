"""The Fundamental Theorem: heights in closed form and by search, and the bounds around it."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.theory.supermex import loser_sheets
from engine.theory.transfinite import bounds
from engine.theory.transfinite.decide import decide
from engine.theory.transfinite.finite import MAX_CELLS, FiniteSearch, fits_search
from engine.theory.transfinite.fundamental import height, search_height
from engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_3,
    OMEGA_OMEGA,
    ONE,
    Ordinal,
    natural,
)
from engine.theory.transfinite.ordinal_text import parse_ordinal
from engine.theory.transfinite.position import EMPTY, Position, extension
from engine.theory.transfinite.position_text import parse_position
from engine.theory.transfinite.sheets import square_height
from engine.theory.transfinite.size import size
from engine.theory.transfinite.verdict import Outcome, Rule
from schema.errors import InvalidPositionError, ResourceLimitError, UnknownAnswerError
from tests.reference import transfinite_naive as naive

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "transfinite.json").read_text())
CASES = [case for case in GOLDEN["cases"] if case["kind"] == "fundamental"]
SHEETS = loser_sheets()


def read(boxes: list[list[str]]) -> Position:
    return Position.union([[parse_ordinal(side) for side in box] for box in boxes])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_golden_cases(case: dict[str, Any]) -> None:
    found = height(read(case["A"]), read(case["B"]), SHEETS, parse_ordinal(case["g"]))
    assert str(found) == case["height"]


def test_heights_named_in_the_paper() -> None:
    assert height(EMPTY, Position.box(1), SHEETS) == 1
    assert height(EMPTY, Position.box(2), SHEETS) == OMEGA
    assert height(EMPTY, Position.box(3), SHEETS) == OMEGA_OMEGA
    assert height(EMPTY, Position.box(2, 2), SHEETS) == OMEGA_3


@pytest.mark.parametrize(
    ("a", "base"),
    [
        ((), ((1, 1),)),
        (((2, 2, 2),), ((1, 1),)),
        (((2, 2, 1),), ((1, 2), (2, 1))),
        (((1, 2, 2), (3, 1, 1)), ((1, 1),)),
        (((2, 1, 2), (1, 2, 1)), ((1, 1),)),
        (((1, 2, 1),), ((2, 1),)),
        (((2, 5), (3, 2), (5, 1)), ((1,),)),
        (((4, 2),), ((1,),)),
    ],
)
def test_unique_heights_by_brute_force(
    a: tuple[tuple[int, ...], ...], base: tuple[tuple[int, ...], ...]
) -> None:
    """For finite A and B at most one height up to a bound is P, and it is the one found."""
    body, column = Position.union(a), Position.union(base)
    p_heights = []
    for h in range(1, 8):
        cut = extension(body, column, h)
        boxes = [tuple(int(side) for side in box) for box in cut.boxes]
        if naive.is_p(naive.cells(*boxes)):
            p_heights.append(h)
    assert len(p_heights) <= 1
    if p_heights:
        assert height(body, column, SHEETS) == p_heights[0]


def test_extensions_with_a_given_grundy_value() -> None:
    """Section 6, second construction, for two columns and for a small body in three dimensions."""
    for g in range(1, 9):
        tall = height(Position.box(2, 3), Position.box(1), SHEETS, g)
        assert decide(extension(Position.box(2, 3), Position.box(1), tall)).grundy == g
        body, base = Position.box(2, 1, 1), Position.box(1, 1)
        found = search_height(body, base, natural(g))
        assert found is not None
        boxes = [tuple(int(side) for side in box) for box in extension(body, base, found).boxes]
        assert naive.grundy(naive.cells(*boxes)) == g
    tall = height(Position.box(2, OMEGA), Position.box(1), SHEETS, OMEGA_2 + 1)
    assert tall == OMEGA_2 + OMEGA + 1  # the Nim sum with the other column takes w away
    assert height(EMPTY, Position.box(2), SHEETS, OMEGA) == OMEGA_2
    assert height(EMPTY, Position.box(2), SHEETS, 0) == 0


def test_side_top_heights() -> None:
    columns = Position.columns(OMEGA, OMEGA, 7)  # sheet 7 has rank 3
    assert height(columns, Position.box(1), SHEETS) == OMEGA + 3
    assert height(columns, Position.box(2), SHEETS) == OMEGA + 2
    assert height(Position.box(3, 6), Position.box(2), SHEETS) == square_height(SHEETS, 6)


def test_what_is_not_known() -> None:
    for a, base, g in (
        (Position.box(4, OMEGA), Position.box(1), 1),
        (EMPTY, Position.box(4), 1),
        (Position.box(3, OMEGA), Position.box(1), 2),
        (Position.box(3, 500), Position.box(1), 1),
        (Position.box(3, 500), Position.box(2), 1),
        (Position.box(5, 5, 5), Position.box(1, 1), 1),
    ):
        with pytest.raises(UnknownAnswerError):
            height(a, base, SHEETS, g)
    with pytest.raises(InvalidPositionError):
        height(Position.box(2, 2), EMPTY, SHEETS)


def test_search_agrees_with_brute_force() -> None:
    whole = Position.box(3, 3, 2)
    search = FiniteSearch(whole)
    rng = Random(5)
    for _ in range(60):
        boxes = [tuple(rng.randint(1, side) for side in (3, 3, 2)) for _ in range(3)]
        position = Position.union(boxes)
        cells = naive.cells(*boxes)
        mask = search.mask(position)
        assert search.is_p(mask) == naive.is_p(cells)
        assert search.grundy(mask) == naive.grundy(cells)
        bite = search.winning_bite(mask)
        assert (bite is None) == naive.is_p(cells)
        if bite is not None:
            assert naive.is_p(dict(naive.bites(cells))[bite])


def test_search_is_bounded() -> None:
    assert not fits_search(Position.box(2, OMEGA))
    assert not fits_search(Position.box(MAX_CELLS + 1))
    with pytest.raises(ResourceLimitError):
        FiniteSearch(Position.box(10**17, 10**17))
    with pytest.raises(InvalidPositionError):
        FiniteSearch(Position.box(OMEGA))


def test_grundy_values_are_at_most_the_size() -> None:
    rng = Random(3)
    for _ in range(300):
        position = Position.columns(*naive.two_columns(rng))
        value = decide(position).grundy
        assert value is not None
        assert value <= bounds.grundy_bound(position) == size(position)


def test_heights_are_within_the_size_lemma() -> None:
    """Corollary 5.2 for the towers over two- and three-wide positions."""
    rng = Random(4)
    for _ in range(300):
        _, v, x = naive.three_columns(rng)
        body = Position.columns(v, v, x) if v else Position.box(1, 1)
        tall = height(body, Position.box(1), SHEETS)
        assert tall <= bounds.height_bound(body, 1)


@pytest.mark.parametrize("text", ["4x5 + 1xw", "3x3x2 + 1x1xw^2", "5x5 + w^wx1", "4x4x4 + 1x1xw"])
def test_beanstalk_positions_are_n(text: str) -> None:
    position = parse_position(text)
    found = decide(position)
    assert found.outcome is Outcome.N
    assert found.rule in {Rule.BEANSTALK, Rule.FINITE, Rule.EQUAL_ARMS}
    if found.bite is not None:
        assert decide(position.bite(found.bite)).outcome is Outcome.P
    else:
        assert "at most" in found.reason


def test_beanstalk_leading_terms() -> None:
    """Proposition 6.1: the leading term is that of the tower."""
    rng = Random(6)
    for _ in range(200):
        h, k = naive.ordinal(rng, naive.HIGH) + OMEGA, natural(rng.randint(0, 9))
        position = Position.columns(h, k)
        leading = bounds.leading_term(position)
        value = decide(position).grundy
        assert leading is not None
        assert value is not None
        assert leading == Ordinal(value.terms[:1])
    assert bounds.leading_term(Position.box(2, OMEGA)) is None
    assert bounds.leading_term(Position.box(2, 3)) is None


def test_size_lemma_verdicts() -> None:
    found = bounds.verdict(Position.columns(OMEGA_2, OMEGA, OMEGA, OMEGA))
    assert found is not None
    assert (found.outcome, found.rule) == (Outcome.N, Rule.SIZE_LEMMA)
    assert bounds.verdict(Position.box(4, OMEGA)) is None
    assert bounds.height_bound(Position.columns(ONE, ONE), 1) == 2
