"""The service admits nobody without the required certificate, token or quota."""

import hashlib
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health_pb2, health_pb2_grpc

from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.auth import Account, Accounts, Quota, forwarded_address
from position_oracle.oracle.server.errors import BusyError
from position_oracle.oracle.server.settings import SettingsError
from position_oracle.oracle.server.telemetry import CallRecord
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import SERVICE, PricedOracle
from tests.oracle.server.keys import Keys, needs_openssl
from tests.serving import running, running_server

SETTINGS = ServerSettings(address="127.0.0.1:0", drain_seconds=1.0)
QUICK = pb.GetOutcomeRequest(position=Position(text="chomp3:[1,2,3]")).SerializeToString()
SEARCH = pb.GetOutcomeRequest(position=Position(text="nim:[100]")).SerializeToString()


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    file = tmp_path / "tokens"
    file.write_text(
        f"# name hash calls seconds\n\nalice {hashed('one')} 6000 600\n"
        f"bob {hashed('two')} 3 600\ncarol {hashed('three')} 6000 0.1\n"
    )
    return file


def ask(
    channel: grpc.Channel, token: str | None, message: bytes = QUICK, scheme: str = "Bearer"
) -> bytes:
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/GetOutcome")
    metadata = () if token is None else (("authorization", f"{scheme} {token}"),)
    return call(message, timeout=PATIENCE, metadata=metadata)


def refusal(channel: grpc.Channel, token: str | None, message: bytes = QUICK) -> grpc.RpcError:
    with pytest.raises(grpc.RpcError) as caught:
        ask(channel, token, message)
    return caught.value


def info_of(error: grpc.RpcError) -> tuple[str, float | None]:
    metadata = {entry.key: entry.value for entry in error.trailing_metadata()}
    status = Status.FromString(metadata["grpc-status-details-bin"])
    info, retry = ErrorInfo(), RetryInfo()
    assert status.details[0].Unpack(info)
    found = any(detail.Unpack(retry) for detail in status.details)
    return info.reason, retry.retry_delay.ToMilliseconds() / 1000 if found else None


@contextmanager
def token_channel(tokens: Path) -> Iterator[grpc.Channel]:
    with (
        running_server(PricedOracle(), replace(SETTINGS, tokens=tokens)) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        yield channel


def test_only_callers_with_a_token_are_admitted(tokens: Path) -> None:
    with token_channel(tokens) as channel:
        assert ask(channel, "one")
        assert ask(channel, "one", scheme="bearer")
        for token in (None, "", "four", hashed("one")):
            error = refusal(channel, token)
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED
            assert info_of(error) == ("UNAUTHENTICATED", None)
        with pytest.raises(grpc.RpcError):
            ask(channel, "one", scheme="Basic")


def test_health_needs_no_token(tokens: Path) -> None:
    with token_channel(tokens) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).status == 1


def test_calls_of_a_minute_are_counted(tokens: Path) -> None:
    with token_channel(tokens) as channel:
        for _ in range(3):
            assert ask(channel, "two")
        error = refusal(channel, "two")
        assert ask(channel, "one")
    reason, seconds = info_of(error)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason == "QUOTA_EXCEEDED"
    assert seconds is not None
    assert 15 < seconds <= 20


def test_seconds_of_searches_are_counted_by_their_cost(tokens: Path) -> None:
    with token_channel(tokens) as channel:
        assert ask(channel, "three", SEARCH)
        error = refusal(channel, "three", SEARCH)
        assert ask(channel, "three")  # an answer from a table is free
        assert ask(channel, "one", SEARCH)
    assert info_of(error)[0] == "QUOTA_EXCEEDED"


def expensive(seconds: float) -> bytes:
    text = f"nim:[{round(1000 * seconds)}]"
    return pb.GetOutcomeRequest(position=Position(text=text)).SerializeToString()


def end(channel: grpc.Channel, message: bytes, *metadata: tuple[str, str]) -> str:
    """Return the result of a call: OK or the reason."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/GetOutcome")
    try:
        call(message, timeout=PATIENCE, metadata=metadata)
    except grpc.RpcError as error:
        return info_of(error)[0]
    return "OK"


def bearer(token: str) -> tuple[str, str]:
    return ("authorization", f"Bearer {token}")


def test_seconds_are_charged_for_questions_that_are_answered(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"alice {hashed('one')} 10 1.0")
    settings = replace(SETTINGS, tokens=file, wait_seconds=0.1)
    oracle = PricedOracle(pace=100)
    with (
        running_server(oracle, settings) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        ThreadPoolExecutor(8) as threads,
    ):
        calls = [threads.submit(end, channel, expensive(0.4), bearer("one")) for _ in range(8)]
        ended = as_completed(calls)
        assert [next(ended).result() for _ in range(7)] == ["OVERLOADED"] * 7
        time.sleep(0.4)  # which the work takes at least
        oracle.done.set()
        assert next(ended).result() == "OK"
        oracle.done.clear()
        oracle.pace = 1.0
        assert end(channel, expensive(0.4), bearer("one")) == "OK"
        assert end(channel, expensive(0.9), bearer("one")) == "QUOTA_EXCEEDED"


def test_a_caller_without_seconds_does_not_wait_for_a_thread(tokens: Path) -> None:
    """What would be refused in the end is refused at once, and takes no place in a queue."""
    oracle = PricedOracle()
    settings = replace(SETTINGS, tokens=tokens, wait_seconds=0.1, long_threads=1)
    with (
        running_server(oracle, settings) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        ThreadPoolExecutor(1) as threads,
    ):
        assert end(channel, SEARCH, bearer("three")) == "OK"  # all that she has
        oracle.started.clear()
        oracle.pace = 100
        busy = threads.submit(end, channel, expensive(0.4), bearer("one"))
        assert oracle.started.wait(PATIENCE)
        assert end(channel, expensive(0.4), bearer("three")) == "QUOTA_EXCEEDED"
        oracle.done.set()
        assert busy.result() == "OK"


def test_what_a_question_does_not_use_is_given_back(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"alice {hashed('one')} 100 9.0")
    oracle = PricedOracle()
    with (
        running_server(oracle, replace(SETTINGS, tokens=file)) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )
        for number in range(1, 4):
            with pytest.raises(grpc.RpcError) as caught:
                call(expensive(8.0), timeout=0.2, metadata=(bearer("one"),))
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            until(partial(lambda count: oracle.stopped == count, number))


def test_work_that_takes_longer_is_charged_its_planned_cost(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"alice {hashed('one')} 100 1.0")
    account = Accounts.read(file).find([bearer("one")])
    with account.charged(0.1):
        time.sleep(0.4)
    account.check_seconds(0.85)


@pytest.mark.parametrize("by", ["tokens", "addresses"])
def test_callers_behind_one_connection_wait_as_on_connections_of_their_own(
    tmp_path: Path, by: str
) -> None:
    file = tmp_path / "tokens"
    file.write_text("\n".join(f"caller{n} {hashed(str(n))} 100 60" for n in range(4)))
    if by == "tokens":
        settings = replace(SETTINGS, tokens=file, wait_seconds=PATIENCE)
        headers = [bearer(str(number)) for number in range(4)]
    else:
        settings = replace(SETTINGS, trusted_proxies="127.0.0.0/8", wait_seconds=PATIENCE)
        headers = [("x-forwarded-for", f"198.51.100.{number}, 127.0.0.2") for number in range(4)]
    oracle = PricedOracle(pace=100)
    with (
        running(oracle, settings) as server,
        grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel,
        ThreadPoolExecutor(8) as threads,
    ):
        greedy = [threads.submit(end, channel, expensive(9.0), headers[0]) for _ in range(4)]
        assert oracle.started.wait(PATIENCE)
        oracle.pace = 1.0
        others = [threads.submit(end, channel, expensive(0.2), each) for each in headers[1:]]
        assert {call.result() for call in others} == {"OK"}
        long = server.admission.queues[-1]
        until(lambda: (long.running, long.waiting) == (1, 3))  # one after the other
        oracle.done.set()
        assert {call.result() for call in greedy} == {"OK"}


PROXIES = (ip_network("10.0.0.0/8"),)


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("ipv4:10.0.0.1:5000", "198.51.100.7", "198.51.100.7"),
        ("ipv4:10.0.0.1:5000", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("ipv6:%5B::ffff:10.0.0.1%5D:5000", "2001:db8::1", "2001:db8::1"),
        ("ipv4:198.51.100.1:5000", "203.0.113.9", None),  # not a proxy: anyone may write a header
        ("ipv4:10.0.0.1:5000", "10.0.0.3", None),
        ("ipv4:10.0.0.1:5000", "198.51.100.7, nonsense", None),
        ("ipv4:10.0.0.1:5000", "", None),
        ("unix:", "198.51.100.7", None),
    ],
)
def test_the_caller_behind_a_proxy(peer: str, forwarded: str, address: str | None) -> None:
    assert forwarded_address(peer, [("x-forwarded-for", forwarded)], PROXIES) == address
    assert forwarded_address(peer, [("x-forwarded-for", forwarded)], ()) is None


def test_a_quota_fills_up_again() -> None:
    quota = Quota(6000.0)
    assert quota.take(6000.0) == 0
    assert quota.take(1.0) > 0
    assert 0 < quota.wait_seconds(1.0) <= 0.01
    assert 0 < quota.wait_seconds(1e9) <= 60.0
    nothing = Quota(0.0)
    assert nothing.wait_seconds(1.0) > 0


@pytest.mark.parametrize(("error", "counts"), [(BusyError("full"), False), (OSError(), True)])
def test_calls_refused_for_load_do_not_count(error: Exception, counts: bool) -> None:
    caller: Any = SimpleNamespace(invocation_metadata=tuple)
    call = CallRecord("GetOutcome", caller)
    call.account = Account("a", Quota(1.0), Quota(1.0))
    call.account.admit_call()
    call.fail(error)
    assert (call.account.calls.wait_seconds(1.0) > 0) == counts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no account"),
        ("# alice\n", "no account"),
        ("alice secret 1 1", "line 1: a line is"),
        (f"alice {hashed('x')} 1", "line 1: a line is"),
        (f"alice {hashed('x')} -1 1", "line 1: a line is"),
        (f"alice {hashed('x')} 1 1e9", "line 1: a line is"),
        (f"a {hashed('x')} 1 1\nb {hashed('x')} 1 1", "line 2: the token is there twice"),
        ("\u00e4", "not plain text"),
    ],
)
def test_a_file_of_tokens_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(text)
    with pytest.raises(SettingsError, match=says):
        Accounts.read(file)


def test_a_file_of_tokens_that_is_not_there(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (tmp_path, tmp_path / "none", pipe, Path("/dev/zero")):
        with pytest.raises(SettingsError, match=r"tokens .*: "):
            Accounts.read(file)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


def secure(keys: Keys, port: int, name: str | None = None) -> grpc.Channel:
    pair = (None, None) if name is None else (keys.read(f"{name}.key"), keys.read(f"{name}.pem"))
    credentials = grpc.ssl_channel_credentials(keys.read("ours.pem"), *pair)
    return grpc.secure_channel(f"localhost:{port}", credentials)


@needs_openssl
def test_tls(keys: Keys, tokens: Path) -> None:
    settings = replace(
        SETTINGS,
        address="127.0.0.1:0",
        tls_cert=keys.file("server.pem"),
        tls_key=keys.file("server.key"),
        tokens=tokens,
    )
    with running_server(PricedOracle(), settings) as port:
        with secure(keys, port) as channel:
            assert ask(channel, "one")
            assert refusal(channel, None).code() is grpc.StatusCode.UNAUTHENTICATED
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert refusal(channel, "one").code() is grpc.StatusCode.UNAVAILABLE


@needs_openssl
def test_mutual_tls(keys: Keys) -> None:
    settings = replace(
        SETTINGS,
        tls_cert=keys.file("server.pem"),
        tls_key=keys.file("server.key"),
        tls_client_ca=keys.file("ours.pem"),
    )
    with running_server(PricedOracle(), settings) as port:
        with secure(keys, port, "caller") as channel:
            assert ask(channel, None)
        for name in ("stranger", None):
            with secure(keys, port, name) as channel:
                assert refusal(channel, None).code() is grpc.StatusCode.UNAVAILABLE


@needs_openssl
@pytest.mark.parametrize(
    ("cert", "key", "ca"),
    [
        ("server.pem", "caller.key", None),
        ("server.key", "server.pem", None),
        ("none.pem", "server.key", None),
        ("names", "server.key", None),
        ("server.pem", "server.key", "names"),
        ("server.pem", "server.key", "none.pem"),
    ],
)
def test_certificates_that_cannot_be_used(keys: Keys, cert: str, key: str, ca: str | None) -> None:
    settings = replace(
        SETTINGS,
        tls_cert=keys.file(cert),
        tls_key=keys.file(key),
        tls_client_ca=None if ca is None else keys.file(ca),
    )
    with (
        pytest.raises(SettingsError, match=r"(tls_c|certificate)[^\n]*: [^\n]+$"),
        running_server(PricedOracle(), settings),
    ):
        pass
