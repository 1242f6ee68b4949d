"""Win probabilities: requests made and responses read, the same for both clients."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import numpy as np

from clients._batches import Batches, unpacked
from clients._contract import CERTAINTIES, check_text, known
from clients.errors import ServerError
from schema.answers import Method, Move, WinProbability
from schema.proto.position_oracle.v1 import chance_pb2, game_pb2
from schema.proto.position_oracle.v1 import service_pb2 as pb

MAX_DIGITS: Final = 4_300
"""Longest number that Python reads without being told to."""

_METHODS: Final[dict[int, Method]] = {
    chance_pb2.Method.Value(f"METHOD_{method}"): method for method in Method
}


class WinProbabilityBatches:
    """Requests for win probabilities, and the array that their responses fill."""

    def __init__(self, batches: Batches, model: str) -> None:
        self._batches = batches
        self._model = check_text(model, "model")
        self.probabilities = np.empty(batches.shape[0], np.float64)

    def requests(self) -> Iterator[tuple[slice, pb.BatchGetWinProbabilitiesRequest]]:
        """One request for each part."""
        for part, positions in self._batches:
            request = pb.BatchGetWinProbabilitiesRequest(positions=positions, model=self._model)
            yield part, request

    def put(self, part: slice, response: pb.BatchGetWinProbabilitiesResponse) -> None:
        """Take the response for a part."""
        count = part.stop - part.start
        self.probabilities[part] = unpacked(response.probabilities, "<f8", count)


def win_probability_request(position: str, model: str) -> chance_pb2.GetWinProbabilityRequest:
    """Ask for a win probability."""
    return chance_pb2.GetWinProbabilityRequest(
        position=game_pb2.Position(text=check_text(position, "position")),
        model=check_text(model, "model"),
    )


def read_win_probability(response: chance_pb2.GetWinProbabilityResponse) -> WinProbability:
    """The win probability, with the best moves where there are some."""
    message = response.probability
    moves = message.best_moves.moves if message.HasField("best_moves") else None
    return WinProbability(
        position=message.position_text,
        model=message.model,
        value=message.value if message.HasField("value") else None,
        exact=_fraction(message.exact_numerator, message.exact_denominator),
        error_bound=message.error_bound if message.HasField("error_bound") else None,
        certainty=known(CERTAINTIES, message.certainty, "certainty"),
        method=known(_METHODS, message.method, "method"),
        reason=message.reason,
        best_moves=None if moves is None else tuple(Move(m.child_text, m.is_pass) for m in moves),
    )


def _fraction(numerator: str, denominator: str) -> Fraction | None:
    if not numerator and not denominator:
        return None
    for digits in (numerator, denominator):
        if not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
            raise ServerError(f"the server sent {digits[:40]!r} as a part of a fraction")
    if not int(denominator):
        raise ServerError("the server sent a fraction with the denominator 0")
    return Fraction(int(numerator), int(denominator))
