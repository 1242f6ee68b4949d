"""What the probers of heap games share: sources are asked one after the other."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.heaps import HeapRules, is_symmetric, take
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory import nim
from position_oracle.engine.theory.geometry.heaps import Ranges, doubling
from position_oracle.oracle.answers import Answer, Certainty, GameInfo
from position_oracle.oracle.families.base import (
    LOOK_UP,
    NO_MOVE,
    PASS_ONLY,
    ROW_SECONDS,
    Moves,
    Outcomes,
    Prober,
    Shelf,
    check_not_negative,
    no_sheets,
    packed,
    questions_of,
    unknown,
)
from position_oracle.oracle.families.base import Coordinates as CoordinateArray
from position_oracle.oracle.families.heaps.arrays import stored_table
from position_oracle.oracle.families.heaps.frames import Int64Array
from position_oracle.oracle.families.heaps.on_demand import (
    SMALL_BOUND,
    SolvedTables,
    bound,
    side_for,
)
from position_oracle.oracle.families.heaps.theorems import Source
from position_oracle.oracle.families.heaps.values import HeapValues
from position_oracle.oracle.families.values import ValueTable
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)
from position_oracle.schema.geometry import Geometry, Shape

USUAL_LIMIT: Final = 4096
"""The limit recommended for a build, where it is enough."""

MAX_ADVISED: Final = 4_000_000_000
"""Most cells of a table that is recommended."""

MAX_WINDOW_CELLS: Final = 1 << 24
"""Most cells of lower sheets that are computed for a window of W_x."""

GAMES_KEPT: Final = 256
"""Games whose sources are kept; variants are as many as people think of."""


class HeapProber(Prober):
    """Answers for a family of heap games, from the first source that knows a position."""

    rules: HeapRules

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf)
        stored = map(stored_table, shelf.tables(self.family, "sheets"))
        self._tables = {table.game: table for table in stored}
        self._solved = SolvedTables(shelf)
        self._kept: dict[GameSpec, Sequence[Source]] = {}

    @cached_property
    def _values(self) -> HeapValues:
        return HeapValues(self.shelf, self.family, self._closed_values)

    @abstractmethod
    def _closed_values(self, position: Position) -> ValueTable | None:
        """Grundy values of normal play by a theorem or a small table, where there is one."""

    def _sources_of(self, game: GameSpec) -> Sequence[Source]:
        found = self._kept.get(game)
        if found is None:
            if len(self._kept) >= GAMES_KEPT:
                self._kept.clear()
            found = self._kept[game] = self._sources(game)
        return found

    @abstractmethod
    def _sources(self, game: GameSpec) -> Sequence[Source]:
        """What answers for a game whose number of heaps is given, the best first."""

    @abstractmethod
    def _what_would_decide(self, position: Position) -> str:
        """What would decide a position that no source knows."""

    def warm_up(self) -> None:
        """Ask one question of each table, so that kernels are compiled or loaded beforehand."""
        for game in self._tables:
            self.winning_move_batch(game, np.array([[2, 3, 7], [3, 2, 60]], np.int32))

    def known_values(self, position: Position) -> ValueTable:
        """By closed forms, stored tables, searches."""
        return self._values.around(position)

    def price_of_values(self, position: Position) -> Cost:
        """A search where tables do not reach; see `HeapValues.price`."""
        return self._values.price(position)

    def price(self, position: Position) -> Cost:
        """That of the first source that knows the position; and the pass may win, too."""
        passes = position.game.passes
        price = self.price(position.passed()) if passes and passes % 2 == 0 else Cost()
        for source in self._sources_of(position.game):
            own = source.price_of(position.coordinates)
            if own is not None:
                return price + own
        return price + LOOK_UP

    def price_of_rows(
        self, game: GameSpec, coordinates: CoordinateArray, *, with_moves: bool = True
    ) -> Cost:
        """What the sources take one after the other, for what those before do not know."""
        total = Cost()
        if self.rules.has_nim_sums(game):
            return total
        game, heaps = self._legal(game, coordinates)
        for source in self._sources_of(game):
            if not len(heaps):
                break
            price, known = source.price_of_rows(heaps)
            total, heaps = total + price, heaps[~known]
        return total + Cost(ROW_SECONDS * len(heaps) / 10)

    def known_outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Outcomes of many positions; see `Prober.outcomes`."""
        game, heaps = self._legal(game, coordinates)
        out = np.zeros(len(heaps), np.uint8)
        declared = declared_rows(game, heaps)
        out[declared] = Outcome.N
        for source in self._sources_of(game):
            open_rows = np.flatnonzero(out == Outcome.UNKNOWN)
            if not len(open_rows):
                break
            out[open_rows] = source.outcomes(heaps[open_rows])
        return out

    def known_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many positions; see `Prober.winning_move_batch`."""
        game, heaps = self._legal(game, coordinates)
        out = np.zeros(len(heaps), np.uint8)
        moves = np.full(heaps.shape, NO_MOVE, np.int32)
        declared = declared_rows(game, heaps)
        out[declared] = Outcome.N
        for source in self._sources_of(game):
            open_rows = np.flatnonzero(out == Outcome.UNKNOWN)
            if not len(open_rows):
                break
            out[open_rows] = source.outcomes(heaps[open_rows])
            found = open_rows[out[open_rows] == Outcome.N]
            if len(found):
                taken = source.taken(heaps[found])
                moves[found] = self._first_children(game, heaps[found], taken)
        if game.passes:
            # An N-position with a move, and no regular one that wins, is won by the pass.
            passing = (out == Outcome.N) & (moves[:, 0] < 0) & ~declared & heaps.any(axis=1)
            moves[passing] = PASS_ONLY
        return out, moves

    def instant_winners(
        self,
        game: GameSpec,
        x: int,
        size_y: int,
        size_z: int,
        first_y: int = 0,
        first_z: int = 0,
    ) -> NDArray[np.uint8]:
        """A window of W_x of a game with three heaps; see `Prober.instant_winners`.

        It is cut out of the window that begins at y = z = 0.
        """
        from position_oracle.engine.solvers.heap_games import instant_winners
        from position_oracle.engine.solvers.instant_winners import check_window

        check_window(x, size_y, size_z, first_y, first_z)
        end_y, end_z = first_y + size_y, first_z + size_z
        check_window(x, end_y, end_z)
        window = instant_winners(game, self._third_heaps(game, x, end_y), x, end_y, end_z)
        return window[first_y:, first_z:]

    def losers(self, game: GameSpec, x: int, size_y: int, first_y: int = 0) -> NDArray[np.int32]:
        """Part of L_x of a game with three heaps; see `Prober.losers`."""
        from position_oracle.engine.solvers.instant_winners import check_window

        check_window(x, size_y, 1, first_y)
        check_window(x, first_y + size_y, 1)
        z = self._third_heaps(game, x + 1, first_y + size_y)
        return z[x, first_y : first_y + size_y].astype(np.int32)

    def geometry(self, game: GameSpec) -> Geometry:
        """What repeats in the sheets, or their lines, from a stored table or one solved now."""
        even = game.with_passes(game.passes % 2)
        table = self._tables.get(even)
        rows, columns = (side_for(even) + 1,) * 2 if table is None else table.arrays.rows.shape
        by_theorem = self.rules.has_nim_sums(even)
        z = self._third_heaps(game, rows, columns)
        source = "theorem" if by_theorem else "solved" if table is None else "sheets"
        stored = "p_position" if source == "sheets" else ""
        shapes = tuple(
            Shape(game.text, source, first, last, tuple(measures), stored)
            for first, last, measures in self._measured(even, z)
        )
        if not shapes:
            raise UnknownAnswerError(f"{game.text}: the sheets at hand are too few to be measured")
        return Geometry(game.text, shapes)

    def _measured(self, game: GameSpec, z: NDArray[np.integer]) -> Ranges:
        """What is measured of the z of all x and y."""
        return doubling(z)

    def price_of_geometry(self, game: GameSpec) -> Cost:
        """Solving the sheets, where there is no table, and looking at some of them."""
        table = self._tables.get(game.with_passes(game.passes % 2))
        if table is not None or game.heaps != 3:
            return Cost(0.05, 32 << 20)
        side = side_for(game) + 1
        return self.price_of_window(game, side, side, 1, 0, 0) + Cost(0.05, 32 << 20)

    def price_of_window(
        self, game: GameSpec, x: int, size_y: int, size_z: int, first_y: int, first_z: int
    ) -> Cost:
        """The price of the window that it is cut out of."""
        return super().price_of_window(game, x, first_y + size_y, first_z + size_z, 0, 0)

    def _third_heaps(self, game: GameSpec, rows: int, columns: int) -> NDArray[np.integer]:
        """The z for x below `rows` and y below `columns`.

        Raises:
            UnknownAnswerError: the game has not three heaps, or nothing at hand goes so far.
            ResourceLimitError: a closed form goes so far, but there are too many cells.
        """
        from position_oracle.engine.solvers.heap_games import has_sheets

        if not has_sheets(even := game.with_passes(game.passes % 2)):
            raise no_sheets(game)
        game = even
        if self.rules.has_nim_sums(game):
            if rows * columns > MAX_WINDOW_CELLS:
                raise ResourceLimitError(
                    f"W_{rows} of {game.text} for y < {columns} takes {rows} x {columns} cells of"
                    f" lower sheets; at most {MAX_WINDOW_CELLS:,} are computed"
                )
            return nim.third_heap_table(rows, columns, misere=game.misere)
        if (table := self._tables.get(game)) is not None:
            for z in (table.arrays.rows, table.arrays.columns)[: 1 + table.arrays.symmetric]:
                if rows <= z.shape[0] and columns <= z.shape[1]:
                    return z
        last = (max(rows - 1, 0), max(columns - 1, 0), 0)
        if max(last) > side_for(game):
            raise UnknownAnswerError(self._what_would_decide(Position(game, last)))
        return self._solved.sheets(game, max(last)).rows

    def _legal(self, game: GameSpec, coordinates: CoordinateArray) -> tuple[GameSpec, Int64Array]:
        """The game with its number of heaps, and the heaps.

        Raises:
            InvalidPositionError: a wrong number of heaps, or a negative one.
        """
        count = game.heaps
        if count is None and coordinates.ndim == 2:
            count = coordinates.shape[1]
            if not self.rules.heaps_allowed(count):
                raise InvalidPositionError(
                    f"{self.rules.form}: got {count} heaps; {self.family} is played with"
                    f" {self.rules.heap_counts}"
                )
            game = replace(game, heaps=count)
        narrow = packed(coordinates, count or 1, self.rules.form)
        check_not_negative(narrow, self.rules.form, "heaps")
        return game, narrow.astype(np.int64)

    def _first_children(self, game: GameSpec, heaps: Int64Array, taken: Int64Array) -> Int64Array:
        lines = self.rules.lines(game, heaps.shape[1])
        members = np.array([[i in line for i in range(heaps.shape[1])] for line in lines])
        first = (taken > 0).argmax(axis=1)
        most = taken[np.arange(len(taken)), first]
        children: Int64Array = heaps - most[:, np.newaxis] * members[first]
        children[most == 0] = NO_MOVE
        return children

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """From the first source that knows the position."""
        game, coordinates = position.game, position.coordinates
        if game.declares(coordinates):
            moves = () if with_moves else None
            return Answer(position, Outcome.N, Certainty.THEOREM, "declared an N-position", moves)
        for source in self._sources_of(game):
            if source.needs_kernels and self._is_searched(position):
                return self.search.answer(position, with_moves=with_moves)
            outcome = source.outcome_of(coordinates)
            if outcome is not Outcome.UNKNOWN:
                found = None
                if with_moves:
                    found = self._moves(position, source) if outcome is Outcome.N else ()
                reason = source.reason
                if with_moves and found is None:
                    reason += "; whether the pass wins, too, is not known"
                return Answer(position, outcome, source.certainty, reason, found)
        return unknown(position, self._what_would_decide(position))

    def _is_searched(self, position: Position) -> bool:
        """Whether a small position is searched rather than a table solved."""
        return bound(position) <= SMALL_BOUND

    def _moves(self, position: Position, source: Source) -> tuple[Move, ...] | None:
        """All winning moves of an N-position; None where it is not known whether the pass wins."""
        coordinates = position.coordinates
        lines = self.rules.lines(position.game, len(coordinates))
        moves = [
            Move(position.child(take(coordinates, line, taken)))
            for line, taken in zip(lines, source.taken_of(coordinates), strict=True)
            if taken
        ]
        if position.game.passes and any(coordinates):
            passed = position.passed()
            wins = self.answer(passed, with_moves=False).outcome if moves else Outcome.P
            if wins is Outcome.UNKNOWN:
                return None
            if wins is Outcome.P:
                moves.append(Move(passed, is_pass=True))
        return tuple(moves)

    def _table_infos(self) -> tuple[GameInfo, ...]:
        return tuple(
            GameInfo(
                game=game,
                questions=questions_of(game, has_sheets=True),
                range=table.range,
                limit=table.arrays.rows.shape[0] - 1,
                certainty=Certainty.EXACT_TABLE,
                build=table.build,
                limits=table.limits,
            )
            for game, table in self._tables.items()
        )


def declared_rows(game: GameSpec, heaps: Int64Array) -> NDArray[np.bool_]:
    """Which of many positions are declared N; bool (n,)."""
    declared = np.zeros(len(heaps), np.bool_)
    for position in game.declared:
        declared |= (heaps == np.array(position)).all(axis=1)
    if game.noise is not None:
        declared |= game.noise.at(heaps[:, 0], heaps[:, 1]) == heaps[:, 2]
    return declared


def build_advice(game: GameSpec, coordinates: Coordinates) -> str:
    """Which build of three heaps would decide a position, and what it takes."""
    from position_oracle.engine.jobs.plan import BuildPlan, estimate_all
    from position_oracle.engine.solvers.heap_games import largest_limit

    x, y = sorted(coordinates)[:2] if is_symmetric(game) else coordinates[:2]
    largest = largest_limit(game)
    if max(x, y) > largest or (x + 1) * (y + 1) > MAX_ADVISED:
        return f"[{x}, {y}, z] is beyond any table that could be computed"
    limit = str(USUAL_LIMIT) if max(x, y) <= USUAL_LIMIT else str(x) if x == y else f"{x}x{y}"
    plans = BuildPlan.all_needed(game, limit)
    name = plans[-1].game.text
    return f"oracle build '{name}' --limit {limit} would decide it ({estimate_all(plans)})"
