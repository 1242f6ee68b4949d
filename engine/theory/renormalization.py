"""The six constants of three-row Chomp, from the six renormalization constraints.

E. J. Friedman and A. S. Landsberg, Nonlinear dynamics in combinatorial games: Renormalizing Chomp,
Chaos 17 (2007), section III E. On a loser sheet L_x the P-positions lie along three lines in the
plane of (y, z): an upper and a lower line that begin at z = alpha x, and on some sheets a flat tail
that begins where the lower line meets z = 0. That instant-winner sheets keep their shape as they
grow gives six equations for six numbers; equation (5) of the paper is their solution.

The argument is heuristic (section III G): constraint 6 assumes that upper lines and deadly
diagonals are independent. docs/geometry.md compares the constants with the tables, and lists the
misprints of the paper.
"""

from dataclasses import dataclass, fields
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Constants", "closed_form", "residuals", "solve"]

_START: Final = (0.7, -1.6, 0.3, -0.3, 0.7, 0.4)
_STEPS: Final = 30
_SHIFT: Final = 1e-7
_TOLERANCE: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Constants:
    """The numbers that describe the shape of every large loser sheet.

    Attributes:
        alpha: height z / x at which the upper and the lower line begin, at y = 0.
        slope_lower: slope m_L of the lower line.
        density_lower: P-positions on the lower line for each column y.
        slope_upper: slope m_U of the upper line.
        density_upper: P-positions on the upper line for each column y.
        gamma: share of the sheets that have a tail.
    """

    alpha: float
    slope_lower: float
    density_lower: float
    slope_upper: float
    density_upper: float
    gamma: float

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """From six numbers in the order of the attributes."""
        return cls(*(float(value) for value in np.asarray(values)))

    def as_array(self) -> NDArray[np.float64]:
        """The six numbers in the order of the attributes; float64, shape (6,)."""
        return np.array([getattr(self, field.name) for field in fields(self)])

    @property
    def line_end(self) -> float:
        """The y / x at which the lower line meets z = 0, and where a tail begins."""
        return -self.alpha / self.slope_lower

    @property
    def tail_height(self) -> float:
        """The z / x of a tail: the height of the upper line at the end of the lower one."""
        return self.alpha + self.slope_upper * self.line_end


def closed_form() -> Constants:
    """Equation (5): the solution in closed form."""
    half = 0.5**0.5
    return Constants(
        alpha=half,
        slope_lower=-1 - half,
        density_lower=1 - half,
        slope_upper=half - 1,
        density_upper=half,
        gamma=2 * half - 1,
    )


def residuals(constants: Constants) -> NDArray[np.float64]:
    """Left minus right side of constraints 1 to 6, section III E; 0 at a solution.

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
    """A solution of the six constraints, found numerically without the closed form.

    Args:
        start: where the search begins; a reading of Fig. 2 to one digit if none is given.

    Raises:
        ArithmeticError: the search does not converge.
    """
    values = np.array(_START) if start is None else start.as_array()
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            values = _newton_step(values)
        left = np.abs(residuals(Constants.of(values)))
    if not np.all(left <= _TOLERANCE):
        raise ArithmeticError(f"no solution found in {_STEPS} steps of Newton's method")
    return Constants.of(values)


def _newton_step(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A step of Newton's method, halved until the residuals shrink; the values if none does."""
    left = residuals(Constants.of(values))
    moved = values + _SHIFT * np.eye(6)
    slopes = np.array([residuals(Constants.of(row)) - left for row in moved]).T / _SHIFT
    if not np.all(np.isfinite(slopes)):
        return values
    step = np.linalg.lstsq(slopes, -left)[0]
    for halvings in range(20):
        nearer: NDArray[np.float64] = values + step / 2**halvings
        if np.linalg.norm(residuals(Constants.of(nearer))) < np.linalg.norm(left):
            return nearer
    return values
