"""Fixtures that run each test with both clients on one real server.

The asynchronous client is wrapped so that tests can call it like the synchronous one.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from position_oracle import AsyncOracleClient, OracleClient
from position_oracle.oracle.core import Oracle
from tests.clock import PATIENCE
from tests.serving import running_server


@pytest.fixture(scope="session")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


@pytest.fixture(scope="session")
def port(oracle: Oracle) -> Iterator[int]:
    with running_server(oracle) as port:
        yield port


@pytest.fixture(scope="session")
def client(port: int) -> Iterator[OracleClient]:
    with OracleClient(f"127.0.0.1:{port}", timeout=PATIENCE) as client:
        yield client


Ask = Callable[..., Any]


class Driven:
    """Wraps an `AsyncOracleClient`: each method waits for its result."""

    def __init__(self, address: str, runner: asyncio.Runner, **options: Any) -> None:
        async def make() -> AsyncOracleClient:
            return AsyncOracleClient(address, **options)

        self._runner = runner
        self.client = runner.run(make())

    def __getattr__(self, name: str) -> Ask:
        method: Callable[..., Coroutine[Any, Any, Any]] = getattr(self.client, name)
        return lambda *arguments, **options: self._runner.run(method(*arguments, **options))


Connect = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Makes clients of either kind for a port, and closes them at the end."""
    clients: list[Any] = []
    with asyncio.Runner() as runner:

        def make(port: int, **options: Any) -> Any:
            address = f"127.0.0.1:{port}"
            options = {"timeout": PATIENCE} | options
            client = (
                OracleClient(address, **options)
                if request.param == "sync"
                else Driven(address, runner, **options)
            )
            clients.append(client)
            return client

        yield make
        for client in clients:
            client.close()
