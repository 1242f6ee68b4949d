"""Transfinite positions: round trips of texts, moves by the rules, sums with them, bad texts."""

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.moves import is_over, moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import MAX_TEXT
from position_oracle.engine.games.transfinite import position_of, shape_of
from position_oracle.engine.theory.transfinite.finite import from_rows
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, Ordinal, natural, omega_power
from position_oracle.engine.theory.transfinite.position import OrdinalPosition as Shape
from position_oracle.schema.errors import InvalidPositionError, NotationError, PositionOracleError
from tests.reference import transfinite_naive as naive

RULES = rules_of("transfinite")


def ordinals() -> st.SearchStrategy[Ordinal]:
    exponents = st.sampled_from([*map(natural, range(4)), OMEGA, OMEGA + 1, omega_power(2)])
    terms = st.dictionaries(exponents, st.integers(1, 30), min_size=1, max_size=3)
    return terms.map(lambda chosen: Ordinal(tuple(sorted(chosen.items(), reverse=True))))


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    sides = draw(st.integers(1, 4))
    box = st.tuples(*[ordinals()] * sides)
    return Shape.union(draw(st.lists(box, min_size=1, max_size=4)))


@given(shapes())
def test_texts_round_trip(shape: Shape) -> None:
    position = position_of(shape)
    text = str(position)
    assert parse(text) == position
    assert str(parse(text)) == text


@given(shapes())
def test_unicode_means_the_same(shape: Shape) -> None:
    text = str(position_of(shape)).removeprefix("transfinite:")
    assert parse("transfinite:" + text.translate(str.maketrans("wx*", "ω×·"))) == position_of(shape)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("transfinite:3xw^w + 2x(w*2+1)", "transfinite:3xw^w"),  # the first box contains the second
        ("transfinite:2x(w*2+1)+1x(w*3)", "transfinite:1x(w*3) + 2x(w*2+1)"),
        ("transfinite: (w+1)x2 + (w*2)x1", "transfinite:(w+1)x2 + (w*2)x1"),
        ("transfinite:w*2x1", "transfinite:(w*2)x1"),
        ("transfinite:[w w; w*2 w+1]", "transfinite:1x1x(w*2) + 2x1x(w+1) + 2x2xw"),
        ("transfinite:0", "transfinite:0"),
    ],
)
def test_one_canonical_text(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("transfinite:", "a side is missing"),
        ("transfinite:2x", "a side is missing"),
        ("transfinite:(w+1x2", "brackets do not match"),
        ("transfinite:w)x2(", "brackets do not match"),
        ("transfinite:2x0", "at least 1"),
        ("transfinite:2 + 2x2", "same number of sides"),
        ("transfinite:w^100000", "exponent of at most"),
        ("transfinite:w^99999999999999999999", "at most 18 digits"),
        ("transfinite:e0", "below epsilon_0"),
        ("transfinite:ε₀x2", "below epsilon_0"),
        ("transfinite:(w*3000)x2", "at most 2000"),
        ("transfinite:" + "x".join(["2"] * 13), "at most 12"),
        ("transfinite:" + " + ".join(["2x2"] * 65), "at most 64"),
        ("transfinite:" + "w^(" * 300, "brackets do not match"),
        ("transfinite:" + "w^(" * 300 + "w" + ")" * 300, "nested brackets"),
        ("transfinite:" + "(" * 900 + ")" * 900, "expected"),
        ("transfinite:2x" + "9" * 4096, "at most 4096"),
        ("transfinite:[1 2; 3]", "bird's-eye view"),
        ("transfinite:[3 1; 2 2]", "highest column"),
        ("transfinite:[w 1 2", "bird's-eye view"),
        ("transfinite:(w+w)x2", "smaller exponent"),
        ("transfinite{declared=[0,1]}:2x2", "number of axes"),
        (f"transfinite{{declared=[{2**62},1]}}:2x2", "number of axes"),
        ("transfinite:2xw + nim:[3]", "component 0 is infinite"),
        ("misere{transfinite:2xw}", "component 0 is infinite"),
    ],
)
def test_bad_texts_are_refused_at_once(text: str, part: str) -> None:
    begun = perf_counter()
    with pytest.raises(PositionOracleError, match=re.escape(part)) as caught:
        parse(text)
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value)) < 500
    assert perf_counter() - begun < 5  # a text that hangs fails; this does not measure speed


@given(st.text(alphabet="wx+*^()[]; 0123456789ω×·ε", max_size=60))
def test_any_text_is_read_or_refused(body: str) -> None:
    try:
        position = parse(f"transfinite:{body}")
    except (NotationError, InvalidPositionError):
        return
    assert parse(str(position)) == position


def test_a_text_whose_canonical_form_is_too_long_is_refused() -> None:
    """The canonical text lists boxes with brackets: it is longer than the bird's-eye view."""
    tail = "+".join(f"w^{n}*{10**9}" for n in range(65, 2, -1))
    u, v, y, z = (f"w^{n}*12345678+{tail}" for n in (104, 103, 102, 101))
    text = f"transfinite:[{v} {z}; {u} {y}]"
    assert len(text) <= MAX_TEXT < len(text) + 40
    with pytest.raises(NotationError, match="canonical text"):
        parse(text)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_moves_of_finite_positions_are_bites(rows: list[int]) -> None:
    shape = from_rows(sorted(rows, reverse=True))
    cookies = sorted(naive.cells(*((int(a), int(b)) for a, b in shape.boxes)))
    children = [shape_of(move.child) for move in moves(position_of(shape))]
    assert children == [shape.bite(cookie) for cookie in cookies]


def test_infinite_positions_have_no_list_of_moves() -> None:
    with pytest.raises(InvalidPositionError, match="infinitely many"):
        list(moves(parse("transfinite:2xw")))


@pytest.mark.parametrize(
    ("text", "ends"),
    [("transfinite:0", True), ("transfinite:1x1x1", True), ("transfinite:1x2", False)],
)
def test_where_the_game_is_over(text: str, ends: bool) -> None:
    assert is_over(parse(text)) is ends
