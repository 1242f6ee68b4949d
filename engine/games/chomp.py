"""Chomp on a board of any shape, by row lengths with the poison row first: `chomp:9/7/4`.

A board is a partition. The bite in row i, column j (counted from 1) shortens row i and all rows
above it to at most j - 1. Whoever eats the poison, row 1, column 1, loses.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Final

from position_oracle.engine.games.board_rules import BoardRules, bite, bitten, numbered_bites
from position_oracle.engine.games.bodies import format_passes, parse_numbers, split_passes
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import check_coordinates
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import BoardTree, Rows, coordinates_of
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action

MAX_ROWS: Final = 10_000


class Chomp(BoardRules):
    """Rules of Chomp; the board 1 (only the poison is left) is terminal and lost."""

    family = "chomp"
    form = "chomp:9/7/4"
    allows = frozenset({"passes", "misere"})
    typed_form = "chomp_board"

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Positive row lengths that do not increase; the empty board has none."""
        if len(coordinates) > MAX_ROWS:
            raise InvalidPositionError(
                f"{self.family}: {len(coordinates)} rows; allowed are at most {MAX_ROWS}"
            )
        check_coordinates(self.family, "", coordinates)
        for row, (length, above) in enumerate(pairwise((*coordinates, 0)), start=1):
            if length < above:
                raise InvalidPositionError(
                    f"{self.family}: row {row + 1} has {above} cookies and row {row} only {length};"
                    " row lengths may not increase, the poison row is the first"
                )
        if coordinates and coordinates[-1] == 0:
            raise InvalidPositionError(
                f"{self.family}: the last row is empty; leave empty rows out"
            )

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Without empty rows at the end, as in a row of a batch that is filled up with zeros."""
        rows = coordinates
        while rows and rows[-1] == 0:
            rows = rows[:-1]
        return super().position(game, rows)

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Only the poison cookie is left; in misere play, where eating it wins, nothing is."""
        return coordinates == (() if game.misere else (1,))

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """The board is empty: the last move ate the poison, so the player to move has won."""
        return not coordinates and not game.misere

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """All bites, row by row from the poison row, left to right; the poison is the first."""
        for row, length in enumerate(coordinates):
            for column in range(length):
                yield bite(coordinates, row + 1, column + 1)

    def tree(self, position: Position, *, misere: bool) -> BoardTree:
        """By row lengths."""
        return BoardTree(
            bites,
            coordinates_of,
            estimate_ideals,
            numbered_bites,
            poison=(1,),
            misere=misere,
            rows=_ROWS,
        )

    def hull(self, positions: Sequence[Position]) -> Position:
        """The smallest board that holds all."""
        columns = zip_longest(*(position.coordinates for position in positions), fillvalue=0)
        return Position(positions[0].game, tuple(map(max, columns)))

    def after(self, position: Position, action: Action) -> Position:
        """The board that a bite leaves."""
        return position.child(bitten(position, position.coordinates, action))

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `9/7/4` or `9/7/4;passes`; `0` is the empty board, empty rows at the end go.

        Boxes such as `3x3x3` are boards of three dimensions and more; see `engine.games.solid`.
        """
        if body.count("x") > 1:
            return rules_of("solid").parse_body(body, options)
        text, passes = split_passes(body)
        rows = parse_numbers(text, "/", self.form)
        return self.position(options.with_passes(passes), rows)

    def rows_of(self, position: Position) -> Coordinates:
        """The coordinates."""
        return position.coordinates

    def format_body(self, position: Position) -> str:
        """Write row lengths `9/7/4`; the empty board is `0`."""
        rows = "/".join(map(str, position.coordinates)) or "0"
        return rows + format_passes(position.game.passes)


_ROWS: Final = Rows(None, lambda node: node, lambda rows: tuple(filter(None, rows)))


def bites(rows: Coordinates) -> Iterator[Coordinates]:
    """The board left by each bite: row by row from the poison row, left to right."""
    for row, length in enumerate(rows):
        before = rows[:row]
        yield before
        last = len(rows)
        for column in range(1, length):
            while rows[last - 1] <= column and last > row + 1:
                last -= 1
            yield before + (column,) * (last - row) + rows[last:]


def transpose(rows: Coordinates) -> Coordinates:
    """The board mirrored in its diagonal: its columns as rows (the conjugate partition)."""
    if len(rows) and rows[0] > MAX_ROWS:
        raise InvalidPositionError(
            f"chomp: a board {rows[0]} cookies wide has no transpose of at most {MAX_ROWS} rows"
        )
    return tuple(
        sum(length > column for length in rows) for column in range(rows[0] if rows else 0)
    )


RULES: Final = Chomp()
