"""The examples of the adapters do what they say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("name", "library", "said"),
    [
        ("openspiel_match", "pyspiel", "OpenSpiel's nim 3 5 7: the perfect bot won 20 of 20"),
        ("pettingzoo_loop", "pettingzoo", "won by player_"),
        ("engine_on_pipes", "json", "perfect wins"),
        ("cgsuite_kayles", "json", "kayles := [0, *, *2, *3, *, *4, *3, *2, *, *4, *2, *6, *4];"),
    ],
)
def test_examples(name: str, library: str, said: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "adapters" / f"{name}.py")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
