"""Quality of the chances of openings and columns, on sheets outside the learned ones."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.query import Answers
from position_oracle.engine.theory.openings import BY_ROW_3, openings
from position_oracle.oracle.families.chomp3 import places
from position_oracle.oracle.families.chomp3.beyond import (
    CANDIDATES,
    Chances,
    ColumnCounts,
    ColumnEstimates,
    Counts,
    OpeningEstimates,
)
from position_oracle.oracle.reproduce.shape.learning import (
    FIRST_OPENING,
    FIRST_SHEET,
    LAST_OPENING,
    LAST_SHEET,
    Learned,
    candidate_of,
)
from position_oracle.oracle.reproduce.shape.scores import (
    CellScore,
    Score,
    reliability,
    score,
    score_cells,
)
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.census import Census
from position_oracle.schema.estimates import Calibration
from position_oracle.schema.sheets import NO_Z

WINDOW: Final = 512
"""Number of consecutive columns that are scored, somewhere on the lines of a sheet."""
END_WINDOW: Final = 128
"""Number of columns that are scored around the end of the lines."""
CELL_REACH: Final = 8
"""Positions up to this distance from the upper line, the lower line and the tail are scored."""
CELL_COLUMNS: Final = 40_000
"""Number of columns whose positions near the lines are all scored."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores of the chances for columns of other sheets.

    Attributes:
        columns: scores for the z in the columns of the windows.
        base: scores of chances without phases.
        bits_error: standard error of the bits, over windows.
        cells: scores for whether a position near its lines is P.
        table: reliability table of `cells`.
    """

    columns: Score
    base: Score
    bits_error: float
    cells: CellScore
    table: list[tuple[float, float, int]]


def judge_moves(estimates: OpeningEstimates, known: Sequence) -> Score:
    """Score the chances of openings outside the learned ones."""
    return score(estimates.of(known.n), candidate_of(known), len(CANDIDATES))


def judge_kinds(estimates: OpeningEstimates, known: Sequence) -> Score:
    """Score the kind of openings alone: rows 2 and 3, or row 3."""
    chances = estimates.of(known.n)
    kinds = np.stack([chances[:, :3].sum(axis=1), chances[:, 3:].sum(axis=1)], axis=1)
    return score(kinds, (known.kind == BY_ROW_3).astype(np.int64), 2)


def judge_z(
    estimates: ColumnEstimates,
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    z: NDArray[np.int64],
) -> Score:
    """Score the chances of columns outside the learned ones; z may be `NO_Z`."""
    candidates, chances = estimates.of(x, y)
    order = np.argsort(candidates, axis=1, kind="stable")
    rows = np.arange(len(x))[:, None]
    candidates, chances = candidates[rows, order], chances[rows, order]
    # Chances of the same z are added up at its first place.
    for column in range(candidates.shape[1] - 1, 0, -1):
        same = candidates[:, column] == candidates[:, column - 1]
        chances[same, column - 1] += chances[same, column]
        chances[same, column] = 0
    is_true = (candidates == z[:, None]) & (chances > 0)
    truth = np.where(is_true.any(axis=1), is_true.argmax(axis=1), -1)
    return score(chances, truth)


def openings_without_phases(estimates: OpeningEstimates) -> OpeningEstimates:
    """Return the candidates with one chance each for all phases: the base rate."""
    return OpeningEstimates.of_counts(_alike(estimates.counts, 0))


def columns_without_phases(estimates: ColumnEstimates) -> ColumnEstimates:
    """Return the distances with one chance each for all phases: the base rate."""
    counts = estimates.counts
    return ColumnEstimates.of_counts(
        ColumnCounts(
            _alike(counts.diagonal, 0),
            _alike(counts.lines, 2),
            _alike(counts.tail, 0),
            _alike(counts.state, 0),
        )
    )


def _alike(counts: Counts, axis: int) -> Counts:
    """Return the counts of all phases together, equal in each phase."""
    together: Counts = np.broadcast_to(counts.sum(axis=axis, keepdims=True), counts.shape)
    return together


def _chances(estimates: ColumnEstimates, x: Counts, y: Counts, z: Counts) -> Chances:
    """Return the chances of many positions that are not far from their lines; shape (n,)."""
    candidates, chances = estimates.of(x, y)
    found: Chances = np.where(candidates == z[:, None], chances, 0.0).sum(axis=1)
    return found


def judge_openings(known: Learned, found: Census) -> tuple[Score, Score, Score]:
    """Score openings with and without phases, and kinds, for n beyond half of a census."""
    all_known = openings(found.diagonal_z, found.prefix_length, found.tail_period)
    first = max(LAST_OPENING, len(found.tail_period) // 2) + 1
    judged = Sequence.of(all_known).between(first, all_known.complete_to)
    base = openings_without_phases(known.openings)
    return (
        judge_moves(known.openings, judged),
        judge_moves(base, judged),
        judge_kinds(known.openings, judged),
    )


def judge_columns(known: Learned, answers: Answers, last_x: int, sheets: int, seed: int) -> Judged:
    """Sweep and score columns of a number of sheets in the upper half of a census.

    Args:
        known: the learned parameters.
        answers: answers of a census to last_x.
        last_x: the last sheet.
        sheets: the number of drawn sheets.
        seed: seed of the random numbers.
    """
    random = np.random.default_rng(seed)
    windows = []
    for x in np.sort(random.integers(last_x // 2 + 1, last_x + 1, sheets)).tolist():
        end = int(places.line_end(np.array([x])).whole[0])
        anywhere = int(random.integers(1, end - WINDOW))
        for first, width in ((anywhere, WINDOW), (end - END_WINDOW // 2, END_WINDOW)):
            z = answers.losers(x, first, width).astype(np.int64)
            z[z < 0] = NO_Z
            windows.append(np.stack([np.full(width, x), np.arange(first, first + width), z]))
    bits = [judge_z(known.columns, *window).bits for window in windows[::2]]
    x, y, z = np.concatenate(windows, axis=1)
    on_lines = np.concatenate(windows[::2], axis=1)
    chances, true = _cells(known.columns, *(part[_some(len(x))] for part in (x, y, z)))
    return Judged(
        columns=judge_z(known.columns, *on_lines),
        base=judge_z(columns_without_phases(known.columns), *on_lines),
        bits_error=float(np.std(bits)) / max(1, sheets - 1) ** 0.5,
        cells=score_cells(chances, true),
        table=reliability(chances, true),
    )


def _some(count: int) -> slice:
    return slice(None, None, max(1, count // CELL_COLUMNS))


def _cells(
    known: ColumnEstimates, x: NDArray[np.int64], y: NDArray[np.int64], z: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return chances of the positions near the lines of some columns, and whether each is P."""
    near = np.arange(-CELL_REACH, CELL_REACH + 1)
    middles = (places.upper_line(x, y), places.lower_line(x, y), places.tail(x))
    asked = np.sort(np.hstack([place.whole[:, None] + near for place in middles]), axis=1)
    new = np.diff(asked, axis=1, prepend=-(1 << 62)) > 0
    column, place = np.nonzero(new & (asked >= 0))
    cell_z = asked[column, place]
    chances = np.concatenate(
        [
            _chances(known, x[part], y[part], cell_z[i])
            for i in np.array_split(np.arange(len(column)), max(1, len(column) // 50_000))
            for part in [column[i]]
        ]
    )
    return chances, cell_z == z[column]


def calibrations(
    move: Score, move_base: Score, judged: Judged, last_x: int
) -> dict[str, Calibration]:
    """Return the calibration of the chances of openings, of columns, and of positions."""
    sheets = f"sheets {FIRST_SHEET} to {LAST_SHEET}"
    beyond = f"columns of sheets {last_x // 2 + 1} to {last_x}"
    return {
        "opening": Calibration(
            learned_from=f"openings of 3 x n, n = {FIRST_OPENING} to {LAST_OPENING}",
            judged_on=f"{move.count} openings of n > {max(LAST_OPENING, (last_x + 1) // 2)}",
            judged=move.count,
            bits=move.bits,
            base_bits=move_base.bits,
            calibration_error=move.calibration,
        ),
        "column": Calibration(
            learned_from=sheets,
            judged_on=f"{judged.columns.count} {beyond}",
            judged=judged.columns.count,
            bits=judged.columns.bits,
            base_bits=judged.base.bits,
            calibration_error=judged.columns.calibration,
        ),
        "position": Calibration(
            learned_from=sheets,
            judged_on=f"{judged.cells.count} positions near the lines, in {beyond}",
            judged=judged.cells.count,
            bits=judged.cells.bits,
            base_bits=judged.cells.base_bits,
            calibration_error=judged.cells.calibration,
        ),
    }
