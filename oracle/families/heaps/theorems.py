"""Knowledge about games of heaps: theorems, tables and searches.

All take positions as int64 arrays (n, k) of legal heaps that are not declared N. They return the
numbers that winning moves take along each line of moves (`HeapRules.lines`).
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
    """One theorem, table or search that knows some positions of one game."""

    @property
    @abstractmethod
    def certainty(self) -> Certainty:
        """The certainty of its answers."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """The theorem, table or search, in words."""

    @property
    def needs_kernels(self) -> bool:
        """Whether kernels may have to be compiled first."""
        return False

    @abstractmethod
    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """Plan the outcome of one position; None if it is unknown here."""

    @abstractmethod
    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens that winning moves take along each line from one known N-position."""

    @abstractmethod
    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Return which positions are known, bool (n,), and the cost of `outcomes` of these."""

    @abstractmethod
    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes (n,) of positions that are known here."""

    @abstractmethod
    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return the tokens that winning moves take along each line, (n, lines), 0 for none.

        Args:
            heaps: N-positions that are known here.
        """


class HeapTheorem(Knowledge):
    """A theorem, which needs no table."""

    @property
    def certainty(self) -> Certainty:
        """The certainty of a proof."""
        return Certainty.THEOREM

    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """Plan the outcome of one position without work."""
        outcome = self.outcome_of(heaps)
        return Plan(LOOK_UP, lambda: outcome) if outcome else None

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Return the outcome of one position; unknown if the theorem does not apply."""
        return Outcome(int(self.outcomes(np.array([heaps], np.int64))[0]))

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens for one position by `taken`."""
        taken: list[int] = self.taken(np.array([heaps], np.int64))[0].tolist()
        return taken

    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Return which positions `knows` names, and a small cost."""
        return self.knows(heaps), Cost(_ROW_SECONDS * len(heaps))

    def knows(self, heaps: Int64Array) -> Mask:
        """Return which positions the theorem decides, bool (n,); by default all."""
        return np.ones(len(heaps), np.bool_)


@dataclass(frozen=True)
class NimSum(HeapTheorem):
    """Bouton's theorem: Nim without passes, or with an even number of them."""

    misere: bool
    even_passes: bool

    @property
    def reason(self) -> str:
        """Bouton's theorem, with the theorem on passes if there are any."""
        misere = " (misere: while a heap holds more than one; else if the ones are odd in number)"
        passes = "; an even number of passes changes no outcome" if self.even_passes else ""
        return f"Bouton's theorem: P if the nim-sum is 0{misere if self.misere else ''}{passes}"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes; all positions are known."""
        return as_outcomes(nim.is_p_position_batch(heaps, misere=self.misere))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return, for each heap, the tokens down to the size that Bouton's theorem requires."""
        return np.asarray(np.maximum(heaps - nim.target_batch(heaps, misere=self.misere), 0))

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Return the outcome of one position, without an array."""
        return _outcome(nim.is_p_position(heaps, misere=self.misere))


@dataclass(frozen=True)
class OnePass(HeapTheorem):
    """The theorem on Nim with an odd number of passes: two heaps, or three with a heap of 1."""

    @property
    def reason(self) -> str:
        """The theorem on Nim with one pass."""
        return (
            "theorem on Nim with an odd number of passes: P are [0, 0], [2m - 1, 2m], and"
            " [1, n, n] for n = 1 and n >= 3"
        )

    def knows(self, heaps: Int64Array) -> Mask:
        """Return which positions have at most two heaps besides empty ones and a heap of 1."""
        frame = Frame.largest(heaps)
        return np.asarray(frame.fits & (frame.heaps[:, 0] <= 1))

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes by the theorem."""
        return as_outcomes(nim_pass.is_p_position_batch(Frame.largest(heaps).heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return tokens by the theorem."""
        frame = Frame.largest(heaps)
        return frame.single_lines(nim_pass.taken_batch(frame.heaps), heaps.shape[1])

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Return the outcome of one position; most are quickly excluded."""
        large = sum(heap > 1 for heap in heaps)
        is_known = large + sum(heap == 1 for heap in heaps) <= 3 and large <= 2
        return super().outcome_of(heaps) if is_known else Outcome.UNKNOWN


@dataclass(frozen=True)
class GoldenRatio(HeapTheorem):
    """Wythoff's theorem: his game with two heaps."""

    @property
    def reason(self) -> str:
        """Wythoff's theorem, in words."""
        return "Wythoff's theorem: P are [floor(n phi), floor(n phi^2)], phi the golden ratio"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes; all positions are known."""
        return as_outcomes(wythoff.is_p_position_batch(heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return tokens by the theorem."""
        return wythoff.taken_batch(heaps)

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Return the outcome of one position, without an array."""
        return _outcome(wythoff.is_p_position(*heaps))

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens for one position, without an array."""
        x, y = heaps
        taken = [0, 0, 0]
        for left, right in wythoff.winning_moves(x, y):
            taken[0 if right == y else 1 if left == x else 2] = max(x - left, y - right)
        return taken


@dataclass(frozen=True)
class EmptyHeap(HeapTheorem):
    """Wythoff's game with three heaps, one of them empty, if pairs may be lowered."""

    lines: tuple[int, ...]
    """Indices of the game's lines in `LINES`."""

    @property
    def reason(self) -> str:
        """Wythoff's theorem for the other two heaps, in words."""
        return f"one heap is empty; {GoldenRatio().reason}"

    def knows(self, heaps: Int64Array) -> Mask:
        """Return which positions have an empty heap."""
        return np.asarray((heaps == 0).any(axis=1))

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes by the theorem for the other two heaps."""
        two = np.ascontiguousarray(Frame.largest(heaps).heaps[:, 1:])
        return as_outcomes(wythoff.is_p_position_batch(two))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return tokens by the theorem, from each of the nonempty heaps and from both."""
        frame = Frame.largest(heaps)
        taken = np.zeros((len(heaps), 7), np.int64)
        taken[:, (1, 2, 5)] = wythoff.taken_batch(np.ascontiguousarray(frame.heaps[:, 1:]))
        return frame.all_lines(taken)[:, self.lines]

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Return the outcome of one position; most are quickly excluded."""
        return Outcome.UNKNOWN if min(heaps) else super().outcome_of(heaps)


@dataclass(frozen=True)
class AllThree(HeapTheorem):
    """The theorem on Wythoff's game with three heaps under the rule `all`."""

    @property
    def reason(self) -> str:
        """The theorem that the P-positions are those of Nim, in words."""
        return "theorem on wythoff{rule=all}: the P-positions are those of Nim, nim-sum 0"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes; all positions are known."""
        return as_outcomes(nim.is_p_position_batch(heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return tokens taken as in Nim, or equally from all heaps."""
        singles = np.maximum(heaps - nim.target_batch(heaps), 0)
        return np.column_stack((singles, wythoff.taken_from_three_batch(heaps)))

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """Return the outcome of one position, without an array."""
        return _outcome(nim.is_p_position(heaps))


def _outcome(is_p: bool) -> Outcome:
    return Outcome.P if is_p else Outcome.N


def as_outcomes(is_p: NDArray[np.bool_]) -> Outcomes:
    """Convert an array of whether positions are P to outcomes."""
    return np.where(is_p, Outcome.P, Outcome.N).astype(np.uint8)
