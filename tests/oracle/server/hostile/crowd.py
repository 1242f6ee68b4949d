"""Sends generated requests to a server, many at a time, and counts their results.

Run with `python -m tests.oracle.server.hostile.crowd --count 1000000 HOST:PORT`.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import grpc

from tests.oracle.server.hostile.generator import requests

SERVICE: Final = "position_oracle.v1.PositionOracle"
AT_A_TIME: Final = 16
LET: Final = {
    "OK", "INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED", "RESOURCE_EXHAUSTED", "UNAVAILABLE",
    "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "OUT_OF_RANGE", "ABORTED",
}  # fmt: skip
"""Statuses of a call that are no fault of the server."""


@dataclass
class Result:
    """The results of the requests.

    Attributes:
        ends: number of calls by status.
        faults: method, message and status of each call with another end.
        slowest: seconds of the slowest call.
    """

    ends: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, bytes, str]] = field(default_factory=list)
    slowest: float = 0.0


async def send(address: str, messages: Iterator[tuple[str, bytes]], timeout: float) -> Result:
    """Send the messages to a server, many at a time."""
    result = Result()
    options = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
    async with grpc.aio.insecure_channel(address, options) as channel:

        async def work() -> None:
            for method, message in messages:
                call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                    f"/{SERVICE}/{method}"
                )
                begun, code = time.perf_counter(), "OK"
                try:
                    await call(message, timeout=timeout)
                except grpc.aio.AioRpcError as error:
                    code = error.code().name
                result.ends[code] += 1
                result.slowest = max(result.slowest, time.perf_counter() - begun)
                if code not in LET:
                    result.faults.append((method, message, code))

        await asyncio.gather(*(work() for _ in range(AT_A_TIME)))
    return result


def timed(messages: Iterator[tuple[str, bytes]], seconds: float) -> Iterator[tuple[str, bytes]]:
    """Yield messages until the time is over."""
    end = time.monotonic() + seconds
    for message in messages:
        if time.monotonic() >= end:
            return
        yield message


def main() -> None:
    """Send requests and print their results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun = time.perf_counter()
    messages = islice(requests(options.seed), options.count)
    result = asyncio.run(send(options.address, messages, timeout=30))
    print(dict(result.ends), f"slowest {result.slowest:.2f} s, {time.perf_counter() - begun:.0f} s")  # noqa: T201
    for method, message, code in result.faults[:20]:
        print(code, method, message.hex())  # noqa: T201


if __name__ == "__main__":
    main()
