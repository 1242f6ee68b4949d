"""Three-wide positions: sheets, the Side-Top Theorem, criterion (10-1), the tall box."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite import three_wide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_OMEGA,
    Ordinal,
    natural,
)
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.engine.theory.transfinite.sheets import (
    finite_left_height,
    spread,
    square_height,
    tail_rank,
)
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import UnknownAnswerError
from tests.each import for_each
from tests.reference import transfinite_naive as naive

GOLDEN_FOLDER = Path(__file__).parents[2] / "golden"
GOLDEN = json.loads((GOLDEN_FOLDER / "transfinite.json").read_text())
CASES = [case for case in GOLDEN["cases"] if case["kind"] == "three_wide"]
MANY = pytest.mark.parametrize("count", [60, pytest.param(20_000, marks=pytest.mark.slow)])

Columns = tuple[Ordinal, Ordinal, Ordinal]


def left(columns: Columns, column: int, height: Ordinal) -> Columns:
    u, v, x = (min(c, height) if i >= column else c for i, c in enumerate(columns))
    return u, v, x


def decide(columns: Columns) -> Decision:
    return three_wide.verdict(*columns, loser_sheets())


def check_bite(columns: Columns, found: Decision) -> Columns:
    assert found.bite is not None
    column, height = int(found.bite[0]), found.bite[1]
    assert height < columns[column]
    after = left(columns, column, height)
    assert decide(after).outcome is Outcome.P
    return after


@for_each("case", CASES)
def test_golden_cases(case: dict[str, Any]) -> None:
    u, v, x = (parse_ordinal(case[name]) for name in "uvx")
    found = decide((u, v, x))
    assert str(found.outcome) == case["outcome"]
    if case["outcome"] == "N":
        check_bite((u, v, x), found)


def test_small_sheets_are_the_golden_ones() -> None:
    with (GOLDEN_FOLDER / "10_sheets.jsonl").open() as lines:
        cases = [c for c in map(json.loads, lines) if c["game"] == "chomp3" and c["kind"] == "L"]
    assert cases
    for case in cases:
        x = case["x"]
        if x >= loser_sheets().end_x:
            continue
        square = square_height(loser_sheets(), x)
        for y, z in enumerate(case["L"]):
            height = finite_left_height(loser_sheets(), x + y, x)
            assert height == (square if z is None else x + y + z)
    assert list(loser_sheets().tails[:10]) == [0, 2, 5, 7, 9, 11, 14, 17, 19, 22]
    assert tail_rank(loser_sheets(), 7) == 3
    assert tail_rank(loser_sheets(), 8) is None


def test_the_sheets_of_the_solver_are_the_same() -> None:
    """The sheets equal the arrays of the solver of three-row Chomp, with their tails up to 400."""
    table = solve(401)
    assert len(table.tails) == 167
    assert list(table.tails[: len(loser_sheets().tails)]) == list(loser_sheets().tails)
    for x in range(loser_sheets().end_x):
        assert square_height(table, x) == square_height(loser_sheets(), x)
        assert spread(table, x) == spread(loser_sheets(), x)
        for v in range(x, x + 200):
            assert finite_left_height(table, v, x) == finite_left_height(loser_sheets(), v, x)
    with pytest.raises(UnknownAnswerError):
        finite_left_height(table, 500, 401)
    rank = three_wide.verdict(OMEGA * 4 + 3, OMEGA * 4, OMEGA * 4, table)
    assert naive.texts(rank.bite) == ("2", str(table.tails[94]))


def test_finite_positions_by_brute_force() -> None:
    for u in range(1, 13):
        for v in range(u + 1):
            for x in range(v + 1):
                found = decide((natural(u), natural(v), natural(x)))
                assert (found.outcome is Outcome.P) == (naive.columns_grundy((u, v, x)) == 1)
                if found.outcome is Outcome.N:
                    check_bite((natural(u), natural(v), natural(x)), found)


def test_the_tall_box_and_only_it() -> None:
    assert decide((OMEGA_OMEGA,) * 3).outcome is Outcome.P
    for height in ("1", "7", "w", "w+3", "w*2", "w^2", "w^2+w", "w^5*2+w", "w^w+1", "w^(w+1)"):
        box = (parse_ordinal(height),) * 3
        assert decide(box).outcome is Outcome.N


def test_replies_to_bites_into_the_tall_box() -> None:
    """Section 10 names the reply to every bite (e, z) into 3 x w^w."""
    z = parse_ordinal("w^2*3+w+4")
    after = left((OMEGA_OMEGA,) * 3, 2, z)
    check_bite(after, decide(after))
    after = left((OMEGA_OMEGA,) * 3, 1, z)
    # w^i * 2x_i + G(2 x c) with x = w^2*3 + c, G(w+4, w+4) = 3*6 + 1
    assert naive.texts(decide(after).bite) == ("0", "w^2*6+19")
    # (2, x) with x = w^i * z_(i+1) + G(2 x c) for z = w^2*3 + c
    assert naive.texts(decide((z, z, z)).bite) == ("2", "w*3+19")


@MANY
def test_certificates(count: int) -> None:
    """Every given bite wins; no adversarial bite leads from a P-position to another."""
    rng = Random(10)
    for _ in range(count):
        columns = naive.three_columns(rng)
        found = decide(columns)
        assert found.outcome is not Outcome.UNKNOWN
        p_position = columns
        if found.outcome is Outcome.N:
            if found.bite is None:
                assert "rank" in found.reason
                continue
            p_position = check_bite(columns, found)
        heights = naive.adversarial_heights(rng, p_position)
        for height in heights if count < 1000 else rng.sample(heights, 16):
            for column in range(3):
                if height < p_position[column] and (column or height):
                    after = left(p_position, column, height)
                    refuted = decide(after).outcome is Outcome.P
                    assert not refuted, (p_position, column, height)


def test_the_reference_gives_the_arrays_of_the_solver() -> None:
    solved = solve(loser_sheets().end_x)
    for name in ("prefix_offset", "prefix_z", "tail_period", "tail_offset", "tail_z"):
        assert getattr(loser_sheets(), name).tolist() == getattr(solved, name).tolist(), name


def test_beyond_the_table_of_sheets() -> None:
    few = loser_sheets(16)  # tails 0, 2, 5, 7, 9, 11, 14
    x = natural(40)
    at_once = three_wide.verdict(OMEGA + 3, OMEGA, x, few)
    assert naive.texts(at_once.bite) == ("2", "7")
    too_high = three_wide.verdict(OMEGA_2, OMEGA, x, few)
    assert too_high.outcome is Outcome.N
    assert too_high.bite is None
    assert "sheet 40" in too_high.reason
    open_case = three_wide.verdict(OMEGA + 20, OMEGA, x, few)
    assert open_case.outcome is Outcome.UNKNOWN
    assert "sheet 40" in open_case.reason
    far = three_wide.verdict(natural(200), natural(60), x, few)
    assert (far.outcome, far.rule) == (Outcome.N, Rule.SIZE_LEMMA)
    assert far.bite is None
    near = three_wide.verdict(natural(61), natural(60), x, few)
    assert naive.texts(near.bite) == ("2", "0")
    assert three_wide.verdict(natural(70), natural(60), x, few).outcome is Outcome.UNKNOWN
    rank = three_wide.verdict(OMEGA * 4 + 3, OMEGA * 4, OMEGA * 4, few)
    assert rank.outcome is Outcome.N
    assert rank.bite is None
    assert "rank 94" in rank.reason
    with pytest.raises(UnknownAnswerError):
        finite_left_height(few, 40, 40)


def test_a_power_of_three_too_large_leaves_the_outcome_exact() -> None:
    huge = OMEGA * 10**12
    for columns in ((huge, huge, OMEGA + 4), (OMEGA_2 + huge, OMEGA_2 + huge, OMEGA + 2)):
        found = decide(columns)
        assert found.outcome is Outcome.N
