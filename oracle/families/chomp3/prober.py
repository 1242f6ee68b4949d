"""Three-row Chomp and its variants: the prober, which answers from loser sheets."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.chomp3 import POISON, RULES
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.chance.chomp import ChompChances
from position_oracle.oracle.families.chomp3.census import PLAIN, CensusTable
from position_oracle.oracle.families.chomp3.estimates import estimate_column, estimate_opening
from position_oracle.oracle.families.chomp3.index import sheets_of
from position_oracle.oracle.families.chomp3.loading import LOADERS, shapes_of
from position_oracle.oracle.families.chomp3.on_demand import SIZES, size_for, with_few_passes
from position_oracle.oracle.families.chomp3.sources import (
    ESTIMATE,
    BoardTheorems,
    CensusSource,
    SheetSource,
    SheetTables,
    SmallByGraph,
)
from position_oracle.oracle.families.chomp3.values import ThreeRowValues
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.rows import MAX_OPEN_ROWS
from position_oracle.oracle.families.sources import (
    Rows,
    Source,
    Undecided,
    check_not_negative,
    packed,
    window_cost,
)
from position_oracle.schema.errors import UnknownAnswerError
from position_oracle.schema.estimates import Column, Estimates, Opening
from position_oracle.schema.geometry import Geometry, Shape

_ESTIMATES = Cost(4e-4)
_GEOMETRY = Cost(2e-3, 1 << 20)
"""Cost of the chances of columns and openings, and of the shape of sheets."""


class ThreeRowProber(Prober):
    """Answers questions about [x, y, z] for any y and z, and any x in a table or small."""

    family = "chomp3"
    loaders = LOADERS

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        self.tables = SheetTables(resources)

    @cached_property
    def _sheet_values(self) -> ThreeRowValues:
        return ThreeRowValues(self.resources)

    @cached_property
    def _chances(self) -> ChompChances:
        return ChompChances(self.resources)

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The sources: a census, graphs, sheets, theorems, advice on builds, chances, values."""
        tables = self.tables
        return (
            CensusSource(tables),
            SmallByGraph(self, tables),
            SheetSource(self, tables),
            BoardTheorems(),
            Undecided(tables.undecided, ESTIMATE),
            self._chances,
            self._sheet_values,
        )

    def max_singles(self, game: GameSpec) -> int | None:
        """Return a small maximum, because the sources answer arrays."""
        return MAX_OPEN_ROWS

    def checked(self, game: GameSpec, coordinates: Rows) -> tuple[GameSpec, Rows]:
        """Return a batch as int32 (n, 3), none negative."""
        rows = packed(coordinates, 3, RULES.form)
        check_not_negative(rows, "coordinates")
        return game, rows

    def limit(self, game: GameSpec) -> int:
        """Return the largest x of the stored table of a game; -1 if there is none."""
        return self.tables.limit(game)

    def warm_up(self) -> None:
        """Ask one question of each kind."""
        for game in self.tables.stored or [PLAIN]:
            self.answer(Position(game, POISON), with_moves=True)
            self.plan_rows(game, np.array([POISON], np.int32), with_moves=True).run()
        if (census := self.tables.census) is not None:
            limit = census.limit
            census.answer((limit, limit // 10, limit // 2), with_moves=True)
        self.answer(Position(GameSpec("chomp3", passes=1), (1, 1, 1)), with_moves=True)
        self.values(Position(PLAIN, (1, 1, 1)))
        self._chances.warm_up()

    def knows(self, game: GameSpec) -> bool:
        """Return whether play is normal; declared positions are allowed."""
        return not game.misere

    def games(self) -> tuple[Covered, ...]:
        """Return the sheets that are solved on demand, and one entry for each table and census."""
        solved = covered(
            PLAIN,
            f"x < {SIZES[-1]}, any y and z, by sheets solved on demand",
            Certainty.EXACT_SEARCH,
            limits={"x": SIZES[-1] - 1},
            has_sheets=True,
            has_estimates=True,
        )
        sheets = tuple(
            covered(
                game,
                table.range,
                Certainty.EXACT_TABLE,
                limits=table.limits,
                build=table.build,
                has_sheets=True,
                has_estimates=game == PLAIN,
            )
            for game, table in self.tables.stored.items()
        )
        return (*sheets, solved, *self._census_info())

    def _census_info(self) -> Iterator[Covered]:
        if (census := self.tables.census) is not None:
            yield covered(
                PLAIN,
                f"{census.range}; openings [n, 0, 0] of n <= {census.openings.complete_to}",
                Certainty.EXACT_TABLE,
                limits={"x": census.limit} if census.spacing else None,
                build=census.build,
                has_sheets=True,
                has_estimates=True,
            )

    def plan_instant_winners(
        self, game: GameSpec, x: int, size: tuple[int, int], first: tuple[int, int]
    ) -> Plan[npt.NDArray[np.uint8]]:
        """Plan a window of W_x, beyond the known sheets by a sweep.

        A sweep does not tell the two loser lines apart: see `CensusTable.instant_winners`.
        """
        from position_oracle.engine.solvers.instant_winners import check_window, instant_winners

        check_window(x, *size, *first)
        # W_x shifts the smaller sheets: column y is column y + x of sheet 0.
        source = self.tables.for_window(game, x, (max(x - 1, 0), x + first[0] + size[0], 0))
        if isinstance(source, CensusTable):
            cost = source.cost_of_window(x, *size, first[0])
            return Plan(cost, lambda: source.instant_winners(x, size, first))

        def run() -> npt.NDArray[np.uint8]:
            return instant_winners(sheets_of(source.run().index), x, *size, *first)

        return Plan(source.cost + window_cost(x, *size), run)

    def plan_losers(
        self, game: GameSpec, x: int, size_y: int, first_y: int
    ) -> Plan[npt.NDArray[np.int32]]:
        """Plan a part of L_x, beyond the known sheets by a sweep."""
        from position_oracle.engine.solvers.instant_winners import check_window

        check_window(x, size_y, 1, first_y)
        source = self.tables.for_window(game, x, (x, first_y + size_y, 0))
        if isinstance(source, CensusTable):
            cost = source.cost_of_window(x, size_y, 1, first_y)
            return Plan(cost, lambda: source.losers(x, size_y, first_y))

        def run() -> npt.NDArray[np.int32]:
            index = source.run().index
            if index.closed_by >= 0 and x > index.closed_by:
                return np.full(size_y, -1, np.int32)
            y = np.arange(first_y, first_y + size_y)
            return sheets_of(index).look_up(x, y).astype(np.int32)

        return Plan(source.cost + window_cost(0, size_y, 1), run)

    def plan_geometry(self, game: GameSpec) -> Plan[Geometry]:
        """Plan the measured shape of stored sheets, or of the census of the plain game."""
        few = with_few_passes(game)
        stored = self._shapes.get(few, ())
        if not stored:
            option = "--replace" if few in self.tables.stored else "--limit 1000"
            raise UnknownAnswerError(
                f"no shape of {game.text} is stored; oracle build '{few.text}' {option} measures it"
            )

        def run() -> Geometry:
            shapes = tuple(replace(shape, game=game.text) for shape in stored)
            return Geometry(game.text, shapes)

        return Plan(_GEOMETRY, run)

    @cached_property
    def _shapes(self) -> dict[GameSpec, list[Shape]]:
        """The stored shapes of every game by ascending last x; a census comes before sheets."""
        found: dict[GameSpec, list[Shape]] = {}
        for kind in ("census", "sheets"):
            for table in self.resources.tables(self.family, kind):
                shapes = shapes_of(table.arrays, table.game.text, kind)
                found.setdefault(table.game, []).extend(shapes)
        for of_game in found.values():
            of_game.sort(key=lambda shape: shape.last_x)
        return found

    def plan_estimates(
        self, game: GameSpec, question: Column | Opening, most: int
    ) -> Plan[Estimates]:
        """Plan chances of columns and openings, even if tables decide them."""
        if game != PLAIN:
            return super().plan_estimates(game, question, most)

        def run() -> Estimates:
            if isinstance(question, Column):
                found, last = estimate_column(question, most), (question.x, question.y, 0)
            else:
                found, last = estimate_opening(question, most), (question.n, 0, 0)
            is_known = (
                size_for(PLAIN, last) is not None
                or last[0] <= self.limit(PLAIN)
                or self.tables.is_in_census(PLAIN, last)
            )
            return replace(found, is_known=is_known)

        return Plan(_ESTIMATES, run)
