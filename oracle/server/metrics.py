"""Metrics for Prometheus: times, queues, refusals and tables.

The module needs the extra `metrics`. If the environment variable `PROMETHEUS_MULTIPROC_DIR` names a
folder, numbers are stored in files there, and the page adds up the numbers of all processes.
Otherwise the page has the numbers of this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final

from position_oracle.engine.machine import used_memory
from position_oracle.oracle.server.telemetry import CallRecord, ProbePage
from position_oracle.schema.extras import from_extra

if TYPE_CHECKING:
    from position_oracle.oracle.core import Oracle
    from position_oracle.oracle.server.admission import Admission

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable that makes prometheus-client keep numbers in files."""

_NAMESPACE: Final = "position_oracle"
_CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS: Final = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 30.0,
)  # fmt: skip

_EVENTS: Final = (
    ("reloads", "Tables loaded", ("loaded", "repaired", "failed")),
    (
        "rotations",
        "Attempts to apply changed certificates, tokens and settings",
        ("valid", "invalid"),
    ),
)
"""Name, text and results of each kind of event."""

with from_extra("metrics"):
    from prometheus_client import (
        CollectorRegistry,
        Counter,
        Gauge,
        Histogram,
        generate_latest,
        multiprocess,
    )


class Metrics:
    """The metrics of this process; it receives every call that has ended.

    Attributes:
        registry: the registry of all metrics.
        events: counters of rare events, by name.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, namespace=_NAMESPACE, registry=self.registry)
        gauge = partial(
            Gauge, namespace=_NAMESPACE, registry=self.registry, multiprocess_mode="livesum"
        )
        histogram = partial(
            Histogram, namespace=_NAMESPACE, registry=self.registry, buckets=_BUCKETS
        )
        self._seconds = histogram("call_seconds", "Time of calls", ("method", "code"))
        self._errors = counter("errors", "Calls that ended in an error", ("method", "reason"))
        self._waited = histogram("queue_wait_seconds", "Wait for a thread", ("queue",))
        self._priced = counter("price_seconds", "Expected processor time of questions")
        self._used = counter("cpu_seconds", "Processor time of threads", ("queue",))
        self._refused = counter(
            "refused_price_seconds", "Expected processor time of questions refused", ("reason",)
        )
        self.events = {name: counter(name, text, ("result",)) for name, text, _ in _EVENTS}
        for name, _, results in _EVENTS:
            for result in results:
                self.events[name].labels(result)
        self._expiry = gauge(
            "certificate_expiry_timestamp_seconds",
            "When the certificates of a file end",
            ("file",),
            multiprocess_mode="livemin",
        )
        self._in_progress = gauge("calls_in_progress", "Calls that threads answer")
        self._held = gauge("held_bytes", "Memory of requests in progress")
        self._waiting = gauge("queue_waiting", "Questions that wait for a thread", ("queue",))
        self._running = gauge("queue_running", "Questions that threads answer", ("queue",))
        self._cache = gauge("cache_bytes", "Memory of cached results")
        self._ready = gauge("ready", "Processes that are ready to answer")
        self._memory = gauge(
            "memory_bytes", "Memory of the processes, mapped files shared out among them"
        )
        self._version = gauge("tables", "Processes that serve a version", ("version",))
        of_table = partial(gauge, multiprocess_mode="livemax")
        self._info = of_table("table_info", "Tables served", ("game", "kind", "limit", "checksum"))
        self._built = of_table(
            "table_built_timestamp_seconds", "When a table was made", ("game", "kind")
        )
        self._tables: dict[tuple[str, str, str, str], float] = {}
        self._served: set[str] = set()

    def ended(self, call: CallRecord) -> None:
        """Count a call."""
        self._seconds.labels(call.method, call.code.name).observe(call.seconds)
        for work in call.work:
            self._waited.labels(work.queue).observe(work.wait_seconds)
            self._used.labels(work.queue).inc(work.cpu_seconds)
        cost = 0.0 if call.cost is None else call.cost.seconds_now
        self._priced.inc(cost)
        if call.error is not None:
            self._errors.labels(call.method, call.error.reason).inc()
            self._refused.labels(call.error.reason).inc(cost)

    def certified(self, texts: Mapping[str, str]) -> None:
        """Record the first expiry date among the certificates, in PEM, of each file."""
        for file, text in texts.items():
            self._expiry.labels(file).set(first_end(text))

    def sample(self, admission: Admission) -> None:
        """Record the present queues and calls."""
        for queue in admission.queues:
            self._waiting.labels(queue.name).set(queue.waiting)
            self._running.labels(queue.name).set(queue.running)
        self._in_progress.set(admission.active_calls)
        self._held.set(admission.held_bytes)
        self._ready.set(admission.is_ready)

    def sample_oracle(self, oracle: Oracle) -> None:
        """Record the tables in use, and the memory."""
        self._cache.set(oracle.cache_bytes)
        self._memory.set(used_memory())
        for gone in self._served - {oracle.tables().version}:
            self._version.labels(gone).set(0)
        self._version.labels(oracle.tables().version).set(1)
        self._served = {oracle.tables().version}
        tables = {
            (build.game, build.kind, build.limit, build.checksum): build.started_at.timestamp()
            for build in oracle.builds
        }
        for labels in self._tables.keys() - tables.keys():
            self._info.labels(*labels).set(0)
        for labels, built in tables.items():
            self._info.labels(*labels).set(1)
            self._built.labels(*labels[:2]).set(built)
        self._tables = tables

    def page(self) -> ProbePage:
        """Return the page for Prometheus."""
        return ProbePage(HTTPStatus.OK, _CONTENT_TYPE, generate_latest(self.registry))


class WorkerMetrics:
    """The total numbers of all workers, from the files in which they store them."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._own = CollectorRegistry()
        self._restarts = Counter(
            "worker_restarts", "Workers started again", namespace=_NAMESPACE, registry=self._own
        )

    def died(self, pid: int) -> None:
        """Delete the current state of a worker that has ended; its counts stay."""
        multiprocess.mark_process_dead(pid, self._folder)  # type: ignore[no-untyped-call]

    def restarted(self) -> None:
        """Count a replaced worker."""
        self._restarts.inc()

    def page(self) -> ProbePage:
        """Return the page for Prometheus."""
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry, self._folder)  # type: ignore[no-untyped-call]
        body = generate_latest(registry) + generate_latest(self._own)
        return ProbePage(HTTPStatus.OK, _CONTENT_TYPE, body)


def first_end(text: str) -> float:
    """Return the first expiry date of the certificates in a PEM text, in seconds since 1970."""
    with from_extra("metrics"):
        from cryptography.x509 import load_pem_x509_certificates

    found = load_pem_x509_certificates(text.encode())
    return min(each.not_valid_after_utc for each in found).timestamp()
