"""Sequences of Grundy values, and certificates that they go on for ever as they have begun.

A theorem about the rules of a game of heaps says how many values have to be compared before a
period is certain (Guy and Smith for octal games; one window of the largest number taken for
subtraction games). What is found is kept with its certificate; then the value of every heap is
known.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError

TABLE_START: Final = 256
"""Number of values that are computed first; doubled until a period is certified."""

CANDIDATES_MAX: Final = 4096
"""Number of possible periods that are tried on one table, the shortest first."""

NeededCount = Callable[[int, int], int]
"""From a start and a period, how many values (heaps 0, 1, ...) the theorem wants compared."""


@dataclass(frozen=True, slots=True)
class PeriodCertificate:
    """The proof of values beyond a table: value(n + period) = value(n) + saltus or value(n).

    Attributes:
        theorem: The theorem that was applied.
        period: The period.
        last_exception: The last heap n whose value is not that of n + period (less the saltus where
            values rise); -1 if there is none.
        computed_to: The largest heap whose value was computed and compared.
        saltus: By how much values rise in one period; 0 for a periodic sequence.
        rising: For each residue n mod period whether the values rise; empty if none does.
    """

    theorem: str
    period: int
    last_exception: int
    computed_to: int
    saltus: int = 0
    rising: tuple[bool, ...] = ()

    @property
    def kind(self) -> str:
        """`periodic`, `arithmetic periodic`, or both by residue."""
        if not any(self.rising):
            return "periodic"
        return "arithmetic periodic" if all(self.rising) else "periodic and arithmetic periodic"

    @property
    def statement(self) -> str:
        """One sentence for an answer: the period, where it begins, and what it rests on."""
        rise = f" and saltus {self.saltus}" if self.saltus else ""
        exception = f"last exception {self.last_exception}"
        begins = exception if self.last_exception >= 0 else "no exception"
        return (
            f"{self.kind} with period {self.period}{rise}, {begins};"
            f" computed up to heap {self.computed_to}, certain beyond by {self.theorem}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class ValueSequence:
    """The Grundy values of single heaps: a table, and a certificate if the rest is certain too.

    Attributes:
        values: Shape (heaps,), int64: the values of heaps 0, 1, ...
        certificate: Why all further values are known; None if they are not.
    """

    values: NDArray[np.int64]
    certificate: PeriodCertificate | None

    def knows(self, heap: int) -> bool:
        """Whether the value of a heap is in the table or certified."""
        return heap < len(self.values) or self.certificate is not None

    def at(self, heap: int) -> int:
        """The Grundy value of a heap of any size.

        Raises:
            InvalidPositionError: A negative heap.
            UnknownAnswerError: A heap beyond the table, and no period is certified.
        """
        if heap < 0:
            raise InvalidPositionError(f"a heap of {heap}: heaps are not negative")
        if heap < len(self.values):
            return int(self.values[heap])
        proof = self.certificate
        if proof is None:
            raise UnknownAnswerError(
                f"heap {heap}: values are computed up to heap {len(self.values) - 1}, and certify"
                " no period; a longer table would decide it"
            )
        steps = (heap - len(self.values)) // proof.period + 1
        residue = heap % proof.period
        rise = proof.saltus * steps if proof.rising and proof.rising[residue] else 0
        return int(self.values[heap - steps * proof.period]) + rise

    def many(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The Grundy values of an array of heaps, none negative; -1 where one is not known."""
        size, proof = len(self.values), self.certificate
        beyond = heaps >= size
        if not beyond.any():
            return np.asarray(self.values[heaps])
        if proof is None:
            return np.where(beyond, -1, self.values[np.where(beyond, 0, heaps)])
        steps = np.where(beyond, (heaps - size) // proof.period + 1, 0)
        found: NDArray[np.int64] = self.values[heaps - steps * proof.period]
        if proof.saltus:
            found += proof.saltus * steps * np.array(proof.rising)[heaps % proof.period]
        return found

    def heaps_worth(self, value: int) -> list[int]:
        """The heaps of a value where all values rise, as far as known."""
        found = np.flatnonzero(self.values == value).tolist()
        proof = self.certificate
        if proof is not None and proof.saltus:
            begin = len(self.values) - proof.period
            for heap in range(begin, len(self.values)):
                steps, rest = divmod(value - int(self.values[heap]), proof.saltus)
                if steps > 0 and not rest:
                    found.append(heap + steps * proof.period)
        return found


def solve_by_tables(
    extend: Callable[[NDArray[np.int64], int], NDArray[np.int64]],
    certify: Callable[[NDArray[np.int64]], PeriodCertificate | None],
    heaps_max: int,
) -> ValueSequence:
    """Values of heaps up to where a period is certified, or of 0..heaps_max if none is before.

    Tables double in length until then.

    Args:
        extend: Gives as many values as are asked for, from the first ones.
        certify: The certificate that a table gives, if any.
        heaps_max: The largest heap whose value may be computed.
    """
    values = np.zeros(0, dtype=np.int64)
    while True:
        count = min(max(TABLE_START, 2 * len(values)), heaps_max + 1)
        values = extend(values, count)
        certificate = certify(values)
        if certificate is not None or count > heaps_max:
            return ValueSequence(values, certificate)


def find_period(
    values: NDArray[np.int64], needed: NeededCount, window: int
) -> tuple[int, int] | None:
    """The shortest period that a theorem certifies from a table.

    Args:
        values: Shape (heaps,), int64: the values of heaps 0, 1, ...
        needed: How many values the theorem wants for a start (at least 1) and a period.
        window: How many values at the end of a table must repeat, at least, whenever enough of them
            are compared; it only makes the search short.

    Returns:
        The period and the last exception (-1 for none), or None.
    """
    for period in islice(_repeats(values, window), CANDIDATES_MAX):
        last_exception = _last_exception(values, period)
        if needed(max(last_exception + 1, 1), period) <= len(values):
            return period, last_exception
    return None


def _repeats(values: NDArray[np.int64], window: int) -> Iterator[int]:
    """How far back the last `window` values occur once more, the nearest place first."""
    compact = values.astype(np.min_scalar_type(int(values.max())))
    size = compact.itemsize
    text = compact.tobytes()
    tail = len(text) - window * size
    end = len(text) - size
    while end >= window * size:
        current().check()
        found = text.rfind(text[tail:], 0, end)
        if found < 0:
            return
        if found % size == 0:
            yield (tail - found) // size
        end = found + window * size - 1


def _last_exception(values: NDArray[np.int64], period: int) -> int:
    """The last n with value(n) != value(n + period); -1 if there is none."""
    start = len(values) - period
    step = 256
    while start > 0:
        begin = max(0, start - step)
        differs = values[begin:start] != values[begin + period : start + period]
        if differs.any():
            return begin + int(np.flatnonzero(differs)[-1])
        start, step = begin, step * 4
    return -1
