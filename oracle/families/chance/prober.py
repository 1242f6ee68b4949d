"""A prober whose games are also answered against chance."""

from abc import abstractmethod
from typing import Protocol

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import Model, Perfect
from position_oracle.oracle.answers import Turns, WinProbability
from position_oracle.oracle.families.base import KNOWN_TURNS, Coordinates, Prober
from position_oracle.oracle.families.chance.answers import Floats


class Chances(Protocol):
    """What a family knows of its games against chance."""

    def closed_form(self, position: Position, model: Model) -> WinProbability | None:
        """By a theorem; None where none holds."""

    def turns(self, position: Position) -> Turns:
        """The expected number of turns of a game at random, by a theorem; no distribution."""

    def computed(self, position: Position, model: Model) -> WinProbability | None:
        """By table or simulation; an unknown answer, or None, where none reaches."""

    def batch(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Floats:
        """Probabilities (n,) that the player to move wins; NaN where the outcome may tell.

        Raises:
            InvalidPositionError: a row is no position; the message names the row.
        """

    def open_rows(
        self, game: GameSpec, coordinates: Coordinates, model: Model
    ) -> npt.NDArray[np.bool_]:
        """Which rows `batch` leaves open; bool (n,)."""

    def price_of_rows(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Cost:
        """What `batch` takes.

        Raises:
            InvalidPositionError: a row is no position; the message names the row.
        """

    def warm_up(self) -> None:
        """Ask one question of each kind."""


class ChanceProber(Prober):
    """Answers for games without passes and declared positions."""

    @property
    @abstractmethod
    def chances(self) -> Chances:
        """What the family knows of its games against chance."""

    def has_chances(self, game: GameSpec) -> bool:
        """Whether a game has models of chance here."""
        return not game.passes and game.is_plain

    def known_chance(self, position: Position, model: Model) -> WinProbability | None:
        """By a closed form, or the outcome."""
        if not self.has_chances(position.game):
            return super().known_chance(position, model)
        return self.chances.closed_form(position, model) or super().known_chance(position, model)

    def computed_chance(self, position: Position, model: Model) -> WinProbability | None:
        """By a table or a simulation."""
        if not self.has_chances(position.game):
            return None
        return self.chances.computed(position, model)

    def known_turns(self, position: Position) -> Turns | None:
        """By a closed form."""
        return self.chances.turns(position) if self._has_mean(position.game) else None

    def _has_mean(self, game: GameSpec) -> bool:
        """Whether the mean number of turns follows from a theorem: also with one pass."""
        return game.passes <= 1 and self.has_chances(game.with_passes(0))

    def price_of_turns(self, position: Position) -> Cost:
        """That of a closed form alone where no search is tried."""
        if self._has_mean(position.game) and not self.search.fits(position):
            return KNOWN_TURNS
        return super().price_of_turns(position)

    def win_probabilities(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Floats:
        """See `Prober.win_probabilities`."""
        if not self.has_chances(game):
            return super().win_probabilities(game, coordinates, model)
        chances = self.chances.batch(game, coordinates, model)
        rest = np.flatnonzero(np.isnan(chances))
        if len(rest) and model.perfect is not Perfect.NOBODY:
            decides = Outcome.N if model.mover_chooses else Outcome.P
            found = self.outcomes(game, coordinates[rest])
            chances[rest[found == decides]] = float(model.mover_chooses)
            rest = rest[found != decides]
        if len(rest):
            chances[rest] = super().win_probabilities(game, coordinates[rest], model)
        return chances

    def price_of_chances(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Cost:
        """Tables and recursions; and the outcomes, where they may tell."""
        if not self.has_chances(game):
            return super().price_of_chances(game, coordinates, model)
        price = self.chances.price_of_rows(game, coordinates, model)
        rest = coordinates[self.chances.open_rows(game, coordinates, model)]
        if len(rest):
            price += super().price_of_chances(game, rest, model)
        if model.perfect is Perfect.NOBODY:
            return price
        return price + self.price_of_rows(game, coordinates)
