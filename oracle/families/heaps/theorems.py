"""Knowledge about games of heaps: theorems, tables and searches.

All take positions as int64 arrays (n, k) of legal heaps that are not declared N. They return the
numbers that winning moves take along each line of moves (`HeapRules.lines`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.theory import nim, nim_pass, sums, wythoff
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.heaps.frames import Frame, Int64Array
from position_oracle.oracle.families.sources import LOOK_UP, Mask, Outcomes

_ROW_SECONDS = 1e-7


class Knowledge(ABC):
    """One theorem, table or search that knows some positions of one game.

    Attributes:
        certainty: the certainty of its answers.
        needs_kernels: whether kernels may have to be compiled first.
        move_seconds: seconds for each token of a row whose moves are visited.
    """

    certainty: ClassVar[Certainty]
    needs_kernels: ClassVar[bool] = False
    move_seconds: ClassVar[float] = 0.0

    @property
    @abstractmethod
    def reason(self) -> str:
        """The theorem, table or search, in words."""

    @abstractmethod
    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """Plan the outcome of one position; None if it is unknown here."""

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens that winning moves take along each line from one known N-position."""
        taken: list[int] = self.taken(np.array([heaps], np.int64))[0].tolist()
        return taken

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


@dataclass(frozen=True)
class HeapTheorem(Knowledge):
    """A theorem, which needs no table.

    Attributes:
        statement: the theorem in words.
        is_p: returns which of many positions are P; bool (n,).
        taken_from: the function of `taken`.
        is_one_p: returns whether one position is P, None if the theorem does not apply.
        is_known: returns which positions the theorem decides, bool (n,); None if all.
        taken_from_one: the function of `taken_of`, if there is a faster one than for arrays.
    """

    certainty = Certainty.THEOREM
    statement: str
    is_p: Callable[[Int64Array], NDArray[np.bool_]]
    taken_from: Callable[[Int64Array], Int64Array]
    is_one_p: Callable[[Coordinates], bool | None]
    is_known: Callable[[Int64Array], Mask] | None = None
    taken_from_one: Callable[[Coordinates], list[int]] | None = None

    @property
    def reason(self) -> str:
        """The theorem in words."""
        return self.statement

    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """Plan the outcome of one position without work."""
        is_p = self.is_one_p(heaps)
        if is_p is None:
            return None
        return Plan(LOOK_UP, lambda: Outcome.P if is_p else Outcome.N)

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens for one position."""
        return (self.taken_from_one or super().taken_of)(heaps)

    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Return which positions the theorem decides, and a small cost."""
        known = np.ones(len(heaps), np.bool_) if self.is_known is None else self.is_known(heaps)
        return known, Cost(_ROW_SECONDS * len(heaps))

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes by the theorem."""
        return as_outcomes(self.is_p(heaps))

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return tokens by the theorem."""
        return self.taken_from(heaps)


def nim_sum(*, misere: bool, even_passes: bool) -> HeapTheorem:
    """Bouton's theorem: Nim without passes, or with an even number of them."""
    play = " (misere: if a heap exceeds 1, else if the number of heaps of 1 is odd)"
    passes = "; an even number of passes changes no outcome" if even_passes else ""
    return HeapTheorem(
        f"Bouton's theorem: P if the nim-sum is 0{play if misere else ''}{passes}",
        partial(nim.is_p_position_batch, misere=misere),
        lambda heaps: np.maximum(heaps - nim.target_batch(heaps, misere=misere), 0),
        partial(sums.is_p_position, misere=misere),
    )


def _is_p_with_one_pass(heaps: Int64Array) -> NDArray[np.bool_]:
    return nim_pass.is_p_position_batch(Frame.largest(heaps).heaps)


def _taken_with_one_pass(heaps: Int64Array) -> Int64Array:
    frame = Frame.largest(heaps)
    return frame.single_lines(nim_pass.taken_batch(frame.heaps), heaps.shape[1])


def _is_one_p_with_one_pass(heaps: Coordinates) -> bool | None:
    large = sum(heap > 1 for heap in heaps)
    if large > 2 or large + sum(heap == 1 for heap in heaps) > 3:
        return None
    return bool(_is_p_with_one_pass(np.array([heaps], np.int64))[0])


def _has_theorem_on_one_pass(heaps: Int64Array) -> Mask:
    """Return which positions have at most two heaps besides empty ones and a heap of 1."""
    frame = Frame.largest(heaps)
    return np.asarray(frame.fits & (frame.heaps[:, 0] <= 1))


ONE_PASS: Final = HeapTheorem(
    "theorem on Nim with an odd number of passes: P are [0, 0], [2m - 1, 2m], and"
    " [1, n, n] for n = 1 and n >= 3",
    _is_p_with_one_pass,
    _taken_with_one_pass,
    _is_one_p_with_one_pass,
    _has_theorem_on_one_pass,
)


def _taken_from_two(heaps: Coordinates) -> list[int]:
    x, y = heaps
    taken = [0, 0, 0]
    for left, right in wythoff.winning_moves(x, y):
        taken[0 if right == y else 1 if left == x else 2] = max(x - left, y - right)
    return taken


GOLDEN_RATIO: Final = HeapTheorem(
    "Wythoff's theorem: the P-positions are [floor(n phi), floor(n phi^2)], phi the golden ratio",
    wythoff.is_p_position_batch,
    wythoff.taken_batch,
    lambda heaps: wythoff.is_p_position(*heaps),
    taken_from_one=_taken_from_two,
)
"""Wythoff's game with two heaps."""


def empty_heap(lines: tuple[int, ...]) -> HeapTheorem:
    """Wythoff's game with three heaps, one of them empty, if pairs may be lowered.

    Args:
        lines: indices of the game's lines in `LINES`.
    """

    def is_p(heaps: Int64Array) -> NDArray[np.bool_]:
        two = np.ascontiguousarray(Frame.largest(heaps).heaps[:, 1:])
        return wythoff.is_p_position_batch(two)

    def taken(heaps: Int64Array) -> Int64Array:
        frame = Frame.largest(heaps)
        taken = np.zeros((len(heaps), 7), np.int64)
        taken[:, (1, 2, 5)] = wythoff.taken_batch(np.ascontiguousarray(frame.heaps[:, 1:]))
        return frame.all_lines(taken)[:, lines]

    return HeapTheorem(
        f"one heap is empty; {GOLDEN_RATIO.statement}",
        is_p,
        taken,
        lambda heaps: None if min(heaps) else wythoff.is_p_position(*sorted(heaps)[1:]),
        lambda heaps: np.asarray((heaps == 0).any(axis=1)),
    )


ALL_THREE: Final = HeapTheorem(
    "theorem on wythoff{rule=all}: the P-positions are those of Nim, nim-sum 0",
    nim.is_p_position_batch,
    lambda heaps: np.column_stack(
        (np.maximum(heaps - nim.target_batch(heaps), 0), wythoff.taken_from_three_batch(heaps))
    ),
    partial(sums.is_p_position, misere=False),
)
"""Wythoff's game with three heaps in which equal numbers may be taken from all three."""


def as_outcomes(is_p: NDArray[np.bool_]) -> Outcomes:
    """Convert an array of whether positions are P to outcomes."""
    return np.where(is_p, Outcome.P, Outcome.N).astype(np.uint8)
