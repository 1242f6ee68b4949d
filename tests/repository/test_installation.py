"""The package installed as wheel, source archive and editable, beside packages of similar names."""

import os
import re
import shlex
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import position_oracle
from position_oracle.oracle.core import Oracle
from scripts.release import check, members
from tests.repository.environments import ROOT, Environment, built, run, uv
from tests.serving import running_server

pytestmark = pytest.mark.slow

THEIRS = ("schema==0.7.8", "clients==1.6")
ASK = """
import sys
from position_oracle import OracleClient, bots, rules
with OracleClient(sys.argv[1], timeout=60) as oracle:
    print(oracle.best_move("nim:[3,5,7]").action)
    print(oracle.outcomes("nim", [[1, 2], [3, 3]]).tolist())
    print(rules.play("nim:[3,5]", bots.PerfectBot(oracle).choose("nim:[3,5]")))
"""
ANSWERS = "take 1 from heap 1\n[2, 1]\nnim:[3,3]\n"
USE_THEIRS = "import clients, schema; print(schema.Schema(int).validate(3), clients.__file__)"


# The arguments of `pip install`, up to the end of a Markdown cell, comment or code span.
COMMAND = re.compile(r"\bpip install ([^`|\n#]+)")


def install_commands() -> dict[str, list[str]]:
    """Return the arguments of each `pip install` in the documents, by document and command."""
    documents = [ROOT / "README.md", ROOT / "position_oracle/README.md"]
    texts = {file.name: file.read_text() for file in [*documents, *(ROOT / "docs").glob("*.md")]}
    return {
        f"{name}: {found.strip()}": shlex.split(found)
        for name, text in sorted(texts.items())
        for found in COMMAND.findall(text)
    }


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server(Oracle()) as port:
        yield f"127.0.0.1:{port}"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with modules named like the rooms, none of which may be imported."""
    place = tmp_path_factory.mktemp("crowded")
    for name in ("engine", "clients"):
        (place / name).mkdir()
    for name in ("engine/__init__.py", "schema.py", "oracle.py", "clients/__init__.py"):
        (place / name).write_text(f"raise RuntimeError('{name} of the user was imported')\n")
    return place


def ours(kind: str) -> list[str | Path]:
    source, wheel, archive = built()
    made: dict[str, list[str | Path]] = {
        "wheel": [wheel],
        "archive": [archive],
        "editable": ["--editable", source],
    }
    return made[kind]


@pytest.mark.parametrize("order", ["ours first", "theirs first"])
@pytest.mark.parametrize("kind", ["wheel", "archive", "editable"])
def test_the_package_works_beside_packages_of_these_names(
    kind: str, order: str, tmp_path: Path, address: str, crowded: Path
) -> None:
    environment = Environment(tmp_path / "environment")
    installs: list[list[str | Path]] = [ours(kind), [*THEIRS]]
    for each in installs if order == "ours first" else reversed(installs):
        environment.install(*each)
    for place in (tmp_path, crowded):
        assert environment.run(ASK, address, cwd=place) == ANSWERS
    shown = environment.run(USE_THEIRS, cwd=tmp_path)
    assert shown.startswith("3 ")
    assert str(tmp_path / "environment") in shown


def test_the_command_runs_where_these_names_are_taken(tmp_path: Path, crowded: Path) -> None:
    _, wheel, _ = built()
    environment = Environment(tmp_path / "environment")
    environment.install(f"{wheel}[engine]", *THEIRS)
    for command in ([environment.bin / "oracle"], [environment.python, "-m", "position_oracle"]):
        done = run(*command, "build", "chomp3", "--limit", "30", "--db", tmp_path, cwd=crowded)
        assert done.returncode == 0, done.stderr
        done = run(*command, "ask", "chomp3:[4,3,2]", "--db", tmp_path, cwd=crowded)
        assert (done.returncode, done.stderr) == (0, "")
        assert "chomp3:[4,3,0]" in done.stdout


def test_the_wheel_has_one_package_and_the_archive_no_links() -> None:
    source, wheel, archive = built()
    assert check(source, wheel, archive) == []
    tops = {name.partition("/")[0] for name in members(wheel)}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"position_oracle"}
    with tarfile.open(archive) as tar:
        assert all(each.isfile() or each.isdir() for each in tar)


def test_a_release_with_a_fault_is_refused(tmp_path: Path) -> None:
    source, wheel, archive = built()
    extra = source / "schema" / "forgotten.py"
    extra.write_text("")
    try:
        faults = check(source, wheel, archive)
    finally:
        extra.unlink()
    assert len(faults) == 2
    assert all("lacks position_oracle/schema/forgotten.py" in fault for fault in faults)


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_other_versions_of_python(version: str, tmp_path: Path) -> None:
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [*versions.glob(f"{version}.*/bin/python"), Path(f"/usr/bin/python{version}")]
    if not (pythons := [path for path in found if path.exists()]):
        pytest.skip(f"needs Python {version}")
    assert f"Python :: {version}" in (ROOT / "pyproject.toml").read_text()
    _, wheel, _ = built()
    environment = Environment(tmp_path / "environment", pythons[0])
    environment.install(f"{wheel}[engine]")
    oracle = environment.bin / "oracle"
    assert run(oracle, "build", "chomp3", "--limit", "30", cwd=tmp_path).returncode == 0
    done = run(oracle, "ask", "chomp3:[4,3,2]", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "known by   EXACT_TABLE" in done.stdout


def test_documents_tell_how_to_install_every_extra() -> None:
    told = " ".join(install_commands())
    extras = {"engine", "web", "metrics", "tracing", "plot", "openspiel", "pettingzoo"}
    assert {extra for extra in extras if re.search(rf"[\[,]{extra}[\],]", told)} == extras


@pytest.mark.parametrize("command", install_commands())
def test_install_commands_of_documents_work(command: str, tmp_path: Path) -> None:
    """In a clone, without the download: all requirements are found."""
    arguments = install_commands()[command]
    assert not any(argument.startswith("position-oracle") for argument in arguments)
    source, _, _ = built()
    environment = Environment(tmp_path / "environment")
    uv("pip", "install", "--dry-run", "--python", environment.python, *arguments, place=source)


def test_uvx_runs_the_command(tmp_path: Path) -> None:
    _, wheel, _ = built()
    shown = uv("tool", "run", "--quiet", "--from", f"{wheel}[engine]", "oracle", "--version")
    assert shown == f"oracle {position_oracle.__version__}\n"


def test_pipx_installs_the_command(tmp_path: Path) -> None:
    _, wheel, _ = built()
    places = {"PIPX_HOME": str(tmp_path / "home"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    uv("tool", "run", "--quiet", "pipx", "install", f"{wheel}[engine]", variables=places)
    done = run(tmp_path / "bin/oracle", "ask", "nim:[3,5,7]", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Bouton" in done.stdout
