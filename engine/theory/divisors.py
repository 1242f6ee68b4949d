"""Schuh's game of divisors: a notation for Chomp.

Two players name divisors of a number in turn. A player may not name a multiple of a divisor named
before, and the player who names 1 loses. With the exponents of the primes as coordinates the
divisors of p^a q^b are the cookies of a rectangle with sides a + 1 and b + 1; naming a divisor
bites it off with all its multiples, and 1 is the poison. Three or more primes make boxes of as many
dimensions.

Sources: F. Schuh, The game of divisions, Nieuw Tijdschrift voor Wiskunde 39 (1952) 299-304;
D. Gale, A curious Nim-type game, Amer. Math. Monthly 81 (1974) 876-879.

The numbers left during a game are the divisors of one or several numbers: `72` or `2^3*3^2` is the
game at its start, `2^3,2*3^2` the game after 12 was named, and `0` the empty board. On the board,
exponents of the smallest prime run along the rows, and of the other prime up the columns, so 72 is
`chomp:4/4/4`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

from position_oracle.engine.theory import boxes
from position_oracle.schema.errors import InvalidPositionError, NotationError

Factors = tuple[tuple[int, int], ...]
"""A number as (prime, exponent) pairs, primes ascending, exponents 1 or more; `()` is 1."""

Exponents = tuple[int, ...]
"""A number by its exponents, one for each prime of a position."""

MAX_BASE: Final = 10**9
"""Largest number written without a power."""
MAX_EXPONENT: Final = 9_999
"""Largest exponent of a prime."""
MAX_PRIMES: Final = 32
"""Maximum number of primes in a position or number."""
MAX_NUMBERS: Final = 256
"""Maximum number of generating numbers in a position."""
MAX_PRODUCT: Final = 4096
"""Maximum number of characters of a number."""

_POWER: Final = re.compile(r"([0-9]{1,10})(?:\^([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class DivisorPosition:
    """A position of the game of divisors: all divisors of some generating numbers.

    `parse` and `name` make positions in which no generating number divides another.

    Attributes:
        primes: the primes that occur, ascending.
        boxes: the sides of the boxes that the exponents of the numbers left fill, ascending; empty
            if 1 has been named. A generating number has exponents one less than the sides.
    """

    primes: tuple[int, ...]
    boxes: tuple[Exponents, ...]

    @property
    def numbers(self) -> tuple[Factors, ...]:
        """The generating numbers, whose divisors are left; none divides another."""
        return tuple(_number(self.primes, box) for box in reversed(self.boxes))

    def boxes_along(self, primes: Sequence[int]) -> list[Exponents]:
        """Return the sides of the boxes along the axes of some primes, also others."""
        place = {prime: axis for axis, prime in enumerate(self.primes)}
        axes = [place.get(prime) for prime in primes]
        return [tuple(1 if axis is None else box[axis] for axis in axes) for box in self.boxes]


def exponents_of(number: Factors, primes: Iterable[int]) -> Exponents:
    """Return the exponents of some primes in a number."""
    exponents = dict(number)
    return tuple(exponents.get(prime, 0) for prime in primes)


def parse_number(text: str) -> Factors:
    """Read a number: `72`, `2^3*3^2`, or any product of powers of whole numbers.

    Raises:
        NotationError: the text is not such a product, or exceeds a limit.
    """
    if len(text) > MAX_PRODUCT:
        raise NotationError(f"number of {len(text)} characters; at most {MAX_PRODUCT} are read")
    exponents: dict[int, int] = {}
    for part in text.split("*"):
        match = _POWER.fullmatch(part.strip())
        if match is None or not 1 <= int(match[1]) <= MAX_BASE:
            raise NotationError(
                f"{part.strip()[:60]!r} is not a factor of a number; write 72 or 2^3*3^2,"
                f" factors from 1 to {MAX_BASE}"
            )
        for prime, exponent in factorize(int(match[1])):
            exponents[prime] = exponents.get(prime, 0) + exponent * int(match[2] or 1)
    for prime, exponent in exponents.items():
        if exponent > MAX_EXPONENT:
            raise NotationError(
                f"{prime} has exponent {exponent}; at most {MAX_EXPONENT} is allowed"
            )
    _check_primes(len(exponents))
    return tuple(sorted((prime, exponent) for prime, exponent in exponents.items() if exponent))


def format_number(number: Factors) -> str:
    """Write a number as its prime powers, `2^3*3^2`; 1 is `1`; `parse_number` reads it back."""
    powers = (f"{prime}^{exponent}" if exponent > 1 else str(prime) for prime, exponent in number)
    return "*".join(powers) or "1"


def factorize(number: int) -> Factors:
    """Return the prime factors, by trial division.

    Raises:
        InvalidPositionError: the number is not in 1 .. `MAX_BASE`.
    """
    if not 1 <= number <= MAX_BASE:
        raise InvalidPositionError(f"number {number}; allowed are 1 to {MAX_BASE}")
    found = []
    divisor = 2
    while divisor <= isqrt(number):
        exponent = 0
        while number % divisor == 0:
            number //= divisor
            exponent += 1
        if exponent:
            found.append((divisor, exponent))
        divisor += 1 if divisor == 2 else 2
    return (*found, (number, 1)) if number > 1 else tuple(found)


def parse(text: str) -> DivisorPosition:
    """Read a position: generating numbers separated by commas; `0` for none.

    Raises:
        NotationError: the text is not such a list.
    """
    if text.strip() == "0":
        return DivisorPosition((), ())
    numbers = [parse_number(part) for part in text.split(",")]
    if len(numbers) > MAX_NUMBERS:
        raise NotationError(f"position of {len(numbers)} numbers; at most {MAX_NUMBERS} are read")
    primes = sorted({prime for number in numbers for prime, _ in number})
    _check_primes(len(primes))
    exponents = (exponents_of(number, primes) for number in numbers)
    whole = [tuple(exponent + 1 for exponent in each) for each in exponents]
    return _position(primes, boxes.maximal(whole, MAX_NUMBERS))


def format_position(position: DivisorPosition) -> str:
    """Write a position in its canonical text; `parse` reads it back."""
    return ",".join(map(format_number, position.numbers)) or "0"


def divisors(position: DivisorPosition) -> Iterator[Factors]:
    """Yield every number that can still be named, 1 first, by ascending exponents."""
    for point in boxes.points_of(position.boxes):
        yield _factors(position.primes, point)


def name(position: DivisorPosition, number: Factors) -> DivisorPosition:
    """Return the position after a number was named, without its multiples.

    Raises:
        InvalidPositionError: the number cannot be named.
    """
    return _after(position, _point(position, number))


def moves(position: DivisorPosition) -> Iterator[tuple[Factors, DivisorPosition]]:
    """Yield every number that can still be named, in order, and the position after it."""
    for point in boxes.points_of(position.boxes):
        yield _factors(position.primes, point), _after(position, point)


def named_between(before: DivisorPosition, after: DivisorPosition) -> Factors:
    """Return the number whose naming leads from one position to another.

    Raises:
        InvalidPositionError: no number does.
    """
    bite = boxes.bite_between(before.boxes, after.boxes_along(before.primes), 0)
    if bite is None or not set(after.primes) <= set(before.primes):
        raise InvalidPositionError("no number leads there")
    return _factors(before.primes, bite)


def to_board(position: DivisorPosition) -> tuple[int, ...]:
    """Return the position as row lengths of a Chomp board, the poison row first.

    Row i has one cookie for each number left with exponent i - 1 of the larger prime; a power of
    one prime is a single row.

    Raises:
        InvalidPositionError: the position has more than two primes, so it is not a flat board.
    """
    if len(position.primes) > 2:
        sides = " x ".join(str(max(column)) for column in zip(*position.boxes, strict=True))
        raise InvalidPositionError(
            f"{format_position(position)} has {len(position.primes)} primes and needs a board of as"
            f" many dimensions, {sides}; Chomp boards have two"
        )
    flat = [(*box, 1, 1)[:2] for box in position.boxes]
    height = max((high for _, high in flat), default=0)
    return tuple(max(wide for wide, high in flat if high > row) for row in range(height))


def bite_of(position: DivisorPosition, number: Factors) -> tuple[int, int]:
    """Return the bite, row and column from 1, that naming a number is on the board.

    Raises:
        InvalidPositionError: the number cannot be named, or the position is not a flat board.
    """
    point = _point(position, number)
    to_board(position)
    along, up = (*point, 0, 0)[:2]
    return up + 1, along + 1


def number_of(position: DivisorPosition, bite: tuple[int, int]) -> Factors:
    """Return the number that a bite, row and column from 1, names.

    Raises:
        InvalidPositionError: there is no such cookie, or the position is not a flat board.
    """
    row, column = bite
    board = to_board(position)
    if not (1 <= row <= len(board) and 1 <= column <= board[row - 1]):
        raise InvalidPositionError(
            f"no cookie in row {row}, column {column} of {'/'.join(map(str, board)) or '0'}"
        )
    return _factors(position.primes, (column - 1, row - 1))


def _check_primes(number: int) -> None:
    if number > MAX_PRIMES:
        raise NotationError(f"{number} different primes; at most {MAX_PRIMES} are allowed")


def _point(position: DivisorPosition, number: Factors) -> Exponents:
    """Return the exponents of a number that can still be named."""
    point = exponents_of(number, position.primes)
    if dict(number).keys() <= set(position.primes) and boxes.has(position.boxes, point):
        return point
    raise InvalidPositionError(
        f"{format_number(number)} cannot be named in {format_position(position)}"
    )


def _factors(primes: Sequence[int], exponents: Exponents) -> Factors:
    pairs = zip(primes, exponents, strict=False)
    return tuple((prime, exponent) for prime, exponent in pairs if exponent)


def _number(primes: Sequence[int], box: Exponents) -> Factors:
    """Return the number whose divisors fill a box."""
    return _factors(primes, tuple(side - 1 for side in box))


def _after(position: DivisorPosition, point: Exponents) -> DivisorPosition:
    """Return the position after a bite."""
    return _position(position.primes, boxes.bitten(position.boxes, point))


def _position(primes: Sequence[int], whole: tuple[Exponents, ...]) -> DivisorPosition:
    """Leave out primes that do not occur."""
    if len(whole) > MAX_NUMBERS:
        raise InvalidPositionError(
            f"position of more than {MAX_NUMBERS} numbers, none a divisor of another"
        )
    axes = [axis for axis in range(len(primes)) if any(box[axis] > 1 for box in whole)]
    return DivisorPosition(
        tuple(primes[axis] for axis in axes),
        tuple(tuple(box[axis] for axis in axes) for box in whole),
    )
