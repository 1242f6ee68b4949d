"""The cache of compiled kernels: named by every source that they depend on."""

import re
import subprocess
import sys
from pathlib import Path

from engine.compile_cache import KERNEL_SOURCES, source_hash

ROOT = Path(__file__).parents[2]


def test_every_source_with_numba_counts() -> None:
    counted = {path for pattern in KERNEL_SOURCES for path in ROOT.glob(pattern)}
    for package in ("engine", "oracle", "schema", "clients"):
        for path in (ROOT / package).rglob("*.py"):
            if re.search(r"^(import|from) numba", path.read_text(), re.MULTILINE):
                assert path in counted, path


def test_the_hash_is_a_name() -> None:
    assert re.fullmatch("[0-9a-f]{16}", source_hash())


def test_a_process_uses_the_folder_of_the_hash(tmp_path: Path) -> None:
    program = "import engine, os; print(os.environ['NUMBA_CACHE_DIR'])"
    environment = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / "position-oracle" / source_hash())


def test_few_old_folders_are_kept(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / "position-oracle" / f"old{number}").mkdir(parents=True)
    environment = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": ""}
    subprocess.run([sys.executable, "-c", "import engine"], env=environment, check=True)
    assert len(list((tmp_path / "position-oracle").iterdir())) == 4
