"""Wythoff's game with parameters: `wythoff{a=2}:[4,6]`, `wythoff{a=1,b=2}:[4,6]`.

A move takes any number from one heap, or k from one heap and l >= k from the other, with l < b k +
a. With b = 1 the numbers differ by less than a. With a = b = 1 the game is Wythoff's own.

A. S. Fraenkel, Heap games, numeration systems and sequences, Annals of Combinatorics 2 (1998), with
s = b and t = a: the P-positions are (A_n, b A_n + a n), A_n being the least number in no earlier
pair. In the numeration system of p_n = (a + b - 1) p_(n-1) + b p_(n-2), p_0 = 1, p_1 = a + b, the
A_n are the numbers that end in an even number of zeros, and appending a zero gives the partner.
Misere play of b = 1 < a: How to beat your Wythoff games' opponent on three fronts, American
Mathematical Monthly 89 (1982): (floor(n alpha + 1/alpha), A_n + a n + 1), alpha = (2 - a + sqrt(a^2
+ 4)) / 2.
"""

from collections.abc import Iterator
from math import isqrt
from typing import ClassVar, Final

from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.takings import TakingRules, Takings, from_one, lowered
from position_oracle.schema.errors import NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.numbers import read_int

MAX_PARAMETER: Final = 1_000_000


class WythoffAB(TakingRules):
    """Rules of generalised Wythoff games."""

    family = "wythoff_ab"
    name = "wythoff"
    introductions = (
        Introduction(
            title="Wythoff’s game with parameters",
            start="wythoff{a=2}:[4,6]",
            rules=(
                "Take as many tokens as you like from one heap, or from both: k from one "
                "and at least k but fewer than {b}k + {a} from the other."
            ),
            loses="no token is left for you",
            note="With both parameters 1 it is Wythoff’s game.",
        ),
    )
    form = "wythoff{a=2}:[4,6]"
    example = "[4,6]"
    example_options = (("a", "2"),)
    about = "two heaps of any size, normal and with b = 1 misere play without passes; else small"
    counts = range(2, 3)
    options: ClassVar[OptionReaders] = {
        "a": lambda text: str(read_int(text, 1, MAX_PARAMETER, "a")),
        "b": lambda text: str(read_int(text, 1, MAX_PARAMETER, "b")),
    }
    typed_moves = (*TakingRules.typed_moves, ("1 3, 2 4", "take 3 from heap 1 and 4 from heap 2"))

    def canonical_options(self, options: Options) -> Options:
        """Fill in the defaults, which are both 1, and drop b = 1."""
        given = dict(super().canonical_options(options))
        if given.get("a", "1") == given.get("b", "1") == "1":
            raise NotationError("wythoff: a = b = 1 is Wythoff's own game; write wythoff:[4,6]")
        a = (("a", given.get("a", "1")),)
        return a if given.get("b", "1") == "1" else (*a, ("b", given["b"]))

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield takings from the first heap, the second, then both, the largest first."""
        first, second = value
        for heap, tokens in ((0, first), (1, second)):
            yield from (from_one(2, heap, each) for each in range(tokens, 0, -1))
        a, b = _parameters(game)
        for k in range(first, 0, -1):
            # Either number may be the larger one: k < b other + a, other < b k + a.
            for other in range(min(second, b * k + a - 1), max(0, (k - a) // b), -1):
                yield k, other

    def largest_takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield the taking of all of the smaller heap, and as many as possible of the other."""
        a, b = _parameters(game)
        most = b * min(value) + a - 1
        yield tuple(min(heap, most) for heap in value)

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether one heap is taken from, or the numbers are close enough."""
        a, b = _parameters(game)
        return min(taken) == 0 or max(taken) < b * min(taken) + a

    def theorem(self, position: Position) -> Theorem | None:
        """Apply Fraenkel's theorem."""
        game, (small, large) = position.game, sorted(position.value)
        a, b = _parameters(game)
        if game.misere and (b > 1 or a == 1):
            return None
        is_p = _partner(small, game) == large
        return Theorem(is_p, "Fraenkel: P exactly if (A_n, b A_n + a n) for some n")

    def likely_wins(self, position: Position) -> Iterator[Coordinates] | None:
        """Yield the pair of each heap, and the pairs below both that a move may reach."""
        game, heaps = position.game, position.value
        _, b = _parameters(game)
        if b > 1 and min(heaps) > MAX_TRIED:
            return None
        return self._likely(heaps, game)

    def some_win(self, position: Position) -> Coordinates | None:
        """Return a winning taking from a single heap, if there is one."""
        return next(self._by_one(position.value, position.game), None)

    def _likely(self, heaps: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        a, b = _parameters(game)
        yield from self._by_one(heaps, game)
        if b == 1:
            difference = max(heaps) - min(heaps) - game.misere
            near = {difference // a, -(-difference // a), -(-difference // a) - 1, 0, 1}
            smaller = {_smaller(n, game) for n in near if n >= 0}
        else:  # the smaller number of a pair below both heaps is below the smaller heap
            smaller = set(range(min(heaps) if max(heaps) > MAX_TRIED else max(heaps)))
        for small in sorted(smaller, reverse=True):
            partner = _partner(small, game)
            if partner is None:
                continue
            for child in ((small, partner), (partner, small)):
                taken = tuple(map(int.__sub__, heaps, child))
                if min(taken) > 0 and self.may_take(heaps, taken, game):
                    yield child

    def _by_one(self, heaps: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        for index in (0, 1):
            kept = heaps[1 - index]
            partners = dict.fromkeys((_partner(kept, game), _larger_partner(kept, game)))
            for rest in partners:
                if rest is not None and rest < heaps[index]:
                    yield lowered(heaps, index, rest)


MAX_TRIED: Final = 20_000
"""Largest heap below which all pairs are tried, if b > 1."""


def _parameters(game: GameSpec) -> tuple[int, int]:
    return int(game.option("a") or 1), int(game.option("b") or 1)


def _smaller(n: int, game: GameSpec) -> int:
    """Return the smaller number of pair n, for b = 1: floor(n alpha); misere: + 1 / alpha."""
    a, _ = _parameters(game)
    if not game.misere:
        return ((2 - a) * n + isqrt(n * n * (a * a + 4))) // 2
    # 1 / alpha = (a - 2 + sqrt(a^2 + 4)) / (2 a): twice a times the sum is u + v sqrt(a^2 + 4).
    u, v = a * (2 - a) * n + a - 2, a * n + 1
    return (u + isqrt(v * v * (a * a + 4))) // (2 * a)


def _inverse(number: int, a: int) -> int:
    """Return about number / alpha."""
    return (number * (a - 2) + isqrt(number * number * (a * a + 4))) // (2 * a)


def _near(n: int) -> range:
    return range(max(0, n - 2), n + 3)


def _partner(number: int, game: GameSpec) -> int | None:
    """Return the larger number of the pair with this smaller one; None if there is no pair."""
    a, b = _parameters(game)
    if b == 1:
        near = _near(_inverse(number, a))
        found = next((n for n in near if _smaller(n, game) == number), None)
        return None if found is None else number + a * found + game.misere
    digits = _digits(number, a, b)
    return _shifted(digits, a, b) if _zeros(digits) % 2 == 0 or not number else None


def _larger_partner(number: int, game: GameSpec) -> int | None:
    """Return the smaller number of the pair with this larger one; None if there is no pair."""
    a, b = _parameters(game)
    if b == 1:  # 1 / alpha + 1 / (alpha + a) = 1
        near = _near(number - _inverse(number, a))
        pairs = ((_smaller(n, game), a * n + game.misere) for n in near)
        return next((small for small, more in pairs if small + more == number), None)
    digits = _digits(number, a, b)
    return _shifted(digits[:-1], a, b, zeros=0) if _zeros(digits) % 2 else None


def _basis(a: int, b: int, length: int) -> list[int]:
    basis = [1, a + b]
    while len(basis) < length:
        basis.append((a + b - 1) * basis[-1] + b * basis[-2])
    return basis


def _digits(number: int, a: int, b: int) -> list[int]:
    """Return the digits of a number in the numeration system, the highest first."""
    basis = _basis(a, b, 2)
    while basis[-1] <= number:
        basis = _basis(a, b, len(basis) + 1)
    digits = []
    for each in reversed(basis):
        digit, number = divmod(number, each)
        digits.append(digit)
    return digits


def _zeros(digits: list[int]) -> int:
    return next((i for i, digit in enumerate(reversed(digits)) if digit), len(digits))


def _shifted(digits: list[int], a: int, b: int, zeros: int = 1) -> int:
    """Return the number with these digits followed by some zeros."""
    places = [*digits, *([0] * zeros)]
    return sum(map(int.__mul__, reversed(places), _basis(a, b, len(places))))


RULES: Final = WythoffAB()
