"""Misere play that follows the values of normal play: who is left without a move wins.

A component has Ferguson's property if each position that play can come to in it, has a move and
has the value 0, can be moved to a position of value 1. Nim heaps have it, heaps of every
subtraction game (T. S. Ferguson, On sums of graph games with last player losing, Internat. J. Game
Theory 3 (1974) 159-167), and Nim heaps with a pass of their own.

Theorem (docs/subtraction.md): a sum of such components is a P-position of misere play exactly if
all values are at most 1 and their nim-sum is 1, or some value is greater and their nim-sum is 0.
"""

from collections.abc import Iterable


def is_p_position(values: Iterable[int]) -> bool:
    """Whether the previous player wins a sum in misere play, if all have Ferguson's property.

    Args:
        values: The Grundy values of the components in normal play.
    """
    total = greatest = 0
    for value in values:
        total ^= value
        greatest = max(greatest, value)
    return total == (greatest <= 1)
