"""No game is lost when a server restarts in the middle of a tournament."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from position_oracle import AsyncOracleClient, OracleClient
from position_oracle.clients.bots import AsyncPerfectBot, PerfectBot, RandomBot
from position_oracle.clients.play import GameRecord, play_game, play_game_async

GAMES = 100
STARTS = ("chomp3:[30,20,10]", "nim:[9,8,7,6]", "kayles:[20,15]", "chomp:5/5/4/3")


class Server:
    """A server in its own process, which can be ended and started again on the same port."""

    def __init__(self, store: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self._store = store
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "position_oracle", "serve", "--address", self.address]
        return subprocess.Popen(
            [*command, "--db", str(self._store)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def restart(self, *, politely: bool) -> None:
        """End the server, by a stop or by a kill, and start it again at once."""
        (self.process.terminate if politely else self.process.kill)()
        self.process.wait(60)
        self.process = self._start()


@contextmanager
def restarting(store: Path, pause: float) -> Iterator[tuple[str, list[float]]]:
    """A server that restarts twice while clients ask: once after a stop, once after a kill."""
    server, restarts, ended = Server(store), list[float](), Event()
    try:
        with OracleClient(server.address) as client:
            client.wait_ready(120)

        def restart() -> None:
            for politely in (True, False):
                if ended.wait(pause):
                    return
                begin = time.monotonic()
                server.restart(politely=politely)
                with OracleClient(server.address) as client:
                    client.wait_ready(120)
                restarts.append(time.monotonic() - begin)

        thread = Thread(target=restart)
        thread.start()
        yield server.address, restarts
        ended.set()
        thread.join()
    finally:
        ended.set()
        server.process.kill()
        server.process.wait()


def check(records: list[GameRecord]) -> None:
    assert [record.error for record in records] == [None] * len(records)
    assert all(record.winner is not None for record in records)


@pytest.mark.slow
def test_no_game_of_a_tournament_is_lost(store: Path) -> None:
    with restarting(store, 1.0) as (address, restarts), ThreadPoolExecutor(4) as threads:
        with OracleClient(address, timeout=60, retry_for=60) as oracle:

            def game(number: int) -> GameRecord:
                time.sleep(0.05 * (number % 4))
                return play_game(
                    PerfectBot(oracle), RandomBot(number), STARTS[number % len(STARTS)]
                )

            records = list(threads.map(game, range(GAMES)))
            while len(restarts) < 2:
                records += list(threads.map(game, range(4)))
        check(records)
        assert len(restarts) == 2


@pytest.mark.slow
def test_no_game_of_an_asynchronous_tournament_is_lost(store: Path) -> None:
    with restarting(store, 1.0) as (address, restarts):

        async def games() -> list[GameRecord]:
            async with AsyncOracleClient(address, timeout=60, retry_for=60) as oracle:
                perfect, records = AsyncPerfectBot(oracle), list[GameRecord]()
                while len(records) < GAMES or len(restarts) < 2:
                    records += await asyncio.gather(
                        *(
                            play_game_async(perfect, RandomBot(seed), start)
                            for seed in range(3)
                            for start in STARTS
                        )
                    )
                return records

        check(asyncio.run(games()))
        assert len(restarts) == 2
