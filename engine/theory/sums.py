"""Sums of games: a move is a move in one of the components, and play ends when none is left.

Two kinds of play have a theory in terms of the components' Grundy values, and both are here.

**Normal play**: the player who cannot move loses. In Chomp the poison cookie cannot be eaten then,
so the values are the restricted ones. By Sprague and Grundy a sum is a P-position exactly if the
nim-sum of the values of its components is 0, whatever impartial games they are.

**Misere play**: the player who makes the last move of all loses. In Chomp every bite is allowed, so
that only the last poison cookie is fatal, and the values are the unrestricted ones, the empty board
0. Unrestricted Chomp is tame (Huddleston & Shurman, Transfinite Chomp, section 4): the sum is a
P-position exactly if the nim-sum of the values is

    1   if every component has value 0 or 1,
    0   if some component has value 2 or more.

The components must be *one-move-terminal*: each position that is not terminal, and each that play
can reach from it, has a move to a terminal one. Chomp boards are of this kind (eat the poison),
and so is a single heap of Nim (take it all). Proof, and what fails for other components:
docs/grundy.md.

The same rule holds for components with *Ferguson's property*: each position that play can reach
in it, that has a move and the value 0, can be moved to a position of value 1. Heaps of every
subtraction game have it (T. S. Ferguson, On sums of graph games with last player losing, Internat.
J. Game Theory 3 (1974) 159-167; docs/subtraction.md), and Nim heaps with a pass of their own.
"""

from collections.abc import Iterable


def is_p_position(values: Iterable[int], *, misere: bool) -> bool:
    """Return whether the previous player wins a sum; without components, only in normal play.

    Args:
        values: the Grundy values of the components, which in misere play are one-move-terminal or
            have Ferguson's property.
        misere: whether the player who makes the last move of all loses.
    """
    total = greatest = 0
    for value in values:
        total ^= value
        greatest = max(greatest, value)
    return total == (misere and greatest <= 1)
