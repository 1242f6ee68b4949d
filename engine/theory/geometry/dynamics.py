"""Effects of a rule change on larger sheets: sensitivity, survival, universality.

Friedman and Landsberg (2007, section V B, Fig. 8) declare one P-position of sheet x0 to be N and
observe which P-positions of larger x change; Morrison, Friedman and Landsberg (Games with a pass,
section 6.2, Figs. 12 and 13) do it for Nim and for games with a pass.

In three-row Chomp the change either heals, so that all later sheets are unchanged, or it grows
linearly in x / x0 until the games have no more in common than two independent games. Declaring an
N-position N changes nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.sheets import NO_Z, LoserSheets

INDEPENDENT: Final = 0.716
"""Fraction of P-positions that differ between two independent games."""

SHIFTS: Final = 4
"""Maximum shift, in either direction, that is searched."""

BOXES: Final = 16
"""Number of boxes along each side in which the density of a sheet is compared."""


class Fate(StrEnum):
    """The fate of a rule change, as far as sheets were computed."""

    INERT = "inert"
    HEALED = "healed"
    SHIFTED = "shifted"
    CLOSED = "closed"
    INDEPENDENT = "independent"
    SPREADING = "spreading"


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """The effect of a rule change on the sheets of a game.

    Attributes:
        fate: `INERT`: no sheet differs. `HEALED`: some differ, and from `sheet` on none. `SHIFTED`:
            from `sheet` on, sheet x + `shift` equals sheet x of the original game. `CLOSED`: there
            is no P-position beyond `sheet`. `INDEPENDENT`: at least half of the P-positions of the
            last sheets have moved. `SPREADING`: fewer, but some; not decided yet.
        sheet: see `fate`; the first sheet that differs for `INDEPENDENT` and `SPREADING`, and -1
            for `INERT`.
        shift: see `fate`.
        shares: float64, shape (n,): share of P-positions of each sheet that have moved.
    """

    fate: Fate
    sheet: int
    shift: int
    shares: NDArray[np.float64]

    def half_moved_at(self) -> int | None:
        """Return the first sheet with half of its P-positions moved, or None."""
        beyond = np.flatnonzero(self.shares >= 0.5)
        return int(beyond[0]) if beyond.size else None


def moved(before: LoserSheets, after: LoserSheets, x: int, shift: int = 0) -> tuple[int, int]:
    """Count P-positions of sheet x that are not P-positions of sheet x + shift of another game.

    The function compares the columns before the tail and one period, of the longer sheet, limited
    to the columns known in both. If one sheet is cut off, the other gives the number of columns.

    Returns:
        The number of moved P-positions, and the number of P-positions.
    """
    if _same(before, after, x, shift):
        return 0, _reach(before, x)
    reach = (_reach(before, x), _reach(after, x + shift))
    known = (_known(before, x), _known(after, x + shift))
    whole = [far for far, end in zip(reach, known, strict=True) if far < end]
    end = min(max(whole or reach), *known)
    y = np.arange(end)
    was, is_now = before.look_up(x, y), after.look_up(x + shift, y)
    there = was != NO_Z
    return int(np.count_nonzero(there & (was != is_now))), int(np.count_nonzero(there))


def _same(before: LoserSheets, after: LoserSheets, x: int, shift: int) -> bool:
    """Return whether two sheets are equal for all y, or as far as both are known."""
    return np.array_equal(before.prefix(x), after.prefix(x + shift)) and np.array_equal(
        before.tail(x), after.tail(x + shift)
    )


def _reach(sheets: LoserSheets, x: int) -> int:
    i = x - sheets.first_x
    return int(sheets.prefix_length[i] + max(0, int(sheets.tail_period[i])))


def _known(sheets: LoserSheets, x: int) -> int:
    i = x - sheets.first_x
    return int(sheets.prefix_length[i]) if sheets.tail_period[i] < 0 else 1 << 62


def moved_shares(before: LoserSheets, after: LoserSheets, shift: int = 0) -> NDArray[np.float64]:
    """Return the fraction of moved P-positions of each sheet that both games have.

    Returns:
        float64, entry x for sheet x of `before`; 0 if the sheet has no P-position.
    """
    last = min(before.end_x, after.end_x - shift)
    shares = np.zeros(max(0, last))
    for x in range(max(before.first_x, after.first_x - shift), last):
        differing, there = moved(before, after, x, shift)
        shares[x] = differing / max(there, 1)
    return shares


def change_of(before: LoserSheets, after: LoserSheets) -> Change:
    """Classify the effect of a rule change.

    Args:
        before: sheets of the game, from x = 0 on.
        after: sheets of the changed game, from x = 0 on.
    """
    shares = moved_shares(before, after)
    if after.closed_by is not None and before.closed_by is None:
        return Change(Fate.CLOSED, after.closed_by, 0, shares)
    differing = np.flatnonzero(shares > 0)
    if not differing.size:
        return Change(Fate.INERT, -1, 0, shares)
    # A few last sheets may agree by chance, so a twentieth of all must agree.
    quiet = max(2, len(shares) // 20)
    if differing[-1] < len(shares) - quiet:
        return Change(Fate.HEALED, int(differing[-1]) + 1, 0, shares)
    for shift in sorted((s for s in range(-SHIFTS, SHIFTS + 1) if s), key=abs):
        last = min(before.end_x, after.end_x - shift)
        if not all(_same(before, after, x, shift) for x in range(last - quiet, last)):
            continue
        shifted = moved_shares(before, after, shift)
        off = np.flatnonzero(shifted[max(0, -shift) :] > 0)
        begin = int(off[-1]) + 1 + max(0, -shift) if off.size else max(0, -shift)
        if begin < len(shifted) - quiet:
            return Change(Fate.SHIFTED, begin, shift, shares)
    fate = Fate.INDEPENDENT if np.mean(shares[-quiet:]) >= 0.5 else Fate.SPREADING
    return Change(fate, int(differing[0]), 0, shares)


def density(sheets: LoserSheets, first_x: int, last_x: int | None = None) -> NDArray[np.float64]:
    """Return the shape of some sheets: the fraction of P-positions by box, in units of x.

    Some sheets of Chomp have tails and others do not, so only many sheets together have a definite
    shape.

    The boxes divide 0 <= y < 2 x and 0 <= z < 2 x. In Chomp this square holds the lines and the
    beginning of a tail.

    Returns:
        float64, shape (BOXES, BOXES), of sum 1; 0 everywhere if there is no P-position.
    """
    counts = np.zeros((BOXES, BOXES))
    for x in range(first_x, (first_x if last_x is None else last_x) + 1):
        side = 2 * max(x, 1)
        y = np.arange(min(side, _known(sheets, x)))
        counts += _counts(y, sheets.look_up(x, y), side) / side
    total = counts.sum()
    return counts / total if total else counts


def box_density(y: NDArray[np.int64], z: NDArray[np.integer], side: int) -> NDArray[np.float64]:
    """Return the density of given positions in a square y, z < side; `NO_Z` stands for none."""
    counts = _counts(y, z.astype(np.int64), side)
    return counts / max(1.0, float(counts.sum()))


def _counts(y: NDArray[np.int64], z: NDArray[np.int64], side: int) -> NDArray[np.float64]:
    inside = (z != NO_Z) & (z < side)
    box = (y[inside] * BOXES // side) * BOXES + z[inside] * BOXES // side
    found: NDArray[np.float64] = np.bincount(box, minlength=BOXES * BOXES).astype(np.float64)
    return found.reshape(BOXES, BOXES)


def distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the distance of two densities: half the sum of absolute differences, 0 to 1."""
    return float(np.abs(one - other).sum() / 2)
