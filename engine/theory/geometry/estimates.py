"""Chances where nothing was computed: of openings, and of the P-position of any column.

P-positions lie within a few units of their lines. How far depends on *phases*: the fractional part
of the place that the line predicts, and those of z / sqrt 2 and of a / sqrt 2, a = x + y + z, since
the z of tails and the diagonal values are barred. All of them follow from the phase of the place,
that of the sheet and the parity of x + y. So counts of whole distances by phase, taken from sheets
that are known, serve as chances for all larger ones. They say nothing for certain, and must never
be mixed with exact answers. `engine.theory.geometry.scores` judges them.
"""

from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.geometry import places
from position_oracle.engine.theory.geometry.openings import BY_ROW_3, BY_ROWS_2_AND_3, Sequence
from position_oracle.engine.theory.geometry.places import Places
from position_oracle.engine.theory.geometry.scores import Score, score
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.schema.sheets import NO_Z, LoserSheets

__all__ = ["CANDIDATES", "ColumnEstimates", "OpeningEstimates"]

Counts = NDArray[np.int64]
Chances = NDArray[np.float64]

CANDIDATES: Final = tuple(
    (kind, offset) for kind in (BY_ROWS_2_AND_3, BY_ROW_3) for offset in (-1, 0, 1)
)
"""The six openings: kind, and place minus the floor of the predicted one."""

_PHASES: Final = 128
_SMOOTHING: Final = 1.5
_PRIOR: Final = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class OpeningEstimates:
    """Chances of the six candidate openings by phase, frac(n / sqrt 2).

    Both predicted places, n / sqrt 2 and (2 - sqrt 2) n, have fractional parts that this phase
    determines.

    Attributes:
        counts: int64, shape (phases, 6), in the order of `CANDIDATES`: how often each was seen.
        chances: float64, of the same shape; rows have the sum 1.
    """

    counts: Counts
    chances: Chances

    @classmethod
    def of_counts(cls, counts: Counts) -> Self:
        """Chances from counts of known openings."""
        smooth = _smoothed(counts.astype(np.float64), _SMOOTHING) + _PRIOR / len(CANDIDATES)
        return cls(counts, smooth / smooth.sum(axis=1, keepdims=True))

    @classmethod
    def train(cls, openings: Sequence) -> Self:
        """From known openings; a few thousand at least."""
        place = _candidate_of(openings)
        known = place >= 0
        counts = np.zeros((_PHASES, len(CANDIDATES)), np.int64)
        np.add.at(counts, (_opening_phase(openings.n)[known], place[known]), 1)
        return cls.of_counts(counts)

    def of(self, n: NDArray[np.int64]) -> Chances:
        """The chances of the candidates; float64, shape (len(n), 6)."""
        found: Chances = self.chances[_opening_phase(n)]
        return found

    def candidates(self, n: int) -> list[tuple[int, int, float]]:
        """Kind, place j and chance of each candidate for one n, likeliest first.

        The bite leaves rows (n, n, j) if the kind is `BY_ROW_3`, else (n, j, j).
        """
        asked = np.array([n])
        floors = {
            BY_ROW_3: int(places.sheet(asked).whole[0]),
            BY_ROWS_2_AND_3: int(places.tail(asked).whole[0]),
        }
        found = [
            (kind, floors[kind] + offset, chance)
            for (kind, offset), chance in zip(CANDIDATES, self.of(asked)[0].tolist(), strict=True)
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

    def without_phases(self) -> Self:
        """The same candidates with one chance each, whatever the phase: the base rate."""
        return type(self).of_counts(_alike(self.counts, 0))


def _candidate_of(openings: Sequence) -> NDArray[np.int64]:
    """The number of each opening among `CANDIDATES`, -1 if it is none of them."""
    offset = openings.candidate
    place = 1 + offset + 3 * (openings.kind == BY_ROW_3)
    return np.where(np.abs(offset) <= 1, place, -1).astype(np.int64)


def _opening_phase(n: NDArray[np.int64]) -> NDArray[np.int64]:
    return (places.sheet(n).phase * _PHASES).astype(np.int64)


def _smoothed(counts: Chances, width: float) -> Chances:
    """Counts by phase, each spread over its neighbours in the same half.

    At phases 0 and 1/2 one of the predicted places passes a whole number, and chances jump.
    """
    phase = np.arange(len(counts))
    half = 2 * phase // len(counts)
    kernel = np.exp(-0.5 * ((phase[:, None] - phase) / width) ** 2)
    kernel *= half[:, None] == half
    smooth: Chances = kernel @ counts / kernel.sum(axis=1, keepdims=True)
    return smooth


_REACH: Final = 24
"""Whole distances from a line that have a chance of their own, either way."""
_OFFSETS: Final = 2 * _REACH + 1
_DECAY: Final = 10 ** (-1 / 2.86)
"""Beyond, chances fall by this factor from z to z: as they do below the lower line."""
_PLACE_PHASES: Final = 16
_SHEET_PHASES: Final = 16
_LINE_PHASES: Final = 2 * _PLACE_PHASES * _SHEET_PHASES
_END_PHASES: Final = 64
_REGIONS: Final = 3
"""Parts of the lines, from y = 0 to their end, that are counted apart."""
_BACKING: Final = 20.0
"""How many positions the counts of all phases of the sheet are worth in each of them."""
_END: Final = 48
"""Columns on either side of the predicted end of the lines that are counted one by one."""
_PERIODS: Final = 216
"""Each tail counts so much: a multiple of its period, with few exceptions."""

ON_LINES, IN_TAIL, ENDED = range(3)
UPPER, LOWER = range(2)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCounts:
    """What was seen in known sheets, as whole numbers.

    Attributes:
        diagonal: int64, shape (phases, offsets): of d at y = 0.
        lines: int64, shape (2, regions, phases, offsets): of z on the upper and the lower line.
        tail: int64, shape (phases, offsets): of z in a tail.
        state: int64, shape (phases, 2 end + 1, 3): whether a column so far from the predicted end
            of the lines is still on them, in a tail, or empty because the sheet has stopped. Which
            sheets have tails depends on the phase of that end, too.
    """

    diagonal: Counts
    lines: Counts
    tail: Counts
    state: Counts

    @classmethod
    def none(cls) -> Self:
        """Nothing seen yet."""
        return cls(
            np.zeros((_END_PHASES, _OFFSETS), np.int64),
            np.zeros((2, _REGIONS, _LINE_PHASES, _OFFSETS), np.int64),
            np.zeros((_END_PHASES, _OFFSETS), np.int64),
            np.zeros((_END_PHASES, 2 * _END + 1, 3), np.int64),
        )

    def see(self, sheets: LoserSheets, x: int) -> None:
        """Count the columns of a sheet."""
        z, end = sheets.prefix(x).astype(np.int64), _line_length(sheets, x)
        tail, here = sheets.tail(x).astype(np.int64), np.array([x])
        y = np.arange(1, end)
        is_upper = y + z[1:end] > z[0]
        _count(self.diagonal, _END_PHASES, places.sheet(here), z[:1])
        for line, which in ((UPPER, is_upper), (LOWER, ~is_upper)):
            on = y[which]
            place = _place(here, on, line)
            cell = _region(here, on) * _LINE_PHASES + _line_phase(here, on, place)
            cell = cell * _OFFSETS + _offset(place, z[on])
            np.add.at(self.lines[line].reshape(-1), cell, 1)
        ends = places.line_end(here)
        near = ends.whole[0] + np.arange(-_END, _END + 1)
        state = np.where(near < end, ON_LINES, IN_TAIL if tail.size else ENDED)
        phase = int(ends.phase[0] * _END_PHASES)
        self.state[phase, np.arange(2 * _END + 1), state] += 1
        if tail.size and _PERIODS % tail.size == 0:
            _count(self.tail, _END_PHASES, places.tail(here), tail, _PERIODS // tail.size)

    def arrays(self) -> dict[str, Counts]:
        """The counts by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, eq=False)
class ColumnEstimates:
    """Chances of the z of the P-position in any column [x, y] of plain three-row Chomp.

    Attributes:
        counts: what they come from.
        diagonal, lines, tail, state: float64, of the shapes in `ColumnCounts`; they add up to 1
            along the last axis.
        upper_share: float64, shape (regions,): of the upper line.
    """

    counts: ColumnCounts
    diagonal: Chances
    lines: Chances
    tail: Chances
    state: Chances
    upper_share: Chances

    @classmethod
    def of_counts(cls, counts: ColumnCounts) -> Self:
        """Chances from what was counted."""
        on = counts.lines.sum(axis=(2, 3))
        return cls(
            counts,
            diagonal=_normal(counts.diagonal),
            lines=_normal_lines(counts.lines),
            tail=_normal(counts.tail / _PERIODS),
            state=_normal(counts.state),
            upper_share=(on[UPPER] + 1) / (on.sum(axis=0) + 2),
        )

    @classmethod
    def train(cls, sheets: LoserSheets, first_x: int, last_x: int, step: int = 1) -> Self:
        """From every `step`-th sheet from first_x to last_x."""
        counts = ColumnCounts.none()
        for x in range(first_x, last_x + 1, step):
            counts.see(sheets, x)
        return cls.of_counts(counts)

    def without_phases(self) -> Self:
        """The same distances with one chance each, whatever the phases: the base rate."""
        counts = self.counts
        return type(self).of_counts(
            ColumnCounts(
                _alike(counts.diagonal, 0),
                _alike(counts.lines, 2),
                _alike(counts.tail, 0),
                _alike(counts.state, 0),
            )
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
        found_z, found_chances = [], []
        for place, chances, weight in self._lines(x, y):
            z = place.whole[:, None] + away
            found_z.append(z)
            found_chances.append(np.where(z < 0, 0.0, weight[:, None] * chances))
        found_z.append(np.full((len(x), 1), NO_Z))
        found_chances.append(np.where(y == 0, 0.0, self._state(x, y)[:, ENDED])[:, None])
        z, chances = np.hstack(found_z), np.hstack(found_chances)
        total = chances.sum(axis=1, keepdims=True)
        return z, chances / total

    def _state(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> Chances:
        ends = places.line_end(x)
        phase = (ends.phase * _END_PHASES).astype(np.int64)
        found: Chances = self.state[phase, np.clip(y - ends.whole, -_END, _END) + _END]
        return found

    def _lines(
        self, x: NDArray[np.int64], y: NDArray[np.int64]
    ) -> list[tuple[Places, Chances, Chances]]:
        """Place, chances of distances, and chance to be there: upper and lower line, and tail."""
        state, region = self._state(x, y), _region(x, y)
        share, at_start = self.upper_share[region], y == 0
        found = []
        for line, part in ((UPPER, share), (LOWER, 1 - share)):
            place = _place(x, y, line)
            chances = self.lines[line][region, _line_phase(x, y, place)]
            if line == UPPER:
                of_diagonal = self.diagonal[(place.phase * _END_PHASES).astype(np.int64)]
                chances = np.where(at_start[:, None], of_diagonal, chances)
            weight = np.where(at_start, float(line == UPPER), state[:, ON_LINES] * part)
            found.append((place, chances, weight))
        place = places.tail(x)
        chances = self.tail[(place.phase * _END_PHASES).astype(np.int64)]
        found.append((place, chances, np.where(at_start, 0.0, state[:, IN_TAIL])))
        return found

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
        """The chance that [x, y, z] is a P-position; of z farther off than any seen, tiny."""
        total, possible = 0.0, 1.0
        for place, chances, weight in self._lines(np.array([x]), np.array([y])):
            lowest = int(place.whole[0]) - _REACH
            offset = z - lowest
            beyond = max(-offset, offset - _OFFSETS + 1, 0)
            inside = min(max(offset, 0), _OFFSETS - 1)
            total += float(weight[0] * chances[0, inside]) * _DECAY**beyond
            possible -= float(weight[0] * chances[0, : max(-lowest, 0)].sum())
        return total / possible

    def chances(self, x: Counts, y: Counts, z: Counts) -> Chances:
        """The same of many positions, which are not far from their lines; shape (n,)."""
        candidates, chances = self.of(x, y)
        found: Chances = np.where(candidates == z[:, None], chances, 0.0).sum(axis=1)
        return found

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


def _place(x: NDArray[np.int64], y: NDArray[np.int64], line: int) -> Places:
    return places.upper_line(x, y) if line == UPPER else places.lower_line(x, y)


def _line_phase(x: NDArray[np.int64], y: NDArray[np.int64], place: Places) -> NDArray[np.int64]:
    """The phase of the place on a line, that of the sheet, and the parity of x + y, as one number.

    Together they determine the phases of z and of the row a = x + y + z near the line: alpha^2 is
    1/2. These matter, because the z of tails and diagonal values are barred.
    """
    on_line = (place.phase * _PLACE_PHASES).astype(np.int64)
    of_sheet = (places.sheet(x).phase * _SHEET_PHASES).astype(np.int64)
    phase: NDArray[np.int64] = ((x + y) % 2 * _PLACE_PHASES + on_line) * _SHEET_PHASES + of_sheet
    return phase


def _offset(place: Places, z: NDArray[np.int64]) -> NDArray[np.int64]:
    offset: NDArray[np.int64] = np.clip(z - place.whole, -_REACH, _REACH) + _REACH
    return offset


def _count(
    counts: Counts, phases: int, place: Places, z: NDArray[np.int64], times: int = 1
) -> None:
    """Count the z of one place by its phase."""
    np.add.at(counts[int(place.phase[0] * phases)], _offset(place, z), times)


def _region(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    part = y / (closed_form().line_end * np.maximum(x, 1)) * _REGIONS
    return np.minimum(part, _REGIONS - 1).astype(np.int64)


def _alike(counts: Counts, axis: int) -> Counts:
    """Counts with all phases together, the same in each."""
    together: Counts = np.broadcast_to(counts.sum(axis=axis, keepdims=True), counts.shape)
    return together


def _normal_lines(lines: Counts) -> Chances:
    """Counts along lines as chances; where few were seen, by the phase of the place alone."""
    shape = (2, _REGIONS, 2, _PLACE_PHASES, _SHEET_PHASES, _OFFSETS)
    counts = lines.reshape(shape)
    by_place = _normal(counts.sum(axis=(2, 4), keepdims=True))
    return _normal((counts + _BACKING * by_place).reshape(lines.shape))


def _normal(counts: NDArray[Any]) -> Chances:
    """Counts as chances along the last axis, with a little for what was never seen."""
    some = counts + 1e-3
    chances: Chances = some / some.sum(axis=-1, keepdims=True)
    return chances
