"""What questions take: as the oracle says, or judged by what it says of its games."""

from dataclasses import replace
from typing import Final

import numpy as np

from engine.budget import Price
from engine.games.position import Position
from engine.games.spec import GameSpec
from oracle.answers import Certainty
from oracle.server.backend import Backend, Priced

QUICK: Final = 0.0005
"""Questions of at most so many seconds are answered on the event loop."""

_MAX_COORDINATES: Final = 3  # the limit of a table is one of x, the first of three coordinates
_MAX_HEAPS: Final = 16  # the moves of a longer position take a while to write
_LOOK_UP: Final = Price(2e-5)
_SEARCH: Final = Price(1.0, 64 * 1024 * 1024)
_THREAD: Final = Price(0.001)  # never on the event loop
_ROW_LOOK_UP: Final = 1e-6
_ROW_SEARCH: Final = 1e-4
_CELL: Final = 1e-7
_ROW_BYTES: Final = 64


class Prices:
    """The prices of one oracle's questions.

    Where the oracle is not `Priced`, positions that a table or a closed form answers are told from
    those that may take a search. Where there is doubt, it may take a search.
    """

    def __init__(self, oracle: Backend) -> None:
        self.oracle = oracle
        self._limits: dict[GameSpec, int | None] = {
            info.game: info.limit
            for info in oracle.games()
            if (info.certainty is Certainty.EXACT_TABLE and info.limit is not None)
            or info.certainty is Certainty.THEOREM
        }
        self.price = oracle.price if isinstance(oracle, Priced) else self._judged

    def _judged(self, question: str, /, *arguments: object) -> Price:
        if question in {"outcome", "winning_moves"} and isinstance(arguments[0], Position):
            return _LOOK_UP if self._is_looked_up(arguments[0]) else _SEARCH
        match (question, *arguments):
            case ("games",):
                return _LOOK_UP
            case ("outcomes" | "winning_move_batch", GameSpec() as game, np.ndarray() as rows):
                row = _ROW_SEARCH if self._limit(game) == -1 else _ROW_LOOK_UP
                return _THREAD + Price(len(rows) * row, len(rows) * _ROW_BYTES)
            case ("win_probabilities", GameSpec(), np.ndarray() as rows, _):
                return _THREAD + Price(len(rows) * _ROW_SEARCH, len(rows) * _ROW_BYTES)
            case ("instant_winners", GameSpec(), int(x), int(y), int(z)):
                cells = (y + 1) * (z + 1)
                return _THREAD + Price(_CELL * (cells + x), _ROW_BYTES * cells)
        return _SEARCH

    def _is_looked_up(self, position: Position) -> bool:
        limit, coordinates = self._limit(position.game), position.coordinates
        if limit is None:
            # Transfinite positions have no coordinates; their theorems may turn to a search.
            return 0 < len(coordinates) <= _MAX_HEAPS
        return len(coordinates) <= _MAX_COORDINATES and max(coordinates[:1], default=0) <= limit

    def _limit(self, game: GameSpec) -> int | None:
        """Largest x that is looked up; None where there is none, -1 where all are searched."""
        limit = self._limits.get(game, -1)
        if limit == -1 and game.heaps is not None:  # theorems are listed for any number of heaps
            limit = self._limits.get(replace(game, heaps=None), -1)
        return limit
