"""Failures of gRPC calls as the exceptions of `clients.errors`."""

from collections.abc import Iterable
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from position_oracle.clients.errors import (
    AccessDeniedError,
    ClientUnknownGameError,
    DeadlineError,
    InvalidQuestionError,
    OracleClientError,
    ServerError,
    ServerLimitError,
    ServerUnavailableError,
    TablesChangedError,
    UnsupportedQuestionError,
)

_DETAILS_KEY: Final = "grpc-status-details-bin"
_ERRORS: Final[dict[grpc.StatusCode, type[OracleClientError]]] = {
    grpc.StatusCode.UNAUTHENTICATED: AccessDeniedError,
    grpc.StatusCode.PERMISSION_DENIED: AccessDeniedError,
    grpc.StatusCode.NOT_FOUND: ClientUnknownGameError,
    grpc.StatusCode.UNIMPLEMENTED: UnsupportedQuestionError,
    grpc.StatusCode.FAILED_PRECONDITION: UnsupportedQuestionError,
    grpc.StatusCode.OUT_OF_RANGE: UnsupportedQuestionError,
    grpc.StatusCode.ABORTED: TablesChangedError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ServerLimitError,
    grpc.StatusCode.UNAVAILABLE: ServerUnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
}

_TOO_MUCH: Final = frozenset({"TOO_EXPENSIVE", "TOO_LARGE"})
"""Reasons of FAILED_PRECONDITION that concern amounts."""

Metadata = Iterable[Any]  # pairs, which have two types in gRPC


def failure(code: grpc.StatusCode, message: str, metadata: Metadata) -> OracleClientError:
    """Return the exception for a failed call.

    Args:
        code: the status code.
        message: the status message.
        metadata: trailing metadata, which may contain google.rpc details.
    """
    return _failure(code, message, _details(metadata))


def failure_of(status: Status) -> OracleClientError:
    """Return the exception for a status within a response."""
    codes = {code.value[0]: code for code in grpc.StatusCode}
    code = codes.get(status.code, grpc.StatusCode.UNKNOWN)
    return _failure(code, status.message, _unpacked(status))


def _failure(
    code: grpc.StatusCode, message: str, details: dict[type[Message], Any]
) -> OracleClientError:
    error: OracleClientError
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        violations = details[BadRequest].field_violations
        error = InvalidQuestionError(message, violations[0].field if violations else "")
    elif details[ErrorInfo].reason in _TOO_MUCH:
        error = ServerLimitError(message)
    elif code in _ERRORS:
        error = _ERRORS[code](message)
    else:
        error = ServerError(f"{code.name}: {message}")
    info, retry = details[ErrorInfo], details[RetryInfo]
    error.code, error.reason, error.facts = code.name, info.reason, dict(info.metadata)
    if retry.HasField("retry_delay"):
        error.retry_seconds = retry.retry_delay.ToMilliseconds() / 1000
    return error


def _details(metadata: Metadata) -> dict[type[Message], Any]:
    """Return the details of a status by type; empty messages if there are none."""
    for key, value in metadata:
        if key == _DETAILS_KEY and isinstance(value, bytes):
            try:
                return _unpacked(Status.FromString(value))
            except DecodeError:
                break  # the status message says it in words
    return _unpacked(Status())


def _unpacked(status: Status) -> dict[type[Message], Any]:
    found: dict[type[Message], Any] = {kind: kind() for kind in (BadRequest, ErrorInfo, RetryInfo)}
    for detail in status.details:
        any(detail.Unpack(message) for message in found.values())
    return found
