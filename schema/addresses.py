"""Addresses of servers, checked before gRPC interprets them."""

import re
from typing import Final

from position_oracle.schema.errors import NotationError

_HOST_PORT: Final = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
_SCHEME: Final = re.compile(r"(?:unix|unix-abstract|dns|ipv4|ipv6|vsock|xds):\S+")
_LOOPBACK: Final = re.compile(
    r"(?:dns:(?:///)?|ipv4:|ipv6:)?(?:localhost|127\.[0-9.]+|\[::1\])(?::|$)"
)
MAX_PORT: Final = 65_535


def check_address(address: str, least_port: int = 1) -> str:
    """Return the address if it is valid: `host:port`, `[::1]:port`, or a name for gRPC.

    >>> check_address("127.0.0.1:50051")
    '127.0.0.1:50051'

    Args:
        address: the text.
        least_port: 0 if the address may ask for a free port.

    Raises:
        NotationError: the text is not an address.
    """
    if _SCHEME.fullmatch(address):
        return address
    match = _HOST_PORT.fullmatch(address)
    if match is None:
        raise NotationError(
            f"{address[:80]!r} is not an address; write host:port, e.g. 127.0.0.1:50051"
        )
    if not least_port <= int(match[1]) <= MAX_PORT:
        raise NotationError(
            f"{address[:80]!r}: port {match[1]}; allowed are {least_port} to {MAX_PORT}"
        )
    return address


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine, so that no proxy is needed.

    >>> is_loopback("localhost:50051"), is_loopback("[::1]:1"), is_loopback("example.org:1")
    (True, True, False)
    """
    return address.startswith(("unix:", "unix-abstract:")) or _LOOPBACK.match(address) is not None


def host_and_port(address: str) -> tuple[str, int]:
    """Split an address into host, without brackets, and port.

    >>> host_and_port("[::1]:9464")
    ('::1', 9464)

    Raises:
        NotationError: the text is not such an address.
    """
    if _HOST_PORT.fullmatch(check_address(address, 0)) is None:
        raise NotationError(f"{address[:80]!r} has no port; write host:port, e.g. 127.0.0.1:8080")
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)
