"""What goes wrong, and how it is said over gRPC: every error is mapped here, once."""

from dataclasses import dataclass
from typing import Final

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status

from schema.errors import (
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    ResourceLimitError,
    UnknownAnswerError,
    UnknownGameError,
)

DOMAIN: Final = "position_oracle"
DETAILS_KEY: Final = "grpc-status-details-bin"
MAX_MESSAGE: Final = 400
"""Characters of an error message; the details travel in headers, which gRPC keeps below 8 KiB."""


class RequestError(PositionOracleError, ValueError):
    """A request that breaks a rule of the contract."""


class DeadlineError(PositionOracleError, TimeoutError):
    """The caller no longer waits for the answer."""


class FieldError(PositionOracleError):
    """An error, with the field of the request that it is about."""

    def __init__(self, field: str, error: Exception) -> None:
        super().__init__(f"{field}: {error}")
        self.field = field
        self.error = error


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as the client sees it.

    Attributes:
        code: the gRPC status code.
        reason: a stable word for programs, e.g. `INVALID_POSITION`.
        message: a sentence for people: the field, what is wrong, and what is allowed.
        field: path of the field in the request; empty where it is not about one.
    """

    code: grpc.StatusCode
    reason: str
    message: str
    field: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether the fault is the server's."""
        return self.code is grpc.StatusCode.INTERNAL

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        """The google.rpc.Status with its details, as gRPC carries it."""
        info = ErrorInfo(reason=self.reason, domain=DOMAIN)
        status = Status(code=self.code.value[0], message=self.message, details=[_pack(info)])
        if self.code is grpc.StatusCode.INVALID_ARGUMENT:
            violation = BadRequest.FieldViolation(field=self.field, description=self.message)
            status.details.append(_pack(BadRequest(field_violations=[violation])))
        return ((DETAILS_KEY, status.SerializeToString()),)


_KINDS: Final[tuple[tuple[type[Exception], grpc.StatusCode, str], ...]] = (
    (NotationError, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_NOTATION"),
    (InvalidPositionError, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_POSITION"),
    (RequestError, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST"),
    (UnknownGameError, grpc.StatusCode.NOT_FOUND, "UNKNOWN_GAME"),
    (UnknownAnswerError, grpc.StatusCode.UNIMPLEMENTED, "UNSUPPORTED_QUESTION"),
    (ResourceLimitError, grpc.StatusCode.RESOURCE_EXHAUSTED, "RESOURCE_LIMIT"),
    (DeadlineError, grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
)


def fault_of(error: Exception) -> Fault:
    """How to tell a client about an error; one that is not expected is a fault of the server."""
    field, cause = (error.field, error.error) if isinstance(error, FieldError) else ("", error)
    for kind, code, reason in _KINDS:
        if isinstance(cause, kind):
            return Fault(code, reason, _printable(str(error)), field)
    return Fault(grpc.StatusCode.INTERNAL, "INTERNAL", "the server failed; its log says why", field)


def _printable(message: str) -> str:
    text = message.encode("ascii", "backslashreplace").decode("ascii")
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 3] + "..."


def _pack(detail: ErrorInfo | BadRequest) -> Any:
    packed = Any()
    packed.Pack(detail)
    return packed
