"""Chomp boards by row lengths: those of at most three rows or columns are three-row Chomp."""

from collections.abc import Callable

import numpy as np

from engine.games import chomp, chomp3
from engine.games.position import Move, Position
from engine.games.spec import Coordinates, GameSpec
from oracle.answers import Answer, GameInfo
from oracle.probers.base import Coordinates as CoordinateArray
from oracle.probers.base import Moves, Outcomes, Prober, packed, unknown
from oracle.probers.three_row import ThreeRowProber
from schema.errors import InvalidPositionError

_THREE_ROW = GameSpec("chomp3")


class BoardProber(Prober):
    """Answers Chomp boards through the three-row tables."""

    family = "chomp"

    def __init__(self, three_row: ThreeRowProber) -> None:
        self._three_row = three_row

    def games(self) -> tuple[GameInfo, ...]:
        """One entry where three-row Chomp has a table."""
        return tuple(
            GameInfo(
                game=GameSpec("chomp"),
                questions=info.questions,
                range=f"boards of at most three rows or columns, as chomp3: {info.range}",
                limit=info.limit,
                certainty=info.certainty,
                build=info.build,
            )
            for info in self._three_row.games()
            if info.game == _THREE_ROW
        )

    def outcome(self, position: Position) -> Answer:
        """Outcome of the same board in Zeilberger's coordinates."""
        return self._ask(position, self._three_row.outcome)

    def winning_moves(self, position: Position) -> Answer:
        """Outcome and winning moves of the same board in Zeilberger's coordinates."""
        return self._ask(position, self._three_row.winning_moves)

    def outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Outcomes of many boards as rows (a, b, c), poison row first, zeros for empty rows."""
        return self._three_row.outcomes(_THREE_ROW, _to_zeilberger(coordinates))

    def winning_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many boards as rows (a, b, c)."""
        out, moves = self._three_row.winning_move_batch(_THREE_ROW, _to_zeilberger(coordinates))
        x, y, z = moves.T
        rows = np.stack((x + y + z, x + y, x), axis=1)
        return out, np.where(moves < 0, moves, rows).astype(np.int32)

    def _ask(self, position: Position, ask: Callable[[Position], Answer]) -> Answer:
        rows = position.coordinates
        flipped = len(rows) > 3
        if flipped and rows[0] > 3:
            return unknown(position, f"no table holds boards of {len(rows)} rows")
        three = chomp.transpose(rows) if flipped else rows
        padded = three + (0,) * (3 - len(three))
        answer = ask(Position(_THREE_ROW, chomp3.from_rows(padded)))
        moves = answer.winning_moves
        if moves is not None:
            moves = tuple(
                sorted(
                    (Move(position.child(_board(m.child.coordinates, flipped))) for m in moves),
                    key=lambda move: chomp.bite_between(rows, move.child.coordinates),
                )
            )
        return Answer(position, answer.outcome, answer.certainty, answer.reason, moves)


def _board(coordinates: Coordinates, flipped: bool) -> Coordinates:
    rows = tuple(row for row in chomp3.to_rows(coordinates) if row)
    return chomp.transpose(rows) if flipped else rows


def _to_zeilberger(coordinates: CoordinateArray) -> CoordinateArray:
    a, b, c = packed(coordinates, 3, "chomp:a/b/c").T
    bad = np.flatnonzero((c < 0) | (b < c) | (a < b))
    if len(bad):
        raise InvalidPositionError(
            f"chomp:a/b/c: row {bad[0]} is {coordinates[bad[0]].tolist()}; row lengths may be"
            " neither negative nor increasing"
        )
    return np.stack((c, b - c, a - b), axis=1)
