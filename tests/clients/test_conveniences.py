"""The client in unusual places: empty arrays, pickle, proxies, addresses, early closing."""

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from position_oracle import (
    ArrayTypeError,
    AsyncOracleClient,
    ClientClosedError,
    OracleClient,
    Outcome,
)
from tests.clients.conftest import Connect
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SlowOracle
from tests.serving import running_server


@pytest.mark.parametrize("nothing", [[], np.zeros((0, 3)), np.zeros((0, 3), int)])
def test_no_positions_have_no_outcomes(connect: Connect, port: int, nothing: Any) -> None:
    client = connect(port)
    outcomes = client.outcomes("nim", nothing)
    assert (outcomes.shape, outcomes.dtype) == ((0,), np.uint8)
    assert len(client.winning_move_batch("nim", nothing)[1]) == 0


def test_masked_positions_are_refused(connect: Connect, port: int) -> None:
    masked = np.ma.array([[1, 2, 3], [4, 5, 6]], mask=np.array([[0, 0, 0], [0, 1, 0]], bool))
    with pytest.raises(ArrayTypeError, match="masked"):
        connect(port).outcomes("chomp3", masked)
    assert connect(port).outcomes("chomp3", masked[:1]).tolist() == [Outcome.N]


def test_small_integers_of_numpy_do_not_overflow(connect: Connect, port: int) -> None:
    client, hundred = connect(port), np.uint8(100)
    assert client.instant_winners("chomp3", np.int8(3), hundred, hundred).shape == (100, 100)
    assert len(client.series("nim", np.uint8(0), np.uint8(255))) == 256


@pytest.mark.parametrize("attempt", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_client_says_why_it_cannot_be_copied(attempt: Callable[[object], object]) -> None:
    with OracleClient() as client, pytest.raises(TypeError, match="one in each process"):
        attempt(client)


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "grpc_proxy"])
def test_no_proxy_stands_before_this_machine(
    connect: Connect, port: int, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1")
    assert connect(port, retry_for=0).outcome("chomp3:[1,0,0]").outcome is Outcome.N


@pytest.mark.parametrize(
    "address", ["", "localhost", "127.0.0.1:0", "127.0.0.1:99999", "a b:1", ":50051", "host:x"]
)
def test_invalid_addresses_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"address|port"):
        OracleClient(address)


@pytest.mark.parametrize(
    "address", ["localhost:1", "[::1]:50051", "unix:/tmp/socket", "dns:///example.org:1"]
)
def test_addresses_of_every_kind(address: str) -> None:
    OracleClient(address).close()


def test_closing_ends_the_calls_that_wait() -> None:
    oracle = SlowOracle(PATIENCE)

    async def ask(port: int) -> list[BaseException | object]:
        client = AsyncOracleClient(f"127.0.0.1:{port}")
        calls = [
            asyncio.create_task(client.outcomes("chomp3", np.zeros((9, 3), int))),
            asyncio.create_task(client.outcomes("chomp3", np.zeros((9, 3), int))),
        ]
        await asyncio.to_thread(oracle.started.wait, PATIENCE)
        await client.close()
        return await asyncio.gather(*calls, return_exceptions=True)

    with running_server(oracle) as port:
        found = asyncio.run(ask(port))
        oracle.done.set()
    assert [type(error) for error in found] == [ClientClosedError] * 2
