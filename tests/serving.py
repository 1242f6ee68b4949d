"""A server in a thread of the tests, which drains at the end."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.process import loop_factory
from position_oracle.oracle.server.server import Server


@contextmanager
def running_server(
    oracle: Oracle | Callable[[], Oracle], settings: ServerSettings | None = None
) -> Iterator[int]:
    """Serve an oracle, or the one that a function returns; yield the port.

    The default is a free port of the loopback address.
    """
    settings = settings or replace(ServerSettings(), address="127.0.0.1:0", drain_seconds=1.0)
    with running(oracle, settings) as server:
        yield server.port


@contextmanager
def running(oracle: Oracle | Callable[[], Oracle], settings: ServerSettings) -> Iterator[Server]:
    """Serve an oracle as `running_server` does; yield the server, with its ports."""
    current: Callable[[], Oracle] = oracle if callable(oracle) else lambda: oracle
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        server = runner.run(_started(current, settings))
        loop = runner.get_loop()
        thread = threading.Thread(target=loop.run_forever, name="oracle-server", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()


async def _started(oracle: Callable[[], Oracle], settings: ServerSettings) -> Server:
    server = Server(oracle, settings)
    await server.start()
    server.be_ready()
    return server
