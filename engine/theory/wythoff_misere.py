"""Wythoff's game with two heaps in misere play: the player who cannot move wins.

The P-positions are those of normal play with [0, 0] and [1, 2] replaced by [0, 1] and [2, 2]; all
others stay. Proof: docs/wythoff-misere.md.

Source: A. S. Fraenkel, Wythoff games, continued fractions, cedar trees and Fibonacci searches,
Theoret. Comput. Sci. 29 (1984) 49-73, for misere play.
"""

from typing import Final

from position_oracle.engine.theory import wythoff

_SMALL: Final = ((0, 1), (1, 0), (2, 2))


def is_p_position(x: int, y: int) -> bool:
    """Return whether the previous player wins from (x, y), heaps of any size.

    Raises:
        InvalidPositionError: A negative heap.
    """
    if min(x, y) <= 2:
        wythoff.is_p_position(x, y)  # for its check of the heaps
        return (x, y) in _SMALL
    return wythoff.is_p_position(x, y)


def winning_moves(x: int, y: int) -> list[tuple[int, int]]:
    """Return every position reached by a winning move: from the first heap, the second, or both.

    Raises:
        InvalidPositionError: A negative heap.
    """
    if is_p_position(x, y):
        return []
    small = (
        (a, b) for a, b in _SMALL if a <= x and b <= y and (a == x or b == y or x - a == y - b)
    )
    found = {child for child in (*wythoff.winning_moves(x, y), *small) if is_p_position(*child)}
    return sorted(found, key=lambda child: (child[1] < y, child[0] < x, child))
