"""What all forms of Chomp share that can be laid out in rows: drawing boards, and saying bites."""

import random
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import ClassVar

from position_oracle.engine.games import actions
from position_oracle.engine.games.drawing import board_lines
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.rules import Rules, TypedMoves, refused
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.games.tree import Choices
from position_oracle.schema.errors import IllegalMoveError
from position_oracle.schema.moves import Action


class BoardRules(Rules):
    """Rules of a game whose positions, or some of them, are boards of Chomp."""

    has_poison = True
    typed_moves: ClassVar[TypedMoves] = (
        ("2 3", "bite the cookie in row 2 from below, column 3 from the left"),
    )
    tells_moves = True

    @abstractmethod
    def rows_of(self, position: Position) -> Coordinates | None:
        """Row lengths, poison row first, without empty rows; None where there is no such board."""

    def read_action(self, position: Position, typed: str) -> Action | None:
        """By row and column."""
        return actions.read_bite(typed)

    def random_move(self, position: Position, chance: random.Random) -> Move:
        """By the number of the cookie, without listing the moves of a board."""
        rows = self.rows_of(position)
        if rows is None or self._is_closed(position):
            return super().random_move(position, chance)
        number = chance.randrange(sum(rows) + self._can_pass(position))
        for row, length in enumerate(rows, start=1):
            if number < length:
                action = actions.biting(row, number + 1)
                return Move(self.after(position, action), action=action)
            number -= length
        return Move(position.passed(), is_pass=True, action=actions.THE_PASS)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """The bites beside the poison, which take the most, and the last cookie of the last row."""
        rows = self.rows_of(position)
        if rows is None:
            return super().notable_actions(position)
        places = [(1, 2), (2, 1), (1, 1)]
        if rows:
            places.append((len(rows), rows[-1]))
        return (actions.biting(*place) for place in places)

    def amount(self, position: Position) -> int:
        """The cookies of a board."""
        rows = self.rows_of(position)
        return super().amount(position) if rows is None else sum(rows)

    def bite_of(self, position: Position, move: Move) -> tuple[int, int] | None:
        """Row and column, from 1, of the cookie that a move bites; None for a pass or no board."""
        if move.is_pass or (rows := self.rows_of(position)) is None:
            return None
        child = self.rows_of(move.child)
        return None if child is None else bite_to(rows, child)

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The board with the poison at the lower left; `*` marks the bites that win."""
        rows = self.rows_of(position)
        if rows is None:
            return []
        bites = (self.bite_of(position, move) for move in wins)
        return board_lines(rows, {place for place in bites if place is not None})

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By row and column."""
        place = self.bite_of(position, Move(child))
        if place is not None:
            yield actions.biting(*place)


def bite_between(rows: Coordinates, child: Coordinates) -> tuple[int, int]:
    """Row and column, counted from 1, of the bite that leads from a board to its child.

    Raises:
        IllegalMoveError: no bite does.
    """
    found = bite_to(rows, child)
    if found is None:
        raise IllegalMoveError(f"no bite leads from the board {rows} to {child}")
    return found


def bite_to(rows: Coordinates, child: Coordinates) -> tuple[int, int] | None:
    """As `bite_between`, if any bite leads there: the one at the first row that differs.

    None where that row is not shorter, or there is none.
    """
    if len(child) > len(rows):
        return None
    padded = child + (0,) * (len(rows) - len(child))
    for row, (old, new) in enumerate(zip(rows, padded, strict=True), start=1):
        if old != new:
            return (row, new + 1) if new < old else None
    return None


def bitten(position: Position, rows: Coordinates, action: Action) -> Coordinates:
    """The board that a bite leaves of a board.

    Raises:
        IllegalMoveError: the action is no bite, or there is no such cookie.
    """
    if action.bite is None:
        raise refused(position, action, "a move bites a cookie")
    row, column = action.bite.row, action.bite.column
    if not (1 <= row <= len(rows) and 1 <= column <= rows[row - 1]):
        raise refused(position, action, "there is no such cookie")
    return bite(rows, row, column)


def bite(rows: Coordinates, row: int, column: int) -> Coordinates:
    """The board left by the bite in a row and column counted from 1, without empty rows."""
    shortened = (min(length, column - 1) for length in rows[row - 1 :])
    return rows[: row - 1] + tuple(length for length in shortened if length)


def numbered_bites(rows: Coordinates) -> Choices[Coordinates]:
    """The boards that bites leave, by the number of the cookie, row by row; the poison is 0."""
    ends = list(accumulate(rows))

    def option(number: int) -> Coordinates:
        row = bisect_right(ends, number)
        return bite(rows, row + 1, number - ends[row] + rows[row] + 1)

    return Choices(ends[-1] if ends else 0, option)
