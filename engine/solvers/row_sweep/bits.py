"""Runs and windows of bits in 64-bit words, and bit sets preceded by one word of ones."""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import bare_inlined
from position_oracle.engine.solvers.instructions import leading_zeros, trailing_zeros

FULL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_U1: Final = np.uint64(1)
_U63: Final = np.uint64(63)


@bare_inlined
def trailing_ones(word):
    """Return the number of ones below the lowest zero; 64 for a full word."""
    return trailing_zeros(~word)


@bare_inlined
def leading_ones(word):
    """Return the number of ones above the highest zero; 64 for a full word."""
    return leading_zeros(~word)


@bare_inlined
def low_bits(count):
    """Return a word of ``count`` ones at the lower end, 0 <= count <= 63."""
    return (_U1 << np.uint64(count)) - _U1


@bare_inlined
def window(bits, value):
    """Return the 64 bits of ``value``, ``value`` + 1, ... in a bit set preceded by a word of ones.

    ``value`` may be negative, down to -64; values below 0 count as set.
    """
    word = np.uint64((value >> 6) + 1)  # unsigned: not counted from the end
    shift = np.uint64(value & 63)
    return (bits[word] >> shift) | ((bits[word + _U1] << _U1) << (_U63 - shift))


@bare_inlined
def set_bit(bits, value):
    """Add ``value`` to a bit set preceded by a word."""
    bits[np.uint64((value >> 6) + 1)] |= _U1 << np.uint64(value & 63)
