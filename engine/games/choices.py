"""Numbered moves, so that a random one can be drawn without making the others."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Final, Generic, NamedTuple, TypeVar

from position_oracle.engine.budget import first_of
from position_oracle.schema.errors import ResourceLimitError

MAX_LISTED: Final = 20_000
"""Maximum number of moves of a position that are listed to choose one of them."""

MAX_COUNTED: Final = 1_000
"""Maximum number of moves that are counted one by one for the cost of looking at them."""

Option = TypeVar("Option")


class Choices(NamedTuple, Generic[Option]):
    """Numbered options.

    Attributes:
        number: the number of options.
        option: returns the option with a number from 0 to `number` - 1. A move that loses by rule
            comes first.
        listed: the number of options that were listed to count them.
    """

    number: int
    option: Callable[[int], Option]
    listed: int = 0


def in_lines(
    lengths: Iterable[int], option: Callable[[int, int], Option], listed: int = 0
) -> Choices[Option]:
    """Number options that stand in lines, line by line.

    Args:
        lengths: the number of options of each line.
        option: returns the option of a line and a place in the line, both from 0.
        listed: see `Choices`.
    """
    ends = [0, *accumulate(lengths)]

    def numbered(number: int) -> Option:
        line = bisect_right(ends, number) - 1
        return option(line, number - ends[line])

    return Choices(ends[-1], numbered, listed)


def listed(options: Iterable[Option]) -> list[Option]:
    """Return a list of all options, if there are few.

    Raises:
        ResourceLimitError: there are more than `MAX_LISTED`.
    """
    found = first_of(options, MAX_LISTED + 1)
    if len(found) > MAX_LISTED:
        raise ResourceLimitError(f"a position has more than {MAX_LISTED:,} moves")
    return found


def at_most(options: Iterable[object], most: int) -> int:
    """Return the number of options, or `most` if there are at least `MAX_COUNTED`, or more."""
    few = min(most, MAX_COUNTED)
    found = len(first_of(options, few))
    return found if found < few else most


def by_list(options: Iterable[Option]) -> Choices[Option]:
    """Number options by listing them.

    Raises:
        ResourceLimitError: there are more than `MAX_LISTED`.
    """
    found = listed(options)
    return Choices(len(found), found.__getitem__, len(found))
