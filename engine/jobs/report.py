"""Checks of stored results: how much is checked, and what was found."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from position_oracle.schema.errors import NotationError

WHOLE_SAMPLE: Final = 20_000
"""Positions drawn from what is infinite when everything else is checked."""

MAX_SAMPLE: Final = 1_000_000
"""Most positions that are drawn: some minutes of checks."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The part of a table to check.

    Attributes:
        size: positions to draw; None: everything that is finite, and `WHOLE_SAMPLE` of the rest.
        seed: fixes the draw.
    """

    size: int | None = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn.

        Raises:
            NotationError: a sample of nothing or of too much, or a negative seed.
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
        """Positions to draw where not all can be visited."""
        return WHOLE_SAMPLE if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        name: what was checked, in words.
        count: positions, rows or facts looked at.
        detail: the first counterexample; empty if it holds.
    """

    name: str
    count: int
    detail: str = ""

    @property
    def passed(self) -> bool:
        """Whether it holds."""
        return not self.detail


def check(name: str, count: int, failures: Iterable[str]) -> Check:
    """A check that holds where nothing fails.

    Args:
        name: what is checked, in words.
        count: positions, rows or facts looked at.
        failures: the fault, in words; only the first is looked for.
    """
    return Check(name, count, next(iter(failures), ""))


def check_equal(name: str, count: int, found: object, expected: object) -> Check:
    """A check that two things are the same; they are shown where they are not."""
    return check(name, count, [] if found == expected else [f"{found} instead of {expected}"])


def check_columns(
    name: str, count: int, found: Mapping[str, Any], expected: Mapping[str, Any]
) -> Check:
    """A check that arrays are the expected ones; the names of others are shown."""
    other = [each for each in expected if not np.array_equal(found[each], expected[each])]
    return Check(name, count, f"{', '.join(other)} differ" if other else "")


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Everything that was checked about the results of one game and kind.

    Attributes:
        game: canonical text of the game.
        kind: what was computed.
        limit: how far.
        checks: in the order they were made.
    """

    game: str
    kind: str
    limit: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(check.passed for check in self.checks)
