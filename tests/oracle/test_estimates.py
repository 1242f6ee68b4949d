"""Estimates beyond every table: with an unknown outcome, never in its place, and as a question."""

import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.chomp3.estimates import MAX_NUMBER
from position_oracle.oracle.server.admission import QUICK
from position_oracle.schema.answers import Certainty, Outcome
from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError
from position_oracle.schema.estimates import Opening

FAR = 10**9


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def test_a_chance_beside_an_unknown_outcome(oracle: Oracle) -> None:
    (likeliest, *_) = oracle.estimate_column(FAR, 1000).candidates
    assert likeliest.position is not None
    answer = oracle.outcome(likeliest.position)
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.certainty is Certainty.UNKNOWN
    assert answer.estimate is not None
    assert answer.estimate.chance == pytest.approx(likeliest.chance)
    assert answer.estimate.calibration.calibration_error < 0.01
    record = answer.as_json()
    assert record["outcome"] is None
    assert record["estimate"] == answer.estimate.as_json()
    assert answer.estimate.as_json()["certainty"] == "ESTIMATE"


def test_analyses_and_winning_moves_have_it_too(oracle: Oracle) -> None:
    text = f"chomp3:[{FAR},5,7]"
    chance = oracle.outcome(text).estimate
    assert chance is not None
    assert chance.chance < 1e-100
    assert oracle.winning_moves(text).estimate == chance
    assert oracle.analyze(text).answer.estimate == chance


@pytest.mark.parametrize("text", ["chomp3:[4,3,2]", "chomp3:[4000,7,3]", f"chomp3:[{FAR},0,0]"])
def test_what_is_known_has_no_chance(oracle: Oracle, text: str) -> None:
    answer = oracle.outcome(text)
    assert answer.outcome is not Outcome.UNKNOWN
    assert answer.estimate is None
    assert "estimate" not in answer.as_json()


@pytest.mark.parametrize(
    "text",
    [
        f"chomp3:[{FAR},5,7;1]",
        f"chomp3{{declared=[1,6,7]}}:[{FAR},5,7]",
        f"chomp3:[{2 * MAX_NUMBER},5,7]",
    ],
)
def test_other_games_and_larger_numbers_have_none(oracle: Oracle, text: str) -> None:
    answer = oracle.outcome(text)
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.estimate is None


def test_two_passes_are_as_good_as_none(oracle: Oracle) -> None:
    plain, passes = (oracle.outcome(f"chomp3:[{FAR},5,707106780{end}]") for end in ("", ";2"))
    assert plain.estimate is not None
    assert plain.estimate == passes.estimate
    assert plain.estimate.chance > 0.01


def test_chances_of_a_column_add_up(oracle: Oracle) -> None:
    for x, y in ((FAR, 0), (FAR, 10**8), (FAR, FAR), (MAX_NUMBER, 7)):
        found = oracle.estimate_column(x, y, most=64)
        assert sum(one.chance for one in found.candidates) + found.rest == pytest.approx(1)
        assert 0 <= found.rest < 0.05
        assert list(found.candidates) == sorted(found.candidates, key=lambda one: -one.chance)
        assert len({one.position for one in found.candidates}) == len(found.candidates)
    assert sum(one.chance for one in found.candidates if one.position is None) < 1e-4
    beyond = oracle.estimate_column(FAR, FAR, most=64).candidates
    assert any(one.position is None for one in beyond)


def test_six_openings(oracle: Oracle) -> None:
    found = oracle.estimate_opening(FAR)
    assert len(found.candidates) == 6
    assert found.rest == pytest.approx(0, abs=1e-12)
    for one in found.candidates:
        assert one.position is not None
        x, y, z = parse(one.position).coordinates
        assert (x + y + z, y * z) == (FAR, 0)
    assert len(oracle.estimate_opening(FAR, most=2).candidates) == 2


def test_estimates_say_whether_the_answer_is_known(oracle: Oracle) -> None:
    assert oracle.estimate_column(100, 5).is_known
    assert oracle.estimate_opening(4000).is_known
    assert not oracle.estimate_column(FAR, 5).is_known
    assert not oracle.estimate_opening(FAR).is_known


@pytest.mark.parametrize(
    ("column", "most", "says"),
    [
        ((0, 5), 8, "x is 0"),
        ((5, -1), 8, "y is -1"),
        ((MAX_NUMBER + 1, 0), 8, r"2\^60"),
        ((5, 5), 65, "most is 65"),
    ],
)
def test_bounds_of_columns(oracle: Oracle, column: tuple[int, int], most: int, says: str) -> None:
    with pytest.raises(InvalidPositionError, match=says):
        oracle.estimate_column(*column, most=most)


@pytest.mark.parametrize(("n", "most", "says"), [(1, 8, "n is 1"), (5, 0, "most is 0")])
def test_bounds_of_openings(oracle: Oracle, n: int, most: int, says: str) -> None:
    with pytest.raises(InvalidPositionError, match=says):
        oracle.estimate_opening(n, most=most)


def test_other_families_have_no_chances(oracle: Oracle) -> None:
    with pytest.raises(UnknownAnswerError, match="nim"):
        oracle.prober("nim").plan_estimates(GameSpec("nim"), Opening(5), 8)


def test_estimates_are_quick(oracle: Oracle) -> None:
    assert oracle.plan("estimate_column", FAR, 5, 8).cost.seconds <= QUICK
    assert oracle.plan("outcome", parse(f"chomp3:[{FAR},5,7]")).cost.seconds < 0.01
