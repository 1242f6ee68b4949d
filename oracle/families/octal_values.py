"""Grundy values of single heaps of a take-and-break game, as far as a question needs."""

from functools import lru_cache
from typing import Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.theory import octal
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.engine.theory.periodicity import TABLE_START, HeapValues, ValueSequence
from position_oracle.oracle.families.resources import Resources

PLAIN_HEAPS: Final = 8191
"""Largest heap whose value is computed without compiled code."""

MAX_STEPS: Final = 1_000_000_000
"""Maximum number of steps, of about a nanosecond each, to double a table."""

PAIR_STEPS: Final = 4
"""Steps for a pair of heaps that is visited because the rare heaps did not settle a value."""

MAX_TABLE: Final = 1 << 22
"""Maximum number of heaps of a table."""

_PLAIN_SECONDS: Final = 0.15
"""Seconds for the values up to `PLAIN_HEAPS`, for each kind of split."""

BROKEN_HEAPS: Final = 1023
"""Largest heap whose value is computed if moves leave three heaps."""

_PAIR_SECONDS: Final = 4e-6
"""Seconds for a heap of `BROKEN_HEAPS`, for each of the smallest parts of three."""

_PLACE_SECONDS: Final = 2e-7
"""Seconds for a heap, for each digit of the code."""

MAX_LONG_STEPS: Final = 8_000_000_000
"""Maximum number of steps for a single heap if no theorem certifies a period, as in Grundy's
game."""

_HEAP_SECONDS: Final = 8e-6
"""Seconds for a heap of such a table, measured in Grundy's game, the slowest known."""

_LONG: Final = Cost(4.0, 1 << 28)
"""Cost of a table of the maximum length."""


def plan_octal_values(resources: Resources, code: OctalCode, largest: int) -> Plan[HeapValues]:
    """Plan the values up to a heap, with the certificate of their period if one is found.

    Tables are doubled until they contain the heap or certify a period, within some seconds. Longer
    cached tables are not used, because they may certify a period that a table of this length does
    not. Without a certified period, the value of a heap beyond the table is unknown.
    """
    form = octal.CLOSED_FORMS.get(code)
    if form is not None:
        return Plan(Cost(), lambda: form)
    size = _size(code, largest)

    def run() -> HeapValues:
        return resources.cache.find(
            "octal values",
            (code, size),
            lambda: _solve(code, size),
            lambda values: values.values.nbytes,
        )

    is_cached = resources.cache.has("octal values", (code, size))
    return Plan(_cost_once(code, size, is_cached), run)


@lru_cache(maxsize=256)
def _cost_once(code: OctalCode, size: int, is_cached: bool) -> Cost:
    return _cost(code, size).once("octal values", code, size, is_cached=is_cached)


def _cost(code: OctalCode, size: int) -> Cost:
    """Return the cost of a table of some size; size 0 means as long as a certificate needs."""
    heaps = min(size or _AS_NEEDED, _plain_heaps(code) + 1)
    seconds = _PLAIN_SECONDS * code.parts * heaps / PLAIN_HEAPS
    seconds += _PLACE_SECONDS * heaps * min(len(code.digits), heaps)
    if code.parts > 2:
        seconds += _PAIR_SECONDS * heaps * heaps / 6
    cost = Cost(0.002 + seconds)
    if not code.has_long_tables or (size and size <= heaps):
        return cost
    return cost + (_LONG if code.has_theorem else Cost(_HEAP_SECONDS * size, 32 * size))


_AS_NEEDED: Final = 1 << 62


def _plain_heaps(code: OctalCode) -> int:
    """Return the largest heap whose value is computed without compiled code."""
    return BROKEN_HEAPS if code.parts > 2 else PLAIN_HEAPS


def _size(code: OctalCode, largest: int) -> int:
    """Return the length of the table for a heap; 0 for as long as a certificate needs."""
    if largest <= _plain_heaps(code):
        return max(TABLE_START, 1 << largest.bit_length())
    if code.has_theorem:
        return 0
    most = MAX_TABLE if code.has_long_tables else _plain_heaps(code) + 1
    return min(1 << largest.bit_length(), most)


def _solve(code: OctalCode, size: int) -> ValueSequence:
    """Return a table of some size, or (0) as long as a certificate needs."""
    plain = _plain_heaps(code)
    found = octal.solve_sequence(code, min(size or _AS_NEEDED, plain + 1) - 1)
    if not code.has_long_tables:
        return found
    more = 0  # steps measured in the last doubling; the next takes twice as many
    while found.certificate is None and 2 * len(found.values) <= (size or MAX_TABLE):
        from position_oracle.engine.solvers.octal import extend_long, steps_to_double

        most = MAX_STEPS if code.has_theorem else MAX_LONG_STEPS
        if steps_to_double(code, found.values) + 2 * more > most:
            break
        spent = np.zeros(1, np.int64)
        values = extend_long(code, found.values, 2 * len(found.values), spent)
        more = PAIR_STEPS * int(spent[0])
        found = ValueSequence(values, octal.certify(code, values))
    return found
