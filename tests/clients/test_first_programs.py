"""Each program of docs/first-programs.md runs unchanged and prints what the page shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from position_oracle.oracle.core import Oracle
from tests.clients.test_failures import free_port
from tests.serving import running
from tests.web.conftest import SETTINGS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/first-programs.md").read_text()
PROGRAMS = re.findall(r"^## (.*?)\n.*?^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
LONGEST = 20
"""Largest number of lines that are not blank."""


@pytest.fixture(scope="module")
def ports(store: Path) -> Iterator[tuple[int, int]]:
    """The ports of gRPC and of HTTP of one server."""
    with running(Oracle.open(store), SETTINGS) as server:
        assert server.web_port is not None
        yield server.port, server.web_port


def program(title: str) -> tuple[str, str]:
    """Return the language and the text of the program with this title."""
    return next((language, text) for name, language, text in PROGRAMS if name == title)


def shown(title: str) -> str:
    """Return what the page says that the program with this title prints."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = section.partition("prints:\n\n")[2].split("\n\n")[0].splitlines()
    return "".join(f"{line.removeprefix('    ')}\n" for line in lines)


def run(command: list[str], place: Path) -> str:
    done = subprocess.run(
        command,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def place(tmp_path: Path, store: Path) -> Path:
    """A working folder with tables in `data`."""
    (tmp_path / "data").symlink_to(store)
    return tmp_path


def test_there_is_one_for_each_kind_of_user() -> None:
    assert [language for _, language, _ in PROGRAMS] == ["python", "python", "python", "sh", "js"]
    for title, _, text in PROGRAMS:
        assert len([line for line in text.splitlines() if line.strip()]) <= LONGEST, title


def test_a_bot(ports: tuple[int, int], place: Path) -> None:
    _, text = program("A bot")
    text = text.replace("localhost:50051", f"127.0.0.1:{ports[0]}")
    assert run([sys.executable, "-c", text], place) == shown("A bot")


def test_tables_in_sql(place: Path) -> None:
    said = run([sys.executable, "-c", program("Tables in SQL")[1]], place)
    assert "chomp3 sheets up to 300" in said
    line = re.compile(r"(\w+, period \d+): \d+ sheets, the first at x = \d+")
    assert line.findall(said) == line.findall(shown("Tables in SQL"))[: len(line.findall(said))]
    assert len(line.findall(said)) > 2


def test_arrays_and_pictures(place: Path) -> None:
    said = run([sys.executable, "-c", program("Arrays and pictures")[1]], place)
    assert said == shown("Arrays and pictures")
    assert (place / "w200.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_precompute_and_serve(tmp_path: Path) -> None:
    _, text = program("Precompute and serve")
    for port in ("50051", "8080"):
        text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free_port()}")
    command = tmp_path / "bin" / "oracle"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m position_oracle "$@"\n')
    command.chmod(0o755)
    said = run(["sh", "-c", f'PATH="{command.parent}:$PATH"\n{text}'], tmp_path)
    assert '"position": "chomp3:[500,0,0]"' in said
    assert "@" in said


def test_in_a_browser(ports: tuple[int, int], place: Path) -> None:
    node = which("node")
    if node is None:
        pytest.skip("node is not installed")
    _, text = program("In a browser, over HTTP")
    (place / "ask.mjs").write_text(text.replace("localhost:8080", f"127.0.0.1:{ports[1]}"))
    assert run([node, "ask.mjs"], place) == shown("In a browser, over HTTP")
