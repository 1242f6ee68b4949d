"""HTTP callers: bodies of requests, disconnects, and long responses."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.errors import BusyError, RequestError, check_bytes, error_status
from position_oracle.oracle.web.protocols import refusal

T = TypeVar("T")

PIECE: Final = 64 * 1024
"""Number of bytes of an answer that are sent at a time."""

_KEPT: Final = frozenset(
    {"authorization", "x-forwarded-for", "traceparent", "tracestate", "x-request-id"}
)


class HttpCaller:
    """The caller of an HTTP request, and the deadline of the request."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._ends: float | None = None

    def set_deadline(self, seconds: float | None) -> None:
        """Set the deadline, in seconds from now; None for none."""
        self._ends = None if seconds is None else _now() + seconds

    def peer(self) -> str:
        """Return the address in gRPC's format: a machine is one caller over both protocols."""
        client = self._request.client
        if client is None:
            return "unknown:0"
        if ":" in client.host:
            return f"ipv6:{quote(f'[{client.host}]', safe=':')}:{client.port}"
        return f"ipv4:{client.host}:{client.port}"

    def time_remaining(self) -> float | None:
        """Seconds until the deadline."""
        return None if self._ends is None else max(self._ends - _now(), 0.0)

    def invocation_metadata(self) -> list[tuple[str, str | bytes]]:
        """Return the headers that admission control reads."""
        return [(name, value) for name, value in self._request.headers.items() if name in _KEPT]


async def read_body(request: Request, longest: int, admission: Admission) -> bytes:
    """Read the body of a request, which counts as held memory meanwhile.

    Raises:
        TooLargeError: the body is too long.
        BusyError: there is not enough memory for the body.
        DeadlineError: the body does not arrive in time.
        StoppingError: the server stops before the body arrives.
        RequestError: the caller disconnects before the end of the body.
    """
    announced = request.headers.get("content-length")
    size = longest if announced is None else int(announced)  # h11 has checked the digits
    check_bytes(size, longest, "the body has {} bytes")
    body = bytearray()
    with admission.reserve(size, calls=0):
        try:
            with admission.arrival():
                async for piece in request.stream():
                    body += piece
                    check_bytes(len(body), longest, f"the body has more than {longest} bytes")
        except ClientDisconnect as error:
            raise RequestError("the caller disconnected before the end of the message") from error
    return bytes(body)


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work, which is cancelled if the caller disconnects.

    Raises:
        ClientDisconnect: the caller has disconnected.
    """
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        working.cancel()
    try:
        return await working
    except asyncio.CancelledError:
        raise ClientDisconnect from None


class Counted(Response):
    """A long response, sent in pieces, whose bytes count as held until all are sent."""

    def __init__(self, response: Response, admission: Admission) -> None:
        self._response, self._admission = response, admission
        self.raw_headers, self.status_code = response.raw_headers, response.status_code

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, or a refusal if there is not enough memory."""
        body = memoryview(self._response.body)
        try:
            with self._admission.reserve(len(body), calls=0):
                head = {"status": self.status_code, "headers": self.raw_headers}
                await send({"type": "http.response.start", **head})
                for start in range(0, len(body), PIECE):
                    piece = bytes(body[start : start + PIECE])
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except BusyError as error:  # before anything is sent
            await refusal(error_status(error))(scope, receive, send)


def held_response(response: Response, admission: Admission) -> Response:
    """Return a response that counts as held if it is long."""
    return Counted(response, admission) if len(response.body) > PIECE else response


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _now() -> float:
    return asyncio.get_running_loop().time()
