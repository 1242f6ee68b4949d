"""Machine instructions that numba has no name for: ordered memory access, yielding, bit counts.

Two threads share the arrays of one build, or the flag of a budget. What one thread wrote before a
``store_release`` is visible to the other after the ``load_acquire`` that reads the stored number;
nothing else in the package orders memory between threads.
"""

from collections.abc import Callable
from typing import Any

from position_oracle.engine.solvers.compiled import njit

# isort: split

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["is_stopped", "load_acquire", "store_release", "trailing_zeros", "yield_core"]

_Lowered = tuple[Any, Callable[..., Any]]


def _element(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return builder.gep(view.data, [index])


@intrinsic
def load_acquire(_typing: Any, array: Any, index: Any) -> _Lowered:
    """``array[index]`` of a one-dimensional int64 array, with acquire ordering."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(array, index), lower


@intrinsic
def store_release(_typing: Any, array: Any, index: Any, _value: Any) -> _Lowered:
    """``array[index] = value`` in a one-dimensional int64 array, with release ordering."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(array, index, types.int64), lower


@intrinsic
def yield_core(_typing: Any) -> _Lowered:
    """Let another thread run on this core (POSIX ``sched_yield``)."""

    def lower(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.IntType(32), []), "sched_yield"
        )
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), lower


@intrinsic
def trailing_zeros(_typing: Any, _word: Any) -> _Lowered:
    """Number of zero bits below the lowest one of a uint64 word that is not 0."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.uint64(types.uint64), lower


@njit(nogil=True, error_model="numpy", _nrt=False)
def is_stopped(flag: Any) -> bool:
    """Whether the flag of a budget (`engine.budget.Budget.flag`) says that the work should end.

    The load is atomic, so that a loop that calls this sees what another thread writes.
    """
    return load_acquire(flag, 0) != 0
