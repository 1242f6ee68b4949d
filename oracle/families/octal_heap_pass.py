"""Octal games with a pass for each heap: values may rise; certified if they are regular."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from position_oracle.engine.budget import Cost, Plan, watched
from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.octal_heap_pass import RULES
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import octal, octal_pass
from position_oracle.engine.theory.heap_pass import PassHeap, PassHeaps
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.engine.theory.periodicity import TABLE_START, HeapValues, ValueSequence
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.octal_values import plan_octal_values
from position_oracle.oracle.families.sources import Ints, Rows
from position_oracle.schema.errors import InvalidPositionError, InvalidRowError

MAX_HEAP = 4095
"""Largest heap with a pass whose value is computed; a certificate covers larger ones."""

BROKEN_HEAP = 255
"""Largest such heap if moves leave three heaps."""

_HEAP_SECONDS = 1.5e-5
_PAIR_SECONDS = 5e-6

MAX_SPLITS = 30_000
"""Maximum number of pairs of heaps that are checked for winning moves."""


def _most(code: OctalCode) -> int:
    return BROKEN_HEAP if code.parts > 2 else MAX_HEAP


@dataclass(frozen=True, slots=True)
class PassHeapValues(SingleHeaps):
    """Values of single heaps in normal play, with and without their passes."""

    game: GameSpec
    plain: HeapValues
    with_pass: ValueSequence

    @property
    def certificate(self) -> str | None:
        """The certified regularity of heaps with their passes."""
        return self.with_pass.statement

    def grundy(self, heaps: PassHeaps) -> int:
        """Return the nim-sum of the values."""
        return octal_pass.grundy(heaps, self.plain, self.with_pass)

    def values(self, rows: Ints) -> Ints:
        """Return values by both tables, which begin with 0 for a heap of 0."""
        sizes, has_pass = rows[:, ::2], rows[:, 1::2] == 1
        return np.where(has_pass, self.with_pass.many(sizes), self.plain.many(sizes))

    def winning_moves(self, heaps: PassHeaps) -> Iterator[PassHeaps] | None:
        """Return all children of value 0; None if there are too many to check."""
        game = self.game
        if sum(octal.options_bound(code_of(game), heap.size) for heap in heaps) > MAX_SPLITS:
            return None
        children = dict.fromkeys(child for _, child in watched(RULES.actions(heaps, game)))
        return filter(self.is_p_position, children)


class HeapPassProber(HeapSumProber):
    """Answers questions about games whose heaps have passes of their own: two numbers each."""

    width = 2 * HeapSumProber.width

    def sizes(self, rows: Rows) -> Rows:
        """Return every second number."""
        return rows[:, ::2]

    def sizes_of(self, heaps: PassHeaps) -> tuple[int, ...]:
        """Return the sizes without the passes."""
        return tuple(heap.size for heap in heaps)

    def largest(self, rows: Rows) -> PassHeaps:
        """Return a heap without its pass, and one with it."""
        sizes = rows[:, ::2]
        longest = int(sizes[rows[:, 1::2] == 1].max(initial=0))
        return PassHeap(int(sizes.max(initial=0))), PassHeap(longest, has_pass=True)

    def checked(self, game: GameSpec, coordinates: Rows) -> tuple[GameSpec, Rows]:
        """Check pairs of a size and 0 or 1."""
        wrong = ((coordinates[:, 1::2] | 1) != 1).any(axis=1)
        if coordinates.shape[1] % 2:
            wrong[:] = True
        if wrong.any():
            row = int(np.argmax(wrong))
            try:
                self.rules.position(game, tuple(coordinates[row].tolist()))
            except InvalidPositionError as error:
                raise InvalidRowError(row, str(error)) from error
        return super().checked(game, coordinates)


class OctalHeapPassProber(HeapPassProber):
    """Answers questions about octal games whose heaps have passes of their own."""

    family = "octal_heap_pass"
    example = GameSpec("octal_heap_pass", options=(("code", "0.77"),))
    about = (
        "heaps with passes of their own, of any size where their values are certified, else"
        f" up to {MAX_HEAP}; misere play: small heaps"
    )

    def plan_heaps(self, game: GameSpec, heaps: PassHeaps) -> Plan[SingleHeaps] | None:
        """Plan the values for normal play."""
        if game.misere:
            return None
        code, cache = code_of(game), self.resources.cache
        plain = plan_octal_values(self.resources, code, max(self.sizes_of(heaps), default=0))
        longest = max((heap.size for heap in heaps if heap.has_pass), default=0)
        size = max(TABLE_START, min(1 << longest.bit_length(), _most(code) + 1))

        def run() -> SingleHeaps:
            with_pass = cache.find(
                "octal pass values",
                (code, size),
                lambda: octal_pass.solve_pass_sequence(code, size - 1),
                lambda values: values.values.nbytes,
            )
            return PassHeapValues(game, plain.run(), with_pass)

        seconds = _HEAP_SECONDS * size * min(len(code.digits), size)
        seconds += _PAIR_SECONDS * size**2 * (code.parts > 2)
        return Plan(plain.cost + Cost(0.002 + seconds), run)

    def moves_in(self, game: GameSpec, heap: int) -> float:
        """Return the number of pairs of heaps that a split may leave."""
        return octal.options_bound(code_of(game), heap)

    move_seconds = _PAIR_SECONDS
    max_moves = MAX_SPLITS


PROBER = OctalHeapPassProber
