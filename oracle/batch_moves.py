"""The moves of a packed batch: a child, no move, only the pass, or unknown."""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import current
from position_oracle.engine.games.moves import winner
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Outcome
from position_oracle.oracle.families.rows import distinct_rows
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY

Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.int32]


class BatchMove(IntEnum):
    """The kind of move at one position of a batch; the numbers are those of the contract."""

    UNKNOWN = 0
    NONE = 1
    CHILD = 2
    PASS = 3


def named_moves(game: GameSpec, rows: Rows, outcomes: Bytes, children: Rows) -> tuple[Bytes, Rows]:
    """Return the kind of each move, and the children, with zeros if there is none.

    Args:
        game: the game of all positions.
        rows: the positions, int32 (n, k).
        outcomes: the outcomes of the positions, uint8 (n,).
        children: the result of `Answerer.winning_move_batch`, int32 (n, k).
    """
    said = np.full(len(rows), BatchMove.CHILD, np.uint8)
    said[(children == PASS_ONLY).all(axis=1)] = BatchMove.PASS
    without = (children == NO_MOVE).all(axis=1)
    said[without] = BatchMove.UNKNOWN
    said[without & (outcomes == Outcome.P)] = BatchMove.NONE
    open_rows = np.flatnonzero(without & (outcomes == Outcome.N))
    if len(open_rows):
        first, place = distinct_rows(rows[open_rows])
        over = np.array([_is_over(game, row) for row in rows[open_rows[first]].tolist()])
        said[open_rows[over[place]]] = BatchMove.NONE
    return said, np.where((said == BatchMove.CHILD)[:, np.newaxis], children, np.int32(0))


def _is_over(game: GameSpec, row: list[int]) -> bool:
    current().check()
    return winner(rules_of(game.family).position(game, tuple(row))) is not None
