"""The log has one JSON object a line. The id of a request leads to the line of its error."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from position_oracle.engine.budget import Cost
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.errors import REQUEST_ID, RequestError, error_status
from position_oracle.oracle.server.logs import (
    ERRORS_A_MINUTE,
    OTHERS_A_MINUTE,
    CallLog,
    JsonLines,
    LibraryLimit,
)
from position_oracle.oracle.server.telemetry import ThreadWork
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SERVICE, BrokenOracle, PricedOracle, ended
from tests.serving import running_server

QUICK = pb.GetOutcomeRequest(position=Position(text="chomp3:[1,2,3]"))
SEARCH = pb.GetOutcomeRequest(position=Position(text="nim:[20]"))
EMPTY = pb.GetOutcomeRequest()


class Lines(logging.Handler):
    """Collects the lines that the server logs."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.entries: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        assert "\n" not in line
        self.entries.append(json.loads(line))


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler, logger = Lines(), logging.getLogger("position_oracle")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def ask(
    port: int, request: pb.GetOutcomeRequest, *ids: str
) -> tuple[str, grpc.StatusCode, dict[str, str]]:
    """Return the id in the response, the status code, and the details of `ErrorInfo`."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )
        metadata = tuple((REQUEST_ID, name) for name in ids)
        info = error_details_pb2.ErrorInfo()
        done: Any  # the call, or its error, which is a call, too
        try:
            _, done = call.with_call(
                request.SerializeToString(), timeout=PATIENCE, metadata=metadata
            )
        except grpc.RpcError as error:
            done = error
            status = rpc_status.from_call(done)
            assert any(detail.Unpack(info) for detail in status.details)
        trailing = dict(done.trailing_metadata())
        return trailing[REQUEST_ID], done.code(), dict(info.metadata)


def test_the_line_of_an_error_is_found_by_the_id_of_its_request(lines: Lines) -> None:
    with running_server(PricedOracle()) as port:
        name, code, info = ask(port, EMPTY)
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert info["request_id"] == name
        other, _, _ = ask(port, EMPTY)
    (entry,) = [entry for entry in lines.entries if entry.get("request_id") == name]
    assert other != name
    assert entry["logger"] == "position_oracle.calls"
    assert (entry["method"], entry["code"]) == ("GetOutcome", "INVALID_ARGUMENT")
    assert (entry["reason"], entry["field"]) == ("INVALID_REQUEST", "position.text")
    assert "is missing" in entry["message"]
    assert entry["ms"] >= 0
    assert "127.0.0.1" in entry["peer"]


@pytest.mark.parametrize("request_", [QUICK, SEARCH, EMPTY])
def test_a_callers_own_id_comes_back(request_: pb.GetOutcomeRequest, lines: Lines) -> None:
    with running_server(PricedOracle()) as port:
        assert ask(port, request_, "mine {1}")[0] != "mine {1}"  # this id has a space
        assert ask(port, request_, "mine-{1}")[0] == "mine-{1}"
        assert ask(port, request_, "x" * 128)[0] == "x" * 128
        assert ask(port, request_, "x" * 129)[0] != "x" * 129
        assert ask(port, request_, "")[0]


def test_a_fault_of_the_server_has_its_traceback_under_the_same_id(lines: Lines) -> None:
    with running_server(BrokenOracle()) as port:
        assert ask(port, QUICK, "broken")[1] is grpc.StatusCode.INTERNAL
    traceback, call = [entry for entry in lines.entries if entry.get("request_id") == "broken"]
    assert "ZeroDivisionError: secret" in traceback["traceback"]
    assert traceback["level"] == "ERROR"
    assert call["reason"] == "INTERNAL"
    assert "secret" not in call["message"]


def test_answers_are_logged_only_where_that_is_asked_for(lines: Lines) -> None:
    with running_server(PricedOracle()) as port:
        ask(port, QUICK)
    assert not lines.entries
    with running_server(
        PricedOracle(), ServerSettings(address="127.0.0.1:0", access_log=True)
    ) as port:
        ask(port, QUICK)
        ask(port, SEARCH)
        ask(port, EMPTY)
    quick, search, empty = [
        entry for entry in lines.entries if entry["logger"] == "position_oracle.calls"
    ]
    assert [entry["code"] for entry in (quick, search, empty)] == ["OK", "OK", "INVALID_ARGUMENT"]
    assert "queue" not in quick
    assert (search["queue"], search["price_ms"]) == ("search", 20)
    assert search["ms"] >= 20
    assert search["wait_ms"] >= 0


def test_unknown_calls_and_too_many_watches_have_ids_too(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/None")
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=PATIENCE, metadata=((REQUEST_ID, "unknown"),))
        error: Any = caught.value
        assert dict(error.trailing_metadata())[REQUEST_ID] == "unknown"


def test_callers_cannot_fill_the_disk_with_their_errors(lines: Lines) -> None:
    fault, ours = error_status(RequestError("wrong")), error_status(ValueError("broken"))
    log = CallLog(wants_all=False)
    for _ in range(2 * ERRORS_A_MINUTE):
        log.ended(ended(error=fault))
    assert ERRORS_A_MINUTE <= len(lines.entries) < 1.5 * ERRORS_A_MINUTE
    written = len(lines.entries)
    log.ended(ended((REQUEST_ID, "ours"), error=ours))
    assert lines.entries[-1]["request_id"] == "ours"
    left_out = sum(entry.get("left_out", 0) for entry in lines.entries)
    assert left_out == 2 * ERRORS_A_MINUTE - written


def test_a_log_line_is_one_line_whatever_stands_in_it(lines: Lines) -> None:
    logging.getLogger("position_oracle.test").info(
        "a\nb %s", "\u2028\x00", extra={"facts": {"of": health_pb2}}
    )
    assert lines.entries[-1]["message"] == "a\nb \u2028\x00"
    assert str(health_pb2) == lines.entries[-1]["of"]


def test_work_that_has_not_begun_waits_still() -> None:
    work = ThreadWork("search", "search", queued=-1.0)
    assert work.wait_seconds > 1.0
    work.begun = 2.0
    assert work.wait_seconds == 3.0
    assert work.ended is None


def test_callers_cannot_make_libraries_fill_the_log() -> None:
    others = LibraryLimit()

    def written(logger: str, count: int) -> int:
        record = logging.LogRecord(logger, logging.ERROR, "", 0, "no", None, None)
        return sum(others.filter(record) for _ in range(count))

    assert written("grpc._cython.cygrpc", 10 * OTHERS_A_MINUTE) == pytest.approx(
        OTHERS_A_MINUTE, abs=2
    )
    assert written("position_oracle.calls", 10 * OTHERS_A_MINUTE) == 10 * OTHERS_A_MINUTE


def test_times_of_all_threads_of_a_call_are_added_up_in_milliseconds(lines: Lines) -> None:
    call = ended()
    call.seconds, call.cost = 2.5, Cost(0.75)
    for queue, queued, cpu in (("search", 1.0, 0.125), ("long", 1.25, 0.0625)):
        call.work.append(ThreadWork(queue, "search", queued, 1.5, 2.0, cpu))
    CallLog(wants_all=True).ended(call)
    said = lines.entries[-1]
    found = [said[name] for name in ("ms", "price_ms", "wait_ms", "cpu_ms", "queue")]
    assert found == [2500.0, 750.0, 750.0, 187.5, "long"]
