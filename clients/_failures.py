"""What gRPC reports when a call fails, as the exceptions of `clients.errors`."""

from collections.abc import Iterable
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest
from google.rpc.status_pb2 import Status

from clients.errors import (
    DeadlineError,
    InvalidQuestionError,
    OracleClientError,
    ServerError,
    ServerLimitError,
    ServerUnavailableError,
    UnknownGameError,
    UnsupportedQuestionError,
)

_DETAILS_KEY: Final = "grpc-status-details-bin"
_ERRORS: Final[dict[grpc.StatusCode, type[OracleClientError]]] = {
    grpc.StatusCode.NOT_FOUND: UnknownGameError,
    grpc.StatusCode.UNIMPLEMENTED: UnsupportedQuestionError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ServerLimitError,
    grpc.StatusCode.UNAVAILABLE: ServerUnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
}

Metadata = Iterable[Any]  # of pairs, for which gRPC has two types


def failure(code: grpc.StatusCode, message: str, metadata: Metadata) -> OracleClientError:
    """The exception for a call that failed.

    Args:
        code: the status code.
        message: the status message.
        metadata: trailing metadata, where google.rpc details are looked for.
    """
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return InvalidQuestionError(message, _field(metadata))
    if code in _ERRORS:
        return _ERRORS[code](message)
    return ServerError(f"{code.name}: {message}")


def _field(metadata: Metadata) -> str:
    for key, value in metadata:
        if key == _DETAILS_KEY and isinstance(value, bytes):
            return _field_of_status(value)
    return ""


def _field_of_status(serialized: bytes) -> str:
    violations = BadRequest()
    try:
        for detail in Status.FromString(serialized).details:
            if detail.Unpack(violations):
                return str(violations.field_violations[0].field)
    except (DecodeError, IndexError):
        return ""  # the status message has said it in words
    return ""
