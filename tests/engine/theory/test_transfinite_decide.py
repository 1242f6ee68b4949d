"""Theorems chosen for a position: boxes of the abstract, consistency, orientation, open cases."""

import json
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite import three_wide, two_by_two, two_wide
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.decision import Rule
from position_oracle.engine.theory.transfinite.finite import from_rows
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, Ordinal, natural
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position import EMPTY, OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.engine.theory.transfinite.size import size
from position_oracle.oracle.reproduce.papers.transfinite.products import product_of
from position_oracle.schema.answers import Outcome
from tests.each import for_each
from tests.reference import transfinite_naive as naive

GOLDEN_FOLDER = Path(__file__).parents[2] / "golden"
GOLDEN = json.loads((GOLDEN_FOLDER / "transfinite.json").read_text())
COLUMNS = {"two_wide": "hk", "three_wide": "uvx", "two_by_two": "vzuy"}
CASES = [case for case in GOLDEN["cases"] if case["kind"] in COLUMNS]


def check_bite(position: OrdinalPosition) -> None:
    found = decide(position)
    assert found.bite is not None
    assert decide(position.bite(found.bite)).outcome is Outcome.P


@for_each("case", CASES)
def test_golden_cases(case: dict[str, Any]) -> None:
    heights = [parse_ordinal(case[name]) for name in COLUMNS[case["kind"]]]
    make = OrdinalPosition.birds_eye if case["kind"] == "two_by_two" else OrdinalPosition.columns
    position = make(*heights)
    found = decide(position)
    assert str(found.outcome) == case["outcome"]
    assert found.size == size(position)
    if case["winning_bite"] is not None:
        check_bite(position)


@pytest.mark.parametrize(
    "text",
    ["2xw", "3xw^w", "2x2xw^3", "2x2xwxw", "wxwxwx2x2x2", "1", "w^wx3", "2xw^3x2", "wx2x2xw"],
)
def test_boxes_of_the_abstract_are_p(text: str) -> None:
    found = decide(parse_position(text))
    assert found.outcome is Outcome.P
    assert found.grundy == 1
    assert found.restricted_grundy == 0
    assert found.bite is None


@pytest.mark.parametrize("columns", [2, 3])
def test_equal_columns_are_p_at_one_height_only(columns: int) -> None:
    heights = "1 2 3 7 w w+1 w*2 w^2 w^2+w w^3 w^w w^w+1 w^w*2 w^(w+1) w^(w*2) w^(w^2) w^(w^w)"
    p_heights = [
        h
        for h in heights.split()
        if decide(OrdinalPosition.box(columns, parse_ordinal(h))).outcome is Outcome.P
    ]
    assert p_heights == ["w" if columns == 2 else "w^w"]


def test_no_contradiction_between_theorems() -> None:
    """Positions that two theorems cover have one outcome and one Grundy value."""
    rng = Random(20)
    sheets = loser_sheets()
    for _ in range(400):
        h, k = naive.two_columns(rng)
        two = two_wide.verdict(h, k)
        three = three_wide.verdict(h, k, Ordinal(), sheets)
        block = two_by_two.verdict(h, k, Ordinal(), Ordinal())
        product = decide(product_of(OrdinalPosition.columns(h, k), OrdinalPosition.box(2, OMEGA)))
        assert two.outcome == three.outcome == block.outcome == product.outcome
        assert two.grundy == product.grundy
        # Two rows and three columns; three columns in both orientations.
        u, v, x = (natural(rng.randint(0, 3)) for _ in range(3))
        u, v, x = sorted((u + 1, v, x), reverse=True)
        flat = OrdinalPosition.columns(u, v, x)
        assert decide(flat).outcome == decide(flat.permute((1, 0))).outcome
        value = naive.columns_grundy((int(u), int(v), int(x)))
        assert (decide(flat).outcome is Outcome.P) == (value == 1)


def test_two_by_two_and_products_agree() -> None:
    """X x P with a one-wide or two-wide X whose product lies over a 2 x 2 base."""
    for text in ("[w 0; w 0]", "[1 0; 1 1]", "[w 0; w w]", "[w w; w w]", "[w*2 w; w*3 w*2]"):
        position = parse_position(text)
        u, v, y, z = (position.height(*at) for at in ((0, 0), (0, 1), (1, 0), (1, 1)))
        expected = two_by_two.verdict(u, v, y, z)
        found = decide(position)
        assert found.outcome == expected.outcome


@pytest.mark.parametrize(
    "text", ["(w+1)x2 + (w*2)x1", "2x2x(w^3+w)", "3x(w^2*2+w)", "1x(w+3) + 2xw + 3x5", "2x3xw"]
)
def test_orientation_does_not_matter(text: str) -> None:
    position = parse_position(text)
    outcome = decide(position).outcome
    for axes in permutations(range(position.dimension)):
        turned = position.permute(axes)
        assert decide(turned).outcome is outcome
        if outcome is Outcome.N:
            check_bite(turned)
        flat = product_of(turned, OrdinalPosition.box(1)).permute(
            (position.dimension, *range(len(axes)))
        )
        assert decide(flat).outcome is outcome


def test_small_finite_boards_by_brute_force() -> None:
    with (GOLDEN_FOLDER / "07_boards.jsonl").open() as lines:
        cases = [json.loads(line) for line in lines]
    checked = 0
    for case in cases:
        rows = case.get("rows")
        if not rows or sum(rows) > 24:
            continue
        position = from_rows(rows)
        boxes = [(int(a), int(b)) for a, b in position.boxes]
        found = decide(position)
        assert (found.outcome is Outcome.P) == naive.is_p(naive.cells(*boxes))
        if found.outcome is Outcome.N:
            check_bite(position)
        checked += 1
    rng = Random(1)
    for _ in range(150):
        rows = sorted((rng.randint(0, 5) for _ in range(5)), reverse=True)
        position = from_rows([1 + rows[0], *rows[1:]])
        boxes = [(int(a), int(b)) for a, b in position.boxes]
        found = decide(position)
        assert (found.outcome is Outcome.P) == naive.is_p(naive.cells(*boxes))


def test_the_empty_position() -> None:
    found = decide(EMPTY)
    assert found.outcome is Outcome.N
    assert found.grundy == 0
    assert found.bite is None
    assert found.reason
    assert found.restricted_grundy is None


@pytest.mark.parametrize(
    ("text", "outcome", "rule"),
    [
        ("(w^2+1)", Outcome.N, Rule.COLUMN),
        ("wxw", Outcome.N, Rule.EQUAL_ARMS),
        ("4xw", Outcome.N, Rule.TWO_WIDE),
        ("7xw^w", Outcome.N, Rule.TALL_BOX),
        ("7x8", Outcome.N, Rule.STEALING),
        ("1xw + wx1", Outcome.P, Rule.P_ORDERED),
        ("1x1x5 + 1x4x1 + 2x1x1", Outcome.N, Rule.STALKS),
        ("2x2x2x2", Outcome.N, Rule.FINITE),
    ],
)
def test_rules(text: str, outcome: Outcome, rule: Rule) -> None:
    found = decide(parse_position(text))
    assert (found.outcome, found.rule) == (outcome, rule)
    assert found.bite is not None or found.outcome is Outcome.P or found.reason


@pytest.mark.parametrize("text", ["3x3xw", "4x4xw", "4x4x4xw", "5x(w*2)", "1x1x(w^2) + 4x(w*2)x1"])
def test_unknown_says_why(text: str) -> None:
    found = decide(parse_position(text))
    assert found.outcome is Outcome.UNKNOWN
    assert found.bite is None
    assert found.grundy is None
    assert len(found.reason) > 10


@pytest.mark.parametrize(
    "text",
    [
        "2x(w*2000+5)",
        "3x(w*2000+5)",
        "[w*2000 w*2; w*2000 w*2]",
        "[w^2*5+w*1999+3 w*1998; w^2*5+w*1999+7 w*1998+1]",
        "999999999999999999x999999999999999999",
        "3x999999999999999999",
        "2x2x999999999999999999",
        "x".join(["(w^2+w*2+1)"] * 6),
        " + ".join(f"{n}x{64 - n}" for n in range(1, 64)),
        " + ".join(f"{n}x{60 - n}x(w^{n + 1})" for n in range(1, 59)),
        "2x2x2x2x2x2x2x2x2x2x2x2",
    ],
    ids=lambda text: text[:24],
)
def test_the_largest_texts_are_answered_without_delay(text: str) -> None:
    position = parse_position(text)
    found = decide(position)
    assert found.outcome is Outcome.P or found.bite is not None or found.reason
