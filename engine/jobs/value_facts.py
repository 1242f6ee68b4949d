"""What is known about Grundy values and remoteness otherwise: outcomes, and published terms.

A family that has tables of values says it in `engine.jobs.<family>.value_facts`, as `judges` and
`published`.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.heap_table import read_z
from position_oracle.engine.jobs.report import Check, check_equal
from position_oracle.engine.solvers.value_layouts import Layout
from position_oracle.schema.snapshot import Snapshot

Values = NDArray[np.int32]

Judge = Callable[[Values, Values], tuple[NDArray[np.bool_], NDArray[np.bool_]]]
"""Tells which positions of a block are known, and which of those are P.

A block is the coordinates of its positions, one after the other, and the length of each.
"""


class ValueFacts(Protocol):
    """What a family knows about its values."""

    def judges(self, snapshot: Snapshot, game: GameSpec) -> Iterator[tuple[str, Judge]]:
        """Where outcomes come from, in words, and what tells those of a block of positions."""

    def published(self, layout: Layout, values: Values) -> Iterator[Check]:
        """Grundy values that are published."""


def has_kind(snapshot: Snapshot, game: GameSpec, kind: str) -> bool:
    """Whether a file has results of a kind of a game."""
    return any((build.game, build.kind) == (game.text, kind) for build in snapshot.builds())


def sheet_judges(snapshot: Snapshot, game: GameSpec) -> Iterator[tuple[str, Judge]]:
    """Outcomes of three heaps that stored loser sheets tell."""
    if game.heaps != 3 or not has_kind(snapshot, game, "sheets"):
        return
    table = read_z(snapshot, game)

    def judge(flat: Values, lengths: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        positions = in_rows(flat, lengths)
        inside = np.asarray(np.less(positions[:, :2], table.shape).all(axis=1))
        x, y, z = positions[inside].T
        return inside, np.equal(table[x, y], z)

    yield "the loser sheets", judge


def everywhere(is_p: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> Judge:
    """What a theorem on all positions tells, given as int64 (n, k)."""

    def judge(flat: Values, lengths: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return np.ones(len(lengths), np.bool_), is_p(in_rows(flat, lengths))

    return judge


def in_rows(flat: Values, lengths: Values) -> NDArray[np.int64]:
    """A block of positions of equal length as int64 (n, k)."""
    return flat.reshape(len(lengths), -1).astype(np.int64)


def check_terms(name: str, found: list[int], expected: tuple[int, ...]) -> Check:
    """A check that the first terms of a sequence are those published."""
    return check_equal(name, len(found), found, list(expected[: len(found)]))
