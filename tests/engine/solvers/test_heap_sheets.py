"""Loser sheets of three heaps: Nim with passes and its variants, games with lines."""

import json
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.heap_games import instant_winners
from position_oracle.engine.solvers.heap_sheets import Triple, estimate_bytes, solve
from position_oracle.engine.theory.perturbation import Perturbation
from tests.reference.heaps_naive import NaiveHeaps

GOLDEN = Path(__file__).parents[2] / "golden"
FACTS = json.loads((GOLDEN / "facts.json").read_text())["nim_with_a_pass"]


Sheets = NDArray[np.int32]


def golden(name: str, prefix: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"{name}.jsonl").open() as lines:
        cases = [case for case in map(json.loads, lines) if case["game"].startswith(prefix)]
    assert cases
    return cases


def triples(case: dict[str, Any]) -> list[Triple]:
    return [(x, y, z) for x, y, z in case.get("variant", [])]


def is_p_position(sheets: Sheets, heaps: list[int]) -> bool:
    x, y, z = heaps
    return int(sheets[x, y]) == z


def winning_moves(sheets: Sheets, less: Sheets | None, heaps: list[int]) -> list[list[int] | str]:
    """Return the regular moves to P-positions, and a winning pass, in the order of the cases."""
    lowered = [[*heaps[:i], value, *heaps[i + 1 :]] for i in range(3) for value in range(heaps[i])]
    found: list[list[int] | str] = [*sorted(c for c in lowered if is_p_position(sheets, c))]
    can_pass = less is not None and any(heaps) and is_p_position(less, heaps)
    return [*found, "pass"] if can_pass else found


# ---------------------------------------------------------------- golden cases and facts


def test_golden_positions_with_passes() -> None:
    sheets = [solve((), 20, 20, passes) for passes in range(4)]
    cases = [case for case in golden("03_nim_pass", "nim") if case["heaps"] in (2, 3)]
    for case in cases:
        heaps, passes = [0] * (3 - case["heaps"]) + case["position"], case["passes"]
        less = sheets[passes - 1] if passes else None
        found = winning_moves(sheets[passes], less, heaps)
        moves = [m if m == "pass" else [0] * (3 - case["heaps"]) + m for m in case["winning_moves"]]
        assert is_p_position(sheets[passes], heaps) == (case["outcome"] == "P"), case
        assert found == moves, case


def test_golden_positions_of_generic_nim() -> None:
    for case in golden("04_generic_nim3", "nim3_generic"):
        sheets = solve((), 15, 15, 0, declared=triples(case))
        heaps = case["position"]
        assert is_p_position(sheets, heaps) == (case["outcome"] == "P"), case
        if heaps not in case["variant"]:
            assert winning_moves(sheets, None, heaps) == case["winning_moves"], case


@pytest.mark.parametrize("name", ["10_sheets", "10_sheets_generic"])
def test_golden_sheets(name: str) -> None:
    for case in golden(name, "nim3"):
        passes = int(case["game"] == "nim3_pass1")
        sheets = solve((), 40, 40, passes, declared=triples(case))
        if case["kind"] == "L":
            assert sheets[case["x"], : len(case["L"])].tolist() == case["L"], case
        else:
            size = case["window"]
            window = instant_winners(GameSpec("nim", heaps=3), sheets, case["x"], size, size)
            assert np.argwhere(window).tolist() == case["W"], case


def test_published_facts_on_one_pass() -> None:
    z = solve((), 15, 15, 1)
    ordered = [(x, y, int(z[x, y])) for x in range(16) for y in range(x, 16) if z[x, y] >= y]
    three = [list(p) for p in ordered if p[0] >= 1 and p[2] <= 8]
    assert three == FACTS["three_heaps"]
    assert [list(p[1:]) for p in ordered if p[0] == 0 and p[2] <= 12] == FACTS["two_heaps"]
    for n, count in FACTS["counts_heaps_1_to_n"].items():
        assert sum(p[0] >= 1 and p[2] <= int(n) for p in ordered) == count


# ---------------------------------------------------------------- the rules


small = st.integers(0, 7)
variants = st.lists(st.tuples(small, small, st.integers(0, 12)), max_size=6)
sizes = st.tuples(st.integers(0, 7), st.integers(0, 7))


@settings(deadline=None, max_examples=40)
@given(sizes, st.integers(0, 3), variants)
def test_tables_follow_the_rules(
    limits: tuple[int, int], passes: int, declared: list[Triple]
) -> None:
    sheets = solve((), *limits, passes, declared=declared)
    naive = NaiveHeaps(declared=frozenset(declared))
    assert sheets.shape == (limits[0] + 1, limits[1] + 1)
    assert sheets.dtype == np.int32
    for (x, y), z in np.ndenumerate(sheets):
        assert not naive.is_n((x, y, int(z)), passes)
        in_column = sum(triple[:2] == (x, y) for triple in declared)
        assert z <= x + y + in_column + (passes > 0)


@settings(deadline=None, max_examples=60)
@given(
    sizes,
    st.integers(0, 2),
    variants,
    st.sampled_from([(2,), (3,), (2, 3)]),
)
def test_tables_with_lines_follow_the_rules(
    limits: tuple[int, int],
    passes: int,
    declared: list[Triple],
    sizes_of_lines: tuple[int, ...],
) -> None:
    naive = NaiveHeaps(groups=sizes_of_lines, declared=frozenset(declared))
    lines = tuple(line for size in sizes_of_lines for line in combinations(range(3), size))
    for (x, y), z in np.ndenumerate(solve(lines, *limits, passes, declared=declared)):
        assert not naive.is_n((x, y, int(z)), passes)


def test_misere_play_is_a_declared_terminal_position() -> None:
    for passes in range(3):
        z = solve((), 6, 6, passes, declared=[(0, 0, 0)])
        naive = NaiveHeaps(misere=True)
        for x, y in product(range(7), repeat=2):
            assert not naive.is_n((x, y, int(z[x, y])), passes)


@settings(deadline=None, max_examples=20)
@given(sizes, st.integers(0, 2), st.sampled_from(["normal(2)", "geometric(0.3)", "uniform(12)"]))
def test_perturbed_columns_are_declared(limits: tuple[int, int], passes: int, text: str) -> None:
    perturbation = Perturbation.parse(text, seed=5)
    declared = [
        (x, y, int(z))
        for x in range(limits[0] + 1)
        for y, z in enumerate(perturbation.columns(x, limits[1]))
    ]
    extra = [(1, 1, 0), (0, 2, 2), (0, 2, 3)]
    listed = solve((), *limits, passes, declared=declared + extra)
    drawn = solve((), *limits, passes, declared=extra, columns=perturbation.columns)
    assert (listed == drawn).all()


def test_declared_triples_are_ordered() -> None:
    z = solve((), 20, 20, 0, declared=[(1, 6, 7)])
    assert z[1, 6] != 7
    assert z[6, 1] == 7
    assert (z != z.T).any()


def test_repeated_and_unreachable_declarations_change_nothing() -> None:
    plain = solve((), 9, 9, 1, declared=[(2, 3, 1)])
    far = [(2, 3, 1), (2, 3, 1), (2, 3, 10**30), (10**30, 0, 0), (0, 10**30, 0)]
    assert (solve((), 9, 9, 1, declared=far) == plain).all()


# ---------------------------------------------------------------- what the tables show


def test_no_pass_is_nim_sum() -> None:
    x, y = np.ogrid[:201, :131]
    assert (solve((), 200, 130, 0) == x ^ y).all()


@pytest.mark.parametrize(
    "declared",
    [[], [(0, 0, 0)], [(1, 2, 3), (3, 2, 1), (2, 2, 0)], [(5, 4, 1), (4, 5, 1), (0, 0, 0)]],
)
def test_two_more_passes_change_nothing(declared: list[Triple]) -> None:
    by_recursion = [solve((), 70, 90, passes, declared=declared) for passes in range(6)]
    for passes in range(4):
        assert (by_recursion[passes] == by_recursion[passes + 2]).all()


def test_one_pass_shares_only_the_empty_position_with_none() -> None:
    z = [solve((), 255, 255, passes) for passes in (0, 1)]
    assert np.argwhere(z[0] == z[1]).tolist() == [[0, 0]]


def test_two_heaps_and_a_heap_of_one_have_closed_forms_with_a_pass() -> None:
    z = solve((), 1, 400, 1)
    y = np.arange(401)
    assert (z[0, 1:] == ((y - 1) ^ 1)[1:] + 1).all()
    assert z[1, :3].tolist() == [2, 1, 0]
    assert (z[1, 3:] == y[3:]).all()


def test_every_row_is_its_own_inverse_where_the_heaps_are_alike() -> None:
    z = solve((), 150, 150, 1)
    assert (z == z.T).all()
    for x, row in enumerate(z):
        inside = np.flatnonzero(row <= 150)
        assert (row[row[inside]] == inside).all(), x


def test_tables_of_different_shape_agree() -> None:
    square = solve((), 200, 200, 1)
    assert (solve((), 200, 30, 1) == square[:, :31]).all()
    assert (solve((), 30, 200, 1) == square[:31]).all()
    assert solve((), 0, 0, 1).tolist() == [[0]]
    assert solve((), 200, 30, 1).flags.c_contiguous


# ---------------------------------------------------------------- refusals and stops


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    solve((), 150, 10, 0, columns=Perturbation.parse("uniform(3)", 0).columns,
                   progress=lambda done, of: seen.append((done, of)))  # fmt: skip
    assert seen[-1] == (151, 151)
    assert len(seen) > 10
    assert seen == sorted(seen)


def test_estimate_counts_table_and_bit_sets() -> None:
    table = 4 * 1001 * 2001
    assert table < estimate_bytes((), 1000, 2000, 0) < estimate_bytes((), 1000, 2000, 1) < 2 * table


@pytest.mark.parametrize("last", [62, 63, 64, 127])
def test_a_declared_position_bars_the_largest_value_of_the_last_column(last: int) -> None:
    """So that the next value is needed, which may lie in the next word of bits."""
    z = solve((), 0, last, declared=[(0, last, last), (0, last, last + 1)])
    assert z[0].tolist() == [*range(last), last + 2]


def test_a_table_of_more_rows_than_columns_may_be_a_copy() -> None:
    """It is made by transposition, and for a moment there are both."""
    table = 4 * 91 * 61
    for lines in ((), ((0, 1),)):
        assert estimate_bytes(lines, 90, 60) == estimate_bytes(lines, 60, 90) + table
