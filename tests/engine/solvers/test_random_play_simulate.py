"""Simulated games with fixed seeds, compared with exact chances and lengths."""

from fractions import Fraction

import numpy as np
import pytest

from position_oracle.engine.solvers.random_play.simulate import simulate_chomp
from position_oracle.engine.solvers.random_play.three_row import solve_random
from position_oracle.engine.solvers.simulate import Simulation
from position_oracle.engine.theory.random_play.turns import expected_turns
from position_oracle.engine.theory.random_play.two_rows import hook_win_probability, win_probability
from position_oracle.oracle.reproduce.random_games import chance, chomp
from position_oracle.schema.errors import InvalidPositionError

CONFIDENCE = 0.999
"""With about thirty intervals here, one set of seeds in thirty would miss a true value."""


def agrees(simulation: Simulation, chance: Fraction | float) -> bool:
    return float(chance) in simulation.win_interval(CONFIDENCE)


@pytest.mark.parametrize(
    "rows", [(2,), (7,), (2, 1), (2, 2), (3, 2, 1), (3, 3, 3), (5, 3), (4, 4, 4, 4), (5, 2, 1, 1)]
)
def test_chomp_against_the_recursion(rows: tuple[int, ...]) -> None:
    simulation = simulate_chomp(rows, seed=5)
    assert simulation.games == 100_000
    assert agrees(simulation, chance(chomp(rows)))
    assert float(expected_turns(rows)) in simulation.turns_interval(CONFIDENCE)


@pytest.mark.parametrize("rows", [(1000, 30), (10**15, 5)])
def test_chomp_against_the_closed_form(rows: tuple[int, int]) -> None:
    assert agrees(simulate_chomp(rows, seed=11), win_probability(*rows))


def test_chomp_on_a_hook() -> None:
    assert agrees(simulate_chomp((4, *[1] * 4), seed=3), hook_win_probability(3, 4))


def test_chomp_against_the_table() -> None:
    boards = [(50, 50, 50), (50, 20, 3), (6, 5, 4)]
    chances = solve_random(50).win_probability_batch(np.array(boards, np.int64))
    for rows, exact in zip(boards, chances.tolist(), strict=True):
        assert agrees(simulate_chomp(rows, seed=2), exact)


def test_games_without_chance() -> None:
    assert simulate_chomp((1,), seed=0, games=50) == Simulation(50, 0, 0, 50, 50)
    assert simulate_chomp((), seed=0, games=50) == Simulation(50, 0, 50, 0, 0)


def test_a_seed_decides_all_games() -> None:
    first, again, other = (simulate_chomp((5, 4, 2), seed=s, games=1000) for s in (8, 8, 9))
    assert first == again
    assert first.wins != other.wins


def test_wrong_values_lie_outside() -> None:
    """Intervals are narrow enough to distinguish neighbouring boards."""
    simulation = simulate_chomp((2, 1), seed=5)
    assert 1 / 3 in simulation.win_interval(CONFIDENCE)
    assert 5 / 12 not in simulation.win_interval(CONFIDENCE)


def test_bad_arguments() -> None:
    with pytest.raises(InvalidPositionError, match="cookies"):
        simulate_chomp((2**63, 2**63), seed=1)
