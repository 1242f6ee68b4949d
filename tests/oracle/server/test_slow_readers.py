"""Callers that do not read their responses: nobody waits for them, and memory is bounded."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2

from position_oracle.oracle.server import ServerSettings, grpc_handlers
from position_oracle.oracle.server.grpc_handlers import READ_DEADLINES
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SERVICE, SlowOracle
from tests.oracle.server.test_bad_input import packed
from tests.oracle.server.test_crowds import health_of
from tests.serving import running_server

BATCH = f"/{SERVICE}/BatchGetWinningMoves"
LONG = pb.BatchGetWinningMovesRequest(positions=packed(20_000)).SerializeToString()
ANSWER_BYTES = 260_000


@contextmanager
def connection(port: int, host: str = "127.0.0.1") -> Iterator[Any]:
    """A connection of its own that receives little more than its caller reads."""
    options = (
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.http2.lookahead_bytes", 5),
        ("grpc.http2.bdp_probe", 0),
    )
    with grpc.insecure_channel(f"{host}:{port}", options) as channel:
        yield channel


def unread(channel: Any, count: int) -> list[Any]:
    """Begin calls, and leave their responses unread."""
    calls = [channel.unary_stream(BATCH)(LONG) for _ in range(count)]
    for call in calls:
        call.initial_metadata()  # it comes together with the response
    return calls


def settings(**given: Any) -> ServerSettings:
    return ServerSettings(address="127.0.0.1:0", drain_seconds=0.5, **given)


def test_of_too_many_unread_answers_the_connection_with_most_gives_way() -> None:
    limits = settings(max_held_bytes=4 * ANSWER_BYTES, deadline_seconds=60.0)
    with (
        running_server(SlowOracle(), limits) as port,
        connection(port) as greedy,
        connection(port) as modest,
    ):
        taken = unread(greedy, 3)
        (refused,) = unread(greedy, 1)
        assert refused.code() is grpc.StatusCode.UNAVAILABLE
        assert not any(call.done() for call in taken)
        answers = unread(modest, 2)
        assert [call.code() for call in taken] == [grpc.StatusCode.UNAVAILABLE] * 3
        for call in answers:
            assert len(pb.BatchGetWinningMovesResponse.FromString(next(call)).outcomes) == 20_000


class Context:
    """A call that ends when told."""

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    def add_done_callback(self, ended: Callable[[object], None]) -> None:
        self.end = ended


@pytest.mark.parametrize("is_read", [True, False])
def test_a_connection_is_closed_only_if_a_response_is_not_read(
    monkeypatch: pytest.MonkeyPatch, is_read: bool
) -> None:
    closed = list[str]()
    monkeypatch.setattr(grpc_handlers, "close_connection", closed.append)

    async def answer() -> None:
        responses, context = grpc_handlers.UnreadResponses(0.001, 10**9), Context()
        call: Any = context
        responses.add(call, 10**6)
        assert responses.total == 10**6
        if is_read:
            context.end(None)
            assert responses.total == 0
        await asyncio.sleep(0.02)

    asyncio.run(answer())
    assert closed == ([] if is_read else [Context().peer()])


def test_answers_that_are_read_leave_room_for_others() -> None:
    with (
        running_server(SlowOracle(), settings(max_held_bytes=2 * ANSWER_BYTES)) as port,
        connection(port) as channel,
    ):
        for _ in range(20):
            assert len(channel.unary_unary(BATCH)(LONG, timeout=PATIENCE)) > 200_000


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_a_connection_that_does_not_read_is_closed_after_some_deadlines(host: str) -> None:
    limits = replace(settings(deadline_seconds=0.3), address="[::]:0", insecure=True)
    with running_server(SlowOracle(), limits) as port, connection(port, host) as channel:
        begun = time.monotonic()
        (call,) = unread(channel, 1)
        assert call.code() is grpc.StatusCode.UNAVAILABLE
        assert 0.3 * READ_DEADLINES - 0.1 < time.monotonic() - begun < PATIENCE


def test_a_watch_that_is_not_read_delays_neither_others_nor_the_end() -> None:
    with running_server(SlowOracle(), settings()) as port, connection(port) as deaf:
        calls = [health_of(deaf).Watch(health_pb2.HealthCheckRequest()) for _ in range(3)]
        calls[0].initial_metadata()
        with connection(port) as channel:
            other = health_of(channel).Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            assert next(other).status == health_pb2.HealthCheckResponse.SERVING
        begun = time.monotonic()
    assert time.monotonic() - begun < PATIENCE
