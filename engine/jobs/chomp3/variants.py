"""Rules that variants add to three-row Chomp: declared N-positions and passes.

The sheets with one pass fewer are solved if no stored ones are large enough.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp3.sheets import bounds
from position_oracle.schema.errors import UnknownGameError
from position_oracle.schema.sheets import NO_Z, LoserSheets
from position_oracle.schema.snapshot import Snapshot

_TERMINAL = (0, 0, 1)


@dataclass(frozen=True, slots=True)
class Variant:
    """A game, and the sheets of the same game with one pass fewer.

    Attributes:
        game: the game.
        fewer: P-positions with one pass fewer; None without passes.
    """

    game: GameSpec
    fewer: LoserSheets | None = None

    @classmethod
    def of(cls, snapshot: Snapshot, game: GameSpec, limit: str) -> Self:
        """Return the variant of a game; sheets with fewer passes are computed if not stored."""
        return cls(game, _fewer_passes(snapshot, game, limit) if game.passes else None)

    def passes_to_p(self, x: int, y: int, z: int) -> bool:
        """Return whether a pass leads from [x, y, z] to a P-position, unless terminal."""
        if self.fewer is None or (x, y, z) == _TERMINAL or self.game.declares((x, y, z)):
            return False
        return int(self.fewer.look_up(x, y)) == z

    def failures(self, sheets: LoserSheets) -> Iterator[str]:
        """Describe P-positions of a table that are declared N or have a pass to a P-position."""
        for x, y, z in self.game.declared:
            if x < len(sheets) and int(sheets.look_up(x, y)) == z:
                yield f"[{x},{y},{z}] is a P-position and declared N"
        for x in range(len(sheets) if self.game.noise or self.fewer else 0):
            columns = np.arange(self._reach(sheets, x))
            found = sheets.look_up(np.full(len(columns), x), columns)
            for column in np.flatnonzero((found != NO_Z) & (found == self._barred(x, columns))):
                if (position := (x, int(column), int(found[column]))) != _TERMINAL:
                    yield f"{list(position)} is a P-position and declared N or passed to one"

    def _reach(self, sheets: LoserSheets, x: int) -> int:
        """Return the number of columns to check: later ones repeat, as both tails do."""
        if self.fewer is None:
            return int(sheets.prefix_length[x])
        periods = np.maximum([sheets.tail_period[x], self.fewer.tail_period[x]], 1)
        return int(
            max(sheets.prefix_length[x], self.fewer.prefix_length[x]) + np.lcm.reduce(periods)
        )

    def _barred(self, x: int, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.fewer is not None:
            return self.fewer.look_up(np.full(len(columns), x), columns)
        if self.game.noise is None or not len(columns):
            return np.full(len(columns), NO_Z, np.int64)
        return self.game.noise.columns(x, len(columns) - 1)


def _fewer_passes(snapshot: Snapshot, game: GameSpec, limit: str) -> LoserSheets:
    """Return the sheets with one pass fewer, as many as the limit says."""
    from position_oracle.engine.solvers.three_row_games import solve_game

    fewer = game.with_passes(game.passes - 1)
    with suppress(UnknownGameError):
        if len(stored := snapshot.read_sheets(fewer.text)) > int(limit):
            return stored
    return solve_game(fewer, *bounds(limit))
