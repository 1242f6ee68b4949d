"""Failures: retries, deadlines, statuses, and answers that break the contract.

The server here follows a script, so that each failure happens exactly as often as the script says.
"""

import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import numpy as np
import pytest

from position_oracle import (
    AccessDeniedError,
    Certainty,
    ClientClosedError,
    DeadlineError,
    InvalidQuestionError,
    OracleClient,
    OracleClientError,
    Outcome,
    PositionOracleError,
    ServerError,
    ServerLimitError,
    ServerUnavailableError,
    TablesChangedError,
    UnknownGameError,
    UnsupportedQuestionError,
    errors,
)
from position_oracle.clients._channel import Attempts
from position_oracle.clients.errors import InvalidArgumentError
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.clients.conftest import Connect
from tests.clock import PATIENCE

GOOD = pb.GetOutcomeResponse(
    answer=answer_pb2.Answer(
        position=Position(text="chomp3:[1,0,0]"),
        outcome=answer_pb2.OUTCOME_N,
        certainty=answer_pb2.CERTAINTY_THEOREM,
    )
)
Step = grpc.StatusCode | Any
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


class ScriptedServer:
    """A server that takes one step of its script at each call: it sends a message or a status."""

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.calls: list[float] = []
        self.waiting = threading.Event()

    def __call__(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        self.calls.append(time.monotonic())
        step = self.script.pop(0)
        if isinstance(step, grpc.StatusCode):
            context.abort(step, f"scripted {step.name}")
        if isinstance(step, float):
            self.waiting.wait(step)
            step = GOOD
        return bytes(step.SerializeToString())


@contextmanager
def scripted(*script: Step, port: int = 0) -> Iterator[tuple[ScriptedServer, int]]:
    behaviour = ScriptedServer(*script)
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(behaviour)

    class Handlers(grpc.GenericRpcHandler):
        def service(self, details: grpc.HandlerCallDetails) -> Any:
            return handler

    server = grpc.server(
        ThreadPoolExecutor(2),
        [Handlers()],
        options=[("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)],
    )
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield behaviour, port
    finally:
        behaviour.waiting.set()
        server.stop(0).wait()


def test_unavailable_is_tried_again_after_a_pause(connect: Connect) -> None:
    with scripted(UNAVAILABLE, UNAVAILABLE, GOOD) as (server, port):
        assert connect(port).outcome("chomp3:[1,0,0]").outcome is Outcome.N
        first, second, third = server.calls
    assert second - first > 0.05
    assert third - second > 0.1


def test_large_batches_are_tried_again(connect: Connect) -> None:
    answer = pb.BatchGetOutcomesResponse(outcomes=bytes(100_000))
    with scripted(UNAVAILABLE, answer) as (server, port):
        outcomes = connect(port).outcomes("chomp3", np.zeros((100_000, 3), np.int32))
    assert len(outcomes) == 100_000
    assert len(server.calls) == 2


def test_a_request_is_tried_again_for_a_limited_time(connect: Connect) -> None:
    with scripted(*[UNAVAILABLE] * 20) as (server, port):
        start = time.monotonic()
        with pytest.raises(ServerUnavailableError, match="scripted UNAVAILABLE"):
            connect(port, retry_for=0.5).outcome("chomp3:[1,0,0]")
        assert time.monotonic() - start < PATIENCE
        assert 2 <= len(server.calls) <= 8


def test_a_call_that_a_stopping_server_cancels_is_made_again(connect: Connect) -> None:
    cancelled = grpc.StatusCode.CANCELLED
    with scripted(cancelled, GOOD) as (_, port):
        assert connect(port).outcome("chomp3:[1,0,0]").outcome is Outcome.N
    good = pb.BatchGetOutcomesResponse(outcomes=bytes(10))
    with scripted(good, cancelled, UNAVAILABLE, good, good) as (server, port):
        connect(port, batch_positions=10).outcomes("chomp3", np.zeros((30, 3), int))
        assert len(server.calls) == 5


def test_retries_can_be_turned_off(connect: Connect) -> None:
    with scripted(UNAVAILABLE, GOOD) as (server, port):
        with pytest.raises(ConnectionError):
            connect(port, retry_for=0).outcome("chomp3:[1,0,0]")
        assert len(server.calls) == 1


OWN = [error for error in vars(errors).values() if isinstance(error, type)]
STATUSES = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidQuestionError,
    grpc.StatusCode.NOT_FOUND: UnknownGameError,
    grpc.StatusCode.UNIMPLEMENTED: UnsupportedQuestionError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ServerLimitError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
    grpc.StatusCode.INTERNAL: ServerError,
    grpc.StatusCode.UNKNOWN: ServerError,
    grpc.StatusCode.DATA_LOSS: ServerError,
    grpc.StatusCode.ABORTED: TablesChangedError,
    grpc.StatusCode.FAILED_PRECONDITION: UnsupportedQuestionError,
    grpc.StatusCode.OUT_OF_RANGE: UnsupportedQuestionError,
    grpc.StatusCode.PERMISSION_DENIED: AccessDeniedError,
    grpc.StatusCode.UNAUTHENTICATED: AccessDeniedError,
}


@pytest.mark.parametrize("status", STATUSES, ids=lambda status: status.name)
def test_other_statuses_are_not_tried_again(connect: Connect, status: grpc.StatusCode) -> None:
    with scripted(status, GOOD) as (server, port):
        with pytest.raises(STATUSES[status], match=f"scripted {status.name}"):
            connect(port).outcome("chomp3:[1,0,0]")
        assert len(server.calls) == 1


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_nobody_listening(connect: Connect) -> None:
    with pytest.raises(ServerUnavailableError):
        connect(free_port(), retry_for=0.3).outcome("chomp3:[1,0,0]")


def test_a_server_that_starts_late_is_reached(connect: Connect) -> None:
    port = free_port()
    client = connect(port)
    started: list[ScriptedServer] = []
    asked = threading.Event()

    def start_late() -> None:
        time.sleep(0.3)
        with scripted(GOOD, port=port) as (server, _):
            started.append(server)
            asked.wait(PATIENCE)

    thread = threading.Thread(target=start_late)
    thread.start()
    try:
        assert client.outcome("chomp3:[1,0,0]").outcome is Outcome.N
    finally:
        asked.set()
        thread.join()
    assert len(started[0].calls) == 1


def test_the_deadline_of_the_client(connect: Connect) -> None:
    with scripted(30.0) as (_, port):
        start = time.monotonic()
        with pytest.raises(DeadlineError):
            connect(port, timeout=0.2).outcome("chomp3:[1,0,0]")
        assert time.monotonic() - start < 29


def test_a_deadline_for_one_call(connect: Connect) -> None:
    with scripted(30.0, GOOD) as (_, port):
        client = connect(port)
        with pytest.raises(TimeoutError):
            client.outcome("chomp3:[1,0,0]", timeout=0.2)
        assert client.outcome("chomp3:[1,0,0]", timeout=math.inf).outcome is Outcome.N


def test_the_deadline_includes_the_retries(connect: Connect) -> None:
    with scripted(*[UNAVAILABLE] * 100) as (server, port):
        with pytest.raises((DeadlineError, ServerUnavailableError)):
            connect(port, timeout=0.3).outcome("chomp3:[1,0,0]")
        assert len(server.calls) < 10


@pytest.mark.parametrize("timeout", [0, -1, math.nan])
def test_a_deadline_that_makes_no_sense(connect: Connect, timeout: float) -> None:
    client = connect(free_port())
    with pytest.raises(InvalidArgumentError, match="allowed are positive seconds"):
        client.outcome("chomp3:[1,0,0]", timeout=timeout)
    with pytest.raises(InvalidArgumentError, match="allowed are positive seconds"):
        client.outcomes("chomp3", [[1, 0, 0]], timeout=timeout)
    with pytest.raises(InvalidArgumentError, match="allowed are positive seconds"):
        client.wait_ready(timeout)


BROKEN: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "bytes where": (
        pb.BatchGetOutcomesResponse(outcomes=b"\x01"),
        lambda client: client.outcomes("chomp3", [[1, 0, 0], [2, 0, 0]]),
    ),
    "4 bytes where 12": (
        pb.BatchGetWinningMovesResponse(outcomes=b"\x01", moves=b"\x01", children=bytes(4)),
        lambda client: client.winning_move_batch("chomp3", [[1, 0, 0]]),
    ),
}


@pytest.mark.parametrize("says", BROKEN)
def test_an_answer_that_breaks_the_contract(connect: Connect, says: str) -> None:
    answer, ask = BROKEN[says]
    with scripted(answer) as (_, port), pytest.raises(ServerError, match=says):
        ask(connect(port))


def test_words_of_a_newer_server_read_as_unknown(connect: Connect) -> None:
    answer = answer_pb2.Answer(outcome=7, certainty=9, reason="newer")  # type: ignore[arg-type]
    with scripted(pb.GetOutcomeResponse(answer=answer)) as (_, port):
        found = connect(port).outcome("chomp3:[1,0,0]")
    assert found.outcome is Outcome.UNKNOWN
    assert found.certainty is Certainty.UNKNOWN
    assert found.reason == "newer"


def test_outcomes_of_a_newer_server_read_as_unknown_in_arrays(connect: Connect) -> None:
    response = pb.BatchGetOutcomesResponse(outcomes=bytes([0, 1, 2, 3, 255]))
    with scripted(response) as (_, port):
        outcomes = connect(port).outcomes("chomp3", np.zeros((5, 3), int))
    assert (outcomes.tolist(), outcomes.dtype) == ([0, 1, 2, 0, 0], np.uint8)


def test_one_failed_batch_fails_the_array(connect: Connect) -> None:
    good = pb.BatchGetOutcomesResponse(outcomes=bytes(10))
    with scripted(good, grpc.StatusCode.INTERNAL, *[good] * 8) as (server, port):
        with pytest.raises(ServerError):
            connect(port, batch_positions=10).outcomes("chomp3", np.zeros((100, 3), int))
        assert len(server.calls) < 5


def test_a_client_closed_while_it_waits() -> None:
    with scripted(30.0) as (server, port), ThreadPoolExecutor(1) as threads:
        client = OracleClient(f"127.0.0.1:{port}")
        waiting = threads.submit(client.outcome, "chomp3:[1,0,0]")
        while not server.calls:
            time.sleep(0.01)
        client.close()
        assert isinstance(waiting.exception(PATIENCE), ClientClosedError)


def test_a_client_closed_between_the_requests_of_an_array() -> None:
    good = pb.BatchGetOutcomesResponse(outcomes=bytes(10))
    with scripted(good, 30.0, *[good] * 98) as (server, port), ThreadPoolExecutor(1) as threads:
        client = OracleClient(f"127.0.0.1:{port}", batch_positions=10)
        waiting = threads.submit(client.outcomes, "chomp3", np.zeros((1000, 3), int))
        while len(server.calls) < 2:
            time.sleep(0.01)
        client.close()
        assert isinstance(waiting.exception(PATIENCE), ClientClosedError)


def test_a_client_closed_by_another_thread_at_any_moment() -> None:
    """Threads that are asking get `ClientClosedError`, and no other error."""
    with scripted(*[GOOD] * 5000) as (_, port), ThreadPoolExecutor(2) as threads:
        for delay in range(20):
            client = OracleClient(f"127.0.0.1:{port}")

            def ask(client: OracleClient = client) -> None:
                for _ in range(200):
                    client.outcome("chomp3:[1,0,0]")

            asking = [threads.submit(ask), threads.submit(ask)]
            time.sleep(delay / 500)
            client.close()
            assert {type(each.exception(PATIENCE)) for each in asking} <= {
                ClientClosedError,
                type(None),
            }


def test_every_error_is_an_oracle_client_error() -> None:
    for error in STATUSES.values():
        assert issubclass(error, PositionOracleError)
        assert any(issubclass(own, OracleClientError) and issubclass(own, error) for own in OWN)


def test_pauses_grow_to_a_second() -> None:
    """Each is drawn from half of its longest on; a server that asks for more time has it."""
    attempts, error = Attempts(timeout=1e6, retry_for=1e5), ServerUnavailableError("not there")
    error.code = "UNAVAILABLE"
    for longest in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.0):
        pause = attempts.pause(error)
        assert pause is not None
        assert longest / 2 <= pause <= longest
    error.retry_seconds = 7.5
    assert attempts.pause(error) == 7.5
