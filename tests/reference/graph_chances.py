"""The exact chances of a perfect player in Chomp or Nim, from the graph of all positions."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from position_oracle.engine.games.position import Position
from position_oracle.engine.solvers import folds
from position_oracle.oracle.reproduce.random_games import chomp, graph_of, nim


@dataclass(frozen=True)
class Chances:
    """The chances of a perfect player to move, and of one who waits; the best moves."""

    to_move: Fraction
    waiting: Fraction
    best_moves: tuple[tuple[int, ...], ...]


def chomp_chances(rows: Iterable[int], epsilon: Fraction | float = 1) -> Chances:
    """Return a perfect player's chances in Chomp against a player who errs with chance epsilon."""
    return _chances(chomp(rows), Fraction(epsilon))


def nim_chances(heaps: Iterable[int], epsilon: Fraction | float = 1, *, misere: bool) -> Chances:
    """Return a perfect player's chances in Nim. Heaps ascend in the best moves."""
    return _chances(nim(heaps, misere=misere), Fraction(epsilon))


def _chances(position: Position, epsilon: Fraction) -> Chances:
    graph = graph_of(position)
    loss, risk = folds.exact_perfect_chances(graph, epsilon)
    names = {number: node for node, number in graph.number.items()}
    children = graph.children(graph.positions - 1)
    best = {names[child] for child in children if risk.values[child] == loss.values[-1]}
    return Chances(1 - loss[-1], 1 - risk[-1], tuple(sorted(best)))
