"""Three-row Chomp and its variants, answered from loser sheets."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.board_rules import bite
from position_oracle.engine.games.chomp3 import EMPTY, POISON, from_rows, to_rows
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.boards import closed_form, rectangle
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import Coordinates as CoordinateArray
from position_oracle.oracle.families.base import Moves, Outcomes, Shelf, questions_of, unknown
from position_oracle.oracle.families.chance.chomp import ChompChances
from position_oracle.oracle.families.chance.prober import ChanceProber
from position_oracle.oracle.families.chomp3 import batches
from position_oracle.oracle.families.chomp3.estimates import (
    estimate_column,
    estimate_opening,
    estimate_position,
)
from position_oracle.oracle.families.chomp3.geometry import shapes_of
from position_oracle.oracle.families.chomp3.on_demand import price_of, size_for, with_few_passes
from position_oracle.oracle.families.chomp3.sources import PLAIN, Sources, cannot_be_solved
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.oracle.families.chomp3.values import ThreeRowValues
from position_oracle.oracle.families.values import NOTHING, ValueTable
from position_oracle.schema.errors import BuildError, UnknownAnswerError
from position_oracle.schema.estimates import Column, Estimates, Opening
from position_oracle.schema.geometry import Geometry, Shape

SMALL_BOUND: Final = 5_000
"""Up to this bound positions are searched rather than kernels compiled: 0.2 s."""


class ThreeRowProber(ChanceProber):
    """Answers [x, y, z] for any y and z, and every x that a table covers or that is small."""

    family = "chomp3"

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf)
        self._sources = Sources(shelf)

    @cached_property
    def chances(self) -> ChompChances:
        """Games against chance."""
        return ChompChances(self.shelf)

    @cached_property
    def _values(self) -> ThreeRowValues:
        return ThreeRowValues(self.shelf)

    def limit(self, game: GameSpec) -> int:
        """Largest x of the stored table of a game; -1 where there is none."""
        return self._sources.limit(game)

    def warm_up(self) -> None:
        """Ask one question of each kind."""
        for game in self._sources.tables or [PLAIN]:
            self.answer(Position(game, POISON), with_moves=True)
            self.winning_move_batch(game, np.array([POISON], np.int32))
        if (census := self._sources.census) is not None:
            limit = census.limit
            census.answer((limit, limit // 10, limit // 2), with_moves=True)
        self.answer(Position(GameSpec("chomp3", passes=1), (1, 1, 1)), with_moves=True)
        self.values(Position(PLAIN, (1, 1, 1)))
        self.chances.warm_up()

    def knows(self, game: GameSpec) -> bool:
        """Also with declared positions."""
        return not game.misere

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a table."""
        sheets = tuple(
            GameInfo(
                game=game,
                questions=questions_of(game, has_sheets=True),
                range=table.range,
                limit=table.index.limit,
                certainty=Certainty.EXACT_TABLE,
                build=table.build,
                limits=table.limits,
            )
            for game, table in self._sources.tables.items()
        )
        return (*sheets, *self._census_info(), *self._values.games())

    def _census_info(self) -> Iterator[GameInfo]:
        if (census := self._sources.census) is not None:
            yield GameInfo(
                game=PLAIN,
                questions=questions_of(PLAIN, has_sheets=True),
                range=f"{census.range}; openings [n, 0, 0] of n <= {census.openings.complete_to}",
                limit=None,
                certainty=Certainty.EXACT_TABLE,
                build=census.build,
                limits=Limits(x=census.limit) if census.spacing else None,
            )

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """From the sheet of x, stored or solved, from a census, by the theorems on boards."""
        if (found := self._by_census(position, with_moves=with_moves)) is not None:
            return found
        game, coordinates = position.game, position.coordinates
        if self._is_searched(position):
            return self.search.answer(position, with_moves=with_moves)
        try:
            table = self._sources.table(game, coordinates)
        except BuildError as error:
            return unknown(position, cannot_be_solved(game, error))
        if table is not None:
            outcome = table.outcome(coordinates)
            moves = self._moves(position, outcome, table) if with_moves else None
            return Answer(position, outcome, table.certainty, table.reason, moves)
        by_theorem = self._by_theorem(position, with_moves=with_moves)
        return by_theorem or self._undecided(position)

    def _undecided(self, position: Position) -> Answer:
        """What would decide a position, and of the plain game the chance that it is P."""
        game, coordinates = position.game, position.coordinates
        answer = unknown(position, self._sources.what_would_decide(game, coordinates))
        if with_few_passes(game) != PLAIN:
            return answer
        return replace(answer, estimate=estimate_position(coordinates))

    def known_outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Outcomes of many positions; see `Prober.outcomes`."""
        return batches.outcomes(self._sources, game, coordinates, self._rest)

    def known_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many positions; see `Prober.winning_move_batch`."""
        return batches.winning_moves(self._sources, game, coordinates, self._rest)

    def _rest(self, position: Position, with_moves: bool) -> Answer | None:
        """What is answered without sheets: openings of a census, and theorems."""
        found = self._by_census(position, with_moves=with_moves)
        return found or self._by_theorem(position, with_moves=with_moves)

    def instant_winners(
        self,
        game: GameSpec,
        x: int,
        size_y: int,
        size_z: int,
        first_y: int = 0,
        first_z: int = 0,
    ) -> npt.NDArray[np.uint8]:
        """A window of W_x, perhaps swept; see `Prober.instant_winners`."""
        from position_oracle.oracle.families.chomp3 import windows

        size, first = (size_y, size_z), (first_y, first_z)
        return windows.instant_winners(self._sources, game, x, size, first)

    def losers(
        self, game: GameSpec, x: int, size_y: int, first_y: int = 0
    ) -> npt.NDArray[np.int32]:
        """Part of L_x, perhaps swept; see `Prober.losers`."""
        from position_oracle.oracle.families.chomp3 import windows

        return windows.losers(self._sources, game, x, size_y, first_y)

    def price_of_window(
        self, game: GameSpec, x: int, size_y: int, size_z: int, first_y: int, first_z: int
    ) -> Cost:
        """Copying the smaller sheets, perhaps solving them, or sweeping the rows of the window."""
        few, last = with_few_passes(game), (max(x - 1, 0), 0, 0)
        table = self._sources.tables.get(few)
        is_stored = table is not None and table.covers(last)
        size = size_for(few, last)
        census = self._sources.sweeping_census(game)
        if is_stored or size is not None or census is None or x > census.limit:
            copying = super().price_of_window(game, x, size_y, size_z, first_y, first_z)
            return copying if is_stored else copying + price_of(few, size)
        return census.price_of_window(x, max(size_y, 0), max(size_z, 0), max(first_y, 0))

    def geometry(self, game: GameSpec) -> Geometry:
        """What was measured from stored sheets, and of the plain game from a census."""
        stored = self._shapes.get(with_few_passes(game), ())
        if not stored:
            few = with_few_passes(game)
            option = "--replace" if few in self._sources.tables else "--limit 1000"
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
        is_known = (
            size_for(PLAIN, last) is not None
            or last[0] <= self.limit(PLAIN)
            or self._sources.is_in_census(Position(PLAIN, last))
        )
        return replace(found, is_known=is_known)

    def known_values(self, position: Position) -> ValueTable:
        """Of the plain game, from stored tables or searches."""
        game = position.game
        if game.passes or not game.is_plain:
            return NOTHING
        return self._values.around(position.coordinates)

    def price(self, position: Position) -> Cost:
        """A look-up, a sweep, or solving the sheets that the position and a pass from it need."""
        price = self._sources.price(position)
        return price + self._sources.price(position.passed()) if position.game.passes else price

    def price_of_rows(
        self, game: GameSpec, coordinates: CoordinateArray, *, with_moves: bool = True
    ) -> Cost:
        """Sweeps, and solving the sheets that rows need beyond the table."""
        return batches.price_of_rows(self._sources, game, coordinates, with_moves=with_moves)

    def _is_searched(self, position: Position) -> bool:
        """Whether a small position is searched, as no sheets of its game are stored."""
        game = position.game
        return (
            (game.passes > 0 or game.is_variant)
            and with_few_passes(game) not in self._sources.tables
            and _bound(position) <= SMALL_BOUND
        )

    def _by_census(self, position: Position, *, with_moves: bool) -> Answer | None:
        """From the census, beyond the stored table; None where it does not reach."""
        census = self._sources.census
        if census is None or not self._sources.is_in_census(position):
            return None
        plain = not position.game.passes
        found = census.answer(position.coordinates, with_moves=with_moves and plain)
        if found is None:
            return None
        moves = None
        if found.children is not None:
            moves = tuple(Move(position.child(child)) for child in found.children)
        elif with_moves and found.outcome is Outcome.P:
            moves = ()
        return Answer(position, found.outcome, found.certainty, found.reason, moves)

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


def _bound(position: Position) -> float:
    """More than the boards inside, times their cookies over 30."""
    a, b, c = to_rows(position.coordinates)
    return float((a + 1) * (b + 1) * (c + 1)) * max(1.0, (a + b + c) / 30)
