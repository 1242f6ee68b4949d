"""Any small game of one to five heaps by search: outcomes, Grundy values, remoteness.

Covers Nim with passes, declared N-positions, misere play, and Wythoff's game in all its
definitions. Where the rules treat all heaps alike, only sorted positions are kept: those whose
i-th smallest heap is at most the i-th smallest limit. No move leads out of this set (lowering a
heap and sorting lowers the sorted position everywhere), and it is smaller than the box by a
factor of nearly k! for k heaps.

Positions are numbered so that every move leads to a smaller number, the last (for sorted
positions the largest) heap counting most: rank(p) = sum of offset[i, p_i]. In the box the offsets
are multiples of strides; for sorted positions offset[i, v] counts the sorted (q_0..q_i) within
the limits with q_i < v, as in the combinatorial number system.
"""

from dataclasses import dataclass
from itertools import combinations, count, permutations, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.steps import Progress, steps
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

HEAPS_MAX = 5
PASSES_MAX = 2**31 - 1
LIMIT_MAX = 2**63 - 1
DEFAULT_MAX_CELLS = 20_000_000
DEFAULT_MAX_STEPS = 5_000_000_000
_BYTES_PER_CELL = 25
MAX_SMALL = 2_000
"""Most positions of the box, whatever their order, that are searched without compiled kernels."""
_CHUNK_STEPS = 1_000_000
LOW_HALF = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class HeapGame:
    """The rules of a game of heaps. Whoever cannot move loses, unless stated otherwise.

    Attributes:
        heaps: Number of heaps, 1..5. A move takes any number from one heap.
        passes: Passes there may be; a regular move keeps them, and terminal positions allow none.
        declared: Declared N-positions, ordered: terminal, won by the player who is to move there.
        misere: Whoever cannot move wins: the empty heaps are a declared N-position.
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
        """Refuse what is no game."""
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
                    f"declared {list(position)} is no position of {self.heaps} heaps"
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
        """Bytes at the peak of the search; 9 of 25 are left in the tables."""
        return self.cells * _BYTES_PER_CELL


@dataclass(frozen=True, slots=True, eq=False)
class HeapTable:
    """A solved game: every position below the limits, with 0 up to all passes left.

    Attributes:
        game: The game.
        limits: Largest heaps; sorted ascending if the rules are symmetric.
        offset: Shape (heaps, largest limit + 1), int64: a position's rank is the sum of its own.
        outcome_n: Shape (passes + 1, cells), bool: true for N-positions.
        grundy: Shape (passes + 1, cells), int32: Grundy values, None for misere play or declared
            positions, where the values of normal play do not apply.
        remoteness: Shape (passes + 1, cells), int32: plies to the end when the winner hurries and
            the loser delays; 0 for a terminal position.
    """

    game: HeapGame
    limits: tuple[int, ...]
    offset: NDArray[np.int64]
    outcome_n: NDArray[np.bool_]
    grundy: NDArray[np.int32] | None
    remoteness: NDArray[np.int32]

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
        if self.game.symmetric:
            heaps = np.sort(heaps, axis=-1)
        outside = ((heaps < 0) | (heaps > np.array(self.limits))).any(axis=-1)
        if outside.any():
            first = heaps[outside].reshape(-1, self.game.heaps)[0].tolist()
            raise InvalidPositionError(f"{first} is outside the table with limits {self.limits}")
        ranks = np.zeros(heaps.shape[:-1], dtype=np.int64)
        for index in range(self.game.heaps):
            ranks += self.offset[index, heaps[..., index]]
        return ranks


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
        cells = bound if bound > 10**8 else _offsets(limits, sorted_only=True)[1]
    moves = sum(min(limits[heap] for heap in group) for group in game.takers) + 1
    return SearchCost(cells * levels, cells * levels * moves)


def search_heaps(
    game: HeapGame,
    limits: tuple[int, ...],
    *,
    max_cells: int = DEFAULT_MAX_CELLS,
    max_steps: int = DEFAULT_MAX_STEPS,
    progress: Progress | None = None,
) -> HeapTable:
    """Solve all positions with heap i in 0..limits[i] and 0..passes passes left.

    Args:
        game: The game.
        limits: Largest size of each heap.
        max_cells: Most positions, counted once for each number of passes left.
        max_steps: Most moves looked at.
        progress: Called with (positions done, positions in all), passes not counted.

    Raises:
        InvalidPositionError: Not one limit in 0..2^63 - 1 for each heap.
        ResourceLimitError: More cells or steps than allowed.
        StoppedError: the current budget is spent.
    """
    limits = _ordered(game, limits)
    cost = estimate_search(game, limits)
    if cost.cells > max_cells or cost.steps > max_steps:
        raise ResourceLimitError(
            f"search up to {list(limits)} with {game.passes} passes needs "
            f"{cost.cells:.3g} cells ({cost.size_bytes:.3g} bytes) and up to {cost.steps:.3g} "
            f"steps; allowed are {max_cells:.3g} cells and {max_steps:.3g} steps"
        )
    offset, cells = _offsets(limits, sorted_only=game.symmetric)
    box = prod(limit + 1 for limit in limits) * (game.passes + 1)
    if box <= MAX_SMALL:
        packed = small_search(game, limits, offset, cells)
        if progress is not None:
            progress(cells, cells)
        return _unpacked(game, limits, offset, packed)
    from position_oracle.engine.solvers.heap_kernels import search

    packed = np.zeros((game.passes + 1, cells), dtype=np.int64)
    space = _space(game, limits, offset)
    most_moves = cost.steps // cost.cells
    work = Work(
        np.zeros(game.heaps, dtype=np.int64),
        np.empty(most_moves, dtype=np.int64),
        np.full(most_moves + 2, -1, dtype=np.int64),
    )
    for start, end in steps(0, cells, _CHUNK_STEPS * cells // cost.steps, progress):
        search(start, end, space, work, packed)
    return _unpacked(game, limits, offset, packed)


def _unpacked(
    game: HeapGame, limits: tuple[int, ...], offset: NDArray[np.int64], packed: NDArray[np.int64]
) -> HeapTable:
    outcome_n = np.empty(packed.shape, np.bool_)
    plies = np.empty(packed.shape, np.int32)
    values = None if game.terminal_n_positions else np.empty(packed.shape, np.int32)
    for start, end in steps(0, packed.shape[1], _CHUNK_STEPS // len(packed)):
        part = packed[:, start:end]
        outcome_n[:, start:end] = part & 1
        plies[:, start:end] = (part & LOW_HALF) >> 1
        if values is not None:
            values[:, start:end] = part >> 32
    return HeapTable(game, limits, offset, outcome_n, values, plies)


def small_search(
    game: HeapGame, limits: tuple[int, ...], offset: NDArray[np.int64], cells: int
) -> NDArray[np.int64]:
    """What `heap_kernels.search` writes, without it: in the whole box, then by rank.

    The children of a position by one kind of move lie on a line of the box, seen as a flat array.
    """
    shape = tuple(limit + 1 for limit in limits)
    strides = [prod(shape[heap + 1 :]) for heap in range(game.heaps)]
    lines = [(group, sum(strides[heap] for heap in group)) for group in game.takers]
    ended = game.terminal_n_positions
    found = np.zeros((game.passes + 1, prod(shape)), np.int64)
    for place, position in watched(enumerate(product(*map(range, shape))), every=16):
        if position in ended:
            found[:, place] = 1
            continue
        for level in range(game.passes + 1):
            options = [
                found[level, place - stride * most : place : stride]
                for group, stride in lines
                if (most := min(position[heap] for heap in group))
            ]
            if level and place:
                options.append(found[level - 1, place : place + 1])
            found[level, place] = _settled(np.concatenate(options)) if options else 0
    boxed = np.stack(np.unravel_index(np.arange(prod(shape)), shape))
    kept = (np.diff(boxed, axis=0) >= 0).all(axis=0) if game.symmetric else slice(None)
    ranks = sum(offset[heap, boxed[heap, kept]] for heap in range(game.heaps))
    packed = np.zeros((game.passes + 1, cells), np.int64)
    packed[:, ranks] = found[:, kept]
    return packed


def _settled(options: NDArray[np.int64]) -> int:
    """Value, remoteness and outcome of a position, packed, from those of its children."""
    plies = (options & LOW_HALF) >> 1
    losses = plies[options & 1 == 0]
    reached = set((options >> 32).tolist())
    value = next(value for value in count() if value not in reached)
    if len(losses):
        return (value << 32) | (int(losses.min() + 1) << 1) | 1
    return (value << 32) | (int(plies.max() + 1) << 1)


class Space(NamedTuple):
    """What the kernel knows of the positions and the rules."""

    limits: NDArray[np.int64]
    is_sorted: bool
    offset: NDArray[np.int64]
    groups: NDArray[np.int64]  # a row for each group of several heaps, 1 where a heap belongs
    ended: NDArray[np.int64]  # ascending ranks of the terminal N-positions, then -1


class Work(NamedTuple):
    """Scratch arrays: the current position, its children's ranks, stamps of values seen."""

    position: NDArray[np.int64]
    children: NDArray[np.int64]
    seen: NDArray[np.int64]


def _ordered(game: HeapGame, limits: tuple[int, ...]) -> tuple[int, ...]:
    if len(limits) != game.heaps or min(limits) < 0 or max(limits) > LIMIT_MAX:
        raise InvalidPositionError(
            f"limits {list(limits)} are not {game.heaps} numbers in 0..{LIMIT_MAX}"
        )
    return tuple(sorted(limits)) if game.symmetric else tuple(limits)


def _offsets(limits: tuple[int, ...], *, sorted_only: bool) -> tuple[NDArray[np.int64], int]:
    """The offsets of the ranks, shape (heaps, largest limit + 1), and the number of positions."""
    offset = np.zeros((len(limits), max(limits) + 1), dtype=np.int64)
    cells = 1
    below = np.ones(1, dtype=np.int64)  # how many (q_0..q_(i-1)) there are with all q <= m
    for index, limit in enumerate(limits):
        values = np.arange(limit + 1)
        if sorted_only:
            ending_here = below[np.minimum(values, len(below) - 1)]
            below = np.cumsum(ending_here)
            offset[index, 1 : limit + 1] = below[:-1]
            cells = int(below[-1])
        else:
            offset[index, : limit + 1] = values * cells
            cells *= limit + 1
    return offset, cells


def _space(game: HeapGame, limits: tuple[int, ...], offset: NDArray[np.int64]) -> Space:
    ended = {
        tuple(sorted(position)) if game.symmetric else position
        for position in game.terminal_n_positions
    }
    ranks = sorted(
        sum(int(offset[heap, value]) for heap, value in enumerate(position))
        for position in ended
        if all(value <= limit for value, limit in zip(position, limits, strict=True))
    )
    groups = [
        [heap in group for heap in range(game.heaps)] for group in game.takers if len(group) > 1
    ]
    return Space(
        np.array(limits, dtype=np.int64),
        game.symmetric,
        offset,
        np.array(groups, dtype=np.int64).reshape(-1, game.heaps),
        np.array([*ranks, -1], dtype=np.int64),
    )
