"""Traces for OpenTelemetry: a span for each call, with spans for its waits and work.

The module needs `opentelemetry-sdk` and its OTLP exporter (the extra `tracing`). It makes spans
when a call has ended, from the recorded times, so calls by gRPC and by HTTP have the same spans and
cost nothing while they run. The header `traceparent`, which OpenTelemetry's interceptors of clients
send, gives the caller's own span.
"""

from __future__ import annotations

import os
import time
from typing import Final

from position_oracle.oracle.server.contract import DESCRIPTOR
from position_oracle.oracle.server.telemetry import CallRecord
from position_oracle.schema.extras import from_extra

with from_extra("tracing"):
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

SERVICE: Final = DESCRIPTOR.full_name
_NAME: Final = "position-oracle"
_PARENT: Final = TraceContextTextMapPropagator()


class Traces:
    """Makes the spans of every call that has ended."""

    def __init__(self, provider: TracerProvider) -> None:
        """Set the provider that samples and exports spans."""
        self._provider = provider
        self._tracer = provider.get_tracer(_NAME)

    @classmethod
    def sent_to(cls, endpoint: str) -> Traces:
        """Make traces that a thread sends to http://host:port by OTLP over gRPC, in batches."""
        resource = Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME", _NAME)})
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=endpoint, insecure=endpoint.startswith("http://"))
        provider.add_span_processor(BatchSpanProcessor(exporter))
        return cls(provider)

    def close(self) -> None:
        """Send the remaining spans."""
        self._provider.shutdown()

    def ended(self, call: CallRecord) -> None:
        """Make the spans of a call."""
        now = time.time_ns()
        # Threads use another clock.
        shift = now - time.monotonic_ns()
        parent = _PARENT.extract({k: v for k, v in call.headers if isinstance(v, str)})
        span = self._tracer.start_span(
            f"{SERVICE}/{call.method}",
            parent,
            SpanKind.SERVER,
            _attributes(call),
            start_time=now - round(call.seconds * 1e9),
        )
        below = set_span_in_context(span)
        for work in call.work:
            begun = now if work.begun is None else round(work.begun * 1e9) + shift
            ended = now if work.ended is None else round(work.ended * 1e9) + shift
            queue = {"position_oracle.queue": work.queue}
            queued = round(work.queued * 1e9) + shift
            self._tracer.start_span(
                f"wait for a thread ({work.queue})", below, attributes=queue, start_time=queued
            ).end(begun)
            if work.begun is not None:
                self._tracer.start_span(work.kind, below, attributes=queue, start_time=begun).end(
                    ended
                )
        if call.error is not None:
            span.set_status(Status(StatusCode.ERROR, call.error.message))
        span.end(now)


def _attributes(call: CallRecord) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {
        "rpc.system": "grpc",
        "rpc.service": SERVICE,
        "rpc.method": call.method,
        "rpc.grpc.status_code": call.code.value[0],
        "network.peer.address": call.caller.peer(),
        "position_oracle.request_id": call.request_id,
    }
    if call.error is not None:
        attributes["position_oracle.reason"] = call.error.reason
    if call.cost is not None:
        attributes["position_oracle.price_seconds"] = call.cost.seconds_now
    return attributes
