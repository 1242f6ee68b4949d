"""Sets of values of the options of a heap, as bits of a number, for tables of heaps.

A move leaves r tokens as one, two or three heaps. The set of their values is computed once for each
r, for all digits. If digits repeat with period q, the sets of all r with the same remainder modulo
q are joined, so a table takes no longer than that of a finite code.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current, watched

if TYPE_CHECKING:
    from position_oracle.engine.theory.octal import OctalCode

_UNEQUAL = 16
Values = NDArray[np.int64]


class OptionSets:
    """The sets of values of the options of heaps, in order, while the table is filled.

    One of the heaps left together may be of another kind, such as a heap that keeps a pass; its
    values are `kept`. With one kind only, `kept` is `others`.
    """

    def __init__(self, code: "OctalCode", kept: Values, others: Values, first: int = 0) -> None:
        """Make the sets of the heaps from `first` on."""
        self._code = code
        self._kept = kept
        self._others = others
        self._start = len(code.digits) - code.repeats
        self._least = 0 if code.repeats else max(0, first - code.length)
        self._sets: dict[int, list[int]] = {
            kind: [] for digit in code.digits for kind in _kinds(digit)
        }
        self._listed = [
            (place, kind)
            for place, digit in enumerate(code.digits[: self._start])
            for kind in _kinds(digit)
        ]
        self._pools: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._pooled = 0

    def of(self, heap: int) -> int:
        """Return the set of values after moves in a heap; those of smaller heaps are known."""
        code, sets, base = self._code, self._sets, heap - self._least
        for kind, known in sets.items():
            # A move that leaves one heap takes a token; the value of this heap is not known yet.
            while len(known) + (kind == 2) <= base:
                current().check()
                known.append(self._compute(kind, self._least + len(known)))
        found = 1 if heap > 0 and code.digit(heap) & 1 else 0
        for place, kind in self._listed:
            if place > heap:
                break
            found |= sets[kind][base - place]
        return found | self._repeated(heap) if code.repeats else found

    def _repeated(self, heap: int) -> int:
        repeated, period = self._code.digits[self._start :], self._code.repeats
        kinds = {kind for digit in repeated for kind in _kinds(digit)}
        while self._pooled <= heap - self._start:
            rest = self._pooled
            for kind in kinds:
                self._pools[kind, rest % period] |= self._sets[kind][rest]
            self._pooled += 1
        found = 0
        for remainder in range(period):
            for kind in _kinds(repeated[(heap - remainder - self._start) % period]):
                found |= self._pools[kind, remainder]
        return found

    def _compute(self, kind: int, rest: int) -> int:
        if kind == 2:
            return 1 << int(self._kept[rest]) if rest else 0
        differ = kind >= _UNEQUAL
        if kind & 4:
            return _bits([_pairs(self._kept, self._others, rest, differ)])
        return _bits(_triples(self._kept, self._others, rest, differ))


def fill_table(
    code: "OctalCode",
    first: Values,
    count: int,
    value_of: Callable[[int, int], int],
    others: Values | None = None,
) -> Values:
    """Return values of the heaps 0..count - 1 in order, given those of the first heaps.

    Args:
        code: The game.
        first: The first values, shape (heaps,), int64; may be empty.
        count: The number of values to return.
        value_of: Returns the value of a heap, given the heap and the set of values of its options
            as bits.
        others: See `OptionSets`; None for the values that are filled in.
    """
    table = np.zeros(count, dtype=np.int64)
    table[: len(first)] = first[:count]
    options = OptionSets(code, table, table if others is None else others, len(first))
    for heap in watched(range(len(first), count)):
        table[heap] = value_of(heap, options.of(heap))
    return table


def _kinds(digit: int) -> Iterator[int]:
    """Return the bits of a digit: one heap, two, three, the last two also for unequal heaps."""
    if digit & 2:
        yield 2
    for bit in (4, 8):
        if digit & bit:
            yield bit | (digit & _UNEQUAL)


def _pairs(kept: Values, others: Values, rest: int, differ: bool, least: int = 1) -> Values:
    """Return the values of two heaps left, the first at least `least`."""
    most = (rest - differ) // 2 if kept is others else rest - 1
    found: Values = kept[least : most + 1] ^ others[rest - most : rest - least + 1][::-1]
    if differ and kept is not others and rest % 2 == 0 and rest:
        found = np.delete(found, rest // 2 - least)
    return found


def _triples(kept: Values, others: Values, rest: int, differ: bool) -> Iterator[Values]:
    """Return the values of three heaps left."""
    is_one_kind = kept is others
    for part in range(1, (rest // 3 if is_one_kind else rest - 2) + 1):
        least = part + differ if is_one_kind else 1
        found = _pairs(others, others, rest - part, differ, least)
        if differ and not is_one_kind:
            same = {part, rest - 2 * part}
            found = np.delete(found, [heap - 1 for heap in same if 1 <= heap <= len(found)])
        yield kept[part] ^ found


def _bits(parts: Iterable[Values]) -> int:
    """Return a set of numbers as bits of one number."""
    seen = np.zeros(64, np.bool_)
    for numbers in parts:
        if len(numbers):
            size = int(numbers.max()) + 1
            if size > len(seen):
                seen = np.concatenate([seen, np.zeros(2 * size - len(seen), np.bool_)])
            seen[numbers] = True
    return int.from_bytes(np.packbits(seen, bitorder="little").tobytes(), "little")
