"""Finding misere quotients of octal games, heap by heap: guess, then prove.

A heap whose options have the classes of those of a smaller heap is that heap. Else each element
that its options allow is tried for it, by the proof (`theory.misere_quotients.OpenContexts`). Else
it is a new generator, and the quotient is guessed again: the outcomes of all words, by recursion,
with a bound on each exponent, and of the automaton that multiplies words the smallest that gives
the same outcomes. If the proof then fails, an earlier heap is told apart from what it was taken
for: it becomes a generator, too, until the proof holds. Nothing guessed is believed.

Source: T. E. Plambeck and A. N. Siegel, Misere quotients for impartial games, J. Combin. Theory
Ser. A 115 (2008) 593-622, and appendix A there for partial quotients.
"""

from dataclasses import dataclass, replace
from math import prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.steps import steps
from position_oracle.engine.theory.misere_quotients import (
    ORDER_MAX,
    Elements,
    Flags,
    MisereQuotient,
    Monoid,
    OpenContexts,
    OptionClasses,
    certified_period,
    refutation,
    spanning_steps,
)
from position_oracle.engine.theory.octal import OctalCode, splits_of
from position_oracle.schema.errors import ResourceLimitError

WORDS_MAX: Final = 1 << 22
"""Most words whose outcomes are computed for a guess: a few seconds, and 200 MB."""

SMALL: Final = 1 << 15
"""Up to this number of words no compiled code is used."""

_FRESH_INDEX: Final = 3
"""The exponents of a new generator: e and e + 2 are taken for the same from here on."""
_FRESH_PERIOD: Final = 2
"""All periods of elements of known misere quotients are 1 or 2."""


@dataclass(frozen=True, eq=False)
class _Known:
    """A quotient of heaps, with normal forms: the least words, the largest heap counting most.

    Attributes:
        monoid: The quotient; elements ascend as their normal forms do.
        generators: Heaps, ascending.
        words: Shape (order, generators): the exponents of the normal forms.
        phi: The class of each heap of the list; those from `heaps` on are not known yet.
        heaps: How many are known.
    """

    monoid: Monoid
    generators: tuple[int, ...]
    words: NDArray[np.int64]
    phi: Elements
    heaps: int

    def below(self, heap: int) -> int:
        """How many elements are products of smaller heaps: they are the first ones."""
        if not self.generators or self.generators[-1] < heap:
            return self.monoid.order
        beyond = self.words[:, [g >= heap for g in self.generators]]
        return int(np.flatnonzero(beyond.any(axis=1))[0])

    def knowing(self, heap: int, element: int) -> "_Known":
        """The same with the class of the next heap."""
        self.phi[heap] = element
        return replace(self, heaps=heap + 1)

    def cycle_of(self, element: int) -> tuple[int, int]:
        """The least index and period with x^(index + period) = x^index."""
        seen, power = [], 0
        while power not in seen:
            seen.append(power)
            power = int(self.monoid.table[power, element])
        index = seen.index(power)
        return index, len(seen) - index


Word = tuple[int, tuple[int, ...]]
"""An element of the base, and the exponents of the free heaps."""


@dataclass(frozen=True, eq=False)
class _Words:
    """All words: an element of a base, times free heaps with bounded exponents.

    A word has the number q + base (e_1 + size_1 (e_2 + size_2 (...))), q being an element of the
    base. Its options have smaller numbers.

    Attributes:
        known: The quotient that the base is part of: the elements made of heaps below all free ones.
        free: Heaps, ascending.
        index: For each free heap the exponent from which on the powers repeat.
        period: The period with which they do.
    """

    known: _Known
    free: tuple[int, ...]
    index: NDArray[np.int64]
    period: NDArray[np.int64]

    @property
    def base(self) -> int:
        """How many elements of the known quotient are used."""
        return self.known.below(self.free[0])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of exponents of the free heaps."""
        return tuple((self.index + self.period).tolist())

    @property
    def count(self) -> int:
        """How many words there are."""
        return self.base * prod(self.sizes)

    @property
    def layout(self):
        sizes = np.array(self.sizes, np.int64)
        return Slabs(self.index, self.period, sizes, np.cumprod([1, *self.sizes[:-1]]))

    def slabs(self, exponents: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of words whose element is the identity.

        Args:
            exponents: Shape (..., free heaps), not reduced.
        """
        over = exponents - self.index
        reduced = np.where(over < 0, exponents, self.index + over % self.period)
        weights = self.base * np.cumprod([1, *self.sizes[:-1]])
        return np.asarray(reduced @ weights)

    def of(self, heap: int) -> Word:
        """The word of a heap."""
        none = [0] * len(self.free)
        if heap in self.free:
            none[self.free.index(heap)] = 1
            return 0, tuple(none)
        known = self.known
        element = int(known.phi[heap])
        if element < self.base:
            return element, tuple(none)
        q = 0
        for generator, exponent in zip(
            known.generators, known.words[element].tolist(), strict=True
        ):
            if generator in self.free:
                none[self.free.index(generator)] += exponent
            else:
                step = known.monoid.power(int(known.phi[generator]), exponent)
                q = int(known.monoid.table[q, step])
        return q, tuple(none)

    def options_of(self, code: OctalCode, heap: int) -> list[Word]:
        """The words of the options of a heap, each once."""
        found = set()
        for parts in splits_of(code, heap):
            words = [self.of(part) for part in parts]
            q = 0
            for element, _ in words:
                q = int(self.known.monoid.table[q, element])
            exponents = tuple(map(sum, zip(*(word[1] for word in words), strict=True)))
            found.add((q, exponents or (0,) * len(self.free)))
        return sorted(found)


def find_quotient(
    code: OctalCode, heaps_max: int, *, order_max: int = ORDER_MAX, words_max: int = WORDS_MAX
) -> MisereQuotient:
    """The misere quotient of all heaps if a period is certain by some heap, else of 0 .. heaps_max.

    Args:
        code: The game.
        heaps_max: The largest heap.
        order_max: The largest order.
        words_max: The most words whose outcomes are computed for a guess.

    Raises:
        ResourceLimitError: The quotient is larger than allowed, or infinite, or not found.
        StoppedError: The current budget is spent; it is looked at every few milliseconds.
    """
    found = partial_quotients(code, heaps_max, order_max=order_max, words_max=words_max)
    return last_of(found)


class QuotientFinder:
    """Takes heaps in, one after the other.

    Attributes:
        known: The quotient of the heaps taken in so far.
    """

    def __init__(self, code: OctalCode, heaps_max: int, *, order_max: int, words_max: int) -> None:
        self._code = code
        self._limits = order_max, words_max
        trivial = Monoid(np.zeros((1, 0), np.int32), np.zeros(1, np.bool_))
        phi = np.zeros(heaps_max + 1, np.int32)
        self.known = _Known(trivial, (), np.zeros((1, 0), np.int64), phi, 1)
        self._refresh()

    @property
    def quotient(self) -> MisereQuotient:
        known = self.known
        return MisereQuotient(
            self._code, known.monoid, known.generators, known.phi[: known.heaps].copy()
        )

    def take_in(self) -> bool:
        """Take in the next heap; whether it is a new generator."""
        heap = self.known.heaps
        options = self._options.of(heap)
        element = self._element_of(options)
        if element is None:
            self._enlarge(heap)
            return True
        self.known = self.known.knowing(heap, element)
        self._element_by_options.setdefault(options, element)
        return False

    def _refresh(self) -> bool:
        """Prove the known heaps again in a new quotient; whether that holds."""
        known = self.known
        self._options = OptionClasses(self._code, known.monoid, known.phi)
        self._contexts = OpenContexts(known.monoid, current().check)
        self._element_by_options = {(): 0}
        for heap in range(1, known.heaps):
            if not self._admits(int(known.phi[heap]), self._options.of(heap)):
                return False
        return True

    def _admits(self, element: int, options: tuple[int, ...]) -> bool:
        before = self._element_by_options.get(options)
        if before is not None:
            return before == element
        if not self.known.monoid.may_be_option[element, list(options)].all():
            return False
        if not self._contexts.admits(element, options):
            return False
        self._element_by_options[options] = element
        return True

    def _element_of(self, options: tuple[int, ...]) -> int | None:
        """The element that a heap with these options is; None where it is none."""
        before = self._element_by_options.get(options)
        if before is not None:
            return before
        monoid = self.known.monoid
        fits = monoid.may_be_option[:, list(options)].all(axis=1)
        fits &= monoid.is_p != monoid.is_p[list(options)].any()
        for element in np.flatnonzero(fits).tolist():
            if self._contexts.admits(element, options):
                return int(element)
        return None

    def _enlarge(self, heap: int) -> None:
        """Guess the quotient with a new generator, until the proof holds."""
        before = self.known
        import time
        options = self._options
        seen = {}
        for h in range(1, heap):
            seen.setdefault(options.of(h), h)
        nontrivial = [h for o, h in seen.items() if o and h not in before.generators][::-1]
        combos = []
        for p in range(len(nontrivial) + 1):
            promoted = nontrivial[:p]
            low = min([heap, *promoted])
            cuts = {low, *(g for g in before.generators[1:] if g < low)}
            for cut in cuts:
                free = {heap, *promoted, *(g for g in before.generators if g >= cut)}
                w = self._words(before, tuple(sorted(free)), heap, promoted)
                if w.count <= self._limits[1]:
                    combos.append((w.count, p, w))
        combos.sort(key=lambda c: c[:2])
        for count, p, w in combos:
                t=time.time()
                try:
                    self._guess(w, heap)
                except ResourceLimitError as e:
                    print("  ",w.free, count, e, f"{time.time()-t:.2f}"); continue
                ok = self._refresh()
                if ok or time.time()-t > 1: print("  guess", heap, w.free, w.count, self.known.monoid.order, ok, f"{time.time()-t:.2f}", flush=True)
                if ok:
                    return
        self.known = before
        raise ResourceLimitError(
            f"octal{{code={self._code},misere}}: no quotient was found for heaps up to {heap}"
        )

    def _told_apart(self, free: set[int]) -> int | None:
        """The largest heap that is not free, and whose options no smaller heap has."""
        seen: dict[tuple[int, ...], int] = {}
        for heap in range(1, self.known.heaps):
            seen.setdefault(self._options.of(heap), heap)
        return max((h for o, h in seen.items() if o and h not in free), default=None)

    def _words(self, known, free, heap, promoted):
        cycles = [
            (_FRESH_INDEX, _FRESH_PERIOD)
            if each == heap or each in promoted
            else known.cycle_of(int(known.phi[each]))
            for each in free
        ]
        index = np.array([c[0] + (f != heap and f not in promoted) for f, c in zip(free, cycles)], np.int64)
        period = np.array([2 for c in cycles], np.int64)
        return _Words(known, free, index, period)

    def _guess(self, words, heap: int) -> None:
        is_p = _outcomes(self._code, words)
        self.known = _minimised(words, is_p, heap)
        if self.known.monoid.order > self._limits[0]:
            raise ResourceLimitError(f"order {self.known.monoid.order}")


def _base_options(code: OctalCode, known: _Known, base: int) -> list[list[int]]:
    """For each element of the base the elements of the options of its normal form."""
    classes = OptionClasses(code, known.monoid, known.phi)
    of_generator = [list(classes.of(heap)) for heap in known.generators]
    numbers = {tuple(word): n for n, word in enumerate(known.words.tolist())}
    found = []
    for word in known.words[:base].tolist():
        options = set()
        for place, exponent in enumerate(word):
            if exponent:
                rest = numbers[tuple(e - (i == place) for i, e in enumerate(word))]
                options.update(known.monoid.table[rest, of_generator[place]].tolist())
        found.append(sorted(options))
    return found


class Slabs(NamedTuple):
    """What kernels know of exponents: see `_Words`; slab = sum of exponent x weight."""

    index: NDArray[np.int64]
    period: NDArray[np.int64]
    sizes: NDArray[np.int64]
    weights: NDArray[np.int64]


def _outcomes(code: OctalCode, words: _Words) -> Flags:
    """Whether each word is P."""
    base = words.base
    table = words.known.monoid.table[:base]
    options = [words.options_of(code, heap) for heap in words.free]
    columns = np.concatenate([table[:, [q for q, _ in each]].T for each in options])
    exponents = [np.array([e for _, e in each], np.int64) for each in options]
    for i in range(len(exponents)): exponents[i][:, i] -= 1
    begins = np.cumsum([0, *map(len, options)])
    bo = _base_options(code, words.known, base)
    bobegins = np.cumsum([0, *map(len, bo)])
    boe = np.array([x for each in bo for x in each], np.int64)
    is_p = np.zeros(words.count, np.bool_)
    from position_oracle.engine.solvers.misere_kernels import fill_outcomes
    cost = base * len(columns)
    for first, last in steps(0, words.count // base, max(1, 1_000_000 // cost)):
        fill_outcomes(first, last, words.layout, (np.concatenate(exponents), begins), np.ascontiguousarray(columns), (boe, bobegins), is_p)
    return is_p


def _minimised(words: _Words, is_p: Flags, heap: int) -> _Known:
    """The smallest quotient that gives all words their outcomes."""
    base, known = words.base, words.known
    inside = [i for i, g in enumerate(known.generators) if g < words.free[0]]
    actions = np.ascontiguousarray(known.monoid.actions[:base, inside])
    shape = words.sizes
    state = is_p.astype(np.int32)
    classes = 2
    chance = np.random.default_rng(0)
    factors = chance.integers(1, 2**63, len(inside) + len(words.free) + 1, np.uint64) | np.uint64(1)
    mixed = np.empty(words.count, np.uint64)
    from position_oracle.engine.solvers.misere_kernels import mix_states
    while True:
        for first, last in steps(0, words.count // base, max(1, 200_000 // base)):
            mix_states(first, last, words.layout, actions, factors, state, mixed)
        unique, finer = np.unique(mixed, return_inverse=True)
        if len(unique) == classes:
            break
        state, classes = finer.astype(np.int32), len(unique)
        if classes > 20 * ORDER_MAX:
            raise ResourceLimitError(f"order {classes}")
    _, first = np.unique(state, return_index=True)
    order = np.argsort(first)
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    state, first = rank[state], first[order]
    heaps = [known.generators[i] for i in inside] + list(words.free)
    slab = first // base
    exps = np.stack([slab // w % z for w, z in zip(words.layout.weights, words.sizes)], axis=1)
    nxt = [slab * base + actions[first % base, i] for i in range(len(inside))]
    for place in range(len(words.free)):
        more = exps.copy()
        more[:, place] += 1
        nxt.append(words.slabs(more) + first % base)
    one = [int(words.slabs(np.array(words.of(h)[1]))) + words.of(h)[0] for h in heaps]
    kept = [i for i, number in enumerate(one) if first[state[number]] == number and state[number]]
    acts = np.stack([state[nxt[i]] for i in kept], axis=1).astype(np.int32)
    all_words = np.concatenate(
        [known.words[first % base][:, inside], exps], axis=1
    )
    phi = known.phi.copy()
    for each in range(1, heap + 1):
        q, e = words.of(each)
        phi[each] = state[int(words.slabs(np.array(e))) + q]
    return _Known(
        Monoid(acts, is_p[first]),
        tuple(heaps[i] for i in kept),
        all_words[:, kept],
        phi,
        heap + 1,
    )
