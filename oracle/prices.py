"""What questions take, said before any work on them; see `engine.budget`.

A price is an upper bound in the sense that the work takes at most about three times as long. The
questions are those of `oracle.core.Oracle`, by name. A batch is priced by all its rows, which takes
up to some microseconds a row: the door does that in the thread that has read it.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.sum import components_of
from position_oracle.engine.theory.random_play import Model
from position_oracle.oracle.analysis import ASKED_SECONDS, MAX_ASKED
from position_oracle.oracle.answers import MAX_MOVES
from position_oracle.oracle.families.base import LOOK_UP, ROW_SECONDS, Prober
from position_oracle.oracle.line import MAX_LOOKED
from position_oracle.schema.errors import PositionOracleError, StoppedError
from position_oracle.schema.lines import DEFAULT_PLIES

_MOVE_SECONDS: Final = 2e-5
_SKIP_SECONDS: Final = 5e-6
_LOOK_SECONDS: Final = 6e-6
_PLY_SECONDS: Final = 1e-4
_ROW_SECONDS: Final = 5e-7
_BATCH_SECONDS: Final = 1e-3
_FIXED: Final = {
    "estimate_column": Cost(4e-4),
    "estimate_opening": Cost(4e-4),
}
"""Prices that depend on the question alone."""


def price_of(prober: Callable[[GameSpec], Prober], question: str, *arguments: object) -> Cost:
    """The price of `getattr(oracle, question)(*arguments)`.

    Args:
        prober: gives the prober of a game.
        question: the name of a question.
        arguments: its positional arguments, positions and games already read.
    """
    match question, *arguments:
        case (("outcome" | "winning_moves"), Position() as position):
            return prober(position.game).price(position)
        case (("analyze" | "best_line"), Position() as position, *rest):
            return _of_values(prober(position.game), question, position, *rest)
        case (("outcomes" | "winning_move_batch"), GameSpec() as game, np.ndarray() as rows):
            family, with_moves = prober(game), question != "outcomes"
            return _of_batch(
                lambda: family.price_of_rows(game, rows, with_moves=with_moves), len(rows)
            )
        case "win_probability", Position() as position, _:
            return prober(position.game).price_of_chance(position)
        case "turns", Position() as position:
            return prober(position.game).price_of_turns(position)
        case "win_probabilities", GameSpec() as game, np.ndarray() as rows, Model() as model:
            family = prober(game)
            return _of_batch(lambda: family.price_of_chances(game, rows, model), len(rows))
        case (("instant_winners" | "losers" | "geometry"), GameSpec() as game, *rest):
            return _of_sheets(prober(game), question, game, *rest)
    return _FIXED.get(question, LOOK_UP)


def _of_values(prober: Prober, question: str, position: Position, *rest: object) -> Cost:
    """The price of a question for which values are looked up, of many positions."""
    number = rest[0] if rest and isinstance(rest[0], int) else None
    outcome = prober.price(position)
    components = _components(position)
    moves = 10 + sum(sum(each.coordinates) for each in components)
    if question == "analyze":
        moves = min(MAX_MOVES, moves)
        # Only where the search of the position itself may come to its end.
        asked = ASKED_SECONDS if outcome.seconds > ASKED_SECONDS else 0.0
        asked += LOOK_UP.seconds * min(MAX_ASKED, moves)
        width = sum(len(each.coordinates) for each in components)
        each_move = _MOVE_SECONDS * (1 + width / 4)
        seconds = each_move * moves + _SKIP_SECONDS * (number or 0) + asked
        looked = Cost(seconds, 1000 * moves)
    else:
        plies = DEFAULT_PLIES if number is None else number
        moves = min(MAX_LOOKED, plies * moves)
        looked = Cost(_LOOK_SECONDS * moves + _PLY_SECONDS * plies, 1 << 22)
    return outcome + prober.price_of_values(position) + looked


def _components(position: Position) -> tuple[Position, ...]:
    return components_of(position) or (position,)


def _of_sheets(prober: Prober, question: str, game: GameSpec, *arguments: object) -> Cost:
    """The price of a question about the sheets of a game."""
    match question, *arguments:
        case "instant_winners", int(x), int(size_y), int(size_z), *rest:
            first_y, first_z = (each if isinstance(each, int) else 0 for each in rest or (0, 0))
            return prober.price_of_window(game, x, size_y, size_z, first_y, first_z)
        case "losers", int(x), int(size_y), *rest:
            first_y = rest[0] if rest and isinstance(rest[0], int) else 0
            return prober.price_of_window(game, x + 1, size_y, 1, first_y, 0)
    return prober.price_of_geometry(game)


def _of_batch(price: Callable[[], Cost], count: int) -> Cost:
    """The price of a batch beside its messages; of one that will be refused, reading its rows."""
    least = Cost(_BATCH_SECONDS + _ROW_SECONDS * count, 128 * count)
    try:
        return least + price()
    except StoppedError:
        raise
    except PositionOracleError:
        return least + Cost(ROW_SECONDS * count)
