"""A trace leads from the client through the server and its queue to the search."""

import threading
import time
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from opentelemetry import trace
from opentelemetry.instrumentation.grpc import GrpcInstrumentorClient
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from position_oracle import InvalidQuestionError, OracleClient
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.telemetry import ThreadWork
from position_oracle.oracle.server.traces import SERVICE, Traces
from tests.oracle.server.doubles import PricedOracle, ended
from tests.serving import running_server


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """An OpenTelemetry collector: it receives spans by OTLP."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.names: set[str] = set()
        self.has_come = threading.Event()

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - as in the contract
        for resource in request.resource_spans:
            self.names |= {
                attribute.value.string_value
                for attribute in resource.resource.attributes
                if attribute.key == "service.name"
            }
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        self.has_come.set()
        return trace_service_pb2.ExportTraceServiceResponse()


@pytest.fixture
def collector() -> Iterator[tuple[Collector, str]]:
    found = Collector()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    add(found, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield found, f"http://127.0.0.1:{port}"
    server.stop(0)


@pytest.fixture(scope="module")
def client_spans() -> Iterator[InMemorySpanExporter]:
    """The spans of clients in this process, made by the interceptors of OpenTelemetry."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)  # the interceptors use it; it can be set only once
    made: Any = GrpcInstrumentorClient  # it has no annotations
    instrumentor = made()
    instrumentor.instrument()
    yield exporter
    instrumentor.uninstrument()


def test_a_trace_leads_from_the_client_to_the_search(
    collector: tuple[Collector, str], client_spans: InMemorySpanExporter
) -> None:
    found, endpoint = collector
    settings = ServerSettings(address="127.0.0.1:0", traces=endpoint)
    with (
        running_server(PricedOracle(), settings) as port,
        OracleClient(f"127.0.0.1:{port}") as client,
    ):
        client.outcome("nim:[30]")
        with pytest.raises(InvalidQuestionError):
            client.outcome("nim:[30")
    assert found.has_come.wait(10)
    assert found.names == {"position-oracle"}
    asked, refused = client_spans.get_finished_spans()
    assert asked.context is not None
    spans = [span for span in found.spans if span.trace_id == asked.context.trace_id.to_bytes(16)]
    server, waiting, search = sorted(spans, key=lambda span: span.start_time_unix_nano)
    assert server.name == f"{SERVICE}/GetOutcome"
    assert server.parent_span_id == asked.context.span_id.to_bytes(8)
    assert waiting.parent_span_id == search.parent_span_id == server.span_id
    assert (waiting.name, search.name) == ("wait for a thread (search)", "search")
    assert search.end_time_unix_nano - search.start_time_unix_nano >= 30e6
    assert waiting.end_time_unix_nano == search.start_time_unix_nano
    assert asked.start_time is not None
    assert asked.start_time <= server.start_time_unix_nano <= waiting.start_time_unix_nano
    assert search.end_time_unix_nano <= server.end_time_unix_nano
    assert refused.context is not None
    (wrong,) = [
        span for span in found.spans if span.trace_id == refused.context.trace_id.to_bytes(16)
    ]
    assert wrong.status.code == 2  # the code of an error
    attributes = {a.key: a.value for a in wrong.attributes}
    assert attributes["position_oracle.reason"].string_value == "INVALID_NOTATION"
    assert attributes["rpc.grpc.status_code"].int_value == 3


def test_nobody_waits_for_a_collector_that_is_not_there() -> None:
    settings = ServerSettings(address="127.0.0.1:0", traces="http://127.0.0.1:1", drain_seconds=0.1)
    with running_server(PricedOracle(), settings) as port:
        with OracleClient(f"127.0.0.1:{port}") as client:
            assert client.outcome("nim:[1]")
        begun = time.monotonic()
    assert time.monotonic() - begun < 9.0  # the exporter would wait for ten seconds


def test_work_that_has_not_ended_lasts_until_now() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    now = time.monotonic()
    call = ended(("traceparent", "nonsense"), ("x-bin", b"\x00"), seconds=3.0)
    call.work = [
        ThreadWork("long", "read", now - 2.0, now - 1.5),
        ThreadWork("long", "search", now - 1),
    ]
    Traces(provider).ended(call)
    seconds = {
        span.name + str(number): ((span.end_time or 0) - (span.start_time or 0)) / 1e9
        for number, span in enumerate(exporter.get_finished_spans())
    }
    assert seconds["wait for a thread (long)0"] == pytest.approx(0.5, abs=0.01)
    assert seconds["read1"] == pytest.approx(1.5, abs=0.1)
    assert seconds["wait for a thread (long)2"] == pytest.approx(1.0, abs=0.1)
    assert seconds[f"{SERVICE}/GetOutcome3"] == pytest.approx(3.0, abs=0.01)


@pytest.mark.parametrize("wrong", ["", "127.0.0.1:4317", "ftp://x:1", "http://x", "http://x:1/v1"])
def test_invalid_endpoints_are_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="traces"):
        ServerSettings(traces=wrong)
