"""Callers ask without pause while servers start and stop; the result of each call is counted."""

import http.client
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import grpc

from tests.clock import PATIENCE
from tests.oracle.server.doubles import SERVICE
from tests.oracle.server.words import QUESTION

LOCAL = ("grpc.use_local_subchannel_pool", 1)
SOON = (("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 50))
PATH = "/v1/outcome?position=chomp3:[1,2,3]"

OK = "OK"
TRY_AGAIN = frozenset({"UNAVAILABLE", "refused"})
"""Results of calls without an answer: the server refuses, or nobody listens."""

Ask = Callable[[], str]
"""Makes one call, and returns its result."""

Kind = Callable[[int], AbstractContextManager[Ask]]
"""Makes a caller for a port."""


@contextmanager
def over_grpc(port: int) -> Iterator[Ask]:
    """A caller with a connection of its own. Each call returns the name of its gRPC status."""
    address = f"127.0.0.1:{port}"
    with grpc.insecure_channel(address, (LOCAL, *SOON)) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )

        def ask() -> str:
            try:
                call(QUESTION.SerializeToString(), timeout=PATIENCE)
            except grpc.RpcError as error:
                return str(error.code().name)
            return OK

        yield ask


@contextmanager
def over_http(port: int) -> Iterator[Ask]:
    """A caller that keeps its connection as long as the server does.

    Each call returns OK, the gRPC status for 503, `refused` if nobody listens, or another result.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def ask() -> str:
        try:
            connection.request("GET", PATH)
            response = connection.getresponse()
            response.read()
        except ConnectionRefusedError:
            connection.close()
            return "refused"
        except (http.client.HTTPException, OSError) as error:
            connection.close()
            return type(error).__name__
        return {200: OK, 503: "UNAVAILABLE"}.get(response.status, str(response.status))

    try:
        yield ask
    finally:
        connection.close()


@contextmanager
def crowd(port: int, callers: int, kind: Kind) -> Iterator[Counter[str]]:
    """Callers that ask at a port until the end of the block. Yields the counts of their results."""
    ends: Counter[str] = Counter()
    done = threading.Event()

    def work() -> None:
        own: Counter[str] = Counter()
        with kind(port) as ask:
            while not done.is_set():
                end = ask()
                own[end] += 1
                if end in TRY_AGAIN:
                    done.wait(0.01)
        ends.update(own)

    threads = [threading.Thread(target=work) for _ in range(callers)]
    for thread in threads:
        thread.start()
    try:
        yield ends
    finally:
        done.set()
        for thread in threads:
            thread.join()


@contextmanager
def torrent(port: int, pause: float) -> Iterator[Counter[str]]:
    """A caller that sends a call after each pause, answered or not; counts their results."""
    ends: Counter[str] = Counter()
    done = threading.Event()
    message = QUESTION.SerializeToString()
    with grpc.insecure_channel(f"127.0.0.1:{port}", (LOCAL, *SOON)) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )
        sent: list[grpc.Future[bytes]] = []

        def send() -> None:
            while not done.wait(pause):
                sent.append(call.future(message, timeout=PATIENCE))

        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield ends
        finally:
            done.set()
            thread.join()
            ends.update(each.code().name for each in sent)  # type: ignore[attr-defined]
