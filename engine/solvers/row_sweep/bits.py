"""Counts and windows of bits in 64-bit words, and bit sets with one word of ones in front."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from position_oracle.engine.solvers.row_sweep.jit import inlined

# isort: split

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = [
    "FULL",
    "bit_length",
    "leading_ones",
    "low_bits",
    "ones",
    "reversed_bits",
    "set_bit",
    "trailing_ones",
    "trailing_zeros",
    "window",
]

FULL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_U1: Final = np.uint64(1)
_U63: Final = np.uint64(63)
_Lowered = tuple[Any, Callable[..., Any]]
_WORD = ir.IntType(64)


@intrinsic
def trailing_zeros(_typing: Any, _word: Any) -> _Lowered:
    """Number of zeros below the lowest one of a uint64 as int64; 64 for 0."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.uint64), lower


@intrinsic
def leading_zeros(_typing: Any, _word: Any) -> _Lowered:
    """Number of zeros above the highest one of a uint64 as int64; 64 for 0."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], cgutils.false_bit)

    return types.int64(types.uint64), lower


@intrinsic
def ones(_typing: Any, _word: Any) -> _Lowered:
    """Number of ones of a uint64, as int64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), lower


@intrinsic
def reversed_bits(_typing: Any, _word: Any) -> _Lowered:
    """The bits of a uint64 in reverse order."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_WORD, [_WORD]), "llvm.bitreverse.i64"
        )
        return builder.call(function, [args[0]])

    return types.uint64(types.uint64), lower


@inlined
def trailing_ones(word):
    """Number of ones below the lowest zero; 64 for a full word."""
    return trailing_zeros(~word)


@inlined
def leading_ones(word):
    """Number of ones above the highest zero; 64 for a full word."""
    return leading_zeros(~word)


@inlined
def bit_length(word):
    """Place of the highest one, counted from 1; 0 for 0."""
    return 64 - leading_zeros(word)


@inlined
def low_bits(count):
    """A word of ``count`` ones, 0 <= count <= 63."""
    return (_U1 << np.uint64(count)) - _U1


@inlined
def window(bits, value):
    """The 64 bits for ``value``, ``value`` + 1, ... of a bit set with a word of ones in front.

    ``value`` may be negative, down to -64: whatever lies below 0 counts as set.
    """
    word = np.uint64((value >> 6) + 1)  # unsigned: not counted from the end
    shift = np.uint64(value & 63)
    return (bits[word] >> shift) | ((bits[word + _U1] << _U1) << (_U63 - shift))


@inlined
def set_bit(bits, value):
    """Add ``value`` to a bit set with a word in front."""
    bits[np.uint64((value >> 6) + 1)] |= _U1 << np.uint64(value & 63)
