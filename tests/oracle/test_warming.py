"""What a server does before it says that it is ready, and what it leaves for afterwards."""

from pathlib import Path

import pytest

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle import warming
from position_oracle.oracle.core import Oracle
from tests.oracle.tables import three_row_table


@pytest.fixture
def rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Oracle]:
    """The oracles of which all kinds of work were done; kernels are cached in `tmp_path`."""
    done: list[Oracle] = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warming, "warm_up_rest", done.append)
    return done


def test_where_kernels_may_have_to_be_compiled_all_is_done_before(rest: list[Oracle]) -> None:
    oracle = Oracle()
    oracle.warm_up(usual=True)
    assert rest == [oracle]


def test_where_all_kernels_are_cached_the_rest_may_wait(rest: list[Oracle], tmp_path: Path) -> None:
    oracle = Oracle()
    mark = warming._mark(oracle)
    assert mark is not None
    assert mark.parent == tmp_path
    mark.touch()
    oracle.warm_up(usual=True)
    assert rest == []
    oracle.warm_up()
    assert rest == [oracle]


def test_other_tables_may_need_other_kernels(rest: list[Oracle]) -> None:
    mark = warming._mark(Oracle())
    assert mark is not None
    mark.touch()
    oracle = Oracle([three_row_table(GameSpec("chomp3"), solve(5))])
    oracle.warm_up(usual=True)
    assert rest == [oracle]


def test_without_a_cache_all_is_done_before(
    rest: list[Oracle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    oracle = Oracle()
    oracle.warm_up(usual=True)
    assert rest == [oracle]


def test_the_mark_is_set_when_all_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    Oracle().warm_up()
    assert list(tmp_path.glob("warm-*"))
