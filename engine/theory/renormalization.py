"""The six constants of three-row Chomp, from the six renormalization constraints.

E. J. Friedman and A. S. Landsberg, Nonlinear dynamics in combinatorial games: Renormalizing Chomp,
Chaos 17 (2007), section III E. On a loser sheet L_x the P-positions lie along three lines in the
plane of (y, z): an upper and a lower line that begin at z = alpha x, and on some sheets a flat tail
that begins where the lower line meets z = 0. Instant-winner sheets keep their shape as they grow.
This gives six equations for six numbers; equation (5) of the paper is their solution.

The argument is heuristic (section III G): constraint 6 assumes that upper lines and deadly
diagonals are independent. docs/geometry.md compares the constants with the tables, and lists the
misprints of the paper.
"""

from dataclasses import dataclass


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

    @property
    def line_end(self) -> float:
        """The y / x at which the lower line meets z = 0, and a tail begins."""
        return -self.alpha / self.slope_lower

    @property
    def tail_height(self) -> float:
        """The z / x of a tail: the height of the upper line at the end of the lower one."""
        return self.alpha + self.slope_upper * self.line_end


def closed_form() -> Constants:
    """Return the solution in closed form, equation (5)."""
    half = 0.5**0.5
    return Constants(
        alpha=half,
        slope_lower=-1 - half,
        density_lower=1 - half,
        slope_upper=half - 1,
        density_upper=half,
        gamma=2 * half - 1,
    )
