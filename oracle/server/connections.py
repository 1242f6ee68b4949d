"""Connections of a server: how they end, and the gate that holds calls while they do.

gRPC cancels a call that arrives after it has begun to stop and before its caller knows, and a
connection over HTTP is reset where a request meets its end. So calls wait at the gate until no
more arrive; callers who wait for an answer send nothing. Then the server stops listening and tells
the connections, and the calls that waited are answered. Where calls keep arriving, connections are
read no more before that: what is sent later ends in UNAVAILABLE when its connection closes.


gRPC has no calls for the connections of its servers; they are found among the open files.
"""

import asyncio
import ctypes
import os
import socket
import stat
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from position_oracle.oracle.server.auth import address_of, read_address

QUIET_SECONDS: Final = 0.1
"""The gate is quiet when no call has arrived for this time; more than the way to most callers."""

_LONGEST: Final = 4
"""The gate waits for this many times the quiet time where calls keep coming."""

_READ_SECONDS: Final = 0.02
"""Seconds without a new call after which everything that has arrived has been read."""

_SO_ATTACH_FILTER: Final = 26
_HEADERS_ONLY: Final = struct.pack("HBBI", 0x06, 0, 0, 1)
"""A packet filter of one instruction, which returns 1: TCP keeps the headers, and no data."""


class Gate:
    """Where every call passes; open until the server stops.

    Attributes:
        is_leaving: whether callers should open no connection here any more, and keep none.
    """

    def __init__(self) -> None:
        self.is_leaving = False
        self._held = 0
        self._opened: asyncio.Event | None = None

    async def passed(self) -> None:
        """Wait while the gate is closed."""
        if self._opened is not None:
            self._held += 1
            await self._opened.wait()

    @asynccontextmanager
    async def closed(
        self, quiet_seconds: float, stop_reading: Callable[[], None]
    ) -> AsyncIterator[bool]:
        """Hold calls during the block, which begins when no more arrive.

        Args:
            quiet_seconds: no more arrive when none has for this time.
            stop_reading: lets no more arrive, called where they keep coming.

        Yields:
            Whether connections are still read.
        """
        self.is_leaving, self._opened = True, asyncio.Event()
        try:
            is_quiet = await self._is_quiet(quiet_seconds)
            if not is_quiet:
                stop_reading()
                await self._is_quiet(_READ_SECONDS)
            yield is_quiet
        finally:
            self._opened.set()
            self._opened = None

    async def _is_quiet(self, seconds: float) -> bool:
        """Whether no call arrives for a time, soon."""
        for _ in range(_LONGEST):
            before = self._held
            await asyncio.sleep(seconds)
            if self._held == before:
                return True
        return False


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
