"""Outcomes of Wythoff's game that its values must show, and published values."""

from collections.abc import Iterator
from typing import Final

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import (
    Judge,
    Values,
    check_terms,
    everywhere,
    sheet_judges,
)
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.engine.theory import wythoff
from position_oracle.schema.snapshot import Snapshot

EQUAL_HEAPS: Final = (0, 2, 1, 6, 7, 8, 3, 5, 4, 16, 14, 15, 10, 9, 11, 20, 13, 21, 12, 25)
"""A047708: Grundy values of Wythoff's game with heaps (n, n)."""


def judges(snapshot: Snapshot, game: GameSpec) -> Iterator[tuple[str, Judge]]:
    """Stored sheets and, with two heaps, Wythoff's theorem."""
    yield from sheet_judges(snapshot, game)
    if game.heaps == 2:
        yield "Wythoff's theorem", everywhere(wythoff.is_p_position_batch)


def published(layout: Layout, values: Values) -> Iterator[Check]:
    """Values of two equal heaps."""
    if layout.game.heaps == 2:
        heaps = range(min(len(EQUAL_HEAPS), min(layout.sides) + 1))
        found = [int(values[layout.place((n, n))]) for n in heaps]
        yield check_terms("values of equal heaps (A047708)", found, EQUAL_HEAPS)
