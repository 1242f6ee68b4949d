"""Large arrays as batches of packed requests, for both clients."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from position_oracle.clients._questions import check_text, contract, refusals, unpacked
from position_oracle.clients.errors import (
    InvalidQuestionError,
    OracleClientError,
    TablesChangedError,
)
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.answers import Outcome
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY, row_groups
from position_oracle.schema.games import BatchLimits
from position_oracle.schema.messages.reading import read_tables
from position_oracle.schema.proto.position_oracle.v1 import game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

_BESIDE_BYTES: Final = 64 * 1024
"""Bytes reserved for a message without its coordinates, or a quarter of a small message."""

_KINDS: Final = {"grundy": pb.VALUE_KIND_GRUNDY, "remoteness": pb.VALUE_KIND_REMOTENESS}

MAX_ROUNDS: Final = 4
"""Maximum number of rounds of requests for an array, until one state of the tables answers all
parts."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of an array, for one request.

    Attributes:
        lines: the indices of the rows in the array.
        rows: the numbers of the rows, (n, k).
    """

    lines: npt.NDArray[np.intp]
    rows: npt.NDArray[np.integer]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @contextmanager
    def as_given(self) -> Iterator[None]:
        """Change errors about a row of the request to name the row of the array."""
        try:
            yield
        except InvalidQuestionError as error:
            row = error.facts.get("row", "")
            if row.isascii() and row.isdigit() and int(row) < self.count:
                error.row = int(self.lines[int(row)])
                error.args = (str(error).replace(f"row {row} ", f"row {error.row} ", 1),)
            raise


class Batches:
    """An array of positions of one game, cut into requests that a server accepts."""

    def __init__(self, game: str, positions: npt.ArrayLike) -> None:
        """Check the array.

        Args:
            game: text of the game.
            positions: rows of integers within int32.

        Raises:
            ClientTypeError: the positions are not an array of integers.
            InvalidQuestionError: the array has another shape, or a number beyond int32.
        """
        self._game = check_text(game, "game")
        with refusals("positions"):
            self.count, self._groups = row_groups(positions)
        self.limit(BatchLimits())

    @property
    def width(self) -> int:
        """Maximum number of coordinates of a position."""
        return max((rows.shape[1] for _, rows in self._groups), default=0)

    def limit(self, limits: BatchLimits) -> None:
        """Cut the array into requests within the limits of a server."""
        self._limits = limits

    @property
    def parts(self) -> Iterator[Part]:
        """The parts of the array, one for each request; at least one, so that all is checked.

        Rows of different lengths are in different parts. An array such as `[]`, without a number of
        coordinates, has no part.
        """
        size = self._limits.size - min(_BESIDE_BYTES, self._limits.size // 4)
        for lines, rows in self._groups:
            most = max(1, min(self._limits.positions, size // (4 * rows.shape[1])))
            for start in range(0, max(1, len(rows)), most):
                yield Part(lines[start : start + most], rows[start : start + most])

    def packed(self, part: Part) -> pb.PackedPositions:
        """Return a part as a message."""
        packed = np.ascontiguousarray(part.rows, dtype="<i4").tobytes()
        return pb.PackedPositions(
            game=game_pb2.Game(text=self._game), width=part.rows.shape[1], coordinates=packed
        )


class ArrayQuestion(ABC, Generic[T]):
    """A question about each position of an array, and the arrays that the responses fill.

    Attributes:
        method: the call of the contract.
    """

    method: ClassVar[str]

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._versions: dict[int, tuple[Part, str]] = {}
        self._latest = ""

    @property
    @abstractmethod
    def result(self) -> T:
        """The arrays."""

    @property
    def is_cut(self) -> bool:
        """Whether the array needs more than one request."""
        return len(list(self._batches.parts)) > 1

    def limit(self, limits: BatchLimits) -> None:
        """Ask about the whole array, in requests within the limits of a server."""
        self._batches.limit(limits)
        self._versions.clear()

    def rounds(self) -> Iterator[Iterator[tuple[Part, Message]]]:
        """Yield the requests of each round: first all parts, then those answered from older tables.

        A server may load new tables between two requests; then the array would hold answers from
        both. The caller must answer a round, by `put`, before it takes the next.

        Raises:
            TablesChangedError: the tables changed in every round.
        """
        parts = list(self._batches.parts)
        for _ in range(MAX_ROUNDS):
            yield ((part, self._request(self._batches.packed(part))) for part in parts)
            parts = [part for part, version in self._versions.values() if version != self._latest]
            if not parts:
                return
        raise TablesChangedError(
            f"the tables changed in each of {MAX_ROUNDS} attempts to answer an array from one state"
            " of them: ask a single server, or make batch_positions larger"
        )

    def put(self, part: Part, response: Any) -> None:
        """Store the response for a part.

        Raises:
            ServerError: the response breaks the contract.
        """
        with contract():
            found = read_tables(response)
            self._latest = found.version if found else ""
            self._versions[int(part.lines[0]) if part.count else -1] = (part, self._latest)
            self._take(part, response)

    @abstractmethod
    def _request(self, positions: pb.PackedPositions) -> Message:
        """Return the request about some positions."""

    @abstractmethod
    def _take(self, part: Part, response: Any) -> None:
        """Write a response into the arrays."""


class OutcomeArray(ArrayQuestion[npt.NDArray[np.uint8]]):
    """Outcomes of an array of positions."""

    method = "BatchGetOutcomes"

    def __init__(self, batches: Batches) -> None:
        super().__init__(batches)
        self._outcomes = np.empty(batches.count, np.uint8)

    @property
    def result(self) -> npt.NDArray[np.uint8]:
        """See `ArrayQuestion.result`."""
        return self._outcomes

    def _request(self, positions: pb.PackedPositions) -> Message:
        return pb.BatchGetOutcomesRequest(positions=positions)

    def _take(self, part: Part, response: pb.BatchGetOutcomesResponse) -> None:
        self._outcomes[part.lines] = unpacked_outcomes(response.outcomes, part.count)


class WinningMoveArray(ArrayQuestion[tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]]):
    """Outcomes of an array of positions, each with one winning move."""

    method = "BatchGetWinningMoves"

    def __init__(self, batches: Batches) -> None:
        super().__init__(batches)
        self._outcomes = np.empty(batches.count, np.uint8)
        self._children = np.zeros((batches.count, batches.width), np.int32)

    @property
    def result(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """See `ArrayQuestion.result`."""
        return self._outcomes, self._children

    def _request(self, positions: pb.PackedPositions) -> Message:
        return pb.BatchGetWinningMovesRequest(positions=positions)

    def _take(self, part: Part, response: pb.BatchGetWinningMovesResponse) -> None:
        self._outcomes[part.lines] = unpacked_outcomes(response.outcomes, part.count)
        moves = unpacked(response.moves, "u1", part.count)[:, np.newaxis]
        # The response has more columns than the request if a split heap does not fit.
        width = max(part.rows.shape[1], len(response.children) // (4 * max(1, part.count)))
        children = unpacked(response.children, "<i4", part.count * width)
        more = width - self._children.shape[1]
        if more > 0:
            self._children = np.pad(self._children, ((0, 0), (0, more)))
        found = np.zeros((part.count, self._children.shape[1]), np.int32)
        found[:, :width] = children.reshape(part.count, width)
        none = np.where(moves == pb.BATCH_MOVE_PASS, PASS_ONLY, NO_MOVE)
        self._children[part.lines] = np.where(moves == pb.BATCH_MOVE_CHILD, found, none)


class ValueArray(ArrayQuestion[npt.NDArray[np.int64]]):
    """The Grundy value or remoteness of each position."""

    method = "BatchGetValues"

    def __init__(self, batches: Batches, kind: ValueKind) -> None:
        super().__init__(batches)
        if check_text(kind, "kind") not in _KINDS:
            said = f"kind {kind[:40]!r}; allowed are {', '.join(_KINDS)}"
            raise InvalidQuestionError(said, "kind")
        self._kind = _KINDS[kind]
        self._values = np.empty(batches.count, np.int64)

    @property
    def result(self) -> npt.NDArray[np.int64]:
        """See `ArrayQuestion.result`."""
        return self._values

    def _request(self, positions: pb.PackedPositions) -> Message:
        return pb.BatchGetValuesRequest(positions=positions, kind=self._kind)

    def _take(self, part: Part, response: pb.BatchGetValuesResponse) -> None:
        self._values[part.lines] = unpacked(response.values, "<i8", part.count)


class WinProbabilityArray(ArrayQuestion[npt.NDArray[np.float64]]):
    """Win probabilities of an array of positions, for the player to move."""

    method = "BatchGetWinProbabilities"

    def __init__(self, batches: Batches, model: str) -> None:
        super().__init__(batches)
        self._model = check_text(model, "model")
        self._probabilities = np.empty(batches.count, np.float64)

    @property
    def result(self) -> npt.NDArray[np.float64]:
        """See `ArrayQuestion.result`."""
        return self._probabilities

    def _request(self, positions: pb.PackedPositions) -> Message:
        return pb.BatchGetWinProbabilitiesRequest(positions=positions, model=self._model)

    def _take(self, part: Part, response: pb.BatchGetWinProbabilitiesResponse) -> None:
        found = unpacked(response.probabilities, "<f8", part.count)
        self._probabilities[part.lines] = found


def is_too_large(error: OracleClientError) -> bool:
    """Return whether a server refused a batch because it accepts only smaller ones."""
    return not error.limits.keys().isdisjoint({"batch_positions", "request_bytes"})


def unpacked_outcomes(packed: bytes, count: int) -> npt.NDArray[np.uint8]:
    """Read `count` outcomes; numbers of a newer server that are unknown here read as UNKNOWN.

    Raises:
        ServerError: there are more or fewer outcomes.
    """
    outcomes = unpacked(packed, "u1", count)
    return np.where(outcomes > max(Outcome), np.uint8(Outcome.UNKNOWN), outcomes)
