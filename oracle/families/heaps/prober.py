"""The base of the probers of heap games, which ask their sources in order."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.heaps import HeapRules, is_symmetric, take
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory import nim
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.heaps.arrays import HEAP_LOADERS, stored_table
from position_oracle.oracle.families.heaps.frames import Int64Array
from position_oracle.oracle.families.heaps.geometry import Ranges, doubling
from position_oracle.oracle.families.heaps.on_demand import SolvedTables, side_for
from position_oracle.oracle.families.heaps.tables import Solved
from position_oracle.oracle.families.heaps.theorems import Knowledge
from position_oracle.oracle.families.heaps.values import HeapValueSource
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.rows import MAX_OPEN_ROWS
from position_oracle.oracle.families.sources import (
    CELL_SECONDS,
    LOOK_UP,
    Found,
    KnownRows,
    Outcomes,
    Rows,
    Source,
    Undecided,
    check_not_negative,
    declared_rows,
    is_quickly_searched,
    no_sheets,
    packed,
    slices,
    unknown,
    window_cost,
)
from position_oracle.oracle.families.stored_values import stored_values
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY
from position_oracle.schema.errors import (
    BeyondTablesError,
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)
from position_oracle.schema.geometry import Geometry, Shape

USUAL_LIMIT: Final = 4096
"""The limit recommended for a build, if it is enough."""

MAX_ADVISED: Final = 4_000_000_000
"""Maximum number of cells of a recommended table."""

MAX_WINDOW_CELLS: Final = 1 << 24
"""Maximum number of cells of smaller sheets that are computed for a window of W_x."""

_MEASURING: Final = Cost(0.05, 32 << 20)
"""Cost of measuring sheets."""

GAMES_KEPT: Final = 256
"""Maximum number of games whose sources are cached, because there are unlimited variants."""


class HeapProber(Prober):
    """Answers questions about a family of heap games, from the first source that can."""

    loaders = HEAP_LOADERS
    rules: HeapRules

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        stored = map(stored_table, resources.tables(self.family, "sheets"))
        self.tables = {table.game: table for table in stored}
        self.solved = SolvedTables(resources)
        self._kept: dict[GameSpec, Sequence[Source]] = {}

    @cached_property
    def heap_values(self) -> HeapValueSource:
        """The source of Grundy values and remoteness."""
        stored = stored_values(self.resources, self.family)
        return HeapValueSource(stored, self.solved, self.plan_small_values)

    def plan_small_values(self, kind: ValueKind, position: Position) -> Plan[Values] | None:
        """Plan values from a small table, if there is one."""
        return None

    def sources(self, game: GameSpec) -> Sequence[Source]:
        """Return the sources of the family, after declared positions and before values."""
        found = self._kept.get(game)
        if found is None:
            if len(self._kept) >= GAMES_KEPT:
                self._kept.clear()
            found = self._kept[game] = (*self._sources(game), self.heap_values)
        return found

    @abstractmethod
    def _sources(self, game: GameSpec) -> Sequence[Source]:
        """Return the sources of a game with a given number of heaps, the best first."""

    def from_knowledge(self, game: GameSpec, *known: Knowledge) -> Sequence[Source]:
        """Return the sources of theorems, tables and searches of a game."""
        declared = (DeclaredHeaps(),) if game.is_variant else ()
        return (*declared, *(KnownHeaps(self, each) for each in known), self.undecided)

    @cached_property
    def undecided(self) -> Undecided:
        """The source that names the build that would decide a position."""
        return Undecided(lambda position: unknown(position, self.what_would_decide(position)))

    @abstractmethod
    def what_would_decide(self, position: Position) -> str:
        """Return, in words, the build that would decide a position that no source knows."""

    def max_singles(self, game: GameSpec) -> int | None:
        """Return a small maximum, because the sources answer arrays."""
        return MAX_OPEN_ROWS

    def warm_up(self) -> None:
        """Ask one question for each table, so that kernels are compiled or loaded beforehand."""
        for game in self.tables:
            self.plan_rows(game, np.array([[2, 3, 7], [3, 2, 60]], np.int32), with_moves=True).run()

    def plan_instant_winners(
        self, game: GameSpec, x: int, size: tuple[int, int], first: tuple[int, int]
    ) -> Plan[NDArray[np.uint8]]:
        """Plan a window of W_x of a game with three heaps.

        It is a part of the window that begins at y = z = 0.
        """
        from position_oracle.engine.solvers.heap_games import instant_winners
        from position_oracle.engine.solvers.instant_winners import check_window

        check_window(x, *size, *first)
        end_y, end_z = first[0] + size[0], first[1] + size[1]
        check_window(x, end_y, end_z)
        made = self._plan_third_heaps(game, x, end_y)

        def run() -> NDArray[np.uint8]:
            window = instant_winners(game, made.run(), x, end_y, end_z)
            return window[first[0] :, first[1] :]

        return Plan(made.cost + window_cost(x, end_y, end_z), run)

    def plan_losers(
        self, game: GameSpec, x: int, size_y: int, first_y: int
    ) -> Plan[NDArray[np.int32]]:
        """Plan a part of L_x of a game with three heaps."""
        from position_oracle.engine.solvers.instant_winners import check_window

        check_window(x, size_y, 1, first_y)
        check_window(x, first_y + size_y, 1)
        made = self._plan_third_heaps(game, x + 1, first_y + size_y)

        def run() -> NDArray[np.int32]:
            return made.run()[x, first_y : first_y + size_y].astype(np.int32)

        return Plan(made.cost + window_cost(0, first_y + size_y, 1), run)

    def plan_geometry(self, game: GameSpec) -> Plan[Geometry]:
        """Plan the repetitions or lines of the sheets, from a stored table or one solved now."""
        even = game.with_passes(game.passes % 2)
        table = self.tables.get(even)
        rows, columns = (side_for(even) + 1,) * 2 if table is None else table.arrays.rows.shape
        by_theorem = self.rules.has_nim_sums(even)
        made = self._plan_third_heaps(game, rows, columns)
        source = "theorem" if by_theorem else "solved" if table is None else "sheets"
        stored = "p_position" if source == "sheets" else ""

        def run() -> Geometry:
            shapes = tuple(
                Shape(game.text, source, first, last, tuple(measures), stored)
                for first, last, measures in self._measured(even, made.run())
            )
            if not shapes:
                raise UnknownAnswerError(
                    f"{game.text}: too few sheets are available to be measured"
                )
            return Geometry(game.text, shapes)

        return Plan(made.cost + _MEASURING, run)

    def _measured(self, game: GameSpec, z: NDArray[np.integer]) -> Ranges:
        """Measure the shape from the z of all x and y."""
        return doubling(z)

    def _plan_third_heaps(
        self, game: GameSpec, rows: int, columns: int
    ) -> Plan[NDArray[np.integer]]:
        """Plan the z for x below `rows` and y below `columns`.

        Raises:
            UnknownAnswerError: the game does not have three heaps, or no available source goes that
                far.
            ResourceLimitError: a closed form applies, but there are too many cells.
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
            cost = Cost(CELL_SECONDS * rows * columns, 8 * rows * columns)
            return Plan(cost, lambda: nim.third_heap_table(rows, columns, misere=game.misere))
        if (table := self.tables.get(game)) is not None:
            for z in (table.arrays.rows, table.arrays.columns)[: 1 + table.arrays.symmetric]:
                if rows <= z.shape[0] and columns <= z.shape[1]:
                    return Plan(LOOK_UP, partial(np.asarray, z))
        last = (max(rows - 1, 0), max(columns - 1, 0), 0)
        if max(last) > side_for(game):
            raise BeyondTablesError(self.what_would_decide(Position(game, last)))
        cost = Solved(game, None, self.solved).cost(max(last))
        return Plan(cost, lambda: self.solved.sheets(game, max(last)).rows)

    def checked(self, game: GameSpec, coordinates: Rows) -> tuple[GameSpec, Int64Array]:
        """Return the game with its number of heaps, and the heaps.

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
        check_not_negative(narrow, "heaps")
        return game, narrow.astype(np.int64)

    def first_children(self, game: GameSpec, heaps: Int64Array, taken: Int64Array) -> Int64Array:
        """Return the children along the first line with a winning move."""
        lines = self.rules.lines(game, heaps.shape[1])
        members = np.array([[i in line for i in range(heaps.shape[1])] for line in lines])
        first = (taken > 0).argmax(axis=1)
        most = taken[np.arange(len(taken)), first]
        children: Int64Array = heaps - most[:, np.newaxis] * members[first]
        children[most == 0] = NO_MOVE
        return children

    def _table_infos(self) -> tuple[Covered, ...]:
        return tuple(
            covered(
                game,
                table.range,
                Certainty.EXACT_TABLE,
                limits=table.limits,
                build=table.build,
                has_sheets=True,
            )
            for game, table in self.tables.items()
        )


class DeclaredHeaps(Source):
    """Source for positions that are declared N."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan N: the player to move has won."""
        if not position.game.declares(position.coordinates):
            return None
        moves = () if with_moves else None
        reason = "declared an N-position"
        answer = Answer(position, Outcome.N, Certainty.THEOREM, reason, moves)
        return Plan(LOOK_UP, lambda: answer)

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan N for the declared rows, without moves."""
        known = declared_rows(game, rows.astype(np.int64, copy=False))
        outcomes = np.full(np.count_nonzero(known), Outcome.N, np.uint8)
        moves = np.full((len(outcomes), rows.shape[1]), NO_MOVE, np.int32) if with_moves else None
        cost = LOOK_UP + Cost(1e-7 * len(rows) * len(game.declared), 16 * rows.size)
        return known, Plan(cost, lambda: (outcomes, moves))


class KnownHeaps(Source):
    """Source made from one theorem, table or search."""

    def __init__(self, prober: HeapProber, known: Knowledge) -> None:
        self._prober = prober
        self._known = known

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan small positions by the graph, which needs no compiled kernels."""
        if self._known.needs_kernels and is_quickly_searched(position.coordinates):
            return self._prober.graph.plan_last(position, with_moves=with_moves)
        outcome = self._known.plan_outcome(position.coordinates)
        if outcome is None:
            return None
        passed = None
        if with_moves and position.game.passes and any(position.coordinates):
            passed = self._prober.plan(position.passed(), with_moves=False)
        cost = outcome.cost if passed is None else outcome.cost + passed.cost

        def run() -> Answer:
            found = outcome.run()
            moves: tuple[Move, ...] | None = () if with_moves else None
            reason = self._known.reason
            if with_moves and found is Outcome.N:
                moves = self._moves(position, passed)
                if moves is None:
                    reason += "; whether the pass wins, too, is not known"
            return Answer(position, found, self._known.certainty, reason, moves)

        return Plan(cost, run, is_sure=passed is None or passed.is_sure)

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan the rows slice by slice."""
        heaps = rows.astype(np.int64, copy=False)
        known, cost = self._known.plan_outcomes(heaps)
        heaps = heaps[known]

        def run() -> Found:
            outcomes = np.zeros(len(heaps), np.uint8)
            moves = np.full(heaps.shape, NO_MOVE, np.int32) if with_moves else None
            for part in slices(len(heaps)):
                outcomes[part] = self._known.outcomes(heaps[part])
                if moves is not None:
                    moves[part] = self._first_moves(game, heaps[part], outcomes[part])
            return outcomes, moves

        seconds, memory = cost.seconds, cost.memory_bytes + 16 * rows.size
        if with_moves:
            seconds = 3 * seconds + self._known.move_seconds * float(heaps.sum())
            memory += 24 * rows.size
        return known, Plan(Cost(seconds, memory), run)

    def _first_moves(
        self, game: GameSpec, heaps: Int64Array, outcomes: Outcomes
    ) -> NDArray[np.int32]:
        moves = np.full(heaps.shape, NO_MOVE, np.int32)
        wins = np.flatnonzero(outcomes == Outcome.N)
        if len(wins):
            taken = self._known.taken(heaps[wins])
            moves[wins] = self._prober.first_children(game, heaps[wins], taken)
        if game.passes:
            # In an N-position with moves but no winning regular move, the pass wins.
            passing = (outcomes == Outcome.N) & (moves[:, 0] < 0) & heaps.any(axis=1)
            moves[passing] = PASS_ONLY
        return moves

    def _moves(self, position: Position, passed: Plan[Answer] | None) -> tuple[Move, ...] | None:
        """Return all winning moves of an N-position; None if it is open whether the pass wins."""
        coordinates = position.coordinates
        lines = self._prober.rules.lines(position.game, len(coordinates))
        moves = [
            Move(position.child(take(coordinates, line, taken)))
            for line, taken in zip(lines, self._known.taken_of(coordinates), strict=True)
            if taken
        ]
        if passed is not None:
            wins = passed.run().outcome if moves else Outcome.P
            if wins is Outcome.UNKNOWN:
                return None
            if wins is Outcome.P:
                moves.append(Move(position.passed(), is_pass=True))
        return tuple(moves)


def build_advice(game: GameSpec, coordinates: Coordinates) -> str:
    """Return the build of three heaps that would decide a position, with its cost, in words."""
    from position_oracle.engine.jobs.plan import BuildPlan, estimate_all
    from position_oracle.engine.solvers.heap_games import largest_limit

    x, y = sorted(coordinates)[:2] if is_symmetric(game) else coordinates[:2]
    largest = largest_limit(game)
    if max(x, y) > largest or (x + 1) * (y + 1) > MAX_ADVISED:
        return f"[{x}, {y}, z] is beyond the limit of tables"
    limit = str(USUAL_LIMIT) if max(x, y) <= USUAL_LIMIT else str(x) if x == y else f"{x}x{y}"
    plans = BuildPlan.all_needed(game, limit)
    name = plans[-1].game.text
    return f"to decide it, run oracle build '{name}' --limit {limit} ({estimate_all(plans)})"
