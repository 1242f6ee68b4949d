"""Toads and Frogs on a strip, played impartially: `toads:TT.FF`, `toads:TT.FF;1` with a pass.

Toads (T) move right and frogs (F) left: into the next cell if it is free, or over one animal of the
other kind into the free cell behind it. Either player moves any animal; the player who cannot move
loses (misere: wins). Friedman and Landsberg (On the geometry of combinatorial games, Games of No
Chance 3) name "a restricted version" of Toads and Frogs without defining it; the rules here may
differ from theirs. The numbers of a position are its cells: 0 free, 1 a toad, 2 a frog.
"""

import re
from collections.abc import Iterable, Iterator
from math import comb
from typing import Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_passes, split_passes
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import Regular, Rules
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import Tree, plain_tree
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action

CELLS: Final = ".TF"

STRIP_MAX: Final = 64
"""Longest strip that is read."""

_STRIP: Final = re.compile(r"[TF.]+")


class Toads(Rules):
    """Rules of impartial Toads and Frogs; moves go by the cells of animals, left to right."""

    family = "toads"
    introductions = (
        Introduction(
            title="Toads and Frogs",
            start="toads:TT.FFF",
            rules=(
                "Move any animal one step forward, or over one animal of the other kind "
                "into a free cell. Toads go right and frogs go left."
            ),
            loses="no animal can move",
            note="Here both players may move all animals.",
        ),
    )
    form = "toads:TT.FF"
    typed_moves = (("4", "move the animal in cell 4"),)
    tells_moves = True

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position of 1 to 64 cells, each 0, 1 or 2."""
        if not 1 <= len(coordinates) <= STRIP_MAX or not set(coordinates) <= {0, 1, 2}:
            raise InvalidPositionError(
                f"{self.family}: {list(coordinates[:12])} is not a strip of 1 to {STRIP_MAX}"
                " cells, each 0 (free), 1 (toad) or 2 (frog)"
            )
        return Position(game, "".join(CELLS[cell] for cell in coordinates))

    def numbers(self, value: str) -> Coordinates:
        """Return the cells as numbers."""
        return tuple(map(CELLS.index, value))

    def actions(self, value: str, game: GameSpec) -> Regular:
        """Yield moves animal by animal; each animal has at most one move."""
        return moves(value)

    def action(self, position: Position, called: int) -> Action:
        """Return the move of the animal on a cell, counted from 0."""
        strip, goal = position.value, target(position.value, called) or 0
        animal = "toad" if strip[called] == "T" else "frog"
        words = f"{animal} from cell {called + 1} to {goal + 1}"
        return Action(cell=called + 1, words=words)

    def tree(self, position: Position, *, misere: bool) -> Tree[str]:
        """Return the tree by strips as text."""
        return plain_tree(moves, position_bound, misere=misere)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `TT.FF`, with `;passes` if passes are left."""
        text, passes = split_passes(body)
        strip = text.strip()
        if len(strip) > STRIP_MAX:
            raise NotationError(f"toads: {len(strip)} cells; at most {STRIP_MAX} are read")
        if _STRIP.fullmatch(strip) is None:
            raise NotationError(
                f"toads:{strip[:40]!r}: write T, F and . for free cells, e.g. TT.FF"
            )
        return Position(options.with_passes(passes), strip)

    def format_body(self, position: Position) -> str:
        """Write `TT.FF`, with `;passes` if passes are left."""
        return str(position.value) + format_passes(position.game.passes)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Draw the cells above their numbers; `*` marks the animals whose moves win."""
        cells = position.value
        numbers = " ".join(str(number % 10) for number in range(1, len(cells) + 1))
        winning = {action.cell for action in wins}
        marks = " ".join("*" if cell + 1 in winning else " " for cell in range(len(cells))).rstrip()
        return ["  " + " ".join(cells), f"  {numbers}", *([f"  {marks}"] if marks else [])]

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read the cell of the animal, or the cell and its destination."""
        cells = actions.read_cells(typed)
        if cells is None:
            return None
        cell, goal = cells
        if goal not in {None, 1 + (target(position.value, cell - 1) or 0)}:
            return None
        return Action(cell=cell, words=f"the move from cell {cell}")

    def amount(self, position: Position) -> int:
        """Return the number of animals that can move."""
        return sum(1 for _ in moves(position.value))


def moves(strip: str) -> Iterator[tuple[int, str]]:
    """Yield the cell, from 0, of each animal that can move, and the strip after its move."""
    for cell in range(len(strip)):
        goal = target(strip, cell)
        if goal is not None:
            left, right = (cell, goal) if cell < goal else (goal, cell)
            swapped = strip[right] + strip[left + 1 : right] + strip[left]
            yield cell, strip[:left] + swapped + strip[right + 1 :]


def target(strip: str, cell: int) -> int | None:
    """Return the free cell, from 0, that the animal of a cell can move into; None if none."""
    if not 0 <= cell < len(strip) or strip[cell] == ".":
        return None
    step, other = (1, "F") if strip[cell] == "T" else (-1, "T")
    near, far = cell + step, cell + 2 * step
    if 0 <= near < len(strip) and strip[near] == ".":
        return near
    if 0 <= far < len(strip) and strip[near] == other and strip[far] == ".":
        return far
    return None


def position_bound(strip: str) -> float:
    """Return an upper bound of the reachable positions: the arrangements of the animals.

    Toads never pass toads and only move right, so far fewer are often reached.
    """
    toads, frogs = strip.count("T"), strip.count("F")
    return float(comb(len(strip), toads) * comb(len(strip) - toads, frogs))


RULES: Final = Toads()
