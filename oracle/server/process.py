"""The serving process: start, reload, memory limit and stop."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from position_oracle.engine.amounts import size_text
from position_oracle.engine.machine import limit_memory, memory_limit, unlimited_memory
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.loading import is_sound, load_tables, made_at
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.compute_pool import SPARE_BYTES, ComputePool
from position_oracle.oracle.server.garbage import collect, exempt_present, free_exempt
from position_oracle.oracle.server.server import Server
from position_oracle.oracle.server.settings import ReadSettings, ServerSettings
from position_oracle.schema.files import file_stamp
from position_oracle.schema.store import current_file

_STOP_SECONDS: Final = 0.8
"""Maximum time to stop, beyond the notice and the drain."""

_SWITCH_SECONDS: Final = 0.0001
"""Time after which computing threads yield to the event loop."""

_BEAT_SECONDS: Final = 0.5

Exchange = Literal["loaded", "repaired"]

_log = logging.getLogger(__name__)


class OracleSource:
    """The oracle of the published table file, replaced when another file is published.

    `current` may be called from any thread at any time: one assignment replaces the oracle, and
    calls in progress keep theirs.
    """

    def __init__(
        self,
        find: Callable[[], Path],
        load: Callable[[Path], Oracle],
        is_sound: Callable[[Path], bool] = lambda _: True,
    ) -> None:
        """Load the oracle of the currently published file.

        Args:
            find: returns the path of the published file.
            load: opens a file; its errors are raised here.
            is_sound: returns whether the loaded data of a file are unchanged.
        """
        self._find, self._load, self._is_sound = find, load, is_sound
        self._lock = Lock()
        path = find()
        self._identity = path, file_stamp(path)
        self._oracle = load(path)

    def current(self) -> Oracle:
        """Return the oracle in use."""
        return self._oracle

    @property
    def is_loading(self) -> bool:
        """Whether a thread loads another oracle now."""
        return self._lock.locked()

    @property
    def path(self) -> Path:
        """The file of the oracle in use."""
        return self._identity[0]

    def refresh(self, *, scrub: bool = False) -> Exchange | None:
        """Load the published file if it is another one, or if loaded data are damaged.

        Args:
            scrub: whether to check for damage, which reads all data.

        Returns:
            The reason why the oracle was replaced; None if it was not. After an error the old
            oracle stays, and the next call tries again.
        """
        with self._lock:
            path = self._find()
            identity = path, file_stamp(path)
            why: Exchange = "loaded"
            if identity == self._identity:
                if not scrub or self._is_sound(path):
                    return None
                why = "repaired"
            oracle = self._load(path)
            oracle.warm_up()  # beside the old one, so that no caller waits
            self._oracle, self._identity = oracle, identity
            return why


def serve(settings: ServerSettings, read: ReadSettings, announce: Callable[[str], None]) -> None:
    """Serve the tables of a file or folder until SIGTERM or SIGINT, then drain.

    New tables published in the folder are loaded while serving, every `settings.reload_seconds`
    and on SIGHUP, and so are certificates, tokens, and the settings that may change.

    Args:
        settings: tables, address, limits and times.
        read: reads the settings again.
        announce: callback with one line when the server is ready.

    Raises:
        TableFileError: there are no tables, or they cannot be used.
        OSError: the address cannot be listened on.
        SettingsError: certificates or tokens cannot be used.
        MissingExtraError: a library that the settings need is not installed.
    """
    settings = fitted(settings, memory_limit())

    def ready(line: str) -> None:
        notify_systemd("READY=1")
        announce(line)

    if settings.workers > 1:
        from position_oracle.oracle.server.supervisor import supervise

        asyncio.run(supervise(settings, read, ready))
    else:
        serve_here(settings, read, ready, beat_for_systemd)


def fitted(settings: ServerSettings, memory: int) -> ServerSettings:
    """Return settings that limit questions to a quarter of the memory of a process."""
    most = memory // settings.workers // 4
    if settings.call_bytes <= most:
        return settings
    texts = map(size_text, (settings.call_bytes, memory, most))
    _log.warning("call_bytes = %s is too much for a memory of %s; %s is used", *texts)
    return replace(settings, call_bytes=most)


def serve_here(
    settings: ServerSettings,
    read: ReadSettings,
    announce: Callable[[str], None],
    beat: Callable[[], None],
) -> None:
    """Serve in this process alone; see `serve` and `serve_source`."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()  # until it is ready, because nearly all loaded objects stay

    made: int | None = None

    def load(path: Path) -> Oracle:
        nonlocal made
        oracle = Oracle(load_tables(path, apart=True))
        made = made_at(path)
        return oracle

    def is_as_loaded(path: Path) -> bool:
        return made_at(path) == made and is_sound(path)  # or another worker has made them again

    source = OracleSource(lambda: current_file(settings.db), load, is_as_loaded)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        pool = ComputePool(settings, lambda: source.path)
        runner.run(serve_source(source, settings, announce, pool, beat, read))


async def serve_source(
    source: OracleSource,
    settings: ServerSettings,
    announce: Callable[[str], None],
    pool: ComputePool | None = None,
    beat: Callable[[], None] = lambda: None,
    read: ReadSettings | None = None,
) -> None:
    """Serve a source until SIGTERM or SIGINT; runs in the main thread of a process.

    The pool answers long questions; without a pool, threads do. Once the server is ready, `beat` is
    called twice a second while the event loop runs.

    If threads still work after the drain, because they do not check their budget, the process ends
    here.
    """
    stop, reload = event_of(signal.SIGTERM, signal.SIGINT), event_of(signal.SIGHUP)
    server = Server(source.current, settings, pool)
    is_worker = settings.workers > 1
    if not is_worker:  # a worker listens once it is ready: until then others answer
        await server.start()
    stopping = asyncio.create_task(stop.wait())
    in_threads = [_in_thread(partial(source.current().warm_up, if_cold=True))]
    tasks: list[asyncio.Task[None]] = []
    await asyncio.wait((stopping, *in_threads), return_when=asyncio.FIRST_COMPLETED)
    if not stop.is_set():
        await in_threads[0]
        if is_worker:
            await server.start()
        server.admission.is_warm = False
        server.be_ready()
        exempt_present()
        gc.enable()
        announce(_announcement(source, server))
        reloading = asyncio.create_task(_reload(source, read or (lambda: settings), reload, server))
        collecting = asyncio.create_task(collect_between_calls(server.admission))
        tasks = [reloading, collecting, asyncio.create_task(keep_beating(beat))]
        in_threads = [_in_thread(source.current().warm_up)]
        in_threads[0].add_done_callback(partial(_warmed, server))
        if pool is not None:
            in_threads.append(_in_thread(pool.start))
        await stopping
        _log.info("draining")
        reloading.cancel()
    has_stopped = await _has_stopped(server)
    for task in tasks:
        task.cancel()
    working = server.admission.running + source.is_loading
    working += sum(not each.done() for each in in_threads)
    if working or not has_stopped:
        _leave(working)


def event_of(*signals: signal.Signals) -> asyncio.Event:
    """Return an event that the signals of this process set."""
    event = asyncio.Event()
    for number in signals:
        asyncio.get_running_loop().add_signal_handler(number, event.set)
    return event


def _announcement(source: OracleSource, server: Server) -> str:
    """Return the line that names the tables and the addresses."""
    settings, count = server.settings, len(source.current().builds)
    host, _, port = settings.address.rpartition(":")
    places = f"{host}:{server.port}" if port.isdigit() else settings.address  # a socket's name
    if settings.web is not None:
        scheme = "http" if settings.tls_cert is None else "https"
        places += f" and {scheme}://{settings.web.rpartition(':')[0]}:{server.web_port}/"
    tables = "table" if count == 1 else "tables"
    return f"oracle: serving {count} {tables} of {source.path} on {places}"


async def _has_stopped(server: Server) -> bool:
    """Stop a server; False if that takes too long: gRPC itself may wait forever for a call."""
    settings = server.settings
    try:
        async with asyncio.timeout(
            settings.notice_seconds + settings.drain_seconds + _STOP_SECONDS
        ):
            await server.stop()
    except TimeoutError:
        return False
    return True


async def _reload(
    source: OracleSource, read: ReadSettings, now: asyncio.Event, server: Server
) -> None:
    """Apply new tables and other changes, periodically and on request."""
    reload_seconds, scrub_seconds = server.settings.reload_seconds, server.settings.scrub_seconds
    loop = asyncio.get_running_loop()
    scrubbed, freed = loop.time(), inf  # `freed`: when no call uses replaced tables any more
    await server.read_again(read)  # what has changed since the settings were read
    while True:
        pauses = [seconds for seconds in (reload_seconds, scrub_seconds) if seconds]
        with suppress(TimeoutError):
            await asyncio.wait_for(now.wait(), min(pauses, default=None))
        is_due = bool(scrub_seconds) and loop.time() - scrubbed >= scrub_seconds
        is_told = now.is_set()
        scrub = is_due or is_told
        now.clear()
        await server.read_again(read, force=is_told)
        try:
            with unlimited_memory():
                why = await asyncio.to_thread(source.refresh, scrub=scrub)
            if scrub:
                scrubbed = loop.time()
            if why is not None:
                server.admission.forget_responses()
            if why is not None or loop.time() >= freed:
                _settle(server)
                freed = inf if why is None else loop.time() + server.settings.deadline_seconds
            if why is not None:
                server.telemetry.count("reloads", why)
                if why == "repaired":
                    _log.error("mapped arrays were damaged, and made again")
                _log.info("now serving %s", source.path)
        except Exception:  # whatever the error of the new file, the old tables are still valid
            server.telemetry.count("reloads", "failed")
            _log.exception("new tables cannot be loaded; still serving %s", source.path)


def _in_thread(work: Callable[[], None]) -> asyncio.Task[None]:
    return asyncio.create_task(asyncio.to_thread(work))


def _warmed(server: Server, warming: asyncio.Future[None]) -> None:
    server.admission.is_warm = True
    if not warming.cancelled() and (error := warming.exception()):
        _log.error("warming up failed", exc_info=error)
    _settle(server)


def _settle(server: Server) -> None:
    """Exempt the loaded data from garbage collection, and limit the memory."""
    free_exempt()
    settings = server.settings
    threads = settings.search_threads + settings.batch_threads
    limit_memory(threads * settings.call_bytes + SPARE_BYTES, settings.workers)


def _leave(working: int) -> None:
    """End the process although threads still work."""
    _log.warning("%d threads did not end in time", working)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


async def keep_beating(beat: Callable[[], None]) -> None:
    """Call `beat` twice a second, as long as the event loop runs."""
    while True:
        beat()
        await asyncio.sleep(_BEAT_SECONDS)


async def collect_between_calls(admission: Admission) -> None:
    """Free the garbage of earlier calls at moments without calls, as long as the loop runs."""
    while True:
        await asyncio.sleep(_BEAT_SECONDS)
        if not admission.active_calls:
            collect()


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the function that makes event loops, fast ones if uvloop is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def print_line(line: str) -> None:
    """Print a line and flush it, also to a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def beat_for_systemd() -> None:
    """Tell the watchdog of systemd that this process works."""
    notify_systemd("WATCHDOG=1")


def notify_systemd(state: str) -> None:
    """Send a state, e.g. `READY=1`, to systemd, which names its socket in `NOTIFY_SOCKET`."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place.startswith(("/", "@")):
        return
    address = "\0" + place[1:] if place.startswith("@") else place
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.sendto(state.encode(), address)
