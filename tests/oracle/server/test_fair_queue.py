"""The fair queue: a caller waits for one question of each other caller, not for all questions."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import ClassVar

import pytest

from position_oracle.oracle.server.errors import BusyError
from position_oracle.oracle.server.fair_queue import FairQueue, Share

A, B, C = (Share("host", name) for name in "abc")
D = Share("other", "d")


class Bench:
    """A queue of one thread that is busy until `gate` is set, and the order of the work.

    Attributes:
        made: the benches of a test, whose queues hold no thread in the end.
    """

    made: ClassVar["list[Bench]"] = []

    def __init__(self, **options: float) -> None:
        Bench.made.append(self)
        threads = int(options.get("threads", 1))
        self.queue = FairQueue(
            "test",
            threads,
            share=int(options.get("share", threads)),
            max_waiting=int(options.get("max_waiting", 100)),
            wait_seconds=options.get("wait_seconds", 5.0),
        )
        self.order: list[str] = []
        self.gate = threading.Event()

    def ask(self, caller: Share, name: str = "") -> "asyncio.Task[None]":
        def work() -> None:
            self.gate.wait(10)
            self.order.append(name or caller.caller)

        return asyncio.create_task(self.queue.run(caller, work))


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await test()
            for bench in Bench.made:
                while bench.queue.running > 0:  # threads are released by the event loop
                    await asyncio.sleep(0.001)
                assert (bench.queue.running, bench.queue.waiting) == (0, 0)

    Bench.made.clear()
    asyncio.run(limited())


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_connections_and_hosts_get_threads_in_rotation() -> None:
    async def test() -> None:
        bench = Bench()
        asked = [bench.ask(A) for _ in range(4)]
        await settled()
        asked += [bench.ask(B), bench.ask(B), bench.ask(C), bench.ask(D)]
        await settled()
        bench.gate.set()
        await asyncio.gather(*asked)
        # The first is at work. Then host and other alternate, and a, b and c alternate within host.
        assert bench.order == ["a", "a", "d", "b", "c", "a", "b", "a"]

    run(test)


def test_a_connection_has_its_share_and_no_more() -> None:
    async def test() -> None:
        bench = Bench(threads=4, share=1)
        asked = [bench.ask(caller) for caller in (A, A, B, C, C)]
        await settled()
        assert bench.queue.running == 3
        asked.append(bench.ask(D))
        await settled()
        assert bench.queue.running == 4
        bench.gate.set()
        await asyncio.gather(*asked)
        assert sorted(bench.order) == sorted("aabccd")
        await settled()
        assert bench.queue.running == 0

    run(test)


def test_a_host_leaves_a_thread_to_others() -> None:
    async def test() -> None:
        bench = Bench(threads=4, share=1)
        asked = [bench.ask(Share("host", name)) for name in "abcde"]
        await settled()
        assert bench.queue.running == 3
        bench.gate.set()
        await asyncio.gather(*asked)

    run(test)


def test_a_caller_is_told_that_its_own_questions_hold_the_threads() -> None:
    async def test() -> None:
        bench = Bench(threads=4, share=1, wait_seconds=0.05)
        first = bench.ask(A)
        with pytest.raises(BusyError, match="hold its share, 1 of 4 worker threads; retry in"):
            await bench.ask(A)
        bench.gate.set()
        await first

    run(test)


def test_a_caller_that_waits_too_long_is_told_to_come_back() -> None:
    async def test() -> None:
        bench = Bench(wait_seconds=0.05)
        first, second = bench.ask(A), bench.ask(B)
        with pytest.raises(
            BusyError, match=r"all worker threads are busy; retry in 0\.025 s"
        ) as caught:
            await second
        assert caught.value.seconds == 0.025
        bench.gate.set()
        await first
        await bench.ask(B)
        assert bench.order == ["a", "b"]

    run(test)


def test_the_longest_queue_is_cut_where_all_are_full() -> None:
    async def test() -> None:
        bench = Bench(max_waiting=3)
        greedy = [bench.ask(A, f"a{number}") for number in range(4)]
        await settled()
        modest = bench.ask(B)
        await settled()
        assert [task.done() for task in greedy] == [False, False, False, True]
        assert isinstance(greedy[3].exception(), BusyError)
        with pytest.raises(BusyError):
            await bench.ask(A)
        bench.gate.set()
        await asyncio.gather(*greedy[:3], modest)
        assert bench.order == ["a0", "a1", "b", "a2"]

    run(test)


def test_of_all_hosts_the_one_with_most_waiting_is_cut() -> None:
    async def test() -> None:
        bench = Bench(max_waiting=4)
        asked = [bench.ask(caller) for caller in (D, D, A, B, C)]
        await settled()
        last = bench.ask(Share("third", "e"))
        await settled()
        refused = [task.done() for task in asked]
        assert refused[:2] == [False, False]
        assert sum(refused) == 1
        bench.gate.set()
        await asyncio.gather(*asked, last, return_exceptions=True)
        assert bench.order.count("d") == 2
        assert "e" in bench.order

    run(test)


def test_a_caller_that_leaves_the_queue_leaves_no_trace() -> None:
    async def test() -> None:
        bench = Bench()
        first, gone, last = bench.ask(A), bench.ask(B), bench.ask(C)
        await settled()
        gone.cancel()
        with suppress(asyncio.CancelledError):
            await gone
        bench.gate.set()
        await asyncio.gather(first, last)
        assert bench.order == ["a", "c"]
        await settled()
        assert (bench.queue.running, bench.queue.waiting) == (0, 0)

    run(test)


def test_a_thread_is_taken_until_its_work_ends() -> None:
    async def test() -> None:
        bench = Bench()
        gone, next_one = bench.ask(A), bench.ask(B)
        await settled()
        gone.cancel()
        await settled()
        assert gone.cancelled()
        assert bench.queue.running == 1
        assert not next_one.done()
        bench.gate.set()
        await next_one
        assert bench.order == ["a", "b"]

    run(test)


def test_a_thread_freed_as_its_caller_leaves_goes_to_the_next() -> None:
    async def test() -> None:
        bench = Bench()
        first, second, third = bench.ask(A), bench.ask(B), bench.ask(C)
        await settled()
        bench.gate.set()
        await first
        for _ in range(100):
            if second.done() or bench.queue.waiting < 2:
                break
            await asyncio.sleep(0.001)
        second.cancel()
        await third
        await asyncio.gather(second, return_exceptions=True)
        await asyncio.sleep(0.05)
        assert (bench.queue.running, bench.queue.waiting) == (0, 0)

    run(test)
