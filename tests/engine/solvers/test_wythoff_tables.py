"""Tables of Wythoff's game with two and with three heaps."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.solvers.heap_sheets import WYTHOFF, estimate_bytes, solve
from position_oracle.engine.theory import wythoff as theory
from tests.reference.heaps_naive import NaiveHeaps

GOLDEN = Path(__file__).parents[2] / "golden"
FACTS = json.loads((GOLDEN / "facts.json").read_text())
PAIRS = ((0, 1), (0, 2), (1, 2))
LINES = {"pairs": PAIRS, "all": ((0, 1, 2),), "both": (*PAIRS, (0, 1, 2))}
DEFINITIONS: dict[str, tuple[int, ...]] = {"pairs": (2,), "all": (3,), "both": (2, 3)}
GAMES: dict[str, str] = {
    "wythoff3_pairs": "pairs",
    "wythoff3_triple": "all",
    "wythoff3_pairs_triple": "both",
}


def cases(name: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"{name}.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


# ---------------------------------------------------------------- two heaps


def test_golden_grundy_values() -> None:
    table = solve(WYTHOFF, 45, 45)
    for case in cases("05_grundy_wythoff2"):
        assert table[tuple(case["position"])] == case["grundy"], case


def test_a004481_and_a047708() -> None:
    table = solve(WYTHOFF, 40, 40)
    terms = FACTS["A004481"]["terms"]
    antidiagonals = [int(table[n - k, k]) for n in range(10) for k in range(n + 1)]
    assert antidiagonals[: len(terms)] == terms
    terms = FACTS["A047708"]["terms"]
    assert table.diagonal()[: len(terms)].tolist() == terms


def test_grundy_values_follow_the_rules() -> None:
    naive = NaiveHeaps(groups=(2,))
    for limits in ((17, 25), (25, 17), (0, 9), (0, 0)):
        table = solve(WYTHOFF, *limits)
        assert table.shape == (limits[0] + 1, limits[1] + 1)
        assert table.dtype == np.int32
        for position, value in np.ndenumerate(table):
            assert value == naive.grundy(position)


def test_value_zero_is_the_golden_ratio() -> None:
    table = solve(WYTHOFF, 300, 500)
    heaps = np.argwhere(np.ones(table.shape, dtype=bool))
    assert (theory.is_p_position_batch(heaps) == (table == 0).ravel()).all()


def test_each_value_occurs_once_in_rows_and_diagonals() -> None:
    table = solve(WYTHOFF, 200, 200)
    for row in table:
        assert len(set(row.tolist())) == 201
    for offset in range(-200, 201):
        diagonal = table.diagonal(offset)
        assert len(set(diagonal.tolist())) == len(diagonal)


# ---------------------------------------------------------------- three heaps


def test_golden_outcomes_with_three_heaps() -> None:
    sheets = {name: solve(LINES[name], 12, 12) for name in DEFINITIONS}
    for case in cases("05_wythoff3"):
        x, y, z = case["position"]
        table = sheets[GAMES[case["game"]]]
        assert (table[x, y] == z) == (case["outcome"] == "P"), case
        for move in case["winning_moves"]:
            assert table[tuple(move[:2])] == move[2], case


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_sheets_follow_the_rules(definition: str) -> None:
    naive = NaiveHeaps(groups=DEFINITIONS[definition])
    for limits in ((7, 9), (9, 7), (0, 5)):
        sheets = solve(LINES[definition], *limits)
        assert sheets.shape == (limits[0] + 1, limits[1] + 1)
        for (x, y), z in np.ndenumerate(sheets):
            assert not naive.is_n((x, y, int(z)))


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_no_move_joins_two_positions_of_a_large_table(definition: str) -> None:
    z = solve(LINES[definition], 120, 120).astype(np.int64)
    points = np.stack([*np.indices(z.shape), z], axis=-1).reshape(-1, 3)
    lines = [np.eye(3, dtype=int)[i] for i in range(3)]
    lines += [1 - line for line in lines] if definition != "all" else []
    lines += [np.ones(3, dtype=int)] if definition != "pairs" else []
    for line in lines:
        # Points on one line of moves have the same differences along it.
        first = int(np.flatnonzero(line)[0])
        keys = points - points[:, first : first + 1] * line
        assert len(np.unique(keys, axis=0)) == len(points)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_every_smaller_z_has_a_winning_move(definition: str) -> None:
    z = solve(LINES[definition], 60, 60)
    moves = [(1, 0, 0), (0, 1, 0)]
    moves += [(1, 1, 0), (1, 0, 1), (0, 1, 1)] if definition != "all" else []
    moves += [(1, 1, 1)] if definition != "pairs" else []
    for x, y in [(60, 60), (59, 60), (33, 52), (7, 60), (60, 21)]:
        reached = {
            int(z[x - t * dx, y - t * dy]) + t * dz
            for dx, dy, dz in moves
            for t in range(1, min(x if dx else 60, y if dy else 60) + 1)
        }
        assert set(range(z[x, y])) <= reached
        assert z[x, y] not in reached


def test_equal_numbers_from_all_three_heaps_leave_nim() -> None:
    x, y = np.ogrid[:150, :150]
    assert (solve(LINES["all"], 149, 149) == x ^ y).all()


def test_tables_of_different_shape_agree() -> None:
    for definition in DEFINITIONS:
        square = solve(LINES[definition], 90, 90)
        for rows, columns in product((90, 13), repeat=2):
            part = solve(LINES[definition], rows, columns)
            assert (part == square[: rows + 1, : columns + 1]).all()


# ---------------------------------------------------------------- refusals and stops


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    solve(WYTHOFF, 150, 150, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (151, 151)
    assert len(seen) > 10
    assert seen == sorted(seen)


def test_estimates_count_table_and_bit_sets() -> None:
    table = 4 * 1001 * 2001
    for lines in LINES.values():
        assert table < estimate_bytes(lines, 1000, 2000) < 3 * table
        assert estimate_bytes(lines, 2000, 1000) == estimate_bytes(lines, 1000, 2000) + table
