"""Badly behaved HTTP: other callers still get answers, and nothing piles up."""

import base64
import gzip
import logging
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.budget import Cost, Plan
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.web.json_codec import JsonCodec
from position_oracle.schema.proto.position_oracle.v1 import service_pb2
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from position_oracle.schema.proto.position_oracle.v1.service_pb2 import GetOutcomeRequest
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import PricedOracle
from tests.oracle.server.hostile.generator import requests
from tests.oracle.web.http import JSON, PROTO, SERVICE, ask, get, post, raw
from tests.serving import running

SETTINGS = replace(
    ServerSettings(),
    address="127.0.0.1:0",
    web="127.0.0.1:0",
    arrival_seconds=1.0,
    deadline_seconds=5.0,
    call_seconds=0.2,
    drain_seconds=1.0,
    max_connections=30,
)
QUESTION = "/v1/outcome?position=chomp3:%5B4,3,2%5D"
BODY = b'{"position":{"text":"chomp3:[4,3,2]"}}'
GET = f"GET {QUESTION} HTTP/1.1\r\nHost: localhost\r\n".encode()
POST = (
    f"POST /{SERVICE}/GetOutcome HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\n".encode()
)
METHODS = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods_by_name


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running(PricedOracle(), SETTINGS) as server:
        assert server.web_port is not None
        yield server.web_port


@pytest.fixture(autouse=True)
def quiet(port: int, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """After each test the server answers, and has logged no warning."""
    caplog.set_level(logging.WARNING)
    yield
    assert get(port, QUESTION).status == 200
    assert caplog.records == []


def status(reply: bytes) -> int:
    return int(reply.split(b" ", 2)[1]) if reply else 0


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", b"GET /\r\n\r\n", b"G" * 100_000,
        b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nA\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 20_000 + b"\r\n",
        POST + b"Content-Length: -1\r\n\r\n", POST + b"Content-Length: 1e3\r\n\r\n",
        POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n{} ",
        POST + b"Transfer-Encoding: gzip\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx",
    ],
)  # fmt: skip
def test_bytes_that_are_not_a_request_are_refused(port: int, data: bytes) -> None:
    assert status(raw(port, data)) in {0, 400, 421, 431, 504, 505}


def test_requests_without_a_host_are_refused(port: int) -> None:
    assert status(raw(port, b"GET / HTTP/1.0\r\n\r\n")) == 421


def test_length_and_chunks_together_are_refused(port: int) -> None:
    """The server reads no second request from the rest (RFC 9112, section 6.3)."""
    smuggled = GET + b"\r\n"
    body = b"2\r\n{}\r\n0\r\n\r\n"
    reply = raw(
        port,
        POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + body + smuggled,
    )
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert reply.count(b"HTTP/1.1 ") == 1


def test_slow_headers(port: int) -> None:
    """The server does not wait for a caller that sends a byte now and then."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        begun = time.monotonic()
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert _is_ended(connection, b"X: y\r\n", begun)


def test_a_connection_without_a_request_ends(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        assert _is_ended(connection, b"", time.monotonic())


def test_slow_headers_after_a_first_request(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(GET + b"\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /")
        assert _is_ended(connection, b"x", time.monotonic())


def test_a_slow_body(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        begun = time.monotonic()
        connection.sendall(POST + b"Content-Length: 1000\r\n\r\n")
        assert _is_ended(connection, b" ", begun)


def test_slow_chunks(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        begun = time.monotonic()
        connection.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        assert _is_ended(connection, b"1\r\n \r\n", begun)


def test_a_body_that_goes_on_after_the_answer(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        begun = time.monotonic()
        connection.sendall(GET + b"Transfer-Encoding: chunked\r\n\r\n")
        assert _is_ended(connection, b"1\r\n \r\n", begun)


def _is_ended(connection: socket.socket, drop: bytes, begun: float) -> bool:
    """Return whether the server ends the connection in time, though bytes arrive now and then."""
    connection.settimeout(0.2)
    while time.monotonic() - begun < PATIENCE:
        try:
            connection.sendall(drop)
            if not connection.recv(65536):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


class WindowOracle(PricedOracle):
    """Has a window of any size, for every caller."""

    def plan(self, question: str, /, *arguments: Any) -> Plan[Any]:
        if question != "instant_winners":
            return super().plan(question, *arguments)
        size_y, size_z = arguments[2:4]
        return Plan(Cost(1e-5), lambda: np.zeros((size_y, size_z), np.uint8))


WINDOW = "/v1/instant-winners?game=chomp3&x=1&size_y=2048&size_z=2048"


def test_an_answer_that_nobody_reads() -> None:
    """The server ends the connection soon after its limit of half a second."""
    assert any(_is_cut(seconds) for seconds in (1.5, 4, 16))


def _is_cut(seconds: float) -> bool:
    """Whether a caller who waits for so long does not get the whole response."""
    settings = replace(SETTINGS, arrival_seconds=0.5)
    with running(WindowOracle(), settings) as server, socket.socket() as connection:
        assert server.web_port is not None
        whole = get(server.web_port, WINDOW)
        assert base64.b64decode(whole.json["origins"]) == bytes(2048 * 2048)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.web_port))
        request = f"GET {WINDOW} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        connection.sendall(2 * request)
        assert connection.recv(1) == b"H"
        time.sleep(seconds)
        received = 0
        try:
            while piece := connection.recv(65536):
                received += len(piece)
        except ConnectionResetError:
            pass
        return received < len(whole.body)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("kind", [JSON, PROTO, "application/grpc-web", "application/grpc-web-text"])
def test_a_body_too_large(port: int, kind: str, *, told: bool) -> None:
    """The server refuses the body by its length, or as soon as it passes the limit."""
    size = 10**9 if told else 10**6
    head = f"Content-Length: {size}\r\n" if told else "Transfer-Encoding: chunked\r\n"
    sent = POST.replace(JSON.encode(), kind.encode()) + f"{head}\r\n".encode()
    if not told:
        sent += f"{size:x}\r\n".encode() + b"a" * size
    begun = time.monotonic()
    reply = raw(port, sent)
    assert time.monotonic() - begun < PATIENCE
    if reply:  # without this, unread bytes would reset the connection
        text = base64.b64decode(reply.split(b"\r\n\r\n")[1]) if "-text" in kind else reply
        assert status(reply) == (200 if "grpc" in kind else 400)
        assert b"the limit is" in text


def test_a_flood_of_chunks(port: int) -> None:
    flood = b"1\r\n \r\n" * 200_000
    begun = time.process_time()
    raw(port, POST + b"Transfer-Encoding: chunked\r\n\r\n" + flood)
    assert time.process_time() - begun < 4


@pytest.mark.parametrize(("size", "code"), [(64, 200), (63, 400)])
def test_many_chunks_have_64_bytes_on_average(port: int, size: int, code: int) -> None:
    body = BODY.ljust(200 * size)
    chunks = b"".join(
        b"%x\r\n%b\r\n" % (size, body[i : i + size]) for i in range(0, len(body), size)
    )
    headers = b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert status(raw(port, POST + headers + chunks + b"0\r\n\r\n")) == code


def test_a_body_that_waits_to_be_asked_for(port: int) -> None:
    """The server does not ask for a body that it would refuse."""
    expecting = POST + b"Expect: 100-continue\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(expecting + f"Content-Length: {len(BODY)}\r\n\r\n".encode())
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
    assert status(raw(port, expecting + b"Content-Length: 1000000\r\n\r\n")) == 400


def test_a_connection_goes_on_after_a_wrong_question(port: int) -> None:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        for body, expected in ((b"{", 400), (BODY, 200)):
            connection.request("POST", f"/{SERVICE}/GetOutcome", body, {"Content-Type": JSON})
            with connection.getresponse() as response:
                assert response.status == expected
                assert response.getheader("connection") is None
                response.read()


def test_any_host_where_any_is_served(caplog: pytest.LogCaptureFixture) -> None:
    settings = replace(SETTINGS, web="0.0.0.0:0", insecure=True)
    with running(PricedOracle(), settings) as server:
        assert server.web_port is not None
        for host in (b"[::1", b"a b", b"", b"x:y:z", b"[", b"\xc3\xa9", b"%00"):
            for target in (QUESTION.encode(), b"/", b"/static", b"/openapi.json", b"/none/"):
                head = b"GET " + target + b" HTTP/1.1\r\nConnection: close\r\nHost: " + host
                assert status(raw(server.web_port, head + b"\r\n\r\n")) in {200, 400, 404}


def test_encodings_that_are_not_known(port: int) -> None:
    for encoding in ("br", "gzip, gzip", "x" * 1000):
        reply = post(port, "GetOutcome", BODY, headers={"Content-Encoding": encoding})
        assert reply.status == 501
        assert "gzip is" in reply.json["message"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (gzip.compress(BODY, mtime=0), 200),
        (gzip.compress(BODY, mtime=0)[:-1], 400),
        (gzip.compress(BODY, mtime=0) + b"x", 400),
        (gzip.compress(BODY, mtime=0) * 2, 400),
        (BODY, 400),
        (b"", 400),
    ],
)
def test_compressed_bodies_are_read_to_their_end(port: int, body: bytes, code: int) -> None:
    reply = post(port, "GetOutcome", body, headers={"Content-Encoding": "gzip"})
    assert reply.status == code


def test_compressed_bodies_are_read_as_far_as_allowed(port: int) -> None:
    body = gzip.compress(bytes(40_000_000), mtime=0)
    reply = post(port, "GetOutcome", body, headers={"Content-Encoding": "gzip"})
    assert (reply.status, reply.json["code"]) == (400, "failed_precondition")
    frame = b"\1" + len(body).to_bytes(4, "big") + body
    reply = post(port, "GetOutcome", frame, "application/grpc-web", {"grpc-encoding": "gzip"})
    assert b"grpc-status: 9" in reply.body


def test_a_compressed_call_in_grpc_web(port: int) -> None:
    message = gzip.compress(
        GetOutcomeRequest(position=Position(text="nim:[0]")).SerializeToString()
    )
    frame = b"\1" + len(message).to_bytes(4, "big") + message
    reply = post(port, "GetOutcome", frame, "application/grpc-web", {"grpc-encoding": "gzip"})
    assert b"grpc-status: 0" in reply.body


def test_pipelined_requests_are_answered_in_order(port: int) -> None:
    targets = [f"/v1/outcome?position=chomp3:%5B{n},0,0%5D" for n in range(50)]
    lines = "".join(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n" for target in targets)
    last = f"GET {targets[0]} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    reply = raw(port, (lines + last).encode())
    places = [reply.find(f'"chomp3:[{n},0,0]"'.encode()) for n in range(50)]
    assert places == sorted(places)
    assert places[0] > 0
    assert reply.count(b"HTTP/1.1 200 OK") == 51


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd",
        "/static/%2e%2e%2f%2e%2e%2fcore.py", "/static/..\\app.py", "/static/%00", "/static/a%ffb",
        "/../../etc/passwd", "/static/" + "a/" * 3000, "/static/" + "a" * 5000, "//", "/static",
        "/static/", "/static/.", "http://example.org/static/../app.py", "/%2e%2e/app.py",
    ],
)  # fmt: skip
def test_paths_do_not_lead_out_of_the_static_files(port: int, path: str) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        reply = b"".join(iter(lambda: connection.recv(65536), b""))
    assert status(reply) in {404, 405}, reply[:200]
    assert b"import" not in reply
    assert b"root:" not in reply


def test_every_path_names_its_methods(port: int) -> None:
    """Each path has a list of its methods."""
    paths = {path: {"GET"} for path in ("/", "/v1/outcome", "/healthz")}
    paths[f"/{SERVICE}/GetOutcome"] = {"GET", "POST"}
    for path, allowed in paths.items():
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "GET", "POST"):
            if method not in allowed:
                reply = ask(port, path, method=method)
                assert reply.status == 405, (path, method)
                assert allowed <= set(reply.headers["allow"].split(", "))
    assert status(raw(port, b"CONNECT localhost:1 HTTP/1.1\r\nHost: x\r\n\r\n")) in {404, 421}
    for path in ("/", "/v1/games", "/healthz"):
        reply = ask(port, path, method="HEAD")
        assert reply.status == 200
        assert reply.body == b""


def test_upgrades_are_not_taken(port: int) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    assert ask(port, "/v1/games", headers=headers).status == 200
    assert ask(port, "/v1/games", headers={**headers, "Upgrade": "h2c"}).status == 200


def test_addresses_too_long(port: int) -> None:
    assert get(port, "/v1/outcome?position=" + "a" * 17_000).status == 414
    reply = get(port, "/v1/outcome?position=nim:" + quote("[1]") * 2000)
    assert reply.status == 400
    assert len(reply.text) < 2000


def test_too_many_connections(port: int) -> None:
    """Connections beyond the limit end at once; the others go on."""
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(SETTINGS.max_connections)]
    time.sleep(0.3)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as further:
            try:
                further.sendall(GET + b"\r\n")
                assert further.recv(1) == b""
            except OSError:
                pass
        held[0].sendall(GET + b"\r\n")
        assert held[0].recv(65536).startswith(b"HTTP/1.1 200")
    finally:
        for connection in held:
            connection.close()
    time.sleep(0.3)


def test_the_work_ends_when_the_caller_goes() -> None:
    oracle = PricedOracle()
    with running(oracle, replace(SETTINGS, call_seconds=10.0)) as server:
        assert server.web_port is not None
        with socket.create_connection(("127.0.0.1", server.web_port)) as connection:
            connection.sendall(GET.replace(b"chomp3:%5B4,3,2%5D", b"nim:%5B4000%5D") + b"\r\n")
            assert oracle.started.wait(PATIENCE)
        until(lambda: oracle.stopped == 1)
        assert get(server.web_port, QUESTION).status == 200


def test_bodies_on_their_way_are_counted() -> None:
    settings = replace(SETTINGS, max_held_bytes=100_000, arrival_seconds=30.0)
    with running(PricedOracle(), settings) as server:
        port, body = server.web_port or 0, bytes(80_000)
        head = POST.replace(b"GetOutcome", b"BatchGetOutcomes").replace(
            JSON.encode(), PROTO.encode()
        )
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:100])
            until(lambda: post(port, "BatchGetOutcomes", body, PROTO).status == 503)
        until(lambda: post(port, "BatchGetOutcomes", body, PROTO).status == 400)


def test_long_answers_on_their_way_are_counted() -> None:
    """Responses that callers do not read soon take the room of further responses."""
    size = 2048 * 2048 * 4 // 3
    settings = replace(SETTINGS, max_held_bytes=int(2.5 * size), arrival_seconds=20.0)
    with running(WindowOracle(), settings) as server:
        assert server.web_port is not None
        stack = ExitStack()
        for _ in range(2):
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", server.web_port))
            reader.sendall(f"GET {WINDOW} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert reader.recv(15) == b"HTTP/1.1 200 OK"
        refused = get(server.web_port, WINDOW)
        assert refused.status == 503
        assert refused.headers["retry-after"] == "1"
        assert get(server.web_port, QUESTION).status == 200
        stack.close()
        web_port = server.web_port
        until(lambda: get(web_port, WINDOW).status == 200)


def test_only_short_answers_are_written_on_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    write = JsonCodec.write

    def writing(form: JsonCodec, message: Message) -> bytes:
        threads.append(threading.current_thread().name)
        return write(form, message)

    monkeypatch.setattr(JsonCodec, "write", writing)
    with running(WindowOracle(), SETTINGS) as server:
        assert server.web_port is not None
        assert get(server.web_port, QUESTION).status == 200
        assert get(server.web_port, WINDOW.replace("2048", "64")).status == 200
    assert threads[0] == "oracle-server"
    assert threads[1].startswith("oracle-search")


def test_strangers_do_no_harm(port: int) -> None:
    """Random data over gRPC, in every protocol, and as addresses, does not harm the server."""
    choice = random.Random(5)
    ends: set[int] = set()
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for call, message in islice(requests(5), 400):
            ends.add(_end(choice, connection, call, message))
    assert ends <= {0, 200, 400, 404, 409, 414, 429, 501, 503, 504}
    assert {200, 400} < ends


def _end(choice: random.Random, connection: HTTPConnection, call: str, message: bytes) -> int:
    """Return the status with which a request ends; 0 if the connection ends instead."""
    kind = choice.choice((JSON, PROTO, "application/grpc-web", "application/grpc-web-text"))
    request: tuple[Any, ...]
    if choice.random() < 0.2:
        target = f"/v1/{choice.choice(('outcome', 'losers', 'games', 'openings'))}"
        target += f"?position={quote(message[:3000])}&x={quote(message[:20])}"
        request = ("GET", target)
    else:
        body = in_json(choice, call, message) if kind == JSON else message
        request = ("POST", f"/{SERVICE}/{call}", body, {"Content-Type": kind})
    try:
        connection.request(*request)  # refused before it was all sent
        with connection.getresponse() as response:
            response.read()
            return response.status
    except ConnectionError:
        connection.close()
        return 0


def in_json(choice: random.Random, call: str, message: bytes) -> bytes:
    """Return a message as JSON with some wrong bytes. Bytes of no message stay as they are."""
    try:
        request = GetMessageClass(METHODS[call].input_type).FromString(message)
        body = bytearray(json_format.MessageToJson(request, indent=None).encode())
    except (DecodeError, UnicodeDecodeError, ValueError):
        return message
    for _ in range(choice.choice((0, 0, 1, 3))):
        place = choice.randrange(len(body))
        body[place : place + choice.randint(0, 2)] = choice.choice(_WRONG)
    return bytes(body)


_WRONG = (b"", b"{", b"]", b'"', b"null", b"-1", b"1e999", b"\xff", b"\\ud800", b"[[", b",")


def test_nothing_is_left_open(port: int) -> None:
    """After callers have gone, the server closes their connections, too."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        raw(port, GET + b"Connection: close\r\n\r\n")
    until(lambda: len(list(Path("/proc/self/fd").iterdir())) < before + 10)
