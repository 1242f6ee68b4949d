"""Ways to know positions of a game of heaps: a theorem, a table, a search.

All take positions as int64 arrays (n, k) of legal heaps that are not declared N, and say by
how much a winning move lowers them along each line of moves (`HeapRules.lines`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.theory import nim, nim_pass, wythoff
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.heaps.frames import Frame, Int64Array
from position_oracle.oracle.families.sources import LOOK_UP, Mask, Outcomes

_ROW_SECONDS = 1e-7


class Knowledge(ABC):
    """One way to know some positions of one game."""

    @property
    @abstractmethod
    def certainty(self) -> Certainty:
        """The certainty of its answers."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """The theorem, table or search."""

    @property
    def needs_kernels(self) -> bool:
        """Whether an answer may have to compile kernels first."""
        return False

    @abstractmethod
    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """The outcome of one position; None where it is not known from here."""

    @abstractmethod
    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens that winning moves take along each line from one known N-position."""

    @abstractmethod
    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Return which positions are known, bool (n,), and the cost of `outcomes` of these."""

    @abstractmethod
    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Outcomes (n,) of positions that are known from here."""

    @abstractmethod
    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return the tokens that winning moves take along each line, (n, lines), 0 for none.

        Args:
            heaps: N-positions that are known from here.
        """


class HeapTheorem(Knowledge):
    """A theorem, which needs no table."""

    @property
    def certainty(self) -> Certainty:
        """Proved."""
        return Certainty.THEOREM

    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """At once."""
        outcome = self.outcome_of(heaps)
        return Plan(LOOK_UP, lambda: outcome) if outcome else None

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Outcome of one position; unknown where the theorem does not hold."""
        return Outcome(int(self.outcomes(np.array([heaps], np.int64))[0]))

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Ask `taken` about an array of one."""
        taken: list[int] = self.taken(np.array([heaps], np.int64))[0].tolist()
        return taken

    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Use the positions that `knows` names."""
        return self.knows(heaps), Cost(_ROW_SECONDS * len(heaps))

    def knows(self, heaps: Int64Array) -> Mask:
        """Return which positions the theorem decides, bool (n,); by default all."""
        return np.ones(len(heaps), np.bool_)


@dataclass(frozen=True)
class NimSum(HeapTheorem):
    """Nim without passes, or with an even number of them."""

    misere: bool
    even_passes: bool

    @property
    def reason(self) -> str:
        """Bouton's theorem, and that on passes where there are some."""
        misere = " (misere: while a heap holds more than one; else if the ones are odd in number)"
        passes = "; an even number of passes changes no outcome" if self.even_passes else ""
        return f"Bouton's theorem: P if the nim-sum is 0{misere if self.misere else ''}{passes}"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """All positions are known."""
        return as_outcomes(nim.is_p_position_batch(heaps, misere=self.misere))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Each heap down to what Bouton's theorem asks for, where it is larger."""
        return np.asarray(np.maximum(heaps - nim.target_batch(heaps, misere=self.misere), 0))

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """One position, without an array."""
        return _outcome(nim.is_p_position(heaps, misere=self.misere))


@dataclass(frozen=True)
class OnePass(HeapTheorem):
    """Nim with an odd number of passes: at most two heaps, or three with a heap of 1."""

    @property
    def reason(self) -> str:
        """The theorem on Nim with one pass."""
        return (
            "theorem on Nim with an odd number of passes: P are [0, 0], [2m - 1, 2m], and"
            " [1, n, n] for n = 1 and n >= 3"
        )

    def knows(self, heaps: Int64Array) -> Mask:
        """Positions with at most two heaps besides empty ones and a heap of 1."""
        frame = Frame.largest(heaps)
        return np.asarray(frame.fits & (frame.heaps[:, 0] <= 1))

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """By the theorem."""
        return as_outcomes(nim_pass.is_p_position_batch(Frame.largest(heaps).heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By the theorem."""
        frame = Frame.largest(heaps)
        return frame.single_lines(nim_pass.taken_batch(frame.heaps), heaps.shape[1])

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """One position; most are soon seen not to belong here."""
        large = sum(heap > 1 for heap in heaps)
        is_known = large + sum(heap == 1 for heap in heaps) <= 3 and large <= 2
        return super().outcome_of(heaps) if is_known else Outcome.UNKNOWN


@dataclass(frozen=True)
class GoldenRatio(HeapTheorem):
    """Wythoff's game with two heaps."""

    @property
    def reason(self) -> str:
        """Wythoff's theorem."""
        return "Wythoff's theorem: P are [floor(n phi), floor(n phi^2)], phi the golden ratio"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """All positions are known."""
        return as_outcomes(wythoff.is_p_position_batch(heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By the theorem."""
        return wythoff.taken_batch(heaps)

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """One position, without an array."""
        return _outcome(wythoff.is_p_position(*heaps))

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """From one position, without an array."""
        x, y = heaps
        taken = [0, 0, 0]
        for left, right in wythoff.winning_moves(x, y):
            taken[0 if right == y else 1 if left == x else 2] = max(x - left, y - right)
        return taken


@dataclass(frozen=True)
class EmptyHeap(HeapTheorem):
    """Wythoff's game with three heaps one of which is empty, where pairs may be lowered."""

    lines: tuple[int, ...]
    """Places of the lines of the game in `LINES`."""

    @property
    def reason(self) -> str:
        """Wythoff's theorem for the other two."""
        return f"one heap is empty; {GoldenRatio().reason}"

    def knows(self, heaps: Int64Array) -> Mask:
        """Positions with an empty heap."""
        return np.asarray((heaps == 0).any(axis=1))

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """By the theorem for the other two."""
        two = np.ascontiguousarray(Frame.largest(heaps).heaps[:, 1:])
        return as_outcomes(wythoff.is_p_position_batch(two))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By the theorem, from the two heaps that are not empty and from both."""
        frame = Frame.largest(heaps)
        taken = np.zeros((len(heaps), 7), np.int64)
        taken[:, (1, 2, 5)] = wythoff.taken_batch(np.ascontiguousarray(frame.heaps[:, 1:]))
        return frame.all_lines(taken)[:, self.lines]

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """One position; most are soon seen not to belong here."""
        return Outcome.UNKNOWN if min(heaps) else super().outcome_of(heaps)


@dataclass(frozen=True)
class AllThree(HeapTheorem):
    """Wythoff's game with three heaps, where equal numbers may be taken from all three."""

    @property
    def reason(self) -> str:
        """The P-positions are those of Nim."""
        return "theorem on wythoff{rule=all}: the P-positions are those of Nim, nim-sum 0"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """All positions are known."""
        return as_outcomes(nim.is_p_position_batch(heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Take as in Nim, and equal numbers from all heaps."""
        singles = np.maximum(heaps - nim.target_batch(heaps), 0)
        return np.column_stack((singles, wythoff.taken_from_three_batch(heaps)))

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """One position, without an array."""
        return _outcome(nim.is_p_position(heaps))


def _outcome(is_p: bool) -> Outcome:
    return Outcome.P if is_p else Outcome.N


def as_outcomes(is_p: NDArray[np.bool_]) -> Outcomes:
    """Outcomes from whether positions are P."""
    return np.where(is_p, Outcome.P, Outcome.N).astype(np.uint8)
