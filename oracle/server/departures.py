"""Answers on their way to callers who have not read them yet: bounded, and ended in time."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections import Counter
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import grpc

from position_oracle.oracle.server.faults import BusyError

_RETRY_SECONDS: Final = 0.5
_SHORT: Final = 4096
"""Answers of at most so many bytes are not counted; the streams of a connection bound them."""


class Departures:
    """Answers that gRPC has taken and nobody has read.

    gRPC keeps an answer for as long as the connection of the caller lasts, and has no way to take
    it back. So a connection on which one is not read in time is closed.
    """

    def __init__(self, seconds: float, most_bytes: int) -> None:
        """Keep an answer for so many seconds, and so many bytes of all."""
        self._seconds, self._most = seconds, most_bytes
        self._unread: Counter[str] = Counter()

    def leave(self, context: grpc.aio.ServicerContext[Any, Any], size: int) -> None:
        """Count an answer from now on until the call has ended.

        Where there are too many, the connection with the most of them is closed.

        Raises:
            BusyError: that is this connection.
        """
        if size <= _SHORT:
            return
        peer, unread = context.peer(), self._unread
        while unread.total() + size > self._most:
            largest = max(unread, key=lambda other: unread[other], default=peer)
            if unread[largest] <= unread[peer] + size:
                raise BusyError(
                    f"{unread.total()} bytes of answers are not read yet; try again later",
                    _RETRY_SECONDS,
                )
            del unread[largest]
            close_connection(largest)
        unread[peer] += size
        late = asyncio.get_running_loop().call_later(self._seconds, close_connection, peer)

        def ended(_: object) -> None:
            late.cancel()
            unread[peer] -= size
            if unread[peer] <= 0:  # less where the connection was closed
                del unread[peer]

        context.add_done_callback(ended)  # type: ignore[arg-type] # a class in the stubs


def close_connection(peer: str) -> None:
    """Close the connections of this process with a peer.

    gRPC cannot be asked to; the sockets are found among the open files.

    Args:
        peer: as gRPC writes it, e.g. `ipv4:127.0.0.1:38842`, `ipv6:%5B::1%5D:38842`.
    """
    host, _, port = unquote(peer).partition(":")[2].rpartition(":")
    for file in Path("/dev/fd").iterdir():
        with suppress(OSError, ValueError):  # of another kind, or closed by now
            if not stat.S_ISSOCK(os.fstat(int(file.name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(file.name))) as found:
                is_of_ip = found.family in {socket.AF_INET, socket.AF_INET6}
                if is_of_ip and _ends(*found.getpeername()[:2]) == _ends(
                    host.strip("[]"), int(port)
                ):
                    found.shutdown(socket.SHUT_RDWR)


def _ends(host: str, port: int) -> tuple[object, int]:
    """An end of a connection, the same in both ways in which addresses of IPv4 are written."""
    address = ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address, port
