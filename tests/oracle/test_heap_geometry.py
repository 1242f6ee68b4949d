"""Geometry of heap games: by theorem, from sheets solved on demand, and from tables."""

import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import UnknownAnswerError
from tests.oracle.tables import heap_table


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def test_nim_with_a_pass_is_solved(oracle: Oracle) -> None:
    found = oracle.geometry(parse_game("nim{heaps=3,passes=1}"))
    assert [(one.first_x, one.last_x, one.source) for one in found.shapes] == [
        (64, 127, "solved"),
        (128, 255, "solved"),
    ]
    first, last = found.shapes
    assert last["distance_double"].value < first["distance_double"].value
    assert last["distance_double"].value < last["distance_three_halves"].value / 4
    assert oracle.geometry(parse_game("nim{heaps=3,passes=3}")).shapes[1].measures == last.measures


def test_plain_nim_is_a_theorem(oracle: Oracle) -> None:
    found = oracle.geometry(parse_game("nim{heaps=3}"))
    assert {one.source for one in found.shapes} == {"theorem"}
    assert found.last.table == ""


def test_a_stored_table_is_measured() -> None:
    game = parse_game("nim{heaps=3,passes=1}")
    found = Oracle([heap_table(game, 511, 511)]).geometry(game)
    assert [(one.first_x, one.source, one.table) for one in found.shapes] == [
        (64, "sheets", "p_position")
    ]
    with pytest.raises(UnknownAnswerError, match="too few"):
        Oracle([heap_table(game, 60, 60)]).geometry(game)


def test_wythoff(oracle: Oracle) -> None:
    two = oracle.geometry(parse_game("wythoff"))
    assert two.last.source == "theorem"
    assert two.last["slope_upper"].deviation == 0
    three = oracle.geometry(parse_game("wythoff{rule=pairs}"))
    assert three.last.source == "solved"
    assert three.last["slope_upper"].value == pytest.approx(two.last["slope_upper"].value, abs=0.01)


@pytest.mark.parametrize("text", ["nim{heaps=4}", "wythoff{passes=1}", "octal{code=0.77}", "chomp"])
def test_games_without_a_geometry_are_refused(oracle: Oracle, text: str) -> None:
    with pytest.raises(UnknownAnswerError):
        oracle.geometry(parse_game(text))


@pytest.mark.parametrize("text", ["nim{heaps=3,passes=1}", "nim{heaps=3}", "wythoff"])
def test_the_question_has_a_cost(oracle: Oracle, text: str) -> None:
    assert 0 < oracle.plan("geometry", parse_game(text)).cost.seconds < 5
