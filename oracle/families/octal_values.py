"""The Grundy values of single heaps of an octal game, computed as far as a question needs."""

from typing import Final

import numpy as np

from position_oracle.engine.budget import Price, current
from position_oracle.engine.theory import octal
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.engine.theory.periodicity import PeriodCertificate, ValueSequence
from position_oracle.oracle.families.base import Shelf
from position_oracle.schema.errors import UnknownAnswerError

PLAIN_HEAPS: Final = 8191
"""Largest heap whose value is computed without compiled code."""

MAX_STEPS: Final = 1_000_000_000
"""Most steps, of about a nanosecond each, that doubling a table may take."""

PAIR_STEPS: Final = 4
"""Steps that a pair of heaps takes which had to be looked at after the rare ones."""

MAX_TABLE: Final = 1 << 22
"""Most heaps of a table."""

_DIGIT_SECONDS: Final = 0.05
"""What values up to `PLAIN_HEAPS` take for each digit of a code."""

_LONG: Final = Price(4.0, 1 << 28)
"""What a table takes that is doubled as long as it may be."""


def octal_values(shelf: Shelf, code: OctalCode, largest: int) -> ValueSequence:
    """The values up to a heap at least, with the certificate of their period if one was found.

    Tables are doubled until they hold the heap or certify a period, as long as that takes seconds.
    Longer tables at hand are not asked: they may certify what one of this length does not.

    Raises:
        UnknownAnswerError: no table at hand goes so far, and no period was certified.
    """
    size = _size(largest)
    sequence = shelf.cache.find(
        "octal values",
        (code, size),
        lambda: _solve(code, size),
        lambda values: values.values.nbytes,
    )
    if not sequence.knows(largest):
        raise UnknownAnswerError(
            f"octal{{code={code}}}: values are computed up to heap {len(sequence.values) - 1}, and"
            " certify no period; a longer table would decide it"
        )
    return sequence


def price_of_heaps(shelf: Shelf, code: OctalCode, largest: int) -> Price:
    """What `octal_values` takes."""
    size = _size(largest)
    if shelf.cache.has("octal values", (code, size)):
        return Price()
    plain = Price(0.002 + _DIGIT_SECONDS * len(code.digits) * (size or PLAIN_HEAPS) / PLAIN_HEAPS)
    return plain if size else plain + _LONG


def _size(largest: int) -> int:
    """The length of the table for a heap; 0 for one as long as is needed to certify a period."""
    return max(octal.TABLE_START, 1 << largest.bit_length()) if largest <= PLAIN_HEAPS else 0


def certificate_text(certificate: PeriodCertificate | None) -> str | None:
    """The certificate of an answer."""
    return None if certificate is None else certificate.statement


def _solve(code: OctalCode, size: int) -> ValueSequence:
    """A table of some size, or (0) one as long as is needed to certify a period."""
    check = current().check
    if size:
        return octal.solve_sequence(code, size - 1, check)
    found = octal.solve_sequence(code, PLAIN_HEAPS, check)
    if found.certificate is not None:
        return found
    from position_oracle.engine.solvers.octal import extend_long, steps_to_double

    more = 0  # steps that only the last doubling told of; the next takes twice as many
    while found.certificate is None and 2 * len(found.values) <= MAX_TABLE:
        if steps_to_double(code, found.values) + 2 * more > MAX_STEPS:
            break
        spent = np.zeros(1, np.int64)
        values = extend_long(code, found.values, 2 * len(found.values), current().flag, spent)
        current().check()
        more = PAIR_STEPS * int(spent[0])
        found = ValueSequence(values, octal.certify(code, values))
    return found
