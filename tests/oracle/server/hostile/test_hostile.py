"""Generated requests of every kind cause no internal error, no crash, and no growth of memory."""

import asyncio
import logging
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from position_oracle.oracle.cache import MAX_BYTES
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.clock import PATIENCE
from tests.oracle.server.doubles import PricedOracle, raw_call
from tests.oracle.server.hostile.crowd import send
from tests.oracle.server.hostile.generator import METHODS, requests
from tests.serving import running_server

SETTINGS = ServerSettings(
    address="127.0.0.1:0", deadline_seconds=5.0, drain_seconds=1.0, call_seconds=1.0
)
REFUSING_MOST = replace(SETTINGS, call_seconds=0.02)
QUESTION = pb.GetOutcomeRequest(position=Position(text="chomp3:[4,3,2]")).SerializeToString()
MOST_GROWTH = 150 * 1024 * 1024


def resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def check_crowd(port: int, seed: int, count: int) -> None:
    """Send requests, which must all end without a fault of the server."""
    messages = islice(requests(seed), count)
    result = asyncio.run(send(f"127.0.0.1:{port}", messages, timeout=PATIENCE))
    assert result.faults == []
    assert result.slowest < PATIENCE
    assert raw_call(port, "GetOutcome", QUESTION)


def test_equal_seeds_give_equal_requests_over_all_methods() -> None:
    first, second = ([next(stream) for _ in range(500)] for stream in (requests(3), requests(3)))
    assert first == second
    assert {method for method, _ in first} == {method.name for method in METHODS}
    assert len(set(first)) > 300


def test_strangers_do_no_harm_at_admission(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with running_server(PricedOracle(), REFUSING_MOST) as port:
        check_crowd(port, seed=1, count=600)
    assert caplog.records == []


@pytest.mark.slow
def test_memory_stays_flat_at_admission() -> None:
    with running_server(PricedOracle(), REFUSING_MOST) as port:
        check_crowd(port, seed=2, count=2_000)
        before = resident_bytes()
        check_crowd(port, seed=3, count=8_000)
        assert resident_bytes() - before < MOST_GROWTH


@pytest.mark.slow
def test_strangers_do_no_harm_to_real_tables(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    oracle = Oracle.open(store)
    caplog.set_level(logging.ERROR)
    oracle.warm_up()
    with running_server(oracle, SETTINGS) as port:
        check_crowd(port, seed=4, count=500)
        before = resident_bytes()
        check_crowd(port, seed=5, count=2_500)
        assert resident_bytes() - before < MOST_GROWTH + MAX_BYTES  # until the cache is full
    assert caplog.records == []
