"""What is deployed says what the program has: compose file, image, locked dependencies."""

import re
import tomllib
from pathlib import Path

import typer.main
import yaml

from oracle.cli.main import app

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_every_command_in_the_compose_file_exists_with_its_flags() -> None:
    for name, service in COMPOSE["services"].items():
        command, *arguments = service["command"]
        flags = {flag for parameter in COMMANDS[command].params for flag in parameter.opts}
        used = {argument for argument in arguments if argument.startswith("--")}
        assert used <= flags, name


def test_the_service_waits_for_the_build_and_only_reads() -> None:
    service = COMPOSE["services"]["service"]
    assert service["depends_on"]["build"]["condition"] == "service_completed_successfully"
    assert service["volumes"] == ["tables:/data:ro"]
    assert COMPOSE["services"]["build"]["volumes"] == ["tables:/data"]


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
        if name[0] == project["name"]:  # another extra of ours
            continue
        assert name[0].lower() in locked, requirement
        assert "<" in requirement or name[0].startswith("types-"), requirement


def test_the_lock_names_no_registry() -> None:
    assert "://" not in (ROOT / "requirements.lock").read_text()
