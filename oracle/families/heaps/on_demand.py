"""Small games of heaps, solved when they are asked for and kept for a while.

A table of three heaps up to 1,023 takes some hundredths of a second, so that variants need no
build before somebody can play them; a search of four or five heaps takes at most some tenths.
"""

from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Final, TypeVar

from engine.games.spec import GameSpec
from engine.solvers.heap_games import solve_sheets
from engine.solvers.heap_search import HeapGame, HeapTable, estimate_search, search_heaps
from oracle.probers.heap_arrays import sheet_arrays
from oracle.probers.heap_kernels import SheetArrays

SIDES: Final = (63, 255, 1023)
"""Largest x and y of the tables that are solved."""

NOISE_SIDES: Final = SIDES[:2]
"""The same with noise, which takes longer."""

SEARCHED_HEAPS: Final = (4, 5)
"""Numbers of heaps that are searched; fewer have tables."""

MAX_STEPS: Final = 100_000_000
"""Most moves that a search looks at: some tenths of a second."""

MAX_CELLS: Final = 2_000_000
"""Most positions that a search keeps."""

MAX_HEAP: Final = 5_000
"""No search of a larger heap takes less than `MAX_STEPS`."""

KEPT: Final = 12
"""Tables and searches kept, of each; the least recently used go first."""

MAX_SEARCHES: Final = 8
"""Most searches for one batch."""

K = TypeVar("K")
V = TypeVar("V")


def side_for(game: GameSpec) -> int:
    """Largest x and y for which a table is solved when asked for."""
    return (SIDES if game.noise is None else NOISE_SIDES)[-1]


@lru_cache(maxsize=4096)
def search_fits(game: HeapGame, limits: tuple[int, ...]) -> bool:
    """Whether all positions up to these limits can be searched when asked for."""
    if max(limits) > MAX_HEAP:
        return False
    cost = estimate_search(game, limits)
    return cost.cells <= MAX_CELLS and cost.steps <= MAX_STEPS


class SolvedTables:
    """Solves small games once; safe to use from many threads.

    One game is solved at a time: whoever asks meanwhile for the same needs it too, and others
    would only share the processor.
    """

    def __init__(self) -> None:
        self._sheets: OrderedDict[tuple[GameSpec, int], SheetArrays] = OrderedDict()
        self._searches: OrderedDict[tuple[HeapGame, tuple[int, ...]], HeapTable] = OrderedDict()
        self._lock = Lock()

    def sheets(self, game: GameSpec, largest: int) -> SheetArrays:
        """A table of three heaps for x and y up to `largest`, at most `side_for(game)`."""
        with self._lock:
            for side in SIDES:
                if side >= largest and (game, side) in self._sheets:
                    self._sheets.move_to_end((game, side))
                    return self._sheets[game, side]
            side = next(side for side in SIDES if side >= largest)
            arrays = sheet_arrays(game, solve_sheets(game, side, side))
            _keep(self._sheets, (game, side), arrays)
            return arrays

    def search(self, game: HeapGame, limits: tuple[int, ...]) -> HeapTable:
        """All positions up to ascending limits for which `search_fits`."""
        with self._lock:
            for key, table in self._searches.items():
                if key[0] == game and all(map(int.__le__, limits, key[1])):
                    self._searches.move_to_end(key)
                    return table
            table = search_heaps(game, limits)
            _keep(self._searches, (game, limits), table)
            return table


def _keep(kept: OrderedDict[K, V], key: K, value: V) -> None:
    kept[key] = value
    if len(kept) > KEPT:
        kept.popitem(last=False)
