"""Checks of stored values and chances: the order, and each row from the rows of its children."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import Any, Final

import numpy as np

from position_oracle.engine.budget import watched
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import Tree, tree_of
from position_oracle.engine.jobs.position_values import TABLE, Place, place_of, top_of
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.theory.mex import mex
from position_oracle.schema.snapshot import Snapshot

TOLERANCE: Final = 1e-11
"""Relative difference that the order of a sum of some thousand chances can cause."""

MOVES_LOOKED_AT: Final = 1_000_000
"""Number of moves after which the check of a sample ends, whatever its size."""

Row = dict[str, Any]
Options = Sequence[tuple[Row, bool]]
"""For each action, the row that it leads to, and whether the action loses by rule."""


def value_checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check the positions, and that each row follows from the rows of its children.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    top = top_of(game, limit)
    table = snapshot.read_table(TABLE, game.text, check=False).to_pylist()
    places = [(tuple(row["coordinates"]), row["passes"]) for row in table]
    rows = _Rows(game, tree_of(top), dict(zip(places, table, strict=True)))
    unordered = (f"{b} follows {a}" for a, b in pairwise(places) if a >= b)
    yield check("rows are in the order of their coordinates", len(places), unordered)
    missing = [] if rows.of(rows.tree.node(top)) else [f"{top} is not there"]
    yield check("the position of the limit is there", 1, missing)
    most = sum(place_of(rows.tree.node(top), game)[0])
    larger = (f"{place} is larger" for place in places if sum(place[0]) > most)
    yield check("no position is larger than that of the limit", len(places), larger)
    yield rows.check(sample)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The stored rows by their places."""

    game: GameSpec
    tree: Tree[Any]
    by_place: dict[Place, Row]

    def of(self, node: Hashable) -> Row | None:
        """Return the row of a position; None if there is none."""
        return self.by_place.get(place_of(node, self.game))

    def check(self, sample: Sample) -> Check:
        """Check that the rows of a sample, or all rows, follow from the rows of their children."""
        places = list(self.by_place)
        drawn = np.random.default_rng(sample.seed).permutation(len(places)).tolist()
        moves = checked = 0
        detail = ""
        for number in watched(drawn if sample.whole else drawn[: sample.draws], every=16):
            if detail or (moves > MOVES_LOOKED_AT and not sample.whole):
                break
            checked += 1
            place = places[number]
            nodes = list(self.tree.options(place if self.game.passes else place[0]))
            moves += len(nodes)
            detail = next(self._failures(place, nodes), "")
        name = "rows are what those of their moves make them" + ": a sample" * (not sample.whole)
        return Check(name, checked, detail)

    def _failures(self, place: Place, nodes: Sequence[Hashable]) -> Iterator[str]:
        options = [(row, self.tree.gives_up(node)) for node in nodes if (row := self.of(node))]
        if len(options) < len(nodes):
            yield f"{place}: a move leads to a position that is not there"
            return
        found = self.by_place[place]
        for name, expected in self._follows(place, options).items():
            if not _agree(found[name], expected):
                yield f"{place}: {name} is {found[name]}, its moves make it {expected}"

    def _follows(self, place: Place, options: Options) -> Row:
        """Compute the row of a position from the rows of its children."""
        node: Any = place if self.game.passes else place[0]
        won = not options and self.tree.won(node)
        allowed = [row for row, gives_up in options if not gives_up]
        lost = [row["remoteness"] for row in allowed if not row["wins"]]
        kept = [row["remoteness"] for row in allowed if row["wins"]]
        is_over = self.tree.gives_up(node)
        has_grundy = self.game.is_plain and not is_over
        return {
            "wins": bool(lost) if allowed else won,
            "grundy": mex(row["grundy"] for row in allowed) if has_grundy else None,
            "remoteness": None if is_over else 1 + (min(lost) if lost else max(kept, default=-1)),
            "p_mover": 1 - _mean(options, "p_mover") if options else float(won),
            "perfect_loses": min(
                (row["random_wins"] for row, _ in options), default=float(not won)
            ),
            "random_wins": _mean(options, "perfect_loses") if options else float(won),
            "turns": 1 + _mean(options, "turns") if options else 0.0,
        }


def _agree(found: Any, expected: Any) -> bool:
    """Return whether numbers are equal, or chances nearly equal."""
    if not isinstance(expected, float):
        return bool(found == expected)
    return bool(abs(found - expected) <= TOLERANCE * max(abs(expected), 1e-300))


def _mean(options: Options, name: str) -> float:
    return fsum(row[name] for row, _ in options) / len(options)
