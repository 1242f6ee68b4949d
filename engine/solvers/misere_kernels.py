"""Compiled code for long lists of words: their outcomes, and one round of refinement.

Words are cut into slabs: the words of a slab differ in the element of the base only. See
`engine.solvers.misere_quotients`.
"""

import numpy as np

from position_oracle.engine.solvers.compiled import kernel


@kernel
def fill_outcomes(first, last, slabs, options, columns, base_options, is_p):
    """Fill in whether the words of the slabs first .. last - 1 are P; those before are known.

    Args:
        first: the first slab.
        last: one more than the last slab.
        slabs: `Slabs`.
        options: (exponents, begins): the changes of exponents by each option of the free heaps,
            int64 (options, free), one free heap after the other, and where those of each begin.
        columns: int32 (options, base): the element of the base that an option makes of each.
        base_options: (elements, begins): those of the normal form of each element of the base.
        is_p: bool (words,).
    """
    exponents, begins = options
    elements, element_begins = base_options
    base = columns.shape[1]
    free = slabs.index.shape[0]
    starts = np.empty(exponents.shape[0], np.int64)
    rows = np.empty(exponents.shape[0], np.int64)
    for slab in range(first, last):
        count = 0
        for heap in range(free):
            if slab // slabs.weights[heap] % slabs.sizes[heap] == 0:
                continue
            for option in range(begins[heap], begins[heap + 1]):
                start = 0
                for place in range(free):
                    e = slab // slabs.weights[place] % slabs.sizes[place]
                    e += exponents[option, place]
                    over = e - slabs.index[place]
                    if over >= 0:
                        e = slabs.index[place] + over % slabs.period[place]
                    start += e * slabs.weights[place]
                starts[count] = start * base
                rows[count] = option
                count += 1
        for q in range(base):
            is_won = False
            for place in range(element_begins[q], element_begins[q + 1]):
                if is_p[slab * base + elements[place]]:
                    is_won = True
                    break
            if not is_won:
                for each in range(count):
                    if is_p[starts[each] + columns[rows[each], q]]:
                        is_won = True
                        break
            can_move = count > 0 or element_begins[q + 1] > element_begins[q]
            is_p[slab * base + q] = can_move and not is_won


@kernel
def mix_states(first, last, slabs, actions, factors, state, mixed):
    """Mix the state of each word with those of its products with the generators.

    Args:
        first: the first slab.
        last: one more than the last slab.
        slabs: `Slabs`.
        actions: int32 (base, generators): products within the base.
        factors: uint64 (generators of the base + free heaps + 1,), odd.
        state: int32 (words,).
        mixed: uint64 (words,): filled.
    """
    base, generators = actions.shape
    free = slabs.index.shape[0]
    more = np.empty(free, np.int64)
    for slab in range(first, last):
        for place in range(free):
            e = slab // slabs.weights[place] % slabs.sizes[place]
            after = e + 1
            if after == slabs.sizes[place]:
                after = slabs.index[place]
            more[place] = (slab + (after - e) * slabs.weights[place]) * base
        for q in range(base):
            word = slab * base + q
            found = np.uint64(state[word]) * factors[0]
            for generator in range(generators):
                other = state[slab * base + actions[q, generator]]
                found = _with(found, np.uint64(other) * factors[1 + generator])
            for place in range(free):
                other = state[more[place] + q]
                found = _with(found, np.uint64(other) * factors[1 + generators + place])
            mixed[word] = found


@kernel
def _with(found, product):
    return found * np.uint64(0x9E3779B97F4A7C15) + (product ^ (product >> np.uint64(29)))
