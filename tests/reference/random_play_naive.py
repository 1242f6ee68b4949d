"""Games with random players, in fractions, by their rules; memoised recursion.

A position is a tuple of row lengths (Chomp, poison row first) or of heaps (Nim, in any order, empty
heaps kept). `moves` lists one child for every legal move, so that a child may occur twice.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

Position = tuple[int, ...]
Moves = Callable[[Position], list[Position]]


def chomp_moves(board: Position) -> list[Position]:
    """The boards after each bite, which cuts its row and all rows above to its left part."""
    children = []
    for i, length in enumerate(board):
        for j in range(length):
            cut = board[:i] + tuple(min(row, j) for row in board[i:])
            children.append(tuple(row for row in cut if row))
    return children


def nim_moves(heaps: Position) -> list[Position]:
    """The heaps after each move, which leaves any smaller number of tokens in one heap."""
    return [
        (*heaps[:i], left, *heaps[i + 1 :]) for i, heap in enumerate(heaps) for left in range(heap)
    ]


@cache
def win_probability(moves: Moves, position: Position, won_at_end: bool) -> Fraction:
    """The chance of the player to move, if both play at random.

    `won_at_end`: whether a player to move without a move has won.
    """
    children = moves(position)
    if not children:
        return Fraction(won_at_end)
    chances = [1 - win_probability(moves, child, won_at_end) for child in children]
    return sum(chances, Fraction(0)) / len(chances)


@cache
def expected_turns(moves: Moves, position: Position) -> Fraction:
    """Expected number of turns by equation (2.1) of Devlin & Trifonova."""
    children = moves(position)
    if not children:
        return Fraction(0)
    return 1 + sum((expected_turns(moves, c) for c in children), Fraction(0)) / len(children)


@cache
def turn_distribution(moves: Moves, position: Position) -> tuple[Fraction, ...]:
    """P(T = 0), P(T = 1), ..., up to the last that is not 0."""
    children = moves(position)
    if not children:
        return (Fraction(1),)
    tails = [turn_distribution(moves, child) for child in children]
    longest = max(map(len, tails))
    summed = [sum((t[i] for t in tails if i < len(t)), Fraction(0)) for i in range(longest)]
    return (Fraction(0), *(total / len(children) for total in summed))


@cache
def maximiser_to_move(
    moves: Moves, position: Position, won_at_end: bool, epsilon: Fraction
) -> Fraction:
    """The chance of the perfect player to move, that is, after the best move."""
    children = moves(position)
    if not children:
        return Fraction(won_at_end)
    return max(maximiser_waiting(moves, child, won_at_end, epsilon) for child in children)


@cache
def maximiser_waiting(
    moves: Moves, position: Position, won_at_end: bool, epsilon: Fraction
) -> Fraction:
    """The chance of the perfect player if the other is to move.

    The other player errs with probability epsilon.
    """
    children = moves(position)
    if not children:
        return Fraction(not won_at_end)
    chances = [maximiser_to_move(moves, child, won_at_end, epsilon) for child in children]
    at_random = sum(chances, Fraction(0)) / len(chances)
    return epsilon * at_random + (1 - epsilon) * min(chances)


def best_moves(
    moves: Moves, position: Position, won_at_end: bool, epsilon: Fraction
) -> list[Position]:
    """The children by all moves that attain the perfect player's best chance."""
    best = maximiser_to_move(moves, position, won_at_end, epsilon)
    return sorted(
        {
            child
            for child in moves(position)
            if maximiser_waiting(moves, child, won_at_end, epsilon) == best
        }
    )
