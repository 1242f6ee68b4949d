"""What is known about Grundy values and remoteness otherwise: outcomes, and published terms.

A family that has tables of values says it in `engine.jobs.<family>.value_facts`, as `outcomes` and
`published`.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.heap_table import read_z
from position_oracle.engine.jobs.report import Check, check_equal
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.schema.snapshot import Snapshot

Values = NDArray[np.int32]

Outcomes = tuple[str, NDArray[np.bool_], NDArray[np.bool_]]
"""Where they come from, which positions are known there, and which of those are P."""


class ValueFacts(Protocol):
    """What a family knows about its values."""

    def outcomes(
        self, snapshot: Snapshot, game: GameSpec, flat: Values, lengths: Values
    ) -> Iterator[Outcomes]:
        """Outcomes of positions, given by their coordinates one after the other."""

    def published(self, layout: Layout, values: Values) -> Iterator[Check]:
        """Grundy values that are published."""


def has_kind(snapshot: Snapshot, game: GameSpec, kind: str) -> bool:
    """Whether a file has results of a kind of a game."""
    return any((build.game, build.kind) == (game.text, kind) for build in snapshot.builds())


def sheet_outcomes(
    snapshot: Snapshot, game: GameSpec, positions: NDArray[np.int64]
) -> Iterator[Outcomes]:
    """Outcomes of three heaps that stored loser sheets tell."""
    if game.heaps == 3 and has_kind(snapshot, game, "sheets"):
        table = read_z(snapshot, game)
        inside = np.asarray(np.less(positions[:, :2], table.shape).all(axis=1))
        x, y, z = positions[inside].T
        yield "the loser sheets", inside, np.equal(table[x, y], z)


def check_terms(name: str, found: list[int], expected: tuple[int, ...]) -> Check:
    """A check that the first terms of a sequence are those published."""
    return check_equal(name, len(found), found, list(expected[: len(found)]))
