"""Checks of stored loser sheets, of three-row Chomp and of games with three heaps, by the rules.

They share no code with the solvers, except that the game with one pass fewer is solved.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.heaps import HeapRules
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.limits import numbers_of
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.schema.sheets import CUT, LoserSheets

Triple = tuple[int, int, int]
Ints = NDArray[np.int64]

_THIRD_HEAP: Final = (2,)


@dataclass(frozen=True, slots=True, eq=False)
class StoredSheets:
    """The stored sheets of a game, and the moves between their positions.

    Attributes:
        game: the game.
        sheets: its P-positions, from x = 0 on.
        fewer: the P-positions of the game with one pass fewer; None without passes.
    """

    game: GameSpec
    sheets: LoserSheets
    fewer: LoserSheets | None = None

    def checks(self, limit: str, sample: Sample) -> Iterator[Check]:
        """Check the number of sheets, and the moves from a sample of P- and of N-positions."""
        last_x, *last_y = numbers_of(limit)
        cut = self.sheets.prefix_length[self.sheets.tail_period == CUT].tolist()
        fits = len(self.sheets) == last_x + 1 and {*cut} == {y + 1 for y in last_y}
        failures = [] if fits else [f"the limit is {limit}"]
        yield check("there is every column up to the limit", len(self.sheets), failures)
        if not fits:
            return
        drawn = list(self._p_positions(sample))
        yield _each("no P-position of a sample reaches another", drawn, self._wrong_p)
        drawn = list(self._n_positions(sample))
        yield _each("every N-position of a sample reaches a P-position", drawn, self._wrong_n)

    def reaches_p(self, position: Triple) -> bool:
        """Return whether a move or the pass leads to a P-position of the sheets."""
        x, y, z = position
        if self.passes_to_p(position) or 0 <= int(self.sheets.look_up(x, y)) < z:
            return True
        rules = rules_of(self.game.family)
        if isinstance(rules, HeapRules):
            return any(map(self._is_p, self._after_taking(rules, position)))
        columns, smaller = np.arange(y), np.arange(x)
        beside = self.sheets.look_up(x, columns)
        below = self.sheets.look_up(smaller, x + y - smaller)
        diagonal = self.sheets.diagonal[:x]
        return bool(
            np.any((beside == y + z - columns) | (beside == 0))  # the second row is bitten
            or np.any(below == z)  # the third row alone
            or np.any((diagonal == x + y + z - smaller) | (diagonal == 0))  # with the others
        )

    def passes_to_p(self, position: Triple) -> bool:
        """Return whether the pass leads to a P-position; a terminal position allows no pass."""
        terminal = (0, 0, int(self.game.family == "chomp3"))
        if self.fewer is None or position == terminal or self.game.declares(position):
            return False
        x, y, z = position
        return int(self.fewer.look_up(x, y)) == z

    def _after_taking(self, rules: HeapRules, heaps: Triple) -> Iterator[tuple[Ints, ...]]:
        """Yield the heaps after the moves of each line, but for the third heap alone."""
        for line in rules.lines(self.game, 3):
            if line != _THIRD_HEAP:
                taken = np.arange(1, 1 + min(heaps[heap] for heap in line))
                yield tuple(left - taken * (heap in line) for heap, left in enumerate(heaps))

    def _is_p(self, positions: tuple[Ints, ...]) -> bool:
        x, y, z = positions
        return bool(np.any(self.sheets.look_up(x, y) == z))

    def _wrong_p(self, position: Triple) -> str:
        if self.game.declares(position):
            return "is a P-position and declared N"
        if self.passes_to_p(position):
            return "is a P-position and can be passed to one"
        return "is a P-position and reaches another" if self.reaches_p(position) else ""

    def _wrong_n(self, position: Triple) -> str:
        known = self.game.declares(position) or self.reaches_p(position)
        return "" if known else "is an N-position and reaches no P-position"

    def _p_positions(self, sample: Sample) -> Iterator[Triple]:
        """Draw P-positions, declared ones first."""
        for x, y, z in self.game.declared:
            if x < len(self.sheets) and int(self.sheets.look_up(x, y)) == z:
                yield x, y, z
        xs, ys, zs = self._columns(np.random.default_rng(sample.seed), sample)
        yield from _triples(xs, ys, zs, zs >= 0)

    def _n_positions(self, sample: Sample) -> Iterator[Triple]:
        """Draw N-positions, most below the P-position of a column, where wins are hard to find."""
        random = np.random.default_rng([sample.seed, 1])
        x, y, column = self._columns(random, sample)
        below = (column > 0) & (random.random(sample.draws) < 0.8)
        z = random.integers(0, np.where(below, column, 2 * np.maximum(column, 0) + 10))
        wanted = (z != column) & (x + y + z > 0)
        cut = np.flatnonzero(self.sheets.tail_period == CUT)
        if self.game.family == "chomp3" and cut.size:  # bites lead to columns with larger y
            wanted &= x + y < np.min(cut + self.sheets.prefix_length[cut])
        yield from _triples(x, y, z, wanted)

    def _columns(self, random: np.random.Generator, sample: Sample) -> tuple[Ints, Ints, Ints]:
        """Draw columns, most from prefixes and some from far out; return x, y and their z."""
        x = random.integers(0, len(self.sheets), sample.draws)
        length = self.sheets.prefix_length[x]
        reach = np.where(self.sheets.tail_period[x] == CUT, length, length * 5 // 4 + 2)
        y = random.integers(0, np.maximum(reach, 1))
        return x, y, self.sheets.look_up(x, y)


def _triples(x: Ints, y: Ints, z: Ints, wanted: NDArray[np.bool_]) -> "zip[Triple]":
    return zip(x[wanted].tolist(), y[wanted].tolist(), z[wanted].tolist(), strict=True)


def _each(name: str, drawn: list[Triple], wrong: Callable[[Triple], str]) -> Check:
    failures = (f"{list(position)} {said}" for position in drawn if (said := wrong(position)))
    return check(name, len(drawn), failures)
