"""Chomp on a board of any shape, by row lengths with the poison row first: `chomp:9/7/4`.

A board is a partition. The bite in row i, column j (counted from 1) shortens row i and all rows
above it to at most j - 1. The player who eats the poison, row 1, column 1, loses.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from position_oracle.engine.games.board_rules import Place, RowRules
from position_oracle.engine.games.bodies import format_passes, parse_numbers, split_passes
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import Regular, check_coordinates
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.games import Introduction

MAX_ROWS: Final = 10_000


class Chomp(RowRules):
    """Rules of Chomp; the board 1 (only the poison is left) is terminal and lost."""

    family = "chomp"
    introductions = (
        Introduction(
            title="Chomp",
            start="chomp:4/4/4",
            rules=(
                "Choose a cookie and eat it with every cookie above it and to its right. "
                "The cookie in the lower left corner is poisoned."
            ),
            loses="you have to eat the poison",
            note="The first player can win on every rectangle, but nobody knows a rule for how.",
        ),
        Introduction(
            title="Chomp with a pass",
            start="chomp:4/4;1",
            rules=(
                "Choose a cookie and eat it with every cookie above it and to its right. "
                "One player may pass once instead, while a cookie besides the poison "
                "is left."
            ),
            loses="you have to eat the poison",
            note="Boards that are lost without a pass are won with one: pass.",
        ),
    )
    form = "chomp:9/7/4"
    typed_form = "chomp_board"

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position from row lengths that do not increase; drop empty rows at the end."""
        check_coordinates(self.family, "", coordinates)
        rows = coordinates
        while rows and rows[-1] == 0:
            rows = rows[:-1]
        if len(rows) > MAX_ROWS:
            raise InvalidPositionError(
                f"{self.family}: {len(rows)} rows; allowed are at most {MAX_ROWS}"
            )
        for row, (length, above) in enumerate(pairwise((*rows, 0)), start=1):
            if length < above:
                raise InvalidPositionError(
                    f"{self.family}: row {row + 1} has {above} cookies and row {row} only {length};"
                    " row lengths may not increase, the poison row is the first"
                )
        return Position(game, rows)

    def actions(self, value: Coordinates, game: GameSpec) -> Regular:
        """Yield all bites, row by row from the poison row, left to right; the poison is first."""
        return bites(value)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `9/7/4` or `9/7/4;passes`; `0` is the empty board; drop empty rows at the end.

        Boxes such as `3x3x3` are boards of three or more dimensions; see `engine.games.solid`.
        """
        if body.count("x") > 1:
            return rules_of("solid").parse_body(body, options)
        text, passes = split_passes(body)
        rows = parse_numbers(text, "/", self.form)
        return self.position(options.with_passes(passes), rows)

    def rows(self, value: Coordinates) -> Coordinates:
        """Return the value, which is the row lengths."""
        return value

    def value_of(self, rows: Coordinates) -> Coordinates:
        """Return the row lengths, which are the value."""
        return tuple(filter(None, rows))

    def format_body(self, position: Position) -> str:
        """Write row lengths `9/7/4`; the empty board is `0`."""
        rows = "/".join(map(str, position.value)) or "0"
        return rows + format_passes(position.game.passes)


def bites(rows: Coordinates) -> Iterator[tuple[Place, Coordinates]]:
    """Yield each cookie and the board after its bite, row by row from the poison row."""
    for row, length in enumerate(rows, start=1):
        before = rows[: row - 1]
        yield (row, 1), before
        last = len(rows)
        for column in range(1, length):
            while rows[last - 1] <= column and last > row:
                last -= 1
            yield (row, column + 1), before + (column,) * (last - row + 1) + rows[last:]


def transpose(rows: Coordinates) -> Coordinates:
    """Return the board mirrored in its diagonal, with columns as rows (the conjugate partition)."""
    if len(rows) and rows[0] > MAX_ROWS:
        raise InvalidPositionError(
            f"chomp: a board {rows[0]} cookies wide has no transpose of at most {MAX_ROWS} rows"
        )
    columns: list[int] = []
    heights = range(len(rows), 0, -1)
    for height, (above, length) in zip(heights, pairwise((0, *reversed(rows))), strict=True):
        columns += [height] * (length - above)
    return tuple(columns)


RULES: Final = Chomp()
