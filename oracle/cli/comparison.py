"""A comparison of two games: the difference of their sheets in shape, and sheet by sheet.

A change of the rules may only shift a game by some sheets. So shapes are compared at the shift with
the most common P-positions (Morrison, Friedman and Landsberg, Games with a pass, section 6.2).
"""

from dataclasses import asdict, dataclass
from typing import Any, Final

from position_oracle.engine.theory.geometry.dynamics import (
    change_of,
    density,
    distance,
    moved,
)
from position_oracle.schema.sheets import LoserSheets

SHIFTS: Final = 8
"""Maximum shift, in either direction, that is tried."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing the sheets of two games.

    Attributes:
        first_x, last_x: the sheets of the first game whose shape is compared.
        shift: the shift at which sheet last_x + shift of the second game shares the most
            P-positions with sheet last_x of the first.
        moved: the number of P-positions of sheet last_x that the second game lacks in that sheet.
        positions: the number of compared positions.
        distance: distance of the two shapes at that shift, from 0 (equal) to 1 (nothing in common).
        fate: the text of a `Fate`, with the second game as the changed game.
        sheet: the sheet of the fate; see `Change.sheet`.
    """

    first_x: int
    last_x: int
    shift: int
    moved: int
    positions: int
    distance: float
    fate: str
    sheet: int

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return asdict(self)


def compare(before: LoserSheets, after: LoserSheets, last_x: int) -> Comparison:
    """Compare two games by their sheets from last_x / 2 to last_x.

    Args:
        before: sheets of the first game, from x = 0 to last_x + `SHIFTS` if available.
        after: sheets of the second game.
        last_x: the sheet at which the shift is determined; more than 2 * `SHIFTS`.

    Raises:
        ValueError: sheet last_x is missing in one game, or last_x is too small.
    """
    if last_x <= 2 * SHIFTS:
        raise ValueError(f"sheet {last_x} is too small for shifts to {SHIFTS}")
    shift, differing = best_shift(before, after, last_x, SHIFTS)
    first_x = last_x // 2
    change = change_of(before, after)
    return Comparison(
        first_x=first_x,
        last_x=last_x,
        shift=shift,
        moved=differing,
        positions=moved(before, after, last_x, shift)[1],
        distance=distance(
            density(before, first_x, last_x), density(after, first_x + shift, last_x + shift)
        ),
        fate=str(change.fate),
        sheet=change.sheet,
    )


def best_shift(before: LoserSheets, after: LoserSheets, x: int, shifts: int = 8) -> tuple[int, int]:
    """Find the shift at which sheet x + shift of one game is closest to sheet x of another.

    Returns:
        The closest shift, the one nearest to 0 if several are, and the number of differing
        P-positions.
    """
    tried = [
        (moved(before, after, x, shift)[0], abs(shift), shift)
        for shift in range(-shifts, shifts + 1)
        if before.first_x <= x < before.end_x and after.first_x <= x + shift < after.end_x
    ]
    if not tried:
        raise ValueError(f"sheet {x} is not among both")
    differing, _, shift = min(tried)
    return shift, differing
