"""What a prober is: it answers for one family of games, from arrays or theory.

As in chess tablebases, probing means looking a position up. Probers know neither transport nor
SQL, never change once made, and may be used from many threads.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from engine.games.position import Outcome, Position
from engine.games.spec import GameSpec
from oracle.answers import Answer, Certainty, GameInfo
from schema.errors import InvalidPositionError, UnknownAnswerError

Coordinates = npt.NDArray[np.integer]
Outcomes = npt.NDArray[np.uint8]
Moves = npt.NDArray[np.int32]

INT32_MAX: Final = 2**31 - 1

NO_MOVE: Final = -1
"""In a batch of winning moves, a row of these: no move wins, or none is known."""

PASS_ONLY: Final = -2
"""In a batch of winning moves, a row of these: only the pass wins."""


class Prober(ABC):
    """Answers for one family."""

    family: ClassVar[str]

    @abstractmethod
    def games(self) -> tuple[GameInfo, ...]:
        """What can be answered, and how far."""

    @abstractmethod
    def outcome(self, position: Position) -> Answer:
        """The outcome of a position whose coordinates are legal."""

    @abstractmethod
    def winning_moves(self, position: Position) -> Answer:
        """The outcome and all winning moves of a position whose coordinates are legal."""

    @abstractmethod
    def outcomes(self, game: GameSpec, coordinates: Coordinates) -> Outcomes:
        """Outcomes of many positions of one game.

        Args:
            game: the game, with the passes left in it.
            coordinates: integers (n, k) up to 2^31 - 1.

        Returns:
            uint8 (n,) of `Outcome` values.

        Raises:
            InvalidPositionError: a row is no position; the message names the row.
        """

    @abstractmethod
    def winning_move_batch(
        self, game: GameSpec, coordinates: Coordinates
    ) -> tuple[Outcomes, Moves]:
        """Outcomes of many positions and the first winning move of each.

        Returns:
            Outcomes (n,), and the child's coordinates int32 (n, k), or `NO_MOVE`, or `PASS_ONLY`.

        Raises:
            InvalidPositionError: a row is no position, or too large for its children to fit
                int32; the message names the row.
        """

    def instant_winners(
        self, game: GameSpec, x: int, size_y: int, size_z: int
    ) -> npt.NDArray[np.uint8]:
        """A window of the instant-winner sheet W_x; see `engine.solvers.instant_winners`.

        Returns:
            uint8 (size_y, size_z) of `Origin` flags.

        Raises:
            InvalidPositionError: x or a size is negative.
            ResourceLimitError: the window is too large.
            UnknownAnswerError: the game has no sheets, or they are not known so far.
        """
        raise UnknownAnswerError(f"{game.text} has no instant-winner sheets here")


def unknown(position: Position, reason: str) -> Answer:
    """The answer that nothing at hand decides; `reason` says what would."""
    return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, reason)


def packed(coordinates: Coordinates, columns: int, form: str) -> npt.NDArray[np.int32]:
    """Coordinates of a batch as int32 (n, columns), C-contiguous; a view where they are already.

    Raises:
        InvalidPositionError: the array has another shape, or a number does not fit int32.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != columns:
        raise InvalidPositionError(
            f"{form}: positions come as an integer array of shape (n, {columns}); got shape"
            f" {coordinates.shape}"
        )
    narrow = np.ascontiguousarray(coordinates, np.int32)
    if narrow.dtype != coordinates.dtype:
        changed = np.flatnonzero((narrow != coordinates).any(axis=1))
        if len(changed):
            raise InvalidPositionError(
                f"{form}: row {changed[0]} is {coordinates[changed[0]].tolist()}; batches take"
                " numbers up to 2^31 - 1, single questions larger ones"
            )
    return narrow
