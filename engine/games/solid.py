"""Chomp on boards of three or more dimensions: `chomp:3x3x3`, `chomp:2x2x2+3x1x1`.

A board is a union of boxes with a corner at the poison, joined by +. A bite takes a cookie and all
cookies that are at least as far from the poison in every direction; the player who eats the poison
loses. A position lists the boxes that are inside no other box, ascending; 0x0x0 is the empty board.
"""

from collections.abc import Iterable
from operator import lt
from typing import ClassVar, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_passes, parse_numbers, split_passes
from position_oracle.engine.games.choices import MAX_COUNTED
from position_oracle.engine.games.listed import Actions, ListedRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import OptionReaders, check_coordinates, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import MAX_COOKIES, Tree, poset_tree
from position_oracle.engine.theory.boxes import bite_between, bitten, few_points, maximal, points_of
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action
from position_oracle.schema.numbers import read_digits, read_int

MAX_DIMENSIONS: Final = 8


class Solid(ListedRules):
    """Rules of Chomp in three or more dimensions; coordinates are the sides of the boxes."""

    family = "solid"
    name = "chomp"
    introductions = (
        Introduction(
            title="Chomp in {dimensions} dimensions",
            start="chomp:2x3x2",
            rules=(
                "Choose a cookie and eat it with every cookie that is nowhere closer to "
                "the poison. The cookie in the corner is poisoned."
            ),
            loses="you have to eat the poison",
            note="The player who begins can win on every full box.",
        ),
    )
    form = "chomp:3x3x3, chomp:2x2x2+3x1x1"
    example = "3x3x3"
    example_options = (("dimensions", "3"),)
    about = "boards of three dimensions and more whose positions are few; 4x4x4 is one"
    has_poison = True
    hides = frozenset({"dimensions"})
    options: ClassVar[OptionReaders] = {
        "dimensions": lambda text: str(read_int(text, 3, MAX_DIMENSIONS, "dimensions"))
    }
    typed_moves = (("(0 1 2)", "bite the cookie with these distances from the poison"),)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position from the boxes inside no other box, ascending; drop empty boxes."""
        self.check(game, coordinates)
        return Position(game, _sides(maximal(filter(all, _boxes(coordinates, game)))))

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Check that the numbers are the sides of boxes."""
        check_coordinates(self.form, "", coordinates)
        if len(coordinates) % (dimensions := _dimensions(game)):
            raise InvalidPositionError(
                f"{game.text}: {len(coordinates)} numbers; each box has {dimensions} sides"
            )

    def parse(self, body: str, game: GameSpec) -> tuple[Coordinates, int]:
        """Read boxes joined by +, all with the same number of sides."""
        text, passes = split_passes(body)
        boxes = [parse_numbers(box, "x", self.form) for box in text.split("+")]
        sides = {len(box) for box in boxes}
        if sides != {_dimensions(game)}:
            raise NotationError(f"{self.form}: every box has {_dimensions(game)} sides")
        return tuple(side for box in boxes for side in box), passes

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read boxes; the first box fixes the number of dimensions."""
        if options.declared and options.family != self.family:
            raise NotationError(
                f"{self.form}: say how many dimensions declared positions have, e.g."
                " chomp{dimensions=3,declared=[2,2,2]}:3x3x3"
            )
        if options.family != self.family:
            sides = body.partition("+")[0].count("x") + 1
            dimensions = self.canonical_options((("dimensions", str(sides)),))
            options = GameSpec(self.family, options=dimensions, misere=options.misere)
        return super().parse_body(body, options)

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        """Write boxes joined by +."""
        boxes = _boxes(coordinates, game) or [(0,) * _dimensions(game)]
        return "+".join("x".join(map(str, box)) for box in boxes) + format_passes(game.passes)

    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """Yield every cookie, ascending; the poison comes first."""
        boxes = _boxes(value, game)
        cookies = points_of(boxes)
        return ((cookie, _sides(bitten(boxes, cookie))) for cookie in cookies)

    def action(self, position: Position, called: Coordinates) -> Action:
        """Return the bite at a cookie."""
        return actions.biting_at(map(str, called))

    def matching(self, position: Position, aim: Action | Position) -> Actions:
        """Find the cookie of a bite."""
        boxes = _boxes(position.value, position.game)
        if not isinstance(aim, Action):
            found = bite_between(boxes, _boxes(aim.value, aim.game), 0)
            if found is not None:
                yield found, aim.value
            return
        texts = aim.ordinal_bite or ()
        cookie = tuple(
            number if (number := read_digits(text)) is not None else -1 for text in texts
        )
        inside = (len(box) == len(cookie) and all(map(lt, cookie, box)) for box in boxes)
        if not cookie or min(cookie) < 0 or not any(inside):
            raise refused(position, aim, "there is no such cookie")
        yield cookie, _sides(bitten(boxes, cookie))

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read coordinates in parentheses, `(0 1 2)`, from 0; or row, column and layers, from 1."""
        return actions.read_bite_at(typed) or super().read_action(position, typed)

    def count(self, value: Coordinates, game: GameSpec, most: int) -> int:
        """Count the cookies."""
        few = few_points(_boxes(value, game), MAX_COUNTED)
        return most if few is None else min(most, len(few))

    def amount(self, position: Position) -> int:
        """Return the number of cookies if it is small; else the sum of the sides."""
        boxes = _boxes(position.value, position.game)
        few = few_points(boxes, MAX_COOKIES)
        return MAX_COOKIES + sum(position.value) if few is None else len(few)

    def tree(self, position: Position, *, misere: bool) -> Tree[int]:
        """Return the tree by the cookies."""
        return poset_tree(position, lambda other: _boxes(other.value, other.game), misere=misere)


def _boxes(coordinates: Coordinates, game: GameSpec) -> list[Coordinates]:
    size = _dimensions(game)
    return [coordinates[i : i + size] for i in range(0, len(coordinates), size)]


def _sides(boxes: Iterable[Coordinates]) -> Coordinates:
    return tuple(side for box in boxes for side in box)


def _dimensions(game: GameSpec) -> int:
    return int(game.option("dimensions") or 3)


RULES: Final = Solid()
