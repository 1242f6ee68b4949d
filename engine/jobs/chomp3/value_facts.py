"""Outcomes of three-row Chomp that its values must show, and published values."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check
from position_oracle.engine.jobs.value_facts import Judge, Values, check_terms, has_kind, in_rows
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.schema.snapshot import Snapshot

RECTANGLES: Final = (2, 4, 5, 9, 11, 12, 13, 16, 19, 21, 24, 26, 28, 31, 32, 35, 36, 39, 42, 41)
"""A069001: Grundy values of the 3 x n rectangles, n = 1, 2, ..., where poison is not eaten."""


def judges(snapshot: Snapshot, game: GameSpec) -> Iterator[tuple[str, Judge]]:
    """Stored loser sheets."""
    if not has_kind(snapshot, game, "sheets"):
        return
    sheets = snapshot.read_sheets(game.text, check=False)

    def judge(flat: Values, lengths: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        positions = in_rows(flat, lengths)
        inside = positions[:, 0] < len(sheets)
        x, y, z = positions[inside].T
        return inside, sheets.look_up(x, y) == z

    yield "the loser sheets", judge


def published(layout: Layout, values: Values) -> Iterator[Check]:
    """Values of the 3 x n rectangles."""
    columns = range(1, min(len(RECTANGLES), layout.sides[0]) + 1)
    found = [int(values[layout.place((n, 0, 0))]) for n in columns]
    yield check_terms("values of the 3 x n rectangles (A069001)", found, RECTANGLES)
