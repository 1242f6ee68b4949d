"""How calls and connections end: deadlines, and the gate of a server that stops.

gRPC cancels a call that arrives after it has begun to stop and before its caller knows, and a
connection over HTTP is reset where a request meets its end. So calls wait at the gate until no
more arrive; callers who wait for an answer send nothing. Then the server stops listening and tells
the connections, and the calls that waited are answered. Where calls keep arriving, the server
answers them until nothing long is in progress. Then it reads no more, answers what it has read,
and closes the connections before it stops gRPC: what is sent meanwhile ends in UNAVAILABLE.

gRPC has no calls for the connections of its servers; they are found among the open files.
"""

import asyncio
import ctypes
import os
import socket
import stat
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from position_oracle.oracle.server.auth import address_of, read_address
from position_oracle.oracle.server.errors import DeadlineError, StoppingError

QUIET_SECONDS: Final = 0.1
"""The gate is quiet if no call has arrived for this time, which exceeds the latency of most
callers."""

_LONGEST: Final = 4
"""The gate waits at most this many times the quiet time if calls keep coming."""

_BUSY: Final = 1.2
"""A pause that takes this many times as long shows a busy processor, on which callers are late,
too."""

_SO_ATTACH_FILTER: Final = 26
_HEADERS_ONLY: Final = struct.pack("HBBI", 0x06, 0, 0, 1)
"""A packet filter of one instruction, which returns 1: TCP keeps the headers, and drops the
data."""


class Deadline:
    """A `with` block whose asynchronous work is cancelled after a time.

    The context does what `asyncio.timeout` does. It costs a quarter of the processor time, because
    all contexts share one timer.
    """

    __slots__ = ("_among", "_cancelled", "_error", "_task", "ends", "late")

    def __init__(self, ends: float, late: str, among: "set[Deadline]") -> None:
        self.ends, self.late, self._among = ends, late, among
        self._error: Exception | None = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - calls are tasks
        self._task, self._cancelled = task, task.cancelling()
        self._among.add(self)

    def __exit__(self, kind: type[BaseException] | None, error: object, _: object) -> None:
        self._among.discard(self)
        if self._error is None:
            return
        if self._task.uncancel() <= self._cancelled and kind is asyncio.CancelledError:
            raise self._error from None

    def end(self, error: Exception) -> None:
        """Cancel the work with this error, unless it is already being cancelled."""
        if self._error is None:
            self._error = error
            self._task.cancel()


class Deadlines:
    """The deadlines of all work in progress, which a stopping server can end early."""

    def __init__(self) -> None:
        self._running: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """Return the number of open blocks with a deadline."""
        return len(self._running)

    def within(self, seconds: float, late: str) -> Deadline:
        """Return a context in which work may take at most this many seconds from now.

        Raises:
            DeadlineError: the time is over; the text of the error is `late`.
            StoppingError: the server stops.
        """
        ends = asyncio.get_running_loop().time() + seconds
        if self._timer is None or ends < self._timer.when():
            self._wake_at(ends)
        return Deadline(ends, late, self._running)

    def cut(self) -> None:
        """End all work in progress with an error after which callers may retry."""
        for deadline in list(self._running):
            deadline.end(StoppingError())

    def _wake_at(self, time: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(time, self._end_late)

    def _end_late(self) -> None:
        """Cancel the blocks whose time is over, and wake again at the next deadline."""
        self._timer, now = None, asyncio.get_running_loop().time()
        for deadline in [each for each in self._running if each.ends <= now]:
            deadline.end(DeadlineError(deadline.late))
        if left := [each.ends for each in self._running if each.ends > now]:
            self._wake_at(min(left))


class Gate:
    """The gate that every call passes; it is open until the server stops.

    Attributes:
        is_leaving: whether callers should close their connections and open no new ones.
        has_long: whether a call with a possibly long answer waits here.
    """

    def __init__(self) -> None:
        self.is_leaving = self.has_long = False
        self._held = 0
        self._opened: asyncio.Event | None = None

    async def passed(self, *, is_long: bool = False) -> None:
        """Wait while the gate is closed."""
        if self._opened is not None:
            self._held += 1
            self.has_long |= is_long
            await self._opened.wait()

    @asynccontextmanager
    async def closed(self, quiet_seconds: float) -> AsyncIterator[bool]:
        """Hold calls during the block, which begins when no more calls arrive.

        Args:
            quiet_seconds: the time without a call after which no more are expected.

        Yields:
            Whether no more calls arrive; the gate waits at most four times this time.
        """
        self.is_leaving, self._opened = True, asyncio.Event()
        try:
            yield await self._is_quiet(quiet_seconds)
        finally:
            self._opened.set()
            self._opened = None

    async def _is_quiet(self, seconds: float) -> bool:
        """Return whether calls stop arriving; on a busy processor, callers get more time."""
        clock, is_quiet = asyncio.get_running_loop().time, False
        for _ in range(_LONGEST):
            before, begun = self._held, clock()
            await asyncio.sleep(seconds)
            is_quiet = self._held == before
            if is_quiet and clock() - begun < _BUSY * seconds:
                break
        return is_quiet


def stop_reading(port: int) -> None:
    """Drop data that arrive from now on over the connections of a port, if possible (Linux).

    Data that arrived before are still read, and written data are still sent. New connections
    inherit the filter from the listening socket.
    """
    code = ctypes.create_string_buffer(_HEADERS_ONLY)
    program = struct.pack("HP", 1, ctypes.addressof(code))
    for found in _sockets():
        if found.getsockname()[1] == port:
            with suppress(OSError):
                found.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def close_connections(port: int) -> None:
    """Close the connections of a port; written data are still sent."""
    for found in _sockets():
        is_listening = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        if found.getsockname()[1] == port and not is_listening:
            with suppress(OSError):  # closed by the peer
                found.shutdown(socket.SHUT_RDWR)


def close_connection(peer: str) -> None:
    """Close the connections of this process with a peer in gRPC's format, `ipv4:127.0.0.1:3884`."""
    address, port = address_of(peer), int(peer.rpartition(":")[2])
    for found in _sockets():
        with suppress(OSError):  # not connected
            host, port_there = found.getpeername()[:2]
            if (read_address(host), port_there) == (address, port):
                found.shutdown(socket.SHUT_RDWR)


def _sockets() -> Iterator[socket.socket]:
    """Yield the open internet sockets of this process; each is valid until the next."""
    for file in Path("/dev/fd").iterdir():
        with suppress(OSError, ValueError):  # of another kind, or closed by now
            if not stat.S_ISSOCK(os.fstat(int(file.name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(file.name))) as found:
                if found.family in {socket.AF_INET, socket.AF_INET6}:
                    yield found
