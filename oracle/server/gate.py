"""The gate of a server that stops: it holds calls while connections are told to close.

gRPC cancels a call that arrives after it has begun to stop and before its caller knows, and a
connection over HTTP is reset where a request meets its end. So calls wait at the gate until no
more arrive; callers who wait for an answer send nothing. Then the server stops listening and tells
the connections, and the calls that waited are answered. Where calls keep arriving, connections are
read no more before that: what is sent later ends in UNAVAILABLE when its connection closes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

QUIET_SECONDS: Final = 0.1
"""The gate is quiet when no call has arrived for this time; more than the way to most callers."""

_LONGEST: Final = 4
"""The gate waits for this many times the quiet time where calls keep coming."""

_READ_SECONDS: Final = 0.02
"""Seconds without a new call after which everything that has arrived has been read."""


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
