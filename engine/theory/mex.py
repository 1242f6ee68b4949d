"""The mex: the least number that is missing in a set."""

from collections.abc import Iterable


def mex(values: Iterable[int]) -> int:
    """Return the least number, from 0, that is not among some numbers.

    >>> mex([0, 1, 3]), mex([])
    (2, 0)
    """
    present = set(values)
    value = 0
    while value in present:
        value += 1
    return value


def mex_of_bits(numbers: int) -> int:
    """Return the mex of a set given by its bits; -1 if every number is in it.

    >>> mex_of_bits(0b1011), mex_of_bits(0), mex_of_bits(-1)
    (2, 0, -1)
    """
    return (~numbers & (numbers + 1)).bit_length() - 1
