"""Small games of one to five heaps: outcomes, Grundy values and remoteness of all positions.

Covers Nim with passes, declared N-positions, misere play, and Wythoff's game in all its
definitions. If the rules treat all heaps alike, only sorted positions are kept, whose i-th smallest
heap is at most the i-th smallest limit. No move leads out of this set (lowering a heap and sorting
lowers the sorted position everywhere), and it is smaller than the box by a factor of nearly k! for
k heaps.
"""

from dataclasses import dataclass
from functools import cached_property
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.heaps import HeapRules, Line, is_symmetric
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import heaps as numbered
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError

MAX_SEARCHED_HEAPS = 5
LIMIT_MAX = 2**63 - 1
_BYTES_PER_CELL = 9


@dataclass(frozen=True, slots=True)
class SearchCost:
    """Upper bounds of the cost of a search: stored positions, checked moves, and bytes."""

    cells: int
    steps: int

    @property
    def size_bytes(self) -> int:
        """Bytes of all tables."""
        return self.cells * _BYTES_PER_CELL


@dataclass(frozen=True, eq=False)
class SearchTable:
    """Every position below the limits, with 0 to all passes left; solved when needed.

    Attributes:
        game: The game, with its number of heaps.
        limits: Largest heaps; sorted ascending if the rules are symmetric.
        moves: The positions by rank, and their moves.
    """

    game: GameSpec
    limits: tuple[int, ...]
    moves: Ranked

    @cached_property
    def outcome_n(self) -> NDArray[np.bool_]:
        """Shape (passes + 1, cells), bool: True for N-positions."""
        return self._by_passes(folds.wins(self.moves))

    @cached_property
    def grundy(self) -> NDArray[np.integer] | None:
        """Shape (passes + 1, cells): Grundy values.

        It is None in misere play and with declared positions, which have no Grundy values.
        """
        if not self.game.is_plain:
            return None
        return self._by_passes(folds.grundy(self.moves))

    @cached_property
    def remoteness(self) -> NDArray[np.integer]:
        """Shape (passes + 1, cells): moves to the end; 0 for a terminal position.

        The winner hurries and the loser delays.
        """
        return self._by_passes(folds.remoteness(self.moves))

    @property
    def offset(self) -> NDArray[np.int64]:
        """Shape (heaps, largest limit + 1), int64: terms of the rank.

        The rank of a position is the sum of the entries of its heaps.
        """
        weights = self.moves.shape.weights
        return weights[::-1] if self.moves.shape.is_ordered else weights

    @property
    def nbytes(self) -> int:
        """Bytes of memory once all tables are solved."""
        return self.moves.positions * _BYTES_PER_CELL

    def rank(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the second index into the arrays, for positions of shape (..., heaps).

        Raises:
            InvalidPositionError: The number of heaps is wrong, or a position is outside the table.
        """
        heaps = np.asarray(heaps, dtype=np.int64)
        if heaps.ndim == 0 or heaps.shape[-1] != len(self.limits):
            raise InvalidPositionError(
                f"positions need {len(self.limits)} heaps, got an array of shape {heaps.shape}"
            )
        rows = heaps.reshape(-1, len(self.limits))
        if is_symmetric(self.game):
            rows = np.sort(rows, axis=1)
        outside = ((rows < 0) | (rows > np.array(self.limits))).any(axis=1)
        if outside.any():
            first = rows[outside][0].tolist()
            raise InvalidPositionError(f"{first} is outside the table with limits {self.limits}")
        return self.moves.shape.ranks(rows).reshape(heaps.shape[:-1])

    def _by_passes(self, values: NDArray[np.generic]) -> NDArray:  # type: ignore[type-arg]
        return np.ascontiguousarray(values.reshape(-1, self.game.passes + 1).T)


def estimate_search(game: GameSpec, limits: tuple[int, ...]) -> SearchCost:
    """Return the cost of `search_heaps`; a lower bound of the cells if they exceed 10^8.

    Raises:
        InvalidPositionError: The limits are not one number in 0..2^63 - 1 for each heap.
    """
    limits = _ordered(game, limits)
    levels = game.passes + 1
    cells = prod(limit + 1 for limit in limits)
    if is_symmetric(game):
        bound = cells // factorial(len(limits))
        rows = tuple(limit for limit in reversed(limits) if limit)
        cells = bound if bound > 10**8 else int(min(estimate_ideals(rows), cells))
    moves = sum(min(limits[heap] for heap in group) for group in _lines(game, len(limits))) + 1
    return SearchCost(cells * levels, cells * levels * moves)


def search_heaps(game: GameSpec, limits: tuple[int, ...]) -> SearchTable:
    """Search all positions with heap i in 0..limits[i] and 0..passes passes left.

    Raises:
        InvalidPositionError: The limits are not one number in 0..2^63 - 1 for each heap.
    """
    limits = _ordered(game, limits)
    count = len(limits)
    lines, declared = _lines(game, count), frozenset(game.declared)
    shape = numbered(limits, ordered=False)
    if is_symmetric(game):
        shape = numbered(limits[::-1], ordered=True)
        lines = tuple(tuple(sorted(count - 1 - heap for heap in line)) for line in lines)
        declared = frozenset(tuple(sorted(each, reverse=True)) for each in declared)
    return SearchTable(game, limits, Ranked(shape, lines, game.passes, game.misere, declared))


def _ordered(game: GameSpec, limits: tuple[int, ...]) -> tuple[int, ...]:
    if not 1 <= len(limits) <= MAX_SEARCHED_HEAPS:
        raise InvalidPositionError(
            f"{len(limits)} heaps; tables are of 1 to {MAX_SEARCHED_HEAPS} heaps"
        )
    if len(limits) != game.heaps or min(limits) < 0 or max(limits) > LIMIT_MAX:
        raise InvalidPositionError(
            f"limits {list(limits)} of {game.text} are not {game.heaps} numbers in 0..{LIMIT_MAX}"
        )
    return tuple(sorted(limits)) if is_symmetric(game) else tuple(limits)


def _lines(game: GameSpec, heaps: int) -> tuple[Line, ...]:
    rules = rules_of(game.family)
    return rules.lines(game, heaps) if isinstance(rules, HeapRules) else ()
