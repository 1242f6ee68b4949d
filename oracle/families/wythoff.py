"""Wythoff's game with two heaps, and with three in its three definitions."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.wythoff import RULES, WYTHOFF_RULES
from position_oracle.engine.theory import wythoff
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.even_passes import EvenPasses
from position_oracle.oracle.families.heaps.arrays import LINES
from position_oracle.oracle.families.heaps.geometry import PHI, Ranges, golden_lines, two_heap_lines
from position_oracle.oracle.families.heaps.on_demand import (
    MAX_STEPS,
    SIDES,
    search_cost,
    side_for,
)
from position_oracle.oracle.families.heaps.prober import HeapProber, build_advice
from position_oracle.oracle.families.heaps.tables import Solved, Stored
from position_oracle.oracle.families.heaps.theorems import (
    ALL_THREE,
    GOLDEN_RATIO,
    Knowledge,
    empty_heap,
)
from position_oracle.oracle.families.sources import LOOK_UP, Source, is_quickly_searched, unknown
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.geometry import Geometry, Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRUNDY_SIZES: Final = (127, 511, 2047)
"""Largest heaps of the tables of Grundy values that are computed: 0.05 s."""

_TWO_HEAPS = GameSpec("wythoff", heaps=2)


class WythoffProber(HeapProber):
    """Answers questions about Wythoff's game: theorems, tables of three heaps, searches."""

    family = "wythoff"

    def games(self) -> tuple[Covered, ...]:
        """Return entries for theorems and searches, and one entry for each table."""
        any_size = "heaps of any size"
        searched = f"three heaps of which two are at most {SIDES[-1]}; with an empty heap, any size"
        by_theorem = Certainty.THEOREM
        two, three = {"heaps": 2}, {"heaps": 3}
        found = [covered(_TWO_HEAPS, any_size, by_theorem, limits=two)]
        for rule in WYTHOFF_RULES:
            game = GameSpec("wythoff", options=(("rule", rule),))
            if rule == "all":
                found.append(covered(game, any_size, by_theorem, limits=three, has_sheets=True))
            elif game not in self.tables:
                known, sides = Certainty.EXACT_SEARCH, {"heaps": 3, "other_heaps": SIDES[-1]}
                found.append(covered(game, searched, known, limits=sides, has_sheets=True))
        tables = (each for each in self._table_infos() if each.game.rule != "all")
        return (*found, *tables)

    def plan_geometry(self, game: GameSpec) -> Plan[Geometry]:
        """Plan the two lines: by theorem for two heaps, by measurements far out for three."""
        if game in (GameSpec("wythoff"), _TWO_HEAPS):
            lines = tuple(two_heap_lines())
            shape = Shape(game.text, "theorem", 0, 0, lines)
            return Plan(LOOK_UP, lambda: Geometry(game.text, (shape,)))
        return super().plan_geometry(game)

    def _measured(self, game: GameSpec, z: "NDArray[np.integer]") -> Ranges:
        """Return slopes and densities of the two lines; both have slope 1 under the rule `all`."""
        return golden_lines(z, (1.0, 1.0) if game.rule == "all" else (PHI, 1 / PHI))

    def _sources(self, game: GameSpec) -> Sequence[Source]:
        if game.passes and game.passes % 2 == 0:
            return EvenPasses(self), self.undecided
        if game.misere and not game.passes and game.heaps == 2:
            return (_MisereTheorem(),)
        if game.misere or game.passes:
            return (_Search(self),)
        return self.from_knowledge(game, *self._knowledge(game))

    def _knowledge(self, game: GameSpec) -> Sequence[Knowledge]:
        if game.heaps == 2:
            return (GOLDEN_RATIO,)
        if game.rule == "all":
            return (ALL_THREE,)
        lines = tuple(LINES.index(line) for line in RULES.lines(game, 3))
        table = self.tables.get(game)
        stored = () if table is None else (Stored(game, lines, table),)
        return (empty_heap(lines), *stored, Solved(game, lines, self.solved))

    def max_singles(self, game: GameSpec) -> int | None:
        """Return None for rows with passes or in misere play, which are all planned one by one."""
        return None if game.misere or game.passes else super().max_singles(game)

    def plan_small_values(self, kind: ValueKind, position: Position) -> Plan[Values] | None:
        """Plan a table of Grundy values of two heaps; small ones are searched."""
        game, is_small = position.game, is_quickly_searched(position.coordinates)
        if kind != "grundy" or game.heaps != 2 or game.passes or is_small:
            return None
        reason = f"solved with all pairs of heaps up to {max(position.coordinates)}"
        size = next((size for size in GRUNDY_SIZES if max(position.coordinates) <= size), None)
        if size is None:
            return None

        def solve() -> "NDArray[np.int32]":
            from position_oracle.engine.solvers import heap_sheets

            return heap_sheets.solve(heap_sheets.WYTHOFF, size, size)

        def run() -> Values:
            table = self.resources.cache.find(
                "wythoff grundy", size, solve, lambda values: values.nbytes, size.__le__
            )
            return Values(lambda p: int(table[p.coordinates]), Certainty.EXACT_SEARCH, reason)

        return Plan(Cost(0.01 + 0.05 * (size / GRUNDY_SIZES[-1]) ** 2, 8 * size * size), run)

    def what_would_decide(self, position: Position) -> str:
        """Describe a build."""
        return _what_would_decide(position)


class _MisereTheorem(Source):
    """Source for two heaps in misere play by a theorem."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan by the theorem of docs/wythoff-misere.md."""
        return Plan(LOOK_UP, lambda: _by_misere_theorem(position, with_moves=with_moves))


class _Search(Source):
    """Source that searches all smaller heaps; small ones by the graph, without compiled code."""

    def __init__(self, prober: WythoffProber) -> None:
        self._prober = prober

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan positions with an odd number of passes, or of three heaps in misere play."""
        if is_quickly_searched(position.coordinates):
            return self._prober.graph.plan_last(position, with_moves=with_moves)
        game, limits = position.game, tuple(sorted(position.coordinates))
        rules = game.with_passes(game.passes % 2)
        cost = search_cost(rules, limits)
        if cost is not None:
            return Plan(cost, lambda: self._answer(position, rules, with_moves=with_moves))
        reason = (
            f"no theorem decides {game.text}, and a search on demand goes to"
            f" {MAX_STEPS:,} moves; a search of all smaller positions would decide it"
        )
        return Plan(LOOK_UP, lambda: unknown(position, reason), is_sure=False)

    def _answer(self, position: Position, rules: GameSpec, *, with_moves: bool) -> Answer:
        limits = tuple(sorted(position.coordinates))
        table = self._prober.solved.search(rules, limits, "wins")

        def is_p(child: Position) -> bool:
            heaps = tuple(sorted(child.coordinates, reverse=True))
            return not table.at(heaps, child.game.passes % 2)

        moves: tuple[Move, ...] = ()
        if is_p(position):
            outcome = Outcome.P
        else:
            outcome = Outcome.N
            moves = tuple(legal_moves(position, is_p))
        reason = f"search of all heaps up to {' and '.join(map(str, limits))}"
        return Answer(
            position, outcome, Certainty.EXACT_SEARCH, reason, moves if with_moves else None
        )


def _by_misere_theorem(position: Position, *, with_moves: bool) -> Answer:
    x, y = position.coordinates
    reason = (
        "Wythoff's game in misere play (docs/wythoff-misere.md): P as in normal play, with [0, 1]"
        " and [2, 2] in place of [0, 0] and [1, 2]"
    )
    is_p = wythoff.is_p_position(x, y, misere=True)
    children = (tuple(sorted(child)) for child in wythoff.winning_moves(x, y, misere=True))
    moves = tuple(Move(position.child(child)) for child in dict.fromkeys(children))
    outcome = Outcome.P if is_p else Outcome.N
    return Answer(position, outcome, Certainty.THEOREM, reason, moves if with_moves else None)


@lru_cache(maxsize=1024)
def _what_would_decide(position: Position) -> str:
    game = position.game
    return (
        f"no stored table of {game.text} goes that far, and sheets are solved on demand only up to"
        f" {side_for(game):,}; {build_advice(game, position.coordinates)}"
    )


PROBER = WythoffProber
