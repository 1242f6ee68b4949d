"""Resources of probers: stored tables, results computed on demand, other probers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.cache import Cache
from position_oracle.schema.games import Build

if TYPE_CHECKING:
    from position_oracle.oracle.families.base import Prober
    from position_oracle.schema.snapshot import Snapshot

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class StoredTable:
    """One stored table as arrays for answers.

    Attributes:
        build: the kind and the provenance of the table.
        arrays: the result of the loader of the family and kind; mapped from a file, or in memory.
        game: the game of the build.
    """

    build: Build
    arrays: Arrays = field(repr=False)
    game: GameSpec = field(init=False)

    def __post_init__(self) -> None:
        """Set the game from the build."""
        object.__setattr__(self, "game", parse_game(self.build.game))


Loader = Callable[["Snapshot", Build], Arrays]
"""Function that makes the arrays for answers from the rows of a build."""


class Resources:
    """Resources of probers: stored tables, results computed on demand, other probers.

    Attributes:
        cache: results computed on demand.
    """

    def __init__(
        self,
        tables: Iterable[StoredTable],
        prober: Callable[[GameSpec | str], "Prober"],
        cache: Cache,
    ) -> None:
        self.cache = cache
        self.prober = prober
        self._tables = tuple(tables)

    def tables(self, family: str, kind: str) -> tuple[StoredTable, ...]:
        """Return the stored tables of a family and kind, in the order of their builds."""
        return tuple(
            table
            for table in self._tables
            if table.game.family == family and table.build.kind == kind
        )
