"""Ask generated questions one after another, and compare their times with their costs.

Run with `python -m tests.oracle.server.hostile.prices --seconds 60 DATA`.
"""

import argparse
import gc
import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from position_oracle.engine.budget import Budget, Cost
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.loading import load_tables
from position_oracle.oracle.server.admission import SHORT_BYTES
from position_oracle.oracle.server.contract import CALLS
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import PositionOracleError
from tests.oracle.server.hostile import generator, sensible
from tests.oracle.server.hostile.crowd import timed

FACTOR: Final = 3
SPARE_SECONDS: Final = 0.03
"""Beside three times its price a question may take so long."""

SPARE_BYTES: Final = 128 << 20
"""Memory that a question may take beyond its cost, if memory can be measured."""

ADDRESS_SPACE: Final = 8 << 30
"""More than this is not given while questions are asked, so that none can take all memory."""

READ_SECONDS: Final = 0.005
"""Reading and pricing a request may take so long on the event loop."""

SETTINGS: Final = ServerSettings(address="127.0.0.1:0")
SMALL_CACHE: Final = 8 << 20
_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


class Taken(NamedTuple):
    """The measurements of one question.

    Attributes:
        call: name of the call.
        game: the family asked about; empty for none.
        price: cost stated before the answer.
        is_let_in: whether the server accepts this cost.
        read_seconds: processor time of reading and pricing it.
        seconds: processor time of answering it, and writing the answer.
        memory_bytes: how far the memory of the process rose meanwhile.
        message: the request.
    """

    call: str
    game: str
    price: Cost
    is_let_in: bool
    read_seconds: float
    seconds: float
    memory_bytes: int
    message: bytes

    @property
    def excess(self) -> float:
        """Seconds above what the price allows."""
        return self.seconds - FACTOR * self.price.seconds - SPARE_SECONDS

    @property
    def excess_bytes(self) -> int:
        """Bytes above what the price allows."""
        return self.memory_bytes - FACTOR * self.price.memory_bytes - SPARE_BYTES


@dataclass
class Bills:
    """The measurements of many questions.

    Attributes:
        count: requests, and of them `accepted`.
        dearest: the worst by call and family.
        above: those above what their price allows, or slow to read.
    """

    count: int = 0
    accepted: int = 0
    dearest: dict[tuple[str, str], Taken] = field(default_factory=dict)
    above: list[Taken] = field(default_factory=list)
    tally: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, taken: Taken) -> None:
        """Note a question."""
        self.accepted += taken.is_let_in
        key = (taken.call, taken.game)
        if key not in self.dearest or taken.excess > self.dearest[key].excess:
            self.dearest[key] = taken
        is_slow = taken.read_seconds > READ_SECONDS and len(taken.message) <= SHORT_BYTES
        if taken.excess > 0 or taken.excess_bytes > 0 or is_slow:
            self.above.append(taken)
            self.tally[key] += 1


def ask_all(
    oracle: Oracle, messages: Iterator[tuple[str, bytes]], settings: ServerSettings = SETTINGS
) -> Bills:
    """Ask questions one after another in this thread, as the service does.

    Raises:
        Exception: whatever is no error of the project: a fault of the server.
    """
    bills = Bills()
    with bounded_memory(), _collecting_little():
        for name, message in messages:
            bills.count += 1
            bills.add(ask(oracle, name, message, settings))
    return bills


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Memory that can be had is no more than ADDRESS_SPACE."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, before[1]))
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


def ask(oracle: Oracle, name: str, message: bytes, settings: ServerSettings) -> Taken:
    """Read one question, and ask it if the server accepts its cost."""
    call = CALLS[name]
    gc.collect(1)
    bytes_before = _peak_bytes(anew=True)
    begun = time.thread_time()
    budget = Budget(settings.limit)
    question, plan, price = None, None, Cost()
    try:
        with budget.active():
            question = call.read(message, settings)
            plan = oracle.plan(question.name, *question.arguments)
            price = plan.cost
    except PositionOracleError:
        pass
    read = time.thread_time()
    is_let_in = price.fits(settings.limit)
    if question is not None and plan is not None:
        try:
            if is_let_in:
                with budget.active():
                    question.write(oracle, plan.run()).SerializeToString()
        except PositionOracleError:
            pass  # what was done before it counts, too
    seconds = time.thread_time() - read
    family = _family_of(question.arguments) if question else ""
    risen = _peak_bytes(anew=False) - bytes_before
    return Taken(name, family, price, is_let_in, read - begun, seconds, risen, message)


def _family_of(arguments: tuple[object, ...]) -> str:
    first = arguments[0] if arguments else None
    if isinstance(first, Position):
        first = first.game
    return first.family if isinstance(first, GameSpec) else ""


def main() -> None:
    """Ask for a while and print what was too dear."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sensible", action="store_true", help="well-formed ones only")
    options = parser.parse_args()
    oracle = Oracle(load_tables(options.store), Cache(SMALL_CACHE))
    oracle.warm_up()
    make = sensible.requests if options.sensible else generator.requests
    bills = ask_all(oracle, timed(make(options.seed), options.seconds))
    print(f"{bills.count} requests, {bills.accepted} accepted, {len(bills.above)} above")  # noqa: T201
    for (call, family), taken in sorted(bills.dearest.items(), key=lambda e: -e[1].excess)[:40]:
        print(  # noqa: T201
            f"{call:26} {family:18} {1000 * taken.seconds:9.1f} ms, price"
            f" {1000 * taken.price.seconds:8.2f} ms, read {1000 * taken.read_seconds:.1f} ms,"
            f" {bills.tally[call, family]} above"
        )
    for taken in sorted(bills.above, key=lambda t: -max(t.excess, t.excess_bytes / 1e9))[:60]:
        question = CALLS[taken.call].read
        try:
            shown = str(question(taken.message, SETTINGS).arguments)
        except PositionOracleError as error:
            shown = repr(error)
        print(  # noqa: T201
            f"{taken.call} {1000 * taken.seconds:.1f} ms, {taken.memory_bytes / 1e6:.0f} MB, price"
            f" {taken.price}, read {1000 * taken.read_seconds:.1f}: {' '.join(shown.split())[:260]}"
        )


if __name__ == "__main__":
    main()
