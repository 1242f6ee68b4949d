"""The census of three-row Chomp: a summary of every sheet, and checkpoints for answers.

Limits are texts: `1000000` means every sheet x <= 1000000, with a checkpoint every 1,024 rows;
`1000000x2048` has one every 2,048 rows, `1000000x0` none. The summary has tails, stops, openings
and deadly diagonals, but not the P-positions; only checkpoints decide any position.

During a build the checkpoints are in a folder of the store, so that a build that was stopped or
killed resumes from the last one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp3.census_checks import census_checks
from position_oracle.engine.jobs.chomp3.geometry import rows_of_measures
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.limits import numbers_of, sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.theory.geometry.summary import SheetSums
from position_oracle.schema.census import Census
from position_oracle.schema.errors import CorruptTableError, NotationError
from position_oracle.schema.files import write_new
from position_oracle.schema.numbers import shown

if TYPE_CHECKING:
    from position_oracle.engine.solvers.row_sweep.driver import Checkpoint, Resumption

MAX_LIMIT: Final = 10_000_000
USUAL_SPACING: Final = 1_024
_TILE: Final = 128
_ROW_BYTES: Final = 20
_BLOCK_SHEETS: Final = 1 << 17
_BLOCK_BYTES: Final = 256 << 20
"""Bytes of checkpoints written at a time. Each write repeats the last rows of the table."""


def _read_limit(game: GameSpec, limit: str) -> str:
    """Read a limit; only the plain game without passes has a census."""
    if game != GameSpec("chomp3"):
        raise NotationError(
            f"{game.text}: a census is made of chomp3 only; passes and declared positions bar more"
            " than the two intervals that the sweep keeps of a column"
        )
    form = "the largest x, and perhaps the rows between checkpoints, as 1000000x2048"
    sides = sides_within(game, limit, 2, form, 0, MAX_LIMIT)
    spacing = sides[1] if "x" in limit else USUAL_SPACING
    if spacing % _TILE or spacing > 1 << 20:
        raise NotationError(
            f"limit {shown(limit)} of {game.text}: rows between checkpoints are a multiple of"
            f" {_TILE} up to {1 << 20}, or 0 for no checkpoints"
        )
    return f"{sides[0]}x{spacing}"


def _covers(limit: str, other: str) -> bool:
    """Return whether a census has as many sheets as another, and checkpoints if that has some."""
    (largest, spacing), (others, other_spacing) = numbers_of(limit), numbers_of(other)
    return largest >= others and (spacing > 0 or other_spacing == 0)


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    from position_oracle.engine.solvers.row_sweep.driver import estimate

    largest, spacing = numbers_of(limit)
    cost = estimate(largest, spacing=spacing or None)
    blocks = 3 * min(cost.checkpoint_bytes, _BLOCK_BYTES)
    return ResourceEstimate(
        rows=largest + 1,
        seconds=2.0 + 0.6 * cost.cpu_seconds + 1.5e-6 * (largest + 1),
        memory_bytes=(600 << 20) + cost.memory_bytes + blocks,
        disk_bytes=EMPTY_FILE_BYTES + _ROW_BYTES * largest + 2 * cost.checkpoint_bytes,
    )


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    from position_oracle.engine.solvers.row_sweep.driver import census

    largest, spacing = numbers_of(limit)
    kept = KeptCheckpoints(reporter.scratch, spacing)
    report = reporter.part("sweep", power=2)

    found = census(
        largest,
        spacing=spacing or None,
        sink=kept.add,
        progress=report,
        resume=kept.resumption(),
    )
    for first in range(0, largest + 1, _BLOCK_SHEETS):
        current().check()
        yield {"census": _columns(found, slice(first, min(first + _BLOCK_SHEETS, largest + 1)))}
    yield {"census_geometry": rows_of_measures(shape_of(found), "census_geometry")}
    writing = reporter.part("write")
    for part in kept.blocks(_BLOCK_BYTES):
        current().check()
        yield {"checkpoint": kept.columns(part)}
        writing(part.stop, len(kept), 0)


def shape_of(found: Census) -> SheetSums:
    """Measure the shape of the sheets of a census."""
    return SheetSums.counted(
        diagonal_z=found.diagonal_z,
        prefix_length=found.prefix_length,
        tails=(found.tail_period, found.tail_offset, found.tail_z),
        upper=found.upper,
        lower=found.lower,
    )


def _columns(found: Census, part: slice) -> dict[str, object]:
    begin, end = found.tail_offset[part.start], found.tail_offset[part.stop]
    offsets = (found.tail_offset[part.start : part.stop + 1] - begin).astype(np.int32)
    return {
        "x": np.arange(part.start, part.stop, dtype=np.int32),
        "prefix_length": found.prefix_length[part],
        "tail_period": found.tail_period[part],
        "tail_z": pa.ListArray.from_arrays(offsets, found.tail_z[begin:end]),
        "diagonal_z": found.diagonal_z[part],
        "max_z": found.max_z[part],
        "lower": found.lower[part],
        "upper": found.upper[part],
    }


class KeptCheckpoints:
    """The checkpoints of a running census, in a folder with one file for each.

    A file has the length of the journal in eight bytes, the journal, and the data.
    """

    def __init__(self, folder: Path, spacing: int) -> None:
        """Read the checkpoints in the folder, in order, up to the first damaged one."""
        self._folder = folder
        self._spacing = spacing
        folder.mkdir(parents=True, exist_ok=True)
        self._heads: list[tuple[int, int]] = []
        while (head := self._read_head(len(self._heads) + 1)) is not None:
            self._heads.append(head)

    def __len__(self) -> int:
        """Return the number of checkpoints."""
        return len(self._heads)

    def add(self, made: "Checkpoint") -> None:
        """Store a checkpoint, in place of an older copy."""
        number = made.row // self._spacing
        draft = self._folder / "new"
        write_new(draft, len(made.journal).to_bytes(8, "little") + made.journal + made.data)
        draft.replace(self._file(number))
        del self._heads[number - 1 :]
        self._heads.append((made.first, made.states))

    def resumption(self) -> "Resumption | None":
        """Return the checkpoint to resume from; None at the beginning."""
        from position_oracle.engine.solvers.row_sweep.driver import Resumption

        if not self._heads:
            return None
        journals = [self._read(k)[0] for k in range(1, len(self) + 1)]
        return Resumption(journals, lambda k: self._read(k + 1)[1])

    def blocks(self, most_bytes: int) -> Iterator[range]:
        """Yield all checkpoints in order, in blocks of about `most_bytes`."""
        begin, size = 0, 0
        for place in range(len(self)):
            size += self._file(place + 1).stat().st_size
            if size >= most_bytes or place == len(self) - 1:
                yield range(begin, place + 1)
                begin, size = place + 1, 0

    def columns(self, part: range) -> dict[str, object]:
        """Return rows of the table `checkpoint`."""
        heads = [self._heads[place] for place in part]
        return {
            "row": np.array([(place + 1) * self._spacing for place in part], np.int32),
            "first_x": np.array([first for first, _ in heads], np.int32),
            "states": np.array([states for _, states in heads], np.int32),
            "data": pa.array([self._read(k + 1)[1] for k in part], pa.binary()),
        }

    def _read_head(self, number: int) -> tuple[int, int] | None:
        """Read the first sheet and number of states of a checkpoint; None if missing or damaged."""
        from position_oracle.engine.solvers.row_sweep.checkpoint import parse
        from position_oracle.engine.solvers.row_sweep.journal import read_journal

        try:
            journal, data = self._read(number)
            read_journal(journal)
            layout = parse(data)
        except (CorruptTableError, OSError):
            return None
        return (layout.first, layout.states) if layout.row == number * self._spacing else None

    def _read(self, number: int) -> tuple[bytes, bytes]:
        """Read the journal and data of a checkpoint."""
        content = self._file(number).read_bytes()
        end = 8 + int.from_bytes(content[:8], "little")
        return content[8:end], content[end:]

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.checkpoint"


CENSUS: Final = Job(
    family="chomp3",
    kind="census",
    tables=("census", "census_geometry", "checkpoint"),
    usual_limit=always("100000"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=census_checks,
    covers=_covers,
)
