"""Outcomes of Chomp boards that their values must show."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import Judge, Values, has_kind
from position_oracle.engine.solvers.boards import OutcomeTable, under
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.schema.boards import read_boards
from position_oracle.schema.snapshot import Snapshot


def judges(snapshot: Snapshot, game: GameSpec) -> Iterator[tuple[str, Judge]]:
    """The stored boards inside outer boards."""
    if not has_kind(snapshot, game, "outcomes"):
        return
    for stored in read_boards(snapshot, game.text, check=False):
        shape = under(stored.outer.row_lengths)
        table = OutcomeTable.of_p_ranks(shape, stored.p_ranks)
        yield f"the boards inside {stored.outer.name}", partial(_judge, table)


def _judge(
    table: OutcomeTable, flat: Values, lengths: Values
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    width, shape = int(lengths.max()), table.shape
    boards = np.zeros((len(lengths), width), np.int64)
    boards[np.arange(width) < lengths[:, np.newaxis]] = flat
    rows = np.zeros(max(width, shape.rows), np.int64)
    rows[: shape.rows] = shape.limits
    inside = np.asarray(np.less_equal(boards, rows[:width]).all(axis=1))
    return inside, table.outcomes(boards[inside][:, : shape.rows]) == 1


def published(_layout: Layout, _values: Values) -> Iterator[Check]:
    """None for boards of any shape."""
    yield from ()
