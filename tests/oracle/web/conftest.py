"""One server with gRPC and HTTP for all tests that do not harm it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.server import Server
from tests.serving import running

SETTINGS = replace(ServerSettings(), address="127.0.0.1:0", web="127.0.0.1:0", drain_seconds=1.0)


@pytest.fixture(scope="session")
def server(store: Path) -> Iterator[Server]:
    with running(Oracle.open(store), SETTINGS) as server:
        yield server


@pytest.fixture(scope="session")
def port(server: Server) -> int:
    assert server.web_port is not None
    return server.web_port
