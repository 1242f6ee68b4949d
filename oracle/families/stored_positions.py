"""Stored tables of `oracle build GAME --kind values`: every position up to a limit.

The coordinates and passes of a position give its row. Play never leaves such a table.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import Tree, tree_of
from position_oracle.engine.jobs.position_values import KIND, TABLE, place_of, top_of
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.answers import (
    Answer,
    Certainty,
    Method,
    Turns,
    WinProbability,
)
from position_oracle.oracle.families.chance.answers import approximately, lasting
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.resources import Arrays, Resources, StoredTable
from position_oracle.oracle.families.sources import LOOK_UP, Source
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.games import Build

if TYPE_CHECKING:
    from position_oracle.schema.snapshot import Snapshot

NONE: Final = -1
"""Code for a missing Grundy value or remoteness."""

MAX_NUMBER: Final = 2**31 - 1

_CHANCES: Final = {
    Perfect.NOBODY: "p_mover",
    Perfect.MOVER: "perfect_loses",
    Perfect.OTHER: "random_wins",
}
_MOVE_SECONDS: Final = 2e-5


def load_positions(snapshot: "Snapshot", build: Build) -> Arrays:
    """Return the columns of a table, with rows as texts of fixed width in the same order."""
    table = snapshot.read_table(TABLE, build.game)
    coordinates = table["coordinates"].combine_chunks()
    begins = coordinates.offsets.to_numpy()
    lengths = np.diff(begins)
    row = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(begins[0], begins[-1]) - np.repeat(begins[:-1], lengths)
    keys = np.zeros((len(lengths), int(lengths.max(initial=0)) + 1), ">u4")
    keys[row, place] = coordinates.flatten().to_numpy().astype(np.int64) + 1
    keys[:, -1] = table["passes"].to_numpy() + 1
    whole = {name: table[name].fill_null(NONE).to_numpy() for name in ("grundy", "remoteness")}
    names = ("wins", *_CHANCES.values(), "turns")
    return {"keys": keys, **whole, **{name: table[name].to_numpy() for name in names}}


@dataclass(frozen=True)
class StoredPositions(Source):
    """A stored table of values and chances."""

    table: StoredTable

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the outcome, and the moves to stored P-positions."""
        place = self._place(position)
        if place is None:
            return None
        outcome = Outcome.N if self.table.arrays["wins"][place] else Outcome.P
        cost = LOOK_UP
        if with_moves:
            cost += Cost(_MOVE_SECONDS * 10 * (1 + rules_of(position.game.family).amount(position)))

        def run() -> Answer:
            moves: tuple[Move, ...] | None = None
            if with_moves:
                wins = outcome is Outcome.N
                moves = tuple(legal_moves(position, self._is_p)) if wins else ()
            return Answer(position, outcome, Certainty.EXACT_TABLE, self.reason, moves)

        return Plan(cost, run)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan values by the column of the kind."""
        found = self._at(kind, position)
        if found in {None, NONE}:
            return None

        def value(of: Position) -> int | None:
            number = self._at(kind, of)
            return None if number in {None, NONE} else int(number)

        return Plan(LOOK_UP, lambda: Values(value, Certainty.EXACT_TABLE, self.reason))

    def plan_chance(self, position: Position, model: Model) -> Plan[WinProbability | None] | None:
        """Plan a chance, if the player who is not perfect moves at random."""
        stored = self._at(_CHANCES[model.perfect], position)
        if stored is None or model.epsilon != 1:
            return None
        chance = 1.0 - float(stored) if model.mover_chooses else float(stored)

        def run() -> WinProbability:
            known, method = Certainty.EXACT_TABLE, Method.FLOATING_POINT
            bound, reason = self._error_bound(position), f"{self.reason}, in double precision"
            return approximately(position, model, chance, bound, known, method, reason)

        return Plan(LOOK_UP, run)

    def plan_turns(self, position: Position) -> Plan[Turns | None] | None:
        """Plan the mean number of turns."""
        mean = self._at("turns", position)
        if mean is None:
            return None
        known, method = Certainty.EXACT_TABLE, Method.FLOATING_POINT
        reason = f"{self.reason}, in double precision"
        return Plan(LOOK_UP, lambda: lasting(position, float(mean), known, method, reason))

    @property
    def reason(self) -> str:
        """The basis of its answers."""
        build = self.table.build
        return f"table of {build.kind} of {build.game} up to {build.limit}"

    @property
    def info(self) -> Covered:
        """A description of the positions it answers."""
        build, game = self.table.build, self.table.game
        what = f"every position up to {build.limit}"
        return covered(game, what, Certainty.EXACT_TABLE, build=build)

    def _place(self, position: Position) -> int | None:
        """Return the row of a position; None if there is none."""
        if not _is_of(position.game, self.table.game):
            return None
        coordinates, passes = place_of(self._tree.node(position), self.table.game)
        missing = self._keys.dtype.itemsize // 4 - 1 - len(coordinates)
        if missing < 0 or max(coordinates, default=0) > MAX_NUMBER:
            return None
        numbers = (*(number + 1 for number in coordinates), *[0] * missing, passes + 1)
        key = np.array(numbers, ">u4").view(self._keys.dtype)[0]
        place = int(np.searchsorted(self._keys, key))
        return place if place < len(self._keys) and self._keys[place] == key else None

    def _at(self, column: str, position: Position) -> Any:
        place = self._place(position)
        return None if place is None else self.table.arrays[column][place]

    def _is_p(self, position: Position) -> bool:
        wins = self._at("wins", position)
        return wins is not None and not wins

    def _error_bound(self, position: Position) -> float:
        """Return the bound of `folds.error_bound`; of two moves in sequence, one is no pass."""
        turns = 2 * rules_of(position.game.family).amount(position) + position.game.passes
        return float(turns * (len(self._keys) + 4) * 2.0**-53)

    @cached_property
    def _keys(self) -> npt.NDArray[np.bytes_]:
        """The rows as texts without zeros at their ends."""
        keys = np.ascontiguousarray(self.table.arrays["keys"])
        return keys.view(f"S{4 * keys.shape[1]}").reshape(-1)

    @cached_property
    def _tree(self) -> Tree[Any]:
        return tree_of(top_of(self.table.game, self.table.build.limit))


def _is_of(game: GameSpec, table: GameSpec) -> bool:
    """Return whether a table has positions of a game, which may have fewer passes."""
    same = ("family", "options", "misere", "declared", "noise")
    heaps = table.heaps in {None, game.heaps}
    return (
        heaps
        and game.passes <= table.passes
        and all(getattr(game, name) == getattr(table, name) for name in same)
    )


def stored_positions(resources: Resources, family: str) -> tuple[StoredPositions, ...]:
    """Return the stored tables of values and chances of a family."""
    return tuple(map(StoredPositions, resources.tables(family, KIND)))
