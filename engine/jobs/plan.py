"""Plans: which game, what of it, how far; and what that will take."""

from dataclasses import dataclass
from typing import Self

from engine.games.game_text import parse_game
from engine.games.spec import GameSpec
from engine.jobs.builders import Builder, builder_for
from engine.jobs.resources import Estimate, check_resources
from schema.snapshot import GameRecord, Store


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """One job: compute the results of one kind of one game, up to a limit.

    Attributes:
        game: the game.
        kind: what is computed, e.g. `sheets`.
        limit: canonical text of the limit, e.g. `10000`.
    """

    game: GameSpec
    kind: str
    limit: str

    @classmethod
    def of(cls, game: GameSpec | str, limit: int | str, kind: str | None = None) -> Self:
        """A checked plan.

        Args:
            game: the game or its text.
            limit: the limit; its form depends on the family.
            kind: what to compute; None: what is usual for the family.

        Raises:
            NotationError: the game or the limit cannot be read, or does not allow such a build.
            UnknownGameError: there are no tables of this family, or not of this kind.
        """
        spec = parse_game(game) if isinstance(game, str) else game
        builder = builder_for(spec, kind)
        return cls(spec, builder.kind, builder.canonical_limit(spec, str(limit)))

    @classmethod
    def all_needed(
        cls, game: GameSpec | str, limit: int | str, kind: str | None = None
    ) -> list[Self]:
        """The plans whose results together answer for a game, in the order of running them.

        A game with passes needs games with fewer of them, too; see `Builder.games_needed`.

        Raises:
            NotationError, UnknownGameError: see `of`.
        """
        spec = parse_game(game) if isinstance(game, str) else game
        games = builder_for(spec, kind).games_needed(spec)
        return [cls.of(each, limit, kind) for each in games]

    @property
    def builder(self) -> Builder:
        """What computes this kind of results for this family."""
        return builder_for(self.game, self.kind)

    @property
    def text(self) -> str:
        """The plan for people, e.g. `chomp3 sheets up to 10000`."""
        return f"{self.game.text} {self.kind} up to {self.limit}"

    def estimate(self) -> Estimate:
        """Rows, time, memory and disk that the build will take, from models fitted to runs."""
        return self.builder.estimate(self.game, self.limit)

    def check_resources(self, store: Store) -> None:
        """Refuse a build that would not fit, before any work.

        Raises:
            ResourceLimitError: memory or disk is too small; the message has the estimate.
        """
        current = store.current()
        carried = 0 if current is None else current.stat().st_size
        check_resources(self.text, self.estimate(), store.folder, carried)


def game_record(game: GameSpec) -> GameRecord:
    """The row of the table `game` for a game."""
    return GameRecord(
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
