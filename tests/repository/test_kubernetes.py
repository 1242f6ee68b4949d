"""The result of `kubectl apply -k deploy` is valid and agrees with the program."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from position_oracle.oracle.cli.main import app
from position_oracle.oracle.server.auth import Accounts
from position_oracle.oracle.server.settings import read_settings
from tests.clock import until
from tests.oracle.server.words import free_port, page

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
OLDEST = "1.30"
"""The first version with all features in use (a pause as preStop)."""

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")


@pytest.fixture(scope="module")
def made() -> list[dict[str, Any]]:
    command = ["kubectl", "kustomize", str(DEPLOY)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(yaml.safe_load_all(text))


def one(made: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = [
        each
        for each in made
        if each["kind"] == kind and re.fullmatch(rf"{name}(-\w{{10}})?", each["metadata"]["name"])
    ]
    return found


def pods(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each["spec"]["template"]["spec"] for each in made if "template" in each.get("spec", {})]


def containers(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        container
        for pod in pods(made)
        for container in (*pod.get("initContainers", []), *pod["containers"])
    ]


@pytest.mark.parametrize("version", [OLDEST, "1.34"])
def test_the_schemas_of_kubernetes_accept_it(made: list[dict[str, Any]], version: str) -> None:
    validate = pytest.importorskip("kubernetes_validate").validate
    for each in made:
        validate(each, version, strict=True)
    kinds = {each["kind"] for each in made}
    assert {"Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"} <= kinds
    assert {"Job", "ConfigMap", "Secret"} <= kinds


def test_the_schemas_refuse_what_is_wrong(made: list[dict[str, Any]]) -> None:
    checker = pytest.importorskip("kubernetes_validate")
    wrong = one(made, "Deployment", "position-oracle")
    wrong = {**wrong, "spec": {**wrong["spec"], "replica": 3}}
    with pytest.raises(checker.ValidationError):
        checker.validate(wrong, "1.34", strict=True)


def test_selectors_probes_and_ports_fit(made: list[dict[str, Any]]) -> None:
    deployment = one(made, "Deployment", "position-oracle")["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    for kind in ("Service", "PodDisruptionBudget"):
        name = "service" if kind == "Service" else "position-oracle"
        selector = one(made, kind, name)["spec"]["selector"]
        assert (selector.get("matchLabels") or selector).items() <= labels.items()
    target = one(made, "HorizontalPodAutoscaler", "position-oracle")["spec"]["scaleTargetRef"]
    assert target["name"] == one(made, "Deployment", "position-oracle")["metadata"]["name"]
    (oracle,) = deployment["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in oracle["ports"]}
    assert one(made, "Service", "service")["spec"]["clusterIP"] == "None"
    probes = {
        name: oracle[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")
    }
    assert {probe["port"] for probe in probes.values()} <= set(ports)
    assert probes["liveness"]["path"] == "/healthz"
    assert probes["readiness"]["path"] == probes["startup"]["path"] == "/readyz"
    envoy = (DEPLOY / "envoy.yaml").read_text()
    assert "address: service\n" in envoy
    assert {f"port_value: {ports[name]}" for name in ("grpc", "web")} <= set(
        re.findall(r"port_value: \d+", envoy)
    )


def test_the_settings_are_settings_and_leave_time_to_drain(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(one(made, "ConfigMap", "settings")["data"]["settings.toml"])
    settings = read_settings({}, file)
    pod = one(made, "Deployment", "position-oracle")["spec"]["template"]["spec"]
    (oracle,) = pod["containers"]
    assert (
        pod["terminationGracePeriodSeconds"] > settings.notice_seconds + settings.drain_seconds + 5
    )
    ports = {port["name"]: port["containerPort"] for port in oracle["ports"]}
    for name, address in (
        ("grpc", settings.address),
        ("web", settings.web),
        ("metrics", settings.metrics),
    ):
        assert address == f"0.0.0.0:{ports[name]}"
    mounts = {mount["mountPath"]: mount["name"] for mount in oracle["volumeMounts"]}
    assert mounts[str(settings.tokens and settings.tokens.parent)] == "callers"
    assert str(settings.db) in mounts
    assert f"{settings.workers}" == oracle["resources"]["limits"]["cpu"]
    assert Accounts.read(DEPLOY / "kubernetes/callers").by_hash


def test_every_command_exists_with_its_flags(made: list[dict[str, Any]]) -> None:
    lines = [shlex.split(line) for line in commands(made)]
    assert {line[0] for line in lines} == {"serve", "build", "tables"}
    for words in lines:
        command = COMMANDS[words[0]]
        if words[0] == "tables":
            command = command.commands[words[1]]
        known = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known


def commands(made: list[dict[str, Any]]) -> list[str]:
    """Return the arguments of `oracle` in each of our containers."""
    found = []
    for container in containers(made):
        if "position-oracle:" not in container["image"]:
            continue
        script = " ".join(container.get("command", []))
        if "oracle " in script:
            found.append(re.sub(r"\$\{\w+:\+(.+?)\}", r"\1", script.partition("oracle ")[2]))
        elif "args" in container:
            found.append(shlex.join(container["args"]))
    return found


def test_pods_have_no_privileges_and_bounded_resources(made: list[dict[str, Any]]) -> None:
    for pod in pods(made):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["automountServiceAccountToken"] is False
    for container in containers(made):
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"]
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= set(container["resources"]["limits"])
        assert re.search(r":v?\d+\.\d+\.\d+$", container["image"])


def test_every_volume_and_reference_is_there(made: list[dict[str, Any]]) -> None:
    names = {(each["kind"], each["metadata"]["name"]) for each in made}
    for pod in pods(made):
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in (*pod.get("initContainers", []), *pod["containers"]):
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
            for source in container.get("envFrom", []):
                ((kind, reference),) = source.items()
                assert (kind[0].upper() + kind[1:-3], reference["name"]) in names
        for volume in pod["volumes"]:
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in names
            if "secret" in volume:
                assert ("Secret", volume["secret"]["secretName"]) in names


@pytest.mark.slow
def test_a_pod_as_a_process(made: list[dict[str, Any]], store: Path, tmp_path: Path) -> None:
    """The pod has its arguments and settings with other ports, its probes, and its grace period."""
    pod = one(made, "Deployment", "position-oracle")["spec"]["template"]["spec"]
    (oracle,) = pod["containers"]
    file, ports = tmp_path / "settings.toml", {}
    text = one(made, "ConfigMap", "settings")["data"]["settings.toml"]
    for port in oracle["ports"]:
        ports[port["name"]] = free_port()
        text = text.replace(f"0.0.0.0:{port['containerPort']}", f"127.0.0.1:{ports[port['name']]}")
    text = text.replace("/data", str(store))
    file.write_text(text.replace("/etc/position-oracle/callers", str(DEPLOY / "kubernetes")))
    arguments = [str(file) if "/etc/" in each else each for each in oracle["args"]]

    def passes(name: str) -> bool:
        probe = oracle[f"{name}Probe"]["httpGet"]
        return page(ports[probe["port"]], probe["path"])[0] == 200

    command = [sys.executable, "-m", "position_oracle", *arguments]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            startup = oracle["startupProbe"]
            until(lambda: passes("startup"), startup["periodSeconds"] * startup["failureThreshold"])
            assert passes("readiness")
            assert passes("liveness")
            process.send_signal(signal.SIGTERM)
            until(lambda: not passes("readiness"))
            assert passes("liveness")
            assert process.wait(pod["terminationGracePeriodSeconds"]) == 0
        finally:
            process.kill()
