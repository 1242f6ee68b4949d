"""Two games side by side: how far apart their sheets are in shape, and sheet by sheet.

A change of the rules may shift a game by some sheets and leave it otherwise as it was: shapes are
compared at the shift at which the most P-positions agree (Morrison, Friedman and Landsberg, Games
with a pass, section 6.2).
"""

from dataclasses import asdict, dataclass
from typing import Any, Final

from position_oracle.engine.theory.geometry.dynamics import (
    best_shift,
    change_of,
    density,
    distance,
    moved,
)
from position_oracle.schema.sheets import LoserSheets

SHIFTS: Final = 8
"""Shifts up to this, either way, are tried."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of the sheets of two games.

    Attributes:
        first_x, last_x: the sheets of the first game whose shape is compared.
        shift: sheet last_x + shift of the second game has the most P-positions of sheet last_x of
            the first.
        moved: P-positions of sheet last_x that the second game does not have there.
        positions: how many were compared.
        distance: of the two shapes at that shift, 0 (equal) to 1 (nothing in common).
        fate: the text of a `Fate`, taking the second game for a change of the first.
        sheet: the sheet that goes with it; see `Change.sheet`.
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
        """The comparison as what JSON has."""
        return asdict(self)


def compare(before: LoserSheets, after: LoserSheets, last_x: int) -> Comparison:
    """Compare two games by their sheets from half of last_x to last_x.

    Args:
        before: sheets of the first game, from x = 0 to last_x + `SHIFTS` where it has as many.
        after: the same of the second.
        last_x: the sheet at which the shift is looked for; more than 2 * `SHIFTS`.

    Raises:
        ValueError: sheet last_x is not among both, or last_x is too small.
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
