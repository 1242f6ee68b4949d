"""What is read from and written to a table file, as plain records and arrays."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One row of the table `game`: see the comments of its columns."""

    game_id: int
    name: str
    family: str
    heaps: int | None = None
    rule: str | None = None
    passes: int = 0
    misere: bool = False
    declared: tuple[tuple[int, ...], ...] = ()
    noise: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class FileInfo:
    """The row of the table `file_info`."""

    format_version: int
    program: str
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChecksumRecord:
    """One row of the table `checksum`: what a column of results must amount to."""

    table_name: str
    column_name: str
    rows: int
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class SheetArrays:
    """Loser sheets L_0, L_1, ... of one game, for all y.

    Sheet x has one P-position [x, y, z] in each column y < `prefix_length[x]`, at
    z = `prefix_z[prefix_offset[x] + y]`. Beyond the prefix it depends on `tail_period[x]`:

    - 0: no P-position;
    - p > 0: z = `tail_z[tail_offset[x] + (y - prefix_length[x]) % p]`;
    - -1: not computed (games that never become periodic have a limit in y).

    Attributes:
        prefix_offset: shape (n + 1,), int64.
        prefix_z: shape (prefix_offset[n],), int32.
        tail_period: shape (n,), int32.
        tail_offset: shape (n + 1,), int64.
        tail_z: shape (tail_offset[n],), int32.
    """

    prefix_offset: NDArray[np.int64]
    prefix_z: NDArray[np.int32]
    tail_period: NDArray[np.int32]
    tail_offset: NDArray[np.int64]
    tail_z: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of sheets."""
        return len(self.tail_period)

    @property
    def prefix_length(self) -> NDArray[np.int64]:
        """Length of the prefix of each sheet; shape (n,)."""
        return np.diff(self.prefix_offset)
