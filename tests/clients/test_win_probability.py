"""Win probabilities and numbers of turns, for both clients on a real server."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from position_oracle import (
    Certainty,
    InvalidQuestionError,
    Method,
    Move,
    ServerError,
)
from position_oracle.clients import _questions
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle
from position_oracle.schema.proto.position_oracle.v1 import chance_pb2
from tests.clients.conftest import Connect


@pytest.fixture
def asked(connect: Connect, port: int) -> Any:
    return connect(port)


def test_win_probability(asked: Any) -> None:
    answer = asked.win_probability(" chomp3:[1, 1, 1]", "random")
    assert answer.position == "chomp3:[1,1,1]"
    assert answer.model == "random"
    assert answer.exact == Fraction(9, 20)
    assert answer.value == 0.45
    assert answer.certainty is Certainty.EXACT_SEARCH
    assert answer.method is Method.EXACT
    assert answer.best_moves is None


def test_the_best_practical_chance(asked: Any) -> None:
    answer = asked.win_probability("chomp:4/3", "perfect-vs-random")
    assert answer.exact == Fraction(47, 48)
    assert answer.best_moves == (Move("chomp:3/3"), Move("chomp:4/2"))
    risk = asked.win_probability("chomp:3/3", "random-vs-perfect")
    assert risk.exact == Fraction(1, 48)


def test_only_a_float(asked: Any) -> None:
    answer = asked.win_probability("chomp3:[60,50,30]", "random")
    assert answer.exact is None
    assert answer.method is Method.FLOATING_POINT
    assert 0 < answer.error_bound < 1e-12


def test_unknown_is_an_answer(asked: Any) -> None:
    answer = asked.win_probability("grundy:[100000]", "random-vs-perfect")
    assert answer.certainty is Certainty.UNKNOWN
    assert answer.value is answer.exact is answer.error_bound is None


def test_win_probabilities_in_several_requests(connect: Connect, port: int, oracle: Oracle) -> None:
    positions = np.random.default_rng(1).integers(0, 60, (2_500, 3))
    split = connect(port, batch_positions=999)
    for model in ("random", "perfect-vs-random", "random-vs-perfect"):
        found = split.win_probabilities("chomp3", positions, model)
        assert found.dtype == np.float64
        expected = oracle.win_probabilities(GameSpec("chomp3"), positions, model)
        assert np.array_equal(found, expected)


def test_not_known_in_an_array_is_nan(asked: Any) -> None:
    found = asked.win_probabilities("nim", [[3, 5], [9000, 9000]], "perfect-vs-random")
    assert found[0] == 1
    assert np.isnan(found[1])


def test_bad_questions(asked: Any) -> None:
    with pytest.raises(InvalidQuestionError, match="not a model") as caught:
        asked.win_probability("chomp3:[1,1,1]", "perfect")
    assert caught.value.field == "model"
    with pytest.raises(InvalidQuestionError, match="not a model") as caught:
        asked.win_probabilities("chomp3", [[1, 1, 1]], "perfect")
    assert caught.value.field == "model"
    with pytest.raises(InvalidQuestionError, match="row 1"):
        asked.win_probabilities("chomp3", [[1, 1, 1], [0, -1, 0]], "random")
    with pytest.raises(TypeError, match="model is a float"):
        asked.win_probability("chomp3:[1,1,1]", 0.5)


def test_every_game_is_answered(asked: Any) -> None:
    one = asked.win_probability("chomp3:[1,1,1;1]", "random")
    (same,) = asked.win_probabilities("chomp3{passes=1}", [[1, 1, 1]], "random")
    assert float(one.exact) == same
    large = asked.win_probability("grundy:[100000;1]", "random-vs-perfect")
    assert (large.value, large.certainty) == (None, Certainty.UNKNOWN)


def test_turns(asked: Any, oracle: Oracle) -> None:
    answer = asked.turns(" nim:[ 3 ]")
    assert (answer.position, answer.mean, answer.mean_exact) == (
        "nim:[3]",
        11 / 6,
        Fraction(11, 6),
    )
    assert answer.distribution == pytest.approx((0, 1 / 3, 1 / 2, 1 / 6))
    assert answer.method is Method.CLOSED_FORM
    for text in ("wythoff:[3,4]", "nim:[2,3;1] + chomp:3/2", "nim:[9000,9000]"):
        here, there = oracle.turns(text), asked.turns(text)
        assert there.as_json() == here.as_json()
        assert (there.position, there.tables) == (text, here.tables)


def test_an_estimated_number_of_turns(asked: Any) -> None:
    answer = asked.turns("wythoff:[900,9000]")
    assert (answer.certainty, answer.method) == (Certainty.ESTIMATE, Method.SIMULATION)
    assert 10 < answer.mean < 20
    assert answer.mean_exact is answer.distribution is None


def test_too_many_turns_to_tell(asked: Any) -> None:
    answer = asked.turns("kayles:[100000000]")
    assert answer.certainty is Certainty.UNKNOWN
    assert answer.mean is answer.mean_exact is answer.distribution is None


@pytest.mark.parametrize(
    ("numerator", "denominator"), [("1", "0"), ("x", "2"), ("1", ""), ("1", "9" * 5000)]
)
def test_a_fraction_that_breaks_the_contract(numerator: str, denominator: str) -> None:
    exact = chance_pb2.Fraction(numerator=numerator, denominator=denominator)
    message = chance_pb2.WinProbability(exact=exact, value=0.5)
    with pytest.raises(ServerError, match="fraction"):
        told(
            _questions.win_probability("nim:[1]", "random"),
            chance_pb2.GetWinProbabilityResponse(probability=message),
        )
    turns = chance_pb2.GameLength(exact=exact, mean=0.5)
    with pytest.raises(ServerError, match="fraction"):
        told(_questions.turns("nim:[1]"), chance_pb2.GetTurnsResponse(turns=turns))


def told(dialogue: "_questions.Dialogue[Any]", response: Any) -> None:
    """Give a dialogue its only response."""
    next(dialogue)
    question, _ = _questions.advanced(dialogue, response)
    assert question is None
