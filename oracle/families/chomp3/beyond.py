"""Chances of openings, and of the P-position of any column, beyond all computed sheets.

P-positions lie within a few units of their lines. The distance depends on *phases*: the fractional
parts of the place that the line predicts, of z / sqrt 2 and of a / sqrt 2, a = x + y + z, because
the z of tails and the diagonal values are barred. All three follow from the phase of the place, the
phase of the sheet and the parity of x + y. So counts of integer distances by phase, from known
sheets, serve as chances for all larger sheets. These are estimates, and must never be mixed with
exact answers. `oracle.reproduce.shape.learning` counts them and measures their quality.
"""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.openings import BY_ROW_3, BY_ROWS_2_AND_3
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.families.chomp3 import places
from position_oracle.oracle.families.chomp3.places import Places
from position_oracle.schema.sheets import NO_Z

Counts = NDArray[np.int64]
Chances = NDArray[np.float64]

CANDIDATES: Final = tuple(
    (kind, offset) for kind in (BY_ROWS_2_AND_3, BY_ROW_3) for offset in (-1, 0, 1)
)
"""The six candidate openings: kind, and place minus the floor of the predicted place."""

PHASES: Final = 128
_SMOOTHING: Final = 1.5
_PRIOR: Final = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class OpeningEstimates:
    """Chances of the six candidate openings by phase, frac(n / sqrt 2).

    Both predicted places, n / sqrt 2 and (2 - sqrt 2) n, have fractional parts that this phase
    determines.

    Attributes:
        counts: int64, shape (phases, 6), in the order of `CANDIDATES`: the number of times that
            each was seen.
        chances: float64, of the same shape; rows have the sum 1.
    """

    counts: Counts
    chances: Chances

    @classmethod
    def of_counts(cls, counts: Counts) -> Self:
        """Make chances from counts of known openings."""
        smooth = _smoothed(counts.astype(np.float64), _SMOOTHING) + _PRIOR / len(CANDIDATES)
        return cls(counts, smooth / smooth.sum(axis=1, keepdims=True))

    def of(self, n: NDArray[np.int64]) -> Chances:
        """Return the chances of the candidates; float64, shape (len(n), 6)."""
        found: Chances = self.chances[opening_phase(n)]
        return found

    def candidates(self, n: int) -> list[tuple[int, int, float]]:
        """Return kind, place j and chance of each candidate for one n, the likeliest first.

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


def opening_phase(n: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the phase frac(n / sqrt 2) of an opening, as a whole number below `PHASES`."""
    return (places.sheet(n).phase * PHASES).astype(np.int64)


def _smoothed(counts: Chances, width: float) -> Chances:
    """Return counts by phase, each spread over its neighbours in the same half.

    At phases 0 and 1/2 one of the predicted places passes a whole number, and chances jump.
    """
    phase = np.arange(len(counts))
    half = 2 * phase // len(counts)
    kernel = np.exp(-0.5 * ((phase[:, None] - phase) / width) ** 2)
    kernel *= half[:, None] == half
    smooth: Chances = kernel @ counts / kernel.sum(axis=1, keepdims=True)
    return smooth


REACH: Final = 24
"""Maximum distance from a line, in either direction, that has a chance of its own."""
OFFSETS: Final = 2 * REACH + 1
_DECAY: Final = 10 ** (-1 / 2.86)
"""Ratio of the chances at consecutive z beyond `REACH`, as measured below the lower line."""
_PLACE_PHASES: Final = 16
_SHEET_PHASES: Final = 16
LINE_PHASES: Final = 2 * _PLACE_PHASES * _SHEET_PHASES
END_PHASES: Final = 64
REGIONS: Final = 3
"""Number of parts of the lines, from y = 0 to their end, with separate counts."""
_BACKING: Final = 20.0
"""Weight, in positions, of the counts of all phases of the sheet in each part."""
END: Final = 48
"""Number of columns on either side of the predicted end of the lines that are counted one by
one."""
PERIODS: Final = 216
"""Total weight of each tail; nearly every period divides it."""

ON_LINES, IN_TAIL, ENDED = range(3)
UPPER, LOWER = range(2)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCounts:
    """Counts in known sheets, as whole numbers.

    Attributes:
        diagonal: int64, shape (phases, offsets): counts of d at y = 0.
        lines: int64, shape (2, regions, phases, offsets): counts of z on the upper and the lower
            line.
        tail: int64, shape (phases, offsets): counts of z in a tail.
        state: int64, shape (phases, 2 end + 1, 3): counts of columns that, at this distance from
            the predicted end of the lines, are still on the lines, in a tail, or empty because the
            sheet has stopped. The phase of that end also affects which sheets have tails.
    """

    diagonal: Counts
    lines: Counts
    tail: Counts
    state: Counts


@dataclass(frozen=True, slots=True, eq=False)
class ColumnEstimates:
    """Chances of the z of the P-position in any column [x, y] of plain three-row Chomp.

    Attributes:
        counts: the counts behind the chances.
        diagonal, lines, tail, state: float64, of the shapes in `ColumnCounts`; sums along the last
            axis are 1.
        upper_share: float64, shape (regions,): the share of the upper line.
    """

    counts: ColumnCounts
    diagonal: Chances
    lines: Chances
    tail: Chances
    state: Chances
    upper_share: Chances

    @classmethod
    def of_counts(cls, counts: ColumnCounts) -> Self:
        """Make chances from counts."""
        on = counts.lines.sum(axis=(2, 3))
        return cls(
            counts,
            diagonal=_normal(counts.diagonal),
            lines=_normal_lines(counts.lines),
            tail=_normal(counts.tail / PERIODS),
            state=_normal(counts.state),
            upper_share=(on[UPPER] + 1) / (on.sum(axis=0) + 2),
        )

    def of(
        self, x: NDArray[np.int64], y: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return candidates for the z of many columns, and their chances.

        Args:
            x: int64, shape (n,); large, since small sheets differ.
            y: int64, shape (n,).

        Returns:
            z, int64, and chances, float64, both of shape (n, candidates). A z may occur several
            times; then its chances add up; `NO_Z` stands for an empty column.
        """
        away = np.arange(-REACH, REACH + 1)
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
        phase = (ends.phase * END_PHASES).astype(np.int64)
        found: Chances = self.state[phase, np.clip(y - ends.whole, -END, END) + END]
        return found

    def _lines(
        self, x: NDArray[np.int64], y: NDArray[np.int64]
    ) -> list[tuple[Places, Chances, Chances]]:
        """Return place, chances of distances, and probability of each line: upper, lower, tail."""
        state, part_of_lines = self._state(x, y), region(x, y)
        share, at_start = self.upper_share[part_of_lines], y == 0
        found = []
        for line, part in ((UPPER, share), (LOWER, 1 - share)):
            place = place_on_line(x, y, line)
            chances = self.lines[line][part_of_lines, line_phase(x, y, place)]
            if line == UPPER:
                of_diagonal = self.diagonal[(place.phase * END_PHASES).astype(np.int64)]
                chances = np.where(at_start[:, None], of_diagonal, chances)
            weight = np.where(at_start, float(line == UPPER), state[:, ON_LINES] * part)
            found.append((place, chances, weight))
        place = places.tail(x)
        chances = self.tail[(place.phase * END_PHASES).astype(np.int64)]
        found.append((place, chances, np.where(at_start, 0.0, state[:, IN_TAIL])))
        return found

    def ranked(self, x: int, y: int, count: int = 8) -> list[tuple[int | None, float]]:
        """Return the likeliest z of a column with their chances, the likeliest first."""
        z, chances = self.of(np.array([x]), np.array([y]))
        different, place = np.unique(z[0], return_inverse=True)
        together = np.bincount(place, chances[0])
        order = np.argsort(-together, kind="stable")[:count]
        return [
            (None if different[i] == NO_Z else int(different[i]), float(together[i]))
            for i in order.tolist()
        ]

    def chance(self, x: int, y: int, z: int) -> float:
        """Return the chance that [x, y, z] is a P-position; tiny for unseen distances."""
        total, possible = 0.0, 1.0
        for place, chances, weight in self._lines(np.array([x]), np.array([y])):
            lowest = int(place.whole[0]) - REACH
            offset = z - lowest
            beyond = max(-offset, offset - OFFSETS + 1, 0)
            inside = min(max(offset, 0), OFFSETS - 1)
            total += float(weight[0] * chances[0, inside]) * _DECAY**beyond
            possible -= float(weight[0] * chances[0, : max(-lowest, 0)].sum())
        return total / possible


def place_on_line(x: NDArray[np.int64], y: NDArray[np.int64], line: int) -> Places:
    """Return the predicted z of the upper or the lower line."""
    return places.upper_line(x, y) if line == UPPER else places.lower_line(x, y)


def line_phase(x: NDArray[np.int64], y: NDArray[np.int64], place: Places) -> NDArray[np.int64]:
    """Return the phases of the place and of the sheet, and the parity of x + y, as one number.

    Together they determine the phases of z and of the row a = x + y + z near the line: alpha^2 is
    1/2. These matter, because the z of tails and diagonal values are barred.
    """
    on_line = (place.phase * _PLACE_PHASES).astype(np.int64)
    of_sheet = (places.sheet(x).phase * _SHEET_PHASES).astype(np.int64)
    phase: NDArray[np.int64] = ((x + y) % 2 * _PLACE_PHASES + on_line) * _SHEET_PHASES + of_sheet
    return phase


def region(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the part of the lines, 0 to `REGIONS` - 1, with a column."""
    part = y / (closed_form().line_end * np.maximum(x, 1)) * REGIONS
    return np.minimum(part, REGIONS - 1).astype(np.int64)


def _normal_lines(lines: Counts) -> Chances:
    """Return counts along lines as chances; few counts are replaced by those of the phase alone."""
    shape = (2, REGIONS, 2, _PLACE_PHASES, _SHEET_PHASES, OFFSETS)
    counts = lines.reshape(shape)
    by_place = _normal(counts.sum(axis=(2, 4), keepdims=True))
    return _normal((counts + _BACKING * by_place).reshape(lines.shape))


def _normal(counts: NDArray[Any]) -> Chances:
    """Return counts as chances along the last axis, with a small chance for unseen values."""
    some = counts + 1e-3
    chances: Chances = some / some.sum(axis=-1, keepdims=True)
    return chances
