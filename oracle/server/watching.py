"""What watches a server, as its settings say: metrics, traces, and pages that show how it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from position_oracle.oracle.server.calls import Observer
from position_oracle.oracle.server.probes import Page, Probes, health_page
from position_oracle.oracle.server.settings import ServerSettings

if TYPE_CHECKING:
    from position_oracle.oracle.core import Oracle
    from position_oracle.oracle.server.door import Door
    from position_oracle.oracle.server.lanes import Lane
    from position_oracle.oracle.server.metrics import Metrics

_SAMPLE_SECONDS: Final = 1.0
_SENDING_SECONDS: Final = 0.25
_SENDING: Final = 25
_SAMPLES: Final = 10
"""Of so many looks one is at memory and tables, too."""


class Watching:
    """Metrics, traces and pages of one server; none of them cost anything where they are off.

    Attributes:
        observers: told of calls that have ended.
        port: where pages are shown, once they are; 0 where they are not.
    """

    def __init__(self, settings: ServerSettings) -> None:
        """Prepare what the settings ask for.

        Raises:
            SettingsError: the packages for it are not installed.
        """
        self._settings = settings
        self.port = 0
        self.observers: tuple[Observer, ...] = ()
        self._metrics: Metrics | None = None
        self._sampling: asyncio.Task[None] | None = None
        self._probes: Probes | None = None
        self._look: Callable[[], None] = lambda: None
        self._close_traces: Callable[[], None] = lambda: None
        if settings.metrics is not None:
            from position_oracle.oracle.server.metrics import Metrics

            self._metrics = Metrics()
            self.observers += (self._metrics,)
        if settings.traces is not None:
            from position_oracle.oracle.server.traces import Traces

            traces = Traces.sent_to(settings.traces)
            self._close_traces = traces.close
            self.observers += (traces,)

    async def start(
        self,
        oracle: Callable[[], Oracle],
        door: Door,
        lanes: tuple[Lane, ...],
        is_ready: Callable[[], bool],
    ) -> None:
        """Look at a server every second, and show the pages unless it is one of several workers.

        Args:
            oracle: gives the oracle that is asked now.
            door: counts calls.
            lanes: count who waits.
            is_ready: whether calls are answered.

        Raises:
            OSError: the address of the pages cannot be listened on.
        """
        metrics, address = self._metrics, self._settings.metrics
        if metrics is None or address is None:
            return

        def look(*, at_all: bool = True) -> None:
            metrics.sample(
                lanes, calls=door.active_calls, held_bytes=door.held_bytes, is_ready=is_ready()
            )
            if at_all:
                metrics.sample_oracle(oracle())

        async def numbers() -> Page:
            from position_oracle.oracle.server.metrics import KIND

            look()
            return Page(HTTPStatus.OK, KIND, await asyncio.to_thread(metrics.written))

        async def alive() -> Page:
            return health_page(is_well=True, says="alive")

        async def ready() -> Page:
            return health_page(is_well=is_ready(), says="ready" if is_ready() else "not ready")

        self._look = look
        if self._settings.workers > 1:
            self._sampling = asyncio.create_task(_each_second(look))
            return
        self._probes = Probes({"/metrics": numbers, "/healthz": alive, "/readyz": ready})
        self.port = await self._probes.start(address)

    def reloaded(self, *, is_new: bool) -> None:
        """Count an attempt to take up new tables."""
        if self._metrics is not None:
            self._metrics.reloaded(is_new=is_new)
            self._look()

    async def close(self) -> None:
        """Show nothing more; send what is left of the traces, as far as that is quick."""
        self._look()
        if self._sampling is not None:
            self._sampling.cancel()
        if self._probes is not None:
            self._probes.close()
        sending = threading.Thread(target=self._close_traces, daemon=True)
        sending.start()
        for _ in range(_SENDING):
            if sending.is_alive():
                await asyncio.sleep(_SENDING_SECONDS / _SENDING)


async def _each_second(look: Callable[..., None]) -> None:
    number = 0
    while True:
        look(at_all=number % _SAMPLES == 0)
        number += 1
        await asyncio.sleep(_SAMPLE_SECONDS)
