"""docs/questions.md shows what the current code answers."""

import pytest

from position_oracle import Oracle
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import FAMILIES
from scripts import list_questions


def test_every_family_has_a_small_and_a_large_example() -> None:
    assert len(list_questions.EXAMPLES) == len(FAMILIES)
    for family, examples in zip(FAMILIES, list_questions.EXAMPLES, strict=True):
        assert len(examples) >= 2
        assert {parse(text).game.family for text in examples} == {family}


@pytest.mark.parametrize("examples", list_questions.EXAMPLES, ids=FAMILIES)
def test_the_first_row_of_each_family_is_that_of_the_code(examples: tuple[str, ...]) -> None:
    cells = " | ".join(list_questions.row(Oracle(), parse(examples[0])))
    assert f"| `{examples[0]}` | {cells} |" in list_questions.PAGE.read_text("utf-8").splitlines()


@pytest.mark.slow
def test_the_page_is_that_of_the_code() -> None:
    assert list_questions.PAGE.read_text("utf-8") == list_questions.page()


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("nim:[3,5,7]", {"outcome": "theorem", "Grundy value": "theorem", "sheets": "yes"}),
        ("nim{misere}:[3,5,7]", {"Grundy value": list_questions.MISERE, "plies": "search"}),
        ("nim{declared=[1,2,3]}:[3,4,5]", {"Grundy value": list_questions.DECLARED}),
        ("transfinite:wxwxw", {"outcome": list_questions.INFINITE}),
        ("toads:TT.FF + nim:[3]", {"`random`": "search", "batch": list_questions.NO_ROWS}),
    ],
)
def test_cells_say_what_was_asked(text: str, cells: dict[str, str]) -> None:
    row = dict(zip(list_questions.COLUMNS, list_questions.row(Oracle(), parse(text)), strict=True))
    assert row | cells == row
