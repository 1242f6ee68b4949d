"""The shape of the sheets of heap games: the cycle of Nim, the two lines of Wythoff's game.

In Nim the sheet of 2x is that of x at twice the size, since 2x xor 2y = 2 (x xor y). With a pass
the shapes are equal (Morrison, Friedman and Landsberg, Combinatorial games with a pass, section 5):
Unlike Chomp, Nim does not have one shape of large sheets, but one for each place of x between two
powers of two.

In Wythoff's game with two heaps the P-positions are (floor(k phi), floor(k phi^2)), so they lie on
lines of slopes phi and 1 / phi, and a fraction 1 / phi of all y is the smaller heap (W. A. Wythoff,
A modification of the game of Nim, 1907). Large sheets of three heaps show the same lines, except
under the rule `all`, whose lines both have slope 1.
"""

from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.geometry.dynamics import box_density, distance
from position_oracle.engine.theory.geometry.fits import BLOCKS, jackknife, mean_of, ratio_of
from position_oracle.schema.geometry import Measure

PHI: Final = (1 + sqrt(5)) / 2
FAR: Final = 16
"""Sheets x of Wythoff's game are measured up to x = columns / FAR, where y is larger than x."""
_SAMPLE: Final = 2 * BLOCKS
"""Maximum number of sheets of Nim that are compared in a range."""

Ranges = list[tuple[int, int, list[Measure]]]
"""First and last x of ranges of sheets, ascending, with the measurements."""


def doubling(z: NDArray[np.integer]) -> Ranges:
    """Compare the shape of sheet x with those of 2x and of 3x / 2, by powers of two.

    Args:
        z: integers, shape (rows, columns): the z of every x and y, from 0 on. Sheet x is measured
            if z has the rows to 2x and the columns to 4x.
    """
    rows, columns = z.shape
    most = min((rows - 1) // 2, (columns - 1) // 4)
    found = []
    first = 1 << (2 * BLOCKS - 1).bit_length()
    while 2 * first - 1 <= most:
        found.append((first, 2 * first - 1, _doubling(z, first)))
        first *= 2
    return found


def _doubling(z: NDArray[np.integer], first: int) -> list[Measure]:
    step = max(2, first // _SAMPLE // 2 * 2)
    compared = []
    for x in range(first, 2 * first, step):
        shape = _shape(z, x)
        compared.append([distance(shape, _shape(z, other)) for other in (2 * x, 3 * x // 2)])
    names, values = ("distance_double", "distance_three_halves"), np.array(compared)
    return [
        Measure(
            name, *jackknife(np.stack([np.ones(len(one)), one, one * one], axis=1), mean_of), None
        )
        for name, one in zip(names, values.T, strict=True)
    ]


def _shape(z: NDArray[np.integer], x: int) -> NDArray[np.float64]:
    """Return the density of the first 2x columns of a sheet by boxes, in units of x."""
    return box_density(np.arange(2 * x), z[x, : 2 * x], 2 * x)


def golden_lines(z: NDArray[np.integer], slopes: tuple[float, float] = (PHI, 1 / PHI)) -> Ranges:
    """Return slopes and densities of the two lines of sheets of Wythoff's game, by ranges of x.

    Args:
        z: integers, shape (rows, columns): the z of every x and y. The upper half of the columns is
            measured, for sheets x up to a sixteenth of the columns.
        slopes: the expected slopes of the line above z = y and of the line below.
    """
    rows, columns = z.shape
    last = min(rows, columns // FAR) - 1
    found = []
    while last - (first := (last + 1) // 2) + 1 >= BLOCKS:
        found.append((first, last, _lines(z[first : last + 1], slopes)))
        last = first - 1
    return found[::-1]


def _lines(z: NDArray[np.integer], slopes: tuple[float, float]) -> list[Measure]:
    y = np.arange(z.shape[1] // 2, z.shape[1]).astype(np.float64)
    right = z[:, z.shape[1] // 2 :].astype(np.float64)
    found = []
    for name, slope, above in (("upper", slopes[0], True), ("lower", slopes[1], False)):
        on = (right > y) == above
        count = np.maximum(on.sum(axis=1), 1)
        mean_y = np.where(on, y, 0).sum(axis=1) / count
        off_y = np.where(on, y - mean_y[:, None], 0)
        sums = np.stack(
            [(off_y * np.where(on, right, 0)).sum(axis=1), (off_y**2).sum(axis=1)], axis=1
        )
        found.append(Measure(f"slope_{name}", *jackknife(sums, ratio_of), slope))
        shares = np.stack([on.sum(axis=1), np.full(len(z), len(y))], axis=1).astype(np.float64)
        found.append(Measure(f"density_{name}", *jackknife(shares, ratio_of), slope / (1 + slope)))
    order = ("slope_lower", "density_lower", "slope_upper", "density_upper")
    return sorted(found, key=lambda one: order.index(one.quantity))


def two_heap_lines() -> list[Measure]:
    """Return slopes and densities of two heaps by Wythoff's theorem, without a measurement."""
    exact = {
        "slope_lower": 1 / PHI,
        "density_lower": 1 / PHI**2,
        "slope_upper": PHI,
        "density_upper": 1 / PHI,
    }
    return [Measure(name, value, None, value) for name, value in exact.items()]
