"""The page's bots, run by node, make no move that is known to lose where another may win."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.process import running
from tests.web.conftest import SETTINGS

NODE = which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

UNDECIDED = "chomp:40/38/38/37/36/35/34/33/32/31"
WON = "chomp:40/39/38/37/36/35/34/33/32/31"
WITHOUT_A_NAMED_MOVE = "chomp:" + "/".join(["30"] * 9)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(Oracle(), SETTINGS) as server:
        yield f"http://127.0.0.1:{server.web_port}"


def choice(address: str, level: str, text: str) -> str:
    """The position that a bot moves to."""
    assert NODE is not None
    command = [NODE, str(Path(__file__).with_name("bots.mjs")), address, level, text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("text", [UNDECIDED, WITHOUT_A_NAMED_MOVE])
def test_no_known_loss_is_chosen(address: str, text: str) -> None:
    made = choice(address, "perfect", text)
    moves = Oracle().analyze(text).moves or ()
    assert {str(each.move.child): each.outcome.name for each in moves}[made] == "UNKNOWN"


def test_a_proved_win_is_kept(address: str) -> None:
    assert choice(address, "perfect", WON) == "chomp:40/39"


@pytest.mark.parametrize("level", ["perfect", "greedy"])
def test_no_move_loses_at_once_where_another_does_not(address: str, level: str) -> None:
    assert choice(address, level, "nim{misere}:[2]") == "nim{misere}:[1]"
