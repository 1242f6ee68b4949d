"""Chances where nothing was computed. They are never an answer, and never mixed with exact ones."""

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
"""Most candidates of a column."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of chances for what is known and was not learned from.

    Attributes:
        learned_from: what they were learned from, in words.
        judged_on: what they were judged on, in words.
        judged: how many things were judged.
        bits: mean of -log2 of the chance that was given to what was true.
        base_bits: the same of chances that know no phases.
        calibration_error: expected calibration error: the mean difference between a chance and how
            often it came true.
    """

    learned_from: str
    judged_on: str
    judged: int
    bits: float
    base_bits: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The chance that a position is P, where nothing decides it.

    Attributes:
        chance: of P.
        reason: what it rests on.
        calibration: how good such chances have been.
    """

    chance: float
    reason: str
    calibration: Calibration

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs."""
        return {**asdict(self), "certainty": "ESTIMATE"}


@dataclass(frozen=True, slots=True)
class Column:
    """A question: which z makes [x, y, z] a P-position of three-row Chomp?

    With row lengths, b = x + y and c = x are given, and f(b, c) = x + y + z is asked for.
    """

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Opening:
    """A question: which bite wins the 3 x n rectangle?"""

    n: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be true.

    Attributes:
        chance: that it is.
        position: text of the position that would be P: one of the column that was asked about, or
            what an opening would leave; None for a column without one.
    """

    chance: float
    position: str | None


@dataclass(frozen=True, slots=True)
class Estimates:
    """Candidates with their chances.

    Attributes:
        candidates: likeliest first.
        rest: the chance that none of them is true.
        reason: what the chances rest on.
        calibration: how good such chances have been.
        is_known: whether available tables decide it, so that nobody needs chances.
        tables: the tables that were available; None if not reported.
    """

    candidates: tuple[Candidate, ...]
    rest: float
    reason: str
    calibration: Calibration
    is_known: bool = False
    tables: "Tables | None" = None

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs."""
        tables = None if self.tables is None else self.tables.version
        return {**asdict(self), "certainty": "ESTIMATE", "tables": tables}
