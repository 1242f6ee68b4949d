"""Games of divisors with any number of primes, compared with boards and with plain sets."""

from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import Tree, tree_of
from position_oracle.engine.solvers import folds, tables
from position_oracle.engine.solvers.boards import outcomes
from position_oracle.engine.solvers.graph import Graph, build
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import under
from position_oracle.engine.theory import divisors as schuh
from position_oracle.engine.theory.divisors import DivisorPosition
from position_oracle.schema.errors import ResourceLimitError
from tests.reference.boards_naive import mex

Left = frozenset[int]
GAME = GameSpec("divisors")


def value(number: schuh.Factors) -> int:
    return prod(prime**exponent for prime, exponent in number)


def divisors_of(*numbers: int) -> Left:
    return frozenset(d for n in numbers for d in range(1, n + 1) if n % d == 0)


def children(left: Left) -> dict[int, Left]:
    return {d: frozenset(n for n in left if n % d) for d in sorted(left)}


@cache
def grundy(left: Left) -> int:
    return mex({grundy(child) for named, child in children(left).items() if named > 1})


@cache
def remoteness(left: Left) -> int:
    below = [remoteness(child) for named, child in children(left).items() if named > 1]
    lost = [plies for plies in below if plies % 2 == 0]
    return 1 + (min(lost) if lost else max(below, default=-1))


@dataclass(frozen=True)
class Solved:
    """All positions that play of a game of divisors can come to."""

    tree: Tree[Any]
    graph: Graph[int]

    @cached_property
    def wins(self) -> NDArray[np.bool_]:
        return folds.wins(self.graph)

    def number(self, position: DivisorPosition) -> int:
        return self.graph.number[self.tree.node(Position(GAME, position))]

    def winning_numbers(self, position: DivisorPosition) -> list[schuh.Factors]:
        numbers = schuh.divisors(position)
        return [n for n in numbers if not self.wins[self.number(schuh.name(position, n))]]


def solve(text: str) -> Solved:
    position = Position(GAME, schuh.parse(text))
    tree = tree_of(position)
    return Solved(tree, build(tree, tree.node(position), max_moves=10_000_000))


@settings(deadline=None)
@given(st.sampled_from([30, 60, 72, 36, 16, 1, 42 * 2, 210]), st.data())
def test_agrees_with_plain_sets(number: int, data: st.DataObject) -> None:
    position = schuh.parse(str(number))
    solved = solve(str(number))
    values, plies = folds.grundy(solved.graph), folds.remoteness(solved.graph)
    left = divisors_of(number)
    while left:
        at = solved.number(position)
        assert values[at] == grundy(left)
        assert plies[at] == remoteness(left)
        assert solved.wins[at] == (grundy(left) != 0)
        wins = {d for d, child in children(left).items() if d > 1 and grundy(child) == 0}
        assert {value(n) for n in solved.winning_numbers(position)} == wins
        named = data.draw(st.sampled_from(sorted(left)))
        position = schuh.name(position, schuh.factorize(named))
        left = children(left)[named]
    assert solved.wins[solved.number(position)]


@pytest.mark.parametrize("text", ["2^3*3^2", "2^5*3^5", "2^6,2^4*3^3,3^5", "2^9", "1"])
def test_two_primes_are_boards(text: str) -> None:
    position = schuh.parse(text)
    solved = solve(text)
    board = schuh.to_board(position)
    shape = under(board)
    found = outcomes.solve_shape(shape)
    assert solved.graph.positions == shape.count
    assert solved.wins[-1] == (found.outcome(board) is Outcome.N)
    assert folds.grundy(solved.graph)[-1] == tables.solve(Ranked(shape), "grundy").of_board(board)
    plies = folds.remoteness(solved.graph)
    assert plies[-1] == tables.solve(Ranked(shape), "remoteness").of_board(board)
    bites = [schuh.bite_of(position, number) for number in solved.winning_numbers(position)]
    assert sorted(bites) == found.winning_bites(board)


@pytest.mark.parametrize("sides", [(3, 3, 3), (2, 3, 4), (2, 2, 5), (4, 4, 4)])
def test_three_primes_have_as_many_positions_as_there_are_plane_partitions(
    sides: tuple[int, int, int],
) -> None:
    """MacMahon: the product of (i + j + c - 1) / (i + j - 1) over the cells of an a x b box."""
    a, b, c = sides
    cells = [(i, j) for i in range(1, a + 1) for j in range(1, b + 1)]
    count = prod(i + j + c - 1 for i, j in cells) // prod(i + j - 1 for i, j in cells)
    solved = solve(f"2^{a - 1}*3^{b - 1}*5^{c - 1}")
    assert solved.graph.positions == count


def test_games_of_many_primes() -> None:
    """Positions of k single primes correspond to monotone Boolean functions of k variables."""
    numbers = ["2", "2*3", "2*3*5", "2*3*5*7", "2*3*5*7*11"]
    games = [solve(text) for text in numbers]
    assert [solved.graph.positions for solved in games] == [3, 6, 20, 168, 7581]
    for text, solved in zip(numbers, games, strict=True):
        # Strategy stealing: if a reply to naming the number itself wins, naming that reply first
        # wins, too.
        assert solved.wins[-1]
        assert solved.winning_numbers(schuh.parse(text))


def test_what_is_too_large_is_refused() -> None:
    for text in ("2^9*3^9*5^9", "2^9999*3^9999*5^9999", "2*3*5*7*11*13"):
        with pytest.raises(ResourceLimitError):
            solve(text)
