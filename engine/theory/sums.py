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
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import xor
from typing import Final, Generic, TypeVar

from position_oracle.schema.errors import InvalidPositionError

OptionT = TypeVar("OptionT")


class Play(StrEnum):
    """The end of a sum."""

    NORMAL = "normal"
    """The player who cannot move loses; poison cookies cannot be eaten."""

    MISERE = "misere"
    """The player who makes the last move of all loses; every bite is allowed."""


class Convention(StrEnum):
    """Conventions of the Grundy value of a component, which decide where it may be used."""

    CHOMP_RESTRICTED = "chomp_restricted"
    """Chomp in which the poison cannot be eaten: the poison cookie has value 0."""

    CHOMP_UNRESTRICTED = "chomp_unrestricted"
    """Chomp with every bite allowed: the empty board has value 0."""

    NIM_HEAP = "nim_heap"
    """A single heap of Nim: the value is its size, in either kind of play."""

    OTHER = "other"
    """Any other impartial game, with its value in normal play."""


_ALLOWED: Final = {
    Play.NORMAL: {Convention.CHOMP_RESTRICTED, Convention.NIM_HEAP, Convention.OTHER},
    Play.MISERE: {Convention.CHOMP_UNRESTRICTED, Convention.NIM_HEAP},
}

_REASONS: Final = {
    Convention.CHOMP_UNRESTRICTED: "its values let the poison be eaten, which normal play forbids",
    Convention.CHOMP_RESTRICTED: "its values forbid eating the poison, and such sums are not tame:"
    " their misere play is not decided by Grundy values",
    Convention.OTHER: "Grundy values decide misere play only of Chomp in which every bite is"
    " allowed and of single heaps of Nim; give the heaps of Nim one by one",
}


@dataclass(frozen=True, slots=True)
class Component(Generic[OptionT]):
    """One game of a sum.

    Attributes:
        convention: what `value` and the values of the options count.
        value: Grundy value of the component.
        options: every move in it, named as the caller likes, with the value that it leads to. Only
            `winning_moves` looks at them.
    """

    convention: Convention
    value: int
    options: Sequence[tuple[OptionT, int]] = ()


def decides(conventions: Iterable[Convention], play: Play) -> bool:
    """Whether Grundy values decide a sum whose components have these conventions."""
    return all(convention in _ALLOWED[play] for convention in conventions)


def check_convention(index: int, convention: Convention, play: Play) -> None:
    """Refuse a component whose values do not go with a kind of play.

    Raises:
        InvalidPositionError: the message names the component by its index and gives the reason.
    """
    if convention not in _ALLOWED[play]:
        raise InvalidPositionError(
            f"component {index} of a sum in {play} play has convention {convention}:"
            f" {_REASONS[convention]}"
        )


def is_p_position(components: Sequence[Component[OptionT]], play: Play) -> bool:
    """Whether the previous player wins the sum. No components at all: P in normal play only.

    Raises:
        InvalidPositionError: a convention that does not go with this kind of play, or a negative
            value; the message gives the reason.
    """
    _check(components, play)
    return _is_good([component.value for component in components], play)


def winning_moves(
    components: Sequence[Component[OptionT]], play: Play
) -> list[tuple[int, OptionT]]:
    """Every winning move as (index of the component, option), in order.

    Moves to a greater Grundy value are among them, where they win.

    Raises:
        InvalidPositionError: as `is_p_position`, also for values of options.
    """
    _check(components, play)
    values = [component.value for component in components]
    return [
        (index, option)
        for index, component in enumerate(components)
        for option, value in component.options
        if _is_good([*values[:index], value, *values[index + 1 :]], play)
    ]


def _is_good(values: Sequence[int], play: Play) -> bool:
    wanted = 1 if play is Play.MISERE and max(values, default=0) <= 1 else 0
    return _nim_sum(values) == wanted


def _nim_sum(values: Sequence[int] | Iterator[int]) -> int:
    return reduce(xor, values, 0)


def _check(components: Sequence[Component[OptionT]], play: Play) -> None:
    for index, component in enumerate(components):
        check_convention(index, component.convention, play)
        least = min((value for _, value in component.options), default=0)
        if min(component.value, least) < 0:
            raise InvalidPositionError(
                f"component {index} has a Grundy value of {min(component.value, least)};"
                " values are 0 or more"
            )
