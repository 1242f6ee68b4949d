"""Nim in closed form: outcomes and winning moves of many positions, with any number of heaps.

Normal play (the player who cannot move loses) is Bouton's theorem: the Grundy value of a position
is the nim-sum of its heaps, and the P-positions are those of value 0. Misere play (the player who
cannot move wins) differs only if no heap has more than one token. Heaps are 0 to 2^63 - 1.

`sums.is_p_position` decides one position.

Source: C. L. Bouton, Nim, a game with a complete mathematical theory, Ann. of Math. 3 (1902)
35-39.
"""

import numpy as np
from numpy.typing import NDArray


def is_p_position_batch(heaps: NDArray[np.int64], *, misere: bool = False) -> NDArray[np.bool_]:
    """Return whether the previous player wins: positions (n, k) to results (n,)."""
    values = np.bitwise_xor.reduce(heaps, axis=1)
    return np.asarray(values == ((heaps <= 1).all(axis=1) if misere else 0))


def target_batch(heaps: NDArray[np.int64], *, misere: bool = False) -> NDArray[np.int64]:
    """Return the size of each heap that would make the position P, with the other heaps fixed.

    Args:
        heaps: Shape (n, k), one position in each row.
        misere: Whether the player who takes the last token loses.

    Returns:
        Shape (n, k), int64. Lowering a heap wins exactly if its target is smaller than the heap.
    """
    targets: NDArray[np.int64] = heaps ^ np.bitwise_xor.reduce(heaps, axis=1)[:, np.newaxis]
    if misere:
        large = heaps > 1
        alone = large.sum(axis=1, keepdims=True) - large == 0
        targets = np.where(alone, 1 ^ targets, targets)
    return targets


def third_heap_table(rows: int, columns: int, *, misere: bool = False) -> NDArray[np.int32]:
    """Return the z that makes [x, y, z] P, for x below `rows` and y below `columns`.

    Returns:
        Shape (rows, columns), int32.
    """
    x, y = np.arange(rows, dtype=np.int32), np.arange(columns, dtype=np.int32)
    z = x[:, np.newaxis] ^ y
    if misere:
        z[:2, :2] ^= 1
    return z
