"""What all forms of Chomp share that can be laid out in rows: drawing boards, and saying bites."""

from abc import abstractmethod
from collections.abc import Iterable

from engine.games.drawing import board_lines
from engine.games.position import Move, Position
from engine.games.rules import Rules
from engine.games.spec import Coordinates


class BoardRules(Rules):
    """Rules of a game whose positions, or some of them, are boards of Chomp."""

    has_poison = True
    tells_moves = True

    @abstractmethod
    def rows_of(self, position: Position) -> Coordinates | None:
        """Row lengths, poison row first, without empty rows; None where there is no such board."""

    def bite_of(self, position: Position, move: Move) -> tuple[int, int] | None:
        """Row and column, from 1, of the cookie that a move bites; None for a pass or no board."""
        if move.is_pass or (rows := self.rows_of(position)) is None:
            return None
        child = self.rows_of(move.child)
        return None if child is None else bite_between(rows, child)

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The board with the poison at the lower left; `*` marks the bites that win."""
        rows = self.rows_of(position)
        if rows is None:
            return []
        bites = (self.bite_of(position, move) for move in wins)
        return board_lines(rows, {bite for bite in bites if bite is not None})

    def tell(self, position: Position, move: Move) -> str | None:
        """By row and column."""
        bite = self.bite_of(position, move)
        return None if bite is None else f"bite row {bite[0]}, column {bite[1]}"

    def typed(self, position: Position, move: Move) -> tuple[str, ...]:
        """Row and column."""
        bite = self.bite_of(position, move)
        return () if bite is None else (f"{bite[0]} {bite[1]}",)


def bite_between(rows: Coordinates, child: Coordinates) -> tuple[int, int]:
    """Row and column, counted from 1, of the bite that leads from a board to its child."""
    padded = child + (0,) * (len(rows) - len(child))
    row = next(i for i, (old, new) in enumerate(zip(rows, padded, strict=True)) if old != new)
    return row + 1, padded[row] + 1
