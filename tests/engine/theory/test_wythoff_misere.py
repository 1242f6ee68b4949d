"""Wythoff's game in misere play: the closed form against a naive reference."""

from position_oracle.engine.theory import wythoff
from tests.reference.heaps_naive import NaiveHeaps


def test_small_heaps() -> None:
    naive = NaiveHeaps(groups=(2,), misere=True)
    for x in range(26):
        for y in range(26):
            assert wythoff.is_p_position(x, y, misere=True) != naive.is_n((x, y))
            winning = wythoff.winning_moves(x, y, misere=True)
            assert sorted(winning) == naive.winning_moves((x, y))
            order = [(x > a, y > b) for a, b in winning]
            assert order == sorted(order, key=[(True, False), (False, True), (True, True)].index)


def test_large_heaps_as_in_normal_play() -> None:
    assert wythoff.is_p_position(1_618_033, 2_618_033, misere=True)
    assert wythoff.winning_moves(10**9, 10**9, misere=True)[-1] == (2, 2)
    assert wythoff.winning_moves(10**9, 10**9 + 1, misere=True)[-1] == (0, 1)
