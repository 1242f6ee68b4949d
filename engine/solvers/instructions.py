"""Machine instructions without a name in numba: ordered memory access, yielding, bit counts.

Threads share the arrays of one census, or the flag of a budget. Writes of one thread before a
``store_release`` are visible to another thread after the ``load_acquire`` that reads the stored
number. No other code of the package orders memory between threads.
"""

from collections.abc import Callable
from typing import Any

from position_oracle.engine.solvers.compiled import bare_kernel

# isort: split

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_Lowered = tuple[Any, Callable[..., Any]]
_WORD = ir.IntType(64)


def element(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Generate the address of an array element."""
    view = context.make_array(array_type)(context, builder, array)
    return builder.gep(view.data, [index])


@intrinsic
def load_acquire(_typing: Any, array: Any, index: Any) -> _Lowered:
    """Compile ``array[index]`` of a one-dimensional int64 array, with acquire ordering."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(array, index), lower


@intrinsic
def store_release(_typing: Any, array: Any, index: Any, _value: Any) -> _Lowered:
    """Compile ``array[index] = value`` in a one-dimensional int64 array, with release ordering."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(array, index, types.int64), lower


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def yield_core(_typing: Any) -> _Lowered:
    """Compile a call that lets another thread run on this core (POSIX ``sched_yield``)."""

    def lower(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        _call(builder, "sched_yield", ir.IntType(32), [])
        return context.get_dummy_value()

    return types.void(), lower


def _of_word(result: Any, emit: Callable[[Any, Any], Any]) -> Any:
    """Make an instruction that takes a uint64."""

    @intrinsic
    def instruction(_typing: Any, _word: Any) -> _Lowered:
        def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return emit(builder, args[0])

        return result(types.uint64), lower

    return instruction


trailing_zeros = _of_word(types.int64, lambda builder, word: builder.cttz(word, cgutils.false_bit))
"""Number of zeros below the lowest one of a uint64 as int64; 64 for 0."""

leading_zeros = _of_word(types.int64, lambda builder, word: builder.ctlz(word, cgutils.false_bit))
"""Number of zeros above the highest one of a uint64 as int64; 64 for 0."""

ones = _of_word(types.int64, lambda builder, word: builder.ctpop(word))
"""Number of ones of a uint64, as int64."""

reversed_bits = _of_word(
    types.uint64, lambda builder, word: _call(builder, "llvm.bitreverse.i64", _WORD, [word])
)
"""The bits of a uint64 in reverse order."""


@bare_kernel
def is_stopped(flag: Any) -> bool:
    """Return whether the flag of a budget (`engine.budget.Budget.flag`) says that work should end.

    The load is atomic, so a loop that calls this sees writes of other threads.
    """
    return load_acquire(flag, 0) != 0
