"""Connections of gRPC servers, found among the open files: gRPC has no calls for them."""

import ctypes
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from position_oracle.oracle.server.auth import address_of, read_address

_SO_ATTACH_FILTER: Final = 26
_HEADERS_ONLY: Final = struct.pack("HBBI", 0x06, 0, 0, 1)
"""A packet filter of one instruction, which returns 1: TCP keeps the headers, and no data."""


def stop_reading(port: int) -> None:
    """Drop what arrives from now on over the connections of a port, where the system can (Linux).

    What arrived before is still read, and what is written is still sent.
    """
    code = ctypes.create_string_buffer(_HEADERS_ONLY)
    program = struct.pack("HP", 1, ctypes.addressof(code))
    for connection in _connections():
        if connection.getsockname()[1] == port:
            with suppress(OSError):
                connection.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def close_connections(port: int) -> None:
    """Close the connections of a port; what has been written is still sent."""
    for connection in _connections():
        if connection.getsockname()[1] == port:
            with suppress(OSError):  # closed by the peer
                connection.shutdown(socket.SHUT_RDWR)


def close_connection(peer: str) -> None:
    """Close the connections of this process with a peer.

    Args:
        peer: as gRPC writes it, e.g. `ipv4:127.0.0.1:38842`, `ipv6:%5B::1%5D:38842`.
    """
    address, port = address_of(peer), int(peer.rpartition(":")[2])
    for connection in _connections():
        with suppress(OSError):
            host, port_there = connection.getpeername()[:2]
            if (read_address(host), port_there) == (address, port):
                connection.shutdown(socket.SHUT_RDWR)


def _connections() -> Iterator[socket.socket]:
    """The open connections over TCP of this process, each until the next one is asked for."""
    for file in Path("/dev/fd").iterdir():
        with suppress(OSError, ValueError):  # of another kind, or closed by now
            if not stat.S_ISSOCK(os.fstat(int(file.name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(file.name))) as found:
                if found.family in {socket.AF_INET, socket.AF_INET6}:
                    found.getpeername()  # not one that listens
                    yield found
