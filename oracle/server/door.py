"""The door of the service, whichever envelope a call comes in: who is let in, and for how much.

Transports bring a message and a guest, and get the response or an error of `oracle.server.faults`.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Final, Protocol

import grpc

from position_oracle.oracle.server.calls import Bill, Ended, Observer, Observers, request_id
from position_oracle.oracle.server.faults import BusyError, Fault, fault_of
from position_oracle.oracle.server.lanes import Caller
from position_oracle.oracle.server.service import OracleService, Planned, Request
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.server.trust import Client, Clients

_READY_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 0.5

_log = logging.getLogger(__name__)


class Guest(Protocol):
    """Who asks, as his transport knows him; the context of a gRPC call is one."""

    def peer(self) -> str:
        """His address with its port."""

    def time_remaining(self) -> float | None:
        """Seconds until his deadline; None where he set none."""

    def invocation_metadata(self) -> Iterable[tuple[str, str | bytes]] | None:
        """Headers of his call, their names in small letters."""


class Visit:
    """One call, from its beginning to its end; a context that tells observers how it ended.

    Attributes:
        request_id: the caller's, or one made here.
        bill: who asked, and what that took.
    """

    def __init__(self, method: str, guest: Guest, observers: Observers) -> None:
        self._headers = guest.invocation_metadata() or ()
        self.request_id = request_id(self._headers)
        self.bill = Bill()
        self._method, self._guest, self._observers = method, guest, observers
        self._code = grpc.StatusCode.CANCELLED
        self._fault: Fault | None = None
        self._begun = perf_counter()

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        told = self._observers.of_all if self._fault is None else self._observers.of_errors
        if not told:
            return
        ended = Ended(
            self._method,
            self.request_id,
            self._guest.peer(),
            self._headers,
            self._code,
            perf_counter() - self._begun,
            self.bill,
            self._fault,
        )
        for observer in told:
            observer.ended(ended)

    def succeeded(self) -> None:
        """Note that the call was answered."""
        self._code = grpc.StatusCode.OK

    def failed(self, error: Exception) -> Fault:
        """Note that the call ended with an error; what to say about it.

        Called where the error is handled.
        """
        fault = self._fault = fault_of(error, self.request_id)
        self._code = fault.code
        if fault.is_ours:
            facts = {"request_id": self.request_id}
            _log.exception("%s failed", self._method, extra={"facts": facts})
        return fault


class Door:
    """Lets guests in, counts what is in progress, and has their questions answered.

    Attributes:
        is_ready: whether calls are answered; until then callers are told to come back.
        active_calls: calls in progress, without those that are answered at once.
        held_bytes: memory of their requests.
    """

    def __init__(
        self,
        service: OracleService,
        settings: ServerSettings,
        clients: Clients | None = None,
        observers: Iterable[Observer] = (),
    ) -> None:
        """Make a door.

        Args:
            service: answers requests.
            settings: limits.
            clients: who may call; None for everybody.
            observers: told of calls that have ended.
        """
        self.is_ready = True
        self.active_calls = 0
        self.held_bytes = 0
        self._service = service
        self._settings = settings
        self._clients = clients
        self._observers = Observers(observers)

    @property
    def tables(self) -> str:
        """Version of the tables that are asked now."""
        return self._service.tables

    def visit(self, method: str, guest: Guest) -> Visit:
        """A call that begins."""
        return Visit(method, guest, self._observers)

    def let_in(self, guest: Guest) -> Client | None:
        """The caller by his token; None where none is needed.

        Raises:
            AccessError, QuotaError: he is not known, or has asked too much.
            BusyError: the server is not ready.
        """
        if not self.is_ready:
            raise BusyError("the server is starting; try again", _READY_SECONDS)
        if self._clients is None:
            return None
        client = self._clients.find(guest.invocation_metadata())
        client.admit_call()
        return client

    async def answer(self, request: Request, guest: Guest, bill: Bill) -> bytes:
        """The response to a request of a guest who was let in.

        Raises:
            PositionOracleError: see `OracleService.answer`.
        """
        quick = self._service.answer_quickly(request)
        if isinstance(quick, bytes):
            return quick
        return await self._answer(quick, len(request.serialized), guest, bill)

    async def _answer(self, asked: Request | Planned, size: int, guest: Guest, bill: Bill) -> bytes:
        peer = guest.peer()
        host = bill.client.name if bill.client else peer.rpartition(":")[0]
        with self.held(size):
            return await self._service.answer(
                asked, Caller(host, peer), guest.time_remaining(), bill
            )

    @contextmanager
    def held(self, size: int, calls: int = 1) -> Iterator[None]:
        """Count a call and its message, or only a message that is on its way.

        Raises:
            BusyError: there are too many of them.
        """
        if (
            self.active_calls + calls > self._settings.max_concurrent_calls
            or self.held_bytes + size > self._settings.max_held_bytes
        ):
            raise BusyError(
                f"{self.active_calls} calls are in progress; try again later", _RETRY_SECONDS
            )
        self.active_calls += calls
        self.held_bytes += size
        try:
            yield
        finally:
            self.active_calls -= calls
            self.held_bytes -= size
