"""Schuh's game of divisors: `divisors:72`, `divisors:2^3*3^2`, `divisors:2^3,2*3^2`.

Two players name divisors of a number in turn, no multiple of one named before; the player who names
1 loses. It is Chomp with the exponents of the primes as coordinates; see `engine.theory.divisors`.

A position is the set of numbers that can still be named: all divisors of some generating numbers,
none of which divides another. As coordinates, for batches, it is the number of primes, the number
of generating numbers, the primes in ascending order, and the exponents of each generating number,
in descending order of these numbers:

    2^3*3^2           (2, 1, 2, 3, 3, 2)
    2^3,2*3^2         (2, 2, 2, 3, 3, 0, 1, 2)
    1                 (0, 1)            only 1 is left: terminal, and lost
    0                 (0, 0)            1 has been named: the player to move has won
"""

from collections.abc import Iterable
from itertools import islice
from math import prod
from typing import Final

from position_oracle.engine.budget import watched
from position_oracle.engine.games import actions
from position_oracle.engine.games.board_rules import BoardRules, Place
from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.choices import MAX_COUNTED, MAX_LISTED, Choices
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import Regular, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import MAX_COOKIES, Tree, poset_tree
from position_oracle.engine.theory import divisors as schuh
from position_oracle.engine.theory.boxes import few_points
from position_oracle.engine.theory.divisors import DivisorPosition, Factors
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action

MAX_NUMBER: Final = 2**63 - 1
"""Numbers above this limit are written only as products of prime powers."""


class Divisors(BoardRules):
    """Rules of the game of divisors; moves are sorted by exponents, the smallest prime first."""

    family = "divisors"
    introductions = (
        Introduction(
            title="Divisors",
            start="divisors:72",
            rules="Name a number that is left. It and all its multiples go.",
            loses="you have to name 1",
            note="F. Schuh’s game is Chomp in disguise, with a dimension for each prime factor.",
        ),
    )
    form = "divisors:2^3*3^2"
    typed_moves = (("6", "name the number 6; or 2*3"),)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position from the coordinates that `numbers` gives."""
        left = _decoded(coordinates)
        if left is None or schuh.parse(schuh.format_position(left)) != left:
            raise InvalidPositionError(
                f"{self.family}: {list(coordinates[:12])} are not coordinates of a game of"
                " divisors;"
                " write the numbers whose divisors are left, e.g. divisors:2^3,2*3^2"
            )
        return Position(game, left)

    def numbers(self, value: DivisorPosition) -> Coordinates:
        """Return the numbers of primes and generating numbers, the primes, and all exponents."""
        exponents = (side - 1 for box in reversed(value.boxes) for side in box)
        return (len(value.primes), len(value.boxes), *value.primes, *exponents)

    def actions(self, value: DivisorPosition, game: GameSpec) -> Regular:
        """Yield every number that can be named; 1 comes first."""
        return schuh.moves(value)

    def action(self, position: Position, called: Factors) -> Action:
        """Return the action that names a number."""
        return _naming(called)

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the move that names the number; a bite of the board may stand for the number."""
        left = position.value
        try:
            if isinstance(aim, Action):
                named = _number_of(left, aim)
            else:
                named = schuh.named_between(left, aim.value)
            yield named, schuh.name(left, named)
        except ValueError as error:
            if isinstance(aim, Action):
                raise refused(position, aim, str(error)) from None

    def tree(self, position: Position, *, misere: bool) -> Tree[int]:
        """Return the tree by the exponents of the numbers that can be named."""
        primes = position.value.primes
        return poset_tree(position, lambda other: other.value.boxes_along(primes), misere=misere)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read numbers separated by commas; `0` if 1 has been named."""
        text, passes = split_passes(body)
        return Position(options.with_passes(passes), schuh.parse(text))

    def format_body(self, position: Position) -> str:
        """Write the numbers whose divisors are left as products of prime powers."""
        return schuh.format_position(position.value) + format_passes(position.game.passes)

    def rows_of(self, position: Position) -> Coordinates | None:
        """Return the board of a position with at most two primes; None for other positions."""
        return schuh.to_board(position.value) if len(position.value.primes) <= 2 else None

    def place_of(self, position: Position, action: Action) -> Place:
        """Return the bite that corresponds to the number."""
        return schuh.bite_of(position.value, _number_of(position.value, action))

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read a number in digits or as a product, or row and column of the board."""
        bite = actions.read_bite(typed)
        text = typed.removeprefix("name ").strip()
        if bite is not None or not text or set(text) - set("0123456789*^ "):
            return bite
        try:
            named = schuh.parse_number(text)
        except NotationError:
            return None
        return _naming(named)

    def choices(
        self, value: DivisorPosition, game: GameSpec
    ) -> Choices[tuple[Factors, DivisorPosition]] | None:
        """Number the options; for many primes, positions take long to make."""
        numbers = list(islice(watched(schuh.divisors(value)), MAX_LISTED + 1))
        if len(numbers) > MAX_LISTED:
            return None

        def option(number: int) -> tuple[Factors, DivisorPosition]:
            return numbers[number], schuh.name(value, numbers[number])

        return Choices(len(numbers), option, len(numbers))

    def count(self, value: DivisorPosition, game: GameSpec, most: int) -> int:
        """Count the numbers that can be named."""
        few = few_points(value.boxes, MAX_COUNTED)
        return most if few is None else min(most, len(few))

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield 1, the primes (which take the most), and the numbers without multiples left."""
        left = position.value
        numbers = [(), *(((prime, 1),) for prime in left.primes), *left.numbers]
        return map(_naming, numbers)

    def amount(self, position: Position) -> int:
        """Return how many numbers can be named; of very many an upper bound."""
        left = position.value
        if len(left.primes) <= 2:
            return sum(schuh.to_board(left))
        few = sum(1 for _ in islice(schuh.divisors(left), MAX_COOKIES))
        if few < MAX_COOKIES:
            return few
        return sum(map(prod, left.boxes))


def _decoded(coordinates: Coordinates) -> DivisorPosition | None:
    """Return the position with these coordinates, perhaps with zeros after them; else None."""
    if len(coordinates) < 2 or min(coordinates) < 0:
        return None
    primes, numbers, *rest = coordinates
    needed = primes * (1 + numbers)
    if len(rest) < needed or any(rest[needed:]):
        return None
    tops = (rest[i * primes : (i + 1) * primes] for i in range(numbers, 0, -1))
    return DivisorPosition(tuple(rest[:primes]), tuple(tuple(e + 1 for e in top) for top in tops))


def _naming(named: Factors) -> Action:
    text = schuh.format_number(named)
    number = _as_int(named)
    power_product = text if number is None else None
    return Action(divisor=number, power_product=power_product, words=f"name {text}")


def _as_int(number: Factors) -> int | None:
    """Return a number as an int; None if it exceeds `MAX_NUMBER`."""
    if sum(exponent * (prime.bit_length() - 1) for prime, exponent in number) >= 63:
        return None
    value = prod(prime**exponent for prime, exponent in number)
    return value if value <= MAX_NUMBER else None


def _number_of(left: DivisorPosition, action: Action) -> Factors:
    """Return the number that an action names.

    Raises:
        NotationError, InvalidPositionError: the action names no number.
    """
    if action.bite is not None:
        return schuh.number_of(left, (action.bite.row, action.bite.column))
    if action.power_product is not None:
        return schuh.parse_number(action.power_product)
    if action.divisor is None or action.divisor < 1:
        raise InvalidPositionError("a move names a number")
    return factors_of(action.divisor, left.primes)


def factors_of(number: int, primes: Iterable[int]) -> Factors:
    """Factor a number all of whose primes are known.

    Raises:
        InvalidPositionError: the number has other primes.
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


RULES: Final = Divisors()
