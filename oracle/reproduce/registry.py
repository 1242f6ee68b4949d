"""Entries of the report: a paper's statement, our values, and the resulting verdict."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from position_oracle.oracle.reproduce.tables import ReportTables

Number = bool | int | float | Fraction
Value = Number | str | tuple["Value", ...]
"""A compared value: one number or text, or several in order."""


class Paper(StrEnum):
    """A chapter of the report."""

    CHOMP = "chomp"
    PREPRINT = "preprint"
    PASSES = "passes"
    RANDOM_PLAY = "random-play"
    TRANSFINITE = "transfinite"
    FACTS = "facts"
    BEYOND = "beyond"


TITLES: dict[Paper, str] = {
    Paper.CHOMP: "E. J. Friedman and A. S. Landsberg, Nonlinear dynamics in combinatorial games:"
    " renormalizing Chomp, Chaos 17 (2007)",
    Paper.PREPRINT: "E. J. Friedman and A. S. Landsberg, the preprint of the same",
    Paper.PASSES: "R. E. Morrison, E. J. Friedman and A. S. Landsberg, Combinatorial games with a"
    " pass: a dynamical systems approach",
    Paper.RANDOM_PLAY: "P. Devlin and P. Trifonova, Combinatorial games played randomly: Chomp and"
    " nim",
    Paper.TRANSFINITE: "S. Huddleston and J. Shurman, Transfinite Chomp (2002)",
    Paper.FACTS: "Published facts of others that the tables reproduce",
    Paper.BEYOND: "Beyond the papers: what is new here, its evidence, and what would refute it",
}


class Verdict(StrEnum):
    """The result of a comparison, in words."""

    AGREES = "agrees"
    CORRECTED = "agrees with the corrected statement"
    UNDECIDED = "cannot be decided by computing"
    DIFFERS = "differs"
    FAILED = "could not be computed"


class ValueSource(StrEnum):
    """The source of an expected value."""

    PAPER = "paper"
    """The paper prints the value, or its statement implies the value, such as none or yes."""
    ALL_CASES = "all cases"
    """The paper claims that a statement always holds; the value is the number of cases checked."""
    PROJECT = "project"
    """This project chose the value as a threshold for a statement without a number."""


class Relation(StrEnum):
    """The relation that a computed value should have to the printed one."""

    EQUAL = "="
    AT_MOST = "<="
    AT_LEAST = ">="


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity to compare.

    Attributes:
        what: a description of the quantity.
        expected: the value to compare with.
        ours: the value computed here; None if no computation settles it.
        tolerance: largest absolute difference that counts as equal; 0 for exact values. This
            project chose it.
        relation: the relation of ours to the expected value.
        corrected: the value that the paper should have, if it has an error.
        reason: the reason why no computation settles it, and the value computed instead.
        source: the source of the expected value.
    """

    what: str
    expected: Value
    ours: Value | None
    tolerance: float = 0.0
    relation: Relation = Relation.EQUAL
    corrected: Value | None = None
    reason: str = ""
    source: ValueSource = ValueSource.PAPER

    @property
    def verdict(self) -> Verdict:
        """The verdict on the quantity."""
        if self.ours is None:
            return Verdict.UNDECIDED
        if stands(self.ours, self.expected, self.relation, self.tolerance):
            return Verdict.AGREES
        if self.corrected is not None and stands(
            self.ours, self.corrected, self.relation, self.tolerance
        ):
            return Verdict.CORRECTED
        return Verdict.DIFFERS


def stands(ours: Value, said: Value, relation: Relation, tolerance: float) -> bool:
    """Return whether one value has a relation to another; several values have it if each does."""
    if isinstance(said, tuple) or isinstance(ours, tuple):
        if not (isinstance(said, tuple) and isinstance(ours, tuple)) or len(said) != len(ours):
            return False
        return all(stands(o, s, relation, tolerance) for o, s in zip(ours, said, strict=True))
    if isinstance(said, str) or isinstance(ours, str):
        return ours == said
    return _numbers_stand(ours, said, relation, tolerance)


def _numbers_stand(ours: Number, said: Number, relation: Relation, tolerance: float) -> bool:
    # Differences of whole numbers and fractions are exact, however long they are.
    above: Number = ours - said
    if isinstance(above, float) and isnan(above):
        return False
    if relation is Relation.AT_MOST:
        return above <= tolerance
    if relation is Relation.AT_LEAST:
        return -above <= tolerance
    return -tolerance <= above <= tolerance


def equal(what: str, expected: Value, ours: Value, corrected: Value | None = None) -> Quantity:
    """Compare exactly, perhaps with a corrected value of the paper."""
    return Quantity(what, expected, ours, corrected=corrected)


def every(what: str, cases: int, ours: int) -> Quantity:
    """Compare a statement that always holds: the number of cases in which it holds here."""
    return Quantity(what, cases, ours, source=ValueSource.ALL_CASES)


def near(what: str, expected: Value, ours: Value, tolerance: float) -> Quantity:
    """Compare within a tolerance."""
    return Quantity(what, expected, ours, tolerance)


def near_threshold(what: str, expected: Value, ours: Value, tolerance: float) -> Quantity:
    """Compare with a value that this project chose, within a tolerance."""
    return Quantity(what, expected, ours, tolerance, source=ValueSource.PROJECT)


def at_most(what: str, threshold: Value, ours: Value, *, printed: bool = False) -> Quantity:
    """Compare: our value must not exceed a threshold of this project, or a printed bound."""
    source = ValueSource.PAPER if printed else ValueSource.PROJECT
    return Quantity(what, threshold, ours, relation=Relation.AT_MOST, source=source)


def at_least(what: str, threshold: Value, ours: Value, *, printed: bool = False) -> Quantity:
    """Compare: our value must not be below a threshold of this project, or a printed bound."""
    source = ValueSource.PAPER if printed else ValueSource.PROJECT
    return Quantity(what, threshold, ours, relation=Relation.AT_LEAST, source=source)


def holds(what: str, *, ours: bool, corrected: bool | None = None) -> Quantity:
    """Compare a statement of the paper with its truth here."""
    return Quantity(what, True, bool(ours), corrected=corrected)


def undecided(what: str, expected: Value, reason: str) -> Quantity:
    """Make an undecided statement; the reason names the value computed instead."""
    return Quantity(what, expected, None, reason=reason)


Compute = Callable[["ReportTables"], Iterable[Quantity]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A figure, table, theorem, equation or number of a paper.

    Attributes:
        paper: the chapter.
        reference: the place in the paper, e.g. `Figure 2`; several are joined by `; `.
        says: the paper's statement, in our words.
        compute: returns the quantities to compare.
        correction: the corrected statement, if the paper has an error.
        why: the reason for different numbers.
        evidence: for new results: the origin, or the place of the proof.
        refuted_by: for new results: the observation that would refute them.
    """

    paper: Paper
    reference: str
    says: str
    compute: Compute = field(repr=False)
    correction: str = ""
    why: str = ""
    evidence: str = ""
    refuted_by: str = ""

    @property
    def name(self) -> str:
        """A name for the command line, e.g. `chomp:figure-2`."""
        kept = "".join(c if c.isalnum() or c == "." else "-" for c in self.reference.casefold())
        return f"{self.paper}:{'-'.join(part for part in kept.split('-') if part)}"

    @property
    def references(self) -> list[str]:
        """The places of the paper that the entry covers."""
        return [part.strip() for part in self.reference.split(";")]


class Chapter:
    """The entries of one paper, in order; modules add to it by decorating functions."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.entries: list[Entry] = []

    def entry(self, reference: str, says: str, **more: str) -> Callable[[Compute], Compute]:
        """Register the decorated function, which compares quantities.

        `more` has the other texts of `Entry`.
        """

        def register(compute: Compute) -> Compute:
            self.entries.append(Entry(self.paper, reference, says, compute, **more))
            return compute

        return register


@dataclass(frozen=True, slots=True)
class Finding:
    """The computed result of an entry.

    Attributes:
        entry: the entry.
        quantities: the compared quantities, at least one; for a failed entry, those before the
            failure.
        seconds: the time of the computation, without the pictures.
        reduced: in a quick run, the limits of a full run and the smaller limits used.
        pictures: PNG files.
        failure: the failure of the computation, or of drawing the pictures.
    """

    entry: Entry
    quantities: tuple[Quantity, ...]
    seconds: float
    pictures: tuple[bytes, ...] = ()
    failure: str = ""
    reduced: tuple[tuple[Value, Value], ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict of the quantities together, if all could be computed."""
        return Verdict.FAILED if self.failure else verdict_of(self.quantities)

    @property
    def explained(self) -> bool:
        """Whether a difference, if there is one, has a known cause."""
        if self.verdict is Verdict.DIFFERS:
            return bool(self.entry.why)
        return self.verdict is not Verdict.FAILED


_GRAVEST = (Verdict.DIFFERS, Verdict.UNDECIDED, Verdict.CORRECTED, Verdict.AGREES)


def verdict_of(quantities: Iterable[Quantity]) -> Verdict:
    """Return the gravest verdict of any quantity.

    Raises:
        ValueError: there are no quantities.
    """
    found = {quantity.verdict for quantity in quantities}
    if not found:
        raise ValueError("nothing was compared")
    return next(verdict for verdict in _GRAVEST if verdict in found)
