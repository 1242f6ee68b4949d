"""Outcomes of Nim that its values must show."""

from collections.abc import Iterator

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import Judge, Values, everywhere, sheet_judges
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.engine.theory import nim
from position_oracle.schema.snapshot import Snapshot


def judges(snapshot: Snapshot, game: GameSpec) -> Iterator[tuple[str, Judge]]:
    """Stored sheets and, without passes, Bouton's theorem."""
    yield from sheet_judges(snapshot, game)
    if not game.passes:
        yield "Bouton's theorem", everywhere(nim.is_p_position_batch)


def published(_layout: Layout, _values: Values) -> Iterator[Check]:
    """None; Bouton's theorem says more."""
    yield from ()
