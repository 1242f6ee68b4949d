"""Generated requests of every kind cause no internal error, no crash, and no growth of memory."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from position_oracle.oracle.cache import MAX_BYTES
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.oracle.server.doubles import PricedOracle, raw_call
from tests.oracle.server.hostile.crowd import send, timed
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


def check_crowd(port: int, messages: Iterator[tuple[str, bytes]]) -> int:
    """Send requests, and return their number."""
    result = asyncio.run(send(f"127.0.0.1:{port}", messages, timeout=30))
    assert result.faults == []
    assert result.slowest < SETTINGS.deadline_seconds + 2
    assert raw_call(port, "GetOutcome", QUESTION)
    return result.ends.total()


def test_equal_seeds_give_equal_requests_over_all_methods() -> None:
    first, second = ([next(stream) for _ in range(500)] for stream in (requests(3), requests(3)))
    assert first == second
    assert {method for method, _ in first} == {method.name for method in METHODS}
    assert len(set(first)) > 300


def test_strangers_do_no_harm_at_admission(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with running_server(PricedOracle(), REFUSING_MOST) as port:
        check_crowd(port, islice(requests(1), 600))
    assert caplog.records == []


@pytest.mark.slow
def test_memory_stays_flat_at_admission() -> None:
    with running_server(PricedOracle(), REFUSING_MOST) as port:
        check_crowd(port, timed(requests(2), 5.0))
        before = resident_bytes()
        check_crowd(port, timed(requests(3), 20.0))
        assert resident_bytes() - before < MOST_GROWTH


@pytest.mark.slow
def test_strangers_do_no_harm_for_a_minute(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    oracle = Oracle.open(store)
    caplog.set_level(logging.ERROR)
    oracle.warm_up()
    with running_server(oracle, SETTINGS) as port:
        check_crowd(port, timed(requests(4), 10.0))
        before = resident_bytes()
        assert check_crowd(port, timed(requests(5), 50.0)) > 2_000
        assert resident_bytes() - before < MOST_GROWTH + MAX_BYTES  # until the cache is full
    assert caplog.records == []
