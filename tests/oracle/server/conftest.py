"""One server for all tests that leave it unharmed, and a stub to call it with."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.serving import running_server


@pytest.fixture(scope="session")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


@pytest.fixture(scope="session")
def port(oracle: Oracle) -> Iterator[int]:
    with running_server(oracle) as port:
        yield port


@pytest.fixture(scope="session")
def stub(port: int) -> Iterator[PositionOracleStub]:
    options = (("grpc.max_send_message_length", -1),)
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        yield PositionOracleStub(channel)
