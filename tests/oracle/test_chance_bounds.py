"""Bounds on chances against a perfect player hold, compared with exact chances."""

import random

import pytest

from position_oracle import Certainty, Oracle
from position_oracle.engine.budget import Plan
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.oracle.answers import Answer
from position_oracle.oracle.core import _read_model
from position_oracle.oracle.families.chance.bounds import bounded
from tests.oracle.mixed import position

MODELS = ("perfect-vs-random", "random-vs-perfect", "perfect-vs-sloppy(0.9)")


def test_exact_chances_lie_within_the_bounds() -> None:
    oracle, rng = Oracle(), random.Random(3)
    told = 0

    def known(of: Position) -> Plan[Answer]:
        return oracle.prober(of.game).plan(of, with_moves=True)

    for text in {position(rng) for _ in range(25)}:
        for name in MODELS:
            model, start = _read_model(name), parse(text)
            exact = oracle.win_probability(start, model)
            if exact.value is None or exact.certainty is Certainty.ESTIMATE:
                continue
            if (found := bounded(start, model, known)) is not None:
                assert found.value is not None
                assert found.error_bound is not None
                assert abs(found.value - exact.value) <= found.error_bound + 1e-12, (text, name)
                told += 1
    assert told > 10


@pytest.mark.parametrize(
    ("text", "model", "low", "high"),
    [
        ("nim:[100,200,172]", "perfect-vs-random", 1 - 1 / 471, 1.0),
        ("nim:[3,5,1000000000]", "random-vs-perfect", 0.0, 1 / 1_000_000_008),
        ("chomp3:[900,10,2]", "random-vs-perfect", 0.0, 6 / 1822),
    ],
)
def test_large_positions_have_bounds(text: str, model: str, low: float, high: float) -> None:
    found = Oracle().win_probability(text, model)
    assert found.certainty is Certainty.ESTIMATE
    assert found.value is not None
    assert found.error_bound is not None
    assert found.value - found.error_bound >= low - 1e-9
    assert found.value + found.error_bound <= high + 1e-9


def test_without_the_winning_moves_there_is_no_bound() -> None:
    found = Oracle().win_probability("kayles:[1000000000]", "random-vs-perfect")
    assert found.value is None
    assert "would decide it" in found.reason


def test_a_pass_is_one_of_the_actions() -> None:
    """A random player wins at most with the share of winning actions among six actions."""
    oracle, start = Oracle(), parse("nim:[3,2;1]")
    wins = oracle.winning_moves(start).winning_moves
    assert wins
    plan = oracle.prober(start.game).plan(start, with_moves=True)
    found = bounded(start, _read_model("random-vs-perfect"), lambda _: plan)
    assert found is not None
    assert found.value is not None
    assert found.error_bound is not None
    assert found.value + found.error_bound == pytest.approx(len(wins) / 6)
