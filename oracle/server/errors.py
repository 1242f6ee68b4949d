"""The errors of the service, and the mapping of every error to a status."""

import dataclasses
from dataclasses import dataclass
from typing import Final

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from position_oracle.engine.amounts import duration_text
from position_oracle.engine.budget import Cost
from position_oracle.schema.errors import (
    BeyondTablesError,
    InvalidPositionError,
    InvalidRowError,
    NotationError,
    PositionOracleError,
    ResourceLimitError,
    StoppedError,
    UnknownAnswerError,
    UnknownGameError,
)

DOMAIN: Final = "position_oracle"
REQUEST_ID: Final = "x-request-id"
"""Header with the id of a request, sent by callers, and by the server with every answer."""

_MEMORY_SECONDS: Final = 1.0
"""Seconds to wait after the server ran out of memory."""

MAX_MESSAGE: Final = 400
"""Maximum number of characters of an error message; headers carry the details, and gRPC limits them
to 8 KiB."""


class RequestError(PositionOracleError, ValueError):
    """Raised for a request that breaks a rule of the contract."""


class DeadlineError(PositionOracleError, TimeoutError):
    """Raised if the caller no longer waits for the answer."""


class NoSuchCallError(PositionOracleError, LookupError):
    """Raised for a call, or an encoding of messages, that the service does not have."""


class AccessError(PositionOracleError, PermissionError):
    """Raised for a caller without a token, or with an unknown one."""


class ExcessError(PositionOracleError):
    """Raised for an amount above a limit.

    Attributes:
        what: name of the amount, e.g. `batch_positions`.
        amount: the amount.
        limit: the maximum allowed.
    """

    def __init__(self, message: str, what: str, amount: int, limit: int) -> None:
        super().__init__(message)
        self.what, self.amount, self.limit = what, amount, limit


class TooManyError(ExcessError, RequestError):
    """Raised for a number in a request above the limit of the contract or the server."""


class StaleTokenError(PositionOracleError, RuntimeError):
    """Raised for a page token of tables that are no longer served."""


class TooLargeError(ExcessError, ResourceLimitError):
    """Raised for a request or an answer that exceeds a limit of the server."""


def check_bytes(size: int, limit: int, said: str, what: str = "request_bytes") -> None:
    """Refuse more bytes than a limit.

    Args:
        size: the number of bytes.
        limit: the maximum number.
        said: the message, with `{}` for the number of bytes.
        what: the name of the limit for programs.

    Raises:
        TooLargeError: the number is above the limit.
    """
    if size > limit:
        raise TooLargeError(f"{said.format(size)}; the limit is {limit}", what, size, limit)


class TooExpensiveError(ResourceLimitError):
    """Raised for a question whose cost is above the limit.

    Attributes:
        cost: its expected cost.
        limit: the highest cost that is admitted.
    """

    def __init__(self, cost: Cost, limit: Cost) -> None:
        super().__init__(f"the question {cost.excess(limit)}")
        self.cost, self.limit = cost, limit


class RetryLaterError(PositionOracleError, RuntimeError):
    """Raised for a call that is refused now and may be tried again.

    Attributes:
        seconds: the time to wait before a retry.
    """

    def __init__(self, reason: str, seconds: float = 0.5) -> None:
        super().__init__(f"{reason}; retry in {duration_text(seconds)}")
        self.seconds = seconds


class BusyError(RetryLaterError):
    """Raised if the server is overloaded or not ready; the request may be valid."""


class StoppingError(BusyError):
    """Raised if the server stops; another server may answer."""

    def __init__(self) -> None:
        super().__init__("the server is stopping", 1.0)


class QuotaError(RetryLaterError):
    """Raised if the caller has used up the quota of a minute."""


class FieldError(PositionOracleError):
    """An error, with the field of the request that it concerns."""

    def __init__(self, field: str, error: Exception) -> None:
        super().__init__(f"{field}: {error}")
        self.field = field
        self.error = error


@dataclass(frozen=True, slots=True)
class ErrorStatus:
    """An error as the caller sees it: a gRPC status with details.

    Attributes:
        code: the gRPC status code.
        reason: a stable word for programs, e.g. `INVALID_POSITION`.
        message: a sentence for people: the field, the fault, and what is allowed.
        field: path of the field in the request; empty if the error concerns no field.
        facts: the `ErrorInfo.metadata`: `request_id`, and `price` and `limit` of a question that is
            too expensive.
        retry_seconds: seconds to wait before a retry; None if a retry is useless.
    """

    code: grpc.StatusCode
    reason: str
    message: str
    field: str = ""
    facts: dict[str, str] = dataclasses.field(default_factory=dict)
    retry_seconds: float | None = None

    @property
    def is_internal(self) -> bool:
        """Whether the cause is in the server."""
        return self.code is grpc.StatusCode.INTERNAL or self.reason == "OUT_OF_MEMORY"

    @property
    def details(self) -> list[Message]:
        """The google.rpc details."""
        details: list[Message] = [ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.facts)]
        if self.code is grpc.StatusCode.INVALID_ARGUMENT:
            violation = BadRequest.FieldViolation(field=self.field, description=self.message)
            details.append(BadRequest(field_violations=[violation]))
        if self.retry_seconds is not None:
            retry = RetryInfo()
            retry.retry_delay.FromMilliseconds(round(self.retry_seconds * 1000))
            details.append(retry)
        return details

    @property
    def status(self) -> Status:
        """The google.rpc.Status with its details."""
        code = Code.Value(self.code.name)
        return Status(code=code, message=self.message, details=map(_pack, self.details))

    def trailing_metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        """Return the status in gRPC's form, and the id of the request."""
        found = (
            (REQUEST_ID, self.facts.get("request_id", "")),
            ("grpc-status-details-bin", self.status.SerializeToString()),
        )
        if self.retry_seconds is None:
            return found
        return (*found, ("grpc-retry-pushback-ms", str(round(self.retry_seconds * 1000))))


_KINDS: Final[tuple[tuple[type[Exception], grpc.StatusCode, str], ...]] = (
    (NotationError, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_NOTATION"),
    (InvalidPositionError, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_POSITION"),
    (RequestError, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST"),
    (UnknownGameError, grpc.StatusCode.NOT_FOUND, "UNKNOWN_GAME"),
    (NoSuchCallError, grpc.StatusCode.UNIMPLEMENTED, "UNKNOWN_CALL"),
    (BeyondTablesError, grpc.StatusCode.OUT_OF_RANGE, "BEYOND_TABLES"),
    (UnknownAnswerError, grpc.StatusCode.FAILED_PRECONDITION, "UNSUPPORTED_QUESTION"),
    (TooLargeError, grpc.StatusCode.FAILED_PRECONDITION, "TOO_LARGE"),
    (ResourceLimitError, grpc.StatusCode.FAILED_PRECONDITION, "TOO_EXPENSIVE"),
    (StaleTokenError, grpc.StatusCode.ABORTED, "STALE_PAGE_TOKEN"),
    (QuotaError, grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED"),
    (BusyError, grpc.StatusCode.UNAVAILABLE, "OVERLOADED"),
    (AccessError, grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED"),
    (DeadlineError, grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
    (StoppedError, grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
)


class StatusError(PositionOracleError):
    """An error that happened in another process.

    Attributes:
        status: the status, without the id of the request.
    """

    def __init__(self, status: ErrorStatus, traceback: str = "") -> None:
        super().__init__(traceback or status.message)
        self.status = status


def error_status(error: Exception, request_id: str = "") -> ErrorStatus:
    """Return the status of an error in a call; an unexpected error becomes INTERNAL."""
    path, cause = (error.field, error.error) if isinstance(error, FieldError) else ("", error)
    facts = {"request_id": request_id} if request_id else {}
    if isinstance(error, StatusError):
        return dataclasses.replace(error.status, facts=error.status.facts | facts)
    facts |= _numbers(cause)
    retry = cause.seconds if isinstance(cause, RetryLaterError) else None
    for kind, code, reason in _KINDS:
        if isinstance(cause, kind):
            return ErrorStatus(code, reason, _printable(str(error)), path, facts, retry)
    if isinstance(cause, MemoryError):
        message = "the server has no memory left for this question"
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
        return ErrorStatus(code, "OUT_OF_MEMORY", message, path, facts, _MEMORY_SECONDS)
    message = "the server failed; its log says why"
    return ErrorStatus(grpc.StatusCode.INTERNAL, "INTERNAL", message, path, facts)


def _numbers(cause: Exception) -> dict[str, str]:
    """Return amounts and limits in decimal digits for programs, and in words."""
    if isinstance(cause, ExcessError):
        return {cause.what: str(cause.amount), f"limit_{cause.what}": str(cause.limit)}
    if isinstance(cause, TooExpensiveError):
        cost, limit = cause.cost, cause.limit
        return {
            "price": str(cost),
            "limit": str(limit),
            "price_seconds": f"{cost.seconds:.6g}",
            "limit_seconds": f"{limit.seconds:.6g}",
            "price_bytes": str(cost.memory_bytes),
            "limit_bytes": str(limit.memory_bytes),
        }
    if isinstance(cause, InvalidRowError):
        return {"row": str(cause.row)}
    return {}


def _printable(message: str) -> str:
    text = message.encode("ascii", "backslashreplace").decode("ascii")
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 3] + "..."


def _pack(detail: Message) -> Any:
    packed = Any()
    packed.Pack(detail, deterministic=True)
    return packed
