"""Completion in shells: the script is printed and installed, and bash uses it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"complete_{shell}" in script
    assert "oracle" in script


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".bash_completions/oracle.sh"),
        ("zsh", ".zfunc/_oracle"),
        ("fish", ".config/fish/completions/oracle.fish"),
    ],
)
def test_scripts_are_installed(
    shell: str,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("mine\n")
    for _ in range(2):
        assert run(["completion", shell, "--install"]) == 0
    assert str(tmp_path / place) in capsys.readouterr().out
    assert f"complete_{shell}" in (tmp_path / place).read_text()
    assert (tmp_path / ".bashrc").read_text().count("mine") == 1


def test_bash_completes_commands_and_flags(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    program = tmp_path / "oracle"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m position_oracle "$@"\n')
    program.chmod(0o755)

    def completed(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        code = (
            'eval "$(oracle completion bash)";'
            f" COMP_WORDS=({line}); COMP_CWORD={len(words) - 1};"
            ' _oracle_completion oracle; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [bash, "--norc", "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    assert completed("oracle", "pl") == ["play", "plot"]
    assert "--second" in completed("oracle", "play", "--")
    assert completed("oracle", "play", "--second", "stu") == ["stubborn"]


def test_no_shell_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "csh"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
