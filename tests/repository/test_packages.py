"""What is installed: the client alone, or with the extra `engine` all the rest."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import running_server

ROOT = Path(__file__).parents[2]
ROOMS = ("schema", "engine", "oracle", "clients")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CLIENT = {"googleapis-common-protos", "grpcio", "numpy", "protobuf", "typing-extensions"}

MOST_BYTES = 100 << 20
TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence", "wheel")

HIDES = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""


def names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9-]+", requirement) for requirement in requirements)
    return {match[0] for match in found if match}


def test_the_client_needs_little() -> None:
    assert names(PROJECT["dependencies"]) == CLIENT
    assert "numba" in names(PROJECT["optional-dependencies"]["engine"])


def without_engine(program: str) -> list[str]:
    """A command that runs a program where the libraries of the extra are not to be had."""
    modules = {"numba", "duckdb", "sqlalchemy", "pyarrow", "typer", "rich", "uvloop"}
    modules |= {"grpc_status", "grpc_health", "grpc_reflection"}
    return [sys.executable, "-c", HIDES.replace("{names!r}", repr(modules)) + program]


def test_the_client_runs_without_the_engine() -> None:
    program = "from position_oracle import bots, play, record, rules\n"
    program += "from position_oracle import AsyncOracleClient, OracleClient, tls\n"
    program += "print(rules.play('nim:[3,5]', 'take 2 from heap 2'))\n"
    program += "OracleClient('127.0.0.1:1').close()"
    run = subprocess.run(
        without_engine(program), capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (run.returncode, run.stdout) == (0, "nim:[3,3]\n"), run.stderr


@pytest.mark.parametrize(
    "program",
    ["import position_oracle.__main__", "from position_oracle.oracle.command import main; main()"],
)
def test_the_command_says_what_to_install(program: str) -> None:
    run = subprocess.run(
        without_engine(program), capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.splitlines() == [run.stderr.rstrip("\n")]
    assert "pip install '.[engine]'" in run.stderr


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment in which the package is installed without extras."""
    place = tmp_path_factory.mktemp("fresh")
    source = place / "source"
    source.mkdir()
    skipped = shutil.ignore_patterns("__pycache__", "*.nb?")
    for name in (*ROOMS, "position_oracle"):
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(place), str(source)]
    subprocess.run(wheel, check=True, capture_output=True)
    environment = place / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    (built,) = place.glob("*.whl")
    install = [str(environment / "bin" / "python"), *pip[1:], "install", str(built)]
    run = subprocess.run(install, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip(f"nothing can be installed here: {run.stderr.strip().splitlines()[-1][:120]}")
    return environment


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running_server(Oracle()) as port:
        yield port


def installed(environment: Path) -> Iterator[Path]:
    (packages,) = environment.glob("lib/*/site-packages")
    for path in packages.rglob("*"):
        if path.is_file() and not path.relative_to(packages).parts[0].startswith(TOOLS):
            yield path


@pytest.mark.slow
def test_the_client_is_small(fresh: Path) -> None:
    """Without the tools of the environment; with what Python compiles and keeps."""
    assert sum(path.stat().st_size for path in installed(fresh)) < MOST_BYTES
    (packages,) = fresh.glob("lib/*/site-packages")
    assert not {path.name for path in packages.iterdir()} & {"numba", "duckdb", "scipy", "typer"}


@pytest.mark.slow
def test_the_client_alone_asks(fresh: Path, port: int, tmp_path: Path) -> None:
    program = "import sys; from position_oracle import OracleClient\n"
    program += "with OracleClient(f'127.0.0.1:{sys.argv[1]}', timeout=60) as oracle:\n"
    program += "    print(oracle.best_move('nim:[3,5,7]').action)\n"
    program += "    print(oracle.outcomes('nim', [[1, 2], [3, 3]]).tolist())\n"
    command = [str(fresh / "bin" / "python"), "-c", program, str(port)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.stdout == "take 1 from heap 1\n[2, 1]\n", run.stderr


@pytest.mark.slow
def test_the_installed_command_says_what_to_install(fresh: Path, tmp_path: Path) -> None:
    command = [str(fresh / "bin" / "oracle"), "ask", "nim:[3]"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.count("\n") == 1
    assert "'.[engine]'" in run.stderr
