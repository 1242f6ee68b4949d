"""Any small game of one to five heaps: outcomes, Grundy values and remoteness of all positions.

Covers Nim with passes, declared N-positions, misere play, and Wythoff's game in all its
definitions. Where the rules treat all heaps alike, only sorted positions are kept: those whose
i-th smallest heap is at most the i-th smallest limit. No move leads out of this set (lowering a
heap and sorting lowers the sorted position everywhere), and it is smaller than the box by a
factor of nearly k! for k heaps.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import heaps as numbered
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

HEAPS_MAX = 5
PASSES_MAX = 2**31 - 1
LIMIT_MAX = 2**63 - 1
DEFAULT_MAX_CELLS = 20_000_000
DEFAULT_MAX_STEPS = 5_000_000_000
_BYTES_PER_CELL = 9


@dataclass(frozen=True, slots=True)
class HeapGame:
    """The rules of a game of heaps. The player who cannot move loses, unless stated otherwise.

    Attributes:
        heaps: Number of heaps, 1..5. A move takes any number from one heap.
        passes: Passes there may be; a regular move keeps them, and terminal positions allow none.
        declared: Declared N-positions, ordered: terminal, won by the player who is to move there.
        misere: The player who cannot move wins: the empty heaps are a declared N-position.
        equal_from: Sizes of the groups of heaps from all of which the same number may be taken:
            () is Nim, (2,) with two heaps Wythoff; with three heaps (2,), (3,) and (2, 3) are the
            definitions "pairs", "all" and "both".

    Raises:
        InvalidPositionError: Numbers that make no game.
    """

    heaps: int
    passes: int = 0
    declared: frozenset[tuple[int, ...]] = frozenset()
    misere: bool = False
    equal_from: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is not a game."""
        if not 1 <= self.heaps <= HEAPS_MAX:
            raise InvalidPositionError(f"{self.heaps} heaps: not in 1..{HEAPS_MAX}")
        if not 0 <= self.passes <= PASSES_MAX:
            raise InvalidPositionError(f"passes {self.passes} is not in 0..{PASSES_MAX}")
        for size in self.equal_from:
            if not 2 <= size <= self.heaps:
                raise InvalidPositionError(f"equal_from {size} is not in 2..{self.heaps}")
        for position in self.declared:
            if len(position) != self.heaps or min(position) < 0:
                raise InvalidPositionError(
                    f"declared {list(position)} is not a position of {self.heaps} heaps"
                )

    @property
    def terminal_n_positions(self) -> frozenset[tuple[int, ...]]:
        """Where the game ends with a win of the player who is to move."""
        return self.declared | {(0,) * self.heaps} if self.misere else self.declared

    @property
    def symmetric(self) -> bool:
        """Whether the heaps may be permuted."""
        return all(
            other in self.declared for position in self.declared for other in permutations(position)
        )

    @property
    def takers(self) -> list[tuple[int, ...]]:
        """The groups of heaps from which one move takes the same number."""
        sizes = (1, *sorted(set(self.equal_from)))
        return [group for size in sizes for group in combinations(range(self.heaps), size)]


@dataclass(frozen=True, slots=True)
class SearchCost:
    """What a search takes at most: positions kept, moves looked at, and bytes."""

    cells: int
    steps: int

    @property
    def size_bytes(self) -> int:
        """Bytes of all tables."""
        return self.cells * _BYTES_PER_CELL


@dataclass(frozen=True, eq=False)
class HeapTable:
    """Every position below the limits, with 0 up to all passes left; solved when asked.

    Attributes:
        game: The game.
        limits: Largest heaps; sorted ascending if the rules are symmetric.
        moves: The positions by rank, and their moves.
    """

    game: HeapGame
    limits: tuple[int, ...]
    moves: Ranked

    @cached_property
    def outcome_n(self) -> NDArray[np.bool_]:
        """Shape (passes + 1, cells), bool: true for N-positions."""
        return self._by_passes(folds.wins(self.moves))

    @cached_property
    def grundy(self) -> NDArray[np.integer] | None:
        """Shape (passes + 1, cells): Grundy values.

        None for misere play or declared positions, where the values of normal play do not apply.
        """
        if self.game.terminal_n_positions:
            return None
        return self._by_passes(folds.grundy(self.moves))

    @cached_property
    def remoteness(self) -> NDArray[np.integer]:
        """Shape (passes + 1, cells): plies to the end; 0 for a terminal position.

        The winner hurries and the loser delays.
        """
        return self._by_passes(folds.remoteness(self.moves))

    @property
    def offset(self) -> NDArray[np.int64]:
        """Shape (heaps, largest limit + 1), int64: a position's rank is the sum of its own."""
        weights = self.moves.shape.weights
        return weights[::-1] if self.moves.shape.is_ordered else weights

    @property
    def nbytes(self) -> int:
        """Memory, once all is known."""
        return self.moves.positions * _BYTES_PER_CELL

    def rank(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Second index into the arrays, for positions of shape (..., heaps).

        Raises:
            InvalidPositionError: Wrong number of heaps, or a position outside the table.
        """
        heaps = np.asarray(heaps, dtype=np.int64)
        if heaps.ndim == 0 or heaps.shape[-1] != self.game.heaps:
            raise InvalidPositionError(
                f"positions need {self.game.heaps} heaps, got an array of shape {heaps.shape}"
            )
        rows = heaps.reshape(-1, self.game.heaps)
        if self.game.symmetric:
            rows = np.sort(rows, axis=1)
        outside = ((rows < 0) | (rows > np.array(self.limits))).any(axis=1)
        if outside.any():
            first = rows[outside][0].tolist()
            raise InvalidPositionError(f"{first} is outside the table with limits {self.limits}")
        return self.moves.shape.ranks(rows).reshape(heaps.shape[:-1])

    def _by_passes(self, values: NDArray[np.generic]) -> NDArray:  # type: ignore[type-arg]
        return np.ascontiguousarray(values.reshape(-1, self.game.passes + 1).T)


def estimate_search(game: HeapGame, limits: tuple[int, ...]) -> SearchCost:
    """Cost of `search_heaps`; exact in cells unless those are beyond 10^8, then from below.

    Raises:
        InvalidPositionError: Not one limit in 0..2^63 - 1 for each heap.
    """
    limits = _ordered(game, limits)
    levels = game.passes + 1
    cells = prod(limit + 1 for limit in limits)
    if game.symmetric:
        bound = cells // factorial(game.heaps)
        rows = tuple(limit for limit in reversed(limits) if limit)
        cells = bound if bound > 10**8 else int(min(estimate_ideals(rows), cells))
    moves = sum(min(limits[heap] for heap in group) for group in game.takers) + 1
    return SearchCost(cells * levels, cells * levels * moves)


def search_heaps(
    game: HeapGame,
    limits: tuple[int, ...],
    *,
    max_cells: int = DEFAULT_MAX_CELLS,
    max_steps: int = DEFAULT_MAX_STEPS,
) -> HeapTable:
    """All positions with heap i in 0..limits[i] and 0..passes passes left.

    Args:
        game: The game.
        limits: Largest size of each heap.
        max_cells: Most positions, counted once for each number of passes left.
        max_steps: Most moves looked at.

    Raises:
        InvalidPositionError: Not one limit in 0..2^63 - 1 for each heap.
        ResourceLimitError: More cells or steps than allowed.
    """
    limits = _ordered(game, limits)
    cost = estimate_search(game, limits)
    if cost.cells > max_cells or cost.steps > max_steps:
        raise ResourceLimitError(
            f"search up to {list(limits)} with {game.passes} passes needs "
            f"{cost.cells:.3g} cells ({cost.size_bytes:.3g} bytes) and up to {cost.steps:.3g} "
            f"steps; allowed are {max_cells:.3g} cells and {max_steps:.3g} steps"
        )
    lines, declared, count = tuple(game.takers), game.declared, game.heaps
    shape = numbered(limits, ordered=False)
    if game.symmetric:
        shape = numbered(limits[::-1], ordered=True)
        lines = tuple(tuple(sorted(count - 1 - heap for heap in line)) for line in lines)
        declared = frozenset(tuple(sorted(each, reverse=True)) for each in declared)
    return HeapTable(game, limits, Ranked(shape, lines, game.passes, game.misere, declared))


def _ordered(game: HeapGame, limits: tuple[int, ...]) -> tuple[int, ...]:
    if len(limits) != game.heaps or min(limits) < 0 or max(limits) > LIMIT_MAX:
        raise InvalidPositionError(
            f"limits {list(limits)} are not {game.heaps} numbers in 0..{LIMIT_MAX}"
        )
    return tuple(sorted(limits)) if game.symmetric else tuple(limits)
