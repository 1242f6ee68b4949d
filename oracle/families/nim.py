"""Nim with any number of heaps and passes, misere play and variants."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from operator import xor

import numpy as np

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.heaps import is_symmetric
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.chance.nim import NimChances
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.heaps.on_demand import (
    MAX_STEPS,
    SEARCHED_HEAPS,
    SIDES,
    side_for,
)
from position_oracle.oracle.families.heaps.prober import HeapProber, build_advice
from position_oracle.oracle.families.heaps.tables import SearchedNim, Solved, Stored
from position_oracle.oracle.families.heaps.theorems import ONE_PASS, Knowledge, nim_sum
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    MAX_POSITIONS,
    Ints,
    Rows,
    Source,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind

_AXES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))
"""The heaps that are x, y and z of a table: each of the three may be the large one."""


class NimProber(HeapProber):
    """Answers questions about Nim: Bouton's theorem, tables of three heaps, searches.

    Two more passes change no P-position, so tables without a pass and with one pass suffice for all
    numbers of passes.
    """

    family = "nim"

    def knows(self, game: GameSpec) -> bool:
        """Return whether the game has sources; declared positions need three heaps."""
        return super().knows(game) or (game.heaps == 3 and not game.misere)

    def games(self) -> tuple[Covered, ...]:
        """Return entries for theorems and searches, and one entry for each table."""
        heaps = f"1 to {MAX_HEAPS} heaps of any size, any even number of passes"
        closed = tuple(
            covered(
                GameSpec("nim", misere=misere),
                heaps,
                Certainty.THEOREM,
                limits={"heaps": MAX_HEAPS},
            )
            for misere in (False, True)
        )
        one_pass = covered(
            GameSpec("nim", passes=1),
            f"two heaps, or three with a heap of 1, of any size; three heaps of which two are"
            f" at most {SIDES[-1]}; four and five small heaps; any odd number of passes",
            Certainty.EXACT_SEARCH,
            limits={"heaps": 3, "other_heaps": SIDES[-1]},
        )
        return (*closed, one_pass, *self._table_infos())

    def _sources(self, game: GameSpec) -> Sequence[Source]:
        return (*self.from_knowledge(game, *self._knowledge(game)), NimChances(), NimSums())

    def _knowledge(self, game: GameSpec) -> Sequence[Knowledge]:
        if self.rules.has_nim_sums(game):
            return (nim_sum(misere=game.misere, even_passes=game.passes > 0),)
        of_table = replace(game, heaps=3, passes=game.passes % 2)
        table = self.tables.get(of_table)
        stored = () if table is None else (Stored(of_table, None, table),)
        if game.is_variant:
            return (*stored, *self._solved_variants(of_table))
        theorem = () if game.misere else (ONE_PASS,)
        solved = Solved(of_table, None, self.solved)
        return (*theorem, *stored, solved, SearchedNim(game.misere, self.solved))

    def _solved_variants(self, game: GameSpec) -> Sequence[Knowledge]:
        """Return tables of a variant with each heap as the large one; noise has only the third."""
        one_suffices = game.noise is not None or is_symmetric(game)
        axes = _AXES[:1] if one_suffices else _AXES
        return [Solved(game, None, self.solved, axes=each) for each in axes]

    def what_would_decide(self, position: Position) -> str:
        """Describe a build or a search."""
        return _what_would_decide(position)


@lru_cache(maxsize=1024)
def _what_would_decide(position: Position) -> str:
    game, heaps = position.game, tuple(heap for heap in position.coordinates if heap)
    if len(heaps) > 3:
        most = SEARCHED_HEAPS[-1]
        reach = f"{MAX_POSITIONS:,} positions" if len(heaps) > most else f"{MAX_STEPS:,} moves"
        return (
            f"Nim with an odd number of passes and {len(heaps)} heaps has no table, and the search"
            f" is limited to {reach}"
        )
    of_table = replace(game, heaps=3)
    three = position.coordinates + (0,) * (3 - len(position.coordinates))
    three = three if game.heaps == 3 else tuple(sorted(three))[-3:]
    return (
        f"no stored table of {of_table.with_passes(game.passes % 2).text} goes that far, and sheets"
        f" are solved on demand only up to {side_for(game):,}; {build_advice(of_table, three)}"
    )


class NimSums(Source):
    """Source of Grundy values by Bouton's theorem; two more passes change none."""

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan the nim-sum, without passes."""
        if kind != "grundy" or position.game.passes or not position.game.is_plain:
            return None
        values = Values(_nim_sum, Certainty.THEOREM, "Bouton's theorem: the nim-sum of the heaps")
        return Plan(LOOK_UP, lambda: values)

    def plan_value_rows(self, kind: ValueKind, game: GameSpec, rows: Rows) -> Plan[Ints] | None:
        """Plan the nim-sums, with an even number of passes."""
        if kind != "grundy" or game.passes % 2 or not game.is_plain:
            return None
        cost = LOOK_UP + Cost(1e-8 * rows.size, 8 * len(rows))
        return Plan(cost, lambda: np.bitwise_xor.reduce(rows.astype(np.int64), axis=1))


def _nim_sum(position: Position) -> int:
    return reduce(xor, position.value, 0)


PROBER = NimProber
