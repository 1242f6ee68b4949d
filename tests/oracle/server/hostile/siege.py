"""Two hostile callers send the most expensive admitted questions: what do others notice?

Run with `python -m tests.oracle.server.hostile.siege --db DATA HOST:PORT` against a server of these
tables, on a machine that does nothing else.
"""

import argparse
import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random
from typing import Final

import grpc
import numpy as np

from position_oracle.engine.budget import Budget
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.contract import CALLS
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.oracle.server.hostile import sensible
from tests.oracle.server.hostile.crowd import SERVICE

CALLERS: Final = 2
AT_A_TIME: Final = 20
GENERATED: Final = 20_000
KEPT: Final = 200
SIMPLE: Final = 3_000
SEARCHES: Final = ("chomp:7/7/6/4/2", "chomp:6/6/6/5/1", "octal{code=0.77,misere}:[7,8,9]")
SEARCHED: Final = 60
PLANNED_SECONDS: Final = 0.1
SETTINGS: Final = ServerSettings(address="127.0.0.1:0")

Message = tuple[str, bytes]


def most_expensive(oracle: Oracle, seed: int) -> list[Message]:
    """Return the accepted requests with the highest costs."""
    planned: list[tuple[float, Message]] = []
    for name, message in islice(sensible.requests(seed), GENERATED):
        try:
            with Budget(deadline=time.monotonic() + PLANNED_SECONDS).active():
                question = CALLS[name].read(message, SETTINGS)
                cost = oracle.plan(question.name, *question.arguments).cost
        except PositionOracleError:
            continue
        if cost.fits(SETTINGS.limit):
            planned.append((cost.seconds, (name, message)))
    planned.sort(key=lambda each: each[0], reverse=True)
    return [message for _, message in planned[:KEPT]]


def attack(address: str, messages: list[Message], over: Event) -> None:
    """Send messages over one connection, many at a time, until the end; print the results."""
    asyncio.run(_attack(address, messages, over))


async def _attack(address: str, messages: list[Message], over: Event) -> None:
    endless, ends = cycle(messages), Counter[str]()
    async with grpc.aio.insecure_channel(address) as channel:

        async def work() -> None:
            while not over.is_set():
                name, message = next(endless)
                call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                    f"/{SERVICE}/{name}"
                )
                try:
                    await call(message, timeout=30)
                    ends["OK"] += 1
                except grpc.aio.AioRpcError as error:
                    ends[error.code().name] += 1
                    await asyncio.sleep(0.05 if error.code() is grpc.StatusCode.UNAVAILABLE else 0)

        await asyncio.gather(*(work() for _ in range(AT_A_TIME)))
    print(f"   a hostile caller: {dict(ends)}", flush=True)  # noqa: T201


@contextmanager
def besieged(address: str, messages: list[Message]) -> Iterator[None]:
    """Hostile callers, each in a process of its own."""
    context = multiprocessing.get_context("spawn")
    over = context.Event()
    share = [messages[number::CALLERS] for number in range(CALLERS)]
    callers = [context.Process(target=attack, args=(address, each, over)) for each in share]
    for caller in callers:
        caller.start()
    time.sleep(5)
    try:
        yield
    finally:
        over.set()
        for caller in callers:
            caller.join()


def questions(seed: int) -> list[bytes]:
    """Simple questions, all of them different."""
    random = Random(seed)
    rows = (
        f"chomp3:[{random.randint(1, 999)},{random.randint(0, 999)},{random.randint(0, 10**6)}]"
        for _ in range(SIMPLE)
    )
    return [outcome_of(text) for text in rows]


def outcome_of(text: str) -> bytes:
    """The request for an outcome."""
    request = pb.GetOutcomeRequest()
    request.position.text = text
    return request.SerializeToString()


def measure(address: str, seed: int) -> None:
    """Print how long simple questions, searches and health take."""
    with grpc.insecure_channel(address) as channel:
        searches = [outcome_of(text) for text in islice(cycle(SEARCHES), SEARCHED)]
        for what, method, messages in (
            ("simple outcomes", f"{SERVICE}/GetOutcome", questions(seed)),
            ("searches", f"{SERVICE}/GetOutcome", searches),
            ("health", "grpc.health.v1.Health/Check", [b""] * 100),
        ):
            ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{method}")
            taken = []
            for message in messages:
                begun = time.perf_counter()
                ask(message, timeout=30)
                taken.append(1000 * (time.perf_counter() - begun))
            middle, most = np.quantile(taken, (0.5, 0.99))
            numbers = f"median {middle:.2f}, 99 % {most:.2f}, slowest {max(taken):.1f} ms"
            print(f"   {what}: {numbers}", flush=True)  # noqa: T201


def main() -> None:
    """Measure without hostile callers, with them, and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--db", type=Path, required=True)
    options = parser.parse_args()
    messages = most_expensive(Oracle.open(options.db), 1)
    print("quiet", flush=True)  # noqa: T201
    measure(options.address, 2)
    print("besieged", flush=True)  # noqa: T201
    with besieged(options.address, messages):
        measure(options.address, 3)
    print("afterwards", flush=True)  # noqa: T201
    measure(options.address, 4)


if __name__ == "__main__":
    main()
