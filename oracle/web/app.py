"""The HTTP application: its routes."""

import dataclasses
import json
from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import Message
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from typing_extensions import override

from position_oracle.engine.games.introductions import introduction_of
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.codec import PROTO, Codec, Size
from position_oracle.oracle.server.contract import CALLS, DESCRIPTOR, Call, Request
from position_oracle.oracle.server.errors import REQUEST_ID, ErrorStatus, NoSuchCallError
from position_oracle.oracle.server.settings import ServerSettings, listed
from position_oracle.oracle.server.telemetry import CallRecord, ProbePage, alive_page, ready_page
from position_oracle.oracle.web.callers import HttpCaller, held_response, read_body, while_there
from position_oracle.oracle.web.guards import Guard
from position_oracle.oracle.web.json_codec import READABLE
from position_oracle.oracle.web.protocols import PROTOCOLS, Connect, line, opened_query, refusal
from position_oracle.oracle.web.queries import Query, queries
from position_oracle.schema.addresses import is_loopback
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2

OPENAPI: Final = Path(__file__).parent / "openapi.json"
STATIC: Final = Path(__file__).parent / "static"
FRESH_SECONDS: Final = 60
"""Seconds for which HTTP caches may keep a known answer before they ask again."""

UNKNOWN_SECONDS: Final = 5
_ENCODINGS: Final = frozenset({"content-encoding", "grpc-encoding"})
_GONE: Final = 499
"""Status for a caller that has disconnected; nobody receives it."""

_DOUBTFUL: Final = {answer_pb2.CERTAINTY_UNKNOWN, answer_pb2.CERTAINTY_ESTIMATE}

M = TypeVar("M", bound=Message)

_LINES: Final = Connect(READABLE, "application/json")


class CachingCodec(Codec):
    """The codec of a GET, which records whether HTTP caches may keep the response.

    Attributes:
        content_type: the content type of the response.
        is_known: whether the answer is exact, and so valid until the tables change.
        tables: the version of the tables of the answer.
    """

    def __init__(self, reads: Codec, writes: Connect) -> None:
        self._reads, self._writes = reads, writes.codec
        self.content_type = writes.content_type
        self.quick_bytes = writes.codec.quick_bytes
        self.is_known = False
        self.tables = ""

    @override
    def check(self, serialized: bytes, settings: ServerSettings, size: Size) -> None:
        self._reads.check(serialized, settings, size)

    @override
    def read(self, kind: type[M], serialized: bytes) -> M:
        return self._reads.read(kind, serialized)

    @override
    def response(self, kind: type[Message], serialized: bytes) -> bytes:
        message = kind.FromString(serialized)
        parts = [message, *(value for field, value in message.ListFields() if _is_one(field))]
        found = [getattr(part, "certainty", None) for part in parts]
        self.is_known = _DOUBTFUL.isdisjoint(found)
        versions = [part.tables.version for part in parts if hasattr(part, "tables")]
        self.tables = versions[0] if versions else ""
        return self._writes.response(kind, serialized)


Asked = tuple[Call, bytes, Codec, Connect]
"""A call, its message, the codec of the message, and the protocol of the response."""


class Site:
    """The routes of the service and of its page."""

    def __init__(self, admission: Admission, settings: ServerSettings, files: "Files") -> None:
        self._admission, self._settings = admission, settings
        self._kept = "private" if settings.tokens else "public"
        self._program = version("position-oracle")
        self._files = files
        described = json.loads(OPENAPI.read_bytes())
        described["info"]["version"] = self._program
        self._description = json.dumps(described, indent=1).encode()

    async def call(self, request: HttpRequest) -> Response:
        """Handle a call of the contract, in any of the protocols."""
        is_post = request.method == "POST"
        return await (self._post_call(request) if is_post else self._get_call(request))

    async def _post_call(self, request: HttpRequest) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        protocol = PROTOCOLS.get(kind)
        if protocol is None:
            text = f"Content-Type is {kind[:80]!r}; taken are: {', '.join(PROTOCOLS)}\n"
            headers = {"accept-post": ", ".join(PROTOCOLS), "connection": "close"}
            return PlainTextResponse(text, 415, headers)
        name, body = request.path_params["call"], None

        async def answer(caller: HttpCaller, record: CallRecord) -> Response:
            nonlocal body
            call = _call(name)
            caller.set_deadline(protocol.seconds(request.headers))
            longest = protocol.longest(self._settings, call.size)
            body = await read_body(request, longest, self._admission)
            most = protocol.codec.longest(self._settings, call.size)
            opened = partial(protocol.opened, body, request.headers, most)
            is_packed = not _ENCODINGS.isdisjoint(request.headers.keys())
            message = await run_in_threadpool(opened) if is_packed else opened()
            asked = Request(call, message, protocol.codec)
            answered = self._admission.answer(asked, record)
            return protocol.sealed(await while_there(request, answered))

        def refused(status: ErrorStatus) -> Response:
            response = protocol.refused(status)
            if body is None:  # the next request would begin inside the body
                response.headers["connection"] = "close"
            return response

        return await self._handled(request, name, answer, refused)

    async def _handled(
        self,
        request: HttpRequest,
        name: str,
        answer: Callable[[HttpCaller, CallRecord], Awaitable[Response]],
        refused: Callable[[ErrorStatus], Response],
    ) -> Response:
        """Admit, answer and record a call; return the response to it, or to its error."""
        caller = HttpCaller(request)
        with self._admission.recorded(name if name in CALLS else "unknown", caller) as record:
            try:
                self._admission.admit(record)
                response = await answer(caller, record)
            except ClientDisconnect:
                return Response(status_code=_GONE)
            except Exception as error:
                response = refused(record.fail(error))
            else:
                record.code = grpc.StatusCode.OK
        response.headers[REQUEST_ID] = record.request_id
        return held_response(response, self._admission)

    async def get(self, request: HttpRequest) -> Response:
        """Answer a question in a URL with readable JSON that HTTP caches may keep."""
        query: Query = request.app.state.queries[request.scope["path"].rpartition("/")[2]]

        def read() -> Asked:
            message = query.request(request.scope["query_string"])
            return query.call, message.SerializeToString(), PROTO, _LINES

        def refused(status: ErrorStatus) -> Response:
            return line(_about_parameter(status))

        return await self._answer_get(request, query.call.name, read, refused)

    async def _get_call(self, request: HttpRequest) -> Response:
        """Handle a call by GET, in the Connect protocol."""
        name = request.path_params["call"]

        def read() -> Asked:
            call = _call(name)
            longest = partial(Codec.longest, settings=self._settings, size=call.size)
            message, protocol = opened_query(request.scope["query_string"], longest)
            return call, message, protocol.codec, protocol

        return await self._answer_get(request, name, read, refusal)

    async def _answer_get(
        self,
        request: HttpRequest,
        name: str,
        read: Callable[[], Asked],
        refused: Callable[[ErrorStatus], Response],
    ) -> Response:
        """Answer the request of `read`, or 304 if the caller has the answer of these tables."""

        async def answer(caller: HttpCaller, record: CallRecord) -> Response:
            caller.set_deadline(_LINES.seconds(request.headers))
            call, message, reads, writes = read()
            codec = CachingCodec(reads, writes)
            asked = Request(call, message, codec)
            tag = self._tag(asked, codec, self._admission.oracle.tables().version)
            if tag in _tags(request.headers.get("if-none-match", "")):
                asked.call.read(asked.serialized, self._settings, codec)
                return Response(status_code=304, headers=self._known_as(tag))
            answered = await while_there(request, self._admission.answer(asked, record))
            response = Response(answered, media_type=codec.content_type)
            response.headers.update(self._kept_as(asked, codec))
            return response

        return await self._handled(request, name, answer, refused)

    async def description(self, _: HttpRequest) -> Response:
        """Return the description in OpenAPI."""
        headers = {"cache-control": f"public, max-age={FRESH_SECONDS}"}
        return Response(self._description, media_type="application/json", headers=headers)

    async def alive(self, _: HttpRequest) -> Response:
        """Report that the process runs."""
        return _shown(alive_page())

    async def ready(self, _: HttpRequest) -> Response:
        """Report whether questions are answered."""
        return _shown(ready_page(is_ready=self._admission.is_ready))

    async def rules(self, request: HttpRequest) -> Response:
        """Return the rules of a position's game in words."""
        text = request.query_params.get("position", "")
        try:
            found = await run_in_threadpool(lambda: introduction_of(parse(text)))
        except PositionOracleError as error:
            return PlainTextResponse(f"{error}\n", 400)
        return JSONResponse(dataclasses.asdict(found), headers={"cache-control": "no-cache"})

    async def file(self, request: HttpRequest) -> Response:
        """Serve a file of the page; its service worker may serve only paths below its own."""
        name = request.scope["path"].removeprefix("/") or "index.html"
        return await self._files.get_response(name, request.scope)

    def _tag(self, asked: Request, codec: CachingCodec, tables: str) -> str:
        """Return the ETag of the answer to a request from tables; requests have different tags."""
        parts = (self._program, asked.call.name, codec.content_type, asked.serialized)
        return f'"{tables}-{sha256(repr(parts).encode()).hexdigest()[:16]}"'

    def _kept_as(self, asked: Request, codec: CachingCodec) -> dict[str, str]:
        if codec.is_known and codec.tables:
            return self._known_as(self._tag(asked, codec, codec.tables))
        return {"cache-control": f"{self._kept}, max-age={UNKNOWN_SECONDS}"}

    def _known_as(self, tag: str) -> dict[str, str]:
        kept = {"etag": tag, "cache-control": f"{self._kept}, max-age={FRESH_SECONDS}"}
        return kept | ({"vary": "authorization"} if self._settings.tokens else {})


class Files(StaticFiles):
    """Files that browsers must revalidate, so that versions are never mixed."""

    def file_response(self, *arguments: Any, **more: Any) -> Response:
        """Return a file, or 304."""
        response = super().file_response(*arguments, **more)
        response.headers["cache-control"] = "no-cache"
        return response


def make_app(admission: Admission, settings: ServerSettings) -> ASGIApp:
    """Make the application that serves calls, questions in URLs, and the page."""
    files, asked = Files(directory=STATIC), queries()
    site = Site(admission, settings, files)
    app = Starlette(
        routes=[
            Route(f"/{DESCRIPTOR.full_name}/{{call}}", site.call, methods=["GET", "POST"]),
            *(Route(f"/v1/{name}", site.get) for name in asked),
            Route("/openapi.json", site.description),
            Route("/healthz", site.alive),
            Route("/readyz", site.ready),
            Route("/", site.file),
            Route("/rules.json", site.rules),
            Route("/sw.js", site.file),
            Mount("/static", files),
        ],
        exception_handlers={404: _not_found},
    )
    app.state.queries = asked
    app.router.redirect_slashes = False
    origins, frames = listed(settings.web_origins), listed(settings.web_frames)
    names = frozenset(listed((settings.web_hosts or "").lower()))
    is_open = not names and not is_loopback(settings.web or "")
    guarded: ASGIApp = Guard(app, None if is_open else names, origins, frames)
    if origins:
        guarded = CORSMiddleware(
            guarded,
            allow_origins=origins,
            allow_methods=("GET", "POST"),
            allow_headers=_SENT,
            expose_headers=_SHOWN,
            max_age=3600,
        )
    return guarded


_SENT: Final = (
    "authorization", "content-type", "connect-protocol-version", "connect-timeout-ms",
    "grpc-timeout", "x-grpc-web", "x-user-agent", "if-none-match",
)  # fmt: skip
_SHOWN: Final = (
    "etag",
    "retry-after",
    "x-request-id",
    "grpc-status",
    "grpc-message",
    "grpc-status-details-bin",
)


def _call(name: str) -> Call:
    call = CALLS.get(name)
    if call is None:
        raise NoSuchCallError("the contract has no such call")
    return call


def _shown(page: ProbePage) -> Response:
    return Response(page.body, page.status, {"cache-control": "no-store"}, page.content_type)


async def _not_found(request: HttpRequest, _: Exception) -> Response:
    paths = ", ".join(f"/v1/{name}" for name in request.app.state.queries)
    return PlainTextResponse(f"there is nothing here; there are: {paths}, /openapi.json, /\n", 404)


def _is_one(field: object) -> bool:
    return getattr(field, "message_type", None) is not None and not getattr(
        field, "is_repeated", False
    )


def _tags(header: str) -> set[str]:
    """Return the tags of If-None-Match, for the weak comparison."""
    return {tag.strip().removeprefix("W/") for tag in header[:4096].split(",")}


def _about_parameter(status: ErrorStatus) -> ErrorStatus:
    """Replace the field in an error by the parameter that set it."""
    for field, parameter in (("position.text", "position"), ("game.text", "game")):
        if status.field == field:
            message = status.message.replace(field, parameter, 1)
            return dataclasses.replace(status, field=parameter, message=message)
    return status
