"""Two-wide positions: Table 1, (9-1) to (9-6), the worked values of section 9, inverses, mex."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    Ordinal,
    natural,
    omega_power,
)
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import UnknownAnswerError
from tests.each import for_each
from tests.reference import transfinite_naive as naive

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "transfinite.json").read_text())
CASES = [case for case in GOLDEN["cases"] if case["kind"] == "two_wide"]
MANY = pytest.mark.parametrize("count", [150, pytest.param(20_000, marks=pytest.mark.slow)])

TABLE_1 = [
    [0],
    [1, 2],
    [2, 1, 3],
    [3, 4, 1, 5],
    [4, 3, 5, 1, 6],
    [5, 6, 4, 7, 1, 8],
    [6, 5, 7, 4, 8, 1, 9],
    [7, 8, 6, 9, 4, 10, 1],
    [8, 7, 9, 6, 10, 4, 11],
    [9, 10, 8, 11, 7, 12, 4],
    [10, 9, 11, 8, 12, 7, 13],
    [11, 12, 10, 13, 9, 14, 7],
]


def left(h: Ordinal, k: Ordinal, bite: tuple[int, Ordinal]) -> tuple[Ordinal, Ordinal]:
    column, height = bite
    return (height, min(height, k)) if column == 0 else (h, height)


@for_each("case", CASES)
def test_golden_cases(case: dict[str, Any]) -> None:
    h, k = parse_ordinal(case["h"]), parse_ordinal(case["k"])
    assert str(two_wide.grundy(h, k)) == case["grundy"]
    found = two_wide.verdict(h, k)
    assert str(found.outcome) == case["outcome"]
    assert str(found.grundy) == case["grundy"]
    if case["winning_bite"] is not None:
        assert found.bite is not None
        assert two_wide.is_p(*left(h, k, (int(found.bite[0]), found.bite[1])))


def test_table_1() -> None:
    for u, row in enumerate(TABLE_1):
        assert [int(two_wide.grundy(u, v)) for v in range(len(row))] == row


def test_finite_values_by_brute_force() -> None:
    for u in range(40):
        for v in range(u + 1):
            assert two_wide.grundy(u, v) == naive.columns_grundy((u, v))


@pytest.mark.parametrize(
    ("h", "k", "value"),
    [
        ("w", "w", "1"),
        ("w*2", "w*2", "4"),
        ("w*3", "w*3", "13"),
        ("w*7", "w*7", str((3**7 - 1) // 2)),
        ("w^2", "w^2", "w"),
        ("w^3", "w^3", "w^2"),
        ("w^w", "w^w", "w^w*2"),
        ("w^w*2", "w^w", "w^w"),
        ("w^w*2", "w^w*2", "w^w*3"),
        ("w^(w+1)", "w^(w+1)", "w^w"),
        ("w^(w+1)*2", "w^(w+1)*2", "w^w*4"),
        ("w^(w+1)*3", "w^(w+1)*3", "w^w*13"),
        ("w^(w+2)", "w^(w+2)", "w^(w+1)"),
        ("w^(w+3)", "w^(w+3)", "w^(w+2)"),
        # The paper prints (w^w)^2; (9-6) and the bites into the right column alone give twice that.
        ("w^(w*2)", "w^(w*2)", "w^(w*2)*2"),
        ("w*3+5", "w+6", "w*2+3"),
    ],
)
def test_worked_values_of_section_9(h: str, k: str, value: str) -> None:
    assert str(two_wide.grundy(parse_ordinal(h), parse_ordinal(k))) == value


def test_the_p_positions() -> None:
    assert two_wide.is_p(OMEGA, OMEGA)
    assert two_wide.is_p(8, 7)
    assert not two_wide.is_p(8, 8)
    assert not two_wide.is_p(OMEGA + 1, OMEGA)
    assert not two_wide.is_p(OMEGA_2, OMEGA_2)


@MANY
def test_inverses(count: int) -> None:
    rng = Random(9)
    for _ in range(count):
        h, k = naive.two_columns(rng)
        value = two_wide.grundy(h, k)
        assert two_wide.left_height(k, value) == h
        assert two_wide.right_height(h, value) == k
        assert two_wide.diagonal_height(two_wide.diagonal(h)) == h
        g = naive.ordinal(rng, naive.HIGH)
        cut = two_wide.left_height(k, g)
        assert two_wide.grundy(cut, min(cut, k)) == g


@MANY
def test_values_are_the_mex_of_those_a_bite_leaves(count: int) -> None:
    """The given bite reaches each smaller value; no adversarial bite reaches the value itself."""
    rng = Random(1)
    for _ in range(count):
        h, k = naive.two_columns(rng)
        value = two_wide.grundy(h, k)
        for bite in [(c, z) for z in naive.adversarial_heights(rng, (h, k)) for c in (0, 1)]:
            if bite[1] < (h, k)[bite[0]]:
                assert two_wide.grundy(*left(h, k, bite)) != value
        for smaller in naive.adversarial_heights(rng, (value,)):
            if smaller < value:
                bite_found = two_wide.bite_to(h, k, smaller)
                assert bite_found is not None
                assert bite_found[1] < (h, k)[bite_found[0]]
                assert two_wide.grundy(*left(h, k, bite_found)) == smaller


@MANY
def test_certificates(count: int) -> None:
    rng = Random(2)
    for _ in range(count):
        h, k = naive.two_columns(rng)
        found = two_wide.verdict(h, k)
        assert (found.outcome is Outcome.P) == (found.grundy == 1) == two_wide.is_p(h, k)
        if found.outcome is Outcome.N:
            assert found.bite is not None
            column, height = int(found.bite[0]), found.bite[1]
            assert height < (h, k)[column]
            assert two_wide.is_p(*left(h, k, (column, height)))


def test_powers_of_three_are_bounded() -> None:
    huge = omega_power(1, 10**18)
    with pytest.raises(UnknownAnswerError, match="3\\^"):
        two_wide.grundy(huge, huge)
    found = two_wide.verdict(huge, huge)
    assert found.outcome is Outcome.N
    assert naive.texts(found.bite) == ("0", "w")
    assert found.grundy is None
    assert "3^" in found.reason
    assert two_wide.left_height(huge, 5) == two_wide.diagonal_height(5)
    assert two_wide.right_height(huge, natural(13)) is None
