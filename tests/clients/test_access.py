"""Tokens, TLS, waiting for a server, and the details of errors for programs."""

import asyncio
import hashlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest

from position_oracle import (
    AccessDeniedError,
    AsyncOracleClient,
    InvalidQuestionError,
    OracleClient,
    Outcome,
    ServerLimitError,
    ServerUnavailableError,
    tls,
)
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.settings import ServerSettings
from tests.clients.conftest import Connect
from tests.clients.test_failures import free_port
from tests.clock import PATIENCE
from tests.oracle.server.keys import Keys, needs_openssl
from tests.serving import running_server

SETTINGS = replace(ServerSettings(), address="127.0.0.1:0", drain_seconds=1.0)
TOKEN = "a-token"  # noqa: S105 - of a server that lives as long as its test


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running_server(Oracle()) as port:
        yield port


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[int]:
    """A server that knows one token. Its holder may ask three times a minute."""
    file = tmp_path / "callers"
    file.write_text(f"alice {hashlib.sha256(TOKEN.encode()).hexdigest()} 3 30\n")
    with running_server(Oracle(), replace(SETTINGS, tokens=file)) as port:
        yield port


def test_a_token_is_accepted(connect: Connect, guarded: int) -> None:
    client = connect(guarded, token=TOKEN)
    assert client.outcome("nim:[3]").outcome is Outcome.N
    assert client.outcomes("nim", [[3, 3]]).tolist() == [1]


@pytest.mark.parametrize("token", [None, "another"])
def test_calls_without_the_token_are_refused(connect: Connect, guarded: int, token: str) -> None:
    with pytest.raises(AccessDeniedError, match="token") as caught:
        connect(guarded, token=token).outcome("nim:[3]")
    assert isinstance(caught.value, PermissionError)
    assert (caught.value.code, caught.value.reason) == ("UNAUTHENTICATED", "UNAUTHENTICATED")


def test_a_call_beyond_the_quota_is_refused(connect: Connect, guarded: int) -> None:
    client = connect(guarded, token=TOKEN, retry_for=0)
    answered: list[object] = []

    with pytest.raises(ServerLimitError) as caught:
        # A slow call gives time for another one.
        answered.extend(client.outcome("nim:[3]") for _ in range(30))
    assert len(answered) >= 3
    assert caught.value.reason == "QUOTA_EXCEEDED"
    assert 0 < (caught.value.retry_seconds or 0) <= 120


def test_tokens_are_not_sent_in_plain_text(connect: Connect) -> None:
    with pytest.raises(ValueError, match="plain text"):
        OracleClient("oracle.example:50051", token=TOKEN)
    OracleClient("oracle.example:50051", token=TOKEN, insecure=True).close()
    OracleClient("oracle.example:50051", token=TOKEN, credentials=tls()).close()


@pytest.mark.parametrize("token", ["", " a", "a\nb", "é"])
def test_invalid_tokens_are_refused(token: str) -> None:
    with pytest.raises(ValueError, match="token"):
        OracleClient(token=token)


@needs_openssl
def test_tls_from_files(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    settings = replace(
        SETTINGS,
        tls_cert=keys.file("server.pem"),
        tls_key=keys.file("server.key"),
        tls_client_ca=keys.file("ours.pem"),
    )
    ca = keys.file("ours.pem")
    ours = tls(ca=ca, certificate=keys.file("caller.pem"), key=keys.file("caller.key"))
    with running_server(Oracle(), settings) as port:
        address = f"localhost:{port}"
        with OracleClient(address, credentials=ours) as client:
            client.wait_ready(20)
            assert client.outcome("nim:[3]").outcome is Outcome.N
        nobody = OracleClient(address, credentials=tls(ca=ca), retry_for=0)
        with nobody as client, pytest.raises(ServerUnavailableError):
            client.outcome("nim:[3]")


def test_half_a_certificate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one of them is missing"):
        tls(certificate=tmp_path / "own.pem")
    with pytest.raises(OSError, match=r"none\.pem"):
        tls(ca=tmp_path / "none.pem")


def test_waiting_for_a_server_that_is_there(connect: Connect, port: int) -> None:
    connect(port).wait_ready(20)


@contextmanager
def health(*statuses: bytes, port: int) -> Iterator[list[float]]:
    """A server that reports the given health statuses in turn, and then repeats the last one."""
    asked: list[float] = []

    def check(_request: bytes, _context: grpc.ServicerContext) -> bytes:
        asked.append(time.monotonic())
        return statuses[min(len(asked), len(statuses)) - 1]

    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(check)
    server = grpc.server(ThreadPoolExecutor(1), options=[("grpc.so_reuseport", 0)])
    handlers: Any = grpc.method_handlers_generic_handler(
        "grpc.health.v1.Health", {"Check": handler}
    )
    server.add_generic_rpc_handlers((handlers,))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield asked
    finally:
        server.stop(0).wait()


NOT_SERVING, SERVING = b"\x08\x02", b"\x08\x01"


def test_waiting_for_a_server_that_starts_late(connect: Connect) -> None:
    port, done = free_port(), threading.Event()
    counts: list[int] = []

    def start_late() -> None:
        time.sleep(0.5)
        with health(NOT_SERVING, NOT_SERVING, SERVING, port=port) as asked:
            done.wait(20)
            counts.append(len(asked))

    thread = threading.Thread(target=start_late)
    thread.start()
    try:
        connect(port).wait_ready(20)
    finally:
        done.set()
        thread.join()
    assert counts == [3]


def test_waiting_for_a_server_ends_in_time(connect: Connect) -> None:
    begun = time.monotonic()
    with pytest.raises(ServerUnavailableError, match=r"not ready after 0\.3 s"):
        connect(free_port()).wait_ready(0.3)
    assert time.monotonic() - begun < PATIENCE


def test_errors_name_field_and_reason_for_programs(connect: Connect, port: int) -> None:
    with pytest.raises(InvalidQuestionError) as caught:
        connect(port).outcome("nim:[3,-1]")
    error = caught.value
    assert (error.code, error.field) == ("INVALID_ARGUMENT", "position.text")
    assert error.reason in {"INVALID_NOTATION", "INVALID_POSITION"}
    assert error.facts["request_id"]


def test_limits_can_be_compared() -> None:
    with running_server(Oracle(), replace(SETTINGS, call_seconds=0.001)) as port:
        with OracleClient(f"127.0.0.1:{port}") as client, pytest.raises(ServerLimitError) as caught:
            client.win_probability("chomp3:[20,20,20]", "random")
        assert caught.value.limits["seconds"] == 0.001
        assert caught.value.amounts["seconds"] > 0.001
        with OracleClient(f"127.0.0.1:{port}") as client, pytest.raises(ServerLimitError) as caught:
            client.outcome("nim:[" + "1," * 40_000 + "1]")
        assert caught.value.limits["request_bytes"] < caught.value.amounts["request_bytes"]
        assert caught.value.reason == "TOO_LARGE"


@pytest.mark.parametrize("limits", [{"max_batch": 7}, {"max_message_bytes": 200}])
def test_arrays_are_cut_as_the_server_announces(limits: dict[str, int]) -> None:
    positions = [[n, n + 1, n + 2] for n in range(40)]
    with running_server(Oracle(), replace(SETTINGS, **limits)) as port:  # type: ignore[arg-type]
        with OracleClient(f"127.0.0.1:{port}") as client:
            found = client.outcomes("nim", positions)
        assert np.array_equal(found, Oracle().outcomes("nim", positions))
        asked = asyncio.run(_outcomes_by_async_client(port, positions))
        assert np.array_equal(found, asked)


async def _outcomes_by_async_client(port: int, positions: list[list[int]]) -> Any:
    async with AsyncOracleClient(f"127.0.0.1:{port}") as client:
        return await client.outcomes("nim", positions)


def test_the_number_that_was_too_large_can_be_compared(connect: Connect, port: int) -> None:
    with pytest.raises(InvalidQuestionError) as caught:
        connect(port, batch_positions=300_000).outcomes("nim", [[1, 2]] * 200_000)
    assert caught.value.limits == {"batch_positions": 100_000}
    assert caught.value.amounts == {"batch_positions": 200_000}
    with pytest.raises(InvalidQuestionError) as caught:
        connect(port).instant_winners("chomp3", 5, 3000, 3000)
    assert caught.value.limits == {"window_cells": 4_194_304}


def test_a_process_keeps_its_connection(port: int) -> None:
    with OracleClient(f"127.0.0.1:{port}") as client:
        before = client._connected()
        assert client.outcome("nim:[3]").outcome is Outcome.N
        assert client._connected() is before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_a_connection_of_its_own(port: int) -> None:
    """The child does not use the connection of its parent, and the parent can still use it."""
    with OracleClient(f"127.0.0.1:{port}") as client:
        assert client.outcome("nim:[3]").outcome is Outcome.N
        child = os.fork()
        if not child:
            signal.alarm(60)  # ends a child that hangs
            try:
                os._exit(0 if client.outcome("nim:[3,3]", timeout=30).outcome is Outcome.P else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert client.outcome("nim:[3,3]").outcome is Outcome.P
