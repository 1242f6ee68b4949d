"""How clients reach a server: options of the channel, and which failures are tried again."""

import json
from dataclasses import dataclass
from typing import Final, NoReturn

import grpc

from schema.addresses import check_address, is_loopback
from schema.proto.position_oracle.v1 import service_pb2

DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
DEFAULT_TIMEOUT: Final = 10.0
DEFAULT_RETRIES: Final = 4
DEFAULT_BATCH_POSITIONS: Final = 100_000
IN_FLIGHT: Final = 2
"""Batches under way at a time: one is answered while the next is packed and sent."""

CLOSED_MEANWHILE: Final = "the client was closed before the answer came"

_SERVICE: Final = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].full_name
_MAX_RETRIES: Final = 4  # gRPC makes at most five attempts
_RETRY_BUFFER: Final = 8 * 1024 * 1024  # a request beyond the buffer is not tried again
_MAX_RESPONSE: Final = 64 * 1024 * 1024

Options = list[tuple[str, int | str]]


class Unpicklable:
    """A connection, which no other process can use."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} holds a connection and cannot be pickled or copied; make one in"
            " each process, after it has started"
        )


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What both clients are made from.

    Attributes:
        address: the server, `host:port`.
        timeout: seconds for one request, retries included; infinity for no deadline.
        retries: how often a request is tried again after UNAVAILABLE, 0 to 4, after a random
            time around 0.2, 0.4, 0.8 and 1.6 s. Nothing else is tried again.
        batch_positions: positions in one request of a batch; the server has a limit, too.
        credentials: for TLS; None speaks plain text.
    """

    address: str
    timeout: float
    retries: int
    batch_positions: int
    credentials: grpc.ChannelCredentials | None

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            ValueError: a number is outside what it allows, or the address is none.
        """
        check_address(self.address)
        if not 0 <= self.retries <= _MAX_RETRIES:
            raise ValueError(f"retries = {self.retries}; allowed are 0 to {_MAX_RETRIES}")
        if self.batch_positions < 1:
            raise ValueError(f"batch_positions = {self.batch_positions}; allowed is 1 or more")
        self.seconds(None)

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
