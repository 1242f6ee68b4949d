"""Eight 64-bit words in the lanes of one vector, as a type of the kernels.

Numba has no vectors; this module gives it ``<8 x i64>`` of LLVM, which a processor with AVX-512
holds in one register and any other in two or four. Operators act on every lane: ``|``, ``&``,
``^``, ``+``, ``-``, and ``~``. Everything is compiled in place, without a call.
"""

import operator
from collections.abc import Callable
from typing import Any, Final

import engine.solvers.compiled  # noqa: F401 - chooses the folder of the cache

# isort: split

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES",
    "count_ones",
    "counting_from",
    "enter",
    "first_lane",
    "join",
    "join_up",
    "load_lanes",
    "load_twice",
    "meet",
    "plus_one",
    "plus_one_where_full",
    "rotate_left",
    "rotate_right",
    "shift_down",
    "shift_up",
    "spill",
    "splat",
    "store_lanes",
]

LANES: Final = 8
"""Words in a vector."""

_Lowered = tuple[Any, Callable[..., Any]]
_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, LANES)
_ONES = ir.Constant(_VECTOR, [-1] * LANES)
_ZEROS = ir.Constant(_VECTOR, [0] * LANES)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)


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

    @lower_builtin(symbol, _lanes, _lanes)
    def _lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


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


@lower_builtin(operator.invert, _lanes)
def _lower_invert(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
    return builder.xor(args[0], _ONES)


def _spread(builder: Any, word: Any) -> Any:
    first = builder.insert_element(_UNDEFINED, word, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(
        first, _UNDEFINED, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
    )


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return builder.gep(view.data, [index])


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(result, [arg.type for arg in args]), name
    )
    return builder.call(function, args)


@intrinsic
def splat(_typing: Any, _word: Any) -> _Lowered:
    """A uint64 word in every lane."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return _lanes(types.uint64), lower


@intrinsic
def load_lanes(_typing: Any, array: Any, _index: Any) -> _Lowered:
    """``array[index : index + 8]`` of a one-dimensional uint64 array."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1])
        return builder.load(builder.bitcast(place, _VECTOR.as_pointer()), align=8)

    return _lanes(array, types.int64), lower


@intrinsic
def store_lanes(_typing: Any, array: Any, _index: Any, _value: Any) -> _Lowered:
    """``array[index : index + 8] = value``."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(place, _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), lower


@intrinsic
def load_twice(_typing: Any, array: Any, _index: Any) -> _Lowered:
    """``array[index : index + 4]`` in the first four lanes and again in the last four."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1])
        half = ir.VectorType(_WORD, LANES // 2)
        four = builder.load(builder.bitcast(place, half.as_pointer()), align=8)
        order = ir.Constant(ir.VectorType(_INDEX, LANES), [0, 1, 2, 3, 0, 1, 2, 3])
        return builder.shuffle_vector(four, ir.Constant(half, ir.Undefined), order)

    return _lanes(array, types.int64), lower


@intrinsic
def counting_from(_typing: Any, _first: Any) -> _Lowered:
    """``first``, ``first`` + 1, ... in the lanes; ``first`` is a uint64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.add(_spread(builder, args[0]), ir.Constant(_VECTOR, list(range(LANES))))

    return _lanes(types.uint64), lower


@intrinsic
def join_up(_typing: Any, _low: Any, _high: Any, _counts: Any) -> _Lowered:
    """The upper 64 of the 128 bits ``high:low`` shifted up, by a count for every lane."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.fshl.v8i64", _VECTOR, [args[1], args[0], args[2]])

    return _lanes(_lanes, _lanes, _lanes), lower


@intrinsic
def spill(_typing: Any, array: Any, _index: Any, _value: Any) -> _Lowered:
    """``array[index] = `` the first lane of the value."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1])
        builder.store(builder.extract_element(args[2], ir.Constant(_INDEX, 0)), place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), lower


@intrinsic
def enter(_typing: Any, _value: Any, array: Any, _index: Any) -> _Lowered:
    """All lanes moved down by one, and ``array[index]`` in the last."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[1], args[1], args[2])
        new = _spread(builder, builder.load(place, align=8))
        order = ir.Constant(ir.VectorType(_INDEX, LANES), list(range(1, LANES + 1)))
        return builder.shuffle_vector(args[0], new, order)

    return _lanes(_lanes, array, types.int64), lower


@intrinsic
def first_lane(_typing: Any, _value: Any) -> _Lowered:
    """The word in the first lane."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.extract_element(args[0], ir.Constant(_INDEX, 0))

    return types.uint64(_lanes), lower


@intrinsic
def plus_one(_typing: Any, _value: Any) -> _Lowered:
    """``value + 1`` in every lane: its lowest zero is 1 there, and all below are 0."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.sub(args[0], _ONES)

    return _lanes(_lanes), lower


@intrinsic
def plus_one_where_full(_typing: Any, _value: Any, _word: Any) -> _Lowered:
    """``value + 1`` in the lanes where ``word`` has all bits, 0 elsewhere."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        full = builder.icmp_unsigned("==", args[1], _ONES)
        return builder.select(full, builder.sub(args[0], _ONES), _ZEROS)

    return _lanes(_lanes, _lanes), lower


@intrinsic
def shift_up(_typing: Any, _value: Any, _count: Any) -> _Lowered:
    """``value << count`` in every lane, 0 <= count < 64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.shl(args[0], _spread(builder, args[1]))

    return _lanes(_lanes, types.uint64), lower


@intrinsic
def shift_down(_typing: Any, _value: Any, _count: Any) -> _Lowered:
    """``value >> count`` in every lane, 0 <= count < 64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.lshr(args[0], _spread(builder, args[1]))

    return _lanes(_lanes, types.uint64), lower


def _funnel_right(builder: Any, high: Any, low: Any, count: Any) -> Any:
    return _call(builder, "llvm.fshr.v8i64", _VECTOR, [high, low, _spread(builder, count)])


def _funnel_left(builder: Any, high: Any, low: Any, count: Any) -> Any:
    return _call(builder, "llvm.fshl.v8i64", _VECTOR, [high, low, _spread(builder, count)])


@intrinsic
def join(_typing: Any, _low: Any, _high: Any, _count: Any) -> _Lowered:
    """The 64 bits from bit ``count`` on of the 128 bits ``high:low``, 0 <= count < 64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _funnel_right(builder, args[1], args[0], args[2])

    return _lanes(_lanes, _lanes, types.uint64), lower


@intrinsic
def rotate_right(_typing: Any, _value: Any, _count: Any) -> _Lowered:
    """Every lane rotated down, 0 <= count < 64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _funnel_right(builder, args[0], args[0], args[1])

    return _lanes(_lanes, types.uint64), lower


@intrinsic
def rotate_left(_typing: Any, _value: Any, _count: Any) -> _Lowered:
    """Every lane rotated up, 0 <= count < 64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _funnel_left(builder, args[0], args[0], args[1])

    return _lanes(_lanes, types.uint64), lower


@intrinsic
def count_ones(_typing: Any, _value: Any) -> _Lowered:
    """Number of ones in every lane."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _call(builder, "llvm.ctpop.v8i64", _VECTOR, [args[0]])

    return _lanes(_lanes), lower


def _folded(builder: Any, vector: Any, instruction: str) -> Any:
    """All lanes combined: halves with halves, three times."""
    for half in (4, 2, 1):
        order = [*range(half, 2 * half), *([0] * (LANES - half))]
        moved = builder.shuffle_vector(
            vector, _UNDEFINED, ir.Constant(ir.VectorType(_INDEX, LANES), order)
        )
        vector = getattr(builder, instruction)(vector, moved)
    return builder.extract_element(vector, ir.Constant(_INDEX, 0))


@intrinsic
def meet(_typing: Any, _value: Any) -> _Lowered:
    """The bits that are 1 in all lanes, as a uint64."""

    def lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _folded(builder, args[0], "and_")

    return types.uint64(_lanes), lower
