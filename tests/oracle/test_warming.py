"""The work of a server before it reports that it is ready, and after."""

import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle import warming
from position_oracle.oracle.core import Oracle
from tests.oracle.tables import three_row_table


@pytest.fixture
def warmed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Oracle]:
    """The oracles that were warmed up. Kernels are cached in `tmp_path`."""
    done: list[Oracle] = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warming, "warm_up", done.append)
    return done


def test_where_kernels_may_have_to_be_compiled_all_is_done_before(warmed: list[Oracle]) -> None:
    oracle = Oracle()
    oracle.warm_up(if_cold=True)
    assert warmed == [oracle]


def test_where_all_kernels_are_cached_warming_may_wait(
    warmed: list[Oracle], tmp_path: Path
) -> None:
    oracle = Oracle()
    mark = warming._mark(oracle)
    assert mark is not None
    assert mark.parent == tmp_path
    mark.touch()
    oracle.warm_up(if_cold=True)
    assert warmed == []
    oracle.warm_up()
    assert warmed == [oracle]


def test_other_tables_may_need_other_kernels(warmed: list[Oracle]) -> None:
    mark = warming._mark(Oracle())
    assert mark is not None
    mark.touch()
    oracle = Oracle([three_row_table(GameSpec("chomp3"), solve(5))])
    oracle.warm_up(if_cold=True)
    assert warmed == [oracle]


def test_without_a_cache_all_is_done_before(
    warmed: list[Oracle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(warming, "use_compile_cache", lambda: None)
    oracle = Oracle()
    oracle.warm_up(if_cold=True)
    assert warmed == [oracle]


def test_the_mark_is_set_when_all_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    Oracle().warm_up()
    assert list(tmp_path.glob("warm-*"))


def test_single_questions_need_no_compiler() -> None:
    """A server may answer these questions before the compiler is imported."""
    program = """
import sys
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.warming import ANALYZED, is_compiled
oracle = Oracle()
is_compiled(oracle)
for text in ANALYZED[:3]:
    oracle.outcome(text), oracle.winning_moves(text), oracle.best_move(text)
assert "numba" not in sys.modules
assert "llvmlite" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
