"""The programs of the compose file, started without containers: Envoy and Prometheus."""

import json
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.oracle.server.words import free_port, page

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
ENVOY = shutil.which("envoy") or shutil.which("envoy", path=str(Path(sys.executable).parent))
PROMETHEUS = shutil.which("prometheus")
DASHBOARD = json.loads((DEPLOY / "grafana/dashboards/position-oracle.json").read_text())


@dataclass(frozen=True)
class Balancer:
    """A running Envoy.

    Attributes:
        port: its port for callers.
        numbers: its port for Prometheus.
    """

    port: int
    numbers: int

    def healthy(self) -> int:
        """Return how many replicas answer over gRPC, and how many over HTTP, in all."""
        status, text = page(self.numbers, "/metrics")
        name = r'envoy_cluster_membership_healthy\{envoy_cluster_name="(?:grpc|web)"\}'
        found = re.findall(rf"^{name} (\d+)$", text, re.M)
        return sum(map(int, found)) if status == 200 else -1


@contextmanager
def envoy(
    place: Path,
    grpc_ports: list[int],
    web_ports: list[int],
    pages: list[int],
    healthy: int | None = None,
) -> Iterator[Balancer]:
    """Envoy as in the compose file, before servers on this machine.

    Args:
        place: a folder for its configuration.
        grpc_ports: gRPC ports of the replicas.
        web_ports: HTTP ports of the replicas.
        pages: ports of the replicas for probes.
        healthy: the number of replicas that answer; None for all.
    """
    import yaml

    assert ENVOY is not None
    config = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())
    resources = config["static_resources"]
    clusters = {cluster["name"]: cluster for cluster in resources["clusters"]}
    ports = {"callers": free_port(), "numbers": free_port(), "admin": free_port()}

    def endpoint(port: int, probe: int | None) -> dict[str, Any]:
        where = {"socket_address": {"address": "127.0.0.1", "port_value": port}}
        found: dict[str, Any] = {"address": where}
        if probe is not None:
            found["health_check_config"] = {"port_value": probe}
        return {"endpoint": found}

    def put(name: str, endpoints: list[dict[str, Any]]) -> None:
        clusters[name]["load_assignment"]["endpoints"] = [{"lb_endpoints": endpoints}]
        if healthy is not None:  # places without a server are never asked
            clusters[name]["common_lb_config"] = {"healthy_panic_threshold": {"value": 0}}

    put("grpc", [endpoint(port, None) for port in grpc_ports])
    put("web", [endpoint(port, probe) for port, probe in zip(web_ports, pages, strict=True)])
    put("admin", [endpoint(ports["admin"], None)])
    config["admin"]["address"]["socket_address"]["port_value"] = ports["admin"]
    for listener in resources["listeners"]:
        where = listener["address"]["socket_address"]
        where.update(address="127.0.0.1", port_value=ports[listener["name"]])
    file = place / "envoy.json"
    file.write_text(json.dumps(config))
    command = [ENVOY, "-c", str(file), "--use-dynamic-base-id", "--concurrency", "1"]
    log = (place / "envoy.log").open("w")
    with (
        log,
        subprocess.Popen([*command, "--log-level", "warn"], stdout=log, stderr=log) as process,
    ):
        try:
            until(lambda: page(ports["admin"], "/ready")[0] == 200, process)
            wanted = len(grpc_ports) + len(web_ports) if healthy is None else healthy
            balancer = Balancer(ports["callers"], ports["numbers"])
            until(lambda: balancer.healthy() == wanted, process)
            yield balancer
        finally:
            process.kill()


@contextmanager
def prometheus(place: Path, targets: list[str]) -> Iterator[int]:
    """Prometheus as in the compose file, with a reading each second. Yields its port."""
    import yaml

    assert PROMETHEUS is not None
    config = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["scrape_configs"] = [
        {"job_name": "position-oracle", "static_configs": [{"targets": targets}]}
    ]
    shutil.copy(DEPLOY / "alerts.yml", place)
    (place / "prometheus.yml").write_text(yaml.safe_dump(config))
    port = free_port()
    command = [
        PROMETHEUS,
        f"--config.file={place / 'prometheus.yml'}",
        f"--storage.tsdb.path={place / 'numbers'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    log = (place / "prometheus.log").open("w")
    with log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            until(lambda: page(port, "/-/ready")[0] == 200, process)
            yield port
        finally:
            process.kill()


def until(
    holds: Callable[[], bool], process: "subprocess.Popen[Any]", seconds: float = 60.0
) -> None:
    """Wait until a condition holds, and fail if a process ends before."""
    end = time.monotonic() + seconds
    while not holds():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)


def asked(port: int, path: str, **parameters: str) -> Any:
    """Return the answer of Prometheus to a query over its HTTP API."""
    status, text = page(port, f"{path}?{urllib.parse.urlencode(parameters)}")
    assert status == 200, text
    answer = json.loads(text)
    assert answer["status"] == "success"
    return answer["data"]


def queries(interval: str) -> list[tuple[str, str]]:
    """Return title and query of each panel of the dashboard, with rates over an interval."""
    return [
        (panel["title"], target["expr"].replace("$__rate_interval", interval).replace("1h", "5m"))
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    ]
