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

from collections.abc import Iterator, Sequence
from typing import Final

from position_oracle.engine.games.board_rules import BoardRules, bitten, numbered_bites
from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import check_coordinates
from position_oracle.engine.games.spec import MAX_COORDINATE, Coordinates, GameSpec
from position_oracle.engine.games.tree import BoardTree, Choices, Rows, coordinates_of
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action

POISON: Final = (0, 0, 1)
EMPTY: Final = (0, 0, 0)


class Chomp3(BoardRules):
    """Rules of three-row Chomp; [0, 0, 1] (only the poison is left) is terminal and lost."""

    family = "chomp3"
    form = "chomp3:[x,y,z]"
    allows = frozenset({"passes", "variants"})
    typed_form = "three_row_chomp"

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Three numbers whose sum, the length of the poison row, is at most 2^63 - 1."""
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

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Only the poison cookie is left."""
        return coordinates == POISON

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """The board is empty: the last move ate the poison, so the player to move has won."""
        return coordinates == EMPTY

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """All bites, first row to third, left to right; the poison is the first of them."""
        a, b, c = to_rows(coordinates)
        yield from (from_rows((j, min(b, j), min(c, j))) for j in range(a))
        yield from (from_rows((a, j, min(c, j))) for j in range(b))
        yield from (from_rows((a, b, j)) for j in range(c))

    def tree(self, position: Position, *, misere: bool) -> BoardTree:
        """By coordinates."""
        return BoardTree(
            _bites,
            coordinates_of,
            _boards_inside,
            _choices,
            poison=POISON,
            misere=misere,
            rows=Rows(None, to_rows, from_rows),
        )

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """The smallest board that holds all; none where positions are declared."""
        if positions[0].game.is_variant:
            return None
        rows = zip(*(to_rows(position.coordinates) for position in positions), strict=True)
        a, b, c = map(max, rows)
        return positions[0].child(from_rows((a, b, c)))

    def after(self, position: Position, action: Action) -> Position:
        """The board that a bite leaves."""
        left = bitten(position, to_rows(position.coordinates), action)
        a, b, c = (*left, 0, 0, 0)[:3]
        return position.child(from_rows((a, b, c)))

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `[x,y,z]` or `[x,y,z;passes]`."""
        coordinates, passes = parse_bracket_body(body, self.form)
        return Position(options.with_passes(passes), coordinates)

    def rows_of(self, position: Position) -> Coordinates:
        """See `to_rows`."""
        return tuple(filter(None, to_rows(position.coordinates)))

    def format_body(self, position: Position) -> str:
        """Write `[x,y,z]`, with `;passes` where some are left."""
        return format_bracket_body(position.coordinates, position.game.passes)


def to_rows(coordinates: Coordinates) -> Coordinates:
    """Row lengths (a, b, c), poison row first, of [x, y, z]."""
    x, y, z = coordinates
    return x + y + z, x + y, x


def from_rows(rows: Coordinates) -> Coordinates:
    """Zeilberger's coordinates [x, y, z] of row lengths (a, b, c), poison row first."""
    a, b, c = rows
    return c, b - c, a - b


def _bites(position: Coordinates) -> Iterator[Coordinates]:
    """What each bite leaves, as `Chomp3.regular_moves` has them."""
    a, b, c = to_rows(position)
    for j in range(c):
        yield j, 0, 0
    for j in range(c, b):
        yield c, j - c, 0
    for j in range(b, a):
        yield c, b - c, j - b
    for j in range(c):
        yield j, 0, a - j
    for j in range(c, b):
        yield c, j - c, a - j
    for j in range(c):
        yield j, b - j, a - b


def _choices(position: Coordinates) -> Choices[Coordinates]:
    count, option, _ = numbered_bites(to_rows(position))

    def numbered(number: int) -> Coordinates:
        return from_rows((*option(number), 0, 0, 0)[:3])

    return Choices(count, numbered)


def _boards_inside(position: Coordinates) -> float:
    return estimate_ideals(tuple(filter(None, to_rows(position))))


RULES: Final = Chomp3()
