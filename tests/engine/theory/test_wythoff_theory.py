"""Two-heap Wythoff: golden-ratio formula, compared with the rules and at the largest numbers."""

import json
from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from position_oracle.engine.theory import wythoff
from tests.reference.heaps_naive import NaiveHeaps

GOLDEN = Path(__file__).parents[2] / "golden"
HEAP_MAX = 2**63 - 1

ORDER_OF_THE_RULES = [(False, False), (True, True), (False, True)]
"""The order of moves: from the first heap, from the second heap, then from both."""

# n phi comes closest to whole numbers at the Fibonacci numbers: the hardest case for a floor.
FIBONACCI = [1, 2]
while FIBONACCI[-1] + FIBONACCI[-2] <= HEAP_MAX:
    FIBONACCI.append(FIBONACCI[-1] + FIBONACCI[-2])

hard_numbers = st.builds(
    lambda base, step: min(max(base + step, 0), HEAP_MAX),
    st.sampled_from([*FIBONACCI, HEAP_MAX]),
    st.integers(-3, 3),
)
numbers = st.integers(0, HEAP_MAX) | st.integers(0, 50) | hard_numbers


def nearby(n: int, step: int) -> tuple[int, int]:
    """Return a position near the n-th P-position, within int64."""
    small = wythoff.lower(n)
    return min(small, HEAP_MAX), min(max(small + n + step, 0), HEAP_MAX)


positions = st.tuples(numbers, numbers) | st.builds(nearby, numbers, st.integers(-2, 2))


def test_golden_cases() -> None:
    with (GOLDEN / "05_grundy_wythoff2.jsonl").open() as lines:
        cases = list(map(json.loads, lines))
    for case in cases:
        x, y = case["position"]
        assert wythoff.is_p_position(x, y) == (case["outcome"] == "P"), case
        moves = wythoff.winning_moves(x, y)
        assert sorted(list(move) for move in moves) == case["winning_moves"], case


def first_moves(heaps: NDArray[np.int64]) -> list[tuple[int, int] | None]:
    """Return the first winning move of each position: tokens from the first, second or both."""
    found: list[tuple[int, int] | None] = []
    for (x, y), (a, b, both) in zip(
        heaps.tolist(), wythoff.taken_batch(heaps).tolist(), strict=True
    ):
        first = (x - a, y) if a else (x, y - b) if b else (x - both, y - both)
        found.append(first if a or b or both else None)
    return found


def test_small_positions_follow_the_rules() -> None:
    naive = NaiveHeaps(groups=(2,))
    box = list(product(range(36), repeat=2))
    children = first_moves(np.array(box))
    for position, child in zip(box, children, strict=True):
        moves = naive.winning_moves(position)
        assert wythoff.is_p_position(*position) != naive.is_n(position)
        found = wythoff.winning_moves(*position)
        assert sorted(found) == moves
        assert child == (found[0] if found else None)


@given(st.integers(0, 10**60))
def test_every_heap_has_its_partner_at_any_size(heap: int) -> None:
    other = wythoff.partner(heap)
    assert wythoff.is_p_position(heap, other)
    assert wythoff.partner(other) == heap


@given(st.tuples(st.integers(0, 10**40), st.integers(0, 10**40)) | positions)
def test_winning_moves_lead_exactly_from_n_to_p(position: tuple[int, int]) -> None:
    moves = wythoff.winning_moves(*position)
    assert bool(moves) != wythoff.is_p_position(*position)
    kinds = [(left == position[0], right != position[1]) for left, right in moves]
    assert kinds == [kind for kind in ORDER_OF_THE_RULES if kind in kinds]
    for left, right in moves:
        taken = (position[0] - left, position[1] - right)
        assert wythoff.is_p_position(left, right)
        assert min(taken) == 0 < max(taken) or taken[0] == taken[1] > 0


@given(st.lists(positions, min_size=1, max_size=30))
def test_batches_are_exact_for_every_int64_heap(rows: list[tuple[int, int]]) -> None:
    heaps = np.array(rows, dtype=np.int64)
    outcomes = wythoff.is_p_position_batch(heaps)
    children = first_moves(heaps)
    for index, position in enumerate(rows):
        assert outcomes[index] == wythoff.is_p_position(*position)
        moves = wythoff.winning_moves(*position)
        assert children[index] == (moves[0] if moves else None)


@given(st.lists(st.tuples(*[st.integers(0, 40) | st.integers(0, HEAP_MAX)] * 3), min_size=1))
def test_taking_from_three_heaps_leaves_no_nim_sum(rows: list[tuple[int, int, int]]) -> None:
    for (x, y, z), taken in zip(
        rows, wythoff.taken_from_three_batch(np.array(rows)).tolist(), strict=True
    ):
        least = min(x, y, z)
        assert 0 <= taken <= least
        if taken:
            assert (x - taken) ^ (y - taken) ^ (z - taken) == 0
        elif least <= 40 and x ^ y ^ z:
            assert all((x - t) ^ (y - t) ^ (z - t) for t in range(1, least + 1))


@given(st.lists(st.integers(0, HEAP_MAX), min_size=3, max_size=3), st.data())
def test_every_move_from_three_heaps_to_nim_sum_zero_is_found(
    heaps: list[int], data: st.DataObject
) -> None:
    x, y = (heap // 4 for heap in heaps[:2])
    taken = data.draw(st.integers(1, HEAP_MAX // 2))
    position = np.array([[x + taken, y + taken, (x ^ y) + taken]])
    assert wythoff.taken_from_three_batch(position).tolist() == [taken]
