"""Nim with one pass: the closed form, compared with games played by the rules."""

from itertools import combinations_with_replacement

import numpy as np

from position_oracle.engine.theory import nim_pass
from tests.reference.heaps_naive import NaiveHeaps

HEAP_MAX = 2**63 - 1


def test_small_positions_follow_the_rules() -> None:
    naive = NaiveHeaps()
    box = [p for p in combinations_with_replacement(range(18), 3) if p[0] <= 1]
    heaps = np.array(box)
    for position, is_p, taken in zip(
        box,
        nim_pass.is_p_position_batch(heaps).tolist(),
        nim_pass.taken_batch(heaps).tolist(),
        strict=True,
    ):
        assert is_p != naive.is_n(position, 1)
        children = {
            tuple(heap - t * (i == line) for i, heap in enumerate(position))
            for line, t in enumerate(taken)
            if t
        }
        assert children == set(naive.winning_moves(position, 1)) - {"pass"}


def test_the_largest_heaps_do_not_overflow() -> None:
    heaps = np.array([[0, HEAP_MAX - 2, HEAP_MAX - 1], [0, HEAP_MAX, HEAP_MAX], [1, 5, HEAP_MAX]])
    assert nim_pass.is_p_position_batch(heaps).tolist() == [True, False, False]
    assert nim_pass.taken_batch(heaps[1:]).tolist() == [[0, 0, 0], [0, 0, HEAP_MAX - 5]]
