"""What questions take, said before any work on them; see `engine.budget`.

A price is an upper bound in the sense that the work takes at most about three times as long. The
questions are those of `oracle.core.Oracle`, by name. Batches whose searches depend on their rows
are priced by look-ups here, and admit the searches one by one as soon as they are known.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from engine.budget import Price
from engine.games.position import Position
from engine.games.spec import GameSpec
from oracle.families.base import LOOK_UP, Prober

_MOVE_SECONDS: Final = 2e-5
_NO_ROWS: Final = np.zeros((0, 0), np.int32)
_VALUES: Final = Price(0.35, 64 << 20)
"""Looking values up may solve a table of them."""


def price_of(prober: Callable[[str], Prober], question: str, *arguments: object) -> Price:
    """The price of `getattr(oracle, question)(*arguments)`.

    Args:
        prober: gives the prober of a family.
        question: the name of a question.
        arguments: its positional arguments, positions and games already read.
    """
    match question, *arguments:
        case (("outcome" | "winning_moves"), Position() as position):
            return prober(position.game.family).price(position)
        case "analyze", Position() as position:
            moves = min(10_000, sum(position.coordinates) + 10)
            return (
                prober(position.game.family).price(position)
                + _VALUES
                + Price(_MOVE_SECONDS * moves, 1000 * moves)
            )
        case (("outcomes" | "winning_move_batch" | "win_probabilities"), GameSpec() as game, *rest):
            rows = rest[0] if isinstance(rest[0], np.ndarray) else _NO_ROWS
            with_moves = question == "winning_move_batch"
            return prober(game.family).price_of_batch(game, rows, with_moves=with_moves)
        case "win_probability", Position(), *_:
            return Price(0.8, 64 << 20)
        case "instant_winners", GameSpec() as game, int(x), int(size_y), int(size_z), *rest:
            first_y, first_z = (each if isinstance(each, int) else 0 for each in rest or (0, 0))
            return prober(game.family).price_of_window(game, x, size_y, size_z, first_y, first_z)
        case "losers", GameSpec() as game, int(x), int(size_y), *rest:
            first_y = rest[0] if rest and isinstance(rest[0], int) else 0
            return prober(game.family).price_of_window(game, x + 1, size_y, 1, first_y, 0)
    return LOOK_UP
