"""Outcomes of Wythoff's game that its values must show, and published values."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import Outcomes, Values, check_terms, sheet_outcomes
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.engine.theory import wythoff
from position_oracle.schema.snapshot import Snapshot

EQUAL_HEAPS: Final = (0, 2, 1, 6, 7, 8, 3, 5, 4, 16, 14, 15, 10, 9, 11, 20, 13, 21, 12, 25)
"""A047708: Grundy values of Wythoff's game with heaps (n, n)."""


def outcomes(
    snapshot: Snapshot, game: GameSpec, flat: Values, lengths: Values
) -> Iterator[Outcomes]:
    """Those of stored sheets and, with two heaps, of Wythoff's theorem."""
    positions = flat.reshape(len(lengths), -1).astype(np.int64)
    yield from sheet_outcomes(snapshot, game, positions)
    if game.heaps == 2:
        everywhere = np.ones(len(positions), np.bool_)
        yield "Wythoff's theorem", everywhere, wythoff.is_p_position_batch(positions)


def published(layout: Layout, values: Values) -> Iterator[Check]:
    """Values of two equal heaps."""
    if layout.game.heaps == 2:
        heaps = range(min(len(EQUAL_HEAPS), min(layout.sides) + 1))
        found = [int(values[layout.place((n, n))]) for n in heaps]
        yield check_terms("values of equal heaps (A047708)", found, EQUAL_HEAPS)
