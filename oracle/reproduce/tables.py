"""Tables for entries, from a store; missing ones are built.

Large tables (sheets and census of three-row Chomp, sheets with a pass, boards, win probabilities)
are built into the store, so that a second run reads them. Small variants are solved in memory. Each
table is made once in a run, and entries share it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from position_oracle.engine.solvers.random_play.three_row import RandomTable
    from position_oracle.engine.solvers.row_sweep.query import Answers
    from position_oracle.schema.census import Census
    from position_oracle.schema.sheets import LoserSheets
    from position_oracle.schema.snapshot import Snapshot

T = TypeVar("T")

PLAIN = "chomp3"


class ReportTables:
    """Tables for the entries of the report.

    Attributes:
        store: the store of the tables.
        quick: whether entries use small tables.
    """

    def __init__(
        self, place: Path, *, quick: bool = False, told: Callable[[str], None] = lambda _: None
    ) -> None:
        """Use a store.

        Args:
            place: the folder of the store; made if missing.
            quick: see the class.
            told: callback with a line before each slow table.
        """
        from position_oracle.schema.snapshot import Store

        self.store: Store = Store.at(place)
        self.quick = quick
        self._told = told
        self._kept: dict[Any, Any] = {}
        self._reduced: dict[tuple[Any, Any], None] = {}

    def size(self, full: T, quick: T) -> T:
        """Return a limit, or several limits or cases: those of a full run or of a quick run."""
        if self.quick and quick != full:
            self._reduced[full, quick] = None
        return quick if self.quick else full

    def take_reduced(self) -> tuple[tuple[Any, Any], ...]:
        """Return the limits of a full run and of this quick run used since the last call."""
        found, self._reduced = tuple(self._reduced), {}
        return found

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return the result of `make`, computed once for each key."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def sheets(self, last_x: int, game: str = PLAIN) -> "LoserSheets":
        """Return the loser sheets x <= last_x of a game of three-row Chomp, from the store.

        Further stored sheets are left out.
        """
        found = self.once(("sheets", game), lambda: self._sheets(game, self._largest(last_x)))
        if len(found) <= last_x:
            self._kept["sheets", game] = found = self._sheets(game, last_x)
        return found.part(0, last_x + 1)

    def variant(self, game: str, last_x: int, y_limit: int | None = None) -> "LoserSheets":
        """Return the sheets x <= last_x of a variant of three-row Chomp, solved in memory."""
        from position_oracle.engine.games.game_text import parse_game
        from position_oracle.engine.solvers.three_row_games import solve_game

        return self.once(
            ("variant", game, last_x, y_limit),
            lambda: solve_game(parse_game(game), last_x + 1, y_limit),
        )

    def heaps(self, game: str, last: int) -> NDArray[np.int32]:
        """Return the z of every P-position [x, y, z] of a game of three heaps, x, y <= last."""
        from position_oracle.engine.games.game_text import parse_game
        from position_oracle.engine.solvers.heap_games import solve_sheets

        found: NDArray[np.int32] | None = self._kept.get(("heaps", game))
        if found is None or len(found) <= last:
            found = solve_sheets(parse_game(game), last, last)
            self._kept["heaps", game] = found
        return found[: last + 1, : last + 1]

    def census(self, last_x: int, spacing: int = 1024) -> "Census":
        """Return the census of plain three-row Chomp to at least last_x, from the store."""
        from position_oracle.schema.census import read_census

        def make() -> "Census":
            with self._built(PLAIN, f"{last_x}x{spacing}", "census") as snapshot:
                return read_census(snapshot, PLAIN)

        return self.once(("census", last_x), make)

    def answers(self, last_x: int) -> "Answers":
        """Return answers far out, from the census and its checkpoints."""
        from position_oracle.engine.solvers.row_sweep.query import Answers
        from position_oracle.schema.census import read_checkpoints, reader_of

        def make() -> "Answers":
            found = self.census(last_x)
            with self._built(PLAIN, f"{last_x}x1024", "census") as snapshot:
                rows, offsets, data = read_checkpoints(snapshot, PLAIN)
            return Answers(found, reader_of(offsets, data), len(rows), int(rows[0]))

        return self.once(("answers", last_x), make)

    def random_play(self, first_row: int) -> "RandomTable":
        """Return win probabilities of three-row Chomp with both players at random, in memory."""
        from position_oracle.engine.solvers.random_play.three_row import solve_random

        return self.once(("random", first_row), lambda: solve_random(first_row))

    def query(self, game: str, limit: str, kind: str, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query on the store, after building the table it needs."""

        def make() -> list[tuple[Any, ...]]:
            with self._built(game, limit, kind) as snapshot, snapshot.cursor() as cursor:
                return cursor.execute(statement).fetchall()

        return self.once(("query", game, limit, kind, statement), make)

    def _largest(self, last_x: int) -> int:
        """Return the sheets that most entries need, so that they are built once."""
        return max(last_x, self.size(5_000, 1_000)) if last_x <= 5_000 else last_x

    def _sheets(self, game: str, last_x: int) -> "LoserSheets":
        with self._built(game, str(last_x), None) as snapshot:
            return snapshot.read_sheets(game)

    def _built(self, game: str, limit: str, kind: str | None) -> "Snapshot":
        from position_oracle.engine.jobs.plan import BuildPlan
        from position_oracle.engine.jobs.run import run_build
        from position_oracle.schema.snapshot import Snapshot

        for plan in BuildPlan.all_needed(game, limit, kind):
            if not plan.is_there(self.store):
                self._told(f"building {plan.text}")
                run_build(plan, self.store)
        return Snapshot.open(self.store)
