"""Sequences of Grundy values, and certificates of their periods.

A theorem about the rules of a game of heaps says how many values have to be compared before a
period is certain (Guy and Smith for octal games; one window of the largest number taken for
subtraction games). A certified period gives the value of every heap.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.schema.errors import UnknownAnswerError

TABLE_START: Final = 256
"""Number of values computed first; it is doubled until a period is certified."""

CANDIDATES_MAX: Final = 4096
"""Maximum number of periods that are tried on one table, the shortest first."""

NeededCount = Callable[[int, int], int]
"""Function of a start and a period that returns the number of values (heaps 0, 1, ...) to
compare."""


@dataclass(frozen=True, slots=True)
class PeriodCertificate:
    """The proof of values beyond a table: value(n + period) = value(n) + saltus or value(n).

    Attributes:
        theorem: The theorem that was applied.
        period: The period.
        last_exception: The last heap n whose value is not that of n + period (less the saltus if
            values rise); -1 if there is none.
        computed_to: The largest heap whose value was computed and compared.
        saltus: The increase of the values in one period; 0 for a periodic sequence.
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
        """The kind: `periodic`, `arithmetic periodic`, or both by residue."""
        if not any(self.rising):
            return "periodic"
        return "arithmetic periodic" if all(self.rising) else "periodic and arithmetic periodic"

    @property
    def statement(self) -> str:
        """A sentence for answers: the period, its beginning, and its proof."""
        rise = f" and saltus {self.saltus}" if self.saltus else ""
        exception = f"last exception {self.last_exception}"
        begins = exception if self.last_exception >= 0 else "no exception"
        return (
            f"{self.kind} with period {self.period}{rise}, {begins};"
            f" computed up to heap {self.computed_to}, certain beyond by {self.theorem}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class ValueSequence:
    """The Grundy values of single heaps: a table, and perhaps a certificate for the rest.

    Attributes:
        values: Shape (heaps,), int64: the values of heaps 0, 1, ...
        certificate: The proof of all further values; None if they are unknown.
    """

    values: NDArray[np.int64]
    certificate: PeriodCertificate | None

    @property
    def statement(self) -> str | None:
        """A sentence for answers, if the values of all heaps are certain."""
        return None if self.certificate is None else self.certificate.statement

    def at(self, heap: int) -> int:
        """Return the Grundy value of a heap of any size.

        Raises:
            UnknownAnswerError: The heap is beyond the table, and no period is certified.
        """
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
        """Return the Grundy values of an array of heaps, none negative; -1 if unknown."""
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
        """Return the known heaps with a value, if all values rise."""
        found = np.flatnonzero(self.values == value).tolist()
        proof = self.certificate
        if proof is not None and proof.saltus:
            begin = len(self.values) - proof.period
            steps, rest = np.divmod(value - self.values[begin:], proof.saltus)
            for place in np.flatnonzero((steps > 0) & (rest == 0)).tolist():
                found.append(begin + place + int(steps[place]) * proof.period)
        return found


@dataclass(frozen=True, slots=True)
class Formula:
    """Grundy values of heaps of every size in closed form.

    Attributes:
        statement: The formula and its source, for answers.
        formula: Returns the value of a heap, or the values of an array of heaps.
    """

    statement: str
    formula: Callable[[Any], Any]

    def at(self, heap: int) -> int:
        """Return the Grundy value of a heap."""
        return int(self.formula(heap))

    def many(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the Grundy values of an array of heaps."""
        return np.asarray(self.formula(heaps))


HeapValues = ValueSequence | Formula
"""The Grundy values of single heaps, as far as they are known."""


def solve_by_tables(
    extend: Callable[[NDArray[np.int64], int], NDArray[np.int64]],
    certify: Callable[[NDArray[np.int64]], PeriodCertificate | None],
    heaps_max: int,
) -> ValueSequence:
    """Return values of heaps until a period is certified, or of 0..heaps_max.

    The table doubles in length until then.

    Args:
        extend: Returns a longer table, given the number of values and the first ones.
        certify: Returns the certificate that a table gives, if any.
        heaps_max: The largest heap whose value may be computed.
    """
    values = np.zeros(0, dtype=np.int64)
    while True:
        count = min(max(TABLE_START, 2 * len(values)), heaps_max + 1)
        values = extend(values, count)
        certificate = certify(values)
        if certificate is not None or count > heaps_max:
            return ValueSequence(values, certificate)


def certify_period(
    values: NDArray[np.int64], theorem: str, needed: NeededCount, window: int
) -> PeriodCertificate | None:
    """Return the certificate of the period that `find_period` finds, if any."""
    found = find_period(values, needed, window)
    return None if found is None else PeriodCertificate(theorem, *found, len(values) - 1)


def find_period(
    values: NDArray[np.int64], needed: NeededCount, window: int
) -> tuple[int, int] | None:
    """Return the shortest period that a theorem certifies from a table.

    Args:
        values: Shape (heaps,), int64: the values of heaps 0, 1, ...
        needed: Returns the number of values that the theorem needs for a start (at least 1) and a
            period.
        window: Minimum number of values at the end of a table that must repeat; it only shortens
            the search.

    Returns:
        The period and the last exception (-1 for none), or None.
    """
    for period in islice(_repeats(values, window), CANDIDATES_MAX):
        last_exception = _last_exception(values, period)
        if needed(max(last_exception + 1, 1), period) <= len(values):
            return period, last_exception
    return None


def _repeats(values: NDArray[np.int64], window: int) -> Iterator[int]:
    """Yield the distances at which the last `window` values occur again, the nearest first."""
    # Backwards, since bytes.rfind may take the product of both lengths.
    compact = values[::-1].astype(np.min_scalar_type(int(values.max())))
    size = compact.itemsize
    text = compact.tobytes()
    last, found = text[: window * size], size
    while (found := text.find(last, found)) >= 0:
        current().check()
        if found % size == 0:
            yield found // size
        found += 1


def _last_exception(values: NDArray[np.int64], period: int) -> int:
    """Return the last n with value(n) != value(n + period); -1 if there is none."""
    start = len(values) - period
    step = 256
    while start > 0:
        begin = max(0, start - step)
        differs = values[begin:start] != values[begin + period : start + period]
        if differs.any():
            return begin + int(np.flatnonzero(differs)[-1])
        start, step = begin, step * 4
    return -1
