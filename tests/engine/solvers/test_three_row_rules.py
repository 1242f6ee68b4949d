"""Sheets agree with the rules of the games: golden cases, naive game trees, plain recursion."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.engine.solvers.three_row.exclusions import Triple
from position_oracle.schema.sheets import CUT, STOPS, LoserSheets
from tests.each import for_each
from tests.reference.three_row_naive import p_positions, sheet_recursion

GOLDEN = Path(__file__).parents[2] / "golden"

triples = st.tuples(st.integers(0, 5), st.integers(0, 8), st.integers(0, 6))
variants = st.lists(triples, min_size=0, max_size=30).map(tuple)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


@cache
def sheets_of(limit: int, passes: int = 0, declared: tuple[Triple, ...] = ()) -> LoserSheets:
    if passes == 0:
        return solve(limit, declared=declared)
    return solve(limit, exclusions=sheets_of(limit, passes - 1, declared), declared=declared)


def is_p(sheets: LoserSheets, position: Iterable[int]) -> bool:
    x, y, z = position
    return sheets.z_at(x, y) == z


def rows_of_p_positions(sheets: LoserSheets, longest: int) -> set[tuple[int, int, int]]:
    found = set()
    for x in range(longest + 1):
        for y in range(longest - x + 1):
            z = sheets.z_at(x, y)
            if z is not None and x + y + z <= longest:
                found.add((x + y + z, x + y, x))
    return found


def column_values(sheets: LoserSheets, row_end: int) -> list[list[int | None]]:
    return [[sheets.z_at(x, y) for y in range(row_end - x)] for x in range(len(sheets))]


def test_plain_game_agrees_with_the_game_tree() -> None:
    assert rows_of_p_positions(sheets_of(61), 60) == p_positions(60)[0]


def test_games_with_passes_agree_with_the_game_tree() -> None:
    for passes, expected in enumerate(p_positions(36, passes=3)):
        assert rows_of_p_positions(sheets_of(37, passes), 36) == expected


@settings(max_examples=40)
@given(declared=variants, passes=st.integers(0, 2))
@example(declared=((1, 1, 0),), passes=0)  # [2, 0, 0] becomes a P-position
@example(declared=((0, 0, 1),), passes=2)
def test_variants_agree_with_the_game_tree(declared: tuple[Triple, ...], passes: int) -> None:
    expected = p_positions(14, passes, declared)[passes]
    assert rows_of_p_positions(sheets_of(15, passes, declared), 14) == expected


def excluded_by(fewer: LoserSheets, declared: tuple[Triple, ...], x: int, y: int) -> set[int]:
    barred = {c for a, b, c in declared if (a, b) == (x, y)}
    passed = fewer.z_at(x, y)
    if passed is not None and (x, y, passed) != (0, 0, 1):
        barred.add(passed)
    return barred


@settings(max_examples=25)
@given(declared=variants)
@example(declared=())
@example(declared=((0, 40, 1), (3, 90, 0), (3, 90, 3)))  # beyond the undisturbed tails
def test_certified_tails_go_on_as_the_recursion_says(declared: tuple[Triple, ...]) -> None:
    limit, row_end = 10, 240
    at_xy = {(x, y): {c for a, b, c in declared if (a, b) == (x, y)} for x, y, _ in declared}
    expected = sheet_recursion(limit, row_end, lambda x, y: at_xy.get((x, y), ()))
    fewer = sheets_of(limit, 0, declared)
    assert column_values(fewer, row_end) == expected
    expected = sheet_recursion(limit, row_end, lambda x, y: excluded_by(fewer, declared, x, y))
    assert column_values(sheets_of(limit, 1, declared), row_end) == expected


@pytest.mark.parametrize(
    "declared",
    [
        ((2, 40_000, 2),),
        ((0, 50_000, 1),),
        ((1, 20_000, 0),),
        ((1, 33_333, 2), (3, 65_600, 4)),
    ],
)
def test_positions_declared_far_out_agree_with_the_recursion(declared: tuple[Triple, ...]) -> None:
    limit, end = 5, 66_000
    sheets = solve(limit, declared=declared)
    by_column = {(x, y): {z} for x, y, z in declared}
    expected = sheet_recursion(limit, end, lambda x, y: by_column.get((x, y), ()))
    for x in range(limit):
        columns = np.arange(end - x)
        found = sheets.look_up(x, columns)
        assert found.tolist() == [-1 if z is None else z for z in expected[x]]


def test_tails_are_least() -> None:
    for passes in (0, 1, 2):
        sheets = sheets_of(1200, passes)
        for i in np.flatnonzero(sheets.tail_period > 0):
            tail = sheets.tail_z[sheets.tail_offset[i] : sheets.tail_offset[i + 1]]
            prefix = sheets.prefix_z[sheets.prefix_offset[i] : sheets.prefix_offset[i + 1]]
            period = len(tail)
            assert period == sheets.tail_period[i]
            assert len(prefix) == 0 or prefix[-1] != tail[-1], "the tail could begin earlier"
            for divisor in range(1, period):
                if period % divisor == 0:
                    assert np.any(tail != np.roll(tail, divisor)), "the period could be shorter"


LOSER_SHEETS = [
    case
    for case in cases("10_sheets.jsonl") + cases("10_sheets_generic.jsonl")
    if case["kind"] == "L" and case["game"].startswith("chomp3")
]


@for_each("case", LOSER_SHEETS)
def test_golden_sheets(case: dict[str, Any]) -> None:
    passes = int(case["game"].endswith("pass1"))
    declared = tuple(tuple(triple) for triple in case.get("variant", ()))
    sheets = sheets_of(41, passes, declared)
    assert [sheets.z_at(case["x"], y) for y in range(len(case["L"]))] == case["L"]


def test_golden_positions() -> None:
    for case in cases("01_chomp3.jsonl"):
        if sum(case["position"]) > 0:
            assert is_p(sheets_of(200), case["position"]) == (case["outcome"] == "P"), case
    for case in cases("02_chomp3_pass.jsonl"):
        if sum(case["position"]) > 0:
            sheets = sheets_of(200, case["passes"])
            assert is_p(sheets, case["position"]) == (case["outcome"] == "P"), case
    for case in cases("04_generic_chomp3.jsonl"):
        if sum(case["position"]) > 0:
            sheets = sheets_of(200, 0, tuple(tuple(triple) for triple in case["variant"]))
            assert is_p(sheets, case["position"]) == (case["outcome"] == "P"), case


def test_a_rectangle_closes_the_game() -> None:
    sheets = solve(40, declared=[(1, 1, 0)])
    assert sheets.closed_by == 2
    assert sheets.z_at(2, 0) == 0
    assert all(sheets.tail_period[2:] == STOPS)
    assert not any(sheets.prefix_length[3:])
    assert sheets.z_at(30, 0) is None
    assert sheets.z_at(1000, 5) is None
    assert solve(40).closed_by is None


def test_excluding_a_closed_game_excludes_nothing_beyond() -> None:
    closed = solve(30, declared=[(1, 1, 0)])
    sheets = solve(30, exclusions=closed, declared=[(1, 1, 0)])
    assert rows_of_p_positions(sheets, 20) == p_positions(20, 1, [(1, 1, 0)])[1]


def noise(x: int, last_y: int = 200) -> NDArray[np.int64]:
    """Return one excluded z for most columns and none (-1) for others, equal on every machine."""
    y = np.arange(last_y + 1)
    return (y * 2654435761 + x * 40503) % 97 % 14 - 1


def test_exclusions_in_every_column() -> None:
    limit, y_limit = 70, 60
    sheets = solve(limit, exclusions=noise, y_limit=y_limit)
    expected = sheet_recursion(limit, limit - 1 + y_limit, lambda x, y: {int(noise(x)[y])} - {-1})
    for x in range(limit):
        assert sheets.tail_period[x] in (STOPS, CUT)
        assert sheets.prefix_length[x] <= y_limit
        known = y_limit if sheets.tail_period[x] == CUT else int(sheets.prefix_length[x])
        prefix = sheets.prefix_z[sheets.prefix_offset[x] : sheets.prefix_offset[x + 1]].tolist()
        assert prefix == expected[x][:known]
        if sheets.tail_period[x] == STOPS:
            assert sheets.z_at(x, y_limit + 100) is None
    assert set(sheets.census()) == {STOPS, CUT}


def test_a_limit_in_y_cuts_the_plain_game_too() -> None:
    whole, cut = sheets_of(150), solve(150, y_limit=20)
    for x in range(150):
        assert cut.prefix_length[x] == min(whole.prefix_length[x], 20)
        for y in range(20):
            assert cut.z_at(x, y) == whole.z_at(x, y)
