"""Moore's Nim: take any number of tokens from each of at most k heaps, at least one token.

E. H. Moore, A generalization of the game called Nim, Annals of Mathematics 11 (1910): write the
heaps in binary and add each digit modulo k + 1; the previous player wins exactly if all sums are 0.
Misere play differs only if no heap exceeds 1: then the number of heaps modulo k + 1 has to be 1
(Berlekamp, Conway & Guy, Winning Ways, chapter 15).
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Final

from position_oracle.engine.budget import watched
from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import SeveralHeaps, Takings, most_heaps
from position_oracle.schema.games import Introduction

MAX_CHOICES: Final = 2_000
"""Maximum number of choices of heaps that are searched for all winning moves."""

_CHOICE_SECONDS: Final = 1e-4


class Moore(SeveralHeaps):
    """Rules of Moore's Nim."""

    family = "moore"
    introductions = (
        Introduction(
            title="Moore’s Nim",
            start="moore{k=2}:[2,3,4]",
            rules=(
                "Choose at most {k} heaps and take as many tokens as you like from each "
                "of them, at least one in all."
            ),
            loses="no token is left for you",
            note="With one heap a move it is Nim.",
        ),
    )
    form = "moore{k=2}:[3,5,7]"
    example = "[3,5,7]"
    about = "heaps of any size, normal and misere play without passes; else few small heaps"

    def largest_takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield the taking of all tokens of the largest heaps."""
        chosen = sorted(range(len(value)), key=value.__getitem__)[-most_heaps(game) :]
        yield tuple(heap if i in chosen else 0 for i, heap in enumerate(value))

    def count(self, value: Coordinates, game: GameSpec, most: int) -> int:
        """Add the products of the sizes of at most k heaps: elementary symmetric polynomials."""
        products = [1] + [0] * most_heaps(game)
        for heap in filter(None, value):
            for chosen in range(len(products) - 1, 0, -1):
                products[chosen] = min(most, products[chosen] + heap * products[chosen - 1])
        return min(most, sum(products[1:]))

    def theorem(self, position: Position) -> Theorem | None:
        """Apply Moore's theorem, or its misere form."""
        heaps, k = position.value, most_heaps(position.game)
        if position.game.misere and max(heaps) <= 1:
            reason = f"Winning Ways, chapter 15: misere, P exactly if heaps mod {k + 1} are 1"
            return Theorem(sum(heaps) % (k + 1) == 1, reason)
        is_p = not any(_lacking(sum(map(_digits, heaps)), k, max(heaps).bit_length()))
        return Theorem(is_p, f"Moore: P exactly if every binary digit sums to 0 mod {k + 1}")

    def likely_wins(self, position: Position) -> Iterator[Coordinates] | None:
        """Choose heaps, then the binary digits left of each, so that all sums are 0."""
        heaps, k = position.value, most_heaps(position.game)
        if _number_of_choices(position) > MAX_CHOICES:
            return None
        return self._likely(heaps, k, misere=position.game.misere)

    def likely_seconds(self, position: Position) -> float:
        """Return the time for the choices of at most as many heaps as allowed."""
        return _CHOICE_SECONDS * _number_of_choices(position)

    def some_win(self, position: Position) -> Coordinates:
        """Find a winning child by Moore's method, from the highest digit on."""
        heaps, k = list(position.value), most_heaps(position.game)
        lowered: list[int] = []
        for bit in range(max(heaps).bit_length() - 1, -1, -1):
            ones = [i for i, heap in enumerate(heaps) if heap >> bit & 1 and i not in lowered]
            excess = len(ones) % (k + 1)
            lacking = (k + 1 - excess) % (k + 1)
            if lacking > len(lowered):
                lowered += ones[:excess]
                lacking = 0
            for number, i in enumerate(lowered):
                heaps[i] = heaps[i] & ~(1 << bit) | (number < lacking) << bit
        return tuple(heaps)

    def _likely(self, heaps: Coordinates, k: int, *, misere: bool) -> Iterator[Coordinates]:
        digits, places = list(map(_digits, heaps)), max(1, max(heaps).bit_length())
        total, large = sum(digits), sum(heap > 1 for heap in heaps)
        for count in range(1, min(k, len(heaps)) + 1):
            for chosen in watched(combinations(range(len(heaps)), count)):
                tops = [heaps[i] for i in chosen]
                wanted = _lacking(total - sum(digits[i] for i in chosen), k, places)
                found = _below(tops, wanted) if max(wanted) <= count else iter(())
                if misere and large == sum(top > 1 for top in tops):
                    flat = product(*(range(min(top, 2)) for top in tops))
                    found = iter(dict.fromkeys([*found, *flat]))
                for sizes in found:
                    rest = dict(zip(chosen, sizes, strict=True))
                    yield tuple(rest.get(i, heap) for i, heap in enumerate(heaps))


def _number_of_choices(position: Position) -> int:
    """Return the number of choices of heaps that a move may take from."""
    heaps = len(position.value)
    most = min(most_heaps(position.game), heaps)
    return sum(comb(heaps, count) for count in range(1, most + 1))


def _below(tops: list[int], wanted: bytes) -> Iterator[tuple[int, ...]]:
    """Yield numbers, each below its bound, with a given number of ones at each binary place.

    Args:
        tops: the bounds; each number is smaller than its bound.
        wanted: the number of ones at each place, the highest first.
    """

    @cache
    def rest(place: int, free: tuple[bool, ...]) -> tuple[tuple[bool, ...], ...]:
        """Return the choices of digits at a place that can be completed."""
        digits = [top >> (len(wanted) - 1 - place) & 1 for top in tops]
        allowed = [
            (False, True) if is_free or digit else (False,)
            for is_free, digit in zip(free, digits, strict=True)
        ]
        fitting = (ones for ones in product(*allowed) if sum(ones) == wanted[place])
        return tuple(ones for ones in fitting if ends(place + 1, freed(place, free, ones)))

    def freed(place: int, free: tuple[bool, ...], ones: tuple[bool, ...]) -> tuple[bool, ...]:
        bit = len(wanted) - 1 - place
        return tuple(
            is_free or (top >> bit & 1) > one
            for is_free, top, one in zip(free, tops, ones, strict=True)
        )

    def ends(place: int, free: tuple[bool, ...]) -> bool:
        return bool(rest(place, free)) if place < len(wanted) else all(free)

    def numbers(
        place: int, free: tuple[bool, ...], high: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        """Yield the numbers that begin with these digits."""
        if place == len(wanted):
            yield high
            return
        for ones in rest(place, free):
            longer = tuple(2 * number + one for number, one in zip(high, ones, strict=True))
            yield from numbers(place + 1, freed(place, free, ones), longer)

    none = (False,) * len(tops)
    return numbers(0, none, (0,) * len(tops)) if ends(0, none) else iter(())


def _digits(heap: int) -> int:
    """Return the binary digits of a heap, one a byte, so that digits of many heaps may be added."""
    return int.from_bytes(f"{heap:b}".encode().translate(_OF_TEXT), "big")


_OF_TEXT: Final = bytes(code - ord("0") if chr(code) in "01" else 0 for code in range(256))


def _lacking(ones: int, k: int, places: int) -> bytes:
    """Return how many ones each place lacks for a multiple of k + 1, the highest place first.

    Args:
        ones: the number of ones at each place, one a byte.
        k: the maximum number of heaps that a move takes from.
        places: the number of places.
    """
    return ones.to_bytes(places, "big").translate(_lacked(k))


@cache
def _lacked(k: int) -> bytes:
    return bytes(-number % (k + 1) for number in range(256))


RULES: Final = Moore()
