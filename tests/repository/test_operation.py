"""The page on operation, with its commands: backup, restore, upgrade, tokens."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
import yaml

from position_oracle.oracle.cli.main import app, run
from position_oracle.oracle.server.auth import Accounts
from position_oracle.oracle.server.metrics import Metrics
from position_oracle.oracle.shipping import file_digest
from position_oracle.schema import migrations, tables
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.store import Store

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operation.md").read_text()
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
ALERTS = (ROOT / "deploy/alerts.yml").read_text()


def block(section: str, number: int = 0) -> str:
    """Return a block of shell lines in a section of the page."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return str(re.findall(r"^ *```sh\n(.*?)^ *```", text, re.M | re.S)[number])


@pytest.fixture
def follow(tmp_path: Path, store: Path) -> "Follow":
    place = tmp_path / "var/lib/position-oracle/data"
    place.parent.mkdir(parents=True)
    shutil.copytree(store, place)
    return Follow(tmp_path, place)


class Follow:
    """Runs lines of the page in a folder that takes the place of `/`."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root, self.data = root, data
        program = root / "bin/oracle"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m position_oracle "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def __call__(self, lines: str) -> str:
        for place in ("/var/lib", "/srv"):
            lines = lines.replace(place, f"{self.root}{place}")
        path = f"{self.root}/bin:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-eu", "-c", lines],
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def test_backup_and_restore(follow: Follow) -> None:
    with Snapshot.open(follow.data) as snapshot:
        before = snapshot.builds()
    said = follow(block("Backup and restore").replace("oracle verify", "oracle tables"))
    shutil.rmtree(follow.data)
    restored = follow(block("Backup and restore", 1))
    assert restored.splitlines()[1:] == said.splitlines()[1:]  # the first line names the place
    with Snapshot.open(follow.data) as snapshot:
        assert snapshot.builds() == before
    assert {path.name for path in (follow.root / "srv/backup").iterdir()} == {
        "CURRENT",
        Store.at(follow.data).require_current().name,
    }


def test_tables_go_from_one_machine_to_others_and_back(follow: Follow) -> None:
    digest = file_digest(Store.at(follow.data).require_current())
    shutil.copytree(follow.data, follow.root / "srv/build")
    setting = f"TABLES_URL=file://{follow.root}/bucket; DIGEST={digest}\n"
    section = "Tables for many machines"
    assert digest in follow(setting + block(section))
    with Store.at(follow.data).locked("a test"):
        draft = Store.at(follow.data).begin_draft()
        shutil.copy(Store.at(follow.data).require_current(), draft)
        with draft.open("ab") as file:
            file.write(bytes(1))
        later = Store.at(follow.data).publish(draft)
    assert digest in follow(setting + block(section, 1))
    assert Store.at(follow.data).require_current() != later


@pytest.mark.slow
def test_a_backup_is_verified(follow: Follow) -> None:
    said = follow(block("Backup and restore")) + follow(block("Upgrade", 1))
    assert "ok" in said
    assert "FAIL" not in said


def test_an_upgrade_keeps_all_builds(
    follow: Follow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert follow(block("Upgrade")).startswith(str(follow.data))  # the format has not changed
    with Snapshot.open(follow.data) as snapshot:
        before = [(build.game, build.kind, build.checksum) for build in snapshot.builds()]
    monkeypatch.setitem(migrations.MIGRATIONS, tables.FORMAT_VERSION, lambda _: None)
    monkeypatch.setattr(tables, "FORMAT_VERSION", tables.FORMAT_VERSION + 1)
    assert run(["tables", "--upgrade", "--db", str(follow.data)]) == 0
    assert f"format {tables.FORMAT_VERSION}," in capsys.readouterr().out
    with Snapshot.open(follow.data) as snapshot:
        after = [(build.game, build.kind, build.checksum) for build in snapshot.builds()]
    assert after == before


def test_the_line_of_a_token_is_one_that_the_service_reads(follow: Follow) -> None:
    token = follow(block("TLS, tokens, quotas") + 'printf %s "$token"')
    clients = Accounts.read(follow.root / "callers")
    assert clients.find([("authorization", f"Bearer {token}")]).name == "alice"


def test_the_page_explains_every_metric() -> None:
    for family in Metrics().registry.collect():
        assert f"{family.name.removeprefix('position_oracle_')}" in PAGE


def test_every_alert_has_its_section_and_the_other_way_round() -> None:
    rules = re.findall(r"alert: (\w+)\n.*?severity: (\w+)", ALERTS, re.S)
    sections = re.findall(r"^## (\w+)\n\n\*(\w+)\.\*", (ROOT / "docs/alerts.md").read_text(), re.M)
    assert sections == rules


def test_alerts_reach_a_receiver() -> None:
    routing = yaml.safe_load((ROOT / "deploy/alertmanager.yml").read_text())
    receivers = {receiver["name"] for receiver in routing["receivers"]}
    routes = [routing["route"], *routing["route"]["routes"]]
    assert {route["receiver"] for route in routes} == receivers
    assert "severity = page" in routes[1]["matchers"]
    config = yaml.safe_load((ROOT / "deploy/prometheus.yml").read_text())
    (target,) = config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert target.partition(":")[0] in services


def test_every_command_of_the_page_is_known_with_its_flags() -> None:
    """Other tests run the commands of shell blocks. Some need systemd, containers or root."""
    shown = re.findall(r"^ *```sh\n(.*?)^ *```|^ {4}(\S[^\n]*)$", PAGE, re.M | re.S)
    lines = "\n".join("".join(each) for each in shown).replace("\\\n", " ").splitlines()
    names = "|".join(COMMANDS)
    asked = [found for line in lines for found in re.findall(rf"oracle ((?:{names})\b.*)", line)]
    assert len(asked) >= 10
    for words in map(shlex.split, asked):
        command = COMMANDS[words[0]]
        if words[0] == "tables" and not words[1].startswith("-"):
            command = command.commands[words[1]]
        known = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, words


TESTED_IN = {
    r"sed ": "test_operation.py",
    r"oracle (serve|build|tables|verify)\b": "test_operation.py",  # its flags; most commands run
    r"oracle export ": "../schema/test_export.py",
    r"kubectl (kustomize|apply -k) deploy": "test_kubernetes.py",
    r"(envoy|prometheus) ": "../oracle/server/test_stack.py",
    r"cp deploy/alerts.yml": "test_operation.py",
    r"sbatch .*deploy/builds.sh|for i in .*deploy/builds.sh": "test_deployment.py",
    r"python -m bench workers": "test_bench.py",
    r"python -m tests.oracle.server.hostile.siege": "../oracle/server/hostile/siege.py",
    r"make image|scripts/image.sh": "test_image.py",
    r"install -m 644 deploy/": "test_deployment.py",  # checks the installed files
}
"""The tests that run the commands of the page outside shell blocks."""

NOT_RUN = {
    r"(\w+=\S+ )*docker (compose|load)": "needs Docker; docker-compose checks the files",
    r"apt-get install": "installs programs",
    r"export STORAGE_DRIVER|container=|buildah": "test_image.py runs it otherwise",
    r"kubectl rollout undo": "needs a cluster",
    r"useradd|install -d /etc|systemctl|systemd-run|journalctl": "needs systemd",
    r"python3 -m venv /opt|/opt/position-oracle/bin/pip": "installs packages over the network",
}
"""Commands of the page that run in no test, and why."""


def test_every_command_runs_in_a_test_or_has_a_reason() -> None:
    indented = re.findall(r"^ {4}(\S[^\n]*)$", re.sub(r"```.*?```", "", PAGE, flags=re.S), re.M)
    programs = (
        r"docker|kubectl|make|scripts|apt-get|systemctl|journalctl|sbatch|for|/opt|python|oracle"
    )
    inline = re.findall(rf"`((?:{programs})[ /][^`\n]+)`", PAGE)
    commands = [line for line in indented if not re.match(r"\w+ = ", line)] + inline
    commands = [line for line in commands if re.search(r"[ ]", line)]
    assert len(commands) > 30
    patterns = [*TESTED_IN, *NOT_RUN]
    unknown = [each for each in commands if not any(re.match(one, each) for one in patterns)]
    assert not unknown
    unused = [one for one in patterns if not any(re.match(one, each) for each in commands)]
    assert not unused
    assert all((Path(__file__).parent / file).exists() for file in TESTED_IN.values())


def test_every_block_for_the_shell_runs() -> None:
    sections = {
        part.partition("\n")[0]: len(re.findall(r"^ *```sh\n", part, re.M))
        for part in PAGE.split("\n## ")[1:]
    }
    run = Path(__file__).read_text()
    for section, count in sections.items():
        asked = {int(n or 0) for n in re.findall(rf'block\("{section}"(?:, (\d))?\)', run)}
        if section == "Tables for many machines":
            asked |= {int(n or 0) for n in re.findall(r"block\(section(?:, (\d))?\)", run)}
        assert asked == set(range(count)), section


def test_the_configurations_for_this_machine_are_what_the_page_makes(follow: Follow) -> None:
    shutil.copytree(ROOT / "deploy", follow.root / "deploy")
    commands = [line.strip() for line in PAGE.splitlines() if line.startswith("    sed ")]
    for command in commands:
        follow(command)
    assert "address: service" not in (follow.root / "envoy.yaml").read_text()
    assert "dns_sd_configs: [" not in (follow.root / "prometheus.local.yml").read_text()
    if shutil.which("promtool"):
        follow("cp deploy/alerts.yml . && promtool check config prometheus.local.yml")
