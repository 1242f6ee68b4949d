"""How clients reach a server: options of the channel, and which failures are tried again."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import grpc

from position_oracle.clients.errors import ServerUnavailableError
from position_oracle.schema.addresses import check_address, is_loopback
from position_oracle.schema.games import BatchLimits
from position_oracle.schema.proto.position_oracle.v1 import service_pb2

DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
DEFAULT_TIMEOUT: Final = 10.0
DEFAULT_RETRIES: Final = 4
IN_FLIGHT: Final = 2
"""Batches under way at a time: one is answered while the next is packed and sent."""

CLOSED_MEANWHILE: Final = "the client was closed before the answer came"

READY_SECONDS: Final = 60.0
PAUSE_SECONDS: Final = 0.1
HEALTH_CHECK: Final = "/grpc.health.v1.Health/Check"
"""The standard question for health. Asked about the whole server, its request is empty."""

SERVING: Final = b"\x08\x01"
"""The response that says SERVING: field 1, the number 1."""

_SERVICE: Final = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].full_name
_MAX_RETRIES: Final = 4  # gRPC makes at most five attempts
_RETRY_BUFFER: Final = 8 * 1024 * 1024  # a request beyond the buffer is not tried again
_MAX_RESPONSE: Final = 64 * 1024 * 1024

Options = list[tuple[str, int | str]]


FORKED: Final = "the client belongs to the process that made it; make one in each process"


class Unpicklable:
    """A connection, which no other process can use."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} holds a connection and cannot be pickled or copied; make one in"
            " each process, after it has started"
        )


def tls(
    *,
    ca: str | Path | None = None,
    certificate: str | Path | None = None,
    key: str | Path | None = None,
) -> grpc.ChannelCredentials:
    """What a client needs to speak TLS, from PEM files.

    >>> oracle = OracleClient("oracle.example:50051", credentials=tls())     # doctest: +SKIP

    Args:
        ca: certificates of the authorities that may vouch for the server; None for those that the
            system trusts.
        certificate: the client's own chain, where the server asks for one.
        key: the key of that.

    Raises:
        ValueError: a certificate without its key, or the other way round.
        OSError: a file cannot be read.
    """
    if (certificate is None) != (key is None):
        raise ValueError("a certificate and its key go together; one of them is missing")
    ca_text, key_text, own = (
        None if file is None else Path(file).read_bytes() for file in (ca, key, certificate)
    )
    return grpc.ssl_channel_credentials(ca_text, key_text, own)


class Wait:
    """Waiting for a server, for a while.

    Attributes:
        left: seconds for the next look.
    """

    def __init__(self, address: str, seconds: float) -> None:
        self.left = seconds
        self._address = address
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def goes_on(self) -> bool:
        """True while there is time.

        Raises:
            ServerUnavailableError: there is none left.
        """
        self.left = self._end - time.monotonic()
        if self.left <= 0:
            raise ServerUnavailableError(f"{self._address} is not ready after {self._seconds:g} s")
        return True

    def failed(self, code: grpc.StatusCode) -> bytes:
        """What a failed look says: not ready, unless it is a server that has no such question."""
        return SERVING if code is grpc.StatusCode.UNIMPLEMENTED else b""


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What both clients are made from.

    Attributes:
        address: the server, `host:port`.
        timeout: seconds for one request, retries included; infinity for no deadline.
        retries: how often a request is tried again after UNAVAILABLE, 0 to 4, after a random
            time around 0.2, 0.4, 0.8 and 1.6 s. Nothing else is tried again.
        batch_positions: positions in one request of a batch; None: as many as the server accepts.
        credentials: for TLS; None speaks plain text.
        token: sent with every request; None where there is none.
        insecure: whether the token may travel in plain text to another machine.
    """

    address: str
    timeout: float
    retries: int
    batch_positions: int | None
    credentials: grpc.ChannelCredentials | None
    token: str | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            ValueError: a number is outside what it allows, the address is none, or the token would
                travel in plain text.
        """
        check_address(self.address)
        if not 0 <= self.retries <= _MAX_RETRIES:
            raise ValueError(f"retries = {self.retries}; allowed are 0 to {_MAX_RETRIES}")
        if self.batch_positions is not None and self.batch_positions < 1:
            raise ValueError(f"batch_positions = {self.batch_positions}; allowed is 1 or more")
        if self.token is not None:
            self._check_token(self.token)
        self.seconds(None)

    def _check_token(self, token: str) -> None:
        if not (token.isascii() and token.isprintable() and token.strip() == token != ""):
            raise ValueError("the token is no line of printable ASCII characters")
        if self.credentials is None and not self.insecure and not is_loopback(self.address):
            raise ValueError(
                f"a token would travel in plain text to {self.address}; give credentials, e.g."
                " position_oracle.tls(), or insecure=True"
            )

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What every call carries."""
        return () if self.token is None else (("authorization", f"Bearer {self.token}"),)

    @property
    def batch_limits(self) -> BatchLimits | None:
        """The limits that were given; None where the server is asked for its own."""
        return None if self.batch_positions is None else BatchLimits(self.batch_positions)

    def seconds(self, timeout: float | None) -> float | None:
        """The deadline of a call as gRPC takes it.

        Args:
            timeout: the caller's; None for the client's own, infinity for no deadline.

        Raises:
            ValueError: the time is not positive.
        """
        timeout = self.timeout if timeout is None else timeout
        if not timeout > 0:
            raise ValueError(f"timeout = {timeout}; allowed are positive seconds")
        return None if timeout == float("inf") else timeout

    @property
    def options(self) -> Options:
        """Options of the channel."""
        options: Options = [
            ("grpc.enable_retries", int(self.retries > 0)),
            ("grpc.per_rpc_retry_buffer_size", _RETRY_BUFFER),
            ("grpc.max_receive_message_length", _MAX_RESPONSE),
            ("grpc.max_send_message_length", -1),
            ("grpc.initial_reconnect_backoff_ms", 200),
            ("grpc.min_reconnect_backoff_ms", 200),
            ("grpc.max_reconnect_backoff_ms", 5_000),
        ]
        if is_loopback(self.address):
            options.append(("grpc.enable_http_proxy", 0))
        if self.retries:
            options.append(("grpc.service_config", json.dumps(self._service_config())))
        return options

    def _service_config(self) -> dict[str, object]:
        policy = {
            "maxAttempts": 1 + self.retries,
            "initialBackoff": "0.2s",
            "maxBackoff": "1.6s",
            "backoffMultiplier": 2,
            "retryableStatusCodes": ["UNAVAILABLE"],
        }
        return {"methodConfig": [{"name": [{"service": _SERVICE}], "retryPolicy": policy}]}
