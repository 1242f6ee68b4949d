"""Nobody shuts others out: silent streams, watches, thousands of calls, expensive questions."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from position_oracle.oracle.server import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game, Position
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import SERVICE, PricedOracle, SlowOracle, raw_call
from tests.oracle.server.test_budgets import details
from tests.serving import running, running_server

SETTINGS = ServerSettings(address="127.0.0.1:0", drain_seconds=0.5)
OUTCOME = f"/{SERVICE}/GetOutcome"


def question(text: str) -> bytes:
    return pb.GetOutcomeRequest(position=Position(text=text)).SerializeToString()


LOOKED_UP, SEARCH, EXPENSIVE = map(question, ("chomp3:[1,2,3]", "nim:[20]", "nim:[9000]"))


def health_of(channel: grpc.Channel) -> Any:
    return health_pb2_grpc.HealthStub(channel)


def check_health(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        found = health_of(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert found.status == health_pb2.HealthCheckResponse.SERVING


async def call_at_once(port: int, count: int) -> Counter[str]:
    """Send many calls on one channel, and count their statuses. Refusals must give a reason."""
    ends: Counter[str] = Counter()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(OUTCOME)

        async def one() -> None:
            try:
                await method(LOOKED_UP, timeout=2 * PATIENCE)
                ends["OK"] += 1
            except grpc.aio.AioRpcError as error:
                ends[error.code().name] += 1

        await asyncio.gather(*(one() for _ in range(count)))
    return ends


@pytest.mark.parametrize("count", [3_500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_calls_at_once_on_one_channel_are_answered(count: int) -> None:
    with running_server(PricedOracle(), SETTINGS) as port:
        assert asyncio.run(call_at_once(port, count)) == {"OK": count}


@contextmanager
def open_calls(
    port: int, connections: int, each: int, messages: Callable[[], Iterator[bytes]]
) -> Iterator[None]:
    """Make calls over each of some connections, which end with the block."""
    calls: list[grpc.Future[bytes]] = []  # a call that nobody holds is cancelled
    with ExitStack() as stack:
        for number in range(connections):
            options = (("grpc.use_local_subchannel_pool", 1), ("number", number))
            channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}", options))
            method: grpc.StreamUnaryMultiCallable[bytes, bytes] = channel.stream_unary(OUTCOME)
            calls += [method.future(messages()) for _ in range(each)]
        assert not any(call.done() for call in calls)
        yield


@contextmanager
def silent_streams(port: int, connections: int, each: int) -> Iterator[None]:
    """Keep calls open whose message does not come until the end of the block."""
    end = threading.Event()

    def silence() -> Iterator[bytes]:
        end.wait(2 * PATIENCE)
        yield LOOKED_UP

    with open_calls(port, connections, each, silence):
        try:
            yield
        finally:
            end.set()


def test_nobody_notices_silent_streams() -> None:
    with running_server(SlowOracle(), SETTINGS) as port, silent_streams(port, 3, 40):
        time.sleep(0.3)
        for _ in range(20):
            assert raw_call(port, "GetOutcome", LOOKED_UP)
        check_health(port)


@pytest.mark.slow
def test_nobody_notices_six_hundred_silent_streams() -> None:
    with running_server(SlowOracle(), SETTINGS) as port, silent_streams(port, 6, 100):
        time.sleep(1)
        for _ in range(100):
            assert raw_call(port, "GetOutcome", LOOKED_UP)
        check_health(port)


def test_watches_are_bounded_for_each_connection_and_shut_nobody_out() -> None:
    settings = replace(SETTINGS, max_watches=3)
    with (
        running_server(SlowOracle(), settings) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        watches = [health_of(channel).Watch(health_pb2.HealthCheckRequest()) for _ in range(3)]
        assert all(next(watch).status == 1 for watch in watches)
        with pytest.raises(grpc.RpcError) as caught:
            next(health_of(channel).Watch(health_pb2.HealthCheckRequest()))
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert details(caught.value)[0].reason == "OVERLOADED"
        check_health(port)
        assert raw_call(port, "GetOutcome", LOOKED_UP)


def test_a_full_server_says_so_and_when_to_come_back() -> None:
    settings = replace(SETTINGS, max_calls=2)
    oracle = PricedOracle()
    with running(oracle, settings) as server, ThreadPoolExecutor(2) as threads:
        port = server.port
        busy = [threads.submit(raw_call, port, "GetOutcome", EXPENSIVE) for _ in range(2)]
        until(lambda: server.admission.active_calls == 2)
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(port, "GetOutcome", SEARCH)
        assert raw_call(port, "GetOutcome", LOOKED_UP)
        check_health(port)
        oracle.done.set()
        assert all(call.result() for call in busy)
    info, retry = details(caught.value)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert info.reason == "OVERLOADED"
    assert retry is not None
    assert retry.retry_delay.ToMilliseconds() == 500
    trailing = {entry.key: str(entry.value) for entry in caught.value.trailing_metadata()}
    assert trailing["grpc-retry-pushback-ms"] == "500"


def test_memory_of_requests_is_bounded() -> None:
    settings = replace(SETTINGS, max_held_bytes=100_000)
    oracle = SlowOracle(PATIENCE)
    packed = pb.PackedPositions(game=Game(text="chomp3"), width=3, coordinates=bytes(60_000))
    request = pb.BatchGetOutcomesRequest(positions=packed).SerializeToString()
    with running_server(oracle, settings) as port, ThreadPoolExecutor(1) as threads:
        first = threads.submit(raw_call, port, "BatchGetOutcomes", request)
        assert oracle.started.wait(PATIENCE)
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(port, "BatchGetOutcomes", request)
        oracle.done.set()
        assert first.result()
    assert details(caught.value)[0].reason == "OVERLOADED"


@pytest.mark.slow
def test_expensive_questions_delay_only_their_own_callers() -> None:
    """The expensive ones take longer than the others may."""
    oracle = PricedOracle(pace=PATIENCE / 5)
    settings = replace(SETTINGS, deadline_seconds=9 * PATIENCE, wait_seconds=9 * PATIENCE)
    with (
        running_server(oracle, settings) as port,
        open_calls(port, 2, 20, lambda: iter([EXPENSIVE])),
    ):
        assert oracle.started.wait(PATIENCE)
        for text in ("chomp3:[1,2,3]", "nim:[1]", "nim:[150]"):
            for _ in range(3):
                assert raw_call(port, "GetOutcome", question(text))
        check_health(port)
