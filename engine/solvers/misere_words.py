"""Words over heaps: their outcomes in misere play, and the smallest monoid that gives them.

A word is an element of a base, a quotient that is known, times heaps with bounded exponents, the
free heaps: beyond the bound, the exponents e and e + 2 are identified. A word stands for a
position: the least word of the element, in heaps of the base, and the free heaps. The options of a
word have smaller numbers, so one pass decides all outcomes. The result is a guess, which
`theory.misere_quotients` proves or refutes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current, watched
from position_oracle.engine.solvers.steps import steps
from position_oracle.engine.theory.misere_quotients import Elements, Flags, Monoid, option_classes
from position_oracle.engine.theory.octal import OctalCode, splits_of

PERIOD: Final = 2
"""Every element of the known misere quotients has period 1 or 2."""

SMALL: Final = 4096
"""Up to this number of words no compiled code is used."""

_KERNEL_STEPS: Final = 400_000
_PLAIN_STEPS: Final = 2_000
_FACTORS_SEED: Final = 1

Ints = NDArray[np.int64]
States = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class NormalForms:
    """A quotient with the least word of each element, the largest heap counting most.

    Attributes:
        monoid: The quotient; elements ascend as their least words do.
        generators: Heaps, ascending.
        words: Shape (order, generators): exponents of the least words.
        phi: The class of each heap; the classes from `heaps` on are not known yet.
        heaps: The number of heaps with known classes.
    """

    monoid: Monoid
    generators: tuple[int, ...]
    words: Ints
    phi: Elements
    heaps: int

    def below(self, heap: int) -> int:
        """Return the number of elements that are products of smaller heaps; they come first."""
        beyond = self.words[:, [generator >= heap for generator in self.generators]].any(axis=1)
        return int(beyond.argmax()) if beyond.any() else self.monoid.order

    def index_of(self, heap: int) -> int:
        """Return the least i from which on the powers of the class of a heap repeat."""
        powers, power = [0], int(self.phi[heap])
        while power not in powers:
            powers.append(power)
            power = int(self.monoid.table[power, self.phi[heap]])
        return powers.index(power)

    def options(self, code: OctalCode, count: int) -> list[list[int]]:
        """Return the classes of the options of the least word of each of the first elements."""
        of_generator = [
            list(option_classes(code, self.monoid, self.phi, heap))
            for heap in watched(self.generators)
        ]
        words = watched(self.words.tolist(), every=256)
        numbers = {tuple(word): number for number, word in enumerate(words)}
        found = []
        for word in watched(self.words[:count].tolist(), every=32):
            options: set[int] = set()
            for place in (place for place, exponent in enumerate(word) if exponent):
                rest = numbers[tuple(e - (i == place) for i, e in enumerate(word))]
                options.update(self.monoid.table[rest, of_generator[place]].tolist())
            found.append(sorted(options))
        return found


Word = tuple[int, tuple[int, ...]]
"""An element of the base, and the exponents of the free heaps, which may exceed their bounds."""


class Slabs(NamedTuple):
    """The exponents of words: slab = sum of exponent x weight, one entry for each free heap.

    `first` are the exponents from which on powers repeat, `sizes` the numbers of exponents.
    """

    first: Ints
    sizes: Ints
    weights: Ints


@dataclass(frozen=True, eq=False)
class Words:
    """All words over a base and free heaps.

    Attributes:
        known: The quotient that the base is part of: the elements of heaps below all free ones.
        free: Heaps, ascending; all generators of `known` from the first of them on are free.
        index: For each free heap, the exponent from which on e and e + 2 are equivalent.
    """

    known: NormalForms
    free: tuple[int, ...]
    index: tuple[int, ...]

    @cached_property
    def base(self) -> int:
        """The number of elements of the base, which is that of the words of a slab."""
        return self.known.below(self.free[0])

    @cached_property
    def slabs(self) -> Slabs:
        """The exponents of the words."""
        index = np.array(self.index, np.int64)
        sizes = index + PERIOD
        return Slabs(index, sizes, np.cumprod([1, *sizes[:-1].tolist()]))

    @property
    def count(self) -> int:
        """The number of words."""
        return self.base * prod(index + PERIOD for index in self.index)

    def slab_of(self, exponents: Ints) -> Ints:
        """Return the slabs of exponents, shape (..., free heaps), which may exceed their bounds."""
        index, _, weights = self.slabs
        over = exponents - index
        return np.asarray(np.where(over < 0, exponents, index + over % PERIOD) @ weights)

    def number(self, word: Word) -> int:
        """Return the number of a word."""
        return int(self.slab_of(np.array(word[1], np.int64))) * self.base + word[0]

    def of_heap(self, heap: int) -> Word:
        """Return the word of a heap: itself if it is free, else the word of its class."""
        if heap in self.free:
            return 0, tuple(int(each == heap) for each in self.free)
        return self.of_element(int(self.known.phi[heap]))

    def of_element(self, element: int) -> Word:
        """Return the least word of an element of the known quotient."""
        known = self.known
        exponents = dict(zip(known.generators, known.words[element].tolist(), strict=True))
        inside = 0
        for heap, exponent in exponents.items():
            if heap not in self.free:
                for _ in range(exponent):
                    inside = int(known.monoid.table[inside, known.phi[heap]])
        return inside, tuple(exponents.get(heap, 0) for heap in self.free)

    def options_of(self, code: OctalCode, heap: int) -> list[Word]:
        """Return the words of the options of a heap, each once."""
        found = set()
        for parts in watched(splits_of(code, heap), every=64):
            inside, exponents = 0, np.zeros(len(self.free), np.int64)
            for element, more in map(self.of_heap, parts):
                inside = int(self.known.monoid.table[inside, element])
                exponents += more
            found.add((inside, tuple(exponents.tolist())))
        return sorted(found)


def outcomes_of(code: OctalCode, words: Words) -> Flags:
    """Return whether each word is P in misere play, shape (words,)."""
    base, table = words.base, words.known.monoid.table
    of_heap = [words.options_of(code, heap) for heap in watched(words.free)]
    of_base = words.known.options(code, base)
    flat = [word for options in of_heap for word in options]
    exponents = np.array([word[1] for word in flat], np.int64).reshape(-1, len(words.free))
    begins = _begins(of_heap)
    for place in range(len(words.free)):
        exponents[begins[place] : begins[place + 1], place] -= 1
    columns = np.ascontiguousarray(table[:base, [word[0] for word in flat]].T)
    elements = np.array([option for options in of_base for option in options], np.int64)
    is_p = np.zeros(words.count, np.bool_)
    fill, most = fill_outcomes, _PLAIN_STEPS
    if words.count > SMALL:
        from position_oracle.engine.solvers.misere_kernels import fill_outcomes as compiled

        fill, most = compiled, _KERNEL_STEPS
    for first, last in steps(0, words.count // base, max(1, most // (base * (1 + len(flat))))):
        fill(
            first,
            last,
            words.slabs,
            (exponents, begins),
            columns,
            (elements, _begins(of_base)),
            is_p,
        )
    return is_p


def _begins(lists: Sequence[Sequence[object]]) -> Ints:
    return np.cumsum([0, *map(len, lists)]).astype(np.int64)


def fill_outcomes(  # also compiled: see `misere_kernels`
    first, last, slabs, options, columns, base_options, is_p
):
    """Decide whether the words of the slabs first .. last - 1 are P; earlier ones are known.

    Args:
        first: The first slab.
        last: One more than the last slab.
        slabs: The exponents.
        options: Changes of exponents by each option of the free heaps, int64 (options, free), one
            free heap after the other; and where those of each begin.
        columns: int32 (options, base): the element that an option makes of each one of the base.
        base_options: The options of each element of the base, one after the other; and where those
            of each begin.
        is_p: bool (words,).
    """
    index, sizes, weights = slabs
    changes, begins = options
    elements, element_begins = base_options
    base = columns.shape[1]
    free = len(sizes)
    starts = np.empty(len(changes), np.int64)
    rows = np.empty(len(changes), np.int64)
    for slab in range(first, last):
        count = 0
        for heap in range(free):
            if slab // weights[heap] % sizes[heap] == 0:
                continue
            for option in range(begins[heap], begins[heap + 1]):
                start = 0
                for place in range(free):
                    e = slab // weights[place] % sizes[place] + changes[option, place]
                    if e >= sizes[place]:
                        e = index[place] + (e - index[place]) % 2
                    start += e * weights[place]
                starts[count] = start * base
                rows[count] = option
                count += 1
        for q in range(base):
            wins = False
            for place in range(element_begins[q], element_begins[q + 1]):
                if is_p[slab * base + elements[place]]:
                    wins = True
                    break
            if not wins:
                for each in range(count):
                    if is_p[starts[each] + columns[rows[each], q]]:
                        wins = True
                        break
            can_move = count > 0 or element_begins[q + 1] > element_begins[q]
            is_p[slab * base + q] = can_move and not wins


def classes_of(words: Words, is_p: Flags, classes_max: int) -> tuple[States, Ints] | None:
    """Return the classes of words that no third word distinguishes, numbered by least words.

    Moore's refinement: two words stay together while their products with each generator do.

    Args:
        words: The words.
        is_p: Whether each is P.
        classes_max: The maximum number of classes.

    Returns:
        The class of each word, shape (words,), and the least word of each class; None if there are
        more classes.
    """
    chance = np.random.default_rng(_FACTORS_SEED)
    state, classes = is_p.astype(np.int32), 0
    while True:
        mixed = state.astype(np.uint64)
        for letter in _letters(words, state):
            current().check()
            factor = chance.integers(2**62, 2**63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
            mixed = (mixed ^ (mixed >> np.uint64(31))) * factor + letter.astype(np.uint64)
        numbered = _numbered(mixed, classes_max)
        if numbered is None:
            return None
        state, first = numbered
        if len(first) == classes:
            return state, first
        classes = len(first)


def _numbered(mixed: NDArray[np.uint64], most: int) -> tuple[States, Ints] | None:
    """Return the numbers of distinct values in order of appearance, and their first indices."""
    if len(mixed) <= SMALL:
        _, first, inverse = np.unique(mixed, return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first)).astype(np.int32)
        return None if len(first) > most else (rank[inverse], np.sort(first))
    from position_oracle.engine.solvers.misere_kernels import number_values

    state, first = np.empty(len(mixed), np.int32), np.empty(most, np.int64)
    slots, found = np.full(4 * most, -1, np.int32), 0
    for begin, end in steps(0, len(mixed), _KERNEL_STEPS // 8):
        found = number_values(begin, end, mixed, slots, found, state, first)
        if found < 0:
            return None
    return state, first[:found]


def _letters(words: Words, state: States) -> Iterator[States]:
    """Return the state of the product of each word with each generator."""
    known, slabs = words.known, words.slabs
    rows = state.reshape(-1, words.base)
    for place in _inside(words):
        yield rows[:, known.monoid.actions[: words.base, place]].ravel()
    numbers = np.arange(len(rows))
    for index, size, weight in zip(*slabs, strict=True):
        exponent = numbers // weight % size
        after = np.where(exponent + 1 < size, exponent + 1, index)
        yield rows[numbers + (after - exponent) * weight].ravel()


def _inside(words: Words) -> list[int]:
    """Return the indices of the generators that are not free."""
    return [i for i, heap in enumerate(words.known.generators) if heap < words.free[0]]


def minimised(words: Words, is_p: Flags, heap: int, order_max: int) -> NormalForms | None:
    """Return the smallest monoid with the outcomes of all words; None if it is too large.

    Args:
        words: The words.
        is_p: Whether each is P.
        heap: The largest heap, which is free.
        order_max: The maximum order.
    """
    found = classes_of(words, is_p, order_max)
    if found is None:
        return None
    state, first = found
    known, base, inside = words.known, words.base, _inside(words)
    heaps = [*(known.generators[place] for place in inside), *words.free]
    products = [letter[first] for letter in _letters(words, state)]
    numbers = [words.number(words.of_heap(each)) for each in heaps]
    # A generator whose class has a smaller word is not needed.
    kept = [i for i, n in enumerate(numbers) if first[state[n]] == n and state[n]]
    _, sizes, weights = words.slabs
    exponents = (first // base)[:, None] // weights % sizes
    least = np.concatenate([known.words[first % base][:, inside], exponents], axis=1)
    phi = known.phi.copy()
    phi[1 : heap + 1] = [state[words.number(words.of_heap(each))] for each in range(1, heap + 1)]
    actions = np.stack([products[i] for i in kept], axis=1) if kept else np.zeros((1, 0), np.int32)
    return NormalForms(
        Monoid(actions.astype(np.int32), is_p[first]),
        tuple(heaps[i] for i in kept),
        least[:, kept],
        phi,
        heap + 1,
    )


def is_told_apart(words: Words, is_p: Flags, heap: int, order_max: int) -> bool:
    """Return whether a free heap differs from the word of its assumed class."""
    found = classes_of(words, is_p, order_max)
    if found is None:
        return False
    state, _ = found
    taken_for = words.number(words.of_element(int(words.known.phi[heap])))
    return bool(state[words.number(words.of_heap(heap))] != state[taken_for])
