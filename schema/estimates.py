"""Estimated chances beyond all computed data; they are never mixed with exact answers."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from position_oracle.schema.answers import Tables

__all__ = [
    "MAX_CANDIDATES",
    "Calibration",
    "Candidate",
    "Column",
    "Estimate",
    "Estimates",
    "Opening",
]

MAX_CANDIDATES: Final = 64
"""Maximum number of candidates of a column."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of chances on known data that they were not learned from.

    Attributes:
        learned_from: the data that the chances were learned from, in words.
        judged_on: the data of the calibration, in words.
        judged: the number of events in the calibration.
        bits: mean of -log2 of the chance of the true event.
        base_bits: the bits of chances without phases.
        calibration_error: expected calibration error: the mean difference between a chance and its
            frequency.
    """

    learned_from: str
    judged_on: str
    judged: int
    bits: float
    base_bits: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated chance that an undecided position is P.

    Attributes:
        chance: the chance of P.
        reason: the basis of the estimate.
        calibration: the measured quality of such chances.
    """

    chance: float
    reason: str
    calibration: Calibration

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys."""
        return {**asdict(self), "certainty": "ESTIMATE"}


@dataclass(frozen=True, slots=True)
class Column:
    """A question: which z makes [x, y, z] a P-position of three-row Chomp?

    With row lengths, b = x + y and c = x are given, and f(b, c) = x + y + z is unknown.
    """

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Opening:
    """A question: which bite wins the 3 x n rectangle?"""

    n: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may be true.

    Attributes:
        chance: the chance that it is true.
        position: text of the position that would be P: a position of the column in question, or the
            position after an opening; None for a column without a P-position.
    """

    chance: float
    position: str | None


@dataclass(frozen=True, slots=True)
class Estimates:
    """Candidates with their chances.

    Attributes:
        candidates: the candidates, the likeliest first.
        rest: the chance that none of them is true.
        reason: the basis of the chances.
        calibration: the measured quality of such chances.
        is_known: whether available tables decide the question exactly.
        tables: the tables that were available; None if not reported.
    """

    candidates: tuple[Candidate, ...]
    rest: float
    reason: str
    calibration: Calibration
    is_known: bool = False
    tables: "Tables | None" = None

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys."""
        tables = None if self.tables is None else self.tables.version
        return {**asdict(self), "certainty": "ESTIMATE", "tables": tables}
