"""Both players random, exactly, by recursion over all positions: win probability and turns.

Let F_B(x) = Σ P(T = t) x^t be the generating function of the number of turns T from a position of
n cookies or tokens. Conditioning on the move,

    F_B(x) = (x / n) Σ F_D(x)   over the n legal moves B -> D,   F of the empty position = 1,

which is equation (2.1) of Devlin & Trifonova as a derivative at x = 1, and equation (2.2) at
x = -1: P(T even) = (1 + F(-1)) / 2.

All numbers are kept as whole multiples of 1/N!, N the cookies of the first position: F_B(x) n! is
whole for whole x, because every move leaves at most n - 1 of the n cookies.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import factorial

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.boards.shape import Board, check_board
from position_oracle.engine.solvers.random_play.graph import (
    MAX_MOVES,
    GameGraph,
    check_bytes,
    chomp_graph,
    nim_graph,
)
from position_oracle.engine.theory.random_play.turns import TurnDistribution


def chomp_win_probability(rows: Iterable[int], max_moves: int = MAX_MOVES) -> Fraction:
    """Probability that the player to move wins random Chomp; 1 for the empty board.

    Args:
        rows: row lengths, poison row first.
        max_moves: limit on boards inside times cookies.

    Raises:
        InvalidPositionError: the lengths are no board.
        ResourceLimitError: the estimate exceeds a limit.
    """
    return _even_probability(chomp_graph(rows, max_moves))


def chomp_win_probabilities(
    rows: Iterable[int], max_moves: int = MAX_MOVES
) -> dict[Board, Fraction]:
    """Win probability of the player to move, of every board inside a board.

    Arguments and errors are those of `chomp_win_probability`.
    """
    graph = chomp_graph(rows, max_moves)
    unit = factorial(graph.size)
    values = generating_values(graph, -1)
    return {
        board: Fraction(unit + value, 2 * unit)
        for board, value in zip(graph.positions, values, strict=True)
    }


def chomp_turn_distribution(rows: Iterable[int], max_moves: int = MAX_MOVES) -> TurnDistribution:
    """Distribution of the number of turns of random Chomp, with its moments.

    Arguments and errors are those of `chomp_win_probability`.
    """
    board = check_board(rows)
    return _distribution(chomp_graph(board, max_moves), longest=sum(board))


def nim_win_probability(
    heaps: Iterable[int], *, misere: bool = False, max_moves: int = MAX_MOVES
) -> Fraction:
    """Probability that the player to move wins random Nim, by recursion over sorted heaps.

    `engine.theory.random_play.nim` has it in closed form, for heaps of any size.

    Raises:
        InvalidPositionError: a heap is negative.
        ResourceLimitError: the estimate exceeds a limit.
    """
    even = _even_probability(nim_graph(heaps, max_moves))
    return even if misere else 1 - even


def nim_turn_distribution(heaps: Iterable[int], max_moves: int = MAX_MOVES) -> TurnDistribution:
    """Distribution of the number of turns of random Nim, by recursion over sorted heaps.

    Raises:
        InvalidPositionError: a heap is negative.
        ResourceLimitError: the estimate exceeds a limit.
    """
    graph = nim_graph(heaps, max_moves)
    return _distribution(graph, longest=graph.size)


def generating_values(graph: GameGraph, x: int) -> list[int]:
    """F(x) of every position of a graph, in units of 1 / graph.size!.

    Raises:
        ResourceLimitError: the values would not fit into memory.
    """
    unit = factorial(graph.size)
    check_bytes(graph, unit.bit_length() + graph.size * (abs(x).bit_length() - 1))
    values: list[int] = []
    for children in watched(graph.moves, every=1):
        if children:
            values.append(x * sum([values[child] for child in children]) // len(children))
        else:
            values.append(unit)
    return values


def _even_probability(graph: GameGraph) -> Fraction:
    unit = factorial(graph.size)
    return Fraction(unit + generating_values(graph, -1)[-1], 2 * unit)


def _distribution(graph: GameGraph, longest: int) -> TurnDistribution:
    """Read all coefficients of F off its value at one x.

    At a power of two above their sum F(1) = N! units, the coefficients are the digits of F(x).
    """
    unit = factorial(graph.size)
    width = unit.bit_length()
    value = generating_values(graph, 1 << width)[-1]
    mask = (1 << width) - 1
    digits = [value >> (width * turns) & mask for turns in range(longest + 1)]
    return TurnDistribution(tuple(Fraction(digit, unit) for digit in digits))
