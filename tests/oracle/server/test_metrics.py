"""Metrics follow events; the pages of metrics and health withstand bad requests."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.metrics import Metrics
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import PricedOracle, raw_call
from tests.oracle.server.words import free_port, number, page, serving_words
from tests.serving import running_server


def outcome(port: int, text: str) -> grpc.StatusCode:
    request = pb.GetOutcomeRequest(position=Position(text=text))
    try:
        raw_call(port, "GetOutcome", request.SerializeToString())
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK


@contextmanager
def watched(oracle: Oracle) -> Iterator[tuple[int, Callable[..., float]]]:
    """Yield the port of a server, and a reader of its metrics."""
    pages = free_port()
    settings = ServerSettings(
        address="127.0.0.1:0",
        metrics=f"127.0.0.1:{pages}",
        drain_seconds=0.1,
        long_threads=1,
        wait_seconds=PATIENCE,
    )
    with running_server(oracle, settings) as port:

        def read(name: str, **labels: str) -> float:
            status, text = page(pages, "/metrics")
            assert status == 200
            return number(text, f"position_oracle_{name}", **labels)

        yield port, read


def test_calls_are_counted_by_method_and_code_with_their_times() -> None:
    with watched(PricedOracle()) as (port, read):
        for text in ("chomp3:[1,2,3]", "nim:[20]", "nim:[30]", "nonsense", "nim:[50000]"):
            outcome(port, text)
        of = {"method": "GetOutcome"}
        assert read("call_seconds_count", code="OK", **of) == 3
        assert read("call_seconds_count", code="INVALID_ARGUMENT", **of) == 1
        assert read("call_seconds_count", code="FAILED_PRECONDITION", **of) == 1
        assert 0.05 <= read("call_seconds_sum", code="OK", **of) < 10
        assert read("errors_total", reason="INVALID_NOTATION", **of) == 1
        assert read("errors_total", reason="TOO_EXPENSIVE", **of) == 1
        assert read("refused_price_seconds_total", reason="TOO_EXPENSIVE") == 50
        assert read("price_seconds_total") == pytest.approx(50.05)
        assert read("queue_wait_seconds_count", queue="search") == 2


def test_metrics_count_calls_that_wait_and_calls_at_work() -> None:
    oracle = PricedOracle()
    with watched(oracle) as (port, read), ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(outcome, port, "nim:[9000]") for _ in range(4)]
        until(lambda: read("queue_waiting", queue="long") == 3)
        assert read("queue_running", queue="long") == 1
        assert read("calls_in_progress") == 4
        assert 0 < read("held_bytes") < 1000
        oracle.done.set()
        assert {call.result() for call in calls} == {grpc.StatusCode.OK}
        until(
            lambda: read("queue_running") == read("queue_waiting") == read("calls_in_progress") == 0
        )
        assert read("queue_wait_seconds_sum", queue="long") > 0


def test_tables_and_memory_are_those_of_the_oracle(store: Path) -> None:
    oracle = Oracle.open(store)
    with watched(oracle) as (port, read):
        for build in oracle.builds:
            of = {"game": build.game, "kind": build.kind}
            assert read("table_info", checksum=build.checksum, limit=build.limit, **of) == 1
            built = read("table_built_timestamp_seconds", **of)
            assert 0 < time.time() - built < 3600
        assert read("tables", version=oracle.tables().version) == 1
        assert read("ready") == 1
        assert read("memory_bytes") > 10e6
        before = read("cache_bytes")
        assert outcome(port, "octal{code=0.07}:[500]") is grpc.StatusCode.OK
        assert read("cache_bytes") == oracle.cache_bytes
        outcome(port, "divisors:2^3*3^2*5*7")
        assert read("cache_bytes") == oracle.cache_bytes > before


def test_new_tables_are_counted_and_the_old_ones_are_served_no_more(tmp_path: Path) -> None:
    with serving_words(tmp_path) as words:

        def reloads(result: str, count: int) -> None:
            words.process.send_signal(signal.SIGHUP)
            name = "position_oracle_reloads_total"
            until(lambda: number(words.page("/metrics")[1], name, result=result) == count)

        words.publish("second")
        reloads("loaded", 1)
        assert words.asked()[0] == "second"
        words.publish("damaged")
        reloads("failed", 1)
        assert words.asked()[0] == "second"


def test_readiness_and_liveness_differ(tmp_path: Path) -> None:
    with serving_words(tmp_path, notice_seconds=3.0) as words:
        assert words.page("/readyz") == (200, "ready\n")
        words.process.terminate()
        until(lambda: words.page("/readyz") == (503, "not ready\n"))
        assert words.page("/healthz") == (200, "alive\n")
        assert words.asked()[0] == "first"  # it answers until the load balancer has noticed
        assert words.process.wait(PATIENCE) == 0


def test_nothing_listens_and_nothing_is_counted_unless_asked_for() -> None:
    program = (
        "import sys; from position_oracle.oracle.server import ServerSettings;"
        " from position_oracle.oracle.server.server import Server;"
        " Server(lambda: None, ServerSettings());"
        " assert not {'prometheus_client', 'opentelemetry'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


REQUESTS = (
    (b"GET /metrics HTTP/1.1\r\n\r\n", 200),
    (b"HEAD /readyz HTTP/1.0\r\nHost: x\r\n\r\n", 200),
    (b"GET /readyz?verbose=1 HTTP/1.1\r\n\r\n", 200),
    (b"GET / HTTP/1.1\r\n\r\n", 404),
    (b"GET /../etc/passwd HTTP/1.1\r\n\r\n", 404),
    (b"POST /metrics HTTP/1.1\r\n\r\n", 405),
    (b"GET /metrics HTTP/2.0\r\n\r\n", 400),
    (b"GET\r\n\r\n", 400),
    (b"\x16\x03\x01\x02\r\n\r\n", 400),
    (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
    (b"GET /metrics HTTP/1.1\r\nHost: x", None),  # and nothing more after that
    (b"", None),
)


@pytest.fixture(scope="module")
def pages() -> Iterator[int]:
    port = free_port()
    with running_server(
        PricedOracle(), ServerSettings(address="127.0.0.1:0", metrics=f"127.0.0.1:{port}")
    ):
        yield port


@pytest.mark.parametrize(("request_", "status"), REQUESTS)
def test_pages_answer_whatever_comes(pages: int, request_: bytes, status: int | None) -> None:
    with socket.create_connection(("127.0.0.1", pages), timeout=PATIENCE) as connection:
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    found = re.match(rb"HTTP/1.1 (\d+) ", answer)
    assert (None if found is None else int(found[1])) == status
    if request_.startswith(b"HEAD"):
        assert answer.endswith(b"\r\n\r\n")


def test_many_open_connections_leave_room_again(pages: int) -> None:
    held = [socket.create_connection(("127.0.0.1", pages)) for _ in range(80)]
    for connection in held:
        connection.close()
    until(lambda: page(pages, "/readyz")[0] == 200)


def test_an_address_of_pages_that_cannot_be_listened_on(pages: int) -> None:
    settings = ServerSettings(address="127.0.0.1:0", metrics=f"127.0.0.1:{pages}")
    with pytest.raises(OSError, match="cannot listen on"), running_server(PricedOracle(), settings):
        pass


def test_of_all_versions_of_the_tables_only_the_present_one_counts() -> None:
    """An earlier version may come back, by a roll-back."""
    metrics, seen = Metrics(), set[str]()
    for version in ("a", "b", "c", "b", "b"):
        tables = SimpleNamespace(version=version)
        oracle: Any = SimpleNamespace(cache_bytes=0, tables=lambda of=tables: of, builds=())
        metrics.sample_oracle(oracle)
        seen.add(version)
        found = {
            each: metrics.registry.get_sample_value("position_oracle_tables", {"version": each})
            for each in seen
        }
        assert found == {each: float(each == version) for each in seen}
