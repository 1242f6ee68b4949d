"""What is answered from a census and its checkpoints."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Position = tuple[int, int, int]


class SweepStoppedError(Exception):
    """The stop flag was set before the answer was found."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the player to move wins; ``swept``: found by sweeping, not read."""

    wins: bool
    swept: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """All about one position [x, y, z].

    Attributes:
        wins: Whether the player to move wins.
        moves: The children [x, y, z] that are P-positions, in the order of the moves M1 to M5;
            empty if the position is lost.
        swept: Whether anything was found by sweeping; otherwise all was read.
    """

    wins: bool
    moves: tuple[Position, ...]
    swept: bool


@dataclass(frozen=True, slots=True, eq=False)
class LoserWindow:
    """Part of a loser sheet: int32 ``z`` of the P-position [x, y, z] for consecutive y, or -1."""

    z: NDArray[np.int32]
    swept: bool


@dataclass(frozen=True, slots=True, eq=False)
class WinnerWindow:
    """Part of a sheet of instant winners.

    ``wins`` bool of shape (y, z): whether [x, y, z] has a move to a P-position of a smaller x.
    """

    wins: NDArray[np.bool_]
    swept: bool
