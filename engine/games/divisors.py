"""Schuh's game of divisors: `divisors:72`, `divisors:2^3*3^2`, `divisors:2^3,2*3^2`.

Two players name divisors of a number in turn, no multiple of one named before; whoever names 1
loses. It is Chomp with the exponents of the primes as coordinates; see `engine.theory.divisors`.

A position is what can still be named: all divisors of some numbers, none of which divides another
one. Its coordinates are the number of primes, the number of those numbers, the primes in ascending
order, and the exponents of each number, the numbers in descending order:

    2^3*3^2           (2, 1, 2, 3, 3, 2)
    2^3,2*3^2         (2, 2, 2, 3, 3, 0, 1, 2)
    1                 (0, 1)            only 1 is left: terminal, and lost
    0                 (0, 0)            1 has been named: the player to move has won
"""

import random
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from math import prod
from typing import Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.board_rules import BoardRules
from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.rules import MAX_LISTED, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import MAX_COOKIES, PosetTree, poset_tree
from position_oracle.engine.theory import divisors as schuh
from position_oracle.engine.theory.divisors import DivisorPosition, Factors
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.moves import Action

ONE: Final = (0, 1)
EMPTY: Final = (0, 0)

MAX_NUMBER: Final = 2**63 - 1
"""Larger numbers are written as products of prime powers alone."""


class Divisors(BoardRules):
    """Rules of the game of divisors; moves by ascending exponents, the smallest prime first."""

    family = "divisors"
    form = "divisors:2^3*3^2"
    typed_moves = (("6", "name the number 6; or 2*3"),)
    allows = frozenset({"passes", "misere"})

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Coordinates as `encode` makes them."""
        if any(number < 0 for number in coordinates) or not _is_canonical(coordinates):
            raise InvalidPositionError(
                f"{self.family}: {list(coordinates[:12])} are no coordinates of a game of divisors;"
                " write the numbers whose divisors are left, e.g. divisors:2^3,2*3^2"
            )

    def tree(self, position: Position, *, misere: bool) -> PosetTree:
        """By the exponents of the numbers that can be named."""
        left = decode(position.coordinates)
        numbers = list(islice(schuh.divisors(left), MAX_COOKIES + 1))
        exponents = [dict(number) for number in numbers]
        points = [tuple(each.get(prime, 0) for prime in left.primes) for each in exponents]

        def has(position: Position) -> Callable[[Coordinates], bool]:
            named = dict(zip(points, numbers, strict=True))
            left = decode(position.coordinates)
            return lambda point: left.has(named[point])

        return poset_tree(points, has, misere=misere)

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Only 1 can be named; in misere play, where naming it wins, nothing can."""
        return coordinates == (EMPTY if game.misere else ONE)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """The opponent has just named 1."""
        return coordinates == EMPTY and not game.misere

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Naming any number that is left; 1 is the first."""
        position = decode(coordinates)
        for number in schuh.divisors(position):
            yield encode(schuh.name(position, number))

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read numbers separated by commas; `0` if 1 has been named."""
        text, passes = split_passes(body)
        return Position(options.with_passes(passes), encode(schuh.parse(text)))

    def rows_of(self, position: Position) -> Coordinates | None:
        """The board of a game of at most two primes."""
        left = decode(position.coordinates)
        return schuh.to_board(left) if len(left.primes) <= 2 else None

    def bite_of(self, position: Position, move: Move) -> tuple[int, int] | None:
        """By the number named: a child may have one prime less, and then its board lies down."""
        left = decode(position.coordinates)
        if move.is_pass or len(left.primes) > 2:
            return None
        return schuh.bite_of(left, named_number(position.coordinates, move.child.coordinates))

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By the number named."""
        try:
            named = named_number(position.coordinates, child.coordinates)
        except ValueError:
            return
        yield _naming(named)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The number, as it is or as a product; or row and column of its board."""
        bite = actions.read_bite(typed)
        text = typed.removeprefix("name ").strip()
        if bite is not None or not text or set(text) - set("0123456789*^ "):
            return bite
        try:
            named = schuh.parse_number(text)
        except NotationError:
            return None
        return _naming(named)

    def random_move(self, position: Position, chance: random.Random) -> Move:
        """By the number named: where many primes are left, positions after it take long to make."""
        numbers = list(islice(schuh.divisors(decode(position.coordinates)), MAX_LISTED + 1))
        if len(numbers) > MAX_LISTED or self._is_closed(position):
            return chance.choice(list(self.notable_moves(position)))
        chosen = chance.randrange(len(numbers) + self._can_pass(position))
        if chosen == len(numbers):
            return Move(position.passed(), is_pass=True, action=actions.THE_PASS)
        action = _naming(numbers[chosen])
        return Move(self.after(position, action), action=action)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """1 and the primes, which take the most, and the numbers that nothing is a multiple of."""
        left = decode(position.coordinates)
        numbers = [(), *(((prime, 1),) for prime in left.primes), *left.numbers]
        return map(_naming, numbers)

    def amount(self, position: Position) -> int:
        """How many numbers can be named; of more than two primes, at least as many."""
        left = decode(position.coordinates)
        if len(left.primes) <= 2:
            return sum(schuh.to_board(left))
        return sum(prod(exponent + 1 for exponent in top) for top in left.maximal)

    def after(self, position: Position, action: Action) -> Position:
        """What can still be named after a number, which may be given by a bite of its board."""
        left = decode(position.coordinates)
        try:
            return position.child(encode(schuh.name(left, _number_of(left, action))))
        except ValueError as error:
            raise refused(position, action, str(error)) from None

    def texts(self, position: Position, action: Action) -> tuple[str, ...]:
        """The number, as a product of prime powers or as it is; or row and column of its board."""
        left = decode(position.coordinates)
        named = _number_of(left, action)
        texts = [schuh.format_number(named)]
        if action.divisor is not None:
            texts.append(str(action.divisor))
        if len(left.primes) <= 2:
            row, column = schuh.bite_of(left, named)
            texts.append(f"{row} {column}")
        return tuple(dict.fromkeys(texts))

    def format_body(self, position: Position) -> str:
        """Write the numbers whose divisors are left as products of prime powers."""
        text = schuh.format_position(decode(position.coordinates))
        return text + format_passes(position.game.passes)


def encode(position: DivisorPosition) -> Coordinates:
    """The coordinates of a position."""
    exponents = (exponent for number in position.maximal for exponent in number)
    return (len(position.primes), len(position.maximal), *position.primes, *exponents)


@lru_cache(maxsize=256)
def decode(coordinates: Coordinates) -> DivisorPosition:
    """The position that coordinates stand for.

    Raises:
        InvalidPositionError: there are not as many as the first two say.
    """
    if len(coordinates) >= 2:
        primes, numbers, *rest = coordinates
        if len(rest) == primes * (1 + numbers):
            tops = (tuple(rest[i * primes : (i + 1) * primes]) for i in range(1, numbers + 1))
            return DivisorPosition(tuple(rest[:primes]), tuple(tops))
    raise InvalidPositionError(f"{list(coordinates[:12])} are no coordinates of a game of divisors")


def named_number(coordinates: Coordinates, child: Coordinates) -> Factors:
    """The number whose naming leads from a position to its child.

    Raises:
        InvalidPositionError: none does.
    """
    before, after = decode(coordinates), decode(child)
    if not set(after.primes) <= set(before.primes):
        raise InvalidPositionError("no number names new primes")
    places = [before.primes.index(prime) for prime in after.primes]
    left = [_spread(top, places, len(before.primes)) for top in after.maximal]
    gone = next((top for top in before.maximal if top not in left), None)
    if gone is None:
        raise InvalidPositionError("nothing has been named")
    # Along each prime, the multiples of the number named end the divisors of `gone` that are left.
    exponents = (_left_along(gone, axis, left) for axis in range(len(before.primes)))
    pairs = zip(before.primes, exponents, strict=True)
    return tuple((prime, exponent) for prime, exponent in pairs if exponent)


def _naming(named: Factors) -> Action:
    text = schuh.format_number(named)
    number = _as_int(named)
    power_product = text if number is None else None
    return Action(divisor=number, power_product=power_product, words=f"name {text}")


def _as_int(number: Factors) -> int | None:
    """A number as it is; None where it is larger than `MAX_NUMBER`."""
    if sum(exponent * (prime.bit_length() - 1) for prime, exponent in number) >= 63:
        return None
    value = prod(prime**exponent for prime, exponent in number)
    return value if value <= MAX_NUMBER else None


def _number_of(left: DivisorPosition, action: Action) -> Factors:
    """The number that an action names.

    Raises:
        NotationError, InvalidPositionError: it names none.
    """
    if action.bite is not None:
        return schuh.number_of(left, (action.bite.row, action.bite.column))
    if action.power_product is not None:
        return schuh.parse_number(action.power_product)
    if action.divisor is None or action.divisor < 1:
        raise InvalidPositionError("a move names a number")
    return factors_of(action.divisor, left.primes)


def factors_of(number: int, primes: Iterable[int]) -> Factors:
    """The factors of a number all of whose primes are known.

    Raises:
        InvalidPositionError: it has other primes.
    """
    found, rest = [], number
    for prime in primes:
        exponent = 0
        while rest % prime == 0:
            rest, exponent = rest // prime, exponent + 1
        if exponent:
            found.append((prime, exponent))
    if rest != 1:
        raise InvalidPositionError(f"{number} has other primes")
    return tuple(found)


def _spread(top: tuple[int, ...], places: list[int], size: int) -> tuple[int, ...]:
    exponents = dict(zip(places, top, strict=True))
    return tuple(exponents.get(place, 0) for place in range(size))


def _left_along(gone: tuple[int, ...], axis: int, left: list[tuple[int, ...]]) -> int:
    """How many numbers are left that differ from one that is gone in one exponent only."""
    above = [
        top[axis] + 1
        for top in left
        if all(top[i] >= gone[i] for i in range(len(gone)) if i != axis)
    ]
    return max(above, default=0)


def _is_canonical(coordinates: Coordinates) -> bool:
    try:
        position = decode(coordinates)
        return schuh.parse(schuh.format_position(position)) == position
    except ValueError:
        return False


RULES: Final = Divisors()
