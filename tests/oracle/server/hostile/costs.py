"""Ask generated questions one after another, and compare their times with their costs.

Run with `python -m tests.oracle.server.hostile.costs --seconds 60 DATA`.
"""

import argparse
import gc
import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from position_oracle.engine.budget import Budget, Cost, Plan
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.loading import load_tables
from position_oracle.oracle.server.admission import SHORT_BYTES
from position_oracle.oracle.server.contract import (
    CALLS,
    Call,
    Planned,
    Question,
    Request,
    respond,
)
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import PositionOracleError
from tests.oracle.server.hostile import generator, sensible
from tests.oracle.server.hostile.crowd import timed

FACTOR: Final = 3
SPARE_SECONDS: Final = 0.03
"""Time that a question may take beyond three times its cost."""

SPARE_BYTES: Final = 128 << 20
"""Memory that a question may take beyond its cost, if memory can be measured."""

ADDRESS_SPACE: Final = 8 << 30
"""Memory that this process may take while questions are asked, so that none takes all memory."""

READ_SECONDS: Final = 0.005
"""Time on the event loop that reading and planning a short request may take."""

SETTINGS: Final = ServerSettings(address="127.0.0.1:0")
SMALL_CACHE: Final = 8 << 20
_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_SIZE = Path("/proc/self/statm")


class Measured(NamedTuple):
    """The measurements of one question.

    Attributes:
        call: name of the call.
        game: the family asked about; empty for none.
        cost: the cost that was planned before the answer.
        is_admitted: whether the server admits this cost.
        read_seconds: processor time of reading and planning it.
        seconds: processor time of answering it, and writing the answer.
        memory_bytes: the rise of the memory of the process meanwhile.
        message: the request.
    """

    call: str
    game: str
    cost: Cost
    is_admitted: bool
    read_seconds: float
    seconds: float
    memory_bytes: int
    message: bytes

    @property
    def excess(self) -> float:
        """Seconds above what the cost allows."""
        return self.seconds - FACTOR * self.cost.seconds - SPARE_SECONDS

    @property
    def excess_bytes(self) -> int:
        """Bytes above what the cost allows."""
        return self.memory_bytes - FACTOR * self.cost.memory_bytes - SPARE_BYTES


@dataclass
class Measurements:
    """The measurements of many questions.

    Attributes:
        count: the number of requests.
        admitted: the number of admitted ones.
        worst: the question with the largest excess, by call and family.
        above: questions that took more than their cost allows, or were slow to read.
        tally: the number of these, by call and family.
    """

    count: int = 0
    admitted: int = 0
    worst: dict[tuple[str, str], Measured] = field(default_factory=dict)
    above: list[Measured] = field(default_factory=list)
    tally: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, taken: Measured) -> None:
        """Add the measurements of a question."""
        self.admitted += taken.is_admitted
        key = (taken.call, taken.game)
        if key not in self.worst or taken.excess > self.worst[key].excess:
            self.worst[key] = taken
        is_slow = taken.read_seconds > READ_SECONDS and len(taken.message) <= SHORT_BYTES
        if taken.excess > 0 or taken.excess_bytes > 0 or is_slow:
            self.above.append(taken)
            self.tally[key] += 1


def ask_all(
    oracle: Oracle, messages: Iterator[tuple[str, bytes]], settings: ServerSettings = SETTINGS
) -> Measurements:
    """Ask questions one after another in this thread, as the service does.

    Raises:
        Exception: an error that the project does not define: a fault of the server.
    """
    measurements = Measurements()
    with bounded_memory(), _collecting_little():
        for name, message in messages:
            measurements.count += 1
            measurements.add(ask(oracle, name, message, settings))
    return measurements


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Limit the memory of this process to ADDRESS_SPACE beyond what it has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    has = 0 if not _SIZE.exists() else int(_SIZE.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + ADDRESS_SPACE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def _collecting_little() -> Iterator[None]:
    """Collect little garbage, as a server does, whose collector need not scan older objects."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _peak_bytes(*, anew: bool) -> int:
    """Return the maximum memory of this process so far; 0 if the system does not report it."""
    try:
        if anew:
            _CLEAR.write_text("5")
        return 1024 * int(_STATUS.read_text().split("VmHWM:")[1].split()[0])
    except (OSError, IndexError):
        return 0


def ask(oracle: Oracle, name: str, message: bytes, settings: ServerSettings) -> Measured:
    """Read one question, and ask it if the server admits its cost.

    A question that is read slowly is read again, because the first of its kind may load code.
    """
    call = CALLS[name]
    gc.collect(1)
    bytes_before = _peak_bytes(anew=True)
    budget = Budget(settings.limit)
    question, plan, read_seconds = _read(oracle, call, message, settings, budget)
    if read_seconds > READ_SECONDS:
        again = _read(oracle, call, message, settings, Budget(settings.limit))[2]
        read_seconds = min(read_seconds, again)
    cost = Cost() if plan is None else plan.cost
    is_admitted = cost.fits(settings.limit)
    begun = time.thread_time()
    if question is not None and plan is not None:
        try:
            if is_admitted:
                with budget.active():
                    respond(Planned(Request(call, message), question, oracle, plan), settings)
        except PositionOracleError:
            pass  # the work before the error counts
    seconds = time.thread_time() - begun
    family = _family_of(question.arguments) if question else ""
    risen = _peak_bytes(anew=False) - bytes_before
    return Measured(name, family, cost, is_admitted, read_seconds, seconds, risen, message)


def _read(
    oracle: Oracle, call: Call, message: bytes, settings: ServerSettings, budget: Budget
) -> tuple[Question | None, Plan[Any] | None, float]:
    """Return the question of a request, its plan, and the processor time of both."""
    begun = time.thread_time()
    question, plan = None, None
    with suppress(PositionOracleError), budget.active():
        question = call.read(message, settings)
        plan = oracle.plan(question.name, *question.arguments)
    return question, plan, time.thread_time() - begun


def _family_of(arguments: tuple[object, ...]) -> str:
    first = arguments[0] if arguments else None
    if isinstance(first, Position):
        first = first.game
    return first.family if isinstance(first, GameSpec) else ""


def main() -> None:
    """Ask for a while, and print the questions with the largest excess."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sensible", action="store_true", help="well-formed ones only")
    options = parser.parse_args()
    oracle = Oracle(load_tables(options.store), Cache(SMALL_CACHE))
    oracle.warm_up()
    make = sensible.requests if options.sensible else generator.requests
    found = ask_all(oracle, timed(make(options.seed), options.seconds))
    print(f"{found.count} requests, {found.admitted} admitted, {len(found.above)} above")  # noqa: T201
    for (call, family), taken in sorted(found.worst.items(), key=lambda e: -e[1].excess)[:40]:
        print(  # noqa: T201
            f"{call:26} {family:18} {1000 * taken.seconds:9.1f} ms, cost"
            f" {1000 * taken.cost.seconds:8.2f} ms, read {1000 * taken.read_seconds:.1f} ms,"
            f" {found.tally[call, family]} above"
        )
    for taken in sorted(found.above, key=lambda t: -max(t.excess, t.excess_bytes / 1e9))[:60]:
        question = CALLS[taken.call].read
        try:
            shown = str(question(taken.message, SETTINGS).arguments)
        except PositionOracleError as error:
            shown = repr(error)
        print(  # noqa: T201
            f"{taken.call} {1000 * taken.seconds:.1f} ms, {taken.memory_bytes / 1e6:.0f} MB, cost"
            f" {taken.cost}, read {1000 * taken.read_seconds:.1f}: {' '.join(shown.split())[:260]}"
        )


if __name__ == "__main__":
    main()
