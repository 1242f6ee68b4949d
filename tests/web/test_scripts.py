"""The scripts of the page, run by node without a browser: requests, readers, words, drawings."""

import subprocess
from pathlib import Path

import pytest

from tests.web.conftest import NODE, needs_node

pytestmark = needs_node

FILES = sorted(Path(__file__).with_name("scripts").glob("*.test.mjs"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_scripts(file: Path) -> None:
    done = subprocess.run(
        [str(NODE), "--test", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "\n# fail 0" in done.stdout
    assert "\n# pass 0" not in done.stdout
