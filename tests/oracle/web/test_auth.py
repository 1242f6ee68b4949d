"""Callers and pages that may ask over HTTP: tokens, quotas, TLS, names of the server, origins."""

import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from http.client import HTTPSConnection
from pathlib import Path

import grpc
import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.settings import SettingsError, read_settings
from position_oracle.schema.errors import MissingExtraError
from tests.oracle.server.doubles import PricedOracle, raw_call
from tests.oracle.server.keys import Keys, needs_openssl
from tests.oracle.server.test_auth import hashed
from tests.oracle.web.http import JSON, SERVICE, Reply, ask, get, grpc_web, post, raw
from tests.serving import running

SETTINGS = ServerSettings(address="127.0.0.1:0", web="127.0.0.1:0", drain_seconds=1.0)
QUESTION = "/v1/outcome?position=chomp3:%5B1,2,3%5D"
SEARCH = "/v1/outcome?position=nim:%5B100%5D"
BODY = b'{"position":{"text":"chomp3:[1,2,3]"}}'


@contextmanager
def serving(**changes: object) -> Iterator[int]:
    settings = replace(SETTINGS, **changes)  # type: ignore[arg-type]
    with running(PricedOracle(), settings) as server:
        assert server.web_port is not None
        yield server.web_port


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    file = tmp_path / "tokens"
    file.write_text(
        f"alice {hashed('one')} 6000 600\nbob {hashed('two')} 3 600\n"
        f"carol {hashed('three')} 6000 0.1\n"
    )
    return file


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_only_callers_with_a_token_are_admitted(tokens: Path) -> None:
    with serving(tokens=tokens) as port:
        reply = ask(port, QUESTION, headers=bearer("one"))
        assert reply.status == 200
        assert reply.headers["cache-control"].startswith("private")
        for headers in ({}, bearer(""), bearer("four"), {"Authorization": "Basic one"}):
            reply = ask(port, QUESTION, headers=headers)
            assert reply.status == 401
            assert reply.headers["www-authenticate"] == "Bearer"
            assert reply.json["code"] == "unauthenticated"
        assert post(port, "GetOutcome", BODY, headers=bearer("one")).status == 200
        assert post(port, "GetOutcome", BODY).status == 401
        assert grpc_web(port, "GetOutcome", b"")[1]["grpc-status"] == "16"


@pytest.mark.parametrize(
    "target",
    [
        QUESTION,
        "/v1/outcome?position=chomp3:%5B100000,3,4%5D",
        "/v1/outcome?position=chomp3:%5B1,2",
        "/v1/probability?position=nim:%5B9000,9000%5D&model=perfect-vs-random",
        "/v1/games",
        f"/{SERVICE}/GetOutcome?connect=v1&encoding=json&message=%7B%7D",
    ],
)
def test_no_answer_to_a_token_is_kept_by_caches_of_others(tokens: Path, target: str) -> None:
    """Known answers, unknown ones, estimates, lists and refusals."""
    with running(Oracle(), replace(SETTINGS, tokens=tokens)) as server:
        assert server.web_port is not None
        kept = ask(server.web_port, target, headers=bearer("one")).headers["cache-control"]
    assert kept == "no-store" or kept.startswith("private")


def test_the_page_and_the_health_need_no_token(tokens: Path) -> None:
    with serving(tokens=tokens) as port:
        for target in ("/", "/static/index.html", "/healthz", "/openapi.json"):
            assert get(port, target).status == 200


def test_a_known_answer_is_kept_from_strangers(tokens: Path) -> None:
    """A caller that knows the tag of an answer still needs a token."""
    with running(Oracle(), replace(SETTINGS, tokens=tokens)) as server:
        port = server.web_port
        assert port is not None
        reply = ask(port, QUESTION, headers=bearer("one"))
        assert reply.headers["vary"].lower() == "authorization"
        tag = reply.headers["etag"]
        headers = {"If-None-Match": tag}
        assert ask(port, QUESTION, headers=headers).status == 401
        assert ask(port, QUESTION, headers={**headers, **bearer("one")}).status == 304


def test_without_tokens_an_answer_is_kept_for_everybody() -> None:
    with running(Oracle(), SETTINGS) as server:
        assert server.web_port is not None
        reply = ask(server.web_port, QUESTION)
        assert "authorization" not in reply.headers.get("vary", "").lower()
        assert reply.headers["cache-control"].startswith("public")


def test_two_tokens_are_refused(tokens: Path) -> None:
    """A proxy and the server might each use a different one."""
    two = "".join(f"Authorization: Bearer {name}\r\n" for name in ("one", "two"))
    with serving(tokens=tokens) as port:
        head = f"GET {QUESTION} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{two}\r\n"
        assert raw(port, head.encode()).startswith(b"HTTP/1.1 401 ")


def test_calls_of_a_minute_are_counted_over_both_ways_in(tokens: Path) -> None:
    with running(PricedOracle(), replace(SETTINGS, tokens=tokens)) as server:
        assert server.web_port is not None
        for _ in range(2):
            assert ask(server.web_port, QUESTION, headers=bearer("two")).status == 200
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes]
            call = channel.unary_unary(f"/{SERVICE}/ListGames")
            assert call(b"", timeout=10, metadata=(("authorization", "Bearer two"),))
        reply = ask(server.web_port, QUESTION, headers=bearer("two"))
    assert reply.status == 429
    assert reply.json["code"] == "resource_exhausted"
    assert 15 <= int(reply.headers["retry-after"]) <= 20


def test_seconds_of_searching_are_counted(tokens: Path) -> None:
    with serving(tokens=tokens) as port:
        ends = [ask(port, SEARCH, headers=bearer("three")).status for _ in range(3)]
        assert ends[0] == 200
        assert ends[-1] == 429


def test_expensive_questions_are_refused_over_http(tmp_path: Path) -> None:
    with serving(call_seconds=0.05) as port:
        reply = get(port, SEARCH)
    assert (reply.status, reply.json["code"]) == (400, "failed_precondition")
    assert "retry-after" not in reply.headers
    assert reply.json["metadata"]["limit"].startswith("0.05")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


def ask_securely(keys: Keys, port: int, name: str | None = None) -> Reply:
    context = ssl.create_default_context(cafile=str(keys.file("ours.pem")))
    if name is not None:
        context.load_cert_chain(keys.file(f"{name}.pem"), keys.file(f"{name}.key"))
    with closing(HTTPSConnection("localhost", port, timeout=20, context=context)) as connection:
        connection.request("GET", QUESTION)
        response = connection.getresponse()
        return Reply(response.status, {}, response.read())


@needs_openssl
def test_tls(keys: Keys) -> None:
    pair = {"tls_cert": keys.file("server.pem"), "tls_key": keys.file("server.key")}
    with serving(**pair) as port:
        assert ask_securely(keys, port).status == 200
        with pytest.raises(OSError):
            get(port, QUESTION)


@needs_openssl
def test_a_handshake_that_does_not_go_on(keys: Keys) -> None:
    pair = {"tls_cert": keys.file("server.pem"), "tls_key": keys.file("server.key")}
    with serving(**pair, arrival_seconds=0.5) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(b"\x16\x03\x01\x02")
            assert connection.recv(1) == b""
        assert ask_securely(keys, port).status == 200


@needs_openssl
def test_mutual_tls(keys: Keys) -> None:
    with serving(
        tls_cert=keys.file("server.pem"),
        tls_key=keys.file("server.key"),
        tls_client_ca=keys.file("ours.pem"),
    ) as port:
        assert ask_securely(keys, port, "caller").status == 200
        for name in (None, "stranger"):
            with pytest.raises(OSError):
                ask_securely(keys, port, name)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"web": "0.0.0.0:8080"}, "web = 0.0.0.0:8080 can be reached from outside"),
        ({"web": "192.168.1.2:8080"}, "can be reached from outside"),
        ({"web": "8080"}, "web = '8080' is not an address"),
        ({"web": "127.0.0.1:99999"}, "port 99999"),
        ({"web": "unix:/tmp/x"}, "write host:port"),
        ({"web": "127.0.0.1:0", "web_origins": "example.org"}, "'example.org' is not an origin"),
        ({"web": "127.0.0.1:0", "web_origins": "*"}, "not an origin"),
        ({"web": "127.0.0.1:0", "web_frames": "*"}, "web_frames: .* is not an origin"),
    ],
)
def test_settings_that_cannot_work(settings: dict[str, object], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        read_settings(settings)
    assert read_settings({"web": "0.0.0.0:8080", "insecure": True}).web == "0.0.0.0:8080"


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)
    for name in [name for name in sys.modules if name.startswith("position_oracle.oracle.web")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=r"starlette is not .* extra web: "), serving():
        pass


def test_an_address_that_is_taken() -> None:
    with (
        serving() as port,
        pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{port}"),
        serving(web=f"127.0.0.1:{port}"),
    ):
        pass


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("localhost:1", 200), ("LOCALHOST.", 200), ("127.0.0.1:8080", 200),
        ("127.9.9.9", 200), ("[::1]:8080", 200), ("evil.example:8080", 421), ("", 421),
        ("localhost.evil.example", 421), ("evil.example#localhost", 421), ("127.0.0.1.nip.io", 421),
        ("[::2]", 421), ("0.0.0.1", 421), ("a" * 3000, 421), ("user@localhost", 421),
    ],
)  # fmt: skip
def test_names_of_this_machine(host: str, status: int) -> None:
    """Pages of other sites whose names lead to this machine get nothing."""
    with serving() as port:
        for target in (QUESTION, "/", "/static/index.html", "/healthz"):
            reply = ask(port, target, headers={"Host": host})
            assert reply.status == status
            if status == 421:
                assert reply.text.count("\n") == 1


def test_further_names() -> None:
    with serving(web_hosts="oracle.example,other.example") as port:
        for host in ("oracle.example", "OTHER.example:443", "localhost"):
            assert ask(port, QUESTION, headers={"Host": host}).status == 200
        assert ask(port, QUESTION, headers={"Host": "third.example"}).status == 421
    with serving(web="0.0.0.0:0", insecure=True) as port:
        assert ask(port, QUESTION, headers={"Host": "any.example"}).status == 200
    with serving(web="0.0.0.0:0", insecure=True, web_hosts="a.example") as port:
        assert ask(port, QUESTION, headers={"Host": "any.example"}).status == 421


def test_pages_of_other_origins_may_not_ask() -> None:
    with serving() as port:
        own = f"http://127.0.0.1:{port}"
        for origin, status in (
            (own, 200), (own.replace("http", "https"), 200), ("https://evil.example", 403),
            ("null", 403), (own + "0", 403), ("", 403), (f"127.0.0.1:{port}", 403),
        ):  # fmt: skip
            reply = post(port, "GetOutcome", BODY, JSON, {"Origin": origin})
            assert reply.status == status, origin
            assert "access-control-allow-origin" not in reply.headers
        for site, dest, status in (
            ("same-origin", "empty", 200), ("none", "document", 200), ("cross-site", "image", 403),
            ("cross-site", "document", 200), ("same-site", "script", 403),
        ):  # fmt: skip
            headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest}
            assert ask(port, QUESTION, headers=headers).status == status
        asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        reply = ask(port, f"/{SERVICE}/GetOutcome", method="OPTIONS", headers=asked)
        assert reply.status == 403


def test_pages_of_admitted_origins_may_ask() -> None:
    friend = "https://friend.example"
    with serving(web_origins=f"{friend},http://[::1]:3000") as port:
        reply = post(port, "GetOutcome", BODY, JSON, {"Origin": friend})
        assert reply.status == 200
        assert reply.headers["access-control-allow-origin"] == friend
        assert "grpc-status" in reply.headers["access-control-expose-headers"]
        asked = {
            "Origin": friend,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,authorization,connect-timeout-ms",
        }
        reply = ask(port, f"/{SERVICE}/GetOutcome", method="OPTIONS", headers=asked)
        assert reply.status == 200
        assert reply.headers["access-control-allow-origin"] == friend
        other = {**asked, "Origin": "https://evil.example"}
        reply = ask(port, f"/{SERVICE}/GetOutcome", method="OPTIONS", headers=other)
        assert "access-control-allow-origin" not in reply.headers
        assert post(port, "GetOutcome", BODY, JSON, {"Origin": "https://e.example"}).status == 403


def test_pages_that_may_frame_this_one() -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}
    with serving(web_frames="https://school.example,https://b.example") as port:
        told = ask(port, "/", headers=headers)
        assert told.status == 200
        policy = told.headers["content-security-policy"]
        assert policy.endswith("; frame-ancestors https://school.example https://b.example")
        assert "x-frame-options" not in told.headers
    with serving() as port:
        assert ask(port, "/", headers=headers).status == 403


def test_headers_tell_browsers_to_load_nothing_else() -> None:
    """Browsers may load, frame or guess nothing but this server's pages, after errors, too."""
    with serving() as port:
        for target in ("/", "/static/index.html", QUESTION, "/v1/none", "/v1/outcome", "/healthz"):
            headers = get(port, target).headers
            policy = headers["content-security-policy"].split("; ")
            assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= {
                *policy
            }
            assert not {"*", "'unsafe-inline'", "'unsafe-eval'", "https:"} & {
                *" ".join(policy).split()
            }
            assert headers["x-frame-options"] == "DENY"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers
            assert headers["date"].endswith(" GMT")


def test_both_ways_in_at_once() -> None:
    with running(PricedOracle(), SETTINGS) as server:
        assert server.web_port is not None
        assert raw_call(server.port, "ListGames", b"")
        assert get(server.web_port, "/v1/games").status == 200


def test_browsers_ask_again_for_each_file_of_the_page() -> None:
    """Files of two versions of the page would not work together."""
    with serving() as port:
        for target in ("/", "/sw.js", "/static/app.js", "/static/views/grid.js"):
            reply = get(port, target)
            assert (reply.status, reply.headers["cache-control"]) == (200, "no-cache")
            tag = reply.headers["etag"]
            assert get(port, target, if_none_match=tag).headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("origins", "policy"), [(None, "same-origin"), ("https://a.example", "cross-origin")]
)
def test_answers_are_resources_of_other_origins_only_if_some_are_allowed(
    origins: str | None, policy: str
) -> None:
    with serving(web_origins=origins) as port:
        headers = get(port, QUESTION).headers
    assert headers["cross-origin-resource-policy"] == policy
    assert headers["cross-origin-opener-policy"] == "same-origin"
