"""Toads and Frogs on a strip, played impartially: `toads:TT.FF`, `toads:TT.FF;1` with a pass.

Toads (T) move right and frogs (F) left; either player moves any animal; see `engine.theory.toads`.
The coordinates of a position are its cells: 0 free, 1 a toad, 2 a frog.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.rules import Rules, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import PlainTree
from position_oracle.engine.theory import toads
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action

CELLS: Final = ".TF"


class Toads(Rules):
    """Rules of Toads and Frogs, impartially; moves by the cells of the animals, left to right."""

    family = "toads"
    form = "toads:TT.FF"
    typed_moves = (("4", "move the animal in cell 4"),)
    allows = frozenset({"passes", "misere"})
    tells_moves = True

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """1 to 64 cells, each 0, 1 or 2."""
        if not 1 <= len(coordinates) <= toads.STRIP_MAX or not set(coordinates) <= {0, 1, 2}:
            raise InvalidPositionError(
                f"{self.family}: {list(coordinates[:12])} is no strip of 1 to {toads.STRIP_MAX}"
                " cells, each 0 (free), 1 (toad) or 2 (frog)"
            )

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Animal by animal, each of which has at most one move."""
        return map(cells_of, toads.moves(strip_of(coordinates)))

    def tree(self, position: Position, *, misere: bool) -> PlainTree[str]:
        """By strips as text."""
        return PlainTree(
            toads.moves,
            lambda position: strip_of(position.coordinates),
            lambda strip: float(toads.position_bound(strip)),
            misere=misere,
        )

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """No animal can move; in misere play the player to move has won there."""
        return not game.misere and toads.is_terminal(strip_of(coordinates))

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """In misere play: no animal can move."""
        return game.misere and toads.is_terminal(strip_of(coordinates))

    def is_empty(self, position: Position) -> bool:
        """A strip is never empty."""
        return False

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `TT.FF`, with `;passes` where some are left."""
        strip, passes = split_passes(body)
        return Position(options.with_passes(passes), cells_of(toads.parse(strip)))

    def format_body(self, position: Position) -> str:
        """Write `TT.FF`, with `;passes` where some are left."""
        return strip_of(position.coordinates) + format_passes(position.game.passes)

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The cells above their numbers; `*` for the animals whose moves win."""
        cells = list(strip_of(position.coordinates))
        numbers = " ".join(str(number % 10) for number in range(1, len(cells) + 1))
        moves = (move for move in wins if not move.is_pass)
        winning = {self.action(position, move).cell for move in moves}
        marks = " ".join("*" if cell + 1 in winning else " " for cell in range(len(cells))).rstrip()
        return ["  " + " ".join(cells), f"  {numbers}", *([f"  {marks}"] if marks else [])]

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By the cell of the animal moved."""
        cells = moved(position.coordinates, child.coordinates)
        if cells is not None:
            old, new = cells
            animal = "toad" if position.coordinates[old] == 1 else "frog"
            words = f"{animal} from cell {old + 1} to {new + 1}"
            yield Action(cell=old + 1, words=words)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The cell of the animal, or the cell and where it goes."""
        cells = actions.read_cells(typed)
        if cells is None:
            return None
        action = Action(cell=cells[0], words=f"the move from cell {cells[0]}")
        goes_there = cells[1] is None or f"{cells[0]} {cells[1]}" in self.texts(position, action)
        return action if goes_there else None

    def amount(self, position: Position) -> int:
        """The number of animals that can move."""
        return sum(1 for _ in toads.moves(strip_of(position.coordinates)))

    def after(self, position: Position, action: Action) -> Position:
        """The strip after the animal of a cell has moved."""
        strip = strip_of(position.coordinates)
        after = toads.move(strip, (action.cell or 0) - 1)
        if after is None:
            raise refused(position, action, "no animal in such a cell can move")
        return position.child(cells_of(after))

    def texts(self, position: Position, action: Action) -> tuple[str, ...]:
        """The cell of the animal, or both cells."""
        after = self.after(position, action).coordinates
        old, new = moved(position.coordinates, after) or (0, 0)
        return str(old + 1), f"{old + 1} {new + 1}"


def moved(before: Coordinates, after: Coordinates) -> tuple[int, int] | None:
    """The cells, from 0, that an animal leaves and comes to in a regular move; None for no move."""
    changed = [i for i, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(changed) != 2:
        return None
    one, other = changed
    return (one, other) if before[one] else (other, one)


def strip_of(coordinates: Coordinates) -> str:
    """The text of a strip."""
    return "".join(CELLS[cell] for cell in coordinates)


def cells_of(strip: str) -> Coordinates:
    """The coordinates of a strip given as text."""
    return tuple(map(CELLS.index, strip))


RULES: Final = Toads()
