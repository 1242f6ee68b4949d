"""Worker processes that share one port, and their supervisor.

Each worker is this module run as a program, which maps the same tables and listens on the same port
(SO_REUSEPORT); the kernel spreads connections over them. The first worker starts alone, so that
tables are arranged and kernels compiled once. A worker that ends is replaced, after a pause that
doubles while that goes on. One that gives no sign of life is killed first. The supervisor answers
no questions: it holds the port, passes signals on, and serves the metrics of all.

A worker reads its settings as one line from standard input, and stops when that ends, with the
supervisor. It prints one line when it is ready, and from then on two empty lines a second.
"""

import asyncio
import logging
import os
import pickle
import signal
import socket
import sys
import tempfile
import threading
from asyncio.subprocess import PIPE, Process
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from position_oracle.engine.games import own
from position_oracle.engine.machine import processor_seconds
from position_oracle.oracle.server.auth import SHARED, Access
from position_oracle.oracle.server.logs import log_to_stderr
from position_oracle.oracle.server.process import (
    beat_for_systemd,
    event_of,
    keep_beating,
    print_line,
    serve_here,
)
from position_oracle.oracle.server.settings import ReadSettings, ServerSettings, SettingsError
from position_oracle.oracle.server.telemetry import Pages, ProbePage, Probes, health_page
from position_oracle.schema.addresses import host_and_port
from position_oracle.schema.errors import NotationError, PositionOracleError
from position_oracle.schema.store import current_file

if TYPE_CHECKING:
    from position_oracle.oracle.server.metrics import WorkerMetrics

COMMAND: Final = (sys.executable, "-P", "-m", "position_oracle.oracle.server.supervisor")
"""Command that starts a worker."""

_LEAST_PAUSE: Final = 0.1
_MOST_PAUSE: Final = 30.0
_GOOD_SECONDS: Final = 60.0
"""A worker that ran for this time is replaced after the shortest pause."""

_START_SECONDS: Final = 300.0
"""Maximum time for a worker to become ready; the first one may prepare the arrays."""

_SILENT_SECONDS: Final = 1.5
"""A worker that is silent for this time is not ready."""

_SILENCES: Final = 2
"""A worker that is silent for this many times is killed. One silence is not enough, because its
lines may still arrive after this process was stopped."""

_BUSY_SILENCES: Final = 13
"""The number of silences for a worker that uses the processor, such as one that compiles on a busy
machine."""

_BUSY_SECONDS: Final = 0.05
"""Seconds of processor time that a waiting worker does not reach while it is silent."""

_STOP_SECONDS: Final = 3.0
"""Maximum time for workers to stop, beyond the notice and the drain."""

_log = logging.getLogger(__name__)


class WorkerError(PositionOracleError, RuntimeError):
    """Raised if the first worker did not become ready; its output gives the reason."""


def start_line(settings: ServerSettings, read: ReadSettings) -> str:
    """Return the first input line of a worker: its settings, and the function that reads them."""
    return b64encode(pickle.dumps((settings, read))).decode() + "\n"


def read_start(line: str) -> tuple[ServerSettings, ReadSettings]:
    """Read a line of `start_line`."""
    found: tuple[ServerSettings, ReadSettings] = pickle.loads(b64decode(line))  # noqa: S301 - ours
    return found


async def supervise(
    settings: ServerSettings,
    read: ReadSettings,
    announce: Callable[[str], None],
    command: tuple[str, ...] = COMMAND,
) -> None:
    """Run the workers until SIGTERM or SIGINT, then let them drain; see `serve`.

    A command starts each worker.

    Raises:
        SettingsError: workers cannot share the address.
        WorkerError: the first worker ends before it is ready.
    """
    check(settings)
    stop, loop = event_of(signal.SIGTERM, signal.SIGINT), asyncio.get_running_loop()
    with ExitStack() as held:
        address = held.enter_context(_port_of(settings.address))
        web = None if settings.web is None else held.enter_context(_port_of(settings.web))
        numbers = held.enter_context(_shared_by(settings))
        workers = Workers(replace(settings, address=address, web=web), read, numbers, command)
        loop.add_signal_handler(signal.SIGHUP, workers.signal, signal.SIGHUP)
        probes = Probes(workers.pages())
        if settings.metrics is not None:
            await probes.start(settings.metrics)
        running = asyncio.create_task(workers.run(announce))
        beating = asyncio.create_task(keep_beating(beat_for_systemd))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            _log.info("draining")
        await workers.stop()
        probes.close()
        if not stop.is_set():
            await running
        running.cancel()
        beating.cancel()
        await asyncio.gather(running, beating, return_exceptions=True)


def check(settings: ServerSettings) -> None:
    """Check the settings that would end every worker."""
    Access(settings)
    current_file(settings.db)
    if settings.web is not None:
        import position_oracle.oracle.web
    if settings.traces is not None:
        import position_oracle.oracle.server.traces  # noqa: F401


class Workers:
    """The worker processes, numbered from 0."""

    def __init__(
        self,
        settings: ServerSettings,
        read: ReadSettings,
        numbers: "WorkerMetrics | None",
        command: tuple[str, ...],
    ) -> None:
        self._settings, self._read = settings, read
        self._command, self._numbers = command, numbers
        self._running: dict[int, Process] = {}
        self._ready: set[int] = set()
        self._is_stopping = False

    async def run(self, announce: Callable[[str], None]) -> None:
        """Start all workers, announce them, and replace those that end.

        Raises:
            WorkerError: the first worker ends before it is ready.
        """
        line = await self._start(0)
        if not line:
            raise WorkerError("the first worker ended before it was ready; see above")
        others = range(1, self._settings.workers)
        await asyncio.gather(*(self._start(place) for place in others))
        announce(f"{line} with {self._settings.workers} workers")
        async with asyncio.TaskGroup() as group:
            for place in range(self._settings.workers):
                group.create_task(self._keep(place))

    def signal(self, number: signal.Signals) -> None:
        """Pass a signal on to every worker."""
        for process in self._running.values():
            with suppress(ProcessLookupError):
                process.send_signal(number)

    async def stop(self) -> None:
        """Let the workers drain, and end those that do not."""
        self._is_stopping = True
        self.signal(signal.SIGTERM)
        allowed = self._settings.notice_seconds + self._settings.drain_seconds + _STOP_SECONDS
        with suppress(TimeoutError):
            async with asyncio.timeout(allowed):
                for process in list(self._running.values()):
                    await process.wait()
        self.signal(signal.SIGKILL)
        for process in list(self._running.values()):
            await process.wait()

    def pages(self) -> Pages:
        """Return the pages: health, readiness and metrics of all workers."""

        def alive() -> ProbePage:
            text = f"{len(self._running)} of {self._settings.workers} workers run"
            return health_page(is_well=bool(self._running), text=text)

        def ready() -> ProbePage:
            count = 0 if self._is_stopping else len(self._ready)
            text = f"{count} of {self._settings.workers} workers are ready"
            return health_page(is_well=count > 0, text=text)

        found: Pages = {"/healthz": alive, "/readyz": ready}
        return found if self._numbers is None else {**found, "/metrics": self._numbers.page}

    async def _keep(self, place: int) -> None:
        """Restart the worker of a number whenever it ends."""
        pause, loop = _LEAST_PAUSE, asyncio.get_running_loop()
        while True:
            begun, process = loop.time(), self._running[place]
            code = await self._end_of(place, process)
            del self._running[place]
            self._ready.discard(place)
            if self._numbers is not None:
                self._numbers.died(process.pid)
            if self._is_stopping:
                return
            if loop.time() - begun > _GOOD_SECONDS:
                pause = _LEAST_PAUSE
            _log.error("worker %d ended with %s; another one starts in %g s", place, code, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MOST_PAUSE)
            if self._numbers is not None:
                self._numbers.restarted()
            await self._start(place)

    async def _start(self, place: int) -> str:
        """Start a worker; return its line when it is ready, or nothing if it ends."""
        # A process group of its own: Ctrl-C reaches the supervisor alone, who lets all drain.
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, process_group=0
        )
        self._running[place] = process
        assert process.stdin is not None  # noqa: S101 - they are pipes
        assert process.stdout is not None  # noqa: S101
        if self._is_stopping:
            process.terminate()
        with suppress(ConnectionError):
            # The pipe stays open: a worker whose supervisor is gone sees its end, and stops.
            process.stdin.write(start_line(self._settings, self._read).encode())
            await process.stdin.drain()
        line = ""
        try:
            async with asyncio.timeout(_START_SECONDS):
                line = (await process.stdout.readline()).decode().strip()
        except TimeoutError:
            _log.error("worker %d is not ready after %g s; it is killed", place, _START_SECONDS)
            process.kill()
        if line:
            self._ready.add(place)
            _log.info("worker %d is ready", place, extra={"facts": {"pid": process.pid}})
        return line

    async def _end_of(self, place: int, process: Process) -> int:
        """Return the exit code of a worker, which is killed if it gives no sign of life."""
        assert process.stdout is not None  # noqa: S101 - a pipe
        silences, used = 0, 0.0
        while True:
            try:
                async with asyncio.timeout(_SILENT_SECONDS):
                    if not await process.stdout.readline():
                        return await process.wait()
                self._ready.add(place)
                silences = 0
            except TimeoutError:
                self._ready.discard(place)
                silences += 1
                before, used = used, processor_seconds(process.pid)
                most = _BUSY_SILENCES if used - before > _BUSY_SECONDS else _SILENCES
                if silences >= most and not self._is_stopping:  # `stop` kills by its own time
                    _log.error("worker %d gives no sign of life; it is killed", place)
                    process.kill()
                    return await process.wait()


@contextmanager
def _port_of(address: str) -> Iterator[str]:
    """Hold a port that workers share; yield the address with its number, a free one if it was 0.

    Raises:
        OSError: the address cannot be listened on, or another program has it.
        SettingsError: the address is not host:port.
    """
    try:
        host, port = host_and_port(address)
    except NotationError as error:
        raise SettingsError(f"{address} is not a host:port, which workers could share") from error
    with ExitStack() as held:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            for family, kind, _, _, place in found:
                port = _free_port(family, kind, (place[0], port, *place[2:]))
                shared = held.enter_context(socket.socket(family, kind))
                shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                shared.bind((place[0], port, *place[2:]))
        except OSError as error:
            raise OSError(f"cannot listen on {address}: {error.strerror}") from error
        yield f"{address.rpartition(':')[0]}:{port}"


def _free_port(family: int, kind: int, place: tuple[Any, ...]) -> int:
    """Return the number of a port that no other program has, shared or not."""
    with socket.socket(family, kind) as alone:
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        alone.bind(place)
        alone.listen()
        port: int = alone.getsockname()[1]
        return port


@contextmanager
def _shared_by(settings: ServerSettings) -> Iterator["WorkerMetrics | None"]:
    """Provide state shared by running workers: numbers, and the rest of quotas."""
    with tempfile.TemporaryDirectory(prefix="oracle-workers-", ignore_cleanup_errors=True) as place:
        found, numbers = {SHARED: place}, None
        if settings.metrics is not None:
            from position_oracle.oracle.server.metrics import FOLDER, WorkerMetrics

            found[FOLDER] = place
            numbers = WorkerMetrics(Path(place))
        os.environ.update(found)
        try:
            yield numbers
        finally:
            for name in found:
                del os.environ[name]


def main() -> int:
    """Run a worker until a signal, or the end of the supervisor; return the exit code."""
    log_to_stderr()
    settings, read = read_start(sys.stdin.readline())
    own.use_environment()
    threading.Thread(target=stop_with_supervisor, daemon=True).start()
    try:
        serve_here(settings, read, print_line, beat)
    except (PositionOracleError, OSError, MemoryError) as error:
        sys.stderr.write(f"oracle: {' '.join(str(error).splitlines())}\n")
        return 1
    return 0


def beat() -> None:
    """Give the supervisor a sign of life."""
    print_line("")


def stop_with_supervisor() -> None:
    """Wait until standard input ends, then stop this process as a signal does."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
