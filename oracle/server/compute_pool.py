"""Processes that answer long questions, so that other answers are not delayed.

A worker is forked from a process that has imported the oracle, and maps the same tables. It is
killed when its call ends early, at the deadline or because the caller has gone, and replaced at
once. Its memory is limited: a question that exceeds the limit ends alone.
"""

import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from position_oracle.engine.budget import Budget, current
from position_oracle.engine.games import own
from position_oracle.engine.machine import limit_memory
from position_oracle.oracle.cache import MAX_BYTES
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.contract import CALLS, Request, plan_request, respond
from position_oracle.oracle.server.errors import BusyError, ErrorStatus, StatusError, error_status
from position_oracle.oracle.server.garbage import collect, exempt_present, free_exempt
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import PositionOracleError

_NICE: Final = 10
"""Nice value of workers."""

SPARE_BYTES: Final = MAX_BYTES + (2 << 30)
"""Bytes for cached results, messages, kernels being compiled, and memory that questions leave
behind."""

_LITTLE: Final = 1 << 20
"""Bytes that every process should be able to take."""

_context = multiprocessing.get_context("forkserver")


class Task(NamedTuple):
    """A question for a worker: tables, call, message, deadline and seconds of its budget.

    The deadline is a time of `time.monotonic`, which all processes of a machine share.
    """

    db: Path
    call: str
    serialized: bytes
    deadline: float
    seconds: float


class Answered(NamedTuple):
    """The result of a worker: a response in the wire format or an error, and processor time."""

    response: bytes | ErrorStatus
    cpu_seconds: float
    traceback: str = ""


class Worker:
    """A process that answers one question at a time."""

    def __init__(self, settings: ServerSettings, db: Path) -> None:
        self._connection, theirs = _context.Pipe()
        self.process = _context.Process(target=work, args=(theirs, settings, db), daemon=True)
        self.process.start()
        theirs.close()

    def answer(self, task: Task) -> Answered:
        """Ask the process one question, and return its result.

        Raises:
            EOFError, OSError: the process has ended.
        """
        self._connection.send(task)
        found: Answered = self._connection.recv()
        return found

    def kill(self) -> None:
        """End the process immediately."""
        self.process.kill()
        self._connection.close()
        self.process.join()


class ComputePool:
    """Workers; each is made when needed and kept for the next question.

    There are at most as many workers as concurrent questions. The most recently used worker is used
    first, because its caches have the answers to repeated questions.
    """

    def __init__(self, settings: ServerSettings, db: Callable[[], Path]) -> None:
        """Make an empty pool; `db` returns the table file to use for a question."""
        self._settings, self._db = settings, db
        self._idle: list[Worker] = []
        self._lock = Lock()
        _context.set_forkserver_preload([__name__])

    def answer(self, request: Request) -> tuple[bytes, float]:
        """Return the response to a request in the wire format, and the worker's processor time.

        The work ends if the current budget is cancelled.

        Raises:
            StoppedError: the deadline has passed, or the caller has gone; a busy worker is killed.
            BusyError: the worker has ended.
            StatusError: the question has an error.
        """
        budget = current()
        limits = budget.deadline, budget.seconds
        task = Task(self._db(), request.call.name, request.in_wire_format(), *limits)
        with self._worker() as worker, _killed_with(budget, worker):
            try:
                found = worker.answer(task)
            except (EOFError, OSError) as error:
                budget.check()
                raise BusyError("the process that answered has ended") from error
            response = found.response
            if isinstance(response, ErrorStatus) and response.reason == "OUT_OF_MEMORY":
                # Inside the block, so that the worker is replaced and its leftover memory is freed.
                raise StatusError(response, found.traceback)
        if isinstance(response, ErrorStatus):
            budget.check()  # the worker may notice the deadline first
            raise StatusError(response, found.traceback)
        return response, found.cpu_seconds

    def start(self) -> None:
        """Start the first worker, so that the first question does not wait for it."""
        with self._worker():
            pass

    def close(self) -> None:
        """End all workers that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()

    @contextmanager
    def _worker(self) -> Iterator[Worker]:
        """Return a worker, which is kept only if it answers."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is None or not worker.process.is_alive():
            worker = self._new()
        try:
            yield worker
        except BaseException:
            worker.kill()
            worker = self._new()
            raise
        finally:
            with self._lock:
                self._idle.append(worker)

    def _new(self) -> Worker:
        return Worker(self._settings, self._db())


@contextmanager
def _killed_with(budget: Budget, worker: Worker) -> Iterator[None]:
    """Kill a worker when a budget is cancelled inside the block."""
    lock, is_over = Lock(), False

    def kill() -> None:
        with lock:
            if not is_over:
                worker.process.kill()

    budget.when_cancelled(kill)
    try:
        yield
    finally:
        with lock:
            is_over = True


def work(connection: Connection, settings: ServerSettings, db: Path) -> None:
    """Answer questions until the pipe is closed: the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the server, which drains
    take_low_priority()
    own.use_environment()
    oracle = Oracle.open(db)
    # Prepared in advance: a process without memory can make no message and no traceback.
    no_memory = ForkingPickler.dumps(Answered(error_status(MemoryError()), 0.0))
    limit_memory(settings.call_bytes + SPARE_BYTES)
    exempt_present()
    while True:
        try:
            task: Task = connection.recv()
        except EOFError:
            return
        begun = time.process_time()
        has_memory, text = True, ""
        try:
            if task.db != db:
                oracle, db = Oracle.open(task.db), task.db
                free_exempt()
            response: bytes | ErrorStatus = _answered(oracle, task, settings)
        except PositionOracleError as error:  # limits of ours are MemoryErrors, too
            response, text = error_status(error), traceback.format_exc()
        except Exception as error:
            if has_memory := not lacks_memory(error):
                response, text = error_status(error), traceback.format_exc()
        if has_memory:
            connection.send(Answered(response, time.process_time() - begun, text))
        else:
            connection.send_bytes(no_memory)
        collect()


def lacks_memory(error: Exception) -> bool:
    """Return whether an unexpected error comes from a lack of memory.

    Without memory Python raises other errors, too, e.g. a SystemError when it imports a module.
    """
    if isinstance(error, MemoryError):
        return True
    try:
        bytearray(_LITTLE)
    except MemoryError:
        return True
    return False


def take_low_priority() -> None:
    """Leave the processor to the process that answers all calls.

    The server may have a real-time priority, which its workers do not keep.
    """
    with suppress(OSError, AttributeError):  # not all systems have such priorities
        if os.sched_getscheduler(0) in {os.SCHED_RR, os.SCHED_FIFO}:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.nice(_NICE)


def _answered(oracle: Oracle, task: Task, settings: ServerSettings) -> bytes:
    with Budget(settings.limit, task.deadline, task.seconds).active():
        planned = plan_request(Request(CALLS[task.call], task.serialized), oracle, settings)
        return respond(planned, settings)
