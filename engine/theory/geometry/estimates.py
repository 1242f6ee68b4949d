"""Chances where nothing was computed: of openings, and of the P-position of any column.

P-positions lie within a few units of their lines. How far depends on *phases*: the fractional part
of the place that the line predicts, and those of z / sqrt 2 and of a / sqrt 2, a = x + y + z, since
the z of tails and the diagonal values are barred. All of them follow from the phase of the place,
that of the sheet and the parity of x + y. So counts of whole distances by phase, taken from sheets
that are known, serve as chances for all larger ones. They say nothing for certain, and must never
be mixed with exact answers.

How good chances are is measured on openings or columns other than those they were counted from:

    bits          mean of -log2 of the chance given to what is true
    calibration   mean difference between a chance of 1 % or more and how often it comes true, over
                  ten equal parts of 0 to 1 weighted by how many there are (expected calibration
                  error)
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from engine.theory.geometry.openings import BY_ROW_3, BY_ROWS_2_AND_3, PLACE, Sequence
from engine.theory.renormalization import closed_form
from schema.sheets import NO_Z, LoserSheets

__all__ = [
    "CANDIDATES",
    "ColumnEstimates",
    "OpeningEstimates",
    "Score",
    "calibration_error",
    "reliability",
    "score",
]

CANDIDATES: Final = tuple(
    (kind, offset) for kind in (BY_ROWS_2_AND_3, BY_ROW_3) for offset in (-1, 0, 1)
)
"""The six openings: kind, and place minus the floor of the predicted one."""

ROOT: Final = 2**0.5
_PHASES: Final = 128
_SMOOTHING: Final = 1.5
_PRIOR: Final = 0.1


@dataclass(frozen=True, slots=True)
class Score:
    """How good chances were for things that are known.

    Attributes:
        count: how many things were judged.
        bits: mean of -log2 of the chance of what was true.
        first: share of the things where the likeliest candidate was right.
        best: the same of the first two, three, ... candidates, from one on.
        calibration: expected calibration error.
    """

    count: int
    bits: float
    best: tuple[float, ...]
    calibration: float

    @property
    def first(self) -> float:
        """Share of the things where the likeliest candidate was right."""
        return self.best[0]


def reliability(
    chances: NDArray[np.float64], true: NDArray[np.bool_], parts: int = 10
) -> list[tuple[float, float, int]]:
    """A reliability table: mean chance, share that came true and number, by equal parts of 0..1.

    Args:
        chances: of each candidate of each thing; any shape.
        true: whether it was the true one; of the same shape.
        parts: into how many parts 0..1 is divided; empty ones are left out.
    """
    part = np.minimum((chances * parts).astype(np.int64), parts - 1).ravel()
    count = np.bincount(part, minlength=parts)
    chance = np.bincount(part, chances.ravel(), parts)
    came_true = np.bincount(part, true.ravel().astype(np.float64), parts)
    return [
        (float(chance[i] / count[i]), float(came_true[i] / count[i]), int(count[i]))
        for i in np.flatnonzero(count).tolist()
    ]


def calibration_error(chances: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """Expected calibration error, over candidates with a chance of one percent or more."""
    some = chances >= 0.01
    rows = reliability(chances[some], true[some])
    total = sum(count for _, _, count in rows)
    return sum(abs(chance - share) * count for chance, share, count in rows) / max(total, 1)


def score(chances: NDArray[np.float64], truth: NDArray[np.int64], best: int = 8) -> Score:
    """How good chances were.

    Args:
        chances: float64, shape (things, candidates).
        truth: int64, shape (things,): the candidate that was true; -1 for none of them, which
            costs as much as a chance of a millionth.
        best: up to how many candidates are counted in `Score.best`.
    """
    inside = truth >= 0
    of_truth = np.full(len(truth), 1e-6)
    of_truth[inside] = np.maximum(chances[inside, truth[inside]], 1e-6)
    before = (chances > of_truth[:, None]).sum(axis=1)
    came_true = np.zeros(chances.shape, bool)
    came_true[inside, truth[inside]] = True
    return Score(
        count=len(truth),
        bits=float(-np.log2(of_truth).mean()),
        best=tuple(float(np.mean(inside & (before < k))) for k in range(1, best + 1)),
        calibration=calibration_error(chances, came_true),
    )


@dataclass(frozen=True, slots=True, eq=False)
class OpeningEstimates:
    """Chances of the six candidate openings by phase, frac(n / sqrt 2).

    Both predicted places, n / sqrt 2 and (2 - sqrt 2) n, have fractional parts that this phase
    determines.

    Attributes:
        chances: float64, shape (phases, 6), in the order of `CANDIDATES`; rows have the sum 1.
    """

    chances: NDArray[np.float64]

    @classmethod
    def train(cls, openings: Sequence) -> Self:
        """From known openings; a few thousand at least."""
        place = _candidate_of(openings)
        known = place >= 0
        phase = _opening_phase(openings.n, _PHASES)
        counts = np.zeros((_PHASES, len(CANDIDATES)))
        np.add.at(counts, (phase[known], place[known]), 1)
        smooth = _smoothed(counts, _SMOOTHING) + _PRIOR / len(CANDIDATES)
        return cls(smooth / smooth.sum(axis=1, keepdims=True))

    def of(self, n: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chances of the candidates; float64, shape (len(n), 6)."""
        found: NDArray[np.float64] = self.chances[_opening_phase(n, len(self.chances))]
        return found

    def candidates(self, n: int) -> list[tuple[int, int, float]]:
        """Kind, place j and chance of each candidate for one n, likeliest first.

        The bite leaves rows (n, n, j) if the kind is `BY_ROW_3`, else (n, j, j).
        """
        chances = self.of(np.array([n]))[0].tolist()
        found = [
            (kind, int(np.floor(PLACE[kind] * n)) + offset, chance)
            for (kind, offset), chance in zip(CANDIDATES, chances, strict=True)
        ]
        return sorted(found, key=lambda one: -one[2])

    def judge(self, openings: Sequence) -> Score:
        """How good the chances are for openings that were not learned from."""
        return score(self.of(openings.n), _candidate_of(openings), len(CANDIDATES))

    def judge_kinds(self, openings: Sequence) -> Score:
        """The same for the kind alone: rows 2 and 3, or row 3."""
        chances = self.of(openings.n)
        kinds = np.stack([chances[:, :3].sum(axis=1), chances[:, 3:].sum(axis=1)], axis=1)
        return score(kinds, (openings.kind == BY_ROW_3).astype(np.int64), 2)


def _candidate_of(openings: Sequence) -> NDArray[np.int64]:
    """The number of each opening among `CANDIDATES`, -1 if it is none of them."""
    offset = openings.candidate
    place = 1 + offset + 3 * (openings.kind == BY_ROW_3)
    return np.where(np.abs(offset) <= 1, place, -1).astype(np.int64)


def _opening_phase(n: NDArray[np.int64], phases: int) -> NDArray[np.int64]:
    return (n / ROOT % 1 * phases).astype(np.int64)


def _smoothed(counts: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Counts by phase, each spread over its neighbours in the same half.

    At phases 0 and 1/2 one of the predicted places passes a whole number, and chances jump.
    """
    phase = np.arange(len(counts))
    half = 2 * phase // len(counts)
    kernel = np.exp(-0.5 * ((phase[:, None] - phase) / width) ** 2)
    kernel *= half[:, None] == half
    smooth: NDArray[np.float64] = kernel @ counts / kernel.sum(axis=1, keepdims=True)
    return smooth


_REACH: Final = 24
"""Whole distances from a line that have a chance of their own, either way."""
_COLUMN_PHASES: Final = 16
_PLACE_PHASES: Final = 16
_SHEET_PHASES: Final = 16
_LINE_PHASES: Final = 2 * _PLACE_PHASES * _SHEET_PHASES
_REGIONS: Final = 3
_BACKING: Final = 20.0
"""How many positions the counts of all phases of the sheet are worth in each of them."""
"""Parts of the lines, from y = 0 to their end, that are counted apart."""
_END: Final = 48
"""Columns on either side of the predicted end of the lines that are counted one by one."""
_OFFSETS: Final = 2 * _REACH + 1

ON_LINES, IN_TAIL, ENDED = range(3)
UPPER, LOWER = range(2)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnEstimates:
    """Chances of the z of the P-position in any column [x, y] of plain three-row Chomp.

    Attributes:
        diagonal: float64, shape (phases, offsets): of d at y = 0.
        lines: float64, shape (2, regions, phases, offsets): of z on the upper and the lower line.
        upper_share: float64, shape (regions,): of the upper line.
        tail: float64, shape (phases, offsets): of z in a tail.
        state: float64, shape (2 end + 1, 3): whether a column so far from the predicted end of the
            lines is still on them, in a tail, or empty because the sheet has stopped.
    """

    diagonal: NDArray[np.float64]
    lines: NDArray[np.float64]
    upper_share: NDArray[np.float64]
    tail: NDArray[np.float64]
    state: NDArray[np.float64]

    @classmethod
    def train(cls, sheets: LoserSheets, first_x: int, last_x: int, step: int = 1) -> Self:
        """From every `step`-th sheet from first_x to last_x."""
        diagonal = np.zeros((_COLUMN_PHASES, _OFFSETS))
        tail = np.zeros_like(diagonal)
        lines = np.zeros((2, _REGIONS, _LINE_PHASES, _OFFSETS))
        state = np.zeros((2 * _END + 1, 3))
        for x in range(first_x, last_x + 1, step):
            z, end = sheets.prefix(x).astype(np.int64), _line_length(sheets, x)
            y = np.arange(1, end)
            is_upper = y + z[1:end] > z[0]
            np.add.at(diagonal, _cell(_place(x, np.zeros(1, np.int64), UPPER), z[:1]), 1)
            for line, which in ((UPPER, is_upper), (LOWER, ~is_upper)):
                on = y[which]
                _, offset = _cell(_place(x, on, line), z[on])
                cell = _region(x, on) * _LINE_PHASES + _line_phase(x, on, line)
                counted = np.bincount(cell * _OFFSETS + offset, minlength=lines[line].size)
                lines[line] += counted.reshape(lines[line].shape)
            near = _near_end(x)
            what = np.where(near < end, ON_LINES, ENDED if sheets.tail(x).size == 0 else IN_TAIL)
            state[np.arange(2 * _END + 1), what] += 1
            if sheets.tail(x).size:
                phase, offset = _cell(_tail_place(np.full(1, x)), sheets.tail(x).astype(np.int64))
                np.add.at(tail, (np.broadcast_to(phase, offset.shape), offset), 1 / len(offset))
        counts = lines.sum(axis=(2, 3))
        return cls(
            diagonal=_normal(diagonal),
            lines=_normal_lines(lines),
            upper_share=(counts[UPPER] + 1) / (counts.sum(axis=0) + 2),
            tail=_normal(tail),
            state=_normal(state),
        )

    def of(
        self, x: NDArray[np.int64], y: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Candidates for the z of many columns, and their chances.

        Args:
            x: int64, shape (n,); large, since small sheets differ.
            y: int64, shape (n,).

        Returns:
            z, int64, and chances, float64, both of shape (n, candidates). A z may stand there
            several times, then with chances that add up; `NO_Z` stands for an empty column.
        """
        away = np.arange(-_REACH, _REACH + 1)
        state = self.state[np.clip(y - _end_of(x), -_END, _END) + _END]
        region = _region(x, y)
        share = self.upper_share[region]
        weights = (state[:, ON_LINES] * share, state[:, ON_LINES] * (1 - share), state[:, IN_TAIL])
        found_z, found_chances = [], []
        for line, weight in zip((UPPER, LOWER, None), weights, strict=True):
            place = _tail_place(x) if line is None else _place(x, y, line)
            phase = _phase(place)
            if line is None:
                chances = self.tail[phase]
            else:
                chances = self.lines[line][region, _line_phase(x, y, line)]
            if line == UPPER:
                at_start = y == 0
                chances = np.where(at_start[:, None], self.diagonal[phase], chances)
            share_here = np.where(y == 0, float(line == UPPER), weight)
            found_z.append(np.floor(place).astype(np.int64)[:, None] + away)
            found_chances.append(share_here[:, None] * chances)
        found_z.append(np.full((len(x), 1), NO_Z))
        found_chances.append(np.where(y == 0, 0.0, state[:, ENDED])[:, None])
        z, chances = np.hstack(found_z), np.hstack(found_chances)
        chances[(z < 0) & (z != NO_Z)] = 0
        total = chances.sum(axis=1, keepdims=True)
        return z, chances / total

    def ranked(self, x: int, y: int, count: int = 8) -> list[tuple[int | None, float]]:
        """The likeliest z of a column with their chances, likeliest first; None: empty column."""
        z, chances = self.of(np.array([x]), np.array([y]))
        different, place = np.unique(z[0], return_inverse=True)
        together = np.bincount(place, chances[0])
        order = np.argsort(-together, kind="stable")[:count]
        return [
            (None if different[i] == NO_Z else int(different[i]), float(together[i]))
            for i in order.tolist()
        ]

    def chance(self, x: int, y: int, z: int) -> float:
        """The chance that [x, y, z] is a P-position."""
        candidates, chances = self.of(np.array([x]), np.array([y]))
        return float(chances[0][candidates[0] == z].sum())

    def judge(self, x: NDArray[np.int64], y: NDArray[np.int64], z: NDArray[np.int64]) -> Score:
        """How good the chances are for columns that were not learned from; z may be `NO_Z`."""
        candidates, chances = self.of(x, y)
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


def _line_length(sheets: LoserSheets, x: int) -> int:
    """Columns up to the last position of the lower line; 1 at least."""
    z = sheets.prefix(x).astype(np.int64)
    below = np.flatnonzero(np.arange(len(z)) + z < z[0])
    return int(below[-1]) + 1 if len(below) else 1


def _place(x: int | NDArray[np.int64], y: NDArray[np.int64], line: int) -> NDArray[np.float64]:
    constants = closed_form()
    slope = constants.slope_upper if line == UPPER else constants.slope_lower
    return np.asarray(constants.alpha * x + slope * y, np.float64)


def _tail_place(x: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(closed_form().tail_height * x, np.float64)


def _phase(place: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.minimum((place % 1 * _COLUMN_PHASES).astype(np.int64), _COLUMN_PHASES - 1)


def _line_phase(x: int | NDArray[np.int64], y: NDArray[np.int64], line: int) -> NDArray[np.int64]:
    """The phase of the place on a line, that of the sheet, and the parity of x + y, as one number.

    Together they determine the phases of z and of the row a = x + y + z near the line: alpha^2 is
    1/2. These matter, because the z of tails and diagonal values are barred.
    """
    place = _place(x, y, line) % 1
    sheet = closed_form().alpha * np.asarray(x) % 1
    parts = (place * _PLACE_PHASES).astype(np.int64), (sheet * _SHEET_PHASES).astype(np.int64)
    phase: NDArray[np.int64] = ((x + y) % 2 * _PLACE_PHASES + parts[0]) * _SHEET_PHASES + parts[1]
    return phase


def _cell(
    place: NDArray[np.float64], z: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    offset = z - np.floor(place).astype(np.int64)
    return _phase(place), np.clip(offset, -_REACH, _REACH) + _REACH


def _region(x: int | NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    part = y / (closed_form().line_end * np.maximum(x, 1)) * _REGIONS
    return np.minimum(part.astype(np.int64), _REGIONS - 1)


def _end_of(x: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.rint(closed_form().line_end * x), np.int64)


def _near_end(x: int) -> NDArray[np.int64]:
    return np.asarray(_end_of(np.array([x])) + np.arange(-_END, _END + 1), np.int64)


def _normal_lines(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Counts along lines as chances; where few were seen, by the phase of the place alone."""
    shape = (2, _REGIONS, 2, _PLACE_PHASES, _SHEET_PHASES, _OFFSETS)
    counts = lines.reshape(shape)
    by_place = _normal(counts.sum(axis=(2, 4), keepdims=True))
    return _normal((counts + _BACKING * by_place).reshape(lines.shape))


def _normal(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Counts as chances along the last axis, with a little for what was never seen."""
    some = counts + 1e-3
    chances: NDArray[np.float64] = some / some.sum(axis=-1, keepdims=True)
    return chances
