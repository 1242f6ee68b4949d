"""The answered games, their ranges, and the builds behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic

from position_oracle.schema.answers import Certainty

if TYPE_CHECKING:
    # With a default `GameInfo` alone means `GameInfo[str]`; Python knows defaults from 3.13 on.
    from typing_extensions import TypeVar

    G = TypeVar("G", default=str)
else:
    from typing import TypeVar

    G = TypeVar("G")


@dataclass(frozen=True, slots=True)
class Build:
    """The origin of a table: one row of the table `build`.

    Attributes:
        build_id: number of the build in its table file, from 1.
        game: canonical text of the game, e.g. `chomp3{passes=1}`.
        kind: the kind of results, e.g. `sheets`.
        limit: the requested limit, as text, e.g. `10000`.
        started_at: start of the computation (UTC).
        seconds: wall-clock time of computing and writing.
        rows: rows of the largest table written.
        checksum: checksum of the computed values, 16 hexadecimal digits; equal tables have equal
            checksums.
        program: name and version of the program.
        environment: versions of Python, numpy, numba and duckdb, and the platform, as JSON text.
    """

    build_id: int
    game: str
    kind: str
    limit: str
    started_at: datetime
    seconds: float
    rows: int
    checksum: str
    program: str
    environment: str

    @property
    def start_time(self) -> datetime:
        """The start of the computation; the contract calls it `started_at`."""
        return self.started_at

    def as_json(self) -> dict[str, object]:
        """Return JSON values with the names of the attributes as keys; the time in ISO 8601."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "started_at": self.started_at.isoformat()}


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Limits of a server on one batch.

    Attributes:
        positions: maximum number of positions.
        size: maximum bytes of the message.
    """

    positions: int = 100_000
    size: int = 4 * 1024 * 1024


QUANTITIES: Final[Mapping[str, str]] = {
    "x": "three-row Chomp: the largest x",
    "y": "three-row Chomp: the largest y",
    "z": "three-row Chomp: the largest z",
    "heaps": "the most heaps",
    "heap": "the largest heap",
    "other_heaps": "the second-largest heap",
    "rows": "the most rows of a Chomp board",
    "columns": "the longest row of a Chomp board",
    "cells": "the most cookies of a Chomp board, or cells of a strip",
    "positions": "the most positions that a search may come to, the one asked included",
    "divisors": "the most numbers left in the game of divisors",
}
"""The names of limited quantities, with descriptions."""

Limits = Mapping[str, int]
"""A range in numbers: the maximum of each quantity, by name (mostly of `QUANTITIES`).

A position is answered if none of its quantities exceeds the maximum here. A missing quantity is not
limited. The cost of a search may still exceed the limit of a server.
"""


@dataclass(frozen=True, slots=True)
class GameSource:
    """A range of positions of a game and its source: a table, a theorem, or a search.

    Attributes:
        range: the positions covered, in words, e.g. `x <= 10000, any y and z`.
        limits: the range in numbers; None if numbers do not describe it.
        certainty: the certainty of answers inside the range.
        questions: names of the questions that the source answers: `outcome`, `winning_moves`, ...
        build: the build of the table; None for theorems and searches.
    """

    range: str
    certainty: Certainty
    questions: tuple[str, ...]
    limits: Limits | None = None
    build: Build | None = None


@dataclass(frozen=True, slots=True)
class Introduction:
    """A description of a game for people who do not know it, in simple words.

    Attributes:
        title: the name of the game.
        start: text of a position to begin with. The player who moves first can win it, if the text
            belongs to this game and not only to its family.
        rules: the moves, in one or two sentences; descriptions of a family have its options in
            braces, `{max}`.
        loses: the condition of losing: a text that follows "You lose when".
        note: a remark; may be empty.
    """

    title: str
    start: str
    rules: str
    loses: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class GameInfo(Generic[G]):
    """A game: its rules, and the range of its answers.

    Attributes:
        game: the game; in the clients its canonical text, e.g. `chomp3{passes=1}`, for batches.
        sources: the sources of answers.
        introduction: the rules in words.
    """

    game: G
    sources: tuple[GameSource, ...]
    introduction: Introduction

    @property
    def questions(self) -> tuple[str, ...]:
        """Names of the questions that are answered for some positions."""
        return tuple(dict.fromkeys(name for each in self.sources for name in each.questions))
