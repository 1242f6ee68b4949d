"""Nim against chance, normal and misere: closed forms, and exact recursion for small heaps."""

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.nim import MAX_HEAPS
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.random_play import Model, Perfect, nim
from position_oracle.oracle.answers import Certainty, Method, Turns, WinProbability
from position_oracle.oracle.families.base import Coordinates, Shelf, check_not_negative, packed
from position_oracle.oracle.families.chance.answers import Floats, exactly, lasting
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

BY_THEOREM: Final = "with one pass, docs/random-play.md, theorem 1"


class NimChances:
    """Nim against chance, normal and misere."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def closed_form(self, position: Position, model: Model) -> WinProbability | None:
        """Both random, by Theorem 1.7; None in other models."""
        if model.perfect is not Perfect.NOBODY:
            return None
        game = position.game
        chance = nim.win_probability(position.coordinates, misere=game.misere, passes=game.passes)
        reason = BY_THEOREM if game.passes else "Devlin & Trifonova, Theorem 1.7"
        return exactly(position, model, chance, Certainty.THEOREM, Method.CLOSED_FORM, reason)

    def turns(self, position: Position) -> Turns:
        """By Theorem 1.7, for heaps of any size."""
        mean: Fraction | float
        passes = position.game.passes
        try:
            mean = nim.expected_turns(position.coordinates, passes)
        except ResourceLimitError:
            mean = nim.expected_turns_float(position.coordinates, passes)
        reason = "Devlin & Trifonova, Theorem 1.7" + f"; {BY_THEOREM}" * passes
        return lasting(position, mean, Certainty.THEOREM, Method.CLOSED_FORM, reason)

    def computed(self, position: Position, model: Model) -> WinProbability | None:
        """There is neither table nor simulation."""
        return None

    def batch(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Floats:
        """Probabilities (n,) that the player to move wins; NaN where they are not known."""
        heaps = _checked(game, coordinates)
        if model.perfect is Perfect.NOBODY and game.passes:
            rows = map(tuple, heaps.tolist())
            misere = game.misere
            chances = (nim.win_probability(row, misere=misere, passes=1) for row in rows)
            return np.fromiter(map(float, chances), np.float64, len(heaps))
        if model.perfect is Perfect.NOBODY:
            parity = (heaps.sum(axis=1, dtype=np.int64) + game.misere) % 2
            return np.where(heaps.max(axis=1, initial=0) > 1, 0.5, parity)
        return np.full(len(heaps), np.nan)

    def open_rows(
        self, game: GameSpec, coordinates: Coordinates, model: Model
    ) -> npt.NDArray[np.bool_]:
        """All, where one player is perfect."""
        return np.full(len(coordinates), model.perfect is not Perfect.NOBODY)

    def price_of_rows(self, game: GameSpec, coordinates: Coordinates, model: Model) -> Cost:
        """What `batch` takes: recursions where one player is perfect."""
        _checked(game, coordinates)
        return Cost((1e-5 if game.passes else 1e-7) * len(coordinates))

    def warm_up(self) -> None:
        """Nothing here is compiled."""


def _checked(game: GameSpec, coordinates: Coordinates) -> Coordinates:
    width = coordinates.shape[1] if coordinates.ndim == 2 else 0
    if not 1 <= (game.heaps or width) <= MAX_HEAPS:
        raise InvalidPositionError(f"nim: got {width} heaps; nim is played with 1 to {MAX_HEAPS}")
    heaps = packed(coordinates, game.heaps or width, rules_of("nim").form)
    check_not_negative(heaps, "nim", "heaps")
    return heaps
