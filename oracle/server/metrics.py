"""Numbers for Prometheus: what calls took, who waits, what is refused, what is served.

Needs `prometheus-client` (the extra `metrics`). Where the environment names a folder in
`PROMETHEUS_MULTIPROC_DIR`, numbers are kept in files there, and whoever serves them adds up those
of all processes; otherwise they are this process's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from position_oracle.oracle.server.calls import Ended
from position_oracle.schema.extras import from_extra

if TYPE_CHECKING:
    from position_oracle.oracle.core import Oracle
    from position_oracle.oracle.server.lanes import Lane

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which prometheus-client is told to keep numbers in files."""

KIND: Final = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS: Final = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 30.0,
)  # fmt: skip

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
    """Everything that is counted in this process; told of every call that has ended."""

    wants_all = True

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._seconds = self._histogram("call_seconds", "Time of calls", "method", "code")
        self._errors = self._counter("errors", "Calls that ended in an error", "method", "reason")
        self._waited = self._histogram("lane_wait_seconds", "Wait for a thread", "lane")
        self._priced = self._counter("price_seconds", "Expected processor time of questions")
        self._used = self._counter("cpu_seconds", "Processor time of threads", "lane")
        self._refused = self._counter(
            "refused_price_seconds", "Expected processor time of questions refused", "reason"
        )
        self._reloads = self._counter("reloads", "New tables taken up", "result")
        for result in ("loaded", "failed"):
            self._reloads.labels(result)
        self._in_progress = self._gauge("calls_in_progress", "Calls that threads answer")
        self._held = self._gauge("held_bytes", "Memory of requests in progress")
        self._waiting = self._gauge("lane_waiting", "Questions that wait for a thread", "lane")
        self._running = self._gauge("lane_running", "Questions that threads answer", "lane")
        self._cache = self._gauge("cache_bytes", "Memory of results kept")
        self._ready = self._gauge("ready", "Processes that are ready to answer")
        self._memory = self._gauge(
            "memory_bytes", "Memory of the processes, mapped files shared out among them"
        )
        self._info = self._gauge(
            "table_info", "Tables served", "game", "kind", "limit", "checksum", mode="livemax"
        )
        self._built = self._gauge(
            "table_built_timestamp_seconds", "When a table was made", "game", "kind", mode="livemax"
        )
        self._version = self._gauge("tables", "Processes that serve a version", "version")
        self._tables: dict[tuple[str, str, str, str], float] = {}
        self._served: set[str] = set()

    def ended(self, call: Ended) -> None:
        """Count a call."""
        bill = call.bill
        self._seconds.labels(call.method, call.code.name).observe(call.seconds)
        for turn in bill.turns:
            self._waited.labels(turn.lane).observe(turn.wait_seconds)
            self._used.labels(turn.lane).inc(turn.cpu_seconds)
        price = 0.0 if bill.price is None else bill.price.seconds
        self._priced.inc(price)
        if call.fault is not None:
            self._errors.labels(call.method, call.fault.reason).inc()
            self._refused.labels(call.fault.reason).inc(price)

    def reloaded(self, *, is_new: bool) -> None:
        """Count an attempt to take up new tables."""
        self._reloads.labels("loaded" if is_new else "failed").inc()

    def sample(self, lanes: Iterable[Lane], *, calls: int, held_bytes: int, is_ready: bool) -> None:
        """Note how things are now."""
        for lane in lanes:
            self._waiting.labels(lane.name).set(lane.waiting)
            self._running.labels(lane.name).set(lane.running)
        self._in_progress.set(calls)
        self._held.set(held_bytes)
        self._ready.set(is_ready)

    def sample_oracle(self, oracle: Oracle) -> None:
        """Note what is served now, and the memory that it takes."""
        self._cache.set(oracle.cache_bytes)
        self._memory.set(memory_bytes())
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

    def written(self) -> bytes:
        """What Prometheus reads."""
        return generate_latest(self.registry)

    def _histogram(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(
            f"position_oracle_{name}", text, labels, registry=self.registry, buckets=_BUCKETS
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"position_oracle_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str, mode: str = "livesum") -> Gauge:
        return Gauge(
            f"position_oracle_{name}",
            text,
            labels,
            registry=self.registry,
            multiprocess_mode=mode,  # type: ignore[arg-type] # one of the modes
        )


class WorkerMetrics:
    """The numbers of all workers together, from the files in which they keep them."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._own = CollectorRegistry()
        self._restarts = Counter(
            "position_oracle_worker_restarts", "Workers started again", registry=self._own
        )

    def died(self, pid: int) -> None:
        """Forget what a worker that has ended was doing; what it counted stays."""
        multiprocess.mark_process_dead(pid, self._folder)  # type: ignore[no-untyped-call]

    def restarted(self) -> None:
        """Count a worker that takes the place of another."""
        self._restarts.inc()

    def written(self) -> bytes:
        """What Prometheus reads."""
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry) + generate_latest(self._own)


def memory_bytes() -> int:
    """Memory of this process; of what it shares with n processes, an n-th (PSS)."""
    try:
        text = Path("/proc/self/smaps_rollup").read_text("ascii")
    except OSError:  # not Linux
        return 0
    return sum(1024 * int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:")
