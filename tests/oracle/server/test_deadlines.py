"""Blocks with a deadline end in time, with the server, or with their task."""

import asyncio
import time

import pytest

from position_oracle.oracle.server.connections import Deadlines
from position_oracle.oracle.server.errors import DeadlineError, StoppingError


async def waits(deadlines: Deadlines, seconds: float) -> None:
    with deadlines.within(seconds, "not in time"):
        await asyncio.sleep(60)


def test_a_block_ends_after_its_time() -> None:
    deadlines, begun = Deadlines(), time.monotonic()
    with pytest.raises(DeadlineError, match="not in time"):
        asyncio.run(waits(deadlines, 0.05))
    assert 0.04 < time.monotonic() - begun < 30
    assert not deadlines


def test_a_block_that_is_done_ends_nothing_later() -> None:
    async def test() -> int:
        with (deadlines := Deadlines()).within(0.05, "not in time"):
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)
        return len(deadlines)

    assert asyncio.run(test()) == 0


@pytest.mark.parametrize("order", [(0.05, 0.1, 60), (60, 0.1, 0.05), (0.1, 60, 0.05)])
def test_each_block_ends_after_its_own_time(order: tuple[float, ...]) -> None:
    """All blocks share one timer, whichever begins first."""

    async def test() -> list[type[BaseException | None]]:
        deadlines = Deadlines()
        tasks = {each: asyncio.create_task(waits(deadlines, each)) for each in order}
        await asyncio.wait((tasks[0.05], tasks[0.1]))
        assert len(deadlines) == 1
        deadlines.cut()
        await asyncio.wait((tasks[60],))
        return [type(tasks[each].exception()) for each in sorted(order)]

    assert asyncio.run(test()) == [DeadlineError, DeadlineError, StoppingError]


@pytest.mark.parametrize("times", [1, 2])
def test_all_blocks_end_with_the_server(times: int) -> None:
    async def test() -> list[BaseException | None]:
        deadlines = Deadlines()
        tasks = [asyncio.create_task(waits(deadlines, 60)) for _ in range(3)]
        await asyncio.sleep(0)
        assert len(deadlines) == 3
        for _ in range(times):
            deadlines.cut()
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(each) for each in asyncio.run(test())] == [StoppingError] * 3


def test_a_cancelled_task_does_not_count_as_late() -> None:
    async def test() -> None:
        task = asyncio.create_task(waits(deadlines, 60))
        await asyncio.sleep(0)
        task.cancel()
        deadlines.cut()
        await task

    deadlines = Deadlines()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(test())
    assert not deadlines


def test_an_error_of_the_block_comes_through() -> None:
    async def test() -> None:
        with Deadlines().within(60, "not in time"):
            raise ValueError("of the block")

    with pytest.raises(ValueError, match="of the block"):
        asyncio.run(test())
