"""Results of a census between two checkpoints, as bytes: enough to resume it.

A checkpoint holds states. The journals of all checkpoints so far hold the finished sheets, their
tails, and the diagonals and largest z of the columns that have begun.
"""

import zlib
from dataclasses import dataclass, fields
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.ledger import SETTLED_ROWS, Ledger
from position_oracle.schema.errors import CorruptTableError


@dataclass(frozen=True, slots=True, eq=False)
class Journal:
    """Results since the previous journal of a census to ``limit``; all arrays are int32.

    ``diagonal`` is f(c, c) for the columns from ``begun`` on, ``largest_z`` so far for those from
    ``recent`` on. The sheets ``ended`` have ``end``, ``period``, ``upper`` and ``ended_z`` as in
    the ledger. ``tail_z`` are the values that follow the first ``tail_values`` ones.
    """

    limit: int
    row: int
    first: int
    begun: int
    recent: int
    tail_values: int
    diagonal: NDArray[np.int32]
    largest_z: NDArray[np.int32]
    ended: NDArray[np.int32]
    end: NDArray[np.int32]
    period: NDArray[np.int32]
    upper: NDArray[np.int32]
    ended_z: NDArray[np.int32]
    tail_z: NDArray[np.int32]


def journal_of(
    ledger: Ledger, row: int, first: int, before: Journal | None, stopped: NDArray[np.bool_]
) -> Journal:
    """Make the journal at ``row``, where ``first`` is the first unfinished column.

    ``stopped`` marks the columns from ``first`` on that have stopped before ``row``.
    """
    columns = min(row, len(ledger.end))
    last_row, finished, tail_values = 0, 0, 0
    if before is not None:
        last_row, finished = before.row, before.first
        tail_values = before.tail_values + len(before.tail_z)
    begun = min(last_row, columns)
    recent = max(0, min(columns, last_row - SETTLED_ROWS))
    ended = np.concatenate([np.arange(finished, first), first + np.flatnonzero(stopped)])
    new_tail_values = int(ledger.period[finished:first].sum(dtype=np.int64))
    return Journal(
        limit=len(ledger.end) - 1,
        row=row,
        first=first,
        begun=begun,
        recent=recent,
        tail_values=tail_values,
        diagonal=ledger.diagonal[begun:columns].copy(),
        largest_z=ledger.largest_z[recent:columns].copy(),
        ended=ended.astype(np.int32),
        end=ledger.end[ended],
        period=ledger.period[ended],
        upper=ledger.upper[ended],
        ended_z=ledger.largest_z[ended],
        tail_z=ledger.tail_z[tail_values : tail_values + new_tail_values].copy(),
    )


def write_journal(journal: Journal) -> bytes:
    """Write a journal as a compressed archive of numpy, after its checksum."""
    file = BytesIO()
    np.savez_compressed(
        file, **{each.name: getattr(journal, each.name) for each in fields(journal)}
    )
    archive = file.getvalue()
    return zlib.crc32(archive).to_bytes(4, "little") + archive


def read_journal(data: bytes) -> Journal:
    """Read a journal that ``write_journal`` wrote.

    Raises:
        CorruptTableError: The bytes are damaged.
    """
    archive = data[4:]
    if not archive or zlib.crc32(archive) != int.from_bytes(data[:4], "little"):
        raise CorruptTableError("a journal of a census is damaged")
    with np.load(BytesIO(archive)) as found:
        arrays = [found[each.name] for each in fields(Journal)]
    values: list[Any] = [array if array.ndim else int(array) for array in arrays]
    return Journal(*values)


def apply_journal(ledger: Ledger, journal: Journal) -> None:
    """Write the results of a journal into a ledger."""
    begun, recent, tail = journal.begun, journal.recent, journal.tail_values
    ledger.diagonal[begun : begun + len(journal.diagonal)] = journal.diagonal
    ledger.largest_z[recent : recent + len(journal.largest_z)] = journal.largest_z
    ledger.end[journal.ended] = journal.end
    ledger.period[journal.ended] = journal.period
    ledger.upper[journal.ended] = journal.upper
    ledger.largest_z[journal.ended] = journal.ended_z
    ledger.tail_z[tail : tail + len(journal.tail_z)] = journal.tail_z
