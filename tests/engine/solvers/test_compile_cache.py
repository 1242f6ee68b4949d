"""The cache of compiled kernels: its folder depends on every source, and has to be private."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.engine.solvers.compile_cache import (
    KEPT,
    ROOT,
    SOURCES,
    is_private,
    source_hash,
)

CHOOSE = """
from position_oracle.engine.solvers.compile_cache import use_compile_cache
use_compile_cache()
"""
"""What a process does before it imports numba, which takes longer."""


def chosen_folder(home: Path, program: str = CHOOSE) -> str:
    """Return the folder that a process uses after it has run a program."""
    program += "\nimport os; print(os.environ.get('NUMBA_CACHE_DIR'))"
    environment = {"XDG_CACHE_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_any_source_that_a_kernel_compiles_in_counts(tmp_path: Path) -> None:
    for folder in ("engine", "schema", "oracle"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    before = source_hash(tmp_path)
    for name in ("engine/theory/geometry/summary.py", "schema/answers.py"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "\nMORE = 1\n")
        assert source_hash(tmp_path) != before
        before = source_hash(tmp_path)


def test_kernels_lie_in_the_folders_that_count() -> None:
    numba = re.compile(r"^\s*(import|from) (numba|.*solvers\.compiled)", re.MULTILINE)
    with_kernels = {
        path
        for package in ("engine", "oracle", "schema", "clients")
        for path in (ROOT / package).rglob("*.py")
        if numba.search(path.read_text())
    }
    assert all(any(path.is_relative_to(ROOT / each) for each in SOURCES) for path in with_kernels)


def test_every_kernel_is_compiled_through_the_one_module() -> None:
    compiled = ROOT / "engine/solvers/compiled.py"
    through = r"position_oracle\.engine\.solvers\.(compiled|row_sweep\.jit)"
    for package in ("engine", "oracle", "schema", "clients"):
        for path in (ROOT / package).rglob("*.py"):
            before, *numba = re.split(r"^\s*(?:import|from) numba", path.read_text(), flags=re.M)
            if numba and path != compiled:  # the folder of the cache is chosen before numba is read
                assert re.search(rf"^(import|from) {through}", before, re.M), path
                assert not any(re.match(r" import .*\bn?jit\b", rest) for rest in numba), path


def test_the_hash_is_a_name() -> None:
    assert re.fullmatch("[0-9a-f]{16}", source_hash())


def test_sources_in_another_place_have_another_folder(tmp_path: Path) -> None:
    """Compiled code of one checkout is not found from another, so the folder must differ."""
    for path in ROOT.glob("engine/solvers/*.py"):
        (tmp_path / "engine" / "solvers").mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "engine" / "solvers")
    same = tmp_path / "same"
    shutil.copytree(tmp_path / "engine", same / "engine")
    assert source_hash(tmp_path) != source_hash(same)
    assert source_hash(same) == source_hash(same)


def test_a_process_uses_a_private_folder_of_the_hash(tmp_path: Path) -> None:
    folder = tmp_path / "position-oracle" / source_hash()
    program = "import position_oracle.engine.solvers.compiled"
    assert chosen_folder(tmp_path, program) == chosen_folder(tmp_path) == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert is_private(folder)


@pytest.mark.parametrize(
    "module",
    [
        "position_oracle.engine",
        "position_oracle.engine.theory.nim",
        "position_oracle.engine.solvers",
    ],
)
def test_nothing_is_touched_by_an_import_without_kernels(module: str, tmp_path: Path) -> None:
    assert chosen_folder(tmp_path, f"import {module}") == "None"
    assert not list(tmp_path.iterdir())


def test_few_old_folders_are_kept(tmp_path: Path) -> None:
    base = tmp_path / "position-oracle"
    base.mkdir(mode=0o700)
    for number in range(9):
        (base / f"old{number}").mkdir()
    chosen_folder(tmp_path)
    assert len(list(base.iterdir())) == KEPT
    (base / "older").mkdir()
    chosen_folder(tmp_path)
    assert len(list(base.iterdir())) == KEPT + 1, "removed only when a folder is made"


@pytest.mark.parametrize("writable", ["position-oracle", f"position-oracle/{source_hash()}"])
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_may_write_is_not_trusted(
    writable: str, mode: int, tmp_path: Path
) -> None:
    folder = tmp_path / "position-oracle" / source_hash()
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    (tmp_path / writable).chmod(mode)
    chosen = chosen_folder(tmp_path)
    assert Path(chosen).parent != folder.parent
    assert not Path(chosen).exists(), "a passing folder ends with its process"


def test_a_link_is_not_trusted(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (tmp_path / "position-oracle").symlink_to(elsewhere)
    assert not chosen_folder(tmp_path).startswith(str(tmp_path / "position-oracle"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_folder_of_another_user_is_not_trusted(tmp_path: Path) -> None:
    base = tmp_path / "position-oracle"
    base.mkdir(mode=0o700)
    os.chown(base, 12345, 12345)
    assert not chosen_folder(tmp_path).startswith(str(base))
