"""Finding misere quotients of octal games, heap by heap: guess, then prove.

A heap whose options have the same classes as the options of a smaller heap has that heap's class.
Otherwise the finder tries each element that the options allow, by the proof
(`theory.misere_quotients.OpenContexts`). If no element fits, the heap is a new generator, and the
finder guesses the quotient again from the outcomes of words (`misere_words`). The proof of a guess
may fail for two reasons. Either the generators have fewer relations than assumed; then fewer
relations are used. Or some heap differs from its assumed class; then that heap becomes free, too.
This repeats until the proof holds. No guess is used without a proof.

Source: T. E. Plambeck and A. N. Siegel, Misere quotients for impartial games, J. Combin. Theory
Ser. A 115 (2008) 593-622.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from position_oracle.engine.budget import current, watched
from position_oracle.engine.solvers.misere_words import (
    NormalForms,
    Words,
    is_told_apart,
    minimised,
    outcomes_of,
)
from position_oracle.engine.theory.misere_quotients import (
    ORDER_MAX,
    Flags,
    MisereQuotient,
    Monoid,
    OpenContexts,
    certified_period,
    option_classes,
)
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.schema.errors import ResourceLimitError

WORDS_MAX: Final = 1 << 20
"""Maximum number of words whose outcomes are computed for a guess: about a second, and 50 MB."""

GUESSES_MAX: Final = 4
"""All guesses for a new generator together have at most this many times `WORDS_MAX` words."""

_FRESH_INDEX: Final = 3
_SLACK_MAX: Final = 3

HeapProgress = Callable[[int, int], None]
"""Callback that takes the number of heaps so far, and the order of the quotient."""


def find_quotient(
    code: OctalCode,
    heaps_max: int,
    *,
    words_max: int = WORDS_MAX,
    taken: HeapProgress | None = None,
) -> MisereQuotient:
    """Return the misere quotient of all heaps if a period is certain, else of the heaps 0 .. n.

    n is `heaps_max`, or less if the quotient of more heaps is too large, infinite, or not found
    within the bounds.

    Args:
        code: The game.
        heaps_max: The largest heap.
        words_max: The maximum number of words of a guess.
        taken: Called after each heap.
    """
    finder = QuotientFinder(code, heaps_max, words_max)
    for heap in range(1, heaps_max + 1):
        try:
            finder.take_in()
        except ResourceLimitError:
            break
        if taken is not None:
            taken(heap, finder.known.monoid.order)
        found = finder.quotient
        if found.period:
            return found
    return finder.quotient


class QuotientFinder:
    """Adds heaps to a quotient one after the other.

    Attributes:
        known: The quotient of the heaps added so far.
    """

    def __init__(self, code: OctalCode, heaps_max: int, words_max: int = WORDS_MAX) -> None:
        """Begin with the empty heap.

        Args:
            code: The game.
            heaps_max: The largest heap that will be added.
            words_max: The maximum number of words of a guess.
        """
        self._code, self._words_max = code, words_max
        trivial = Monoid(np.zeros((1, 0), np.int32), np.zeros(1, np.bool_))
        phi = np.zeros(heaps_max + 1, np.int32)
        none = np.zeros((1, 0), np.int64)
        self.known: NormalForms = NormalForms(trivial, (), none, phi, 1)
        self._hold(self.known)

    @property
    def quotient(self) -> MisereQuotient:
        """The quotient, with its period if one is certain."""
        known = self.known
        phi = known.phi[: known.heaps].copy()
        period, first = certified_period(self._code, phi) or (0, 0)
        return MisereQuotient(self._code, known.monoid, known.generators, phi, period, first)

    def take_in(self) -> None:
        """Add the next heap.

        Raises:
            ResourceLimitError: The quotient is larger than allowed, or was not found; the quotient
                of smaller heaps stays.
        """
        current().check()
        heap = self.known.heaps
        options = self._options_of(heap)
        element = self._element_of(options)
        if element is None:
            before = self.known
            try:
                self._enlarge(heap)
            except ResourceLimitError:
                self._hold(before)
                raise
        else:
            self.known.phi[heap] = element
            self.known = replace(self.known, heaps=heap + 1)

    def _hold(self, known: NormalForms) -> int:
        """Prove a quotient for its heaps; return the first heap for which the proof fails, or 0."""
        self.known = known
        self._contexts = OpenContexts(known.monoid)
        self._element_by_options: dict[tuple[int, ...], int] = {(): 0}
        for heap in range(1, known.heaps):
            if not self._admits(int(known.phi[heap]), self._options_of(heap)):
                return heap
        return 0

    def _options_of(self, heap: int) -> tuple[int, ...]:
        return option_classes(self._code, self.known.monoid, self.known.phi, heap)

    def _admits(self, element: int, options: tuple[int, ...]) -> bool:
        before = self._element_by_options.get(options)
        if before is not None:
            return before == element
        if not self.known.monoid.may_have(options)[element] or not self._contexts.admits(
            element, options
        ):
            return False
        self._element_by_options[options] = element
        return True

    def _element_of(self, options: tuple[int, ...]) -> int | None:
        """Return the element of a heap with these options; None if it is not an element."""
        if options in self._element_by_options:
            return self._element_by_options[options]
        monoid = self.known.monoid
        fits = monoid.may_have(options) & (monoid.is_p != monoid.is_p[list(options)].any())
        candidates = np.flatnonzero(fits).tolist()
        return next((x for x in candidates if self._admits(x, options)), None)

    def _enlarge(self, heap: int) -> None:
        """Guess the quotient with a new generator, until the proof holds.

        The first guess uses all known relations, later guesses use fewer and fewer. If no relation
        is left, the class of a heap is wrong: the heap for which the proof fails, or one that the
        new heap distinguishes from its assumed class. That heap becomes free, and the search begins
        again.
        """
        known, others = self.known, self._other_heaps()
        self._left = GUESSES_MAX * self._words_max
        fresh, slack = {heap}, 1
        while slack <= _SLACK_MAX:
            culprit = heap
            for cut in (heap, *reversed(known.generators[1:])):
                if cut <= min(fresh):
                    words = self._words(known, fresh, cut, slack)
                    culprit = self._guess(words, heap)
                    if not culprit:
                        return
            if culprit in words.free:
                culprit = self._told_apart(words, others, slack)
            if culprit:
                fresh.add(culprit)
            else:
                slack += 1
        raise self._not_found(heap)

    def _not_found(self, heap: int) -> ResourceLimitError:
        return ResourceLimitError(
            f"octal{{code={self._code},misere}}: the misere quotient of heaps up to {heap} was not"
            f" found among {self._words_max:,} words and orders up to {ORDER_MAX:,}; it may"
            " be infinite"
        )

    def _guess(self, words: Words, heap: int) -> int:
        """Guess a quotient; return the first heap for which its proof fails, or 0."""
        found = minimised(words, self._outcomes(words, heap), heap, ORDER_MAX)
        return heap if found is None else self._hold(found)

    def _other_heaps(self) -> list[int]:
        """Return the heaps that are not generators and whose options match no smaller heap's."""
        first: dict[tuple[int, ...], int] = {}
        for heap in watched(range(1, self.known.heaps)):
            first.setdefault(self._options_of(heap), heap)
        generators = self.known.generators
        return [heap for options, heap in first.items() if options and heap not in generators]

    def _words(self, known: NormalForms, fresh: set[int], cut: int, slack: int) -> Words:
        """Return the words over the generators from `cut` on and the fresh heaps."""
        least = min(cut, *fresh)
        free = sorted({*fresh, *(heap for heap in known.generators if heap >= least)})
        index = tuple(
            slack - 1 + (_FRESH_INDEX if heap in fresh else known.index_of(heap) + 1)
            for heap in free
        )
        return Words(known, tuple(free), index)

    def _told_apart(self, words: Words, others: list[int], slack: int) -> int:
        """Return the largest heap that differs from its assumed class, or 0."""
        known = words.known
        fresh = {heap for heap in words.free if heap not in known.generators}
        for heap in reversed(others):
            if heap not in fresh:
                more = self._words(known, {*fresh, heap}, words.free[0], slack)
                is_p = self._outcomes(more, max(fresh))
                if is_told_apart(more, is_p, heap, 4 * ORDER_MAX):
                    return heap
        return 0

    def _outcomes(self, words: Words, heap: int) -> Flags:
        """Return the outcomes of words, if there are not too many."""
        self._left -= words.count
        if words.count > self._words_max or self._left < 0:
            raise self._not_found(heap)
        return outcomes_of(self._code, words)
