"""States read from checkpoints, with a bounded cache of decoded chunks."""

from collections import OrderedDict
from collections.abc import Callable

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
_Kept = PackedCheckpoint | _Chunk
_WINDOW = 64


State = tuple[int, int, int, int]
"""The numbers of a column; see the module ``state``."""


def bars(state: State, a: int) -> bool:
    """Return whether ``a``, not a deadly diagonal, is already a value of a column."""
    low, high, below, above = state
    if a < low:
        return a >= low - _WINDOW and bool(below >> (a - low + _WINDOW) & 1)
    return a < high or (a < high + _WINDOW and bool(above >> (a - high) & 1))


class StateReader:
    """Columns' states at any checkpoint, with a cache of at most ``cache_bytes``.

    Checkpoint 0 is row 0, without live columns.
    """

    def __init__(
        self,
        read: CheckpointReader,
        count: int,
        spacing: int,
        ledger: Ledger,
        cache_bytes: int,
    ) -> None:
        self._read = read
        self.count = count
        self.spacing = spacing
        self._ledger = ledger
        self._room = cache_bytes
        self._used = 0
        self._kept: OrderedDict[tuple[int, int], _Kept] = OrderedDict()

    def layout(self, k: int) -> PackedCheckpoint:
        """Return header and index of checkpoint k, 1 <= k <= count.

        Raises:
            CorruptTableError: The bytes are damaged, or those of another checkpoint.
        """
        known = self._find(k, -1)
        if isinstance(known, PackedCheckpoint):
            return known
        layout = parse(self._read(k))
        if layout.row != k * self.spacing:
            raise CorruptTableError(f"checkpoint {k} is of row {layout.row}")
        self._keep(k, -1, layout)
        return layout

    def chunk(self, k: int, h: int) -> _Chunk:
        """Return columns and states of chunk h of checkpoint k."""
        known = self._find(k, h)
        if isinstance(known, tuple):
            return known
        column, states = decode_chunk(self.layout(k), h, self._ledger)
        self._keep(k, h, (column, states))
        return column, states

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

    def _find(self, k: int, h: int) -> _Kept | None:
        known = self._kept.get((k, h))
        if known is not None:
            self._kept.move_to_end((k, h))
        return known

    def _keep(self, k: int, h: int, what: _Kept) -> None:
        self._kept[k, h] = what
        self._used += _size(what)
        while self._used > self._room and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._used -= _size(dropped)


def _size(kept: _Kept) -> int:
    if isinstance(kept, PackedCheckpoint):
        return len(kept.data)
    return int(kept[0].nbytes + kept[1].nbytes)
