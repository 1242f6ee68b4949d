"""Exact random games of Chomp and Nim: chances, lengths, and conjectures on boards.

Conjecture 1.5 of Devlin & Trifonova, Combinatorial games played randomly: from a board with more
than one row and more than one column, the player who moves first wins with probability P < 1/2.

Conjecture 1.6: there are functions 0 < g(n) < h(n), h(n) -> 0, with g(n) < 1/2 - P < h(n) on all
such boards of n cookies. On finitely many boards it can fail only if 1/2 - P <= 0. A check also
gives the envelope, which is the least and the greatest 1/2 - P for each n.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import inf, log
from typing import Any, Final

import numpy as np

from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.graph import Graph, build
from position_oracle.engine.solvers.random_play.three_row import RandomTable
from position_oracle.engine.theory.random_play.turns import expected_turns
from position_oracle.engine.theory.random_play.two_rows import (
    hook_win_probability,
    iterate_coefficients,
    shortfall_from,
    two_rows_of,
    win_probability,
)
from position_oracle.schema import values
from position_oracle.schema.errors import ResourceLimitError

Board = tuple[int, ...]

MAX_MOVES: Final = 2**22
"""Maximum total number of moves of all positions: some seconds of work."""

MAX_RECHECKED: Final = 64
"""Maximum number of boards, undecided in double precision, that are computed exactly."""

HALF: Final = Fraction(1, 2)


def chomp(rows: Iterable[int]) -> Position:
    """Return a board from its row lengths, poison row first."""
    return rules_of("chomp").position(GameSpec("chomp"), tuple(rows))


def nim(heaps: Iterable[int], *, misere: bool = False) -> Position:
    """Return heaps of Nim."""
    position = tuple(heaps) or (0,)
    return rules_of("nim").position(GameSpec("nim", heaps=len(position), misere=misere), position)


def graph_of(position: Position, *others: Board) -> Graph[Any]:
    """Return the graph of all positions that play can reach; the start is the last.

    Raises:
        ResourceLimitError: there are more than `MAX_MOVES` moves.
    """
    tree = tree_of(position)
    return build(tree, tree.node(position), *others, max_positions=MAX_MOVES, max_moves=MAX_MOVES)


def chance(position: Position) -> Fraction:
    """Return the probability that the player to move wins if both move at random."""
    return folds.exact_random_chance(graph_of(position))[-1]


@dataclass(frozen=True, slots=True)
class TurnDistribution:
    """The distribution of the number of turns T of a random game.

    Attributes:
        probabilities: P(T = 0), P(T = 1), ..., the last one not 0; their sum is 1.
    """

    probabilities: tuple[Fraction, ...]

    @classmethod
    def of(cls, position: Position) -> "TurnDistribution":
        """Return the distribution from a position."""
        return cls(tuple(folds.exact_turn_distribution(graph_of(position))))

    @property
    def mean(self) -> Fraction:
        """The expected number of turns."""
        return sum((p * t for t, p in enumerate(self.probabilities)), start=Fraction(0))

    def central_moment(self, order: int) -> Fraction:
        """Return E[(T - E[T])^order]; the variance has order 2."""
        mean = self.mean
        return sum(
            (p * (t - mean) ** order for t, p in enumerate(self.probabilities)), start=Fraction(0)
        )

    @property
    def even(self) -> Fraction:
        """P(T is even): the probability that the mover wins Chomp and misere games."""
        return sum(self.probabilities[::2], start=Fraction(0))


def most_expected_turns(cookies: int) -> Fraction:
    """Return the greatest expected number of turns of all boards with n cookies.

    It is attained by the board that takes the cookies (x, y) in the order of their products xy,
    which the proof of Theorem 1.2 calls B'; it fills up from the longest row on.
    """
    order = sorted((x * y, x) for x in range(1, cookies + 1) for y in range(1, cookies // x + 1))
    rows = [0] * cookies
    for _, row in order[:cookies]:
        rows[row - 1] += 1
    return expected_turns([length for length in rows if length])


def is_thick(board: Board) -> bool:
    """Return whether a board has more than one row and more than one column."""
    return len(board) > 1 and board[0] > 1


def gaps(graph: Graph[Board]) -> Iterator[tuple[Board, Fraction]]:
    """Return 1/2 - P of every board of a graph with more than one row and column."""
    found = folds.exact_random_chance(graph)
    return ((board, HALF - found[at]) for board, at in graph.number.items() if is_thick(board))


def boards_up_to(cookies: int) -> Graph[Board]:
    """Return every board of at most n cookies."""
    return graph_of(chomp(()), *_partitions(cookies, cookies))


def _partitions(cookies: int, longest: int) -> Iterator[Board]:
    yield ()
    for first in range(1, min(cookies, longest) + 1):
        for rest in _partitions(cookies - first, first):
            yield (first, *rest)


@dataclass(frozen=True, slots=True)
class ConjectureCheck:
    """A check of Conjecture 1.5 on a family of boards.

    Attributes:
        boards: the tested boards, all with more than one row and more than one column.
        closest: the board with the greatest P.
        gap: its 1/2 - P; exact, or a float within the error bound of the table.
        counterexample: a board with P >= 1/2, or None.
        undecided: boards that neither double precision nor exact arithmetic decided.
    """

    boards: int
    closest: Board
    gap: Fraction | float
    counterexample: Board | None = None
    undecided: tuple[Board, ...] = ()


def check_exactly(graph: Graph[Board]) -> ConjectureCheck:
    """Check Conjecture 1.5 on the boards of a graph."""
    found = dict(gaps(graph))
    closest = min(found, key=found.__getitem__)
    gap = found[closest]
    return ConjectureCheck(len(found), closest, gap, None if gap > 0 else closest)


def check_three_rows(table: RandomTable, error_bound: float | None = None) -> ConjectureCheck:
    """Check Conjecture 1.5 on every board of a three-row table.

    A board whose computed 1/2 - P exceeds the error bound is decided; some of the others are
    computed exactly.

    Args:
        table: win probabilities with both players random, with first rows of at least 2.
        error_bound: the assumed error of the table; by default its own error bound.
    """
    bound = table.error_bound if error_bound is None else error_bound
    rows = values.boards(0, len(table.excess))
    tested = (rows[:, 0] >= 2) & (rows[:, 1] >= 1)
    found = np.where(tested, -table.excess, inf)
    closest = int(found.argmin())
    open_ = [_board(number) for number in np.flatnonzero(found <= bound).tolist()]
    undecided = open_[MAX_RECHECKED:]
    counterexample = None
    for board in open_[:MAX_RECHECKED]:
        pair = two_rows_of(board)
        try:
            value = win_probability(*pair) if pair else chance(chomp(board))
        except ResourceLimitError:
            undecided.append(board)
            continue
        if value >= HALF:
            counterexample = board
            break
    count = int(np.count_nonzero(tested))
    gap = float(found[closest])
    return ConjectureCheck(count, _board(closest), gap, counterexample, tuple(undecided))


def _board(number: int) -> Board:
    return tuple(length for length in values.unrank(number) if length)


@dataclass(frozen=True, slots=True)
class Envelope:
    """The range of 1/2 - P over boards of n cookies (Conjecture 1.6).

    Attributes:
        cookies: number of cookies n.
        least: g(n), the least 1/2 - P, and a board that attains it.
        greatest: h(n), the greatest 1/2 - P, and a board that attains it.
    """

    cookies: int
    least: tuple[Fraction, Board]
    greatest: tuple[Fraction, Board]


def envelopes_up_to(cookies: int) -> list[Envelope]:
    """Return the exact envelopes of 3, 4, ... cookies over boards of every shape."""
    groups: dict[int, list[tuple[Fraction, Board]]] = {n: [] for n in range(3, cookies + 1)}
    for board, gap in gaps(boards_up_to(cookies)):
        groups[sum(board)].append((gap, board))
    return [Envelope(n, min(group), max(group)) for n, group in groups.items()]


def two_row_envelope(cookies: int) -> Envelope:
    """Return the exact envelope of boards with two rows and more than one column (Theorem 1.3)."""
    found = [
        (shortfall_from(row, cookies - row.k), (cookies - row.k, row.k))
        for row in islice(iterate_coefficients(), cookies // 2)
    ]
    return Envelope(cookies, min(found), max(found))


def hook_envelope(cookies: int) -> Envelope:
    """Return the least and the greatest 1/2 - P over the hooks of n cookies, n >= 3.

    They are g(n) = 1/(n (n - 1)) and h(n) = ⌊(n - 1)² / 4⌋ / (n (n - 1)(n - 2)), about 1/(4n).
    """
    arms = cookies - 1
    q = arms // 2
    return Envelope(
        cookies,
        (HALF - hook_win_probability(arms - 1, 1), (arms, 1)),
        (HALF - hook_win_probability(arms - q, q), (arms - q + 1,) + (1,) * q),
    )


def falls_from(cookies: Sequence[int], greatest: Sequence[Fraction | float]) -> tuple[int, float]:
    """Return the n from which on h(n) strictly falls, and the d of h(n) ~ n^-d."""
    start = len(cookies) - 1
    while start > 0 and greatest[start - 1] > greatest[start]:
        start -= 1
    middle = len(cookies) // 2
    decay = log(greatest[middle] / greatest[-1]) / log(cookies[-1] / cookies[middle])
    return int(cookies[start]), decay
