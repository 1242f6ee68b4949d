"""The views show the published facts, and the macros answer for any column."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from position_oracle.schema.snapshot import Snapshot

FACTS = json.loads((Path(__file__).parents[1] / "golden" / "facts.json").read_text())
GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def sql(store: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with Snapshot.open(store) as snapshot:
        yield snapshot.cursor()


def rows(sql: duckdb.DuckDBPyConnection, query: str, *values: object) -> list[tuple[Any, ...]]:
    return sql.execute(query, list(values)).fetchall()


def column(sql: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    return [row[0] for row in rows(sql, query)]


def test_cumulative_counts(sql: duckdb.DuckDBPyConnection) -> None:
    found = dict(rows(sql, "SELECT n, cumulative FROM p_counts WHERE game = 'chomp3'"))
    terms = FACTS["A029899"]["terms"]
    assert [found[n] for n in range(1, len(terms))] == terms[1:]
    for n, count in FACTS["A029899"]["more"].items():
        if int(n) <= 300:
            assert found[int(n)] == count


def test_the_deadly_diagonal(sql: duckdb.DuckDBPyConnection) -> None:
    terms = FACTS["A029900"]["terms"]
    found = column(sql, "SELECT p FROM deadly_diagonal WHERE game = 'chomp3' ORDER BY q")
    assert found[: len(terms)] == terms


def test_sheets_that_stop(sql: duckdb.DuckDBPyConnection) -> None:
    found = rows(sql, "SELECT p, r FROM stops WHERE game = 'chomp3' ORDER BY r")
    expected = list(zip(FACTS["A029901"]["terms"], FACTS["A029902"]["terms"], strict=True))
    assert found[: len(expected)] == expected


def test_constant_tails(sql: duckdb.DuckDBPyConnection) -> None:
    found = rows(sql, "SELECT c, q, r FROM constant_tails WHERE game = 'chomp3' ORDER BY r")
    names = ("A029903", "A029904", "A029905")
    expected = list(zip(*(FACTS[name]["terms"] for name in names), strict=True))
    assert found[: len(expected)] == expected


def test_periodic_tails(sql: duckdb.DuckDBPyConnection) -> None:
    found = rows(
        sql,
        "SELECT x, x + prefix_length, tail_period, tail_z FROM sheets"
        " WHERE game = 'chomp3' AND tail = 'periodic'",
    )
    x, q, period, values = FACTS["tails"]["rows"][0]
    assert found == [(x, q, period, values)]
    assert rows(sql, "SELECT tail_period, sheets FROM tail_census WHERE game = 'chomp3'") == [
        (0, 176),
        (1, 124),
        (2, 1),
    ]


def test_one_opening_wins_from_every_rectangle_within_the_sheets(
    sql: duckdb.DuckDBPyConnection,
) -> None:
    found = column(sql, "SELECT length FROM openings ORDER BY length")
    assert found[:301] == list(range(1, 302))
    assert len(found) == len(set(found))


def test_openings_are_p_positions_one_bite_away(sql: duckdb.DuckDBPyConnection) -> None:
    found = rows(sql, "SELECT length, x, y, z, chomp3_outcome('chomp3', x, y, z) FROM openings")
    for length, x, y, z, outcome in found:
        a, b, c = x + y + z, x + y, x
        assert outcome == "P"
        assert a == length
        assert b in {c, a}


def test_row_lengths_of_p_positions(sql: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        sql,
        "SELECT DISTINCT x, a, b, c FROM p_positions WHERE game = 'chomp3' AND a <= 4 ORDER BY ALL",
    ) == [
        (0, 1, 0, 0),
        (1, 2, 2, 1),
        (1, 3, 1, 1),
        (2, 4, 2, 2),
    ]


def test_the_macro_answers_for_any_column(sql: duckdb.DuckDBPyConnection, store: Path) -> None:
    with Snapshot.open(store) as snapshot:
        sheets = snapshot.read_sheets("chomp3")
    random = np.random.default_rng(3)
    points = [(int(random.integers(0, 301)), int(random.integers(0, 900))) for _ in range(300)]
    values = ", ".join(f"({x}, {y})" for x, y in points)
    found = rows(sql, f"SELECT chomp3_z('chomp3', x, y) FROM (VALUES {values}) AS t (x, y)")  # noqa: S608
    for (x, y), (z,) in zip(points, found, strict=True):
        length, period = int(sheets.prefix_length[x]), int(sheets.tail_period[x])
        if y < length:
            assert z == sheets.prefix_z[sheets.prefix_offset[x] + y]
        elif period:
            assert z == sheets.tail_z[sheets.tail_offset[x] + (y - length) % period]
        else:
            assert z is None


def test_the_macro_reaches_far(sql: duckdb.DuckDBPyConnection) -> None:
    x, q, _, (even, odd) = FACTS["tails"]["rows"][0]
    far = 10**15
    assert rows(
        sql, "SELECT chomp3_z('chomp3', $1, $2), chomp3_z('chomp3', $1, $2 + 1)", x, q - x + far
    ) == [(even, odd)]


def test_outcomes_of_the_golden_cases(sql: duckdb.DuckDBPyConnection) -> None:
    for name, passes in (("01_chomp3.jsonl", 0), ("02_chomp3_pass.jsonl", 1)):
        cases = [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()[::4]]
        game = "chomp3{passes=1}" if passes else "chomp3"
        for case in cases:
            if case.get("passes", 0) == passes and sum(case["position"]) > 0:
                found = rows(sql, "SELECT chomp3_outcome(?, ?, ?, ?)", game, *case["position"])
                assert found == [(case["outcome"],)], case


@pytest.mark.parametrize(
    "call",
    [
        *("'chomp3', 301, 0, 0", "'nim', 1, 0, 0", "'chomp3', 1, -1, 0", "'chomp3', 1, 0, -1"),
        *("'chomp3', 1, NULL, 0", "'chomp3', 1, 0, NULL", "'chomp3', 1, 0.5, 0"),
        *("'chomp3', 1, 0, 0.5", "'chomp3', 1, 'nan'::DOUBLE, 0"),
    ],
)
def test_outside_the_table_the_outcome_is_null(sql: duckdb.DuckDBPyConnection, call: str) -> None:
    assert rows(sql, f"SELECT chomp3_outcome({call})") == [(None,)]


def test_cut_sheets_say_so(published: Path, publish: Any) -> None:
    from position_oracle.schema.snapshot import GameRow, LoserSheets

    cut = LoserSheets(
        0,
        np.array([0, 2, 4]),
        np.array([1, 2, 5, 0], np.int32),
        np.array([-1, 0], np.int32),
        np.array([0, 0, 0]),
        np.zeros(0, np.int32),
    )
    game = GameRow(3, "chomp3{noise=normal(8),seed=7}", "chomp3", noise="normal(8)", seed=7)
    publish(published, cut, game)
    with Snapshot.open(published) as snapshot:
        sql = snapshot.cursor()
        name = game.name
        tails = rows(sql, "SELECT tail FROM sheets WHERE game = ? ORDER BY x", name)
        assert tails == [("not computed",), ("stops",)]
        asked = "SELECT chomp3_outcome($1, 0, 1, 2), chomp3_outcome($1, 0, 1, 1)"
        assert rows(sql, asked, name) == [("P", "N")]
        assert rows(sql, "SELECT chomp3_outcome($1, 0, 2, 1)", name) == [(None,)]
        # Row [0, 2, z] was not computed, so that only n <= 1 is complete.
        counts = "SELECT n, cumulative FROM p_counts WHERE game = $1"
        assert rows(sql, counts, name) == [(1, 1)]


def test_builds_are_shown_with_the_name_of_their_game(
    sql: duckdb.DuckDBPyConnection, store: Path
) -> None:
    found = rows(sql, "SELECT build_id, game, kind, limit_text, checksum FROM builds")
    with Snapshot.open(store) as snapshot:
        builds = snapshot.builds()
    assert found == [(b.build_id, b.game, b.kind, b.limit, b.checksum) for b in builds]
