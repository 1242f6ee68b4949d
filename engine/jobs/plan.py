"""Build plans: game, kind, limit and cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Job, job_for
from position_oracle.engine.jobs.resources import ResourceEstimate, check_resources
from position_oracle.schema.addresses import check_address
from position_oracle.schema.errors import BuildError, NotationError, ResourceLimitError
from position_oracle.schema.games import Build
from position_oracle.schema.numbers import shown
from position_oracle.schema.snapshot import GameRow, Snapshot, Store


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """One job: compute the results of one kind of one game, up to a limit.

    Attributes:
        game: the game.
        kind: the kind of results, e.g. `sheets`.
        limit: canonical text of the limit, e.g. `10000`.
    """

    game: GameSpec
    kind: str
    limit: str

    @classmethod
    def of(
        cls, game: GameSpec | str, limit: int | str | None = None, kind: str | None = None
    ) -> Self:
        """Make a checked plan.

        Args:
            game: the game or its text.
            limit: the limit, whose form depends on the family; None for the usual one.
            kind: the kind of results; None for the usual one of the family.

        Raises:
            NotationError: the game or the limit cannot be read, or the game has no such build.
            UnknownGameError: the family has no tables, or none of this kind.
        """
        spec = parse_game(game) if isinstance(game, str) else game
        job = job_for(spec, kind)
        text = job.usual_limit(spec) if limit is None else str(limit)
        return cls(spec, job.kind, job.read_limit(spec, text))

    @classmethod
    def all_needed(
        cls, game: GameSpec | str, limit: int | str | None = None, kind: str | None = None
    ) -> list[Self]:
        """Return the plans whose results together answer questions about a game, in build order.

        A game with passes also needs games with fewer passes; see `Job.games_needed`.

        Raises:
            NotationError, UnknownGameError: see `of`.
        """
        spec = parse_game(game) if isinstance(game, str) else game
        games = job_for(spec, kind).games_needed(spec)
        return [cls.of(each, limit, kind) for each in games]

    @property
    def job(self) -> Job:
        """The job for this kind of results."""
        return job_for(self.game, self.kind)

    @property
    def text(self) -> str:
        """The plan as text, e.g. `chomp3 sheets up to 10000`."""
        return f"{self.game.text} {self.kind} up to {self.limit}"

    def estimate(self) -> ResourceEstimate:
        """Return rows, time, memory and disk of the build, from models fitted to runs."""
        return self.job.estimate(self.game, self.limit)

    def check_scheduler(self, scheduler: str) -> None:
        """Refuse a scheduler whose workers cannot do this build.

        Raises:
            NotationError: workers cannot do this kind of work, or the text is not the address of a
                scheduler.
        """
        if not self.job.spreads:
            raise NotationError(f"{self.text}: such tables are computed on one machine only")
        protocol, slashes, address = scheduler.partition("://")
        if not slashes or protocol not in {"tcp", "tls"}:
            raise NotationError(
                f"{shown(scheduler)} is not a scheduler; write tcp://host:port or tls://host:port"
            )
        check_address(address)

    def stored(self, store: Store) -> Build | None:
        """Return the published build of this game and kind; None if there is none.

        Raises:
            TableFileError: the current file cannot be read.
        """
        if store.current() is None:
            return None
        with Snapshot.open(store) as snapshot:
            builds = snapshot.builds()
        names = (self.game.text, self.kind)
        return next((build for build in builds if (build.game, build.kind) == names), None)

    def is_there(self, store: Store) -> bool:
        """Return whether published tables answer every question that this plan's tables would."""
        stored = self.stored(store)
        return stored is not None and self._covers(stored.limit, self.limit)

    def _covers(self, limit: str, other: str) -> bool:
        try:
            return self.job.covers(limit, other)
        except (ValueError, ResourceLimitError):
            return False  # a stored limit that this program would not write

    def check_loses_nothing(self, store: Store) -> None:
        """Refuse a build that would replace tables that answer more.

        Raises:
            BuildError: the published tables answer positions that the new ones would not.
        """
        stored = self.stored(store)
        if stored is not None and not self._covers(self.limit, stored.limit):
            raise BuildError(
                f"{self.text} would replace a table up to {stored.limit}, which answers more;"
                " build at least that far, or pass --replace"
            )


def estimate_all(plans: Iterable[BuildPlan]) -> ResourceEstimate:
    """Return the cost of several builds in sequence."""
    every = [plan.estimate() for plan in plans]
    return ResourceEstimate(
        rows=sum(each.rows for each in every),
        seconds=sum(each.seconds for each in every),
        memory_bytes=max((each.memory_bytes for each in every), default=0),
        disk_bytes=sum(each.disk_bytes for each in every),
    )


def check_plans(plans: list[BuildPlan], store: Store) -> None:
    """Refuse builds that would together exceed memory or disk, before any work.

    Raises:
        ResourceLimitError: memory or disk is too small; the message has the estimate.
    """
    current = store.current()
    carried = 0 if current is None else current.stat().st_size
    what = " and ".join(plan.text for plan in plans)
    check_resources(what, estimate_all(plans), store.folder, carried)


def game_record(game: GameSpec) -> GameRow:
    """Return the row of the table `game` for a game."""
    return GameRow(
        game_id=game.game_id,
        name=game.text,
        family=game.family,
        heaps=game.heaps,
        rule=game.rule,
        passes=game.passes,
        misere=game.misere,
        declared=game.declared,
        noise=None if game.noise is None else str(game.noise),
        seed=None if game.noise is None else game.noise.seed,
    )
