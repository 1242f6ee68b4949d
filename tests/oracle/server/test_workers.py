"""Several processes on one port: each may die, all get signals, and no call is lost."""

import asyncio
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest

from position_oracle import OracleClient
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.server import supervisor
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.server.supervisor import Workers, _port_of
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clock import PATIENCE, until
from tests.oracle.server.doubles import SERVICE, raw_call
from tests.oracle.server.restarts import OK, Ask, crowd
from tests.oracle.server.words import QUESTION, ROOT, Words, number, serving_words

WORKERS = 3
LOCAL = ("grpc.use_local_subchannel_pool", 1)


@contextmanager
def over_new_connections(port: int) -> Iterator[Ask]:
    """A caller with a new connection for each call. The kernel chooses the worker."""

    def ask() -> str:
        try:
            raw_call(port, "GetOutcome", QUESTION.SerializeToString())
        except grpc.RpcError as error:
            return str(error.code().name)
        return OK

    yield ask


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Words]:
    with serving_words(tmp_path_factory.mktemp("words"), workers=WORKERS) as served:
        yield served


def pids(words: Words) -> set[int]:
    """Return the processes that answer. The kernel chooses one for each connection."""
    found: set[int] = set()
    for _ in range(400):
        found.add(words.asked()[1])
        if len(found) == WORKERS:
            break
    return found


def test_all_workers_answer_on_one_port(words: Words) -> None:
    assert len(pids(words)) == WORKERS
    assert words.process.pid not in pids(words)
    assert words.page("/readyz") == (200, f"{WORKERS} of {WORKERS} workers are ready\n")


def test_one_page_shows_the_metrics_of_all_workers(words: Words) -> None:
    until(lambda: number(words.page("/metrics")[1], "position_oracle_ready") == WORKERS)
    answered = dict.fromkeys(pids(words), 0)
    name = "position_oracle_call_seconds_count"
    before = number(words.page("/metrics")[1], name, method="GetOutcome", code="OK")
    for _ in range(30):
        answered[words.asked()[1]] += 1
    assert sum(count > 0 for count in answered.values()) > 1
    after = number(words.page("/metrics")[1], name, method="GetOutcome", code="OK")
    assert after == before + 30
    until(lambda: number(words.page("/metrics")[1], "position_oracle_ready") == WORKERS)


def test_sighup_reaches_all_workers(words: Words) -> None:
    words.publish("second")
    words.process.send_signal(signal.SIGHUP)
    until(lambda: {words.asked()[0] for _ in range(20)} == {"second"})
    text = words.page("/metrics")[1]
    assert number(text, "position_oracle_reloads_total", result="loaded") == WORKERS


def test_a_killed_worker_is_replaced_while_the_others_answer(words: Words) -> None:
    def restarts() -> float:
        return number(words.page("/metrics")[1], "position_oracle_worker_restarts_total")

    before, earlier = pids(words), restarts()
    victim = min(before)
    with crowd(words.port, 2, over_new_connections) as ends:
        os.kill(victim, signal.SIGKILL)
        until(lambda: restarts() == earlier + 1)
        until(lambda: words.page("/readyz")[1].startswith(f"{WORKERS} of"))
    # Connections of the killed worker may break, also those that it had not accepted yet. Clients
    # retry these calls.
    assert set(ends) <= {OK, "UNAVAILABLE"}
    assert ends["UNAVAILABLE"] < ends[OK]
    until(lambda: len(pids(words)) == WORKERS)
    assert victim not in pids(words)
    assert before - {victim} < pids(words)


def test_a_worker_that_is_not_ready_is_asked_nothing(tmp_path: Path) -> None:
    with serving_words(tmp_path, workers=2) as words:
        words.publish("cold")
        words.process.send_signal(signal.SIGHUP)
        until(lambda: {words.asked()[0] for _ in range(20)} == {"cold"})
        before, warm = pids(words), words.place / "warm"
        until(warm.exists)
        warm.unlink()
        os.kill(min(before), signal.SIGKILL)
        until(lambda: words.page("/readyz")[1].startswith("1 of"))
        while True:
            asked = words.asked()[1]
            if warm.exists():
                break
            assert asked == max(before)  # no caller is told to come back later
            time.sleep(0.05)
        until(lambda: len(pids(words)) == 2)


def test_quotas_are_those_of_all_workers_together(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"secret").hexdigest()
    tokens = tmp_path / "callers"
    tokens.write_text(f"# callers\nbob {'0' * 64} 9 9\nalice {digest} 12 1\n")
    metadata = (("authorization", "Bearer secret"),)
    with serving_words(tmp_path, workers=3, tokens=tokens) as words:
        answered, codes, begun = set(), [], time.monotonic()
        for _ in range(24):
            with grpc.insecure_channel(f"127.0.0.1:{words.port}", (LOCAL,)) as channel:
                call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                    f"/{SERVICE}/GetOutcome"
                )
                try:
                    answer = call(QUESTION.SerializeToString(), metadata=metadata, timeout=PATIENCE)
                    answered.add(pb.GetOutcomeResponse.FromString(answer).answer.reason)
                except grpc.RpcError as error:
                    codes.append(error.code())
        assert len(answered) > 1  # several workers answered
        assert set(codes) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        come_back = (time.monotonic() - begun) / 5  # a minute allows 12 calls
        assert 12 <= 24 - len(codes) <= 13 + come_back


def test_the_client_does_not_notice_that_a_worker_is_killed(words: Words) -> None:
    with OracleClient(f"127.0.0.1:{words.port}") as client:
        for _ in range(3):
            answerer = int(client.outcome("chomp3:[1,2,3]").reason.rsplit(" ", 1)[1])
            os.kill(answerer, signal.SIGKILL)
            assert client.outcome("chomp3:[1,2,3]").reason
            until(lambda: words.page("/readyz")[1].startswith(f"{WORKERS} of"))


def test_another_server_on_the_same_port_fails_at_once(words: Words) -> None:
    command = [sys.executable, "-m", "position_oracle", "serve", "--workers", "2"]
    where = ["--address", f"127.0.0.1:{words.port}", "--db", str(words.place / "first")]
    found = subprocess.run([*command, *where], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert f"cannot listen on 127.0.0.1:{words.port}" in found.stderr
    assert found.stderr.count("\n") == 1


def test_a_port_that_somebody_shares_is_not_free() -> None:
    with _port_of("127.0.0.1:0") as address:
        port = int(address.rpartition(":")[2])
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
        with pytest.raises(OSError, match="cannot listen on"), _port_of(address):
            pass
    with _port_of(address):
        pass


@pytest.mark.parametrize("is_typed", [False, True])
def test_all_workers_drain_at_a_signal(tmp_path: Path, is_typed: bool) -> None:
    """The supervisor gets SIGTERM, or Ctrl-C at a terminal goes to the whole process group."""
    with serving_words(tmp_path, workers=2) as words:
        workers = pids(words)
        answers: list[int] = []

        def ask() -> None:
            with OracleClient(f"127.0.0.1:{words.port}") as client:
                answers.extend(client.outcomes("chomp3", [[1, 2, 3]]))  # takes half a second

        asker = threading.Thread(target=ask)
        asker.start()
        until((tmp_path / "started").exists)
        if is_typed:
            os.killpg(words.process.pid, signal.SIGINT)
        else:
            words.process.terminate()
        assert words.process.wait(PATIENCE) == 0
        asker.join()
        assert answers == [2]
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
        assert words.page("/healthz")[0] == 0


def test_workers_stop_when_their_supervisor_dies(tmp_path: Path) -> None:
    with serving_words(tmp_path, workers=2) as words:
        workers = pids(words)
        words.process.kill()
        words.process.wait(PATIENCE)
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


@pytest.mark.parametrize(
    "flags",
    [
        ["--address", "unix:/tmp/oracle.sock"],
        ["--tls-cert", "/none", "--tls-key", "/none"],
        ["--tokens", "/none"],
    ],
)
def test_settings_that_no_worker_can_use_are_one_line(
    flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tables.duckdb").write_text("")
    place = ["--db", str(tmp_path / "tables.duckdb"), "--address", "127.0.0.1:0"]
    assert run(["serve", "--workers", "2", *place, *flags]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_tables_no_worker_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", "--workers", "2", "--db", str(tmp_path), "--address", "127.0.0.1:0"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_first_worker_that_cannot_start_ends_all(tmp_path: Path) -> None:
    (tmp_path / "tables.duckdb").write_text("no tables")
    command = [sys.executable, "-m", "position_oracle", "serve", "--workers", "2"]
    where = ["--db", str(tmp_path / "tables.duckdb"), "--address", "127.0.0.1:0"]
    found = subprocess.run([*command, *where], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "oracle: the first worker ended before it was ready" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "code"), [("time.sleep(60)", -signal.SIGKILL), ("while True: pass", None)]
)
def test_a_silent_worker_is_killed_unless_it_computes(work: str, code: int | None) -> None:
    async def ended() -> int | None:
        workers = Workers(ServerSettings(), ServerSettings, None, ())
        command = (sys.executable, "-c", f"import time\n{work}")
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
        try:
            async with asyncio.timeout(9.0):
                return await workers._end_of(0, process)
        except TimeoutError:
            return None
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    assert asyncio.run(ended()) == code


def test_the_documents_say_how_long_a_worker_may_be_silent() -> None:
    text = (ROOT / "docs" / "operation.md").read_text()
    idle, busy = (
        supervisor._SILENT_SECONDS * silences
        for silences in (supervisor._SILENCES, supervisor._BUSY_SILENCES)
    )
    assert f"no sign of life for {idle:.0f} s. The limit is {busy:.0f} s for a worker" in text
