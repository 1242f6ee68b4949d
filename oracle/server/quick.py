"""Which positions are answered in microseconds, judged by what the oracle says of its games."""

from dataclasses import replace
from functools import lru_cache

from engine.games.position import Position
from engine.games.spec import GameSpec
from oracle.answers import Certainty
from oracle.server.backend import Backend

_MAX_COORDINATES = 3  # the limit of a table is one of x, the first of at most three coordinates


class QuickPositions:
    """Tells positions that a table or a closed form answers from those that may take a search.

    The event loop answers the former itself; a search would make all other callers wait, so it
    belongs into a thread. Where there is doubt, the answer is that it may take a search.
    """

    def __init__(self, oracle: Backend) -> None:
        self.oracle = oracle
        self._limits: dict[GameSpec, int | None] = {
            info.game: info.limit
            for info in oracle.games()
            if (info.certainty is Certainty.EXACT_TABLE and info.limit is not None)
            or info.certainty is Certainty.THEOREM
        }

    def __contains__(self, position: Position) -> bool:
        """Whether a position is answered in microseconds."""
        game = position.game
        limit = self._limits.get(game if game in self._limits else _any_heaps(game), -1)
        coordinates = position.coordinates
        if limit is None:
            # Transfinite positions have no coordinates; their theorems may turn to a search.
            return bool(coordinates)
        return len(coordinates) <= _MAX_COORDINATES and max(coordinates[:1], default=0) <= limit


@lru_cache(maxsize=256)
def _any_heaps(game: GameSpec) -> GameSpec:
    """The game with any number of heaps: theorems are listed under that name."""
    return game if game.heaps is None else replace(game, heaps=None)
