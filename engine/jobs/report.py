"""Checks of stored results: the amount that is checked, and the findings."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from position_oracle.schema.errors import NotationError

WHOLE_SAMPLE: Final = 20_000
"""Number of positions drawn in a full check, which also computes the tables again."""

MAX_SAMPLE: Final = 1_000_000
"""Maximum number of drawn positions: some minutes of checks."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The part of a table to check.

    Attributes:
        size: number of positions to draw; None for a full check, which draws `WHOLE_SAMPLE`
            positions of tables whose positions are not all checked.
        seed: seed of the random numbers.
    """

    size: int | None = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a sample that cannot be drawn.

        Raises:
            NotationError: the size is 0 or too large, or the seed is negative.
        """
        if self.size is not None and not 1 <= self.size <= MAX_SAMPLE:
            raise NotationError(f"a sample of {self.size} positions; 1 to {MAX_SAMPLE:,} are drawn")
        if self.seed < 0:
            raise NotationError(f"the seed {self.seed} is negative")

    @property
    def whole(self) -> bool:
        """Whether everything is to be checked."""
        return self.size is None

    @property
    def draws(self) -> int:
        """Number of positions to draw if not all can be visited."""
        return WHOLE_SAMPLE if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its finding.

    Attributes:
        name: a description of the check.
        count: the number of positions, rows or facts checked.
        detail: the first counterexample; empty if the check passed.
    """

    name: str
    count: int
    detail: str = ""

    @property
    def passed(self) -> bool:
        """Whether there was no counterexample."""
        return not self.detail


def check(name: str, count: int, failures: Iterable[str]) -> Check:
    """Make a check that passes if there are no failures.

    Args:
        name: a description of the check.
        count: the number of positions, rows or facts checked.
        failures: descriptions of faults; only the first is taken.
    """
    return Check(name, count, next(iter(failures), ""))


def check_equal(name: str, count: int, found: object, expected: object) -> Check:
    """Make a check that two values are equal; the detail shows unequal values."""
    return check(name, count, [] if found == expected else [f"{found} instead of {expected}"])


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """All checks of the results of one game and kind.

    Attributes:
        game: canonical text of the game.
        kind: the kind of results.
        limit: the limit of the build.
        checks: the checks in order.
    """

    game: str
    kind: str
    limit: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)
