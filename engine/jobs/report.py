"""What checks of stored results are asked and what they answer."""

from dataclasses import dataclass
from typing import Final

from schema.errors import NotationError

WHOLE_SAMPLE: Final = 20_000
"""Positions drawn from what is infinite when everything else is checked."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of a table to check.

    Attributes:
        size: positions to draw; None: everything that is finite, and `WHOLE_SAMPLE` of the rest.
        seed: fixes the draw.
    """

    size: int | None = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a sample of nothing."""
        if self.size is not None and self.size < 1:
            raise NotationError(f"a sample of {self.size} positions checks nothing")

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
        passed: whether it holds.
        count: positions, rows or facts looked at.
        detail: the first counterexample; empty if it holds.
    """

    name: str
    passed: bool
    count: int
    detail: str = ""


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
