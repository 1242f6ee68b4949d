"""Three-row Chomp and its variants, answered from loser sheets."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from engine.games.chomp3 import EMPTY, POISON, RULES
from engine.games.position import Move, Outcome, Position
from engine.games.spec import MAX_COORDINATE, Coordinates, GameSpec
from engine.solvers.instant_winners import instant_winners
from engine.solvers.three_row import MAX_LIMIT
from engine.solvers.three_row_games import same_p_positions
from oracle.answers import Answer, Certainty, GameInfo
from oracle.index import sheets_of
from oracle.probers import three_row_kernels as kernels
from oracle.probers.base import (
    INT32_MAX,
    NO_MOVE,
    PASS_ONLY,
    Moves,
    Outcomes,
    Prober,
    packed,
    unknown,
)
from oracle.probers.base import Coordinates as CoordinateArray
from oracle.probers.on_demand import SIZES, OnDemandTables
from oracle.probers.sheet_table import SheetTable
from schema.errors import InvalidPositionError, UnknownAnswerError


class ThreeRowProber(Prober):
    """Answers [x, y, z] for any y and z, and every x that a table covers or that is small.

    Since two more passes change no P-position, the tables without a pass and with one answer for
    every number of passes.
    """

    family = "chomp3"

    def __init__(self, tables: Iterable[SheetTable]) -> None:
        self._tables = {table.game: table for table in tables}
        self._on_demand = OnDemandTables()

    def warm_up(self) -> None:
        """Ask one question of each kind, so that kernels are compiled or loaded beforehand."""
        for table in self._tables.values():
            self.winning_moves(Position(table.game, POISON))
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
        coordinates = _checked(coordinates)
        out = np.zeros(len(coordinates), np.uint8)
        for table, rows in self._parts(game, coordinates):
            part = np.zeros(len(coordinates[rows]), np.uint8)
            kernels.outcomes(coordinates[rows], table.index, part)
            out[rows] = part
        return out

    def winning_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many positions; see `Prober.winning_move_batch`."""
        coordinates = _checked(coordinates)
        too_long = np.flatnonzero(coordinates.sum(axis=1, dtype=np.int64) > INT32_MAX)
        if len(too_long):
            raise InvalidPositionError(
                f"{RULES.form}: row {too_long[0]} is {coordinates[too_long[0]].tolist()}; where"
                " moves are asked for, x + y + z may not exceed 2^31 - 1"
            )
        out = np.zeros(len(coordinates), np.uint8)
        moves = np.full(coordinates.shape, NO_MOVE, np.int32)
        for table, rows in self._parts(game, coordinates):
            part, children = out[rows], moves[rows]
            kernels.winning_moves(coordinates[rows], table.index, part, children)
            out[rows], moves[rows] = part, children
        if game.passes:
            self._add_passes(game, coordinates, out, moves)
        if not game.is_plain:
            moves[_declared(game, coordinates)] = NO_MOVE
        return out, moves

    def instant_winners(
        self, game: GameSpec, x: int, size_y: int, size_z: int
    ) -> npt.NDArray[np.uint8]:
        """A window of W_x, with what each cell comes from; see `Prober.instant_winners`."""
        # W_x shifts the smaller sheets: column y is column y + x of sheet 0.
        last = (max(x - 1, 0), x + max(size_y, 0), 0)
        table = self._table(game, last)
        if table is None:
            raise UnknownAnswerError(self._what_would_decide(game, last))
        return instant_winners(sheets_of(table.index), x, size_y, size_z)

    def _parts(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> Iterator[tuple[SheetTable, slice | npt.NDArray[np.intp]]]:
        """Tables for a batch, and the rows that each of them answers."""
        if not len(coordinates):
            return
        game = same_p_positions(game)
        table = self._tables.get(game)
        reach = -1
        if table is not None:
            reach = MAX_COORDINATE if table.index.closed_by >= 0 else table.index.limit
            if int(coordinates[:, 0].max()) <= reach:
                yield table, slice(None)
                return
            yield table, np.flatnonzero(coordinates[:, 0] <= reach)
        rest = np.flatnonzero((coordinates[:, 0] > reach) & (coordinates[:, 0] < SIZES[-1]))
        if len(rest):
            x, y, z = (int(n) for n in coordinates[rest].max(axis=0))
            solved = self._on_demand.find(game, (x, y, z))
            if solved is not None:
                yield solved, rest

    def _add_passes(
        self, game: GameSpec, coordinates: CoordinateArray, out: Outcomes, moves: Moves
    ) -> None:
        open_rows = np.flatnonzero((out == Outcome.N) & (moves[:, 0] == NO_MOVE))
        passed = self.outcomes(game.with_passes(game.passes - 1), coordinates[open_rows])
        moves[open_rows[passed == Outcome.P]] = PASS_ONLY

    def _table(self, game: GameSpec, coordinates: Coordinates) -> SheetTable | None:
        """A table in which a position is decided: a stored one, else one that is soon solved."""
        game = same_p_positions(game)
        table = self._tables.get(game)
        if table is not None and table.covers(coordinates):
            return table
        return self._on_demand.find(game, coordinates)

    def _answer(self, position: Position, *, with_moves: bool) -> Answer:
        game, coordinates = position.game, position.coordinates
        table = self._table(game, coordinates)
        if table is None:
            return unknown(position, self._what_would_decide(game, coordinates))
        outcome = table.outcome(coordinates)
        moves = self._moves(position, outcome, table) if with_moves else None
        return Answer(position, outcome, table.certainty, table.reason, moves)

    def _moves(
        self, position: Position, outcome: Outcome, table: SheetTable
    ) -> tuple[Move, ...] | None:
        coordinates = position.coordinates
        if outcome is Outcome.P or position.game.declares(coordinates):
            return ()
        if not table.has_all_children(coordinates):
            return None
        children = np.empty((kernels.MAX_WINNING, 3), np.int64)
        found = kernels.winning_children(*coordinates, table.index, children)
        moves = [Move(position.child((x, y, z))) for x, y, z in children[:found].tolist()]
        if position.game.passes and coordinates != EMPTY:
            passed = position.passed()
            if self.outcome(passed).outcome is Outcome.P:
                moves.append(Move(passed, is_pass=True))
        return tuple(moves)

    def _what_would_decide(self, game: GameSpec, coordinates: Coordinates) -> str:
        table = self._tables.get(same_p_positions(game))
        known = f"no table of {game.text}" if table is None else f"{table.reason}: beyond it"
        return f"{known}; {_build_advice(same_p_positions(game), coordinates[:2])}"


MAX_ADVISED = min(MAX_LIMIT, 200_000)
"""Largest x for which a build is recommended."""


@lru_cache(maxsize=1024)
def _build_advice(game: GameSpec, reach: Coordinates) -> str:
    from engine.jobs.plan import BuildPlan, estimate_all

    x, y = reach
    if x > MAX_ADVISED or (game.noise is not None and y > MAX_ADVISED):
        return "it is beyond any table that could be computed"
    if game.noise is not None and game.passes:
        return "games with both noise and passes are not solved"
    limit = f"{max(x, 1_000)}" + (f"x{max(y, 1_000)}" if game.noise is not None else "")
    plans = BuildPlan.all_needed(game, limit)
    return f"oracle build '{game.text}' --limit {limit} would decide it ({estimate_all(plans)})"


def _declared(game: GameSpec, coordinates: CoordinateArray) -> npt.NDArray[np.bool_]:
    """Which rows of a batch are declared N, and so have no moves."""
    declared = np.zeros(len(coordinates), np.bool_)
    for triple in game.declared:
        declared |= (coordinates == np.array(triple)).all(axis=1)
    if game.noise is not None:
        for x in np.unique(coordinates[:, 0]):
            rows = np.flatnonzero(coordinates[:, 0] == x)
            y, z = coordinates[rows, 1], coordinates[rows, 2]
            near = y < MAX_ADVISED
            drawn = game.noise.columns(int(x), int(y[near].max(initial=0)) + 1)
            declared[rows[near]] |= drawn[y[near]] == z[near]
    return declared


def _checked(coordinates: CoordinateArray) -> npt.NDArray[np.int32]:
    coordinates = packed(coordinates, 3, RULES.form)
    if coordinates.min(initial=0) < 0:
        row = int(np.flatnonzero((coordinates < 0).any(axis=1))[0])
        raise InvalidPositionError(
            f"{RULES.form}: row {row} is {coordinates[row].tolist()}; coordinates may not be"
            " negative"
        )
    return coordinates
