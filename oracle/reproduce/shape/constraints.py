"""The six renormalization constraints of three-row Chomp, and their numerical solution.

E. J. Friedman and A. S. Landsberg, Chaos 17 (2007), section III E; `engine.theory.renormalization`
has the solution in closed form.
"""

from dataclasses import astuple
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from position_oracle.engine.theory.renormalization import Constants

_START: Final = (0.7, -1.6, 0.3, -0.3, 0.7, 0.4)
_STEPS: Final = 30
_SHIFT: Final = 1e-7
_TOLERANCE: Final = 1e-10


def constants_of(values: ArrayLike) -> Constants:
    """Return the constants from six numbers in the order of their attributes."""
    return Constants(*(float(value) for value in np.asarray(values)))


def residuals(constants: Constants) -> NDArray[np.float64]:
    """Return left minus right side of constraints 1 to 6, section III E; 0 at a solution.

    Returns:
        float64, shape (6,).
    """
    alpha, gamma = constants.alpha, constants.gamma
    lower, upper = constants.slope_lower, constants.slope_upper
    density_lower, density_upper = constants.density_lower, constants.density_upper
    diagonals = 1 / (alpha + 1)
    empty_bands = (upper - lower) / ((upper - lower) * alpha + lower * gamma)
    return np.array(
        [
            density_upper + density_lower - 1,
            density_upper / (1 + upper) - 1,
            diagonals - density_lower / (1 + lower) - 1,
            (gamma - 1) * lower / (alpha - lower) + diagonals - 1,
            alpha * density_lower / (alpha - lower) * empty_bands + diagonals - 1,
            density_lower / (alpha - lower)
            - alpha * diagonals * (1 - density_upper / (alpha - upper)),
        ]
    )


def solve(start: Constants | None = None) -> Constants:
    """Return a numerical solution of the six constraints, without the closed form.

    Args:
        start: the first guess; by default a reading of Fig. 2 to one digit.

    Raises:
        ArithmeticError: the search does not converge.
    """
    values = np.array(_START) if start is None else np.array(astuple(start))
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            values = _newton_step(values)
        left = np.abs(residuals(constants_of(values)))
    if not np.all(left <= _TOLERANCE):
        raise ArithmeticError(f"no solution found in {_STEPS} steps of Newton's method")
    return constants_of(values)


def _newton_step(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a step of Newton's method, halved until the residuals shrink."""
    left = residuals(constants_of(values))
    moved = values + _SHIFT * np.eye(6)
    slopes = np.array([residuals(constants_of(row)) - left for row in moved]).T / _SHIFT
    if not np.all(np.isfinite(slopes)):
        return values
    step = np.linalg.lstsq(slopes, -left)[0]
    for halvings in range(20):
        nearer: NDArray[np.float64] = values + step / 2**halvings
        if np.linalg.norm(residuals(constants_of(nearer))) < np.linalg.norm(left):
            return nearer
    return values
