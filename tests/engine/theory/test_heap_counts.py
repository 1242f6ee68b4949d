"""Numbers of positions of heaps equal the length of a list of them."""

from itertools import combinations_with_replacement, product

import pytest

from position_oracle.engine.theory.heap_counts import (
    MAX_TOTAL,
    side_by_side,
    smaller_heaps,
    split_heaps,
    splits_up_to,
)


@pytest.mark.parametrize("heaps", [(3,), (1, 1), (2, 3), (4, 2, 4), (0, 3, 3)])
def test_smaller_heaps_are_counted_without_their_order(heaps: tuple[int, ...]) -> None:
    inside = {tuple(sorted(each)) for each in product(*(range(heap + 1) for heap in heaps))}
    assert smaller_heaps(heaps) == len(inside)


@pytest.mark.parametrize(("total", "least", "most"), [(0, 1, 0), (5, 1, 5), (9, 2, 4), (7, 3, 7)])
def test_multisets_are_counted(total: int, least: int, most: int) -> None:
    listed = [
        chosen
        for size in range(total + 1)
        for chosen in combinations_with_replacement(range(least, most + 1), size)
        if sum(chosen) <= total
    ]
    assert split_heaps(total, least, most) == len(listed)
    smaller = [sum(sum(chosen) <= each for chosen in listed) for each in range(total + 1)]
    assert list(splits_up_to(total, least, most)) == smaller


def test_equal_heaps_become_multisets() -> None:
    assert side_by_side("aab", {"a": 4, "b": 3}) == 10 * 3


def test_very_many_are_not_counted() -> None:
    assert split_heaps(MAX_TOTAL, 1, MAX_TOTAL) == float("inf")
    assert split_heaps(10**18, 1, 10**18) == float("inf")
    assert side_by_side([10**18], {10**18: float("inf")}) > 10**12
