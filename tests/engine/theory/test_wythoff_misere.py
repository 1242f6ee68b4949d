"""Wythoff's game in misere play: the closed form against a naive reference."""

import pytest

from position_oracle.engine.theory import wythoff_misere
from position_oracle.schema.errors import InvalidPositionError
from tests.reference.heaps_naive import NaiveHeaps


def test_small_heaps() -> None:
    naive = NaiveHeaps(groups=(2,), misere=True)
    for x in range(26):
        for y in range(26):
            assert wythoff_misere.is_p_position(x, y) != naive.is_n((x, y))
            winning = wythoff_misere.winning_moves(x, y)
            assert sorted(winning) == naive.winning_moves((x, y))
            order = [(x > a, y > b) for a, b in winning]
            assert order == sorted(order, key=[(True, False), (False, True), (True, True)].index)


def test_large_heaps_as_in_normal_play() -> None:
    assert wythoff_misere.is_p_position(1_618_033, 2_618_033)
    assert wythoff_misere.winning_moves(10**9, 10**9)[-1] == (2, 2)
    assert wythoff_misere.winning_moves(10**9, 10**9 + 1)[-1] == (0, 1)
    with pytest.raises(InvalidPositionError):
        wythoff_misere.is_p_position(-1, 0)
