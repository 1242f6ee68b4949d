"""The sources of three-row Chomp: a census, loser sheets, and theorems.

The *loser sheet* of x is the list of all P-positions [x, y, z]. A *census* is a stored summary of
the sheets up to a large x, with checkpoints. A *sweep* finds positions that the summary leaves
out, by recomputing sheets row by row from a checkpoint.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan, current, watched
from position_oracle.engine.games.board_rules import bite
from position_oracle.engine.games.chomp3 import EMPTY, RULES, to_rows
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.boards import BoardTheorem, closed_form, rectangle
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.chomp3.census import PLAIN, CensusTable
from position_oracle.oracle.families.chomp3.estimates import estimate_position
from position_oracle.oracle.families.chomp3.index import index_of
from position_oracle.oracle.families.chomp3.on_demand import (
    SIZES,
    build_advice,
    cost_of,
    size_for,
    sizes_of,
    solved,
    with_few_passes,
)
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.rows import MAX_OPEN_ROWS
from position_oracle.oracle.families.sources import (
    INT32_MAX,
    LOOK_UP,
    SLICE,
    Found,
    KnownRows,
    Mask,
    Moves,
    Outcomes,
    RowIndices,
    Rows,
    Source,
    declared_rows,
    is_quickly_searched,
    joined,
    slices,
    unknown,
)
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY
from position_oracle.schema.errors import BeyondTablesError, BuildError, InvalidRowError

ESTIMATE: Final = Cost(3e-4)
"""Cost of an estimate: the probability that a position is a P-position."""

_ROW_SECONDS: Final = 2e-7
"""Seconds to find the outcome of one row of a batch, or a winning move that lies where the shape of
the sheets predicts it."""

_SCAN_SECONDS: Final = 1e-10
"""Seconds to find a winning move that lies elsewhere, for each x of the table."""

_MOVES_SLICE: Final = 2048
"""Number of rows whose winning moves are searched between two checks of the budget
(`engine.budget`)."""


class SheetTables:
    """The stored tables of sheets by game, and the census of the plain game.

    A game with n + 2 passes has the same P-positions as the game with n passes. So two tables, one
    without a pass and one with one pass, answer questions for every number of passes.

    Attributes:
        stored: the stored tables, by game.
        census: the stored census of the game without passes and declared positions, or None.
    """

    def __init__(self, resources: Resources) -> None:
        self.stored = {
            stored.game: SheetTable(stored.game, index_of(dict(stored.arrays)), stored.build)
            for stored in resources.tables("chomp3", "sheets")
        }
        self._look_ups = {
            game: Plan(LOOK_UP, partial(_same, table)) for game, table in self.stored.items()
        }
        censuses = resources.tables("chomp3", "census")
        self.census = CensusTable(censuses[0]) if censuses else None
        self._cache = resources.cache

    def limit(self, game: GameSpec) -> int:
        """Return the largest x of the stored table of a game; -1 if no table is stored."""
        table = self.stored.get(game)
        return -1 if table is None else table.index.limit

    def plan(self, game: GameSpec, coordinates: Coordinates) -> Plan[SheetTable] | None:
        """Return a plan that finds the table for a position: it is stored, or quickly computed.

        The plan's function `run` raises BuildError if the game cannot be solved.
        """
        game = with_few_passes(game)
        table = self.stored.get(game)
        if table is not None and table.covers(coordinates):
            return self._look_ups[game]
        size = size_for(game, coordinates)
        return None if size is None else self.plan_solved(game, size)

    def plan_solved(self, game: GameSpec, size: int) -> Plan[SheetTable]:
        """Plan the solution of the first `size` sheets of a game."""
        return Plan(cost_of(game, size), lambda: solved(self._cache, game, size))

    def is_in_census(self, game: GameSpec, coordinates: Coordinates) -> bool:
        """Return whether a position is in the census but beyond the stored table of its game."""
        if self.census is None or with_few_passes(game) != PLAIN:
            return False
        x, y, z = coordinates
        is_opening = y == z == 0 and x <= self.census.openings.complete_to
        return x > self.limit(PLAIN) and (x <= self.census.limit or is_opening)

    def for_window(
        self, game: GameSpec, x: int, last: Coordinates
    ) -> Plan[SheetTable] | CensusTable:
        """Return a plan for sheets up to a position, else a census that sweeps sheet x.

        Raises:
            BeyondTablesError: there is neither; running the plan raises it, too.
        """
        made = self.plan(game, last)
        if made is None:
            census = self.census if with_few_passes(game) == PLAIN else None
            if census is not None and census.spacing and x <= census.limit:
                return census
            raise BeyondTablesError(self.what_would_decide(game, last))

        def run() -> SheetTable:
            try:
                return made.run()
            except BuildError as error:
                raise BeyondTablesError(cannot_be_solved(game, error)) from error

        return Plan(made.cost, run)

    def undecided(self, position: Position) -> Answer:
        """Return an undecided answer, with the build to run and, in plain Chomp, an estimate."""
        game, coordinates = position.game, position.coordinates
        answer = unknown(position, self.what_would_decide(game, coordinates))
        if with_few_passes(game) != PLAIN:
            return answer
        return replace(answer, estimate=estimate_position(coordinates))

    def what_would_decide(self, game: GameSpec, coordinates: Coordinates) -> str:
        """Describe the build that would make the position known."""
        few = with_few_passes(game)
        table = self.stored.get(few)
        known = f"no table of {game.text}" if table is None else f"{table.reason}: beyond it"
        return f"{known}; {build_advice(few, coordinates[:2])}"


class CensusSource(Source):
    """Source for positions of the plain game that are in the census but not in the table."""

    def __init__(self, tables: SheetTables) -> None:
        self._tables = tables

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Return a plan that answers from the census. With passes it finds only the outcome."""
        census = self._tables.census
        if census is None or not self._tables.is_in_census(position.game, position.coordinates):
            return None
        names_moves = with_moves and not position.game.passes
        plan = census.plan(position, with_moves=names_moves)
        if plan is None or names_moves == with_moves:
            return plan

        def run() -> Answer:
            found = plan.run()
            return replace(found, winning_moves=()) if found.outcome is Outcome.P else found

        return Plan(plan.cost, run, is_sure=False)

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows | None:
        """Plan the rows of a batch that the census decides.

        Rows whose sweeps begin at the same checkpoint share one sweep. Rectangles longer than the
        limit of the census are looked up one by one.
        """
        census = self._tables.census
        if census is None or with_few_passes(game) != PLAIN or (game.passes and with_moves):
            return None
        x, limit = rows[:, 0], self._tables.limit(PLAIN)
        is_swept = (x > limit) & (x <= census.limit) & (census.spacing > 0)
        is_opening = (x > limit) & ~rows[:, 1:].any(axis=1) & (x <= census.openings.complete_to)
        known = is_swept | is_opening
        positions: list[Coordinates] = list(map(tuple, rows[known].tolist()))
        is_swept = is_swept[known]
        cost = Cost(1e-3 * np.count_nonzero(~is_swept), 500 * len(positions))
        if is_swept.any():
            cost += census.cost_of_batch(rows[known][is_swept], with_moves=with_moves)

        run = partial(_by_census, census, positions, is_swept, with_moves=with_moves)
        return known, Plan(cost, run, is_sure=bool(is_swept.all()))


class SmallByGraph(Source):
    """Source for small positions of games whose sheets are not stored.

    These are games with passes or declared positions.
    """

    def __init__(self, prober: Prober, tables: SheetTables) -> None:
        self._prober = prober
        self._tables = tables

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan a search of the graph of the position, which needs no compiled kernels."""
        game = position.game
        is_plain = not game.passes and not game.is_variant
        if is_plain or with_few_passes(game) in self._tables.stored:
            return None
        if not is_quickly_searched(to_rows(position.coordinates)):
            return None
        return self._prober.graph.plan_last(position, with_moves=with_moves)


class SheetSource(Source):
    """Source with loser sheets, stored or solved on demand."""

    def __init__(self, prober: Prober, tables: SheetTables) -> None:
        self._prober = prober
        self._tables = tables

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the outcome from the sheet of x, and winning moves from the index of P-positions."""
        game, coordinates = position.game, position.value
        made = self._tables.plan(game, coordinates)
        if made is None:
            return None
        passed = None
        if with_moves and game.passes and coordinates != EMPTY:
            passed = self._prober.plan(position.passed(), with_moves=False)
        cost = made.cost if passed is None else made.cost + passed.cost

        def run() -> Answer:
            try:
                table = made.run()
            except BuildError as error:
                answer = unknown(position, cannot_be_solved(game, error))
                return joined(answer, self._by_graph(position, with_moves=with_moves))
            outcome = table.outcome(coordinates)
            moves = _moves(position, outcome, table, passed) if with_moves else None
            return Answer(position, outcome, table.certainty, table.reason, moves)

        return Plan(cost, run, is_sure=made.is_sure)

    def _by_graph(self, position: Position, *, with_moves: bool) -> Answer:
        """Answer a small position by its graph; few games have sheets that cannot be solved."""
        return self._prober.graph.plan_last(position, with_moves=with_moves).run()

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan look-ups by compiled kernels."""
        if with_moves:
            _check_length(rows)
        parts = list(self._parts(with_few_passes(game), rows))
        known = np.zeros(len(rows), np.bool_)
        each_row = _ROW_SECONDS
        if with_moves:
            each_row += _SCAN_SECONDS * max(SIZES[-1], self._tables.limit(with_few_passes(game)))
        total = Cost(each_row * len(rows), 32 * len(rows))
        for table, lines in parts:
            known[lines] = True
            total += table.cost
        if with_moves and game.passes:
            other = with_few_passes(game.with_passes(game.passes - 1))
            for table, _ in self._parts(other, rows):
                total += table.cost
        place = np.cumsum(known) - 1
        wanted = rows[known]
        placed = [(table, place[lines]) for table, lines in parts]

        def run() -> Found:
            outcomes, moves = _nothing(len(wanted), with_moves=with_moves)
            for table, lines in placed:
                try:
                    sheets = table.run()
                except BuildError:
                    self._fill(game, wanted, lines[:MAX_OPEN_ROWS], outcomes, moves)
                    continue
                for part in slices(len(lines), SLICE if moves is None else _MOVES_SLICE):
                    some = lines[part]
                    _look_up(sheets, wanted[some], some, outcomes, moves)
            if moves is not None:
                self._complete(game, wanted, outcomes, moves)
            return outcomes, moves

        return known, Plan(total, run)

    def _fill(
        self,
        game: GameSpec,
        rows: Rows,
        lines: RowIndices,
        outcomes: Outcomes,
        moves: Moves | None,
    ) -> None:
        """Answer the remaining rows by the graph."""
        for line in watched(lines.tolist()):
            position = self._prober.rules.position(game, tuple(rows[line].tolist()))
            answer = self._by_graph(position, with_moves=moves is not None)
            outcomes[line] = answer.outcome
            if moves is not None and answer.winning_moves:
                move = answer.winning_moves[0]
                moves[line] = PASS_ONLY if move.is_pass else move.child.coordinates

    def _parts(self, game: GameSpec, rows: Rows) -> Iterator[tuple[Plan[SheetTable], RowIndices]]:
        """Return tables for a batch, and the rows that each answers, as for single questions."""
        rest: RowIndices = np.arange(len(rows))
        table = self._tables.stored.get(game)
        if table is not None:
            covered = table.covers_rows(rows)
            if covered.any():
                yield Plan(Cost(), partial(_same, table)), np.flatnonzero(covered)
            rest = np.flatnonzero(~covered)
        # Fewer sheets than deciding each row needs; with noise as many columns.
        needed = rows[rest, 0].astype(np.int64)
        if game.noise is not None:
            needed += rows[rest, 1]
        sizes = sizes_of(game)
        for smaller, size in zip((0, *sizes), sizes, strict=False):
            lines = rest[(needed >= smaller) & (needed < size)]
            if len(lines):
                yield self._tables.plan_solved(game, size), lines

    def _complete(self, game: GameSpec, rows: Rows, outcomes: Outcomes, moves: Moves) -> None:
        """Add winning passes, and remove the moves of declared positions."""
        if game.passes:
            lines = np.flatnonzero((outcomes == Outcome.N) & (moves[:, 0] == NO_MOVE))
            if len(lines):
                fewer = game.with_passes(game.passes - 1)
                passed, _ = self._prober.plan_rows(fewer, rows[lines], with_moves=False).run()
                moves[lines[passed == Outcome.P]] = PASS_ONLY
        if game.is_variant:
            moves[declared_rows(game, rows)] = NO_MOVE


class BoardTheorems(Source):
    """Source that applies theorems on boards to positions of the plain game."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan by the theorems on two rows, hooks and rectangles."""
        game = position.game
        if game.passes or not game.is_plain:
            return None
        rows = RULES.rows_of(position)
        theorem = closed_form(rows) or rectangle(rows)
        if theorem is None:
            return None
        is_sure = not with_moves or theorem.winning_bites is not None

        def run() -> Answer:
            return _by_theorem(position, rows, theorem, with_moves=with_moves)

        return Plan(LOOK_UP, run, is_sure=is_sure)


def cannot_be_solved(game: GameSpec, error: BuildError) -> str:
    """Return the reason why no source decides a game without stored tables."""
    return f"{game.text} cannot be solved: {error}"


def _look_up(
    table: SheetTable,
    rows: Rows,
    lines: RowIndices,
    outcomes: Outcomes,
    moves: Moves | None,
) -> None:
    """Fill in the outcomes, and perhaps the moves, of some rows of a batch."""
    from position_oracle.oracle.families.chomp3 import kernels

    rows = np.ascontiguousarray(rows, np.int32)  # of other types kernels would be compiled again
    found = np.zeros(len(lines), np.uint8)
    if moves is None:
        kernels.outcomes(rows, table.index, found)
    else:
        children = np.full(rows.shape, NO_MOVE, np.int32)
        kernels.winning_moves(rows, table.index, found, children)
        if table.columns is not None:
            reach = rows[:, 0].astype(np.int64) + rows[:, 1]
            children[reach >= table.columns] = NO_MOVE
        moves[lines] = children
    outcomes[lines] = found


def _nothing(count: int, *, with_moves: bool) -> Found:
    moves = np.full((count, 3), NO_MOVE, np.int32) if with_moves else None
    return np.zeros(count, np.uint8), moves


def _same(table: SheetTable) -> SheetTable:
    return table


def _by_census(
    census: CensusTable, positions: list[Coordinates], is_swept: Mask, *, with_moves: bool
) -> Found:
    outcomes, moves = _nothing(len(positions), with_moves=with_moves)
    swept = np.flatnonzero(is_swept)
    asked = [positions[row] for row in swept]
    if moves is None:
        outcomes[swept] = census.outcomes(asked) if asked else 0
    else:
        for row, children in zip(swept.tolist(), census.children(asked), strict=True):
            outcomes[row] = Outcome.N if children else Outcome.P
            if children:
                moves[row] = children[0]
    for row in np.flatnonzero(~is_swept).tolist():
        answer = census.answer(positions[row], with_moves=with_moves)
        outcomes[row] = Outcome.UNKNOWN if answer is None else answer.outcome
        if moves is not None and answer is not None and answer.winning_moves:
            moves[row] = answer.winning_moves[0].child.coordinates
    return outcomes, moves


def _moves(
    position: Position, outcome: Outcome, table: SheetTable, passed: Plan[Answer] | None
) -> tuple[Move, ...] | None:
    coordinates = position.coordinates
    if outcome is Outcome.P or position.game.declares(coordinates):
        return ()
    if not table.has_all_children(coordinates):
        return None
    moves = [Move(position.child(each)) for each in table.winning_children(coordinates)]
    if passed is not None and passed.run().outcome is Outcome.P:
        moves.append(Move(position.passed(), is_pass=True))
    return tuple(moves)


def _by_theorem(
    position: Position, rows: Coordinates, theorem: BoardTheorem, *, with_moves: bool
) -> Answer:
    outcome = Outcome.P if theorem.is_p else Outcome.N
    moves = None
    if with_moves and theorem.winning_bites is not None:
        bitten = (bite(rows, *place) for place in theorem.winning_bites)
        moves = tuple(Move(position.child(RULES.value_of(each))) for each in bitten)
    return Answer(position, outcome, Certainty.THEOREM, theorem.statement, moves)


def _check_length(rows: Rows) -> None:
    """Refuse rows with children that would not fit int32."""
    current().check()
    too_long = np.flatnonzero(rows.sum(axis=1, dtype=np.int64) > INT32_MAX)
    if len(too_long):
        raise InvalidRowError(
            int(too_long[0]),
            f"{RULES.form}: where moves are asked for, x + y + z may not exceed 2^31 - 1",
        )
