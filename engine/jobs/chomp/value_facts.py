"""Outcomes of Chomp boards that their values must show."""

from collections.abc import Iterator

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import Outcomes, Values, has_kind
from position_oracle.engine.solvers.boards import OutcomeTable, under
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.schema.boards import read_boards
from position_oracle.schema.snapshot import Snapshot


def outcomes(
    snapshot: Snapshot, game: GameSpec, flat: Values, lengths: Values
) -> Iterator[Outcomes]:
    """Those of the stored boards inside outer boards."""
    if not has_kind(snapshot, game, "outcomes"):
        return
    width = int(lengths.max())
    boards = np.zeros((len(lengths), width), np.int64)
    boards[np.arange(width) < lengths[:, np.newaxis]] = flat
    for stored in read_boards(snapshot, game.text, check=False):
        shape = under(stored.outer.row_lengths)
        rows = np.zeros(max(width, shape.rows), np.int64)
        rows[: shape.rows] = shape.limits
        inside = np.asarray(np.less_equal(boards, rows[:width]).all(axis=1))
        fitting = boards[inside][:, : shape.rows]
        found = OutcomeTable.of_p_ranks(shape, stored.p_ranks).outcomes(fitting)
        yield f"the boards inside {stored.outer.name}", inside, found == 1


def published(_layout: Layout, _values: Values) -> Iterator[Check]:
    """None for boards of any shape."""
    yield from ()
