"""A server from start to end: health, reflection, address, new tables, a drain without loss."""

import asyncio
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.server import LIVENESS, Server, server_options
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game, Position
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import SERVICE, SlowOracle, raw_call
from tests.serving import running_server

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
QUESTION = pb.GetOutcomeRequest(position=Position(text="chomp3:[1,2,3]"))
BATCH = pb.BatchGetOutcomesRequest(
    positions=pb.PackedPositions(game=Game(text="chomp3"), width=3, coordinates=bytes(12))
)
ROOT = Path(__file__).parents[3]

# A server in its own process. The table file holds one word, the reason of every answer.
PROGRAM = """
import asyncio, logging, sys
import numpy as np
from pathlib import Path
from dataclasses import replace
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.process import serve_source
from position_oracle.oracle.server.process import OracleSource
from tests.oracle.server.doubles import SlowOracle

class WordOracle(SlowOracle):
    def __init__(self, path):
        super().__init__(float(sys.argv[2]))
        self.word = path.read_text()
        if self.word == "damaged":
            raise OSError("the file is damaged")

    def _work(self):
        (place / "started").touch()
        super()._work()

    def outcome(self, position):
        if self.word == "vast":
            np.empty(64 << 30, np.uint8)
        return replace(super().outcome(position), reason=self.word)

place = Path(sys.argv[1])
logging.basicConfig(level=logging.INFO)
source = OracleSource(lambda: place / (place / "current").read_text(), WordOracle)
settings = ServerSettings(
    address="127.0.0.1:0",
    reload_seconds=float(sys.argv[3]),
    notice_seconds=float(sys.argv[4]),
    drain_seconds=float(sys.argv[5]),
)
asyncio.run(serve_source(source, settings, lambda line: print(line, flush=True)))
"""


@dataclass
class Served:
    """A server process, and the folder with its table file."""

    process: "subprocess.Popen[str]"
    port: int
    place: Path

    def publish(self, word: str) -> None:
        (self.place / word).write_text(word)
        (self.place / "next").write_text(word)
        (self.place / "next").replace(self.place / "current")

    def reason(self) -> str:
        answer = raw_call(self.port, "GetOutcome", QUESTION.SerializeToString())
        return pb.GetOutcomeResponse.FromString(answer).answer.reason

    def logged(self, word: str) -> str:
        """Return the log up to a line that contains a word."""
        assert self.process.stderr is not None
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if word in line:
                return "".join(lines)
        raise AssertionError("".join(lines))


@contextmanager
def served(
    place: Path,
    *,
    batch_seconds: float = 0,
    reload_seconds: float = 0,
    notice_seconds: float = 0,
    drain_seconds: float = 10,
) -> Iterator[Served]:
    for name in ("first", "current"):
        (place / name).write_text("first")
    numbers = map(str, (batch_seconds, reload_seconds, notice_seconds, drain_seconds))
    command = [sys.executable, "-c", PROGRAM, str(place), *numbers]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            ready = re.fullmatch(
                r"oracle: serving \d tables? of .*first on 127.0.0.1:(\d+)\n", line
            )
            assert ready, line
            yield Served(process, int(ready[1]), place)
        finally:
            process.kill()


def health_stub(channel: grpc.Channel) -> Any:
    return health_pb2_grpc.HealthStub(channel)


@pytest.mark.parametrize("service", ["", SERVICE])
def test_health_says_serving(port: int, service: str) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        request = health_pb2.HealthCheckRequest(service=service)
        assert health_stub(channel).Check(request, timeout=PATIENCE).status == SERVING


def test_reflection_shows_the_contract(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        assert {SERVICE, "grpc.health.v1.Health"} <= set(database.get_services())
        file = database.FindFileContainingSymbol(SERVICE)
    assert file.name == "position_oracle/v1/service.proto"
    assert [method.name for method in file.service[0].method] == [
        method.name for method in pb.DESCRIPTOR.services_by_name["PositionOracle"].methods
    ]


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "no.such.host.invalid:0"])
def test_an_address_that_cannot_be_listened_on(port: int, address: str) -> None:
    settings = ServerSettings(address=address.format(port=port), insecure=True)
    with (
        pytest.raises(OSError, match="cannot listen on"),
        running_server(SlowOracle(), settings),
    ):
        pass


def test_settings_in_seconds_are_milliseconds_to_the_transport() -> None:
    settings = ServerSettings(arrival_seconds=7, idle_seconds=90, age_seconds=1800)
    options = dict(server_options(settings))
    assert options["grpc.server_handshake_timeout_ms"] == 7_000
    assert options["grpc.max_connection_idle_ms"] == 90_000
    assert options["grpc.max_connection_age_ms"] == 1_800_000


def test_the_server_asks_for_the_oracle_at_every_call() -> None:
    oracles = [SlowOracle()]
    with running_server(lambda: oracles[-1]) as port:
        raw_call(port, "BatchGetOutcomes", BATCH.SerializeToString())
        oracles.append(SlowOracle())
        raw_call(port, "BatchGetOutcomes", BATCH.SerializeToString())
    assert [oracle.asked for oracle in oracles] == [1, 1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_calls_in_progress(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path, batch_seconds=0.5) as server, ThreadPoolExecutor(1) as threads:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            watch = health_stub(channel).Watch(health_pb2.HealthCheckRequest())
            assert next(watch).status == SERVING
            batch = threads.submit(
                raw_call, server.port, "BatchGetOutcomes", BATCH.SerializeToString()
            )
            until((tmp_path / "started").exists)
            server.process.send_signal(number)
            assert next(watch).status == NOT_SERVING
            assert pb.BatchGetOutcomesResponse.FromString(batch.result()).outcomes == b"\x02"
        assert server.process.wait(PATIENCE) == 0


def test_a_signal_ends_the_process_within_its_drain_whatever_threads_do(tmp_path: Path) -> None:
    with (
        served(tmp_path, batch_seconds=60, drain_seconds=0.3) as server,
        ThreadPoolExecutor(2) as threads,
    ):
        message = BATCH.SerializeToString()
        calls = [
            threads.submit(raw_call, server.port, "BatchGetOutcomes", message) for _ in range(2)
        ]
        until((tmp_path / "started").exists)
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
        for call in calls:
            error = call.exception()
            assert isinstance(error, grpc.RpcError)
            assert error.code() is grpc.StatusCode.UNAVAILABLE
            assert error.details() == "the server is stopping; retry in 1 s"
            assert "google.rpc.retryinfo" in str(error.trailing_metadata()).lower()


def test_the_server_reports_serving_when_it_is_ready() -> None:
    async def test() -> None:
        server = Server(SlowOracle, ServerSettings(address="127.0.0.1:0"))
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                f"/{SERVICE}/GetOutcome"
            )

            async def health(name: str) -> int:
                found = await stub.Check(
                    health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE
                )
                return int(found.status)

            assert [await health(name) for name in ("", SERVICE)] == [NOT_SERVING] * 2
            assert await health("readiness") == NOT_SERVING
            assert await health(LIVENESS) == SERVING
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(QUESTION.SerializeToString(), timeout=PATIENCE)
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
            assert "starting" in (caught.value.details() or "")
            server.be_ready()
            names = ("", SERVICE, "readiness", LIVENESS)
            assert [await health(name) for name in names] == [SERVING] * 4
            assert await call(QUESTION.SerializeToString(), timeout=PATIENCE)
        await server.stop()

    asyncio.run(test())


def test_calls_are_answered_while_the_load_balancer_is_given_notice(tmp_path: Path) -> None:
    with served(tmp_path, notice_seconds=1) as server:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            watch = health_stub(channel).Watch(health_pb2.HealthCheckRequest())
            assert next(watch).status == SERVING
            server.process.terminate()
            assert next(watch).status == NOT_SERVING
            alive = health_pb2.HealthCheckRequest(service=LIVENESS)
            assert health_stub(channel).Check(alive, timeout=PATIENCE).status == SERVING
            assert server.reason() == "first"
        assert server.process.wait(PATIENCE) == 0


def test_hangup_takes_up_new_tables_and_keeps_the_old_where_they_are_damaged(
    tmp_path: Path,
) -> None:
    with served(tmp_path) as server:
        assert server.reason() == "first"
        server.publish("second")
        assert server.reason() == "first"
        server.process.send_signal(signal.SIGHUP)
        server.logged("now serving")
        assert server.reason() == "second"
        server.publish("damaged")
        server.process.send_signal(signal.SIGHUP)
        assert "the file is damaged" in server.logged("damaged\n")
        assert server.reason() == "second"


def test_a_question_that_takes_more_memory_than_was_foreseen_ends_alone(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        for word in ("vast", "second"):
            server.publish(word)
            server.process.send_signal(signal.SIGHUP)
            server.logged("now serving")
            limits = Path(f"/proc/{server.process.pid}/limits").read_text()
            bound = int(re.search(r"Max data size +(\d+)", limits)[1])  # type: ignore[index]
            assert bound < 32 << 30
            if word == "vast":
                with pytest.raises(grpc.RpcError) as caught:
                    server.reason()
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert server.reason() == "second"


def test_memory_is_bounded_whatever_a_question_may_take() -> None:
    program = (
        "import resource;"
        "from position_oracle.engine.machine import limit_memory, memory_limit;"
        "most = memory_limit();"
        "[limit_memory(2**60, 2) for _ in range(3)];"
        "print(most // 2 - resource.getrlimit(resource.RLIMIT_DATA)[0])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stdout) == 0


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_no_call_fails_while_tables_are_exchanged(tmp_path: Path, count: int) -> None:
    with served(tmp_path) as server, ThreadPoolExecutor(2) as threads:
        done = threading.Event()

        def ask() -> set[str]:
            reasons = set()
            while not done.is_set():
                reasons.add(server.reason())
            return reasons

        callers = [threads.submit(ask) for _ in range(2)]
        for number in range(count):
            server.publish(f"word {number}")
            server.process.send_signal(signal.SIGHUP)
            server.logged("now serving")
        done.set()
        expected = {"first", *(f"word {number}" for number in range(count))}
        for caller in callers:
            assert len(caller.result()) > 1
            assert caller.result() <= expected
        assert server.reason() == f"word {count - 1}"


def test_new_tables_are_found_by_looking_now_and_then(tmp_path: Path) -> None:
    with served(tmp_path, reload_seconds=0.05) as server:
        server.publish("second")
        server.logged("now serving")
        assert server.reason() == "second"
