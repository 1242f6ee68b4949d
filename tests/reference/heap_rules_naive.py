"""Octal games, subtraction games, and toads and frogs, by their rules. Slow; shares no code."""

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Generic, TypeVar

Heaps = tuple[int, ...]
Children = Callable[[Heaps], set[Heaps]]
Position = TypeVar("Position")


def heap_children(split: Callable[[int], set[Heaps]]) -> Children:
    """The moves that replace a heap by one of the ways to split it. Positions are sorted heaps."""
    ways = cache(split)

    def children(heaps: Heaps) -> set[Heaps]:
        return {
            tuple(sorted(heaps[:place] + heaps[place + 1 :] + parts))
            for place, heap in enumerate(heaps)
            for parts in ways(heap)
        }

    return children


def sums(total: int, count: int) -> set[Heaps]:
    """Return all ways to write a number as the sum of some positive ones, in any order."""
    return {parts for parts in product(range(1, total + 1), repeat=count) if sum(parts) == total}


def octal_children(code: str) -> Children:
    """The moves of an octal game given by its code, such as "0.77"."""
    first, _, rest = code.partition(".")
    digits = [int(digit) for digit in (first or "0") + rest]

    def split(heap: int) -> set[Heaps]:
        found = set[Heaps]()
        for taken, digit in enumerate(digits):
            left = heap - taken
            if left == 0 and taken > 0 and digit in {1, 3, 5, 7}:
                found.add(())
            if left > 0 and digit in {2, 3, 6, 7}:
                found.add((left,))
            if digit >= 4:
                found |= {(one, left - one) for one in range(1, left)}
        return found

    return heap_children(split)


def code_children(digits: str, repeats: str = "") -> Children:
    """Moves of a take-and-break game, by all ways to divide the rest of a heap into parts.

    Args:
        digits: d_0, d_1, ..., hexadecimal, without the point, each with ! if parts must differ.
        repeats: digits that follow again and again.
    """

    def digit(place: int) -> tuple[int, bool]:
        given = re.findall("[0-9A-F]!?", digits)
        again = re.findall("[0-9A-F]!?", repeats)
        if place < len(given):
            text = given[place]
        else:
            text = again[(place - len(given)) % len(again)] if again else "0"
        return int(text[0], 16), text.endswith("!")

    def split(heap: int) -> set[Heaps]:
        found = set[Heaps]()
        for taken in range(heap + 1):
            allowed, differ = digit(taken)
            for count in range(4):
                if allowed >> count & 1:
                    found |= {
                        parts
                        for parts in sums(heap - taken, count)
                        if not differ or len(set(parts)) == len(parts)
                    }
        return found

    return heap_children(split)


def partition_children(most: int) -> Children:
    """The moves that divide a heap into 2 to `most` heaps."""
    return heap_children(
        lambda heap: {parts for count in range(2, most + 1) for parts in sums(heap, count)}
    )


def subtraction_children(numbers: set[int]) -> Children:
    """The moves that take one of the numbers from one heap. Heaps of 0 are left out."""
    return heap_children(
        lambda heap: {(heap - n,) if n < heap else () for n in numbers if n <= heap}
    )


def toads_children(strip: str) -> set[str]:
    """The moves of toads (to the right) and frogs (to the left), by rewriting the strip."""
    patterns = [("T.", ".T"), ("TF.", ".FT"), (".F", "F."), (".TF", "FT.")]
    return {
        strip[:place] + after + strip[place + len(before) :]
        for before, after in patterns
        for place in range(len(strip))
        if strip.startswith(before, place)
    }


class NaiveGame(Generic[Position]):
    """Outcomes and values of a game given by its children, with shared passes or in misere play."""

    def __init__(
        self, children: Callable[[Position], set[Position]], *, misere: bool = False
    ) -> None:
        @cache
        def options(position: Position, passes: int) -> set[tuple[Position, int]]:
            found = {(child, passes) for child in children(position)}
            return found | {(position, passes - 1)} if found and passes else found

        @cache
        def is_n(position: Position, passes: int) -> bool:
            after = options(position, passes)
            return any(not is_n(*option) for option in after) if after else misere

        @cache
        def grundy(position: Position, passes: int) -> int:
            values = {grundy(*option) for option in options(position, passes)}
            return min(value for value in range(len(values) + 1) if value not in values)

        @cache
        def remoteness(position: Position, passes: int) -> int:
            after = options(position, passes)
            if not after:
                return 0
            if is_n(position, passes):
                return 1 + min(remoteness(*option) for option in after if not is_n(*option))
            return 1 + max(remoteness(*option) for option in after)

        self.options, self.is_n, self.grundy = options, is_n, grundy
        self.remoteness = remoteness

    def winning(self, position: Position, passes: int) -> set[tuple[Position, int]]:
        """The options, with the passes left, from which the opponent loses."""
        return {option for option in self.options(position, passes) if not self.is_n(*option)}


PassHeaps = tuple[tuple[int, bool], ...]


def with_own_passes(children: Children) -> Callable[[PassHeaps], set[PassHeaps]]:
    """Return the game in which heaps (size, has a pass) may have passes of their own."""

    def found(heaps: PassHeaps) -> set[PassHeaps]:
        after: set[PassHeaps] = set()
        for place, (size, has_pass) in enumerate(heaps):
            others = heaps[:place] + heaps[place + 1 :]
            left = children((size,))
            for parts in left:
                kept = range(len(parts)) if has_pass and parts else [-1]
                for keeper in kept:
                    marked = tuple((part, index == keeper) for index, part in enumerate(parts))
                    after.add(tuple(sorted(others + marked)))
            if has_pass and left:
                after.add(tuple(sorted((*others, (size, False)))))
        return after

    return found


def wythoff_children(lines: tuple[tuple[int, ...], ...]) -> Children:
    """The moves that take equally much from all heaps of a line. Positions are sorted heaps."""

    def children(heaps: Heaps) -> set[Heaps]:
        found = set()
        for line in lines:
            left = list(heaps)
            while min(left[place] for place in line) > 0:
                for place in line:
                    left[place] -= 1
                found.add(tuple(sorted(left)))
        return found

    return children


def board_children(*, poison: bool) -> Children:
    """The bites of a board of Chomp given by its rows, poison row first."""

    def children(rows: Heaps) -> set[Heaps]:
        found = set()
        for row, length in enumerate(rows):
            for column in range(length):
                if poison or (row, column) != (0, 0):
                    cut = [min(other, column) for other in rows[row:]]
                    found.add((*rows[:row], *(size for size in cut if size)))
        return found

    return children


Numbers = frozenset[int]


def divisor_children(*, one: bool) -> Callable[[Numbers], set[Numbers]]:
    """Return the numbers left after each naming: all but the multiples. A flag allows naming 1."""

    def children(left: Numbers) -> set[Numbers]:
        return {
            frozenset(number for number in left if number % named)
            for named in left
            if one or named > 1
        }

    return children
