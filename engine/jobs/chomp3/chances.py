"""How the chances of openings and columns are learned from sheets, and judged on other sheets.

`scripts/learn_chances.py` writes what was learned into the program; docs/geometry.md has the
scores.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.row_sweep import Answers, Census, census
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.geometry import places
from position_oracle.engine.theory.geometry.estimates import ColumnEstimates, OpeningEstimates
from position_oracle.engine.theory.geometry.openings import Sequence
from position_oracle.engine.theory.geometry.scores import CellScore, Score, reliability, score_cells
from position_oracle.engine.theory.openings import openings
from position_oracle.schema.estimates import Calibration
from position_oracle.schema.sheets import NO_Z

__all__ = ["Judged", "Known", "calibrations", "judge_columns", "judge_openings", "learn"]

FIRST_OPENING: Final = 100
LAST_OPENING: Final = 50_000
"""Openings that are learned from."""
FIRST_SHEET: Final = 2_000
LAST_SHEET: Final = 10_000
"""Sheets that are learned from."""

WINDOW: Final = 512
"""Columns that are judged in a row, somewhere on the lines of a sheet."""
END_WINDOW: Final = 128
"""Columns that are judged around the end of the lines."""
CELL_REACH: Final = 8
"""Positions so far from the upper line, the lower line and the tail are judged, either way."""
CELL_COLUMNS: Final = 40_000
"""Columns of which all those positions are judged."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What was learned."""

    openings: OpeningEstimates
    columns: ColumnEstimates

    def arrays(self) -> dict[str, NDArray[np.int64]]:
        """Its counts by name."""
        return {"openings": self.openings.counts, **self.columns.counts.arrays()}


@dataclass(frozen=True, slots=True)
class Judged:
    """How good the chances were for columns of other sheets.

    Attributes:
        columns: which z, in the columns of the windows.
        base: the same of chances without phases.
        bits_error: standard error of the bits, from window to window.
        cells: whether a position near its lines is P.
        table: reliability table of that.
    """

    columns: Score
    base: Score
    bits_error: float
    cells: CellScore
    table: list[tuple[float, float, int]]


def learn() -> Known:
    """Sweep and solve what is learned from; a few seconds."""
    found = census(int(LAST_OPENING / 2**0.5) + 100)
    sequence = Sequence.of(openings(found.diagonal_z, found.prefix_length, found.period))
    sheets = solve_game(parse_game("chomp3"), LAST_SHEET + 1)
    return Known(
        OpeningEstimates.train(sequence.between(FIRST_OPENING, LAST_OPENING)),
        ColumnEstimates.train(sheets, FIRST_SHEET, LAST_SHEET),
    )


def judge_openings(known: Known, found: Census) -> tuple[Score, Score, Score]:
    """The move, the same without phases, and the kind, for n beyond half of a census."""
    all_known = openings(found.diagonal_z, found.prefix_length, found.period)
    first = max(LAST_OPENING, len(found.period) // 2) + 1
    judged = Sequence.of(all_known).between(first, all_known.complete_to)
    base = known.openings.without_phases()
    return known.openings.judge(judged), base.judge(judged), known.openings.judge_kinds(judged)


def judge_columns(known: Known, answers: Answers, last_x: int, sheets: int, seed: int) -> Judged:
    """Columns of so many sheets of the upper half of a census, which are swept.

    Args:
        known: what was learned.
        answers: of a census to last_x.
        last_x: the last sheet.
        sheets: how many are drawn.
        seed: fixes the draws.
    """
    random = np.random.default_rng(seed)
    flag = np.zeros(1, np.int64)
    windows = []
    for x in np.sort(random.integers(last_x // 2 + 1, last_x + 1, sheets)).tolist():
        end = int(places.line_end(np.array([x])).whole[0])
        anywhere = int(random.integers(1, end - WINDOW))
        for first, width in ((anywhere, WINDOW), (end - END_WINDOW // 2, END_WINDOW)):
            z = answers.losers(x, first, width, flag).z.astype(np.int64)
            z[z < 0] = NO_Z
            windows.append(np.stack([np.full(width, x), np.arange(first, first + width), z]))
    bits = [known.columns.judge(*window).bits for window in windows[::2]]
    x, y, z = np.concatenate(windows, axis=1)
    on_lines = np.concatenate(windows[::2], axis=1)
    chances, true = _cells(known.columns, *(part[_some(len(x))] for part in (x, y, z)))
    return Judged(
        columns=known.columns.judge(*on_lines),
        base=known.columns.without_phases().judge(*on_lines),
        bits_error=float(np.std(bits)) / max(1, sheets - 1) ** 0.5,
        cells=score_cells(chances, true),
        table=reliability(chances, true),
    )


def _some(count: int) -> slice:
    return slice(None, None, max(1, count // CELL_COLUMNS))


def _cells(
    known: ColumnEstimates, x: NDArray[np.int64], y: NDArray[np.int64], z: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Chances of the positions near the lines of some columns, and whether each is P."""
    near = np.arange(-CELL_REACH, CELL_REACH + 1)
    middles = (places.upper_line(x, y), places.lower_line(x, y), places.tail(x))
    asked = np.sort(np.hstack([place.whole[:, None] + near for place in middles]), axis=1)
    new = np.diff(asked, axis=1, prepend=-(1 << 62)) > 0
    column, place = np.nonzero(new & (asked >= 0))
    cell_z = asked[column, place]
    chances = np.concatenate(
        [
            known.chances(x[part], y[part], cell_z[i])
            for i in np.array_split(np.arange(len(column)), max(1, len(column) // 50_000))
            for part in [column[i]]
        ]
    )
    return chances, cell_z == z[column]


def calibrations(
    move: Score, move_base: Score, judged: Judged, last_x: int
) -> dict[str, Calibration]:
    """What is said beside the chances: of openings, of columns, and of positions."""
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
