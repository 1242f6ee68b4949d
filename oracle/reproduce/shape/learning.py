"""Counts in known sheets for the chances of openings and columns beyond the tables.

`oracle.families.chomp3.beyond` computes the chances; `scripts/learn_chances.py` writes the counts
into the program.
"""

from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.openings import BY_ROW_3, openings
from position_oracle.oracle.families.chomp3 import places
from position_oracle.oracle.families.chomp3.beyond import (
    CANDIDATES,
    END,
    END_PHASES,
    ENDED,
    IN_TAIL,
    LINE_PHASES,
    LOWER,
    OFFSETS,
    ON_LINES,
    PERIODS,
    PHASES,
    REACH,
    REGIONS,
    UPPER,
    ColumnCounts,
    ColumnEstimates,
    OpeningEstimates,
    line_phase,
    opening_phase,
    place_on_line,
    region,
)
from position_oracle.oracle.families.chomp3.places import Places
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.sheets import LoserSheets

FIRST_OPENING: Final = 100
LAST_OPENING: Final = 50_000
"""Number of the last opening that is learned from."""
FIRST_SHEET: Final = 2_000
LAST_SHEET: Final = 10_000
"""Number of the last sheet that is learned from."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The learned parameters."""

    openings: OpeningEstimates
    columns: ColumnEstimates

    def arrays(self) -> dict[str, NDArray[np.int64]]:
        """Return the counts by name."""
        return {"openings": self.openings.counts, **asdict(self.columns.counts)}


def learn() -> Learned:
    """Learn from sweeps and solved sheets; takes a few seconds."""
    found = census(int(LAST_OPENING / 2**0.5) + 100)
    sequence = Sequence.of(openings(found.diagonal_z, found.prefix_length, found.tail_period))
    sheets = solve_game(parse_game("chomp3"), LAST_SHEET + 1)
    return Learned(
        learn_openings(sequence.between(FIRST_OPENING, LAST_OPENING)),
        learn_columns(sheets, FIRST_SHEET, LAST_SHEET),
    )


def learn_openings(known: Sequence) -> OpeningEstimates:
    """Learn from known openings, at least a few thousand."""
    place = candidate_of(known)
    inside = place >= 0
    counts = np.zeros((PHASES, len(CANDIDATES)), np.int64)
    np.add.at(counts, (opening_phase(known.n)[inside], place[inside]), 1)
    return OpeningEstimates.of_counts(counts)


def candidate_of(known: Sequence) -> NDArray[np.int64]:
    """Return the number of each opening among `CANDIDATES`, -1 if it is not a candidate."""
    offset = known.candidate
    place = 1 + offset + 3 * (known.kind == BY_ROW_3)
    return np.where(np.abs(offset) <= 1, place, -1).astype(np.int64)


def learn_columns(sheets: LoserSheets, first_x: int, last_x: int, step: int = 1) -> ColumnEstimates:
    """Learn from every `step`-th sheet from first_x to last_x."""
    counts = ColumnCounts(
        np.zeros((END_PHASES, OFFSETS), np.int64),
        np.zeros((2, REGIONS, LINE_PHASES, OFFSETS), np.int64),
        np.zeros((END_PHASES, OFFSETS), np.int64),
        np.zeros((END_PHASES, 2 * END + 1, 3), np.int64),
    )
    for x in range(first_x, last_x + 1, step):
        _count_sheet(counts, sheets, x)
    return ColumnEstimates.of_counts(counts)


def _count_sheet(counts: ColumnCounts, sheets: LoserSheets, x: int) -> None:
    """Count the columns of a sheet."""
    z, end = sheets.prefix(x).astype(np.int64), _line_length(sheets, x)
    tail, here = sheets.tail(x).astype(np.int64), np.array([x])
    y = np.arange(1, end)
    is_upper = y + z[1:end] > z[0]
    _count(counts.diagonal, places.sheet(here), z[:1])
    for line, which in ((UPPER, is_upper), (LOWER, ~is_upper)):
        on = y[which]
        place = place_on_line(here, on, line)
        cell = region(here, on) * LINE_PHASES + line_phase(here, on, place)
        cell = cell * OFFSETS + _offset(place, z[on])
        np.add.at(counts.lines[line].reshape(-1), cell, 1)
    ends = places.line_end(here)
    near = ends.whole[0] + np.arange(-END, END + 1)
    state = np.where(near < end, ON_LINES, IN_TAIL if tail.size else ENDED)
    phase = int(ends.phase[0] * END_PHASES)
    counts.state[phase, np.arange(2 * END + 1), state] += 1
    if tail.size and PERIODS % tail.size == 0:
        _count(counts.tail, places.tail(here), tail, PERIODS // tail.size)


def _count(counts: NDArray[np.int64], place: Places, z: NDArray[np.int64], times: int = 1) -> None:
    """Count the z of one place by phase."""
    np.add.at(counts[int(place.phase[0] * END_PHASES)], _offset(place, z), times)


def _offset(place: Places, z: NDArray[np.int64]) -> NDArray[np.int64]:
    offset: NDArray[np.int64] = np.clip(z - place.whole, -REACH, REACH) + REACH
    return offset


def _line_length(sheets: LoserSheets, x: int) -> int:
    """Return the number of columns up to the last position of the lower line; at least 1."""
    z = sheets.prefix(x).astype(np.int64)
    below = np.flatnonzero(np.arange(len(z)) + z < z[0])
    return int(below[-1]) + 1 if len(below) else 1
