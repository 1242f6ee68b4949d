"""Deadlines, cancelled calls and full servers: callers do not wait, and unwanted work stops."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import grpc
import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import SLICE
from position_oracle.oracle.server import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game, Position
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import SlowOracle, raw_call
from tests.serving import running, running_server

SETTINGS = ServerSettings(address="127.0.0.1:0")
SLICES = 3
BATCH = pb.BatchGetOutcomesRequest(
    positions=pb.PackedPositions(
        game=Game(text="chomp3"), width=3, coordinates=bytes(12 * (SLICES - 1) * SLICE + 12)
    )
)
QUESTION = pb.GetOutcomeRequest(position=Position(text="chomp3:[1,2,3]"))


def test_a_batch_is_answered_in_slices() -> None:
    oracle = SlowOracle()
    with running_server(oracle) as port:
        raw_call(port, "BatchGetOutcomes", BATCH.SerializeToString())
    assert oracle.asked == SLICES


def test_a_batch_is_abandoned_at_its_deadline() -> None:
    oracle = SlowOracle(PATIENCE)
    with running(oracle, SETTINGS) as server:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            call = PositionOracleStub(channel).BatchGetOutcomes.future(BATCH, timeout=6.0)
            assert oracle.started.wait(PATIENCE)
            with pytest.raises(grpc.RpcError) as caught:
                call.result()
        until(lambda: not server.admission.active_calls)
        oracle.done.set()
        until(lambda: not server.admission.running)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert oracle.asked == 1


def test_a_cancelled_batch_is_abandoned() -> None:
    oracle = SlowOracle(PATIENCE)
    with running(oracle, SETTINGS) as server:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            call = PositionOracleStub(channel).BatchGetOutcomes.future(BATCH)
            assert oracle.started.wait(PATIENCE)
            call.cancel()
            until(lambda: not server.admission.active_calls)
        oracle.done.set()
        assert raw_call(server.port, "GetOutcome", QUESTION.SerializeToString())
        until(lambda: not server.admission.running)
    assert oracle.asked == 1


def test_a_search_that_the_deadline_leaves_no_time_for_is_answered_at_once() -> None:
    text = "octal{code=0.143}:[1000000000]"
    request = pb.GetOutcomeRequest(position=Position(text=text)).SerializeToString()
    with running_server(Oracle()) as port:
        found = raw_call(port, "GetOutcome", request, timeout=3.0)
    answer = pb.GetOutcomeResponse.FromString(found).answer
    assert "deciding it takes about 4.3 s; the deadline leaves" in answer.reason


def test_single_positions_do_not_wait_for_batches() -> None:
    oracle = SlowOracle(PATIENCE)
    with running_server(oracle) as port, ThreadPoolExecutor(1) as threads:
        batch = threads.submit(raw_call, port, "BatchGetOutcomes", BATCH.SerializeToString())
        assert oracle.started.wait(PATIENCE)
        assert raw_call(port, "GetOutcome", QUESTION.SerializeToString())
        assert not batch.done()
        oracle.done.set()
        assert batch.result()


def test_nobody_waits_for_a_search() -> None:
    oracle = SlowOracle(PATIENCE)
    search = pb.GetOutcomeRequest(position=Position(text="chomp:9/9/9/9"))
    with running_server(oracle) as port, ThreadPoolExecutor(1) as threads:
        found = threads.submit(raw_call, port, "GetOutcome", search.SerializeToString())
        assert oracle.started.wait(PATIENCE)
        assert raw_call(port, "GetOutcome", QUESTION.SerializeToString())
        assert not found.done()
        oracle.done.set()
        assert found.result()


def test_a_full_server_refuses_further_calls() -> None:
    oracle = SlowOracle(PATIENCE)
    settings = replace(SETTINGS, max_calls=1)
    with running_server(oracle, settings) as port, ThreadPoolExecutor(1) as threads:
        batch = threads.submit(raw_call, port, "BatchGetOutcomes", BATCH.SerializeToString())
        assert oracle.started.wait(PATIENCE)
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(port, "GetOutcome", QUESTION.SerializeToString())
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        oracle.done.set()
        assert batch.result()
        assert raw_call(port, "GetOutcome", QUESTION.SerializeToString())
