"""States read from checkpoints, with a bounded cache of decoded chunks."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.checkpoint import (
    PackedCheckpoint,
    decode_chunk,
    parse,
)
from position_oracle.engine.solvers.row_sweep.ledger import Ledger
from position_oracle.schema.errors import CorruptTableError

CheckpointReader = Callable[[int], bytes]
"""Function that returns the bytes of checkpoint i, at row i * spacing, for i = 1, 2, ..."""

_Chunk = tuple[NDArray[np.int32], NDArray[np.void]]
_T = TypeVar("_T")
_WINDOW = 64
_KEPT = 32
"""Number of decoded chunks, of at most 0.3 MB each, and of checkpoints in memory."""


State = tuple[int, int, int, int]
"""The numbers of a column; see the module ``state``."""


def bars(state: State, a: int) -> bool:
    """Return whether ``a``, not a deadly diagonal, is already a value of a column."""
    low, high, below, above = state
    if a < low:
        return a >= low - _WINDOW and bool(below >> (a - low + _WINDOW) & 1)
    return a < high or (a < high + _WINDOW and bool(above >> (a - high) & 1))


class StateReader:
    """Columns' states at any checkpoint, with a cache.

    Checkpoint 0 is row 0, without live columns.
    """

    def __init__(
        self,
        read: CheckpointReader,
        count: int,
        spacing: int,
        ledger: Ledger,
    ) -> None:
        self._read = read
        self.count = count
        self.spacing = spacing
        self._ledger = ledger
        self._kept: OrderedDict[tuple[int, int], Any] = OrderedDict()

    def layout(self, k: int) -> PackedCheckpoint:
        """Return header and index of checkpoint k, 1 <= k <= count.

        Raises:
            CorruptTableError: The bytes are damaged, or those of another checkpoint.
        """
        return self._cached((k, -1), lambda: self._parsed(k))

    def chunk(self, k: int, h: int) -> _Chunk:
        """Return columns and states of chunk h of checkpoint k."""
        return self._cached((k, h), lambda: decode_chunk(self.layout(k), h, self._ledger))

    def chunks(self, k: int, last: int) -> int:
        """Return the number of chunks of checkpoint k that hold the columns up to ``last``."""
        return int(np.searchsorted(self.layout(k).index["column"], last, side="right"))

    def state(self, k: int, c: int) -> State | None:
        """Return the state of column c at checkpoint k, if the column is live there."""
        h = self.chunks(k, c) - 1
        if h < 0:
            return None
        column, states = self.chunk(k, h)
        place = int(np.searchsorted(column, c))
        if place == len(column) or column[place] != c:
            return None
        found: State = states[place].item()
        return found

    def _parsed(self, k: int) -> PackedCheckpoint:
        layout = parse(self._read(k))
        if layout.row != k * self.spacing:
            raise CorruptTableError(f"checkpoint {k} is of row {layout.row}")
        return layout

    def _cached(self, key: tuple[int, int], make: Callable[[], _T]) -> _T:
        """Return a cached result; a new one takes the place of the one unused longest."""
        if key not in self._kept:
            self._kept[key] = make()
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        found: _T = self._kept[key]
        return found
