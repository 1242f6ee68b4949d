"""Programs in other languages, made from the contract alone, work with a current server."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle.oracle.core import Oracle
from tests.clients.test_failures import free_port
from tests.serving import running_server

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "schema" / "proto"
GO_LIBRARIES = Path("/usr/share/gocode")
"""The folder in which Debian has golang-google-grpc-dev and golang-google-protobuf-dev."""

SAYS = """\
nim:[3,5,7]: OUTCOME_N (CERTAINTY_THEOREM)
take 1 from heap 1: nim:[2,5,7]
take 1 from heap 2: nim:[3,4,7]
take 1 from heap 3: nim:[3,5,6]
nim:[1,2] and nim:[4,4]: N, P
{games} games of tables {version}
nim:[3,-1]: {refused}
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running_server(Oracle()) as port:
        yield port


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def ran(command: list[str], port: int, folder: Path) -> str:
    command = [*command, f"127.0.0.1:{port}", "nim:[3,5,7]"]
    environment = os.environ | {"ORACLE_PROTO": str(PROTO)}
    run = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    return run.stdout


def expected(refused: str) -> str:
    oracle = Oracle()
    games, version = len(oracle.games()), oracle.tables().version
    return SAYS.format(games=games, version=version, refused=refused)


def check_unreachable(command: list[str], said: str) -> None:
    nobody = [*command, f"127.0.0.1:{free_port()}"]
    run = subprocess.run(nobody, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert said in run.stderr


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    needs("node", "npm")
    folder = shutil.copytree(ROOT / "examples" / "node", tmp_path_factory.mktemp("node") / "node")
    if not (folder / "node_modules").is_dir():
        install = ["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"]
        try:
            subprocess.run(install, cwd=folder, check=True, capture_output=True, timeout=60)
        except subprocess.SubprocessError:
            pytest.skip("the packages of the Node program cannot be installed here")
    return ["node", str(folder / "ask.js")]


def test_the_node_program(node: list[str], port: int, tmp_path: Path) -> None:
    assert ran(node, port, tmp_path) == expected("INVALID_ARGUMENT")


def test_the_node_program_without_a_server(
    node: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORACLE_PROTO", str(PROTO))
    check_unreachable(node, "UNAVAILABLE")


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    needs("go", "protoc", "protoc-gen-go", "protoc-gen-go-grpc")
    if not (GO_LIBRARIES / "src" / "google.golang.org" / "grpc").is_dir():
        pytest.skip("golang-google-grpc-dev is not installed")
    place = tmp_path_factory.mktemp("go")
    folder = shutil.copytree(ROOT / "examples" / "go", place / "src" / "example")
    environment = os.environ | {
        "ORACLE_PROTO": str(PROTO),
        "GO111MODULE": "off",
        "GOPATH": f"{place}:{GO_LIBRARIES}",
    }
    subprocess.run(["sh", "generate.sh"], cwd=folder, env=environment, check=True)
    build = ["go", "build", "-o", str(place / "ask"), "."]
    subprocess.run(build, cwd=folder, env=environment, check=True)
    return [str(place / "ask")]


@pytest.mark.slow
def test_the_go_program(go: list[str], port: int, tmp_path: Path) -> None:
    assert ran(go, port, tmp_path) == expected("InvalidArgument")


@pytest.mark.slow
def test_the_go_program_without_a_server(go: list[str]) -> None:
    check_unreachable(go, "Unavailable")
