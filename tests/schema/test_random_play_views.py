"""The views on games with random players equal numpy's results from the same table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from position_oracle.engine.solvers.random_play.three_row import solve_random
from position_oracle.oracle.reproduce.random_games import (
    check_three_rows,
    falls_from,
    hook_envelope,
)
from position_oracle.schema.snapshot import Snapshot
from tests.conftest import RANDOM_PLAY_LIMIT
from tests.reference.graph_chances import chomp_chances
from tests.reference.random_play_envelope import three_row_envelope


@pytest.fixture(scope="module")
def cursor(store: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with Snapshot.open(store) as snapshot:
        yield snapshot.cursor()


def rows(cursor: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    result = cursor.execute(sql)
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def test_one_board(cursor: duckdb.DuckDBPyConnection) -> None:
    (n_position,) = rows(cursor, "FROM random_plays WHERE (a, b, c) = (3, 2, 1)")
    assert (n_position["x"], n_position["y"], n_position["z"], n_position["n"]) == (1, 1, 1, 6)
    assert n_position["p_mover"] == pytest.approx(9 / 20, abs=1e-15)
    assert n_position["shortfall"] == pytest.approx(1 / 20, abs=1e-15)
    assert (n_position["p_perfect"], n_position["p_random"]) == (1, 1 / 16)
    (p_position,) = rows(cursor, "FROM random_plays WHERE (a, b, c) = (4, 3, 0)")
    assert p_position["p_perfect"] == pytest.approx(float(chomp_chances((4, 3)).to_move))
    assert p_position["p_random"] == 0


def test_conjecture_1_5(cursor: duckdb.DuckDBPyConnection) -> None:
    (found,) = rows(cursor, "FROM conjecture_1_5")
    verdict = check_three_rows(solve_random(RANDOM_PLAY_LIMIT))
    assert found["boards"] == verdict.boards
    assert found["longest_row"] == RANDOM_PLAY_LIMIT
    assert found["counterexamples"] == found["undecided"] == 0
    assert tuple(row for row in found["closest_rows"] if row) == verdict.closest
    assert found["least_shortfall"] == pytest.approx(float(verdict.gap), abs=1e-14)


def test_a_counterexample_would_be_counted(cursor: duckdb.DuckDBPyConnection) -> None:
    """The rows have a counterexample, an undecided board, and boards that the view leaves out."""
    definition = cursor.execute(
        "SELECT sql FROM duckdb_views() WHERE view_name = 'conjecture_1_5'"
    ).fetchone()
    assert definition is not None
    query = definition[0].partition(" AS ")[2]
    with duckdb.connect() as other:
        other.execute(
            "CREATE TABLE random_play AS FROM (VALUES"
            " (1, 3, 2, 1, 0.4), (1, 3, 2, 2, 0.6),"
            " (1, 4, 1, 0, 0.5 + 1e-15), (1, 1, 1, 1, 1.0), (1, 9, 0, 0, 1.0))"
            " AS t (game_id, a, b, c, p_mover)"
        )
        other.execute("CREATE TABLE game AS SELECT 1 AS game_id, 'g' AS name")
        (found,) = rows(other, query)
    assert (found["boards"], found["counterexamples"], found["undecided"]) == (3, 1, 1)
    assert found["closest_rows"] == [3, 2, 2]


def test_envelope(cursor: duckdb.DuckDBPyConnection) -> None:
    found = rows(cursor, "FROM random_envelope")
    envelope = three_row_envelope(solve_random(RANDOM_PLAY_LIMIT))
    complete = envelope.complete
    assert [row["n"] for row in found] == envelope.cookies[complete].tolist()
    for row, least, greatest in zip(found, envelope.least, envelope.greatest, strict=False):
        hooks = hook_envelope(row["n"])
        assert row["g"] == pytest.approx(least, abs=1e-15)
        assert row["h"] == pytest.approx(greatest, abs=1e-15)
        assert row["hook_g"] == pytest.approx(float(hooks.least[0]), rel=1e-14)
        assert row["hook_h"] == pytest.approx(float(hooks.greatest[0]), rel=1e-14)
        assert sum(row["g_rows"]) == sum(row["h_rows"]) == row["n"]


def test_conjecture_1_6(cursor: duckdb.DuckDBPyConnection) -> None:
    (found,) = rows(cursor, "FROM conjecture_1_6")
    envelope = three_row_envelope(solve_random(RANDOM_PLAY_LIMIT))
    complete = envelope.complete
    n, most = envelope.cookies[complete].tolist(), envelope.greatest[complete].tolist()
    start, decay = falls_from(n, most)
    assert (envelope.least[complete] > 0).all()
    assert found["not_above_zero"] == found["outside_hooks"] == 0
    assert found["largest_n"] == RANDOM_PLAY_LIMIT + 1
    assert found["h_decreases_from"] == start
    assert found["decay"] == pytest.approx(decay, abs=0.1)
    assert found["last_h"] == pytest.approx(envelope.greatest[complete][-1], abs=1e-15)
