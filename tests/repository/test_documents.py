"""Documents: links lead somewhere, and the output in the README is that of the program."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle import OracleClient
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from tests.serving import running_server

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_the_first_answer_of_the_readme(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(
        r"    \$ oracle (ask .*)\n((?:    .*\n|\n)+)", (ROOT / "README.md").read_text()
    )
    assert block is not None
    assert run([*shlex.split(block[1]), "--db", str(store)]) == 0
    shown = [line.removeprefix("    ").rstrip() for line in block[2].rstrip().splitlines()]
    printed = capsys.readouterr().out.replace("x <= 300", "x <= 10000")
    assert [line.rstrip() for line in printed.rstrip().splitlines()] == shown


@pytest.mark.slow
def test_the_census_of_the_readme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text()
    block = re.search(r"    \$ oracle (ask .*141000.*)\n((?:    .*\n|\n)+)", text)
    assert block is not None
    build = ["build", "chomp3", "--kind", "census", "--limit", "100000", "--json"]
    assert run([*build, "--db", str(tmp_path / "data")]) == 0
    capsys.readouterr()
    assert run([*shlex.split(block[1]), "--db", str(tmp_path / "data")]) == 0
    shown = [line.removeprefix("    ").rstrip() for line in block[2].rstrip().splitlines()]
    printed = capsys.readouterr().out.rstrip().splitlines()
    assert [line.rstrip() for line in printed] == shown


def test_the_python_example_of_the_readme(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    with running_server(Oracle.open(store)) as port:
        program = block[1].replace("localhost:50051", f"127.0.0.1:{port}")
        exec(compile(program, "README.md", "exec"), {"OracleClient": OracleClient})  # noqa: S102
    assert "chomp3:[585,0,415]" in capsys.readouterr().out


@pytest.mark.slow
def test_the_demonstration_runs_behind_a_proxy(tmp_path: Path) -> None:
    """The limits are smaller than those of `make demo`, x = 10,000 and 100,000."""
    command = [sys.executable, "examples/demo.py", "--limit", "1000", "--census", "20000"]
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [*command, "--db", str(tmp_path / "data")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **proxies},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "chomp3:[28200,0,0]: N, wins by chomp3:[" in done.stdout
    assert "EXACT_SEARCH: census of chomp3, x <= 20000, swept" in done.stdout
    assert " beats " in done.stdout
    assert "draining" not in done.stderr


def test_the_targets_of_the_readme_exist() -> None:
    targets = re.findall(r"make ([a-z-]+)", (ROOT / "README.md").read_text())
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
