"""Three-row Chomp and its variants, answered from loser sheets."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from engine.games.chomp3 import EMPTY, POISON, RULES
from engine.games.position import Move, Outcome, Position
from engine.games.spec import Coordinates, GameSpec
from engine.solvers.three_row import estimate
from oracle.answers import Answer, Certainty, GameInfo
from oracle.index import SheetIndex
from oracle.probers import three_row_kernels as kernels
from oracle.probers.base import (
    NO_MOVE,
    PASS_ONLY,
    Moves,
    Outcomes,
    Prober,
    packed,
    unknown,
)
from oracle.probers.base import Coordinates as CoordinateArray
from schema.errors import InvalidPositionError
from schema.provenance import BuildRecord


@dataclass(frozen=True)
class Table:
    """The arrays of one game and the build they come from."""

    game: GameSpec
    index: SheetIndex
    build: BuildRecord | None

    @property
    def range(self) -> str:
        """The positions covered, in words."""
        if self.index.closed_by >= 0:
            return "any x, y and z"
        return f"x <= {self.index.limit}, any y and z"

    @cached_property
    def reason(self) -> str:
        """What answers from this table rest on."""
        return f"loser sheets of {self.game.text}, {self.range}"

    def covers(self, x: int) -> bool:
        """Whether sheet x is in the table, or known to be empty beyond a rectangle in P."""
        return x <= self.index.limit or self.index.closed_by >= 0


class ThreeRowProber(Prober):
    """Answers [x, y, z] for any y and z and every x that the tables cover."""

    family = "chomp3"

    def __init__(self, tables: Iterable[Table]) -> None:
        self._tables = {table.game: table for table in tables}

    def warm_up(self) -> None:
        """Ask one question of each kind, so that kernels are compiled or loaded beforehand."""
        for table in self._tables.values():
            poison = Position(table.game, POISON)
            self.winning_moves(poison)
            self.winning_move_batch(table.game, np.array([POISON], np.int32))

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a table."""
        return tuple(
            GameInfo(
                game=game,
                questions=("outcome", "winning_moves"),
                range=table.range,
                limit=table.index.limit,
                certainty=Certainty.EXACT_TABLE,
                build=table.build,
            )
            for game, table in self._tables.items()
        )

    def outcome(self, position: Position) -> Answer:
        """Outcome by one look-up in the sheet of x."""
        return self._answer(position, with_moves=False)

    def winning_moves(self, position: Position) -> Answer:
        """All winning moves, by one inverse look-up for each of the moves M1 to M6."""
        return self._answer(position, with_moves=True)

    def outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Outcomes of many positions; see `Prober.outcomes`."""
        coordinates = packed(coordinates, 3, RULES.form)
        out = np.zeros(len(coordinates), np.uint8)
        table = self._tables.get(game)
        bad = (
            _first_negative(coordinates)
            if table is None
            else kernels.outcomes(coordinates, table.index, out)
        )
        _require_legal(coordinates, bad)
        return out

    def winning_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many positions; see `Prober.winning_move_batch`."""
        coordinates = packed(coordinates, 3, RULES.form)
        out = np.zeros(len(coordinates), np.uint8)
        moves = np.full(coordinates.shape, NO_MOVE, np.int32)
        table = self._tables.get(game)
        if table is None:
            _require_legal(coordinates, _first_negative(coordinates))
            return out, moves
        _require_legal(coordinates, kernels.winning_moves(coordinates, table.index, out, moves))
        if game.passes:
            self._add_passes(game, coordinates, out, moves)
        return out, moves

    def _add_passes(
        self, game: GameSpec, coordinates: CoordinateArray, out: Outcomes, moves: Moves
    ) -> None:
        open_rows = np.flatnonzero((out == Outcome.N) & (moves[:, 0] < 0))
        passed = self.outcomes(game.with_passes(game.passes - 1), coordinates[open_rows])
        moves[open_rows[passed == Outcome.P]] = PASS_ONLY

    def _answer(self, position: Position, *, with_moves: bool) -> Answer:
        game, coordinates = position.game, position.coordinates
        table = self._tables.get(game)
        if table is None or not table.covers(coordinates[0]):
            return unknown(position, _what_would_decide(game, coordinates, table))
        children = np.empty((kernels.MAX_WINNING, 3), np.int64)
        code, found = kernels.probe(*coordinates, with_moves, table.index, children)
        outcome = Outcome(code)
        if outcome is Outcome.UNKNOWN:
            return unknown(position, _what_would_decide(game, coordinates, table))
        moves = self._moves(position, outcome, children[:found]) if with_moves else None
        return Answer(position, outcome, Certainty.EXACT_TABLE, table.reason, moves)

    def _moves(
        self, position: Position, outcome: Outcome, children: CoordinateArray
    ) -> tuple[Move, ...]:
        coordinates = position.coordinates
        if outcome is Outcome.P or coordinates in position.game.declared:
            return ()
        moves = [Move(position.child((x, y, z))) for x, y, z in children.tolist()]
        if position.game.passes and coordinates != EMPTY:
            passed = position.passed()
            if self.outcome(passed).outcome is Outcome.P:
                moves.append(Move(passed, is_pass=True))
        return tuple(moves)


def _what_would_decide(game: GameSpec, coordinates: Coordinates, table: Table | None) -> str:
    x = coordinates[0]
    known = "there is no table" if table is None else f"the table ends at x = {table.index.limit}"
    return f"{known} of {game.text}; {_build_advice(game, x)}"


@lru_cache(maxsize=1024)
def _build_advice(game: GameSpec, x: int) -> str:
    if x > MAX_ADVISED:
        return f"x = {x} is beyond any table that could be computed"
    needed = max(x, 1_000)
    positions, memory = estimate(needed)
    return (
        f"oracle build '{game.text}' --limit {needed} would decide it"
        f" ({positions:,} P-positions, {memory / 2**30:.1f} GiB)"
    )


MAX_ADVISED = 100_000
"""Largest x for which a build is recommended."""


def _first_negative(coordinates: CoordinateArray) -> int:
    rows = np.flatnonzero((coordinates < 0).any(axis=1))
    return int(rows[0]) if len(rows) else -1


def _require_legal(coordinates: CoordinateArray, bad_row: int) -> None:
    if bad_row >= 0:
        raise InvalidPositionError(
            f"{RULES.form}: row {bad_row} is {coordinates[bad_row].tolist()}; coordinates may not"
            " be negative, nor x + y + z exceed 2^31 - 1 where moves are asked for"
        )
