"""Common rules of Chomp on boards with rows: drawing boards and naming bites."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, ClassVar

from position_oracle.engine.games import actions
from position_oracle.engine.games.choices import Choices, in_lines
from position_oracle.engine.games.drawing import board_lines
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import HullRules, Regular, Rules, TypedMoves, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import Rows, Tree, plain_tree
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import IllegalMoveError
from position_oracle.schema.moves import Action

Place = tuple[int, int]
"""A cookie of a board: its row and column, from 1."""


class BoardRules(Rules):
    """Rules of a game some or all of whose positions are boards of Chomp."""

    has_poison = True
    typed_moves: ClassVar[TypedMoves] = (
        ("2 3", "bite the cookie in row 2 from below, column 3 from the left"),
    )
    tells_moves = True

    @abstractmethod
    def rows_of(self, position: Position) -> Coordinates | None:
        """Return row lengths, poison row first, without empty rows; None for another position."""

    @abstractmethod
    def place_of(self, position: Position, action: Action) -> Place:
        """Return the cookie that a legal regular action bites on the board of a position."""

    def amount(self, position: Position) -> int:
        """Return the number of cookies of a board."""
        rows = self.rows_of(position)
        return super().amount(position) if rows is None else sum(rows)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Draw the board with the poison at the lower left; `*` marks the winning bites."""
        rows = self.rows_of(position)
        if rows is None:
            return []
        return board_lines(rows, {self.place_of(position, win) for win in wins if not win.is_pass})


class RowRules(BoardRules, HullRules):
    """Rules of a game whose positions are all boards in rows, and whose actions are places."""

    @abstractmethod
    def rows(self, value: Coordinates) -> Coordinates:
        """Return row lengths, poison row first, without empty rows."""

    @abstractmethod
    def value_of(self, rows: Coordinates) -> Coordinates:
        """Return the value of the position with these rows, some of which may be empty."""

    def rows_of(self, position: Position) -> Coordinates:
        """Return the rows of the value."""
        return self.rows(position.value)

    def place_of(self, position: Position, action: Action) -> Place:
        """Return the place, which is the name of the action."""
        if action.bite is None:
            raise refused(position, action, "a move bites a cookie")
        return action.bite.row, action.bite.column

    def action(self, position: Position, called: Place) -> Action:
        """Return the bite at a place."""
        return actions.biting(*called)

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the bite by its place, or by the first row that differs between board and child."""
        rows = self.rows_of(position)
        place: Place | None
        if isinstance(aim, Action):
            place = row, column = self.place_of(position, aim)
            if not (1 <= row <= len(rows) and 1 <= column <= rows[row - 1]):
                raise refused(position, aim, "there is no such cookie")
        else:
            place = bite_to(rows, self.rows_of(aim))
        if place is not None:
            yield place, self.value_of(bite(rows, *place))

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read row and column."""
        return actions.read_bite(typed)

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """Return the smallest board that contains all boards."""
        columns = zip_longest(*map(self.rows_of, positions), fillvalue=0)
        return positions[0].child(self.value_of(tuple(map(max, columns))))

    def tree(self, position: Position, *, misere: bool) -> Tree[Coordinates]:
        """Return the tree by the values of boards."""
        game = position.game
        return plain_tree(
            lambda value: self.actions(value, game),
            lambda value: estimate_ideals(self.rows(value)),
            misere=misere,
            choices=lambda value: self.choices(value, game),
            has_poison=True,
            rows=Rows(None, self.rows, self.value_of),
        )

    def choices(self, value: Any, game: GameSpec) -> Choices[tuple[Place, Coordinates]]:
        """Return the bites, numbered by cookie."""
        rows = self.rows(value)

        def option(row: int, column: int) -> tuple[Place, Coordinates]:
            place = (row + 1, column + 1)
            return place, self.value_of(bite(rows, *place))

        return in_lines(rows, option)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield the two largest bites beside the poison, and the last cookie of the last row."""
        rows = self.rows_of(position)
        places = [(1, 2), (2, 1), (1, 1)]
        if rows:
            places.append((len(rows), rows[-1]))
        return (actions.biting(*place) for place in places)


def bite_between(rows: Coordinates, child: Coordinates) -> Place:
    """Return row and column, counted from 1, of the bite that leads from a board to its child.

    Raises:
        IllegalMoveError: no bite leads to the child.
    """
    found = bite_to(rows, child)
    if found is None:
        raise IllegalMoveError(f"no bite leads from the board {rows} to {child}")
    return found


def bite_to(rows: Coordinates, child: Coordinates) -> Place | None:
    """Return the bite at the first row that differs between a board and its supposed child.

    The result is that of `bite_between`, if a bite leads to the child. It is None if that row of
    the child is not shorter, or if no row differs.
    """
    if len(child) > len(rows):
        return None
    padded = child + (0,) * (len(rows) - len(child))
    for row, (old, new) in enumerate(zip(rows, padded, strict=True), start=1):
        if old != new:
            return (row, new + 1) if new < old else None
    return None


def bite(rows: Coordinates, row: int, column: int) -> Coordinates:
    """Return the board after the bite at a row and column counted from 1, without empty rows."""
    shortened = (min(length, column - 1) for length in rows[row - 1 :])
    return rows[: row - 1] + tuple(length for length in shortened if length)
