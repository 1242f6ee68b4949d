"""Three-row Chomp in Zeilberger's coordinates [x, y, z]: x columns of height 3, y of 2, z of 1.

The row lengths are a = x + y + z, b = x + y, c = x, poison row first. Biting a cookie removes it
with everything above it and to its right, so the bite in row i, column j (both counted from 1)
shortens row i and all rows above to at most j - 1. These are the six moves of Friedman &
Landsberg, Nonlinear dynamics in combinatorial games (2007), section II; here in row lengths:

    M1  (a, b', c)    c <= b' < b     second row, right of the third
    M2  (j, j, c)     c <= j < b      first row, under the second
    M3  (a', b, c)    b <= a' < a     first row, right of the second
    M4  (a, b, c')    c' < c          third row
    M5  (a, j, j)     j < c           second row, under the third
    M6  (j, j, j)     j < c           first row, under the third
"""

from collections.abc import Sequence
from typing import Final

from position_oracle.engine.games.board_rules import RowRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import Regular, check_coordinates
from position_oracle.engine.games.spec import MAX_COORDINATE, Coordinates, GameSpec
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.games import Introduction

POISON: Final = (0, 0, 1)
EMPTY: Final = (0, 0, 0)


class Chomp3(RowRules):
    """Rules of three-row Chomp; [0, 0, 1] (only the poison is left) is terminal and lost."""

    family = "chomp3"
    introductions = (
        Introduction(
            title="Three-row Chomp",
            start="chomp3:[3,0,0]",
            rules=(
                "Choose a cookie and eat it with every cookie above it and to its right. "
                "The board has three rows, and the numbers count its columns of height 3,"
                " 2 and 1."
            ),
            loses="you have to eat the poison in the lower left corner",
            note="Nobody knows a rule for who wins, but boards with a million columns are solved.",
        ),
    )
    form = "chomp3:[x,y,z]"
    allows = RowRules.allows | {"noise"}
    typed_form = "three_row_chomp"

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position from three numbers; their sum, the poison row, is at most 2^63 - 1."""
        if len(coordinates) != 3:
            raise InvalidPositionError(
                f"{self.form}: got {len(coordinates)} numbers {list(coordinates[:8])}; it takes 3"
            )
        check_coordinates(self.form, "xyz", coordinates)
        if sum(coordinates) > MAX_COORDINATE:
            raise InvalidPositionError(
                f"{self.form}: x + y + z = {sum(coordinates)}; allowed is at most"
                f" {MAX_COORDINATE} (2^63 - 1)"
            )

        return Position(game, coordinates)

    def actions(self, value: Coordinates, game: GameSpec) -> Regular:
        """Yield all bites, first row to third, left to right; the poison comes first."""
        a, b, c = to_rows(value)
        for j in range(c):
            yield (1, j + 1), (j, 0, 0)
        for j in range(c, b):
            yield (1, j + 1), (c, j - c, 0)
        for j in range(b, a):
            yield (1, j + 1), (c, b - c, j - b)
        for j in range(c):
            yield (2, j + 1), (j, 0, a - j)
        for j in range(c, b):
            yield (2, j + 1), (c, j - c, a - j)
        for j in range(c):
            yield (3, j + 1), (j, b - j, a - b)

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """Return the smallest board that contains all boards; None if positions are declared."""
        return None if positions[0].game.is_variant else super().hull(positions)

    def rows(self, value: Coordinates) -> Coordinates:
        """Return the row lengths of a position."""
        return tuple(filter(None, to_rows(value)))

    def value_of(self, rows: Coordinates) -> Coordinates:
        """Return the coordinates of a board."""
        a, b, c = (*rows, 0, 0, 0)[:3]
        return from_rows((a, b, c))


def to_rows(coordinates: Coordinates) -> Coordinates:
    """Convert Zeilberger's coordinates [x, y, z] to row lengths (a, b, c), poison row first."""
    x, y, z = coordinates
    return x + y + z, x + y, x


def from_rows(rows: Coordinates) -> Coordinates:
    """Convert row lengths (a, b, c), poison row first, to Zeilberger's coordinates [x, y, z]."""
    a, b, c = rows
    return c, b - c, a - b


RULES: Final = Chomp3()
