"""Chomp boards of any shape by row lengths: theorems, tables and searches."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from position_oracle.engine.amounts import duration_text, size_text
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.chance.chomp import ChompChances
from position_oracle.oracle.families.chomp.sources import (
    PLAIN,
    THREE_ROW,
    ClosedForms,
    Rectangles,
    SearchedBoards,
    StoredBoardSource,
    ThreeRows,
)
from position_oracle.oracle.families.chomp.tables import (
    MAX_SEARCH,
    BoardSearches,
    load_outcomes,
    stored_tables,
)
from position_oracle.oracle.families.chomp.values import BoardValues
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.even_passes import EvenPasses
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.rows import MAX_OPEN_ROWS
from position_oracle.oracle.families.sources import (
    Rows,
    Source,
    Undecided,
    packed,
    unknown,
)
from position_oracle.oracle.families.stored_values import VALUE_LOADERS
from position_oracle.schema.errors import InvalidRowError, ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.boards.outer import Outer


class BoardProber(Prober):
    """Answers questions about Chomp boards."""

    family = "chomp"
    loaders: ClassVar = {"outcomes": load_outcomes, **VALUE_LOADERS}

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        builds = resources.tables("chomp", "outcomes")
        stored = (table for build in builds for table in stored_tables(build))
        self._tables = sorted(stored, key=lambda table: table.table.shape.count)

    @cached_property
    def _three_row(self) -> Prober:
        return self.resources.prober("chomp3")

    @cached_property
    def _board_values(self) -> BoardValues:
        return BoardValues(self.resources)

    def sources(self, game: GameSpec) -> Sequence[Source]:
        """Return the sources for games with passes, and for plain Chomp."""
        return self._with_passes if game.passes else self._plain

    @cached_property
    def _plain(self) -> Sequence[Source]:
        tables = self.resources.tables("chomp3", "sheets")
        stored = max((int(t.arrays["limit"]) for t in tables if t.game == THREE_ROW), default=-1)
        return (
            ClosedForms(),
            *map(StoredBoardSource, self._tables),
            ThreeRows(self._three_row, stored),
            SearchedBoards(BoardSearches(self.resources)),
            ThreeRows(self._three_row, inf),
            Rectangles(),
            Undecided(self.undecided),
            ChompChances(self.resources),
            self._board_values,
        )

    @cached_property
    def _with_passes(self) -> Sequence[Source]:
        return ThreeRows(self._three_row, inf), EvenPasses(self), ChompChances(self.resources)

    def max_singles(self, game: GameSpec) -> int | None:
        """Return a small maximum for plain Chomp, whose sources answer arrays; else None."""
        return MAX_OPEN_ROWS if game == PLAIN else None

    def checked(self, game: GameSpec, coordinates: Rows) -> tuple[GameSpec, Rows]:
        """Return a batch as int64 (n, width), all of whose rows are boards."""
        form = "chomp:a/b/c/..."
        boards = packed(coordinates, coordinates.shape[1], form)
        bad = (boards[:, 1:] > boards[:, :-1]).any(axis=1) | (boards[:, -1] < 0)
        if bad.any():
            row = int(np.argmax(bad))
            raise InvalidRowError(row, "row lengths may be neither negative nor increasing")
        return game, boards.astype(np.int64)

    def warm_up(self) -> None:
        """Ask one question of each kind, so that kernels are compiled or loaded beforehand."""
        self.answer(Position(PLAIN, (4, 4, 4, 3)), with_moves=True)
        for board in ((4, 4, 4, 3), (254, 1, 1, 1)):  # kernels for values of 8 and of 16 bits
            self.values(Position(PLAIN, board))
        self.plan_rows(PLAIN, np.array([[4, 4, 4, 3]], np.int32), with_moves=True).run()

    def games(self) -> tuple[Covered, ...]:
        """Return one entry for each source."""
        tables = [
            covered(
                PLAIN, str(table.outer), table.certainty, limits=table.limits, build=table.build
            )
            for table in self._tables
        ]
        thin = [
            covered(
                PLAIN,
                f"boards of at most three rows or columns, as chomp3: {source.range}",
                source.certainty,
                limits=None if source.limits is None else {**source.limits, "rows": 3},
                build=source.build,
            )
            for game, source in self._three_row.games()
            if game == THREE_ROW and source.build is not None and source.build.kind == "sheets"
        ]
        searched = covered(
            PLAIN,
            f"boards with at most {MAX_SEARCH:,} boards inside, e.g. 13 x 13; by theorem two"
            " rows or columns and hooks of any size, and the outcome of rectangles",
            Certainty.EXACT_SEARCH,
            limits={"positions": MAX_SEARCH},
        )
        return (*tables, *thin, searched)

    def undecided(self, position: Position) -> Answer:
        """Say which build makes a table that holds the board; of thin ones chomp3 has said it."""
        board = position.coordinates
        stored = tuple(table.outer for table in self._tables if table.outer is not None)
        return unknown(position, _build_advice(stored, len(board), board[0]))


_BUILD_SECONDS: Final = 3.6e-8
"""Seconds to build a table, for each board."""


@lru_cache(maxsize=1024)
def _build_advice(stored: "tuple[Outer, ...]", rows: int, columns: int) -> str:
    from position_oracle.engine.solvers.boards.outer import Outer, box_count_text

    known = f"tables have {', '.join(map(str, stored))}" if stored else "no board tables are stored"
    try:
        needed = Outer.box(rows, columns)
    except ResourceLimitError:
        count = box_count_text(rows, columns)
        return (
            f"{known}; a table of the box of {rows} x {columns} would hold {count} boards, which is"
            " beyond the limit"
        )
    # A build replaces the tables of the game, so the advice must name the stored ones, too.
    limit = "+".join([o.text for o in stored if not needed.holds(o)] + [needed.text])
    return (
        f"{known}; to decide it, run oracle build chomp --limit {limit} ({needed.count:,} boards,"
        f" about {duration_text(1 + _BUILD_SECONDS * needed.count)}, "
        f"{size_text(needed.count / 8)} of memory when served)"
    )
