"""Constants of the sheets' shape with standard errors, from sums along their lines.

Slopes are least-squares slopes of lines *with offset*: lines lie about one unit of z beside those
of equation (5) of Friedman and Landsberg (2007), so that ratios such as z / x err by offset / x.

Neighbouring sheets are not independent, so errors come from a block jackknife: a range of sheets is
cut into `BLOCKS` runs, and the constants are computed with each of them left out (B. Efron and C.
Stein, The jackknife estimate of variance, Annals of Statistics 9, 1981).
"""

from collections.abc import Callable
from math import fsum, isnan, nan, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.geometry.summary import LineSums, SheetSums
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.schema.geometry import Measure

BLOCKS: Final = 20
"""Number of runs of sheets for the block jackknife."""

LEAST_SHEETS: Final = 3 * BLOCKS
"""Minimum number of sheets in a range for fitting constants."""

Estimator = Callable[[list[float]], float]
Fit = tuple[NDArray[np.float64], Estimator]
"""The contributions of each sheet, and the function of their sums."""


def ranges(last_x: int) -> list[tuple[int, int]]:
    """Return ranges of x to measure convergence: the upper half, that of the rest, ...

    Returns:
        The first and last x of each range, ascending, if it has at least `LEAST_SHEETS` sheets: for
        last_x = 10,000 they are 5,000 to 10,000, 2,500 to 4,999 and so on.
    """
    found = []
    while last_x - (first_x := (last_x + 1) // 2) + 1 >= LEAST_SHEETS:
        found.append((first_x, last_x))
        last_x = first_x - 1
    return found[::-1]


def measure(sheets: SheetSums) -> list[Measure]:
    """Return all `schema.geometry.QUANTITIES` that a range of sheets determines, in order.

    If positions are counted and not summed (`SheetSums.counted`), slopes are those from the
    beginnings to the ends of the lines, and there is no scatter.

    Args:
        sheets: consecutive sheets; with fewer than `LEAST_SHEETS` nothing is measured.
    """
    if len(sheets) < LEAST_SHEETS:
        return []
    constants = closed_form()
    x = sheets.x.astype(np.float64)
    has_diagonal, has_tail = sheets.diagonal_z >= 0, sheets.ends > 0
    diagonal = sheets.diagonal_z - constants.alpha * x
    tail = sheets.tail_height - constants.tail_height * x
    both = (sheets.upper.count + sheets.lower.count).astype(np.float64)
    lined = both > 0
    has_positions = bool(sheets.upper.y.any())
    lower: Fit = (_within(sheets.lower), ratio_of)
    upper: Fit = (_within(sheets.upper), ratio_of)
    if not has_positions:
        ends = _ends(x, sheets, diagonal, tail)
        lower, upper = (ends, _lower_end), (ends, _upper_end)

    def share(line: LineSums, density: float) -> NDArray[np.float64]:
        return _paired(both, line.count - density * both, lined)

    columns: dict[str, Fit] = {
        "alpha": (_paired(x, diagonal, has_diagonal), _slope),
        "slope_lower": lower,
        "density_lower": (share(sheets.lower, constants.density_lower), _slope),
        "slope_upper": upper,
        "density_upper": (share(sheets.upper, constants.density_upper), _slope),
        "gamma": (_share(sheets), ratio_of),
        "tail_height": (_paired(x, tail, has_tail), _slope),
        "line_end": (_paired(x, sheets.line_length - constants.line_end * x, lined), _slope),
    }
    found = []
    for name, (contributions, estimator) in columns.items():
        value, error = jackknife(contributions, estimator)
        expected: float = getattr(constants, name)
        # Slopes against x and counts are fitted to differences from the expected values, to keep
        # all digits; slopes and shares of positions are fitted directly.
        shift = expected if estimator is _slope else 0.0
        found.append(Measure(name, value + shift, error, expected))
    moments = {"diagonal": _moments(diagonal, has_diagonal), "tail": _moments(tail, has_tail)}
    if has_positions:
        moments["upper"] = _line_moments(sheets, sheets.upper, constants.slope_upper)
        moments["lower"] = _line_moments(sheets, sheets.lower, constants.slope_lower)
    for what, estimator in (("offset", mean_of), ("scatter", _deviation)):
        for name, contributions in moments.items():
            value, error = jackknife(contributions, estimator)
            found.append(Measure(f"{name}_{what}", value, error, None))
    for name, line in (("upper", sheets.upper), ("lower", sheets.lower)):
        there = line.count > 0
        if has_positions and there.any():
            least, most = float(line.least[there].min()), float(line.most[there].max())
            found.append(Measure(f"{name}_least", least, None, None))
            found.append(Measure(f"{name}_most", most, None, None))
    return [one for one in found if not isnan(one.value)]


def _paired(
    x: NDArray[np.float64], y: NDArray[np.float64], used: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return contributions to a line through points: n, x, y, xx, xy, with x about its middle."""
    x = x - float(np.median(x)) if len(x) else x
    points = np.stack([np.ones(len(x)), x, y, x * x, x * y], axis=1)
    points[~used] = 0
    return points


def _within(line: LineSums) -> NDArray[np.float64]:
    """Return contributions to a common slope of lines with separate offsets: yz and yy."""
    count = np.maximum(line.count, 1)
    covariance = line.yz - line.y * (line.z / count)
    variance = line.yy - line.y * (line.y / count)
    return np.stack([covariance, variance], axis=1)


def _ends(
    x: NDArray[np.float64],
    sheets: SheetSums,
    diagonal: NDArray[np.float64],
    tail: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return contributions to three lines against x: of diagonals, of lengths, and of tails."""
    length = sheets.line_length - closed_form().line_end * x
    return np.hstack(
        [
            _paired(x, diagonal, sheets.diagonal_z >= 0),
            _paired(x, length, sheets.line_length > 0),
            _paired(x, tail, sheets.ends > 0),
        ]
    )


def _lower_end(sums: list[float]) -> float:
    """Return the slope from (0, alpha x) to the end of the lower line at z = 0."""
    constants = closed_form()
    alpha, end = constants.alpha + _slope(sums[:5]), constants.line_end + _slope(sums[5:10])
    return -alpha / end


def _upper_end(sums: list[float]) -> float:
    """Return the slope from (0, alpha x) to the beginning of the tail."""
    constants = closed_form()
    alpha, end = constants.alpha + _slope(sums[:5]), constants.line_end + _slope(sums[5:10])
    return (constants.tail_height + _slope(sums[10:]) - alpha) / end


def _share(sheets: SheetSums) -> NDArray[np.float64]:
    """Return contributions to the fraction with a tail; none if it is unknown for some sheets.

    Sheets that stop are recognized earlier than sheets with tails, which would bias the fraction.
    """
    known = (sheets.diagonal_z >= 0) & bool((sheets.ends >= 0).all())
    return np.stack([(sheets.ends > 0).astype(np.float64), known.astype(np.float64)], axis=1)


def _moments(values: NDArray[np.float64], used: NDArray[np.bool_]) -> NDArray[np.float64]:
    moments = np.stack([np.ones(len(values)), values, values * values], axis=1)
    moments[~used] = 0
    return moments


def _line_moments(sheets: SheetSums, line: LineSums, slope: float) -> NDArray[np.float64]:
    """Return n, sum and sum of squares of the distances z - (alpha x + m y).

    The sums are taken about the means of a sheet, because differences of the raw sums would lose
    precision.
    """
    count = np.maximum(line.count, 1)
    mean_y, mean_z = line.y / count, line.z / count
    within = (
        (line.zz - line.z * mean_z)
        - 2 * slope * (line.yz - line.y * mean_z)
        + slope * slope * (line.yy - line.y * mean_y)
    )
    mean = mean_z - closed_form().alpha * sheets.x - slope * mean_y
    moments = np.stack([line.count, line.count * mean, within + line.count * mean**2], axis=1)
    moments[line.count == 0] = 0
    return moments


def jackknife(contributions: NDArray[np.float64], estimator: Estimator) -> tuple[float, float]:
    """Return the estimate from the sums of all rows, with its block-jackknife error.

    Sums are correctly rounded, so results do not depend on the machine.
    """
    blocks = [
        [fsum(column) for column in block.T.tolist()]
        for block in np.array_split(contributions, BLOCKS)
    ]
    total = [fsum(column) for column in zip(*blocks, strict=True)]
    value = estimator(total)
    left = [
        estimator([whole - one for whole, one in zip(total, block, strict=True)])
        for block in blocks
    ]
    mean = fsum(left) / BLOCKS
    return value, sqrt((BLOCKS - 1) / BLOCKS * fsum((one - mean) ** 2 for one in left))


def _slope(sums: list[float]) -> float:
    n, x, y, xx, xy = sums
    return ratio_of([n * xy - x * y, n * xx - x * x])


def ratio_of(sums: list[float]) -> float:
    """Return the first sum divided by the second, NaN if the second is not above zero."""
    above, below = sums
    return above / below if below > 0 else nan


def mean_of(sums: list[float]) -> float:
    """Return the mean from number, sum and sum of squares; NaN if there are none."""
    n, first, _ = sums
    return first / n if n > 0 else nan


def _deviation(sums: list[float]) -> float:
    n, first, second = sums
    return sqrt(max(0.0, second / n - (first / n) ** 2)) if n > 0 else nan
