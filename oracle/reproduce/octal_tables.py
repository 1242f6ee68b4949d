"""Long tables of octal games, without the limits of the service."""

from position_oracle.engine.solvers.octal import extend_long
from position_oracle.engine.theory.octal import OctalCode, certify, solve_sequence
from position_oracle.engine.theory.periodicity import ValueSequence
from position_oracle.oracle.families.octal_values import PLAIN_HEAPS


def solve_long_sequence(code: OctalCode, heaps_max: int) -> ValueSequence:
    """Return values of heaps until a period is certified, or of 0..heaps_max.

    Raises:
        ResourceLimitError: a value of 2^14 or more.
    """
    found = solve_sequence(code, min(heaps_max, PLAIN_HEAPS))
    while found.certificate is None and len(found.values) <= heaps_max:
        values = extend_long(code, found.values, min(2 * len(found.values), heaps_max + 1))
        found = ValueSequence(values, certify(code, values))
    return found
