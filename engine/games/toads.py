"""Toads and Frogs on a strip, played impartially: `toads:TT.FF`, `toads:TT.FF;1` with a pass.

Toads (T) move right and frogs (F) left; either player moves any animal; see `engine.theory.toads`.
The coordinates of a position are its cells: 0 free, 1 a toad, 2 a frog.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.games.bodies import format_passes, split_passes
from engine.games.position import Move, Position
from engine.games.rules import Rules, plain_convention
from engine.games.spec import Coordinates, GameSpec
from engine.theory import toads
from engine.theory.sums import Convention, Play
from schema.errors import InvalidPositionError

CELLS: Final = ".TF"


class Toads(Rules):
    """Rules of Toads and Frogs, impartially; moves by the cells of the animals, left to right."""

    family = "toads"
    form = "toads:TT.FF"
    allows = frozenset({"passes", "misere"})
    tells_moves = True

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """1 to 64 cells, each 0, 1 or 2."""
        if not 1 <= len(coordinates) <= toads.STRIP_MAX or not set(coordinates) <= {0, 1, 2}:
            raise InvalidPositionError(
                f"{self.form}: {list(coordinates[:12])} is no strip of 1 to {toads.STRIP_MAX}"
                " cells, each 0 (free), 1 (toad) or 2 (frog)"
            )

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Animal by animal, each of which has at most one move."""
        return map(cells_of, toads.moves(strip_of(coordinates)))

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
        winning = {_moved(position, move)[0] for move in wins if not move.is_pass}
        marks = " ".join("*" if cell in winning else " " for cell in range(len(cells))).rstrip()
        return ["  " + " ".join(cells), f"  {numbers}", *([f"  {marks}"] if marks else [])]

    def tell(self, position: Position, move: Move) -> str | None:
        """By the cells of the animal moved."""
        if move.is_pass:
            return None
        old, new = _moved(position, move)
        animal = "toad" if position.coordinates[old] == 1 else "frog"
        return f"{animal} from cell {old + 1} to {new + 1}"

    def typed(self, position: Position, move: Move) -> tuple[str, ...]:
        """The cell of the animal, or both cells."""
        if move.is_pass:
            return ()
        old, new = (cell + 1 for cell in _moved(position, move))
        return str(old), f"{old} {new}"

    def convention(self, component: Position, play: Play) -> Convention:
        """The values are those of normal play."""
        return plain_convention(component)


def _moved(position: Position, move: Move) -> tuple[int, int]:
    """The cells, from 0, that an animal leaves and comes to in a regular move."""
    pairs = enumerate(zip(position.coordinates, move.child.coordinates, strict=True))
    one, other = (cell for cell, (before, after) in pairs if before != after)
    return (one, other) if position.coordinates[one] else (other, one)


def strip_of(coordinates: Coordinates) -> str:
    """The text of a strip."""
    return "".join(CELLS[cell] for cell in coordinates)


def cells_of(strip: str) -> Coordinates:
    """The coordinates of a strip given as text."""
    return tuple(map(CELLS.index, strip))


RULES: Final = Toads()
