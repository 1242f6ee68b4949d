"""Small games of one to five heaps: outcomes, Grundy values and remoteness of all positions.

Covers Nim with passes, declared N-positions, misere play, and Wythoff's game in all its
definitions. If the rules treat all heaps alike, only sorted positions are kept, whose i-th smallest
heap is at most the i-th smallest limit. No move leads out of this set (lowering a heap and sorting
lowers the sorted position everywhere), and it is smaller than the box by a factor of nearly k! for
k heaps.
"""

from math import factorial, prod

from position_oracle.engine.games.heaps import HeapRules, Line, is_symmetric
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import heaps as numbered
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError

MAX_SEARCHED_HEAPS = 5


def estimate_search(game: GameSpec, limits: tuple[int, ...]) -> tuple[int, int]:
    """Return upper bounds of the positions of `heap_moves` and of their moves.

    The number of positions is a lower bound if it exceeds 10^8.

    Raises:
        InvalidPositionError: Not 1 to 5 heaps.
    """
    limits = _ordered(game, limits)
    levels = game.passes + 1
    cells = prod(limit + 1 for limit in limits)
    if is_symmetric(game):
        bound = cells // factorial(len(limits))
        rows = tuple(limit for limit in reversed(limits) if limit)
        cells = bound if bound > 10**8 else int(min(estimate_ideals(rows), cells))
    moves = sum(min(limits[heap] for heap in group) for group in _lines(game, len(limits))) + 1
    return cells * levels, cells * levels * moves


def heap_moves(game: GameSpec, limits: tuple[int, ...]) -> Ranked:
    """All positions with heap i in 0..limits[i] and 0..passes passes left; see `estimate_search`.

    If the rules are symmetric, heaps descend, and so do the limits.

    Raises:
        InvalidPositionError: Not 1 to 5 heaps.
    """
    limits = _ordered(game, limits)
    count = len(limits)
    lines, declared = _lines(game, count), frozenset(game.declared)
    shape = numbered(limits, ordered=False)
    if is_symmetric(game):
        shape = numbered(limits[::-1], ordered=True)
        lines = tuple(tuple(sorted(count - 1 - heap for heap in line)) for line in lines)
        declared = frozenset(tuple(sorted(each, reverse=True)) for each in declared)
    return Ranked(shape, lines, game.passes, game.misere, declared)


def _ordered(game: GameSpec, limits: tuple[int, ...]) -> tuple[int, ...]:
    if not 1 <= len(limits) <= MAX_SEARCHED_HEAPS:
        raise InvalidPositionError(
            f"{len(limits)} heaps; tables are of 1 to {MAX_SEARCHED_HEAPS} heaps"
        )
    return tuple(sorted(limits)) if is_symmetric(game) else tuple(limits)


def _lines(game: GameSpec, heaps: int) -> tuple[Line, ...]:
    rules = rules_of(game.family)
    return rules.lines(game, heaps) if isinstance(rules, HeapRules) else ()
