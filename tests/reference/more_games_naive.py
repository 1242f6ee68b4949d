"""Take-away games, games of graphs and solid Chomp, by their rules. Slow; shares no code.

Children come as lists with one entry for each action, for games at random.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

Children = Callable[[Any], list[Any]]


def moore_children(k: int) -> Children:
    """Smaller heaps, of which at most k differ from those before."""

    def children(heaps: tuple[int, ...]) -> list[tuple[int, ...]]:
        smaller = product(*(range(heap + 1) for heap in heaps))
        changed = (
            (sum(a != b for a, b in zip(heaps, left, strict=True)), left) for left in smaller
        )
        return [left for number, left in changed if 1 <= number <= k]

    return children


def fibonacci_children(position: tuple[int, int]) -> list[tuple[int, int]]:
    """A position is a heap, and the most that a move may take."""
    heap, most = position
    return [(heap - t, min(heap - t, 2 * t)) for t in range(1, min(heap, most) + 1)]


def euclid_children(numbers: tuple[int, ...]) -> list[tuple[int, ...]]:
    """A move takes a multiple of the smaller number from the larger one."""
    small, large = sorted(numbers)
    found, left = [], large - small
    while small and left >= 0:
        found.append(tuple(sorted((small, left))))
        left -= small
    return found


def staircase_children(steps: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the positions after some tokens of a step move to the step below."""
    found = []
    for i, heap in enumerate(steps):
        for tokens in range(1, heap + 1):
            left = list(steps)
            left[i] -= tokens
            if i:
                left[i - 1] += tokens
            found.append(tuple(left))
    return found


def wythoff_children(a: int, b: int) -> Children:
    """Return the positions after taking from one heap; or from both, if k <= l and l < b k + a."""

    def allowed(one: int, other: int) -> bool:
        k, l = sorted((one, other))  # noqa: E741
        return l > 0 and (k == 0 or l < b * k + a)

    def children(heaps: tuple[int, ...]) -> list[tuple[int, ...]]:
        taken = product(range(heaps[0] + 1), range(heaps[1] + 1))
        return [(heaps[0] - i, heaps[1] - j) for i, j in taken if allowed(i, j)]

    return children


def end_nim_children(heaps: tuple[int, ...]) -> list[tuple[int, ...]]:
    """A move takes tokens from the first or the last heap that is not empty."""
    there = [i for i, heap in enumerate(heaps) if heap]
    ends = {there[0], there[-1]} if there else set()
    return [(*heaps[:i], rest, *heaps[i + 1 :]) for i in ends for rest in range(heaps[i])]


def circular_children(k: int) -> Children:
    """A move takes tokens from some of k neighbouring heaps."""

    def children(heaps: tuple[int, ...]) -> list[tuple[int, ...]]:
        windows = [
            {(first + i) % len(heaps) for i in range(min(k, len(heaps)))}
            for first in range(len(heaps))
        ]
        return [
            left
            for left in product(*(range(heap + 1) for heap in heaps))
            if left != heaps
            and any({i for i, heap in enumerate(heaps) if left[i] != heap} <= w for w in windows)
        ]

    return children


Graph = tuple[frozenset[int], frozenset[frozenset[int]]]


def node_kayles_children(graph: Graph) -> list[Graph]:
    """A move removes a vertex and its neighbours."""
    vertices, edges = graph
    found = []
    for vertex in vertices:
        left = {v for v in vertices if v != vertex and frozenset((v, vertex)) not in edges}
        found.append((frozenset(left), frozenset(edge for edge in edges if edge <= left)))
    return found


def solid_children(cookies: frozenset[tuple[int, ...]]) -> list[frozenset[tuple[int, ...]]]:
    """A move removes a cookie and all cookies that are nowhere smaller."""
    return [
        frozenset(c for c in cookies if any(x < y for x, y in zip(c, bite, strict=True)))
        for bite in cookies
    ]


class Naive:
    """Answers by recursion. In a poison game the player who takes the last cookie loses.

    Args:
        children: the children of a position, one entry for each action.
        misere: whether the player who cannot move wins.
        poison: whether the player who empties the position has lost.
    """

    def __init__(self, children: Children, *, misere: bool = False, poison: bool = False) -> None:
        wins_at_end = misere != poison

        @cache
        def actions(position: Any, passes: int) -> tuple[tuple[Any, int], ...]:
            after = [(child, passes) for child in children(position)]
            spares = poison and not misere and len(position) == 1
            if passes and after and not spares:
                after.append((position, passes - 1))
            return tuple(after)

        @cache
        def useful(position: Any, passes: int) -> tuple[tuple[Any, int], ...]:
            """The actions that do not lose by rule."""
            after = actions(position, passes)
            return tuple(a for a in after if not (poison and not misere and not a[0]))

        @cache
        def is_n(position: Any, passes: int) -> bool:
            after = useful(position, passes)
            over = wins_at_end and not actions(position, passes)
            return any(not is_n(*each) for each in after) if after else over

        @cache
        def grundy(position: Any, passes: int) -> int:
            values = {grundy(*each) for each in useful(position, passes)}
            return next(value for value in range(len(values) + 1) if value not in values)

        @cache
        def remoteness(position: Any, passes: int) -> int:
            after = useful(position, passes)
            if not after:
                return 0
            if is_n(position, passes):
                return 1 + min(remoteness(*each) for each in after if not is_n(*each))
            return 1 + max(remoteness(*each) for each in after)

        @cache
        def random(position: Any, passes: int) -> Fraction:
            after = actions(position, passes)
            if not after:
                return Fraction(wins_at_end)
            return sum((1 - random(*each) for each in after), Fraction(0)) / len(after)

        self.actions, self.is_n, self.grundy = actions, is_n, grundy
        self.remoteness, self.random = remoteness, random

    def winning(self, position: Any, passes: int) -> set[tuple[Any, int]]:
        """Return the positions that winning actions lead to."""
        return {each for each in self.actions(position, passes) if not self.is_n(*each)}
