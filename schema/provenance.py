"""Provenance: which program computed a table, when, where and with what."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """One row of the table `build`: how the tables of one game came to be.

    Attributes:
        build_id: number of the build in its file, from 1.
        game: canonical text of the game, e.g. `chomp3{passes=1}`.
        kind: what was computed, e.g. `sheets`.
        limit: the limit asked for, as text, e.g. `10000`.
        started_at: when the computation began (UTC).
        seconds: wall-clock time of computing and writing.
        rows: rows of the largest table written.
        checksum: of the values computed, 16 hexadecimal digits; equal tables have equal ones.
        program: name and version of this program.
        environment: versions of Python, numpy, numba and duckdb, and the platform, as JSON text.
    """

    build_id: int
    game: str
    kind: str
    limit: str
    started_at: datetime
    seconds: float
    rows: int
    checksum: str
    program: str
    environment: str
