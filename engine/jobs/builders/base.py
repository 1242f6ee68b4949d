"""What a builder is."""

from collections.abc import Iterator
from typing import Protocol

from engine.games.spec import GameSpec
from engine.jobs.progress import ProgressCallback, StopFlag
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.snapshot import Snapshot, TableWriter


class Builder(Protocol):
    """Computes, stores and checks one kind of results of one family; has no state."""

    @property
    def family(self) -> str:
        """The family, e.g. `chomp3`."""

    @property
    def kind(self) -> str:
        """What is computed, e.g. `sheets`."""

    @property
    def table_names(self) -> tuple[str, ...]:
        """The result tables written."""

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """The games whose results together answer for a game, in the order of building them.

        The last one decides its outcomes; earlier ones tell where a pass wins.
        """

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """The limit in canonical form.

        Raises:
            NotationError: not a limit for this game, or the game has no such results.
        """

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """What a build up to this (canonical) limit will take."""

    def run(
        self,
        game: GameSpec,
        limit: str,
        writer: TableWriter,
        progress: ProgressCallback,
        stop: StopFlag,
    ) -> None:
        """Compute the results and write them, in sorted order and bounded memory.

        Raises:
            BuildInterruptedError: `stop` was set.
        """

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """Check stored results against the rules of the game and published facts."""
