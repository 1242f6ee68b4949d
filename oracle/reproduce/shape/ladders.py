"""Tails of long period as ladders: sheets x, x + 2, x + 4, ... whose tails share values.

In every table so far, a tail of period 9 comes two sheets after one of period 3, and period 27 two
sheets after 9. Period 8 comes two sheets after 4, and nearly every period 4 two sheets after 2 or
4. Each *rung* shares values of z with the previous one. The reason is not known. The phase
frac(sqrt 2 x) matters; residues of x do not.

Constant tails lie at z = ceil((2 - sqrt 2) x) or one above. No two share a z, because move M4 would
then lead from a far position of the larger x to the other tail.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

STEP: Final = 2
"""Number of sheets from one rung to the next."""

SQRT_2: Final = 2**0.5


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """The tails of the sheets x = 0, 1, ...

    Attributes:
        period: int32, shape (n,); 0 for a sheet that stops.
        offset: int64, shape (n + 1,); one period of sheet x is `z[offset[x] : offset[x + 1]]`.
        z: int32.
    """

    period: NDArray[np.int32]
    offset: NDArray[np.int64]
    z: NDArray[np.int32]

    def of(self, x: int) -> tuple[int, ...]:
        """Return one period of the tail of sheet x; empty if there is no tail or no such sheet."""
        if not 0 <= x < len(self.period):
            return ()
        return tuple(self.z[self.offset[x] : self.offset[x + 1]].tolist())

    def with_period(self, period: int) -> list[int]:
        """Return every x with a tail of this period."""
        found: list[int] = np.flatnonzero(self.period == period).tolist()
        return found


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rungs of a ladder from the lowest to the highest.

    Attributes:
        sheets: x of each rung, two apart.
        periods: the periods of their tails.
        shared: for each rung except the first, the z shared with the previous rung.
    """

    sheets: tuple[int, ...]
    periods: tuple[int, ...]
    shared: tuple[tuple[int, ...], ...]


def shared_z(tails: Tails, x: int) -> tuple[int, ...]:
    """Return the z common to the tails of sheets x and x - 2, ascending."""
    return tuple(sorted(set(tails.of(x)) & set(tails.of(x - STEP))))


def ladder_of(tails: Tails, x: int) -> Ladder:
    """Return the ladder with the tail of sheet x; a single rung if it has no neighbour.

    A rung has a period above 1, and shares a z with its neighbours.

    Raises:
        ValueError: the sheet has no tail of period above 1.
    """
    if len(tails.of(x)) < 2:
        raise ValueError(f"sheet {x} has no tail of a period above 1")
    first = last = x
    while len(tails.of(first - STEP)) > 1 and shared_z(tails, first):
        first -= STEP
    while len(tails.of(last + STEP)) > 1 and shared_z(tails, last + STEP):
        last += STEP
    sheets = tuple(range(first, last + 1, STEP))
    return Ladder(
        sheets,
        tuple(len(tails.of(rung)) for rung in sheets),
        tuple(shared_z(tails, rung) for rung in sheets[1:]),
    )


def rungs_before(tails: Tails, period: int) -> dict[int, int]:
    """Count tails of one period by the period of the tail two sheets before.

    Returns:
        Counts by the period of sheet x - 2 if the two tails share a z. All other tails are counted
        under 0. Sheets x < 2 are left out.
    """
    counts: Counter[int] = Counter()
    for x in tails.with_period(period):
        if x >= STEP:
            counts[len(tails.of(x - STEP)) if shared_z(tails, x) else 0] += 1
    return dict(sorted(counts.items()))


def threshold(tails: Tails) -> tuple[float, float]:
    """Find the best rule for constant tails: z = ceil((2 - sqrt 2) x), plus one below a phase.

    Returns:
        The phase frac(sqrt 2 x) up to which z is one more, and the fraction of constant tails that
        follow the rule.

    Raises:
        ValueError: there is no constant tail.
    """
    x = np.flatnonzero(tails.period == 1)
    if not x.size:
        raise ValueError("there is no constant tail")
    one_more = tails.z[tails.offset[x]] - np.ceil((2 - SQRT_2) * x) == 1
    phase = SQRT_2 * x % 1
    order = np.argsort(phase)
    right = np.cumsum(np.where(one_more[order], 1, -1))
    best = int(np.argmax(right))
    correct = right[best] + np.count_nonzero(~one_more)
    return float(phase[order][best]), float(correct / len(x))
