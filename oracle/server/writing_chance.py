"""Win probabilities written into messages of the contract."""

from typing import Final

from engine.games.notation import format_position
from oracle.answers import Method, WinProbability
from oracle.server.writing import CERTAINTY, fill_moves, fill_position
from schema.proto.position_oracle.v1 import chance_pb2

_METHOD: Final = {method: chance_pb2.Method.Value(f"METHOD_{method}") for method in Method}


def write_win_probability(answer: WinProbability) -> chance_pb2.WinProbability:
    """A win probability, with the best moves where there are some."""
    message = chance_pb2.WinProbability(
        position_text=format_position(answer.position),
        model=answer.model,
        value=answer.value,
        error_bound=answer.error_bound,
        certainty=CERTAINTY[answer.certainty],
        method=_METHOD[answer.method],
        reason=answer.reason,
    )
    fill_position(message.position, answer.position)
    if answer.exact is not None:
        message.exact_numerator = str(answer.exact.numerator)
        message.exact_denominator = str(answer.exact.denominator)
    if answer.best_moves is not None:
        fill_moves(message.best_moves, answer.best_moves)
    return message
