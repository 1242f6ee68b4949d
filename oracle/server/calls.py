"""What is known of a call once it has ended, and who wants to know: log, metrics, traces."""

import itertools
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

import grpc

from position_oracle.engine.budget import Cost
from position_oracle.oracle.server.faults import REQUEST_ID, Fault

if TYPE_CHECKING:
    from position_oracle.oracle.server.trust import Client

_ID: Final = re.compile(r"[!-~]{1,128}")
_PREFIX: Final = secrets.token_hex(6)
_NUMBERS: Final = itertools.count(1)


Headers = Iterable[tuple[str, str | bytes]]


@dataclass(slots=True)
class Turn:
    """One turn of a question in a lane: it waits, and a thread works on it.

    Attributes:
        lane: name of the lane.
        work: what the thread does: `read` the request, or answer it (`search`).
        queued: when it came, as are the other two in seconds of `time.monotonic`.
        begun: when a thread began; None while it waits.
        ended: when the thread ended; None before.
        cpu_seconds: processor time that the thread used, once it has ended.
    """

    lane: str
    work: str
    queued: float
    begun: float | None = None
    ended: float | None = None
    cpu_seconds: float = 0.0

    @property
    def wait_seconds(self) -> float:
        """How long it has waited for a thread."""
        return (monotonic() if self.begun is None else self.begun) - self.queued


@dataclass(slots=True)
class Bill:
    """Who asked, what that was expected to take, and what it took.

    Attributes:
        client: whose token the call carries; None where none is needed.
        price: expected before the work; None where the request was not read, or was answered at
            once.
        turns: in lanes; none for what was answered at once.
    """

    client: "Client | None" = None
    price: Cost | None = None
    turns: list[Turn] = field(default_factory=list)

    @property
    def cpu_seconds(self) -> float:
        """Processor time of threads that worked on it."""
        return sum(turn.cpu_seconds for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that has ended.

    Attributes:
        method: name of the call, e.g. `GetOutcome`.
        request_id: the caller's, or one made here.
        peer: the caller's address as gRPC writes it.
        headers: of the call, as gRPC has them.
        code: how it ended; CANCELLED where the caller has gone.
        seconds: how long it took.
        bill: who asked, and what it took.
        fault: the error; None where there was none.
    """

    method: str
    request_id: str
    peer: str
    headers: Headers
    code: grpc.StatusCode
    seconds: float
    bill: Bill
    fault: Fault | None = None


class Observer(Protocol):
    """Told of calls that have ended, on the event loop: it takes microseconds."""

    @property
    def wants_all(self) -> bool:
        """Whether it is told of all calls, not of errors alone."""

    def ended(self, call: Ended) -> None:
        """Take note of a call."""


class Observers:
    """Those who are told of calls that have ended.

    Attributes:
        of_all: told of each.
        of_errors: told of each that ended in an error, those who are told of all among them.
    """

    def __init__(self, observers: Iterable[Observer]) -> None:
        self.of_errors = tuple(observers)
        self.of_all = tuple(observer for observer in self.of_errors if observer.wants_all)


def request_id(headers: Headers) -> str:
    """The id that a caller gives to his request, or a new one.

    Texts of 1 to 128 printable ASCII characters are taken as they are.
    """
    for key, value in headers:
        if key == REQUEST_ID and isinstance(value, str) and _ID.fullmatch(value):
            return value
    return f"{_PREFIX}-{next(_NUMBERS)}"
