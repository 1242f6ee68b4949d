"""Tables of small three-row games, solved when they are asked for and kept for a while.

Solving every sheet x < 512 takes some milliseconds and x < 4096 some tenths of a second, so that
variants need no build before somebody can play them.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from engine.games.spec import Coordinates, GameSpec
from engine.solvers.three_row_games import solve_game
from oracle.index import build_index
from oracle.probers.sheet_table import SheetTable

SIZES: Final = (64, 512, 4096)
"""Numbers of sheets that are solved; with noise only the first two, and as many columns."""

KEPT: Final = 12
"""Tables kept; the least recently used go first."""


class OnDemandTables:
    """Solves the tables of small games once; safe to use from many threads."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[GameSpec, int], SheetTable] = OrderedDict()
        self._lock = Lock()

    def find(self, game: GameSpec, coordinates: Coordinates) -> SheetTable | None:
        """A table that decides the position, None where it would be too large."""
        x, y, _ = coordinates
        if game.noise is None:
            size = _size(SIZES, x)
        else:
            size = None if game.passes else _size(SIZES[:2], x + y)
        return None if size is None else self._table(game, size)

    def _table(self, game: GameSpec, size: int) -> SheetTable:
        # The lock is held while solving: whoever asks meanwhile for the same table needs it too.
        with self._lock:
            table = self._tables.get((game, size))
            if table is None:
                table = SheetTable(game, build_index(solve_game(game, size, size)), None)
                self._tables[game, size] = table
                if len(self._tables) > KEPT:
                    self._tables.popitem(last=False)
            self._tables.move_to_end((game, size))
            return table


def _size(sizes: tuple[int, ...], needed: int) -> int | None:
    return next((size for size in sizes if needed < size), None)
