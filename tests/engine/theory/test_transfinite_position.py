"""Positions: normal form, bites, size, text."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.boxes import inside
from position_oracle.engine.theory.transfinite.finite import from_rows, to_rows
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_OMEGA,
    ZERO,
    Ordinal,
    natural,
)
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import (
    format_position,
    parse_position,
)
from position_oracle.engine.theory.transfinite.size import size, size_beside_tower
from position_oracle.schema.errors import InvalidPositionError, NotationError
from tests.each import for_each
from tests.reference import transfinite_naive as naive

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "transfinite.json").read_text())
SIZES = [case for case in GOLDEN["cases"] if case["kind"] == "size"]

finite_sides = st.integers(1, 4)
finite_boxes = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[finite_sides] * d), min_size=1, max_size=4)
)
exponents = st.integers(0, 3).map(natural) | st.just(OMEGA)
sides = st.dictionaries(exponents, st.integers(1, 3), min_size=1, max_size=3).map(
    lambda terms: Ordinal(tuple(sorted(terms.items(), reverse=True)))
)
boxes = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[sides] * d), min_size=1, max_size=4)
)
positions = boxes.map(OrdinalPosition.union)


@for_each("case", SIZES)
def test_golden_sizes(case: dict[str, Any]) -> None:
    def read(rows: list[list[str]]) -> list[tuple[Ordinal, ...]]:
        return [tuple(parse_ordinal(side) for side in row) for row in rows]

    position = OrdinalPosition.union(read(case["boxes"]))
    assert set(position.boxes) == set(read(case["normal_form"]))
    assert str(size(position)) == case["size"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(w+1)x2 + (w*2)x1", "w*3+1"),
        ("1xwxw^2 + wxw^2x1 + w^2x1xw", "w^3*3"),
        ("3x4", "12"),
        ("0", "0"),
    ],
)
def test_sizes_of_section_2(text: str, expected: str) -> None:
    assert str(size(parse_position(text))) == expected


@given(finite_boxes)
def test_the_size_of_a_finite_position_is_its_number_of_cookies(
    made: list[tuple[int, ...]],
) -> None:
    assert size(OrdinalPosition.union(made)) == len(naive.cells(*made))


@given(positions, st.data())
def test_every_bite_makes_a_position_smaller_in_size(position: OrdinalPosition, data: Any) -> None:
    bite = _draw_bite(position, data)
    left = position.bite(bite)
    assert size(left) < size(position)
    assert bite not in left
    with pytest.raises(InvalidPositionError, match="no cookie"):
        left.bite(bite)


def _draw_bite(position: OrdinalPosition, data: Any) -> tuple[Ordinal, ...]:
    box = data.draw(st.sampled_from(position.boxes))
    marks = [ZERO, *(side for other in position.boxes for side in other)]
    return tuple(
        data.draw(st.sampled_from([x for x in marks if x < side] or [ZERO])) for side in box
    )


@given(finite_boxes, st.data())
def test_bites_and_membership_are_those_of_sets_of_cells(
    made: list[tuple[int, ...]], data: Any
) -> None:
    cells = naive.cells(*made)
    at = data.draw(st.sampled_from(sorted(cells)))
    left = OrdinalPosition.union(made).bite(at)
    expected = next(result for bite, result in naive.bites(cells) if bite == at)
    assert {cell for cell in cells if cell in left} == set(expected)


@given(boxes, st.randoms())
def test_the_normal_form_is_unique(made: list[tuple[Ordinal, ...]], rng: Any) -> None:
    position = OrdinalPosition.union(made)
    rng.shuffle(made)
    smaller = [tuple(min(side, OMEGA) for side in made[0])]
    again = OrdinalPosition.union([*made, *smaller])
    assert again == position
    assert hash(again) == hash(position)
    assert not any(inside(a, b) for a, b in permutations(position.boxes, 2))


@given(positions)
def test_text_round_trip(position: OrdinalPosition) -> None:
    assert parse_position(format_position(position)) == position


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(w+1)x2 + (w*2)x1", "(w+1)x2 + (w*2)x1"),
        ("3xw^w", "3xw^w"),
        ("2 x 2 x w^3", "2x2xw^3"),
        ("2xw*2", "2x(w*2)"),
        ("(2)x(w)", "2xw"),
        ("3xw^w + 2x(w*2+1)", "3xw^w"),
        ("2×ω", "2xw"),
        ("1x5+2x3", "1x5 + 2x3"),
        ("[w^2 w; w^2*2 w^2]", "1x1x(w^2*2) + 1x2xw^2 + 2x1xw^2 + 2x2xw"),
        ("[0 0; w 0]", "1x1xw"),
        ("[0 0; 0 0]", "0"),
        ("w^2", "w^2"),
        ("2xw^(w+1)", "2xw^(w+1)"),
    ],
)
def test_notation(text: str, canonical: str) -> None:
    assert format_position(parse_position(text)) == canonical


@for_each(
    "text",
    [
        *(
            "",
            " ",
            "x",
            "3x",
            "x3",
            "3xx3",
            "3x0",
            "0x0",
            "3x4+",
            "+3x4",
            "3x4 5",
            "3x4+5",
            "3x4xw+2x",
        ),
        *("(3x4", "3x4)", "3x(w+1", ")3x4(", "3x(w", "((w))x2", "3xw+1", "2x(w+1)+(", "3x4 + 1"),
        *("[", "]", "[1 2]", "[1 2; 3]", "[1 2; 3 4", "[1 2; 3 x]", "[1,2;3,4]", "[[1 2; 3 4]]"),
        *("3xe0", "3xε_0", "2xw_1", "3x-1", "3x1.5", "chomp:3", "2xw^100000", "2xw*2001"),
        "x".join("2" * 13),
        "x".join("2" * 5_000),
        "(" * 10_000,
        "2x" + "(" * 9_000 + "w" + ")" * 9_000,
        "3x" + "9" * 19_000,
        " + ".join(f"{n}x{300 - n}" for n in range(1, 300)),
        "x".join(["(w^9+w^8+w^7+w^6+w^5+w^4+w^3+w^2+w+1)"] * 6),
        "2xw^" + "w^" * 5_000 + "2",
        "1" * 50_000,
    ],
)
def test_bad_text_is_refused_at_once(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_position(text)
    assert len(str(caught.value)) < 400


@given(st.text(alphabet="wx^*+()[];0123 45ω×", max_size=16))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        position = parse_position(text)
    except (NotationError, InvalidPositionError):
        return
    assert parse_position(format_position(position)) == position


@pytest.mark.parametrize("text", ["[3 1; w 2]", "[2 0; 2 1]", "[0 0; w 3]", "[2 1; w 4]"])
def test_birds_eye_views_show_the_heights(text: str) -> None:
    """The rows show the heights of the base, with the poison at the lower left."""
    position = parse_position(text)
    heights = [position.height(*at) for at in ((0, 1), (1, 1), (0, 0), (1, 0))]
    v, z, u, y = map(str, heights)
    assert text == f"[{v} {z}; {u} {y}]"


def test_birds_eye_heights_must_be_a_position() -> None:
    with pytest.raises(InvalidPositionError, match="highest"):
        parse_position("[3 1; 2 2]")
    with pytest.raises(InvalidPositionError, match="lowest"):
        parse_position("[3 3; 4 2]")


def test_boxes_have_one_dimension() -> None:
    with pytest.raises(InvalidPositionError, match="same number"):
        OrdinalPosition.union([(1, 2), (1, 2, 3)])


def test_what_stands_beside_a_tower() -> None:
    assert size_beside_tower(OrdinalPosition.columns(9, 3, 2), 1) == 5
    assert size_beside_tower(OrdinalPosition.columns(OMEGA, OMEGA, 2), 1) == OMEGA + 2
    assert size_beside_tower(OrdinalPosition.box(OMEGA, OMEGA_2), 1) == OMEGA * OMEGA_2
    assert size_beside_tower(OrdinalPosition.birds_eye(3, 1, OMEGA_OMEGA, 2), 2) == 6


@given(st.lists(st.integers(1, 9), max_size=6).map(lambda rows: sorted(rows, reverse=True)))
def test_finite_boards_come_and_go(rows: list[int]) -> None:
    assert list(to_rows(from_rows(rows))) == rows


def test_invalid_boards_are_refused() -> None:
    for position in (OrdinalPosition.box(2, OMEGA), OrdinalPosition.box(2, 2, 2)):
        with pytest.raises(InvalidPositionError):
            to_rows(position)
