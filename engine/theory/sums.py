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

Proof, for *one-move-terminal* components: each position that is not terminal, and each that play
can come to from it, has a move to a terminal one. Chomp boards are of this kind (eat the poison),
and so is a single heap of Nim (take it all). Such a component has value 0 only if it is terminal,
and from value 2 or more it can be moved to 0 and to 1. Call the sums that fulfil the rule *good*;
the sum of terminal components is not good (nim-sum 0), as it should be: the player to move there
has won. It remains to show that no move joins two good sums, and that a move leads from every other
sum that is not terminal to a good one.

(1) From a good sum with all values at most 1: a component that moves has value 1, its options have
value 0 or at least 2. In the first case the nim-sum becomes 0 with all values at most 1; in the
second exactly one value is 2 or more, so the nim-sum is not 0. Neither is good.
(2) From a good sum with a value of 2 or more: as the nim-sum is 0 there are two such values. One is
left after the move, and the nim-sum is not 0 any more. Not good.
(3) From a sum that is not good, not terminal, all values at most 1: the nim-sum is 0, and some
component is not terminal, so has value 1. Ending it makes the nim-sum 1. Good.
(4) From a sum that is not good with exactly one value of 2 or more: move that component to 0 or 1,
whichever makes the nim-sum 1. Good.
(5) From a sum that is not good with several values of 2 or more: the nim-sum s is not 0, so as in
Nim some component of value g has an option of value g XOR s < g. The nim-sum becomes 0, and at
least one value of 2 or more is left. Good.

Restricted Chomp is not tame (ibid.). Of two boards of restricted value 0, [1, 0, 2] and the poison
[0, 0, 1], misere play makes the first P (it is Nim with heaps 2 and 2) and the second N. Nor are
several heaps of Nim one-move-terminal as one component, and for other games there is no such rule
in general. So those are refused in misere play, and so is unrestricted Chomp in normal play, which
would be won by eating the last poison.

The same rule holds for components with *Ferguson's property*: each position that play can come to
in it, has a move and has the value 0, can be moved to a position of value 1. Heaps of every
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
