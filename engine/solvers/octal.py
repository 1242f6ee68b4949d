"""Compiled long tables of octal games and Grundy's game, by rare and common values.

In many octal games the values fall into two classes such that a nim-sum of two equal classes is
rare and of two different ones common, and nearly all values are common. Then the common values
among the options of a heap come from pairs with one rare part, and there are few of these. The
other pairs are needed only until they cover the rare numbers below the least common number left.
The result is exact for any two classes (docs/octal.md); a bad choice only costs time.

Source: E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways, chapter 4, Sparse spaces spell
speed; A. Gangolli and T. Plambeck, A note on periodicity in some octal games, Internat. J. Game
Theory 18 (1989) 311-320.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.theory.octal import UNEQUAL, OctalCode
from position_oracle.schema.errors import ResourceLimitError

VALUES_MAX: Final = 2**14
"""Values must be below this number; the largest in known tables are a few hundred."""

STRIDE: Final = 31
"""Distance of pairs that are examined one after the other, because near pairs have equal values."""

_STOP_STEPS: Final = 1 << 20
MASKS_MAX: Final = 512
"""Number of masks that are tried for the classes."""


def steps_to_double(code: OctalCode, values: NDArray[np.int64]) -> int:
    """Estimate the steps, of a nanosecond each, of one kind for a table of twice the length.

    The work for a new heap visits the smaller rare heaps, whose frequency is assumed to stay. The
    steps of the other kind (`spent` in `extend_long`) are not known in advance.
    """
    splits = sum(1 for digit in code.digits if digit & 4)
    return 2 * len(values) * (splits * _choose_classes(code, values).heaps + len(code.digits))


def extend_long(
    code: OctalCode,
    values: NDArray[np.int64],
    count: int,
    spent: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return Grundy values of the heaps 0..count - 1, given the first few.

    Args:
        code: The game; one that `has_long_tables`.
        values: Shape (heaps,), int64: the first values, at least those of heaps 0..t.
        count: The number of values to return.
        spent: Shape (1,), int64: increased by the number of pairs of heaps visited because the rare
            ones did not settle a value.

    Returns:
        Shape (count,), int64.

    Raises:
        ResourceLimitError: A value of 2^14 or more.
    """
    table = np.zeros(count, dtype=np.uint16)
    table[: len(values)] = values[:count]
    digits = np.array(code.digits, dtype=np.int64)
    classes = _choose_classes(code, values)
    rare = np.zeros(count, dtype=np.int64)
    pairs = np.zeros(1, dtype=np.int64) if spent is None else spent
    is_rare, by_place = classes.is_rare, classes.by_place
    budget = current()
    done = _extend(table, len(values), digits, is_rare, by_place, rare, budget.flag, pairs)
    budget.check()
    if done < count:
        raise ResourceLimitError(f"heap {done} has a value of {VALUES_MAX} or more")
    return table.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """The rare values of even heaps; with `by_place`, odd heaps have the complementary ones."""

    is_rare: NDArray[np.bool_]  # shape (2 VALUES_MAX,)
    by_place: bool
    heaps: int  # number of rare heaps among those visited


def _choose_classes(code: OctalCode, values: NDArray[np.int64]) -> _Classes:
    """Return the classes with the fewest rare heaps in the second half of the given values.

    The value v of heap n is rare if popcount(v & mask) is even. If all splits take numbers of one
    parity, popcount(v & mask) + n + taken may be counted instead: either way a nim-sum of two heaps
    of one class is rare, of different classes common, as a value of the heap it is left of.
    """
    half = len(values) // 2
    top = 1 << int(values.max()).bit_length()
    even, odd = (
        np.bincount(values[half + (half + place) % 2 :: 2], minlength=top) for place in (0, 1)
    )
    masks = np.arange(min(top, MASKS_MAX))
    common = _parity(masks[:, None] & np.arange(top)[None, :])
    found = [_fewest(masks, (1 - common) @ (even + odd), flip=0, by_place=False)]
    parities = {taken & 1 for taken, digit in enumerate(code.digits) if digit & 4}
    for flip in parities if len(parities) == 1 else ():
        rare = (1 - common ^ flip) @ even + (common ^ flip) @ odd
        found.append(_fewest(masks, rare, flip=flip, by_place=True))
    return min(found, key=lambda classes: classes.heaps)


def _fewest(
    masks: NDArray[np.int64], heaps: NDArray[np.int64], *, flip: int, by_place: bool
) -> _Classes:
    best = int(heaps.argmin())
    is_rare = _parity(np.arange(2 * VALUES_MAX) & masks[best]) == flip
    return _Classes(np.asarray(is_rare), by_place, int(heaps[best]))


def _parity(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bitwise_count(numbers).astype(np.int64) & 1


@kernel
def _extend(table, start, digits, is_rare, by_place, rare, stop, spent):
    """Fill `table` from `start` on; return the first heap not done, or the length."""
    seen = np.full(is_rare.shape[0], -1, dtype=np.int64)
    rares = 0
    for heap in range(1, start):
        if is_rare[table[heap]] ^ (by_place and heap & 1 == 1):
            rare[rares] = heap
            rares += 1
    for heap in range(start, table.shape[0]):
        if stop[0]:
            return heap
        flip = by_place and heap & 1 == 1
        if not _mark_known(table, heap, digits, rare, rares, seen, stop):
            return heap
        missing = 0
        value = 0
        while seen[value] == heap or is_rare[value] ^ flip:
            missing += seen[value] != heap
            value += 1
        if missing:
            missing = _mark_rest(table, heap, digits, value, missing, seen, stop, spent)
        if missing < 0:
            return heap
        if missing:
            value = 0
            while seen[value] == heap:
                value += 1
        if value >= VALUES_MAX:
            return heap
        table[heap] = value
        if is_rare[value] ^ flip:
            rare[rares] = heap
            rares += 1
    return table.shape[0]


@kernel
def _mark_known(table, heap, digits, rare, rares, seen, stop):
    """Mark the values of unsplit heaps and of pairs with a rare part; return False if stopped."""
    for taken in range(digits.shape[0]):
        rest = heap - taken
        if rest < 0:
            break
        if rest == 0 and digits[taken] & 1:
            seen[0] = heap
        if rest > 0 and digits[taken] & 2:
            seen[table[rest]] = heap
        if digits[taken] & 4:
            unequal = digits[taken] & UNEQUAL != 0
            for index in range(rares):
                if index % _STOP_STEPS == _STOP_STEPS - 1 and stop[0]:
                    return False
                part = rare[index]
                if part >= rest:
                    break
                if unequal and 2 * part == rest:
                    continue
                seen[table[part] ^ table[rest - part]] = heap
    return True


@kernel
def _mark_rest(table, heap, digits, bound, missing, seen, stop, spent):
    """Mark values of all pairs until every number below `bound` is marked.

    Returns:
        The number of unmarked numbers; -1 if stopped.
    """
    for taken in range(digits.shape[0]):
        rest = heap - taken
        if digits[taken] & 4:
            most = (rest - (digits[taken] & UNEQUAL != 0)) // 2
            for first in range(1, STRIDE + 1):
                if stop[0]:
                    return -1
                for part in range(first, most + 1, STRIDE):
                    value = table[part] ^ table[rest - part]
                    if value < bound and seen[value] != heap:
                        seen[value] = heap
                        missing -= 1
                        if missing == 0:
                            spent[0] += (first - 1) * (most // STRIDE) + part // STRIDE
                            return 0
            spent[0] += max(most, 0)
    return missing
