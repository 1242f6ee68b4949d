"""Three-row Chomp and its variants, answered from loser sheets."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.budget import Price
from engine.games.board_rules import bite
from engine.games.chomp3 import EMPTY, POISON, RULES, from_rows, to_rows
from engine.games.position import Move, Outcome, Position
from engine.games.spec import Coordinates, GameSpec
from engine.solvers.compile_cache import kernels_are_at_hand
from engine.theory.boards import closed_form, rectangle
from oracle.answers import Answer, Certainty, GameInfo, Limits
from oracle.families.base import (
    INT32_MAX,
    LOOK_UP,
    NO_MOVE,
    PASS_ONLY,
    QUESTIONS,
    ROW_SECONDS,
    Moves,
    Outcomes,
    Shelf,
    check_not_negative,
    packed,
    unknown,
)
from oracle.families.base import Coordinates as CoordinateArray
from oracle.families.chance.chomp import ChompChances
from oracle.families.chance.prober import ChanceProber
from oracle.families.chomp3.census import SWEEP, CensusTable
from oracle.families.chomp3.estimates import estimate_column, estimate_opening, estimate_position
from oracle.families.chomp3.geometry import shapes_of
from oracle.families.chomp3.index import index_of, sheets_of
from oracle.families.chomp3.on_demand import (
    build_advice,
    price_of,
    size_for,
    sizes_of,
    solved,
    with_few_passes,
)
from oracle.families.chomp3.table import SheetTable
from oracle.families.chomp3.values import ThreeRowValues
from oracle.families.search import Searches
from oracle.families.values import NOTHING, ValueTable
from schema.errors import BuildError, InvalidPositionError, UnknownAnswerError
from schema.estimates import Column, Estimates, Opening
from schema.geometry import Geometry, Shape

_PLAIN: Final = GameSpec("chomp3")

SMALL_BOUND: Final = 5_000
"""Up to this bound positions are searched rather than kernels compiled: 0.2 s."""

MOVE_SECONDS: Final = 1e-5
"""What looking for a winning move of a row takes."""

ESTIMATE: Final = Price(3e-4)
"""What saying the chance of a position takes."""


class ThreeRowProber(ChanceProber):
    """Answers [x, y, z] for any y and z, and every x that a table covers or that is small.

    Since two more passes change no P-position, the tables without a pass and with one answer for
    every number of passes.
    """

    family = "chomp3"

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf)
        self._tables = {
            stored.game: SheetTable(stored.game, index_of(dict(stored.arrays)), stored.build)
            for stored in shelf.tables(self.family, "sheets")
        }
        censuses = shelf.tables(self.family, "census")
        self._census = CensusTable(censuses[0]) if censuses else None

    @cached_property
    def chances(self) -> ChompChances:
        """Games against chance."""
        return ChompChances(self.shelf)

    @cached_property
    def _values(self) -> ThreeRowValues:
        return ThreeRowValues(self.shelf)

    def limit(self, game: GameSpec) -> int:
        """Largest x of the stored table of a game; -1 where there is none."""
        table = self._tables.get(game)
        return -1 if table is None else table.index.limit

    def warm_up(self) -> None:
        """Ask one question of each kind."""
        for game in self._tables or [GameSpec("chomp3")]:
            self.answer(Position(game, POISON), with_moves=True)
            self.winning_move_batch(game, np.array([POISON], np.int32))
        if self._census is not None:
            limit = self._census.limit
            self._census.answer((limit, limit // 10, limit // 2), with_moves=True)
        self.answer(Position(GameSpec("chomp3", passes=1), (1, 1, 1)), with_moves=True)
        self.values(Position(GameSpec("chomp3"), (1, 1, 1)))
        self.chances.warm_up()

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a table."""
        sheets = tuple(
            self.with_chances(
                GameInfo(
                    game=game,
                    questions=QUESTIONS,
                    range=table.range,
                    limit=table.index.limit,
                    certainty=Certainty.EXACT_TABLE,
                    build=table.build,
                    limits=table.limits,
                )
            )
            for game, table in self._tables.items()
        )
        return (*sheets, *self._census_info(), *self._values.games())

    def _census_info(self) -> Iterator[GameInfo]:
        if (census := self._census) is not None:
            yield GameInfo(
                game=_PLAIN,
                questions=QUESTIONS,
                range=f"{census.range}; openings [n, 0, 0] of n <= {census.openings.complete_to}",
                limit=None,
                certainty=Certainty.EXACT_TABLE,
                build=census.build,
                limits=Limits(x=census.limit) if census.spacing else None,
            )

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """From the sheet of x, stored or solved, from a census, by the theorems on boards."""
        if (found := self._by_census(position, with_moves=with_moves)) is not None:
            return found
        game, coordinates = position.game, position.coordinates
        if self._is_searched(position):
            return self._small.answer(position, with_moves=with_moves)
        try:
            table = self._table(game, coordinates)
        except BuildError as error:
            return unknown(position, _without_sheets(game, error))
        if table is not None:
            outcome = table.outcome(coordinates)
            moves = self._moves(position, outcome, table) if with_moves else None
            return Answer(position, outcome, table.certainty, table.reason, moves)
        by_theorem = self._by_theorem(position, with_moves=with_moves)
        return by_theorem or self._undecided(position)

    def _undecided(self, position: Position) -> Answer:
        """What would decide a position, and of the plain game the chance that it is P."""
        game, coordinates = position.game, position.coordinates
        answer = unknown(position, self._what_would_decide(game, coordinates))
        if with_few_passes(game) != _PLAIN:
            return answer
        return replace(answer, estimate=estimate_position(coordinates))

    def outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Outcomes of many positions; see `Prober.outcomes`."""
        from oracle.families.chomp3 import kernels

        coordinates = _checked(coordinates)
        out = np.zeros(len(coordinates), np.uint8)
        for table, rows in self._parts(game, coordinates):
            part = np.zeros(len(coordinates[rows]), np.uint8)
            kernels.outcomes(coordinates[rows], table.index, part)
            out[rows] = part
        swept = self._swept_rows(game, coordinates)
        if self._census is not None and len(swept):
            out[swept] = self._census.outcomes([tuple(row) for row in coordinates[swept].tolist()])
        for row in np.flatnonzero(out == Outcome.UNKNOWN).tolist():
            answer = self._rest(_position(game, coordinates, row), with_moves=False)
            out[row] = Outcome.UNKNOWN if answer is None else answer.outcome
        return out

    def _rest(self, position: Position, *, with_moves: bool) -> Answer | None:
        """What is answered without sheets: openings of a census, and theorems."""
        found = self._by_census(position, with_moves=with_moves)
        return found or self._by_theorem(position, with_moves=with_moves)

    def _swept_rows(self, game: GameSpec, coordinates: CoordinateArray) -> npt.NDArray[np.intp]:
        """Rows of a batch that the census answers together, so that they share sweeps."""
        if self._census is None or with_few_passes(game) != _PLAIN or not self._census.spacing:
            return np.zeros(0, np.intp)
        x = coordinates[:, 0]
        return np.flatnonzero((x > self.limit(_PLAIN)) & (x <= self._census.limit))

    def winning_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many positions; see `Prober.winning_move_batch`."""
        from oracle.families.chomp3 import kernels

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
            if table.columns is not None:
                reach = coordinates[rows, 0].astype(np.int64) + coordinates[rows, 1]
                children[reach >= table.columns] = NO_MOVE
            out[rows], moves[rows] = part, children
        if game.passes:
            self._add_passes(game, coordinates, out, moves)
        if game.is_variant:
            moves[_declared(game, coordinates)] = NO_MOVE
        self._sweep_moves(game, coordinates, out, moves)
        for row in np.flatnonzero(out == Outcome.UNKNOWN).tolist():
            answer = self._rest(_position(game, coordinates, row), with_moves=True)
            if answer is not None:
                out[row] = answer.outcome
                if answer.winning_moves:
                    moves[row] = answer.winning_moves[0].child.coordinates
        return out, moves

    def _sweep_moves(
        self, game: GameSpec, coordinates: CoordinateArray, out: Outcomes, moves: Moves
    ) -> None:
        """Fill in the rows that the census answers."""
        swept = self._swept_rows(game, coordinates)
        if self._census is None or not len(swept) or game.passes:
            return
        rows = [tuple(row) for row in coordinates[swept].tolist()]
        for row, children in zip(swept.tolist(), self._census.children(rows), strict=True):
            out[row] = Outcome.N if children else Outcome.P
            if children:
                moves[row] = children[0]

    def instant_winners(
        self,
        game: GameSpec,
        x: int,
        size_y: int,
        size_z: int,
        first_y: int = 0,
        first_z: int = 0,
    ) -> npt.NDArray[np.uint8]:
        """A window of W_x, with what each cell comes from; see `Prober.instant_winners`.

        Beyond the sheets at hand it is swept from a census, which does not tell the two loser
        lines apart: see `CensusTable.instant_winners`.
        """
        from engine.solvers.instant_winners import check_window, instant_winners

        check_window(x, size_y, size_z, first_y, first_z)
        # W_x shifts the smaller sheets: column y is column y + x of sheet 0.
        last = (max(x - 1, 0), x + first_y + size_y, 0)
        try:
            table = self._table(game, last)
        except BuildError as error:
            raise UnknownAnswerError(_without_sheets(game, error)) from error
        if table is not None:
            sheets = sheets_of(table.index)
            return instant_winners(sheets, x, size_y, size_z, first_y, first_z)
        if (census := self._census_of_window(game, x)) is not None:
            return census.instant_winners(x, (size_y, size_z), (first_y, first_z))
        raise UnknownAnswerError(self._what_would_decide(game, last))

    def losers(
        self, game: GameSpec, x: int, size_y: int, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """Part of L_x, from the sheets at hand, else from a census; see `Prober.losers`."""
        from engine.solvers.instant_winners import check_window

        check_window(x, size_y, 1, first_y)
        last = (x, first_y + size_y, 0)
        try:
            table = self._table(game, last)
        except BuildError as error:
            raise UnknownAnswerError(_without_sheets(game, error)) from error
        if table is not None:
            if (closed_by := table.index.closed_by) >= 0 and x > closed_by:
                return np.full(size_y, -1, np.int32)
            y = np.arange(first_y, first_y + size_y)
            return sheets_of(table.index).look_up(x, y).astype(np.int32)
        if (census := self._census_of_window(game, x)) is not None:
            return census.losers(x, size_y, first_y)
        raise UnknownAnswerError(self._what_would_decide(game, last))

    def price_of_window(
        self, game: GameSpec, x: int, size_y: int, size_z: int, first_y: int, first_z: int
    ) -> Price:
        """Copying the smaller sheets, perhaps solving them, or sweeping the rows of the window."""
        few, last = with_few_passes(game), (max(x - 1, 0), 0, 0)
        table = self._tables.get(few)
        is_stored = table is not None and table.covers(last)
        size = size_for(few, last)
        census = self._census_of_window(game, x)
        if is_stored or size is not None or census is None:
            copying = super().price_of_window(game, x, size_y, size_z, first_y, first_z)
            return copying if is_stored else copying + price_of(few, size)
        return census.price_of_window(x, max(size_y, 0), max(size_z, 0), max(first_y, 0))

    def _census_of_window(self, game: GameSpec, x: int) -> CensusTable | None:
        """The census that sweeps a window of W_x or L_x, if there is one."""
        census = self._census
        if census is None or with_few_passes(game) != _PLAIN or not census.spacing:
            return None
        return census if x <= census.limit else None

    def geometry(self, game: GameSpec) -> Geometry:
        """What was measured from stored sheets, and of the plain game from a census."""
        stored = self._shapes.get(with_few_passes(game), ())
        if not stored:
            few = with_few_passes(game)
            option = "--replace" if few in self._tables else "--limit 1000"
            raise UnknownAnswerError(
                f"no shape of {game.text} is stored; oracle build '{few.text}' {option} measures it"
            )
        shapes = tuple(replace(shape, game=game.text) for shape in stored)
        return Geometry(game.text, shapes)

    @cached_property
    def _shapes(self) -> dict[GameSpec, list[Shape]]:
        """The stored shapes of every game, by ascending last x; sheets after a census."""
        found: dict[GameSpec, list[Shape]] = {}
        for kind in ("census", "sheets"):
            for table in self.shelf.tables(self.family, kind):
                shapes = shapes_of(table.arrays, table.game.text, kind)
                found.setdefault(table.game, []).extend(shapes)
        for of_game in found.values():
            of_game.sort(key=lambda shape: shape.last_x)
        return found

    def estimates(self, question: Column | Opening, most: int) -> Estimates:
        """Chances of columns and openings; also where tables at hand decide them, and says so."""
        if isinstance(question, Column):
            found, last = estimate_column(question, most), (question.x, question.y, 0)
        else:
            found, last = estimate_opening(question, most), (question.n, 0, 0)
        is_known = size_for(_PLAIN, last) is not None or last[0] <= self.limit(_PLAIN)
        return replace(found, is_known=is_known or self._is_in_census(Position(_PLAIN, last)))

    def values(self, position: Position) -> ValueTable:
        """Of the plain game, from stored tables or searches."""
        game = position.game
        if game.passes or not game.is_plain:
            return NOTHING
        return self._values.around(position.coordinates)

    def price(self, position: Position) -> Price:
        """A look-up, a sweep, or solving the sheets that the position and a pass from it need."""
        price = self._price_of_outcome(position)
        return price + self._price_of_outcome(position.passed()) if position.game.passes else price

    def _price_of_outcome(self, position: Position) -> Price:
        game = with_few_passes(position.game)
        table = self._tables.get(game)
        if table is not None and table.covers(position.coordinates):
            return LOOK_UP
        if self._is_in_census(position):
            return SWEEP
        size = size_for(game, position.coordinates)
        return ESTIMATE if size is None and game == _PLAIN else price_of(game, size)

    def price_of_rows(
        self, game: GameSpec, coordinates: CoordinateArray, *, with_moves: bool = True
    ) -> Price:
        """Sweeps, and solving the sheets that rows need beyond the table; both kinds of passes."""
        rows = _checked(coordinates)
        few, count = with_few_passes(game), len(rows)
        total = Price(MOVE_SECONDS * count)
        swept = self._swept_rows(game, rows)
        if self._census is not None and len(swept):
            total += self._census.price_of_batch(rows[swept], with_moves=with_moves)
        for level in {few, few.with_passes(1 - few.passes)} if game.passes else {few}:
            rest = rows
            if (table := self._tables.get(level)) is not None:
                rest = rows[~table.covers_rows(rows)]
            needed = rest[:, 0].astype(np.int64)
            if game.noise is not None:
                needed += rest[:, 1]
            sizes = sizes_of(level)
            for smaller, size in zip((0, *sizes), sizes, strict=False):
                if ((needed >= smaller) & (needed < size)).any():
                    total += price_of(level, size)
            beyond = np.count_nonzero(needed >= max(sizes, default=0))
            total += Price(ROW_SECONDS * beyond)
        return total

    @cached_property
    def _small(self) -> Searches:
        return Searches(self.shelf, self.rules, _bound)

    def _is_searched(self, position: Position) -> bool:
        """Whether a small position with passes is searched, since kernels are not compiled yet."""
        game = position.game
        return (
            game.passes > 0
            and not game.is_variant
            and with_few_passes(game) not in self._tables
            and _bound(position) <= SMALL_BOUND
            and not kernels_are_at_hand("groups")
        )

    def _is_in_census(self, position: Position) -> bool:
        """Whether a census is to be asked: beyond the stored table of the plain game."""
        if self._census is None or with_few_passes(position.game) != _PLAIN:
            return False
        x, y, z = position.coordinates
        is_opening = y == z == 0 and x <= self._census.openings.complete_to
        return x > self.limit(_PLAIN) and (x <= self._census.limit or is_opening)

    def _by_census(self, position: Position, *, with_moves: bool) -> Answer | None:
        """From the census, beyond the stored table; None where it does not reach."""
        if self._census is None or not self._is_in_census(position):
            return None
        plain = not position.game.passes
        found = self._census.answer(position.coordinates, with_moves=with_moves and plain)
        if found is None:
            return None
        moves = None
        if found.children is not None:
            moves = tuple(Move(position.child(child)) for child in found.children)
        elif with_moves and found.outcome is Outcome.P:
            moves = ()
        return Answer(position, found.outcome, found.certainty, found.reason, moves)

    def _parts(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> Iterator[tuple[SheetTable, npt.NDArray[np.intp] | slice]]:
        """Tables for a batch, and the rows that each of them answers, as single questions are."""
        if not len(coordinates):
            return
        game = with_few_passes(game)
        rest: npt.NDArray[np.intp] = np.arange(len(coordinates))
        if self._census is not None and self._census.spacing and game == _PLAIN:
            rest = np.flatnonzero(coordinates[:, 0] > self._census.limit)
        table = self._tables.get(game)
        if table is not None:
            covered = table.covers_rows(coordinates)
            if covered.all():
                yield table, slice(None)
                return
            yield table, np.flatnonzero(covered)
            rest = np.flatnonzero(~covered)
        needed = coordinates[rest, 0].astype(np.int64)
        if game.noise is not None:
            needed += coordinates[rest, 1]
        sizes = sizes_of(game)
        for smaller, size in zip((0, *sizes), sizes, strict=False):
            rows = rest[(needed >= smaller) & (needed < size)]
            if len(rows):
                try:
                    yield solved(self.shelf.cache, game, size), rows
                except BuildError:
                    return

    def _add_passes(
        self, game: GameSpec, coordinates: CoordinateArray, out: Outcomes, moves: Moves
    ) -> None:
        open_rows = np.flatnonzero((out == Outcome.N) & (moves[:, 0] == NO_MOVE))
        passed = self.outcomes(game.with_passes(game.passes - 1), coordinates[open_rows])
        moves[open_rows[passed == Outcome.P]] = PASS_ONLY

    def _table(self, game: GameSpec, coordinates: Coordinates) -> SheetTable | None:
        """A table in which a position is decided: a stored one, else one that is soon solved."""
        game = with_few_passes(game)
        table = self._tables.get(game)
        if table is not None and table.covers(coordinates):
            return table
        size = size_for(game, coordinates)
        return None if size is None else solved(self.shelf.cache, game, size)

    def _moves(
        self, position: Position, outcome: Outcome, table: SheetTable
    ) -> tuple[Move, ...] | None:
        coordinates = position.coordinates
        if outcome is Outcome.P or position.game.declares(coordinates):
            return ()
        if not table.has_all_children(coordinates):
            return None
        moves = [Move(position.child(each)) for each in table.winning_children(coordinates)]
        if position.game.passes and coordinates != EMPTY:
            passed = position.passed()
            if self.answer(passed, with_moves=False).outcome is Outcome.P:
                moves.append(Move(passed, is_pass=True))
        return tuple(moves)

    def _by_theorem(self, position: Position, *, with_moves: bool) -> Answer | None:
        """What theorems on boards say of a position of the plain game."""
        game = position.game
        if game.passes or not game.is_plain:
            return None
        rows = tuple(filter(None, to_rows(position.coordinates)))
        theorem = closed_form(rows) or rectangle(rows)
        if theorem is None:
            return None
        outcome = Outcome.P if theorem.is_p else Outcome.N
        moves = None
        if with_moves and theorem.winning_bites is not None:
            bitten = ((*bite(rows, *place), 0, 0, 0)[:3] for place in theorem.winning_bites)
            moves = tuple(Move(position.child(from_rows(each))) for each in bitten)
        return Answer(position, outcome, Certainty.THEOREM, theorem.statement, moves)

    def _what_would_decide(self, game: GameSpec, coordinates: Coordinates) -> str:
        few = with_few_passes(game)
        table = self._tables.get(few)
        known = f"no table of {game.text}" if table is None else f"{table.reason}: beyond it"
        return f"{known}; {build_advice(few, coordinates[:2])}"


def _bound(position: Position) -> float:
    """More than the boards inside, times their cookies over 30."""
    a, b, c = to_rows(position.coordinates)
    return float((a + 1) * (b + 1) * (c + 1)) * max(1.0, (a + b + c) / 30)


def _without_sheets(game: GameSpec, error: BuildError) -> str:
    return f"{game.text} cannot be solved: {error}"


def _declared(game: GameSpec, coordinates: CoordinateArray) -> npt.NDArray[np.bool_]:
    """Which rows of a batch are declared N, and so have no moves."""
    declared = np.zeros(len(coordinates), np.bool_)
    for triple in game.declared:
        declared |= (coordinates == np.array(triple)).all(axis=1)
    if game.noise is not None:
        x, y, z = coordinates.T.astype(np.int64)
        declared |= game.noise.at(x, y) == z
    return declared


def _position(game: GameSpec, coordinates: CoordinateArray, row: int) -> Position:
    return Position(game, tuple(coordinates[row].tolist()))


def _checked(coordinates: CoordinateArray) -> npt.NDArray[np.int32]:
    coordinates = packed(coordinates, 3, RULES.form)
    check_not_negative(coordinates, RULES.form, "coordinates")
    return coordinates
