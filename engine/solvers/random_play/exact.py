"""Chomp and Nim against chance, exactly: folds over the graph of all positions.

Both players random: equations (2.1) and (2.2) of Devlin & Trifonova. One player perfect against one
who errs: `engine.solvers.folds.perfect_chances`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from position_oracle.engine.games import chomp, nim
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.graph import Graph, build
from position_oracle.engine.solvers.shape import Board, check_board
from position_oracle.engine.theory.random_play.turns import TurnDistribution
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_MOVES: Final = 2**22
"""Default limit on the moves of all positions together: some seconds."""

MAX_COOKIES: Final = 100
"""Most cookies of the boards of every shape: there are 1.6 billion."""

RANDOM: Final = Fraction(1)
"""The probability of an error of a player who always moves at random."""


@dataclass(frozen=True, slots=True)
class Chances:
    """What a perfect player can expect against one who errs.

    Attributes:
        to_move: probability that the perfect player wins if the perfect player is to move.
        waiting: probability that the perfect player wins if the other is to move.
        best_moves: the children that all best moves of the perfect player lead to, ascending.
    """

    to_move: Fraction
    waiting: Fraction
    best_moves: tuple[Coordinates, ...]


def chomp_graph(rows: Iterable[int], max_moves: int = MAX_MOVES) -> Graph[Board]:
    """Every board that play can come to from a board, by row lengths; that board is the last.

    Raises:
        InvalidPositionError: the lengths are no board.
        ResourceLimitError: there are more moves than the limit.
    """
    return _graph(_board(rows), max_moves)


def chomp_graph_up_to(cookies: int, max_moves: int = MAX_MOVES) -> Graph[Board]:
    """Every board of at most so many cookies.

    Raises:
        InvalidPositionError: the number is negative.
        ResourceLimitError: there are more moves than the limit.
    """
    if cookies < 0:
        raise InvalidPositionError(f"boards of up to {cookies} cookies; allowed are 0 and more")
    if cookies > MAX_COOKIES or _boards_up_to(cookies) * cookies > max_moves:
        raise ResourceLimitError(
            f"all boards of at most {cookies} cookies have more than {max_moves:,} moves, the limit"
        )
    tree = tree_of(_board(()))
    boards = _partitions(cookies, cookies)
    return build(tree, (), *boards, max_positions=max_moves, max_moves=max_moves)


def chomp_win_probability(rows: Iterable[int], max_moves: int = MAX_MOVES) -> Fraction:
    """Probability that the player to move wins random Chomp; 1 for the empty board.

    Errors are those of `chomp_graph`.
    """
    return folds.exact_random_chance(chomp_graph(rows, max_moves))[-1]


def chomp_win_probabilities(
    rows: Iterable[int], max_moves: int = MAX_MOVES
) -> dict[Board, Fraction]:
    """The same of every board inside a board."""
    graph = chomp_graph(rows, max_moves)
    chances = folds.exact_random_chance(graph)
    return {board: chances[number] for board, number in graph.number.items()}


def chomp_turn_distribution(rows: Iterable[int], max_moves: int = MAX_MOVES) -> TurnDistribution:
    """Distribution of the number of turns of random Chomp, with its moments."""
    return TurnDistribution(tuple(folds.exact_turn_distribution(chomp_graph(rows, max_moves))))


def nim_win_probability(
    heaps: Iterable[int], *, misere: bool = False, max_moves: int = MAX_MOVES
) -> Fraction:
    """Probability that the player to move wins random Nim.

    `engine.theory.random_play.nim` has it in closed form, for heaps of any size.

    Raises:
        InvalidPositionError: a heap is negative.
        ResourceLimitError: there are more moves than the limit.
    """
    graph = _graph(_heaps(heaps, misere=misere), max_moves)
    return folds.exact_random_chance(graph)[-1]


def nim_turn_distribution(heaps: Iterable[int], max_moves: int = MAX_MOVES) -> TurnDistribution:
    """Distribution of the number of turns of random Nim."""
    graph = _graph(_heaps(heaps, misere=False), max_moves)
    return TurnDistribution(tuple(folds.exact_turn_distribution(graph)))


def chomp_chances(
    rows: Iterable[int], epsilon: Fraction | float = RANDOM, max_moves: int = MAX_MOVES
) -> Chances:
    """Chances in Chomp of a perfect player against one who errs.

    Args:
        rows: row lengths, poison row first.
        epsilon: probability of an error; a float counts as the dyadic fraction that it is.
        max_moves: limit on the moves of all positions together.

    Raises:
        InvalidPositionError: the lengths are no board, or epsilon is not in 0 .. 1.
        ResourceLimitError: there are more moves than the limit.
    """
    return _chances(_board(rows), epsilon, max_moves)


def nim_chances(
    heaps: Iterable[int],
    epsilon: Fraction | float = RANDOM,
    *,
    misere: bool = False,
    max_moves: int = MAX_MOVES,
) -> Chances:
    """Chances in Nim; the best moves keep the order of the heaps, emptied ones stay as 0."""
    return _chances(_heaps(heaps, misere=misere), epsilon, max_moves)


def check_epsilon(epsilon: Fraction | float) -> Fraction:
    """The probability of an error as an exact fraction.

    Raises:
        InvalidPositionError: it is not a number in 0 .. 1.
    """
    if not 0 <= epsilon <= 1:
        raise InvalidPositionError(f"epsilon is {epsilon}; it is a probability, in 0 .. 1")
    return Fraction(epsilon)


def _chances(position: Position, epsilon: Fraction | float, max_moves: int) -> Chances:
    exact = check_epsilon(epsilon)
    tree = tree_of(position)
    graph = build(tree, tree.node(position), max_positions=max_moves, max_moves=max_moves)
    loss, risk = folds.exact_perfect_chances(graph, exact)
    least = loss.values[-1]
    rules = chomp.RULES if position.game.family == "chomp" else nim.RULES
    children = (move.child for move in rules.moves(position))
    best = {c.coordinates for c in children if risk.values[graph.number[tree.node(c)]] == least}
    return Chances(1 - loss[-1], 1 - risk[-1], tuple(sorted(best)))


def _graph(position: Position, max_moves: int) -> Graph[Board]:
    tree = tree_of(position)
    return build(tree, tree.node(position), max_positions=max_moves, max_moves=max_moves)


def _board(rows: Iterable[int]) -> Position:
    return Position(GameSpec("chomp"), check_board(rows))


def _heaps(heaps: Iterable[int], *, misere: bool) -> Position:
    position = tuple(heaps) or (0,)
    return nim.RULES.position(GameSpec("nim", heaps=len(position), misere=misere), position)


def _boards_up_to(cookies: int) -> int:
    """How many boards have at most so many cookies."""
    counts = [1] + [0] * cookies
    for part in range(1, cookies + 1):
        for total in range(part, cookies + 1):
            counts[total] += counts[total - part]
    return sum(counts)


def _partitions(cookies: int, longest: int) -> Iterable[Board]:
    """All partitions of at most so many, in lexicographic order."""
    yield ()
    for first in range(1, min(cookies, longest) + 1):
        for rest in _partitions(cookies - first, first):
            yield (first, *rest)
