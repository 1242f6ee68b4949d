"""Moves by number, so that one can be drawn at random without making the others."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Final, Generic, NamedTuple, TypeVar

from position_oracle.engine.budget import first_of
from position_oracle.schema.errors import ResourceLimitError

MAX_LISTED: Final = 20_000
"""Most moves of a position that are listed to choose one of them."""

Option = TypeVar("Option")


class Choices(NamedTuple, Generic[Option]):
    """Options by number.

    Attributes:
        number: how many there are.
        option: the one of a number from 0 to `number` - 1. A move that loses by rule is the first.
        listed: how many were listed to find out.
    """

    number: int
    option: Callable[[int], Option]
    listed: int = 0


def in_lines(
    lengths: Iterable[int], option: Callable[[int, int], Option], listed: int = 0
) -> Choices[Option]:
    """Options in lines, one line after the other.

    Args:
        lengths: how many there are in each line.
        option: the one of a line and of a place in it, both from 0.
        listed: see `Choices`.
    """
    ends = [0, *accumulate(lengths)]

    def numbered(number: int) -> Option:
        line = bisect_right(ends, number) - 1
        return option(line, number - ends[line])

    return Choices(ends[-1], numbered, listed)


def listed(options: Iterable[Option]) -> list[Option]:
    """All of them, if they are few.

    Raises:
        ResourceLimitError: more than `MAX_LISTED`.
    """
    found = first_of(options, MAX_LISTED + 1)
    if len(found) > MAX_LISTED:
        raise ResourceLimitError(f"a position has more than {MAX_LISTED:,} moves")
    return found


def by_list(options: Iterable[Option]) -> Choices[Option]:
    """Choices that are listed.

    Raises:
        ResourceLimitError: more than `MAX_LISTED`.
    """
    found = listed(options)
    return Choices(len(found), found.__getitem__, len(found))
