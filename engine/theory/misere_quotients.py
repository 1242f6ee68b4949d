"""Misere quotients of octal games as data, and the proof that a quotient is right.

Two positions are equivalent if adding any third position to both gives equal outcomes in misere
play. The classes form a commutative monoid, the misere quotient; some classes are P. A finite
quotient, with the class of every heap, gives the outcome of every sum of heaps by a product.

Source: T. E. Plambeck and A. N. Siegel, Misere quotients for impartial games, J. Combin. Theory
Ser. A 115 (2008) 593-622; the period is proved by the argument of R. K. Guy and C. A. B. Smith,
Proc. Cambridge Philos. Soc. 52 (1956) 514-526. Proofs: docs/misere-quotients.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.engine.theory.periodicity import find_period
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError

ORDER_MAX: Final = 1024
"""Largest order of a quotient. The table of 1,024 elements takes 4 MB."""

OPEN_MAX: Final = 200_000
"""Maximum number of open contexts that a proof stores."""

_CELLS: Final = 1 << 16
"""Number of cells of a block of open contexts that are extended between two checks of the
budget."""

Elements = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Monoid:
    """A finite commutative monoid with P-classes. Element 0 is the identity.

    Attributes:
        actions: Shape (order, generators): the product of each element with each generator.
        is_p: Shape (order,): whether the positions of a class are P.
    """

    actions: Elements
    is_p: Flags

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.is_p)

    @cached_property
    def table(self) -> Elements:
        """The products of all pairs, shape (order, order).

        Raises:
            ValueError: Some element is not a product of generators.
        """
        steps = spanning_steps(self.actions)
        table = np.empty((self.order, self.order), np.int32)
        table[0] = np.arange(self.order)
        for element, before, generator in steps:
            table[element] = self.actions[table[before], generator]
        return table

    @cached_property
    def wins_beside(self) -> Flags:
        """Whether x z is P, shape (order, order)."""
        wins: Flags = self.is_p[self.table]
        return wins

    def may_have(self, options: Sequence[int]) -> Flags:
        """Return whether a position of each class may have options of some classes, shape (order,).

        It may not if, for some z, x z and y z are both P, where x is its class and y the class of
        an option.
        """
        beside = self.wins_beside[list(options)].any(axis=0)
        return np.asarray(~(self.wins_beside & beside).any(axis=1))


def spanning_steps(actions: Elements) -> list[tuple[int, int, int]]:
    """Return each element except the identity as (element, earlier element, generator).

    Raises:
        ValueError: Some element is not a product of generators.
    """
    steps, reached = [], [0]
    seen = {0}
    for element in reached:
        for generator, product in enumerate(actions[element].tolist()):
            if product not in seen:
                seen.add(product)
                reached.append(product)
                steps.append((product, element, generator))
    if len(seen) != len(actions):
        raise ValueError("some element is not a product of generators")
    return steps


@dataclass(frozen=True, eq=False)
class MisereQuotient:
    """The misere quotient of the heaps 0 .. n of an octal game, or of all heaps: a certificate.

    Attributes:
        code: The game.
        monoid: The quotient.
        generators: Heaps whose classes are the generators of the monoid, in their order.
        phi: Shape (n + 1,): the class of each heap (the pretending function).
        period: phi(m + period) = phi(m) for all m >= preperiod; 0 if larger heaps are unknown.
        preperiod: See `period`.
    """

    code: OctalCode
    monoid: Monoid
    generators: tuple[int, ...]
    phi: Elements
    period: int = 0
    preperiod: int = 0

    @property
    def order(self) -> int:
        """The number of classes."""
        return self.monoid.order

    @property
    def heaps_max(self) -> int:
        """The largest heap whose class is listed."""
        return len(self.phi) - 1

    @cached_property
    def is_tame(self) -> bool:
        """Whether the quotient is that of a Nim position with heaps below some power of 2."""
        return is_tame(self.monoid)

    def knows(self, heap: int) -> bool:
        """Return whether the class of a heap is listed or follows from the period."""
        return heap <= self.heaps_max or self.period > 0

    def places(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the listed heaps of the same classes as known heaps, of any shape."""
        if not self.period:
            return heaps
        beyond = np.maximum(heaps - self.heaps_max, 0)
        return np.asarray(heaps - -(-beyond // self.period) * self.period)

    def classes(self, heaps: NDArray[np.int64]) -> Elements:
        """Return the classes of known heaps, of any shape."""
        found: Elements = self.phi[self.places(heaps)]
        return found

    def at(self, heap: int) -> int:
        """Return the class of a heap.

        Raises:
            UnknownAnswerError: The heap is beyond the list, and there is no period.
        """
        if not self.knows(heap):
            raise UnknownAnswerError(
                f"octal{{code={self.code},misere}}: the misere quotient is known up to heap"
                f" {self.heaps_max}; a quotient of larger heaps would decide it"
            )
        return int(self.phi[heap] if heap <= self.heaps_max else self.classes(np.array(heap)))

    def element(self, heaps: Iterable[int]) -> int:
        """Return the class of a sum of heaps.

        Raises:
            UnknownAnswerError: See `at`.
        """
        found = 0
        for heap in heaps:
            found = int(self.monoid.table[found, self.at(heap)])
        return found

    def is_p_position(self, heaps: Iterable[int]) -> bool:
        """Return whether the previous player wins a sum of heaps in misere play.

        Raises:
            UnknownAnswerError: See `at`.
        """
        return bool(self.monoid.is_p[self.element(heaps)])


def is_tame(monoid: Monoid) -> bool:
    """Return whether a quotient is one of T_0, T_1, T_2, ..., the quotients of Nim heaps.

    T_0 is trivial, T_1 has order 2, and T_n for n >= 2 has order 2^n + 2: 1, an element a with
    a a = 1, and a group of exponent 2 with an identity z, in which a z is not z. Its P-classes are
    a and z.
    """
    order, table = monoid.order, monoid.table
    wins = set(np.flatnonzero(monoid.is_p).tolist())
    if order <= 2:
        return len(wins) == order - 1 and 0 not in wins
    if len(wins) != 2 or (order - 2) & (order - 3):
        return False
    fickle = [element for element in wins if table[element, element] == 0]
    if len(fickle) != 1:
        return False
    a, (z,) = fickle[0], wins - set(fickle)
    group = np.array([element for element in range(order) if element not in {0, a}])
    closed = not np.isin(table[np.ix_(group, group)], (0, a)).any()
    squares = (table[group, group] == z).all() and (table[z, group] == group).all()
    return bool(closed and squares and table[a, z] != z)


def option_classes(code: OctalCode, monoid: Monoid, phi: Elements, heap: int) -> tuple[int, ...]:
    """Return the classes of the options of a heap, ascending, each once; empty without moves.

    Args:
        code: The game.
        monoid: The quotient.
        phi: The class of each heap 0, 1, ...; those of smaller heaps are final.
        heap: The heap.
    """
    table, found = monoid.table, np.zeros(monoid.order, np.bool_)
    for taken, digit in enumerate(code.digits):
        rest = heap - taken
        if rest < 0:
            break
        if rest == 0 and digit & 1:
            found[0] = True
        if rest > 0 and digit & 2:
            found[phi[rest]] = True
        if rest > 1 and digit & 4:
            half = rest // 2
            found[table[phi[1 : half + 1], phi[rest - half : rest][::-1]]] = True
    return tuple(np.flatnonzero(found).tolist())


Summand = tuple[int, Flags]
"""Heaps of one class whose options have the same effect: the class, and for each z, shape (order,),
whether no option of the heap wins beside a position of class z."""


@dataclass(eq=False)
class OpenContexts:
    """The proof that each N-position has a move to a P-position, for sums of given heaps.

    For a sum X of class x let A(X) be the classes z such that x z is not P and no option of X
    beside a position of class z is P. A position Z of such a class needs a winning move of its own.
    The claim holds for all sums exactly if A(X) never contains the identity. As

        A(X + h) = {z : z h in A(X), and no option of the heap h wins beside x z},

    the sets are found sum by sum. Sums with empty sets, or with sets that are part of another one
    of the same class, can be skipped.

    Attributes:
        monoid: The quotient.
    """

    monoid: Monoid
    _summands: list[Summand] = field(default_factory=list)
    _open: dict[int, list[int]] = field(default_factory=dict)

    def admits(self, element: int, options: Sequence[int]) -> bool:
        """Return whether the claim holds with heaps of a class and options; if so, add them.

        Args:
            element: The class of the heap.
            options: The classes of its options, at least one.

        Raises:
            ResourceLimitError: The proof needs more than `OPEN_MAX` sets.
        """
        loses = np.asarray(~self.monoid.wins_beside[list(options)].any(axis=0))
        if any(
            known == element and not (loses & ~others).any() for known, others in self._summands
        ):
            return True
        new = (element, loses)
        found = {each: list(sets) for each, sets in self._open.items()}
        if not self._close(new, found):
            return False
        self._summands.append(new)
        self._open = found
        return True

    def _close(self, new: Summand, found: dict[int, list[int]]) -> bool:
        """Add the sets of all sums with the new heap; return whether none contains the identity."""
        sums = np.repeat(
            np.array([0, *found], np.int64), [1, *(len(sets) for sets in found.values())]
        )
        none = ~self.monoid.is_p[None, :]
        rows = [self._unpacked(sets) for sets in found.values()]
        fresh = self._extended(sums, np.concatenate([none, *rows]), new, found)
        while fresh is not None and len(fresh[0]):
            parts = []
            for summand in (*self._summands, new):
                more = self._extended(*fresh, summand, found)
                if more is None:
                    return False
                parts.append(more)
            fresh = (
                np.concatenate([part[0] for part in parts]),
                np.concatenate([part[1] for part in parts]),
            )
        return fresh is not None

    def _extended(
        self, sums: NDArray[np.int64], rows: Flags, by: Summand, found: dict[int, list[int]]
    ) -> tuple[NDArray[np.int64], Flags] | None:
        """Return sums with one more heap whose sets are new; None if one contains the identity."""
        table, order, (added, loses) = self.monoid.table, self.monoid.order, by
        size = max(1, _CELLS // order)
        kept_sums, kept_rows = [np.empty(0, np.int64)], [np.empty((0, order), np.bool_)]
        for begin in range(0, len(sums), size):
            current().check()
            block, more = sums[begin : begin + size], rows[begin : begin + size]
            more = more[:, table[added]] & loses[table[block]]
            if more[:, 0].any():
                return None
            there = np.flatnonzero(more.any(axis=1))
            block, more = table[block[there], added].astype(np.int64), more[there]
            packed = np.packbits(more, axis=1)
            new = [
                row
                for row, element in enumerate(block.tolist())
                if _is_new(found.setdefault(element, []), packed[row])
            ]
            kept_sums.append(block[new])
            kept_rows.append(more[new])
            if sum(map(len, found.values())) > OPEN_MAX:
                raise ResourceLimitError(f"the proof needs more than {OPEN_MAX:,} sets")
        return np.concatenate(kept_sums), np.concatenate(kept_rows)

    def _unpacked(self, sets: list[int]) -> Flags:
        width = -(-self.monoid.order // 8)
        packed = np.frombuffer(b"".join(s.to_bytes(width, "big") for s in sets), np.uint8)
        rows = np.unpackbits(packed.reshape(-1, width), axis=1, count=self.monoid.order)
        return rows.view(np.bool_)


def _is_new(sets: list[int], packed: NDArray[np.uint8]) -> bool:
    """Return whether a set is no subset of known sets; if so, it replaces its own subsets."""
    new = int.from_bytes(packed.tobytes(), "big")
    if any(new & ~known == 0 for known in sets):
        return False
    sets[:] = [known for known in sets if known & ~new]
    sets.append(new)
    return True


def certified_period(code: OctalCode, phi: Elements) -> tuple[int, int] | None:
    """Return the period that holds for all heaps, and its beginning; None if none is proved.

    If phi(n + p) = phi(n) for n0 <= n < 2 n0 + p + t, where t is the largest number of tokens that
    a move takes and n0 >= 1, then the options of n + p and n have the same classes beyond, and
    phi(n + p) = phi(n) is right for all n >= n0.
    """
    t = max(code.length, 1)
    window = min(16, len(phi) // 2)
    found = find_period(phi.astype(np.int64), lambda n0, p: 2 * n0 + 2 * p + t, window)
    return None if found is None else (found[0], max(found[1] + 1, 1))


def refutation(quotient: MisereQuotient) -> str:
    """Return the fault of a certificate; empty if it is proved.

    The function checks all of the certificate: the monoid is multiplied out, each class is reached
    by heaps and told apart from all others, each heap's class is compared with those of its
    options, and `OpenContexts` proves that positions that are not P have a move to a P-position.

    Raises:
        ResourceLimitError: The order is above `ORDER_MAX`, or the proof is too long.
    """
    if quotient.order > ORDER_MAX:
        raise ResourceLimitError(f"a quotient of order {quotient.order}; at most {ORDER_MAX}")
    return (
        _wrong_form(quotient)
        or _wrong_monoid(quotient)
        or _wrong_heap(quotient)
        or _wrong_period(quotient)
    )


def _wrong_form(quotient: MisereQuotient) -> str:
    order, count = quotient.order, len(quotient.generators)
    if quotient.monoid.actions.shape != (order, count) or not order or not len(quotient.phi):
        return "the arrays do not fit together"
    entries = np.concatenate([quotient.monoid.actions.ravel(), quotient.phi])
    if entries.min() < 0 or entries.max() >= order:
        return "an element is out of range"
    if any(not 0 < heap <= quotient.heaps_max for heap in quotient.generators):
        return "a generator is not a listed heap"
    return "" if quotient.phi[0] == 0 else "the empty heap is not the identity"


def _wrong_monoid(quotient: MisereQuotient) -> str:
    """Check the monoid: commuting actions that reach all elements from the identity."""
    monoid, generators = quotient.monoid, quotient.generators
    actions = monoid.actions
    for i in range(len(generators)):
        for j in range(i):
            if (actions[actions[:, i], j] != actions[actions[:, j], i]).any():
                return f"generators {generators[j]} and {generators[i]} do not commute"
    try:
        spanning_steps(actions)
    except ValueError as error:
        return str(error)
    for heap, element in zip(generators, actions[0].tolist(), strict=True):
        if quotient.phi[heap] != element:
            return f"heap {heap} is not the generator that it stands for"
    if len(np.unique(np.packbits(monoid.wins_beside, axis=1), axis=0)) < monoid.order:
        return "two elements are not told apart"
    return "the empty position is P" if monoid.is_p[0] else ""


def _wrong_heap(quotient: MisereQuotient) -> str:
    monoid, phi = quotient.monoid, quotient.phi
    seen: set[tuple[int, tuple[int, ...]]] = set()
    contexts = OpenContexts(monoid)
    for heap in range(1, len(phi)):
        current().check()
        element, options = int(phi[heap]), option_classes(quotient.code, monoid, phi, heap)
        if (element, options) in seen:
            continue
        seen.add((element, options))
        if not options:
            if element:
                return f"heap {heap} has no move, and is not the identity"
        elif not monoid.may_have(options)[element]:
            return f"heap {heap} and one of its options are P in the same company"
        elif not contexts.admits(element, options):
            return f"a sum with heap {heap} should be N, and has no move to a P-position"
    return ""


def _wrong_period(quotient: MisereQuotient) -> str:
    period, first, phi = quotient.period, quotient.preperiod, quotient.phi
    if not period:
        return "" if not first else "a period begins, and there is none"
    if period < 0 or first < 1:
        return "the classes do not repeat with the period"
    needed = 2 * first + 2 * period + max(quotient.code.length, 1)
    if len(phi) < needed:
        return f"the period needs heaps up to {needed - 1} to be certain"
    if (phi[first : len(phi) - period] != phi[first + period :]).any():
        return "the classes of heaps do not repeat"
    return ""
