"""Records of the descriptive tables of a table file."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class GameRow:
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
    """One row of the table `checksum`: the checksum that a column of results must have."""

    table_name: str
    column_name: str
    rows: int
    digest: str
