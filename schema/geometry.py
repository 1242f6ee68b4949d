"""The shape of loser sheets in numbers: measurements, their ranges of sheets, and theory.

`schema.shapes` reads these records from table files, `schema.messages` translates them to and from
the contract; docs/geometry.md defines the quantities.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Final

from position_oracle.schema.answers import Tables

__all__ = ["QUANTITIES", "TABLES", "Geometry", "Measure", "Shape"]

QUANTITIES: Final = {
    "alpha": "slope of diagonal z against x",
    "slope_lower": "slope of the lower line against y, one offset a sheet",
    "density_lower": "slope of the number on the lower line against that on both lines",
    "slope_upper": "slope of the upper line against y, one offset a sheet",
    "density_upper": "slope of the number on the upper line against that on both lines",
    "gamma": "share of the sheets with a tail",
    "tail_height": "slope of the height of tails against x",
    "line_end": "slope of the y where the lines end against x",
    "diagonal_offset": "mean of diagonal z - alpha x, with alpha of equation (5)",
    "tail_offset": "mean height of tails above the line of equation (5)",
    "upper_offset": "mean distance from the upper line of equation (5)",
    "lower_offset": "mean distance from the lower line of equation (5)",
    "diagonal_scatter": "standard deviation of diagonal z - alpha x",
    "tail_scatter": "standard deviation of the height of tails about its line",
    "upper_scatter": "standard deviation of the distance from the upper line of equation (5)",
    "lower_scatter": "standard deviation of the distance from the lower line of equation (5)",
    "upper_least": "least distance from the upper line of equation (5)",
    "upper_most": "greatest distance from the upper line of equation (5)",
    "lower_least": "least distance from the lower line of equation (5)",
    "lower_most": "greatest distance from the lower line of equation (5)",
    "distance_double": "distance between the shapes of sheets x and 2x, 0 to 1",
    "distance_three_halves": "distance between the shapes of sheets x and 3x / 2, 0 to 1",
}
"""Names of the quantities that are measured over a range of sheets, with descriptions."""

TABLES: Final = {"sheets": "geometry", "census": "census_geometry"}
"""The table with the numbers, by the kind of the build that they were measured from."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measured number.

    Attributes:
        quantity: the name, one of `QUANTITIES`.
        value: the measured value.
        standard_error: standard error by a block jackknife; None for extremes, and if the number is
            exact.
        expected: the value of the theory (equation (5) of Friedman and Landsberg, 2007, for
            three-row Chomp); None if it has none.
        meaning: description of the quantity; by default that of `QUANTITIES`.
    """

    quantity: str
    value: float
    standard_error: float | None
    expected: float | None
    meaning: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Fill in the description of the quantity."""
        if not self.meaning:
            object.__setattr__(self, "meaning", QUANTITIES.get(self.quantity, ""))

    @property
    def deviation(self) -> float | None:
        """The value minus the expected one."""
        return None if self.expected is None else self.value - self.expected


@dataclass(frozen=True, slots=True)
class Shape:
    """Measurements over one range of sheets.

    Attributes:
        game: canonical text.
        source: `sheets`; `census`, which counts but does not sum P-positions, so that slopes are
            measured from end to end of a line; `solved`, sheets that were solved on demand; or
            `theorem`.
        first_x: first sheet of the range.
        last_x: last sheet of the range.
        measures: the measurements.
        table: the table with these numbers, or with the measured P-positions; empty if there is
            none.
    """

    game: str
    source: str
    first_x: int
    last_x: int
    measures: tuple[Measure, ...]
    table: str = ""

    def __getitem__(self, quantity: str) -> Measure:
        """Return the measurement of a quantity.

        Raises:
            KeyError: the quantity was not measured.
        """
        for one in self.measures:
            if one.quantity == quantity:
                return one
        raise KeyError(quantity)

    def as_json(self) -> dict[str, Any]:
        """Return JSON values with stable keys; missing values are None."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Geometry:
    """The shape of the loser sheets of a game.

    Attributes:
        game: canonical text.
        shapes: the shapes over ascending ranges of x, at least one.
        tables: the tables that were available; None if not reported.
    """

    game: str
    shapes: tuple[Shape, ...]
    tables: Tables | None = None

    @property
    def last(self) -> Shape:
        """The shape over the largest x."""
        return self.shapes[-1]
