"""Transfinite Chomp through the oracle: golden cases, finite boards, tables, unknown outcomes."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.transfinite import position_of, shape_of
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite.finite import from_rows
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition as Shape
from position_oracle.engine.theory.transfinite.sheets import (
    finite_left_height,
    spread,
    square_height,
)
from position_oracle.oracle.answers import Answer, Certainty, TransfiniteFacts
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families import transfinite
from position_oracle.oracle.families.chomp3.index import index_of, sheets_of
from position_oracle.oracle.loading import load_tables
from position_oracle.oracle.reproduce.papers.transfinite.products import product_of
from tests.conftest import STORE_LIMIT
from tests.each import for_each
from tests.reference import transfinite_naive as naive

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "transfinite.json").read_text())
COLUMNS = {"two_wide": "hk", "three_wide": "uvx"}


@pytest.fixture(scope="module")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


def of_kind(*kinds: str, query: str | None = None) -> list[Any]:
    found = [
        case
        for case in GOLDEN["cases"]
        if case["kind"] in kinds and query in {None, case.get("query")}
    ]
    assert found
    return [pytest.param(case, id=f"{case['id']}-{case['kind']}") for case in found]


def boxes_text(boxes: list[list[str]]) -> str:
    joined = " + ".join("x".join(f"({side})" for side in box) for box in boxes)
    return f"transfinite:{joined or '0'}"


def text_of(case: dict[str, Any]) -> str:
    """Return the text of a case in the form that a user would type."""
    if case["kind"] == "two_by_two":
        return "transfinite:[{v} {z}; {u} {y}]".format(**case)
    heights = [case[name] for name in COLUMNS[case["kind"]]]
    boxes = [[str(width), height] for width, height in enumerate(heights, 1) if height != "0"]
    return boxes_text(boxes)


def ask(oracle: Oracle, text: str) -> Answer:
    return oracle.winning_moves(text)


def facts(answer: Answer) -> TransfiniteFacts:
    assert answer.transfinite is not None
    return answer.transfinite


def check_moves(oracle: Oracle, answer: Answer) -> None:
    """The bite and the moves agree and lead to P-positions, which can be asked about."""
    moves = answer.winning_moves
    if answer.outcome is Outcome.P:
        assert moves == ()
        assert facts(answer).bite is None
        return
    assert moves
    assert facts(answer).bite is not None
    bitten = shape_of(answer.position).bite(
        [parse_ordinal(text) for text in facts(answer).bite or ()]
    )
    assert shape_of(moves[0].child) == bitten
    for move in moves:
        assert oracle.outcome(str(move)).outcome is Outcome.P


@for_each("case", [each.values[0] for each in of_kind("two_wide", "three_wide", "two_by_two")])
def test_golden_outcomes_and_bites(oracle: Oracle, case: dict[str, Any]) -> None:
    answer = ask(oracle, text_of(case))
    record = answer.as_json()
    assert record["outcome"] == case["outcome"]
    assert answer.certainty in {Certainty.THEOREM, Certainty.EXACT_SEARCH}
    assert facts(answer).rule is None or str(facts(answer).rule) in answer.reason
    if answer.winning_moves is None:
        assert case["winning_bite"] is None
        assert "no winning bite is known" in answer.reason
    elif text_of(case) == "transfinite:0":
        assert answer.winning_moves == ()
    else:
        check_moves(oracle, answer)
    if "grundy" in case:
        assert record["grundy_unrestricted"] == case["grundy"]
        value = parse_ordinal(case["grundy"])
        restricted = str(int(value) - 1) if value.is_finite else case["grundy"]
        assert record["grundy"] == (restricted if value else None)


@pytest.mark.parametrize("case", of_kind("size"))
def test_golden_sizes(oracle: Oracle, case: dict[str, Any]) -> None:
    answer = ask(oracle, boxes_text(case["boxes"]))
    assert facts(answer).size == case["size"]
    normal = Shape.union([[parse_ordinal(side) for side in box] for box in case["normal_form"]])
    assert answer.position == position_of(normal)


@pytest.mark.parametrize("case", of_kind("product", query="value"))
def test_golden_products(oracle: Oracle, case: dict[str, Any]) -> None:
    shape = Shape.union([[parse_ordinal(side) for side in box] for box in case["X"]])
    for factor in case["factors"]:
        boxes = [[parse_ordinal(side) for side in box] for box in factor]
        shape = product_of(shape, Shape.union(boxes))
    answer = ask(oracle, f"transfinite:{shape}")
    assert answer.outcome.name == case["outcome"]
    assert facts(answer).grundy_unrestricted == case["grundy"]
    check_moves(oracle, answer)


@pytest.mark.parametrize("case", of_kind("fundamental"))
def test_golden_heights_are_p_positions(oracle: Oracle, case: dict[str, Any]) -> None:
    """A extended by B to the height H(A, B) has Grundy value g, where the oracle decides it."""
    a, b = (
        Shape.union([[parse_ordinal(side) for side in box] for box in case[name]])
        for name in ("A", "B")
    )
    height = parse_ordinal(case["height"])
    cut = [(*box[:-1], min(box[-1], height)) for box in a.boxes]
    shape = Shape.union([*cut, *((*box, height) for box in b.boxes)])
    answer = ask(oracle, f"transfinite:{shape}")
    if answer.outcome:
        assert (answer.outcome is Outcome.P) == (case["g"] == "1")
    if facts(answer).grundy_unrestricted is not None:
        assert facts(answer).grundy_unrestricted == case["g"]


def test_finite_boards_agree_with_chomp(oracle: Oracle) -> None:
    rng = Random(1)
    for _ in range(150):
        rows = sorted((rng.randint(1, 9) for _ in range(rng.randint(1, 5))), reverse=True)
        board = oracle.winning_moves("chomp:" + "/".join(map(str, rows)))
        answer = ask(oracle, f"transfinite:{from_rows(rows)}")
        assert answer.outcome is board.outcome
        check_moves(oracle, answer)
        if len(rows) == 3:
            a, b, c = rows
            three = oracle.outcome(f"chomp3:[{c},{b - c},{a - b}]")
            assert answer.outcome is three.outcome


@pytest.mark.parametrize("rows", [(24, 20, 17, 3), (5,) * 4 + (4,) * 8, (18, 18, 11, 9)])
def test_finite_boards_that_no_theorem_decides_are_answered_as_chomp(
    oracle: Oracle, rows: tuple[int, ...]
) -> None:
    board = oracle.winning_moves("chomp:" + "/".join(map(str, rows)))
    answer = ask(oracle, f"transfinite:{from_rows(rows)}")
    assert (answer.outcome, answer.reason) == (board.outcome, board.reason)
    assert board.winning_moves is not None
    assert answer.winning_moves is not None
    assert {str(move) for move in answer.winning_moves} == {
        str(position_of(from_rows(move.child.coordinates))) for move in board.winning_moves
    }


def test_small_finite_positions_have_their_grundy_values(oracle: Oracle) -> None:
    rng = Random(2)
    for _ in range(60):
        boxes = [tuple(rng.randint(1, 3) for _ in range(3)) for _ in range(3)]
        answer = ask(oracle, f"transfinite:{Shape.union(boxes)}")
        value = naive.grundy(naive.cells(*boxes))
        assert facts(answer).grundy_unrestricted == str(value)
        assert facts(answer).grundy == str(value - 1)
        assert (answer.outcome is Outcome.P) == (value == 1)


def test_sheets_of_the_tables_are_those_computed_here(store: Path) -> None:
    sheets = (table for table in load_tables(store) if table.build.kind == "sheets")
    (table,) = (table for table in sheets if table.game.text == "chomp3")
    loaded, small = sheets_of(index_of(dict(table.arrays))), loser_sheets()
    assert loaded.end_x == STORE_LIMIT + 1
    assert list(loaded.tails[: len(small.tails)]) == list(small.tails)
    for x in range(small.end_x):
        assert square_height(loaded, x) == square_height(small, x)
        assert spread(loaded, x) == spread(small, x)
        for v in (*range(x, x + 90), 10**9):
            assert finite_left_height(loaded, v, x) == finite_left_height(small, v, x)


def test_the_list_of_games_says_how_many_sheets_there_are_and_computes_none(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfinite, "loser_sheets", lambda _: pytest.fail("computed"))
    for oracle, end in (
        (Oracle(), transfinite.SMALL_SHEETS),
        (Oracle.open(store), STORE_LIMIT + 1),
    ):
        (covered,) = oracle.prober("transfinite").games()
        assert f"one below {end};" in covered.source.range


def test_the_tables_decide_more(oracle: Oracle) -> None:
    without = Oracle()
    for x in (150, 200, 299):
        text = f"transfinite:1xw^2 + 2x(w*2) + 3x{x}"
        assert oracle.winning_moves(text).winning_moves
        answer = without.winning_moves(text)
        assert answer.winning_moves or "needs sheet" in answer.reason
    beyond = oracle.winning_moves(f"transfinite:1x(w+1) + 2xw + 3x{STORE_LIMIT + 50}")
    assert f"x < {STORE_LIMIT + 1}" in beyond.reason or beyond.winning_moves


def test_unknown_answers_have_a_reason(oracle: Oracle) -> None:
    answer = ask(oracle, "transfinite:2x3x(w^2+w) + 3x3xw")
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.certainty is Certainty.UNKNOWN
    assert answer.winning_moves is None
    assert answer.reason
    assert facts(answer).size == "w^2*6+w*9"


def test_the_end_of_the_game(oracle: Oracle) -> None:
    empty = ask(oracle, "transfinite:0").as_json()
    assert (empty["outcome"], empty["winning_moves"], empty["grundy"]) == ("N", [], None)
    assert empty["grundy_unrestricted"] == "0"
    poison = ask(oracle, "transfinite:1x1").as_json()
    assert (poison["outcome"], poison["winning_moves"], poison["grundy"]) == ("P", [], "0")


def test_an_outcome_comes_without_moves(oracle: Oracle) -> None:
    answer = oracle.outcome("transfinite:2x(w+1)")
    assert answer.outcome is Outcome.N
    assert answer.winning_moves is None


def test_a_bite_that_cannot_be_written_is_not_a_move(oracle: Oracle) -> None:
    """The only winning bite cuts the stalk to a height of 48 digits."""
    answer = ask(oracle, "transfinite:1x1xw + 2x(w*100)x1")
    assert answer.outcome is Outcome.N
    assert facts(answer).bite == ("0", "0", str((3**100 - 1) // 2))
    assert answer.winning_moves is None
    assert "too long to be written" in answer.reason


def test_analyses_list_the_known_winning_moves(oracle: Oracle) -> None:
    analysis = oracle.analyze("transfinite:1x(w*3) + 2x(w*2+1)")
    record = analysis.as_json(most_moves=5)
    assert record["grundy"] == "w+1"
    assert record["moves"] == [
        {
            "move": "transfinite:2xw",
            "action": {
                "ordinal_bite": {"coordinates": ["0", "w"]},
                "words": "bite row w, column 1",
            },
            "outcome": "P",
            "grundy": 0,
            "grundy_unrestricted": 1,
            "remoteness": None,
        }
    ]
    assert not analysis.complete


def test_the_list_of_games_says_what_is_decided(oracle: Oracle) -> None:
    (info,) = (info for info in oracle.games() if info.game.text == "transfinite")
    (source,) = info.sources
    assert "epsilon_0" in source.range
    assert str(STORE_LIMIT + 1) in source.range
