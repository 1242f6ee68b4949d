"""Costs of the graph of a position, and limits on its size."""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Any, Final, TypeVar

import numpy as np

from position_oracle.engine.budget import Cost, first_of
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.tree import Tree, has_rows, is_of_words, tree_of, words_of
from position_oracle.oracle.families.sources import (
    MAX_MOVES,
    MAX_POSITIONS,
    ROW_MOVES,
    ROW_POSITIONS,
)
from position_oracle.schema.errors import ResourceLimitError

T = TypeVar("T")

MAX_BOUND: Final = 3_000_000
"""Maximum bound on the positions of a game for which a search is tried."""

WORD_POSITIONS: Final = 2**19
WORD_MOVES: Final = 10_000_000
"""Maximum bound on the moves of a game whose positions are machine words, with moves listed by
arrays."""

MAX_PLAIN: Final = 40_000
"""Maximum number of moves of a graph that is folded in plain Python, as in
`engine.solvers.graph`."""

PLAIN_MOVES: Final = 2**16
"""Maximum bound on the moves that are listed without compiled code."""

FEW_POSITIONS: Final = 500
"""Number of positions below which no number of moves is too large."""

FEW_MOVES: Final = 2_000
"""Maximum number of moves that are counted for the cost of a position in a game without a bound."""

MAX_EXACT: Final = 2**20
"""Maximum number of moves of a graph whose chances are computed in integers: some tenths of a
second."""

EXACT_SECONDS: Final = 0.3
"""Maximum cost in seconds of the exact chances of one graph."""

FLOAT_SECONDS: Final = 0.1
"""Maximum cost in seconds of chances in double precision."""

SEARCHED_TURNS: Final = 0.8
"""Maximum cost in seconds of the mean and the distribution of turns of one graph."""

MAX_STEPS: Final = 2**26
"""Maximum of turns times moves of a graph whose distribution of turns is computed: half a
second."""

_EXACT_SECONDS: Final = 5e-6
_STEP_SECONDS: Final = 1e-8
_NOISE_SECONDS: Final = 1e-4
_TREE_SECONDS: Final = 1e-4
_FOLD_SECONDS: Final = 5e-7
_MOVE_SECONDS: Final = 1.4e-6
_POSITION_SECONDS: Final = 4e-6
_MOVE_BYTES: Final = 16
_POSITION_BYTES: Final = 400
_ROW_MOVE_SECONDS: Final = 2e-8
_ROW_SECONDS: Final = 1e-7
_ROW_MOVE_BYTES: Final = 8
_ROW_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class GraphSize:
    """An upper bound of the size of a graph, with its costs.

    Attributes:
        positions: the number of positions.
        moves: the number of moves.
        making: the cost of making the graph and folding it once.
        is_bounded: whether these numbers are bounds; if not, they are limits that the graph may
            exceed.
    """

    positions: int
    moves: int
    making: Cost
    is_bounded: bool = True

    @property
    def is_certain(self) -> bool:
        """Whether the graph is certainly small enough, however many moves its positions have."""
        return self.is_bounded and self.positions <= FEW_POSITIONS

    @property
    def chances(self) -> Cost:
        """The cost of the graph and its chances."""
        most = EXACT_SECONDS if self.moves <= 2 * MAX_EXACT else FLOAT_SECONDS
        return self.making + Cost(min(most, 1e-3 + _EXACT_SECONDS * self.moves))

    @property
    def turns(self) -> Cost:
        """The cost of the graph with the mean and the distribution of turns."""
        steps = min(MAX_STEPS, self.positions * self.moves)
        seconds = _EXACT_SECONDS * min(self.moves, MAX_EXACT) + _STEP_SECONDS * steps
        return self.making + Cost(min(SEARCHED_TURNS, 1e-3 + seconds), 64 << 20)


@lru_cache(maxsize=1024)
def graph_size(position: Position) -> GraphSize | None:
    """Return the size of the graph of a position, or None if it is too large to try."""
    try:
        tree = tree_of(position)
        node = tree.node(position)
        bound = tree.bound(node)
        if bound > most_by_bound(tree):
            return None
        if is_of_words(tree):
            words = words_of(tree.kept, node)
            moves = int(np.bitwise_count(words).sum())
            return _of_words(len(words), moves) if moves <= WORD_MOVES else None
        if not bound:
            bound = _counted(tree, node)
        positions = int(min(bound or MAX_POSITIONS, MAX_POSITIONS))  # 0: no bound
        if has_rows(tree):
            counted = tree.choices(node).number
        else:
            # So many moves of each position exceed the limit. A position with so many moves
            # reaches as many positions.
            most = min(isqrt(MAX_MOVES), MAX_MOVES // positions) + 1
            counted = len(first_of(tree.options(node), most))
    except ResourceLimitError:
        return None
    if not counted:
        return GraphSize(1, 0, Cost(_TREE_SECONDS, _POSITION_BYTES))
    if has_rows(tree) and bound * counted > PLAIN_MOVES:
        return _of_rows(int(bound), bound * counted)
    moves = min(positions * counted, MAX_MOVES)
    each = _POSITION_SECONDS + (_NOISE_SECONDS if position.game.noise is not None else 0.0)
    seconds = 2e-4 + each * positions + _MOVE_SECONDS * moves * _weight(node)
    memory = _POSITION_BYTES * positions + _MOVE_BYTES * moves
    fits = 0 < bound <= MAX_POSITIONS and bound * counted <= MAX_MOVES
    return GraphSize(positions, moves, Cost(seconds, memory), is_bounded=fits)


def _weight(node: Any) -> float:
    """Return the time of a move as a multiple of the time in a node of three numbers."""
    return 1 + max(0, _numbers_in(node) - 3) / 16


def _numbers_in(node: Any) -> int:
    if isinstance(node, tuple):
        return sum(map(_numbers_in, node))
    return len(node) if isinstance(node, str) else 1


def _of_rows(positions: int, most: float) -> GraphSize:
    """Return the size for boards and heaps whose moves compiled code lists, up to a limit."""
    moves = int(min(most, ROW_MOVES))
    seconds = 0.005 + _ROW_MOVE_SECONDS * moves + _ROW_SECONDS * positions
    cost = Cost(seconds, _ROW_MOVE_BYTES * moves + _ROW_BYTES * positions)
    return GraphSize(positions, moves, cost, is_bounded=most <= ROW_MOVES)


def _of_words(positions: int, moves: int) -> GraphSize:
    """Return the size for sets of cookies that are machine words."""
    folding = _FOLD_SECONDS * min(moves, MAX_PLAIN)
    seconds = 5e-4 + folding + _ROW_SECONDS * positions + 5 * _ROW_MOVE_SECONDS * moves
    return GraphSize(positions, moves, Cost(seconds, _ROW_BYTES * positions + 12 * moves))


def _counted(tree: Tree[Any], node: Any) -> int:
    """Count the positions that play reaches in a game without a bound; 0 if there are many."""
    seen, left, moves = {node}, [node], 0
    while left:
        for option in tree.options(left.pop()):
            moves += 1
            if moves > FEW_MOVES:
                return 0
            if option not in seen:
                seen.add(option)
                left.append(option)
    return len(seen)


def is_small(position: Position) -> bool:
    """Return whether exact chances are tried."""
    moves = 1 + rules_of(position.game.family).amount(position)
    try:
        tree = tree_of(position)
        return tree.bound(tree.node(position)) * moves <= 2 * MAX_EXACT
    except ResourceLimitError:
        return False


def most_by_bound(tree: Tree[Any]) -> float:
    """Return the largest bound for which a search is tried."""
    if has_rows(tree):
        return ROW_POSITIONS
    if is_of_words(tree):
        return WORD_POSITIONS
    return MAX_POSITIONS if tree.bound_is_exact else MAX_BOUND


def limits(tree: Tree[Any]) -> tuple[int, int]:
    """Return the maximum positions and moves of a graph; arrays list sets of at most 64 cookies."""
    if has_rows(tree):
        return ROW_POSITIONS, ROW_MOVES
    return (WORD_POSITIONS, WORD_MOVES) if is_of_words(tree) else (MAX_POSITIONS, MAX_MOVES)
