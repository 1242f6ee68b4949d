"""Each question has a cost before its work begins, and the work ends with the call."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from position_oracle.oracle.server import ServerSettings, process
from position_oracle.oracle.server.compute_pool import SPARE_BYTES
from position_oracle.oracle.server.server import Server
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game, Position
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import PricedOracle, SlowOracle, raw_call
from tests.serving import running_server

SETTINGS = ServerSettings(address="127.0.0.1:0", drain_seconds=1.0)


def question(text: str) -> bytes:
    return pb.GetOutcomeRequest(position=Position(text=text)).SerializeToString()


def ask(port: int, text: str, timeout: float = PATIENCE) -> bytes:
    return raw_call(port, "GetOutcome", question(text), timeout)


def details(error: grpc.RpcError) -> tuple[ErrorInfo, RetryInfo | None]:
    metadata = {entry.key: entry.value for entry in error.trailing_metadata()}
    status = Status.FromString(metadata["grpc-status-details-bin"])
    info, retry = ErrorInfo(), RetryInfo()
    assert status.details[0].Unpack(info)
    return info, retry if any(detail.Unpack(retry) for detail in status.details) else None


def test_expensive_questions_are_refused_before_work_with_cost_and_limit() -> None:
    oracle = PricedOracle()
    with running_server(oracle, replace(SETTINGS, call_seconds=2.0)) as port:
        with pytest.raises(grpc.RpcError) as caught:
            ask(port, "nim:[2001]")
        assert ask(port, "chomp3:[2001,0,0]")
    info, retry = details(caught.value)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert info.reason == "TOO_EXPENSIVE"
    assert info.metadata["price"].startswith("2 s")
    assert info.metadata["limit"].startswith("2 s and 1.1 GB")
    assert retry is None
    assert oracle.asked == 0


def test_a_cost_at_the_limit_is_admitted() -> None:
    oracle = PricedOracle()
    with running_server(oracle, replace(SETTINGS, call_seconds=0.05)) as port:
        assert ask(port, "nim:[50]")
        with pytest.raises(grpc.RpcError):
            ask(port, "nim:[51]")
    assert oracle.asked == 1


def test_a_process_may_take_the_memory_of_a_question_in_every_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(process, "limit_memory", lambda *limit: limits.append(limit))
    monkeypatch.setattr(process, "free_exempt", lambda: None)
    settings = replace(SETTINGS, search_threads=2, batch_threads=3, call_bytes=2**24, workers=4)
    process._settle(cast("Server", SimpleNamespace(settings=settings)))
    assert limits == [(5 * 2**24 + SPARE_BYTES, 4)]


def test_look_ups_are_answered_on_the_event_loop() -> None:
    oracle = PricedOracle()
    with running_server(oracle) as port:
        assert ask(port, "chomp3:[3,2,1]")
    assert oracle.asked == 0


@pytest.mark.parametrize("text", ["nim:[9000]", "chomp:9000"])
def test_a_call_ends_at_the_deadline_whatever_its_thread_does(text: str) -> None:
    oracle = PricedOracle()
    settings = replace(SETTINGS, deadline_seconds=0.3, drain_seconds=0.0)
    with running_server(oracle, settings) as port:
        begun = time.monotonic()
        with pytest.raises(grpc.RpcError) as caught:
            ask(port, text)
        taken = time.monotonic() - begun
        oracle.done.set()
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert details(caught.value)[0].reason == "DEADLINE_EXCEEDED"
    assert 0.3 <= taken < 9.0  # the search alone would take nine seconds


def test_work_ends_with_the_caller_s_deadline() -> None:
    oracle = PricedOracle()
    with running_server(oracle) as port:
        with pytest.raises(grpc.RpcError):
            ask(port, "nim:[8000]", timeout=1.0)
        until(lambda: oracle.stopped == 1)


def test_work_ends_when_its_caller_goes() -> None:
    oracle = PricedOracle()
    with (
        running_server(oracle) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        request = pb.GetOutcomeRequest(position=Position(text="nim:[5000]"))
        call = PositionOracleStub(channel).GetOutcome.future(request)
        assert oracle.started.wait(PATIENCE)
        call.cancel()
        until(lambda: oracle.stopped == 1)


def test_a_call_without_a_message_ends() -> None:
    settings = replace(SETTINGS, arrival_seconds=0.2)

    end = threading.Event()

    def silence() -> Iterator[bytes]:
        end.wait(2 * PATIENCE)
        yield b""

    with (
        running_server(SlowOracle(), settings) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        call: grpc.StreamUnaryMultiCallable[bytes, bytes] = channel.stream_unary(
            "/position_oracle.v1.PositionOracle/GetOutcome"
        )
        begun = time.monotonic()
        with pytest.raises(grpc.RpcError) as caught:
            call(silence())
        assert time.monotonic() - begun < PATIENCE
        end.set()
        assert ask(port, "chomp3:[1,2,3]")
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "no message arrived" in (caught.value.details() or "")


def test_a_call_that_ends_without_a_message_is_refused() -> None:
    with (
        running_server(SlowOracle()) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        call: grpc.StreamUnaryMultiCallable[bytes, bytes] = channel.stream_unary(
            "/position_oracle.v1.PositionOracle/GetOutcome"
        )
        with pytest.raises(grpc.RpcError) as caught:
            call(iter(()))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("size", [70_000, 300_000])
def test_a_long_question_about_one_position_is_refused_unread(size: int) -> None:
    with running_server(SlowOracle()) as port, pytest.raises(grpc.RpcError) as caught:
        raw_call(port, "GetOutcome", question("x" * size))
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert details(caught.value)[0].reason == "TOO_LARGE"


def test_a_long_answer_is_refused() -> None:
    packed = pb.PackedPositions(game=Game(text="chomp3"), width=3, coordinates=bytes(12 * 2000))
    request = pb.BatchGetOutcomesRequest(positions=packed).SerializeToString()
    settings = replace(SETTINGS, max_response_bytes=1024)
    with running_server(PricedOracle(), settings) as port, pytest.raises(grpc.RpcError) as caught:
        raw_call(port, "BatchGetOutcomes", request)
    assert details(caught.value)[0].reason == "TOO_LARGE"


def test_a_call_that_the_contract_has_not_is_refused_with_details() -> None:
    with running_server(SlowOracle()) as port, pytest.raises(grpc.RpcError) as caught:
        raw_call(port, "GetEverything", b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert details(caught.value)[0].reason == "UNKNOWN_CALL"
