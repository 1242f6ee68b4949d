"""Installations: the client alone, or with extras; errors name the missing extra."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle.oracle.core import Oracle
from tests.repository.environments import ROOT, built, run
from tests.serving import running_server

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CLIENT = {"googleapis-common-protos", "grpcio", "numpy", "protobuf", "typing-extensions"}
ENGINE = {"numba", "llvmlite", "duckdb", "duckdb_sqlalchemy", "sqlalchemy", "pyarrow", "typer"}
ENGINE |= {"rich", "uvloop", "grpc_health", "grpc_reflection"}

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
COMMANDS = """
import json
from position_oracle.oracle.command import main
for arguments in json.loads(sys.argv[1]):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as error:
        print(error.code)
"""


def names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9-]+", requirement) for requirement in requirements)
    return {match[0] for match in found if match}


def test_the_client_needs_little() -> None:
    assert names(PROJECT["dependencies"]) == CLIENT
    assert "numba" in names(PROJECT["optional-dependencies"]["engine"])


def run_without(
    libraries: set[str], program: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in which some libraries cannot be imported."""
    hides = HIDES.replace("{names!r}", repr(libraries))
    return run(sys.executable, "-c", hides + program, *arguments, cwd=ROOT)


def test_the_client_runs_without_the_engine() -> None:
    program = "from position_oracle import bots, play, record, rules\n"
    program += "from position_oracle import AsyncOracleClient, OracleClient, tls\n"
    program += "print(rules.play('nim:[3,5]', 'take 2 from heap 2'))\n"
    program += "OracleClient('127.0.0.1:1').close()"
    done = run_without(ENGINE, program)
    assert (done.returncode, done.stdout) == (0, "nim:[3,3]\n"), done.stderr


SERVE = ["serve", "--address", "127.0.0.1:0"]
WEB = [*SERVE, "--web", "127.0.0.1:0"]
METRICS = [*SERVE, "--metrics", "127.0.0.1:0"]
TRACES = [*SERVE, "--traces", "http://127.0.0.1:1"]
PICTURE = ["plot", "sheet", "chomp3", "20", "--out", "sheet.svg"]
SENSITIVITY = ["build", "chomp3", "--kind", "sensitivity", "--limit", "100"]


TWO_WORKERS = ["--workers", "2"]
BOARD = ["plot", "board", "chomp:3/2", "--out", "board.svg"]


@pytest.mark.parametrize(
    ("extra", "library", "commands"),
    [
        ("engine", "typer", [["ask", "nim:[3]"]]),
        ("engine", "numba", [["build", "chomp3", "--limit", "20"]]),
        ("engine", "duckdb", [["tables"]]),
        ("engine", "pyarrow", [["export", "chomp3"]]),
        ("engine", "grpc_health", [SERVE]),
        ("plot", "matplotlib", [PICTURE, BOARD, ["reproduce", "--quick"]]),
        pytest.param("plot", "cycler", [PICTURE], marks=pytest.mark.slow),
        ("web", "starlette", [WEB, [*WEB, *TWO_WORKERS]]),
        pytest.param("web", "uvicorn", [WEB], marks=pytest.mark.slow),
        pytest.param("web", "h11", [WEB], marks=pytest.mark.slow),
        ("metrics", "prometheus_client", [METRICS, [*METRICS, *TWO_WORKERS]]),
        ("tracing", "opentelemetry", [TRACES, [*TRACES, *TWO_WORKERS]]),
        ("distributed", "distributed", [[*SENSITIVITY, "--scheduler", "tcp://127.0.0.1:1"]]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_command_says_what_to_install(
    extra: str, library: str, commands: list[list[str]], store: Path, tmp_path: Path
) -> None:
    """One process runs all commands that miss the library, one after another."""
    places = [["--db", str(tmp_path / "new" if c[0] == "build" else store)] for c in commands]
    asked = [
        [*command, *([] if command == BOARD or command[0] in {"ask", "reproduce"} else place)]
        for command, place in zip(commands, places, strict=True)
    ]
    done = run_without({library}, COMMANDS, json.dumps(asked))
    assert (done.returncode, done.stdout) == (0, "1\n" * len(commands)), done.stderr
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("oracle: ")]
    assert len(said) == len(commands), done.stderr
    for line in said:
        assert line.startswith(f"oracle: {library} is not installed; ")
        assert f"pip install '.[{extra}]'" in line
    assert extra in PROJECT["optional-dependencies"]


@pytest.mark.parametrize(
    ("extra", "library", "program"),
    [
        ("plot", "matplotlib", "from position_oracle import plot"),
        ("plot", "matplotlib", "import position_oracle.clients.plot.sheets"),
        ("openspiel", "pyspiel", "import position_oracle.clients.adapters.openspiel"),
        ("pettingzoo", "gymnasium", "import position_oracle.clients.adapters.zoo"),
        ("pettingzoo", "pettingzoo", "import position_oracle.clients.adapters.zoo"),
    ],
)
def test_an_import_says_what_to_install(extra: str, library: str, program: str) -> None:
    done = run_without({library}, program)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("position_oracle.schema.errors.MissingExtraError: ")
    assert f"pip install '.[{extra}]'" in last


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment in which pip has installed the wheel without extras."""
    _, wheel, _ = built()
    environment = tmp_path_factory.mktemp("fresh") / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    done = run(environment / "bin/python", *pip, "install", wheel, cwd=ROOT)
    if "No matching distribution found for grpcio" in done.stderr:
        pytest.skip("needs a package index")
    assert done.returncode == 0, done.stderr
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
    """The size counts files that Python compiles, but not the tools of the environment."""
    assert sum(path.stat().st_size for path in installed(fresh)) < MOST_BYTES
    (packages,) = fresh.glob("lib/*/site-packages")
    assert not {path.name for path in packages.iterdir()} & ENGINE


@pytest.mark.slow
def test_the_installed_command_says_what_to_install(fresh: Path, tmp_path: Path) -> None:
    done = run(fresh / "bin/oracle", "ask", "nim:[3]", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "pip install '.[engine]'" in done.stderr
