"""A numba type for compiled code: a vector of eight 64-bit words.

A *lane* is the place of one word in the vector. Numba has no vectors, so this module uses those of
LLVM. The operators ``|``, ``&``, ``^``, ``+``, ``-`` and ``~`` act on every lane. The compiler
inlines all functions of this module.
"""

import operator
from collections.abc import Callable
from typing import Any, Final

import position_oracle.engine.solvers.compiled  # noqa: F401 - sets Numba's cache folder

# isort: split

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

from position_oracle.engine.solvers.instructions import element

LANES: Final = 8
"""Number of 64-bit words in a value of the type."""

_Lowered = tuple[Any, Callable[..., Any]]
_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, LANES)
_ORDER = ir.VectorType(_INDEX, LANES)
_ONES = ir.Constant(_VECTOR, [-1] * LANES)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)
_FIRST = ir.Constant(_INDEX, 0)


class _Lanes(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="Lanes")


_lanes = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _two_operands(symbol: Any, instruction: str) -> None:
    @infer_global(symbol)
    class _Template(ConcreteTemplate):  # type: ignore[misc]
        cases = [signature(_lanes, _lanes, _lanes)]  # noqa: RUF012 - numba's own convention

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)

    lower_builtin(symbol, _lanes, _lanes)(lower)


for _symbol, _instruction in (
    (operator.or_, "or_"),
    (operator.ior, "or_"),
    (operator.and_, "and_"),
    (operator.xor, "xor"),
    (operator.add, "add"),
    (operator.sub, "sub"),
):
    _two_operands(_symbol, _instruction)


@infer_global(operator.invert)
class _InvertTemplate(ConcreteTemplate):  # type: ignore[misc]
    cases = [signature(_lanes, _lanes)]  # noqa: RUF012


lower_builtin(operator.invert, _lanes)(
    lambda _context, builder, _signature, args: builder.xor(args[0], _ONES)
)


def _spread(builder: Any, word: Any) -> Any:
    """Return a vector whose words are all equal to one word."""
    first = builder.insert_element(_UNDEFINED, word, _FIRST)
    return builder.shuffle_vector(first, _UNDEFINED, ir.Constant(_ORDER, [0] * LANES))


def _place(context: Any, builder: Any, array_type: Any, args: Any) -> Any:
    """Return the address in an array at which a vector begins."""
    first = element(context, builder, array_type, args[0], args[1])
    return builder.bitcast(first, _VECTOR.as_pointer())


def _call(builder: Any, name: str, args: list[Any], result: Any = _VECTOR) -> Any:
    """Call an LLVM intrinsic whose name depends on the number of words."""
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(result, [arg.type for arg in args]),
        f"llvm.{name}.v{LANES}i64",
    )
    return builder.call(function, args)


def _operation(
    count: int, work: Callable[..., Any], *, by_word: bool = False
) -> Callable[..., Any]:
    """Make an operation for compiled code.

    Args:
        count: number of values that the operation takes.
        work: the generator.
        by_word: whether the last argument is one uint64 word, used in all lanes.
    """
    arguments = (_lanes,) * count + (types.uint64,) * by_word

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        if by_word:
            args = (*args[:count], _spread(builder, args[-1]))
        return work(builder, *args)

    typed = _lanes(*arguments), lower
    by_arity = {
        1: lambda _typing, _one: typed,
        2: lambda _typing, _one, _two: typed,
        3: lambda _typing, _one, _two, _three: typed,
    }
    return intrinsic(by_arity[len(arguments)])


@intrinsic
def splat(_typing: Any, _word: Any) -> _Lowered:
    """Return eight copies of a uint64 word."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return _lanes(types.uint64), lower


@intrinsic
def load_lanes(_typing: Any, array: Any, _index: Any) -> _Lowered:
    """Load the eight words ``array[index : index + 8]`` of a one-dimensional uint64 array."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], args), align=8)

    return _lanes(array, types.int64), lower


@intrinsic
def store_lanes(_typing: Any, array: Any, _index: Any, _value: Any) -> _Lowered:
    """Store a value: ``array[index : index + 8] = value``."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, signature.args[0], args), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), lower


@intrinsic
def load_twice(_typing: Any, array: Any, _index: Any) -> _Lowered:
    """Load ``array[index : index + 4]`` into the first four lanes and into the last four lanes."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = element(context, builder, signature.args[0], args[0], args[1])
        half = ir.VectorType(_WORD, LANES // 2)
        four = builder.load(builder.bitcast(place, half.as_pointer()), align=8)
        order = ir.Constant(_ORDER, [lane % 4 for lane in range(LANES)])
        return builder.shuffle_vector(four, ir.Constant(half, ir.Undefined), order)

    return _lanes(array, types.int64), lower


@intrinsic
def counting_from(_typing: Any, _first: Any) -> _Lowered:
    """Return the words ``first``, ``first`` + 1, ..., ``first`` + 7; ``first`` is a uint64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.add(_spread(builder, args[0]), ir.Constant(_VECTOR, list(range(LANES))))

    return _lanes(types.uint64), lower


@intrinsic
def spill(_typing: Any, array: Any, _index: Any, _value: Any) -> _Lowered:
    """Store the word in the first lane of ``value`` at ``array[index]``."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = element(context, builder, signature.args[0], args[0], args[1])
        builder.store(builder.extract_element(args[2], _FIRST), place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), lower


@intrinsic
def enter(_typing: Any, _value: Any, array: Any, _index: Any) -> _Lowered:
    """Move the word of lane i to lane i - 1, and load ``array[index]`` into lane 7."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = element(context, builder, signature.args[1], args[1], args[2])
        entering = _spread(builder, builder.load(place, align=8))
        order = ir.Constant(_ORDER, list(range(1, LANES + 1)))
        return builder.shuffle_vector(args[0], entering, order)

    return _lanes(_lanes, array, types.int64), lower


@intrinsic
def first_lane(_typing: Any, _value: Any) -> _Lowered:
    """Return the word in the first lane."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.extract_element(args[0], _FIRST)

    return types.uint64(_lanes), lower


def _plus_one_where_full(builder: Any, value: Any, word: Any) -> Any:
    full = builder.sext(
        builder.icmp_unsigned("==", word, _ONES), _VECTOR
    )  # all bits 1 in lanes in which all bits of `word` are 1
    return builder.sub(value, full)


plus_one = _operation(1, lambda builder, value: builder.sub(value, _ONES))
"""Return ``value + 1`` in every lane. This sets the lowest 0 bit and clears all bits below it."""

plus_one_where_full = _operation(2, _plus_one_where_full)
"""Return ``value + 1`` in the lanes in which ``word`` is all ones, ``value`` in the others."""

shift_up = _operation(1, lambda builder, *args: builder.shl(*args), by_word=True)
"""Return ``value << count`` in every lane, 0 <= count < 64."""

shift_down = _operation(1, lambda builder, *args: builder.lshr(*args), by_word=True)
"""Return ``value >> count`` in every lane, 0 <= count < 64."""

join = _operation(
    2, lambda builder, low, high, n: _call(builder, "fshr", [high, low, n]), by_word=True
)
"""Return, in each lane, the lower 64 bits of ``high:low >> count``, 0 <= count < 64."""

join_up = _operation(3, lambda builder, low, high, n: _call(builder, "fshl", [high, low, n]))
"""Return, in each lane, the upper 64 bits of ``high:low << count``; each lane has its count."""

rotate_right = _operation(
    1, lambda builder, value, n: _call(builder, "fshr", [value, value, n]), by_word=True
)
"""Rotate every lane right by ``count`` bits, 0 <= count < 64."""

rotate_left = _operation(
    1, lambda builder, value, n: _call(builder, "fshl", [value, value, n]), by_word=True
)
"""Rotate every lane left by ``count`` bits, 0 <= count < 64."""

count_ones = _operation(1, lambda builder, value: _call(builder, "ctpop", [value]))
"""Return the number of ones in every lane."""


@intrinsic
def meet(_typing: Any, _value: Any) -> _Lowered:
    """Return the bitwise AND of all lanes, a uint64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _call(builder, "vector.reduce.and", list(args), _WORD)

    return types.uint64(_lanes), lower
