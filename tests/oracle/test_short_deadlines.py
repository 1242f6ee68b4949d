"""Work that costs more than the deadline leaves does not begin: the answer is UNKNOWN at once."""

import pytest

from position_oracle import Oracle
from position_oracle.engine.budget import Budget
from position_oracle.oracle.answers import Certainty
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import StoppedError

LONG = (
    "octal{code=0.143}:[1000000000]",
    "octal{code=0.143,misere}:[1000000000]",
    "nodekayles:grid(6x6)",
    "staircase{misere}:[30,30,30]",
)
"""Positions that need searches of more than a second."""


@pytest.mark.parametrize("text", LONG)
def test_an_expensive_search_does_not_begin(text: str) -> None:
    oracle = Oracle()
    with Budget(seconds=0.5).active():
        found = [oracle.outcome(text), oracle.winning_moves(text), oracle.analyze(text).answer]
    for answer in found:
        assert answer.outcome is Outcome.UNKNOWN
        assert answer.winning_moves is None
        assert "the deadline leaves 0.5 s" in answer.reason
    assert oracle.cache_bytes == 0


def test_questions_without_a_reason_do_without_the_search() -> None:
    oracle, text = Oracle(), LONG[-1]
    with Budget(seconds=0.5).active():
        assert oracle.best_move(text) is not None
        assert oracle.best_line(text).answer.outcome is Outcome.UNKNOWN
    assert oracle.cache_bytes == 0


def test_a_simulation_does_not_begin_either() -> None:
    oracle, text = Oracle(), LONG[-1]
    for seconds, certainty in ((0.5, Certainty.UNKNOWN), (1.0, Certainty.ESTIMATE)):
        with Budget(seconds=seconds).active():
            for found in (oracle.turns(text), oracle.win_probability(text, "random")):
                assert found.certainty is certainty
                assert ("the deadline leaves" in found.reason) is (seconds < 1)
    assert oracle.cache_bytes == 0


@pytest.mark.parametrize("text", ["wythoff:[30,40]", "chomp{misere}:8/8/8/8/8"])
def test_a_search_for_chances_begins_if_it_is_no_longer_than_a_second(text: str) -> None:
    with Budget(seconds=0.03).active():
        assert Oracle().turns(text).certainty is Certainty.EXACT_SEARCH
        assert Oracle().win_probability(text, "random").certainty is Certainty.EXACT_SEARCH


def test_cancelled_work_ends() -> None:
    budget = Budget(seconds=0.03)
    budget.cancel()
    with budget.active(), pytest.raises(StoppedError):
        Oracle().turns("wythoff:[30,40]")


def test_what_costs_less_is_answered_as_without_a_deadline() -> None:
    oracle, text = Oracle(), "chomp:7/6/5/4"
    without = oracle.winning_moves(text)
    for seconds in (0.01, 10.0):  # a cheap search begins under any deadline
        with Budget(seconds=seconds).active():
            assert Oracle().winning_moves(text) == without


def test_a_theorem_answers_where_the_search_for_the_moves_does_not_begin() -> None:
    text = "divisors:2^2*3^2*5*7"
    with Budget(seconds=0.03).active():
        found = Oracle().winning_moves(text)
    assert found.outcome is Outcome.N
    assert found.winning_moves is None
    assert Oracle().winning_moves(text).winning_moves
