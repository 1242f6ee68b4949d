"""Take-and-break games with passes of single heaps, and the regularity of their values.

The pass may be used once, by either player, while a move is left in its heap; it changes nothing
else. If a move leaves several heaps, the mover chooses which of them keeps the pass. Heaps then
stay independent, and the value h(n) of a heap with its pass follows from the values g of heaps
without a pass:

    h(n) = mex of g(n), h(a) xor g(b) for every a + b left of n, b = 0 if one heap is left.

The values h can rise for ever: finite octal games are never arithmetic periodic, with a pass on one
heap they can be, wholly or for some residues (D. G. Horrocks and R. J. Nowakowski, Regularity in
the G-sequences of octal games with a pass, Integers 3 (2003) G1). The test that certifies it here
is theorem 3 of docs/octal.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import inf
from operator import xor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.theory.heap_counts import MAX_TOTAL, side_by_side, splits_up_to
from position_oracle.engine.theory.heap_pass import PassHeap, PassHeaps
from position_oracle.engine.theory.mex import mex_of_bits
from position_oracle.engine.theory.octal import (
    OctalCode,
    extend_values,
    solve_sequence,
    taken_by_splits,
)
from position_oracle.engine.theory.option_sets import fill_table
from position_oracle.engine.theory.periodicity import (
    HeapValues,
    PeriodCertificate,
    ValueSequence,
    solve_by_tables,
)

MULTIPLES_MAX: Final = 64
"""Number of multiples of the period without a pass that are tried as the period with it."""

THEOREM: Final = "the test for octal games with a pass on one heap (after Horrocks and Nowakowski)"


def position_bound(code: OctalCode, heaps: PassHeaps, least: int = 1) -> float:
    """Return the bound of `octal.position_bound`, with one of the heaps left keeping the pass."""
    if not code.splits:
        return side_by_side(heaps, {h: 1 + h.size * (1 + h.has_pass) for h in set(heaps)})
    taken = taken_by_splits(code)

    largest = max((heap.size for heap in heaps), default=0) + taken
    if largest > MAX_TOTAL:
        return inf
    splits = splits_up_to(largest, least + taken, largest)

    def count(heap: PassHeap) -> float:
        total = heap.size + taken
        beside_pass = splits[: max(0, heap.size - least + 1)] if heap.has_pass else ()
        return splits[total] + sum(beside_pass)

    return side_by_side(heaps, {heap: count(heap) for heap in set(heaps)})


def grundy(heaps: PassHeaps, plain: HeapValues, with_pass: ValueSequence) -> int:
    """Return the Grundy value in normal play: the nim-sum of the heaps.

    Args:
        heaps: The heaps, with or without their own passes.
        plain: The values of heaps without a pass.
        with_pass: The values of heaps with a pass, from `solve_pass_sequence`.

    Raises:
        UnknownAnswerError: The value of a heap is neither computed nor certified.
    """
    values = (with_pass.at(h.size) if h.has_pass else plain.at(h.size) for h in heaps)
    return reduce(xor, values, 0)


def extend_pass_values(
    code: OctalCode, plain: NDArray[np.int64], values: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Values of the heaps 0..count - 1, each with a pass of its own, int64, by the definition.

    Args:
        code: The game.
        plain: Shape (count or more,), int64: the values without a pass.
        values: The first values with it, shape (heaps,), int64; may be empty.
        count: How many values to give.
    """

    def value(heap: int, options: int) -> int:
        return mex_of_bits(options | 1 << int(plain[heap])) if options else 0

    return fill_table(code, values, count, value, plain)


def certify_pass(
    code: OctalCode, plain: ValueSequence, values: NDArray[np.int64]
) -> PeriodCertificate | None:
    """Return the regularity of values with a pass that theorem 3 of docs/octal.md certifies.

    Args:
        code: The game.
        plain: The values without a pass, at least as many as `values`, with their certified period.
        values: Shape (heaps,), int64: values with the pass.
    """
    if plain.certificate is None or code.parts > 2:
        return None
    for multiple in range(1, MULTIPLES_MAX + 1):
        period = plain.certificate.period * multiple
        if 3 * period > len(values):
            return None
        guess = _regularity(plain, values, period)
        if guess is not None and guess.certifies(code):
            return guess.certificate()
    return None


def solve_pass_sequence(code: OctalCode, heaps_max: int) -> ValueSequence:
    """Return values of heaps with a pass, until their regularity is certified, or to heaps_max.

    Args:
        code: The game.
        heaps_max: The largest heap whose value may be computed.
    """
    plain = solve_sequence(code, heaps_max)

    def extend(values: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        nonlocal plain
        if len(plain.values) < count:
            plain = ValueSequence(extend_values(code, plain.values, count), plain.certificate)
        return extend_pass_values(code, plain.values, values, count)

    return solve_by_tables(extend, lambda values: certify_pass(code, plain, values), heaps_max)


@dataclass(frozen=True, slots=True, eq=False)
class _Regularity:
    """A guess: for n >= start, h(n + period) is h(n) + saltus if rising, else h(n)."""

    plain: NDArray[np.int64]
    values: NDArray[np.int64]
    period: int
    start: int
    last_exception: int
    saltus: int
    rising: NDArray[np.bool_]  # by n mod period

    def certificate(self) -> PeriodCertificate:
        return PeriodCertificate(
            THEOREM,
            self.period,
            self.last_exception,
            len(self.values) - 1,
            self.saltus,
            tuple(map(bool, self.rising)) if self.saltus else (),
        )

    def certifies(self, code: OctalCode) -> bool:
        """Return whether the guess holds for ever: the last period of the table passes the test."""
        first = len(self.values) - self.period
        if first < 2 * self.start + self.period + code.length:
            return False
        heaps = watched(range(first, len(self.values)))
        return all(self._goes_on(code, heap) for heap in heaps)

    def _goes_on(self, code: OctalCode, heap: int) -> bool:
        """Return whether the value of heap + j period follows from that of heap, for all j >= 0."""
        if not self.saltus:
            return True
        fixed, lowest, ranks, moving = [self.plain[heap : heap + 1]], [], [], []
        for kept, other, option in _pairs(code, self.plain, self.values, heap):
            rises = (kept >= self.start) & self.rising[kept % self.period]
            is_ranked = rises & (other >= self.start)
            fixed.append(option[~rises])
            ranks.append(option[is_ranked])
            lowest.append(option[is_ranked & (kept < self.start + self.period)])
            moving.append(option[rises & ~is_ranked])
        return self._mex_follows(
            heap, *(np.concatenate([*part, _NONE]) for part in (fixed, ranks, lowest, moving))
        )

    def _mex_follows(
        self,
        heap: int,
        fixed: NDArray[np.int64],
        ranks: NDArray[np.int64],
        lowest: NDArray[np.int64],
        moving: NDArray[np.int64],
    ) -> bool:
        value, saltus = int(self.values[heap]), self.saltus
        if self.rising[heap % self.period]:
            above = int(max(fixed.max() + 1, lowest.max(initial=0)))
            return value >= above and _covers(above + saltus, fixed, ranks)
        reached = np.concatenate([lowest, moving])
        is_hit = (reached <= value) & ((value - reached) % saltus == 0)
        return _covers(value, fixed, ranks) and not is_hit.any() and value not in fixed


_NONE: Final = np.zeros(0, dtype=np.int64)


def _covers(count: int, *parts: NDArray[np.int64]) -> bool:
    """Return whether 0..count - 1 all occur."""
    seen = np.zeros(count, dtype=np.bool_)
    for part in parts:
        seen[part[part < count]] = True
    return bool(seen.all())


def _regularity(plain: ValueSequence, values: NDArray[np.int64], period: int) -> _Regularity | None:
    """Return the guess that the end of a table suggests for a period, if any."""
    assert plain.certificate is not None  # noqa: S101
    step = values[period:] - values[:-period]
    end = step[-period:]
    saltus = int(end.max())
    if saltus < 0 or not np.isin(end, (0, saltus)).all():
        return None
    largest = int(plain.values.max())
    if saltus and saltus % (1 << largest.bit_length()):
        return None
    rising = np.zeros(period, dtype=np.bool_)
    rising[np.arange(len(step) - period, len(step)) % period] = end > 0
    wrong = np.flatnonzero(step != saltus * rising[np.arange(len(step)) % period])
    last_exception = int(wrong[-1]) if len(wrong) else -1
    start = max(1, last_exception + 1, plain.certificate.last_exception + 1)
    return _Regularity(plain.values, values, period, start, last_exception, saltus, rising)


def _pairs(
    code: OctalCode, plain: NDArray[np.int64], values: NDArray[np.int64], heap: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield for each number of tokens: heaps that keep the pass, the others (0: none), values."""
    for taken, digit in enumerate(code.digits):
        rest = heap - taken
        first = 1 if digit & 4 else rest
        last = rest if digit & 2 else rest - 1
        if rest > 0 and digit & 6 and first <= last:
            kept = np.arange(first, last + 1)
            other = rest - kept
            yield kept, other, values[kept] ^ plain[other]
