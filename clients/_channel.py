"""The channel to a server: its options, and the failures that are retried."""

import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import uniform
from typing import Final, Generic, NoReturn, TypeVar

import grpc
from google.protobuf.message import Message

from position_oracle.clients.errors import (
    ClientTypeError,
    CredentialsFileError,
    InvalidArgumentError,
    OracleClientError,
    ServerUnavailableError,
)
from position_oracle.schema.addresses import check_address, is_loopback
from position_oracle.schema.errors import NotationError
from position_oracle.schema.games import BatchLimits

DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
DEFAULT_TIMEOUT: Final = 10.0
DEFAULT_RETRY_FOR: Final = 10.0
"""Default of `retry_for` in seconds: twice the time that a server takes to restart."""

IN_FLIGHT: Final = 2
"""Number of batches in progress at a time: one is answered while the next is packed and sent."""

CLOSED_MEANWHILE: Final = "the client was closed before the answer came"

READY_SECONDS: Final = 60.0
PAUSE_SECONDS: Final = 0.1
HEALTH_CHECK: Final = "/grpc.health.v1.Health/Check"
"""The standard health check of gRPC. An empty request asks about the whole server."""

SERVING: Final = b"\x08\x01"
"""The response SERVING of a health check: field 1 with value 1."""

_TRIED_AGAIN: Final = frozenset({"UNAVAILABLE", "CANCELLED"})
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 1.0
_MAX_RESPONSE: Final = 64 * 1024 * 1024

Options = list[tuple[str, int | str]]
Part = TypeVar("Part")
Call = TypeVar("Call")


FORKED: Final = "the client belongs to the process that made it; make one in each process"


class Unpicklable:
    """A connection, which other processes cannot use."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} holds a connection and cannot be pickled or copied; create"
            " one in each process, after it has started"
        )


def tls(
    *,
    ca: str | Path | None = None,
    certificate: str | Path | None = None,
    key: str | Path | None = None,
) -> grpc.ChannelCredentials:
    """Read TLS credentials from PEM files.

    >>> oracle = OracleClient("oracle.example:50051", credentials=tls())     # doctest: +SKIP

    Args:
        ca: certificates of the authorities that may sign the server's certificate; None for those
            that the system trusts.
        certificate: the client's own chain, if the server asks for one.
        key: the key of that certificate.

    Raises:
        InvalidArgumentError: a certificate is given without its key, or a key without its
            certificate.
        CredentialsFileError: a file cannot be read.
    """
    if (certificate is None) != (key is None):
        raise InvalidArgumentError("give both a certificate and its key; one of them is missing")
    try:
        ca_text, key_text, own = (
            None if file is None else Path(file).read_bytes() for file in (ca, key, certificate)
        )
    except OSError as error:
        raise CredentialsFileError(error.errno, error.strerror, error.filename) from error
    return grpc.ssl_channel_credentials(ca_text, key_text, own)


class Wait:
    """The state of waiting for a server.

    Attributes:
        left: seconds for the next check.
    """

    def __init__(self, address: str, seconds: float) -> None:
        _check_seconds("timeout", seconds)
        self.left = seconds
        self._address = address
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def goes_on(self) -> bool:
        """Return True while there is time.

        Raises:
            ServerUnavailableError: there is no time left.
        """
        self.left = self._end - time.monotonic()
        if self.left <= 0:
            raise ServerUnavailableError(f"{self._address} is not ready after {self._seconds:g} s")
        return True

    def failed(self, code: grpc.StatusCode) -> bytes:
        """Return the state after a failed check; a server without this question is ready."""
        return SERVING if code is grpc.StatusCode.UNIMPLEMENTED else b""


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """The settings of both clients.

    Attributes:
        address: the server, `host:port`.
        timeout: seconds for one request, retries included; infinity for no deadline.
        retry_for: seconds for which a request is retried if the server is unavailable; 0 for no
            retry.
        batch_positions: positions in one request of a batch; None for as many as the server
            accepts.
        credentials: TLS credentials; None for plain text.
        token: token sent with every request; None without a token.
        insecure: whether the token may be sent in plain text to another machine.
    """

    address: str
    timeout: float
    retry_for: float
    batch_positions: int | None
    credentials: grpc.ChannelCredentials | None
    token: str | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        """Refuse invalid settings.

        Raises:
            InvalidArgumentError: a number is out of range, the address is not valid, or the token
                would be sent in plain text.
            ClientTypeError: an argument has a wrong type.
        """
        _check_seconds("timeout", self.timeout)
        if self.retry_for != 0:
            _check_seconds("retry_for", self.retry_for)
        _check_type("address", self.address, str)
        try:
            check_address(self.address)
        except NotationError as error:
            raise InvalidArgumentError(str(error)) from None
        if self.batch_positions is not None:
            _check_type("batch_positions", self.batch_positions, int)
            if self.batch_positions < 1:
                raise InvalidArgumentError(
                    f"batch_positions = {self.batch_positions}; allowed is 1 or more"
                )
        if self.credentials is not None:
            _check_type("credentials", self.credentials, grpc.ChannelCredentials)
        if self.token is not None:
            _check_type("token", self.token, str)
            self._check_token(self.token)

    def _check_token(self, token: str) -> None:
        if not (token.isascii() and token.isprintable() and token.strip() == token != ""):
            raise InvalidArgumentError("the token is not a line of printable ASCII characters")
        if self.credentials is None and not self.insecure and not is_loopback(self.address):
            raise InvalidArgumentError(
                f"tokens are sent only over TLS or to this machine, not in plain text to"
                f" {self.address}: give credentials, e.g. position_oracle.tls(), or insecure=True"
            )

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of every call."""
        return () if self.token is None else (("authorization", f"Bearer {self.token}"),)

    @property
    def batch_limits(self) -> BatchLimits | None:
        """The given limits; None if the server is asked for its limits."""
        return None if self.batch_positions is None else BatchLimits(self.batch_positions)

    def attempts(self, timeout: float | None) -> "Attempts":
        """Return the attempts of one request.

        Args:
            timeout: the caller's seconds; None for the client's own, infinity for no deadline.

        Raises:
            InvalidArgumentError: the time is not positive.
            ClientTypeError: the time is not a number.
        """
        if timeout is None:
            return Attempts(self.timeout, self.retry_for)
        _check_seconds("timeout", timeout)
        return Attempts(timeout, self.retry_for)

    @property
    def options(self) -> Options:
        """Options of the channel."""
        options: Options = [
            ("grpc.enable_retries", 0),
            ("grpc.max_receive_message_length", _MAX_RESPONSE),
            ("grpc.max_send_message_length", -1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1_000),
        ]
        if is_loopback(self.address):
            options.append(("grpc.enable_http_proxy", 0))
        return options


@dataclass(frozen=True, slots=True)
class Sent(Generic[Part, Call]):
    """A request for a part of an array, in progress.

    Attributes:
        part: the part of the array.
        request: the request.
        attempts: the attempts of the request.
        call: the call in progress.
    """

    part: Part
    request: Message
    attempts: "Attempts"
    call: Call


class Attempts:
    """The attempts of one request: the time of each, and the beginning of the next.

    Calls change nothing, so they may be repeated. A request is retried if the server is
    UNAVAILABLE, or cancelled the call because it stops.
    """

    def __init__(self, timeout: float, retry_for: float) -> None:
        """Begin now.

        Args:
            timeout: seconds for all attempts together; infinity for no deadline.
            retry_for: seconds after which no other attempt begins.
        """
        now = time.monotonic()
        self._deadline, self._last = now + timeout, now + retry_for
        self._pause = _FIRST_PAUSE

    @property
    def left(self) -> float | None:
        """Seconds for an attempt that begins now, in gRPC's form; None for no deadline."""
        left = self._deadline - time.monotonic()
        return None if left == inf else max(left, 0.001)

    def pause(self, error: OracleClientError) -> float | None:
        """Return the seconds before the next attempt; None if there is no other.

        Args:
            error: the error of the last attempt.
        """
        if error.code not in _TRIED_AGAIN:
            return None
        pause = max(self._pause * uniform(0.5, 1.0), error.retry_seconds or 0.0)  # noqa: S311
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        begins = time.monotonic() + pause
        return pause if begins <= self._last and begins < self._deadline else None


def _check_seconds(name: str, seconds: float) -> None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ClientTypeError(f"{name} is a {type(seconds).__name__}; it is given in seconds")
    if not seconds > 0:
        raise InvalidArgumentError(f"{name} = {seconds}; allowed are positive seconds")


def _check_type(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ClientTypeError(f"{name} is a {type(value).__name__}, not {kind.__name__}")
