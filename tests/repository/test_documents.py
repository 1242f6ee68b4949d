"""Documents: links lead somewhere, and what the README shows is what the program prints."""

import re
import shlex
from pathlib import Path

import pytest

from clients import OracleClient
from oracle.cli.main import run
from oracle.core import Oracle
from oracle.server import running_server

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


def test_the_python_example_of_the_readme(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    with running_server(Oracle.open(store)) as port:
        program = block[1].replace("localhost:50051", f"127.0.0.1:{port}")
        exec(compile(program, "README.md", "exec"), {"OracleClient": OracleClient})  # noqa: S102
    assert "chomp3:[585,0,415]" in capsys.readouterr().out


def test_the_targets_of_the_readme_exist() -> None:
    targets = re.findall(r"make ([a-z-]+)", (ROOT / "README.md").read_text())
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
