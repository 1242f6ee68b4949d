"""A server with HTTP, from its start to its end."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from position_oracle.oracle.server.server import Server
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import PricedOracle, SlowOracle
from tests.oracle.web.conftest import SETTINGS
from tests.oracle.web.http import get, post, raw
from tests.serving import running

ROOT = Path(__file__).parents[3]
SEARCH = "/v1/outcome?position=nim:%5B{}%5D"

PROGRAM = """
import asyncio, sys
from pathlib import Path
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.process import serve_source
from position_oracle.oracle.server.process import OracleSource
from tests.oracle.server.doubles import PricedOracle

place = Path(sys.argv[1])

class MarkingOracle(PricedOracle):
    def outcome(self, position):
        (place / "started").touch()
        return super().outcome(position)

source = OracleSource(lambda: place, lambda _: MarkingOracle())
settings = ServerSettings(
    address="127.0.0.1:0", web="127.0.0.1:0", reload_seconds=0, drain_seconds=float(sys.argv[2])
)
asyncio.run(serve_source(source, settings, lambda line: print(line, flush=True)))
"""


@dataclass
class Served:
    process: "subprocess.Popen[str]"
    port: int


@contextmanager
def served(place: Path, drain_seconds: float) -> Iterator[Served]:
    command = [sys.executable, "-c", PROGRAM, str(place), str(drain_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            ready = re.search(r" on 127.0.0.1:\d+ and http://127.0.0.1:(\d+)/\n", line)
            assert ready, line
            yield Served(process, int(ready[1]))
        finally:
            process.kill()


def _answers(port: int, milliseconds: int) -> tuple[threading.Thread, list[int]]:
    ends: list[int] = []
    thread = threading.Thread(
        target=lambda: ends.append(get(port, SEARCH.format(milliseconds)).status)
    )
    thread.start()
    return thread, ends


def test_a_call_in_progress_is_answered_before_the_end(tmp_path: Path) -> None:
    with served(tmp_path, 10) as server:
        thread, ends = _answers(server.port, 2000)
        until((tmp_path / "started").exists)
        assert get(server.port, "/").status == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        thread.join()
        assert ends == [200]


def test_a_call_that_takes_too_long_is_cut(tmp_path: Path) -> None:
    with served(tmp_path, 0.5) as server:
        thread = threading.Thread(
            target=raw,
            args=(
                server.port,
                f"GET {SEARCH.format(9000)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
            ),
        )
        thread.start()
        until((tmp_path / "started").exists)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert time.monotonic() - begun < 9
        thread.join()


def test_until_it_is_ready_callers_are_told_to_come_back() -> None:
    with running(SlowOracle(), SETTINGS) as server:
        port = _port(server)
        assert (get(port, "/readyz").status, get(port, "/readyz").text) == (200, "ready\n")
        server.admission.is_open = False
        assert (get(port, "/readyz").status, get(port, "/readyz").text) == (503, "not ready\n")
        assert get(port, "/healthz").text == "alive\n"
        reply = post(port, "GetOutcome", b"{}")
        assert reply.status == 503
        assert reply.headers["retry-after"] == "1"
        assert get(port, "/v1/games").status == 503
        assert get(port, "/").status == 200


def test_idle_connections_do_not_hold_up_the_end() -> None:
    with running(PricedOracle(), replace(SETTINGS, drain_seconds=2 * PATIENCE)) as server:
        thread = threading.Thread(
            target=raw,
            args=(_port(server), b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            kwargs={"seconds": 2 * PATIENCE},
        )
        thread.start()
        time.sleep(0.3)
        begun = time.monotonic()
    thread.join()
    assert time.monotonic() - begun < PATIENCE


def _port(server: Server) -> int:
    assert server.web_port is not None
    return server.web_port


def test_workers_share_the_port() -> None:
    """If one process stops, the others still answer."""
    shared = replace(SETTINGS, workers=2)
    with running(PricedOracle(), shared) as first:
        port = _port(first)
        with running(PricedOracle(), replace(shared, web=f"127.0.0.1:{port}")) as second:
            assert _port(second) == port
            assert {get(port, "/v1/games").status for _ in range(20)} == {200}
        assert {get(port, "/v1/games").status for _ in range(20)} == {200}
