"""Features of the asynchronous client alone: many questions at a time, and cancelling."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from position_oracle import AsyncOracleClient, ClientClosedError, Outcome
from position_oracle.clients import _channel
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SlowOracle
from tests.serving import running_server


def test_many_questions_at_a_time(port: int) -> None:
    async def ask() -> list[Outcome]:
        async with AsyncOracleClient(f"127.0.0.1:{port}") as client:
            texts = (f"chomp3:[{x},0,0]" for x in range(1, 201))
            answers = await asyncio.gather(*map(client.outcome, texts))
            return [answer.outcome for answer in answers]

    assert asyncio.run(ask()) == [Outcome.N] * 200


def test_a_cancelled_array_is_not_asked_any_further() -> None:
    oracle = SlowOracle(PATIENCE)

    async def ask(port: int) -> None:
        async with AsyncOracleClient(f"127.0.0.1:{port}", batch_positions=10) as client:
            positions = np.zeros((1000, 3), np.int32)
            task = asyncio.create_task(client.outcomes("chomp3", positions))
            await asyncio.to_thread(oracle.started.wait, PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with running_server(oracle) as port:
        asyncio.run(ask(port))
        oracle.done.set()
    assert oracle.asked <= 4


def test_waiting_for_a_server_pauses_between_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    replies, pauses = [b"", b"", _channel.SERVING], list[float]()

    async def check(*_: object, **__: object) -> bytes:
        return replies.pop(0)

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def ask() -> None:
        async with AsyncOracleClient("127.0.0.1:1") as client:
            with monkeypatch.context() as patch:
                channel = SimpleNamespace(unary_unary=lambda _: check)
                patch.setattr(AsyncOracleClient, "_connected", lambda _: channel)
                patch.setattr(asyncio, "sleep", pause)
                await client.wait_ready(PATIENCE)

    asyncio.run(ask())
    assert pauses == [_channel.PAUSE_SECONDS] * 2


def test_the_context_manager_closes(port: int) -> None:
    async def ask() -> None:
        async with AsyncOracleClient(f"127.0.0.1:{port}") as client:
            await client.games()
        with pytest.raises(ClientClosedError):
            await client.games()

    asyncio.run(ask())
