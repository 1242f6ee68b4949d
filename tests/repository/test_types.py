"""Types of the installed package: every public name is found, and misspelled names are errors."""

import ast
import sys
from pathlib import Path

import pytest

import position_oracle
from position_oracle.oracle.core import Oracle
from tests.repository.environments import ROOT, Environment, built, run
from tests.serving import running_server

PROGRAM = ROOT / "tests/repository/programs/every_name.py"
MISSPELLED = "from position_oracle import Answer, Answr\n\nprint(Answer, Answr)\n"
MYPY = [sys.executable, "-m", "mypy", "--strict"]
PYRIGHT = [sys.executable, "-m", "uv", "tool", "run", "--quiet"]


def test_the_program_uses_every_public_name() -> None:
    tree = ast.parse(PROGRAM.read_text())
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert set(position_oracle.__all__) <= used


def test_the_program_runs(tmp_path: Path) -> None:
    with running_server(Oracle()) as port:
        arguments = (f"127.0.0.1:{port}", tmp_path / "board.svg")
        done = run(
            sys.executable, PROGRAM, *arguments, cwd=tmp_path, variables={"PYTHONPATH": str(ROOT)}
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "board.svg").stat().st_size > 1000


def test_a_misspelled_name_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="Answr"):
        exec(MISSPELLED, {})  # noqa: S102


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    _, wheel, _ = built()
    environment = Environment(tmp_path_factory.mktemp("typed") / "environment")
    environment.install(f"{wheel}[engine,plot]", "types-grpcio", "types-protobuf")
    return environment


def checkers(environment: Environment) -> dict[str, list[str]]:
    python = str(environment.python)
    return {
        "mypy": [*MYPY, "--python-executable", python],
        "pyright": [*PYRIGHT, "pyright==1.1.414", "--pythonpath", python],
        "basedpyright": [
            *PYRIGHT,
            "basedpyright==1.40.2",
            "--level",
            "error",
            "--pythonpath",
            python,
        ],
    }


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright", "basedpyright"])
def test_checkers_accept_every_name_and_refuse_others(
    checker: str, installed: Environment, tmp_path: Path
) -> None:
    command = checkers(installed)[checker]
    (tmp_path / "every_name.py").write_text(PROGRAM.read_text())
    (tmp_path / "misspelled.py").write_text(MISSPELLED)
    accepted = run(*command, "every_name.py", cwd=tmp_path)
    if accepted.returncode and "every_name.py:" not in accepted.stdout:
        pytest.skip(f"{checker} cannot be had here: {accepted.stderr.strip()[-120:]}")
    assert accepted.returncode == 0, accepted.stdout
    refused = run(*command, "misspelled.py", cwd=tmp_path)
    assert refused.returncode == 1
    assert "Answr" in refused.stdout
    assert "1 error" in refused.stdout
