"""Transfinite Chomp: boxes at the origin joined by `+`, whose sides are ordinals.

    transfinite:3xw^w
    transfinite:1x(w*3) + 2x(w*2+1)      two columns, of heights w*3 and w*2+1
    transfinite:[w w; w*2 w+1]           the bird's-eye view [v z; u y] of a base within 2 x 2
    transfinite:0                        the empty position: the player to move has won

Huddleston & Shurman, Transfinite Chomp. The theory is in `engine.theory.transfinite`; this module
makes a family of it. The value of a position is its shape, the union of boxes in its unique normal
form. An infinite position has no list of moves.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.board_rules import BoardRules, Place
from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.choices import MAX_COUNTED, Choices, in_lines
from position_oracle.engine.games.drawing import MAX_DRAWN
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import (
    EndlessError,
    Regular,
    check_coordinates,
    refused,
)
from position_oracle.engine.games.spec import MAX_TEXT, Coordinates, GameSpec
from position_oracle.engine.games.tree import Tree, poset_tree
from position_oracle.engine.theory.boxes import bite_between, few_points, points_of
from position_oracle.engine.theory.transfinite.finite import finite_boxes, to_rows
from position_oracle.engine.theory.transfinite.ordinal import ONE, ZERO, Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.position import Bite
from position_oracle.engine.theory.transfinite.position import OrdinalPosition as Shape
from position_oracle.engine.theory.transfinite.position_text import (
    MAX_BOXES,
    MAX_DIMENSION,
    format_position,
    parse_position,
)
from position_oracle.engine.theory.transfinite.size import size
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    ResourceLimitError,
)
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action

MOST_AT_RANDOM: Final = 9
"""Largest coefficient that random moves leave of an infinite side."""

FAR: Final = 1_000_000


def position_of(shape: Shape) -> Position:
    """Return the position of the family with this shape."""
    return Position(TRANSFINITE, shape)


def shape_of(position: Position) -> Shape:
    """Return the shape of a position of transfinite Chomp.

    Raises:
        InvalidPositionError: the position belongs to another game.
    """
    if not isinstance(position.value, Shape):
        raise InvalidPositionError(
            f"{position.game.text} has no boxes; positions are written {TransfiniteRules.form}"
        )
    return position.value


class TransfiniteRules(BoardRules):
    """Rules of transfinite Chomp: a bite at a cookie v removes all x with x_i >= v_i."""

    family = "transfinite"
    introductions = (
        Introduction(
            title="Transfinite Chomp",
            start="transfinite:2x(w+1)",
            rules=(
                "Choose a cookie and eat it with every cookie beyond it. Rows may be "
                "infinitely long: w is the first number after 1, 2, 3, and so on."
            ),
            loses="you have to eat the poison",
            note="Every game ends after finitely many moves, however long the board is.",
        ),
    )
    typed_moves = (
        ("(w, 3)", "bite the cookie with these coordinates, which begin at 0"),
        *BoardRules.typed_moves,
    )
    form = "transfinite:1x(w*3) + 2x(w*2+1), boxes with ordinals below epsilon_0 as sides"

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a finite position from the number of axes and the sides of its boxes."""
        check_coordinates(self.family, "", coordinates)
        axes, *sides = coordinates or (0,)
        boxes: list[list[int]] = []
        if axes <= MAX_DIMENSION:
            while sides and not sides[-1]:
                sides.pop()
            sides += [0] * (-len(sides) % (axes or 1))
            boxes = [sides[begin : begin + axes] for begin in range(0, len(sides), axes or 1)]
        if axes > MAX_DIMENSION or len(boxes) > MAX_BOXES or not all(boxes):
            raise InvalidPositionError(
                f"{self.family}: {list(coordinates[:12])} are not the number of axes, at most"
                f" {MAX_DIMENSION}, and the sides of at most {MAX_BOXES} boxes; infinite positions"
                f" are written {self.form}"
            )
        return Position(game, Shape.union(boxes))

    def numbers(self, value: Shape) -> Coordinates:
        """Return the number of axes and the sides of the boxes; empty for an infinite position."""
        if not value.is_finite:
            return ()
        return (value.dimension, *(side for box in finite_boxes(value) for side in box))

    def actions(self, value: Shape, game: GameSpec) -> Regular:
        """Yield all bites of a finite position, by ascending coordinates of the cookie.

        Raises:
            EndlessError: the position is infinite, and so is the list of its moves.
        """
        if not value.is_finite:
            raise EndlessError(f"{position_of(value).brief} has infinitely many bites")
        boxes = finite_boxes(value)
        return ((cookie, value.bite(cookie)) for cookie in points_of(boxes))

    def action(self, position: Position, called: Bite | Coordinates) -> Action:
        """Return the bite at a cookie."""
        return actions.biting_at(map(str, called))

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the cookie by its coordinates: ordinals, or row and column of a board."""
        shape = position.value
        if isinstance(aim, Action):
            try:
                bite: Bite | None = _cookie_of(aim)
                yield bite, shape.bite(bite)
            except (NotationError, InvalidPositionError) as error:
                raise refused(position, aim, str(error)) from None
        elif (cookie := bite_between(shape.boxes, aim.value.boxes, ZERO)) is not None:
            yield cookie, aim.value

    def tree(self, position: Position, *, misere: bool) -> Tree[int]:
        """Return the tree by the cookies of a finite position.

        Raises:
            ResourceLimitError: the position is infinite.
        """
        if not position.value.is_finite:
            raise ResourceLimitError(f"{position.brief} is infinite")
        return poset_tree(position, lambda other: finite_boxes(other.value), misere=misere)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read coordinates in parentheses, `(w 3)`, from 0; or row and column, from 1."""
        by_place = actions.read_bite(typed) if position.value.dimension == 2 else None
        return by_place or actions.read_bite_at(typed)

    def choices(self, value: Shape, game: GameSpec) -> Choices[tuple[Any, Shape]] | None:
        """Number the cookies of a board; for an infinite position, some of its bites."""
        if value.is_finite:
            rows = self.rows_of(Position(game, value)) or ()
            bites = in_lines(rows, lambda row, column: (column, row))
            by_cookie = Choices(
                bites.number, lambda n: (bites.option(n), value.bite(bites.option(n)))
            )
            return by_cookie if rows else None

        def option(number: int) -> tuple[Bite, Shape]:
            chance = Random(number)  # noqa: S311 - games, not secrets
            bite = tuple(_below(side, chance) for side in chance.choice(value.boxes))
            return bite, value.bite(bite)

        return Choices(2**32, option)

    def count(self, value: Shape, game: GameSpec, most: int) -> int:
        """Count the cookies."""
        few = few_points(finite_boxes(value), MAX_COUNTED) if value.is_finite else None
        return most if few is None else min(most, len(few))

    def notable_actions(self, position: Position) -> Iterator[Action]:
        """Yield the bites next to the poison, and one near the far corner of each box."""
        shape = position.value
        if not shape.boxes:
            return iter(())
        sides = range(shape.dimension)
        bites = [tuple(ONE if i == axis else ZERO for i in sides) for axis in reversed(sides)]
        bites += [tuple(map(_near_end, box)) for box in shape.boxes]
        bites.append((ZERO,) * shape.dimension)
        return (self.action(position, bite) for bite in bites)

    def amount(self, position: Position) -> int:
        """Return the number of cookies if finite; a larger number for an infinite position."""
        shape = position.value
        if shape.is_finite and shape.boxes:
            return int(size(shape))
        degrees = [sum(_rank(side) for side in box) for box in shape.boxes]
        return max(degrees, default=0)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read boxes joined by `+`, or the bird's-eye view `[v z; u y]`; then passes, if any.

        Raises:
            NotationError: the text has no such form, or its canonical text would be too long to
                read.
            InvalidPositionError: the heights of a bird's-eye view are not a position.
        """
        boxes, passes = body, 0
        if body.rfind(";") > body.rfind("]"):
            boxes, passes = split_passes(body)
        shape = parse_position(boxes)
        length = len(f"{TRANSFINITE.text}:{format_position(shape)}")
        if length > MAX_TEXT:
            raise NotationError(
                f"the canonical text of this position has {length} characters; at most {MAX_TEXT}"
                " are read"
            )
        return Position(options.with_passes(passes), shape)

    def format_body(self, position: Position) -> str:
        """Write the maximal boxes in ascending order, and passes."""
        return format_position(position.value) + format_passes(position.game.passes)

    def rows_of(self, position: Position) -> Coordinates | None:
        """Return the rows of a finite board that can be drawn, the first axis to the right."""
        shape = position.value
        small = shape.dimension == 2 and all(side <= MAX_DRAWN for side in shape.extent)
        return to_rows(shape) if small else None

    def place_of(self, position: Position, action: Action) -> Place:
        """Return row and column, which count from 1; axes count from 0."""
        column, row = map(int, _cookie_of(action))
        return row + 1, column + 1


def _below(side: Ordinal, chance: Random) -> Ordinal:
    """Return a random ordinal below a nonzero ordinal."""
    kept = chance.randrange(len(side.terms))
    exponent, coefficient = side.terms[kept]
    fewer = chance.randrange(coefficient)
    terms = [*side.terms[:kept], *([(exponent, fewer)] if fewer else [])]
    if exponent.terms:  # below w^exponent there is more than 0
        rest = _below(exponent, chance)
        terms.append((rest, chance.randint(1, MOST_AT_RANDOM)))
    return Ordinal(tuple(terms))


def _near_end(side: Ordinal) -> Ordinal:
    """Return the predecessor of a successor ordinal; an ordinal near a limit ordinal."""
    (exponent, coefficient), kept = side.terms[-1], side.terms[:-1]
    terms = [*kept, *([(exponent, coefficient - 1)] if coefficient > 1 else [])]
    if exponent.terms:
        terms.append((_near_end(exponent), MOST_AT_RANDOM))
    return Ordinal(tuple(terms))


def _rank(side: Ordinal) -> int:
    """Return a number that roughly grows with an ordinal."""
    if side.is_finite:
        return int(side)
    return FAR * (1 + len(side.terms) + _rank(side.degree))


def _cookie_of(action: Action) -> Bite:
    """Return the cookie of a bite.

    Raises:
        NotationError: a coordinate is not an ordinal.
        InvalidPositionError: the action is not a bite.
    """
    if action.bite is not None and min(action.bite.row, action.bite.column) >= 1:
        place = (action.bite.column - 1, action.bite.row - 1)
        return tuple(Ordinal.of(number) for number in place)
    if action.ordinal_bite is None:
        raise InvalidPositionError("a move bites a cookie")
    return tuple(parse_ordinal(text) for text in action.ordinal_bite)


RULES: Final = TransfiniteRules()

TRANSFINITE: Final = GameSpec("transfinite")
