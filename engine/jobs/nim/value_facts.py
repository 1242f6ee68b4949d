"""Outcomes of Nim that its values must show."""

from collections.abc import Iterator

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import Outcomes, Values, sheet_outcomes
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.engine.theory import nim
from position_oracle.schema.snapshot import Snapshot


def outcomes(
    snapshot: Snapshot, game: GameSpec, flat: Values, lengths: Values
) -> Iterator[Outcomes]:
    """Those of stored sheets and, without passes, of Bouton's theorem."""
    positions = flat.reshape(len(lengths), -1).astype(np.int64)
    yield from sheet_outcomes(snapshot, game, positions)
    if not game.passes:
        everywhere = np.ones(len(positions), np.bool_)
        yield "Bouton's theorem", everywhere, nim.is_p_position_batch(positions)


def published(_layout: Layout, _values: Values) -> Iterator[Check]:
    """None; Bouton's theorem says more."""
    yield from ()
