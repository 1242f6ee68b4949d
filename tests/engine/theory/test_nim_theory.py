"""Nim: the closed form, compared with the rules and golden cases."""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory import nim, sums
from tests.reference.heaps_naive import NaiveHeaps

GOLDEN = Path(__file__).parents[2] / "golden"

any_heaps = st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 3), max_size=6)
equally_many = st.integers(0, 5).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 3), min_size=k, max_size=k),
        min_size=1,
        max_size=8,
    )
)


def winning_moves(heaps: Sequence[int], misere: bool = False) -> list[tuple[int, ...]]:
    rows = np.array([heaps], dtype=np.int64)
    (targets,) = nim.target_batch(rows, misere=misere).tolist()
    found = [(*heaps[:i], t, *heaps[i + 1 :]) for i, t in enumerate(targets) if t < heaps[i]]
    return sorted(found)


def test_golden_cases() -> None:
    with (GOLDEN / "03_nim_pass.jsonl").open() as lines:
        cases = [case for case in map(json.loads, lines) if case["passes"] == 0]
    assert len(cases) > 90
    for case in cases:
        heaps = case["position"]
        assert sums.is_p_position(heaps, misere=False) == (case["outcome"] == "P"), case
        assert list(map(list, winning_moves(heaps))) == case["winning_moves"], case


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(("heaps", "limit"), [(1, 9), (2, 7), (3, 5), (4, 3)])
def test_small_positions_follow_the_rules(heaps: int, limit: int, misere: bool) -> None:
    naive = NaiveHeaps(misere=misere)
    for position in product(range(limit + 1), repeat=heaps):
        assert sums.is_p_position(position, misere=misere) != naive.is_n(position)
        assert winning_moves(position, misere) == naive.winning_moves(position)


@given(any_heaps, st.booleans())
def test_winning_moves_lead_exactly_from_n_to_p(heaps: list[int], misere: bool) -> None:
    moves = winning_moves(heaps, misere)
    terminal = not any(heaps)
    assert bool(moves) == (not terminal and not sums.is_p_position(heaps, misere=misere))
    assert moves == sorted(set(moves))
    for move in moves:
        assert sums.is_p_position(move, misere=misere)
        assert sum(after != before for after, before in zip(move, heaps, strict=True)) == 1
        assert sum(move) < sum(heaps)


@given(equally_many, st.booleans())
def test_batches_agree_with_single_positions(rows: list[list[int]], misere: bool) -> None:
    heaps = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    outcomes = nim.is_p_position_batch(heaps, misere=misere)
    for index, row in enumerate(rows):
        assert outcomes[index] == sums.is_p_position(row, misere=misere)
