"""One player perfect against one who errs, exactly, by recursion over all positions.

The maximiser plays for the greatest probability of winning. The opponent errs in each of his turns
with probability ε, independently: then he makes a legal move at random, each equally likely.
Otherwise he plays the move that leaves the maximiser the least chance. So with ε = 1 he is the
uniformly random player, and with ε = 0 both are perfect.

Where the opponent has a winning move, the move that he plays when he does not err is a winning
one, and among several the most awkward for the maximiser. Where he has none it does not matter
what he plays: the maximiser wins for certain. (Both follow from the recursion by induction.)

With ℓ(B) the probability that the maximiser loses when he is to move at B, and ρ(B) the
probability that the opponent wins when he is to move,

    ℓ(B) = min ρ(D),    ρ(B) = ε mean ℓ(D) + (1 - ε) max ℓ(D)    over the legal moves B -> D.

Whatever ε is, ℓ is 0 exactly at N-positions and ρ is 0 exactly at P-positions: the maximiser loses
only from P-positions, and there his best move is his best practical chance.

With ε = p/q, all numbers are whole multiples of 1 / (N! q^N), N the cookies of the first position.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.boards.shape import Board, check_board
from position_oracle.engine.solvers.random_play.graph import (
    MAX_MOVES,
    GameGraph,
    bites,
    check_bytes,
    chomp_graph,
    nim_graph,
    sort_heaps,
)
from position_oracle.schema.errors import InvalidPositionError

RANDOM = Fraction(1)
"""The ε of an opponent who always plays at random."""


@dataclass(frozen=True, slots=True)
class Chances:
    """What a perfect player can expect against a fallible one.

    Attributes:
        to_move: probability that the perfect player wins if he is to move.
        waiting: probability that he wins if the opponent is to move.
        best_moves: the children that all his best moves lead to, each once, in ascending
            lexicographic order; empty only where no move is left.
    """

    to_move: Fraction
    waiting: Fraction
    best_moves: tuple[Board, ...]


def chomp_chances(
    rows: Iterable[int], epsilon: Fraction | float = RANDOM, max_moves: int = MAX_MOVES
) -> Chances:
    """Chances in Chomp; eating the poison is a legal move, the empty board is won.

    Args:
        rows: row lengths, poison row first.
        epsilon: probability that the opponent errs; a float counts as the dyadic fraction it is.
        max_moves: limit on boards inside times cookies.

    Raises:
        InvalidPositionError: the lengths are no board, or epsilon is not in 0 .. 1.
        ResourceLimitError: the estimate exceeds a limit.
    """
    board = check_board(rows)
    solution = _solve(chomp_graph(board, max_moves), epsilon, mover_wins_at_end=True)
    return solution.chances(board, ((child, child) for child in bites(board)))


def chomp_chances_inside(
    rows: Iterable[int],
    epsilon: Fraction | float = RANDOM,
    *,
    perfect_to_move: bool = True,
    max_moves: int = MAX_MOVES,
) -> dict[Board, float]:
    """Probability that the player to move wins, of every board inside a board, correctly rounded.

    Args:
        rows: row lengths, poison row first.
        epsilon: probability that the opponent of the perfect player errs.
        perfect_to_move: whether the perfect player is to move, else his opponent.
        max_moves: limit on boards inside times cookies.

    Raises:
        InvalidPositionError, ResourceLimitError: as for `chomp_chances`.
    """
    solution = _solve(chomp_graph(rows, max_moves), epsilon, mover_wins_at_end=True)
    return solution.of_mover(perfect_to_move=perfect_to_move)


def nim_chances_inside(
    heaps: Iterable[int],
    epsilon: Fraction | float = RANDOM,
    *,
    misere: bool = False,
    perfect_to_move: bool = True,
    max_moves: int = MAX_MOVES,
) -> dict[Board, float]:
    """The same of all heaps, in descending order without empty ones, that play can come to."""
    solution = _solve(nim_graph(heaps, max_moves), epsilon, mover_wins_at_end=misere)
    return solution.of_mover(perfect_to_move=perfect_to_move)


def nim_chances(
    heaps: Iterable[int],
    epsilon: Fraction | float = RANDOM,
    *,
    misere: bool = False,
    max_moves: int = MAX_MOVES,
) -> Chances:
    """Chances in Nim; the best moves keep the order of the heaps, emptied ones stay as 0.

    Arguments and errors are as for `chomp_chances`; whoever is to move without a token left has
    lost, or won in misere play.
    """
    position = tuple(heaps)
    solution = _solve(nim_graph(position, max_moves), epsilon, mover_wins_at_end=misere)
    return solution.chances(sort_heaps(position), _nim_moves(position))


@dataclass(frozen=True, slots=True)
class _Solution:
    """ℓ and ρ of every position of a graph, in units of 1 / unit."""

    graph: GameGraph
    losses: list[int]
    risks: list[int]
    unit: int

    def of_mover(self, *, perfect_to_move: bool) -> dict[Board, float]:
        """Of every position: the probability that the player to move wins, rounded once."""
        if perfect_to_move:
            chances = [(self.unit - loss) / self.unit for loss in watched(self.losses)]
        else:
            chances = [risk / self.unit for risk in watched(self.risks)]
        return dict(zip(self.graph.positions, chances, strict=True))

    def chances(self, position: Board, moves: Iterable[tuple[Board, Board]]) -> Chances:
        """Chances at a position; `moves` are children as shown and as in the graph."""
        number = self.graph.numbers[position]
        loss = self.losses[number]
        best = {shown for shown, child in moves if self.risks[self.graph.numbers[child]] == loss}
        return Chances(
            1 - Fraction(loss, self.unit),
            1 - Fraction(self.risks[number], self.unit),
            tuple(sorted(best)),
        )


def _solve(graph: GameGraph, epsilon: Fraction | float, *, mover_wins_at_end: bool) -> _Solution:
    p, q = check_epsilon(epsilon).as_integer_ratio()
    unit = factorial(graph.size) * q**graph.size
    check_bytes(graph, 2 * unit.bit_length())
    losses, risks = [], []
    for children in watched(graph.moves, every=1):
        if not children:
            losses.append(0 if mover_wins_at_end else unit)
            risks.append(unit if mover_wins_at_end else 0)
            continue
        count = len(children)
        after = [losses[child] for child in children]
        risks.append((p * sum(after) + (q - p) * count * max(after)) // (count * q))
        losses.append(min([risks[child] for child in children]))
    return _Solution(graph, losses, risks, unit)


def check_epsilon(epsilon: Fraction | float) -> Fraction:
    """The probability of an error as an exact fraction.

    Raises:
        InvalidPositionError: it is not a number in 0 .. 1.
    """
    if not 0 <= epsilon <= 1:
        raise InvalidPositionError(f"epsilon is {epsilon}; it is a probability, in 0 .. 1")
    return Fraction(epsilon)


def _nim_moves(heaps: Board) -> Iterator[tuple[Board, Board]]:
    for index, heap in enumerate(heaps):
        for left in range(heap):
            child = (*heaps[:index], left, *heaps[index + 1 :])
            yield child, sort_heaps(child)
