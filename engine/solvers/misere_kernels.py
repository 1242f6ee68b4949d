"""Compiled code for long lists of words: the outcomes of words, and numbers of classes."""

import numpy as np

from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.misere_words import fill_outcomes as fill_plain

fill_outcomes = kernel(fill_plain)


@kernel
def number_values(begin, end, values, slots, found, numbers, first):
    """Number distinct values in order of appearance.

    Args:
        begin: the first place.
        end: one more than the last place.
        values: uint64 (n,), hash values.
        slots: int32, a hash table of numbers by value; -1: empty. Longer than `first`.
        found: the number of distinct values before `begin`.
        numbers: int32 (n,): filled.
        first: int64 (most,): the index at which each number appears first; filled.

    Returns:
        The number of distinct values before `end`; -1 if there are more than `most`.
    """
    for place in range(begin, end):
        slot = values[place] % np.uint64(len(slots))
        while slots[slot] >= 0 and values[first[slots[slot]]] != values[place]:
            slot = (slot + np.uint64(1)) % np.uint64(len(slots))
        if slots[slot] < 0:
            if found == len(first):
                return -1
            slots[slot] = found
            first[found] = place
            found += 1
        numbers[place] = slots[slot]
    return found
