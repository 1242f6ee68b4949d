"""Large arrays as batches of packed requests, the same for both clients."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from clients._contract import check_text
from clients.errors import ArrayTypeError, InvalidQuestionError, ServerError
from schema.proto.position_oracle.v1 import service_pb2 as pb

MAX_REQUEST_BYTES: Final = 4 * 1024 * 1024 - 64 * 1024
"""Packed bytes in one request: what every server reads, less room for the rest of the message."""

_INT32: Final = np.iinfo(np.int32)


class Batches:
    """An array of positions of one game, cut into requests that a server accepts."""

    def __init__(self, game: str, positions: npt.ArrayLike, max_positions: int) -> None:
        """Check the array.

        Args:
            game: text of the game.
            positions: integers (n, k) within int32.
            max_positions: positions in one request.

        Raises:
            ArrayTypeError: not an array of integers.
            InvalidQuestionError: another shape, or a number beyond int32.
        """
        self._game = check_text(game, "game")
        self._positions = checked_positions(positions)
        self._width = self._positions.shape[1]
        self._rows = min(max_positions, max(1, MAX_REQUEST_BYTES // (4 * max(1, self._width))))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of positions, and coordinates of each."""
        return len(self._positions), self._width

    def __iter__(self) -> Iterator[tuple[slice, pb.PackedPositions]]:
        """The parts of the array and their requests; at least one, so that all is checked.

        There is none for an array such as `[]`, which does not say how many coordinates it has.
        """
        if not self._width:
            return
        for start in range(0, max(1, len(self._positions)), self._rows):
            part = slice(start, min(start + self._rows, len(self._positions)))
            packed = np.ascontiguousarray(self._positions[part], dtype="<i4").tobytes()
            yield (
                part,
                pb.PackedPositions(game_text=self._game, width=self._width, coordinates=packed),
            )


class OutcomeBatches:
    """Requests for outcomes, and the array that their responses fill."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self.outcomes = np.empty(batches.shape[0], np.uint8)

    def requests(self) -> Iterator[tuple[slice, pb.BatchGetOutcomesRequest]]:
        """One request for each part."""
        for part, positions in self._batches:
            yield part, pb.BatchGetOutcomesRequest(positions=positions)

    def put(self, part: slice, response: pb.BatchGetOutcomesResponse) -> None:
        """Take the response for a part."""
        self.outcomes[part] = unpacked(response.outcomes, "u1", part.stop - part.start)


class WinningMoveBatches:
    """Requests for winning moves, and the arrays that their responses fill."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self.outcomes = np.empty(batches.shape[0], np.uint8)
        self.children = np.empty(batches.shape, np.int32)

    def requests(self) -> Iterator[tuple[slice, pb.BatchGetWinningMovesRequest]]:
        """One request for each part."""
        for part, positions in self._batches:
            yield part, pb.BatchGetWinningMovesRequest(positions=positions)

    def put(self, part: slice, response: pb.BatchGetWinningMovesResponse) -> None:
        """Take the response for a part."""
        count, width = part.stop - part.start, self.children.shape[1]
        self.outcomes[part] = unpacked(response.outcomes, "u1", count)
        children = unpacked(response.children, "<i4", count * width)
        self.children[part] = children.reshape(count, width)


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


def checked_positions(positions: npt.ArrayLike) -> npt.NDArray[np.integer]:
    """An integer array (n, k) whose numbers all fit int32, not copied where it is one already.

    An array without numbers may have any type, and `[]` has the shape (0, 0).

    Raises:
        ArrayTypeError: not an array of integers, or one of which some are masked.
        InvalidQuestionError: another shape, or a number beyond int32.
    """
    if np.ma.is_masked(positions):
        raise ArrayTypeError("positions are masked in places; give those that are meant")
    try:
        array = np.asarray(positions)
    except ValueError as error:
        raise InvalidQuestionError(f"positions are no array: {error}", "positions") from error
    if array.shape in {(0,), (0, 0)}:
        return np.empty((0, 0), np.int32)
    if array.dtype.kind not in "iu" and array.size:
        raise ArrayTypeError(
            f"positions have dtype {array.dtype}; allowed are integer types, with numbers up to"
            f" {_INT32.max}"
        )
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidQuestionError(
            f"positions have shape {array.shape}; allowed is (n, k): n positions of k coordinates",
            "positions",
        )
    if array.dtype.kind not in "iu":
        array = array.astype(np.int32)
    if array.size and (array.max() > _INT32.max or array.min() < _INT32.min):
        row = int(np.argmax(((array > _INT32.max) | (array < _INT32.min)).any(axis=1)))
        raise InvalidQuestionError(
            f"positions: row {row} is {array[row].tolist()}; in batches numbers are at most"
            f" {_INT32.max} (2^31 - 1): ask for larger ones one at a time",
            "positions",
        )
    return array


def unpacked(packed: bytes, dtype: str, count: int) -> npt.NDArray[Any]:
    """So many packed numbers as an array.

    Raises:
        ServerError: there are more or fewer.
    """
    expected = count * np.dtype(dtype).itemsize
    if len(packed) != expected:
        raise ServerError(f"the server sent {len(packed)} bytes where {expected} were expected")
    return np.frombuffer(packed, dtype)
