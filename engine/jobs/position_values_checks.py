"""Checks of stored values and chances: the order, and each row from the rows of its children."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum
from typing import Any, Final

import numpy as np

from position_oracle.engine.budget import watched
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import Tree, tree_of
from position_oracle.engine.jobs.position_values import TABLE, Place, place_of, top_of
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.theory.mex import mex
from position_oracle.schema.snapshot import Snapshot

EXACT: Final = ("wins", "grundy", "remoteness")
CHANCES: Final = ("p_mover", "perfect_loses", "random_wins", "turns")
TOLERANCE: Final = 1e-11
"""Relative difference that the order of a sum of some thousand chances can cause."""

MOVES_LOOKED_AT: Final = 1_000_000
"""Number of moves after which the check of a sample ends, whatever its size."""

Row = Mapping[str, Any]
Options = Sequence[tuple[Row, bool]]
"""For each action, the row that it leads to, and whether the action loses by rule."""


def value_checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check the positions, and that each row follows from the rows of its children.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    top = top_of(game, limit)
    rows = _Rows(top, snapshot.read_table(TABLE, game.text, check=False).to_pydict())
    unordered = (f"{b} follows {a}" for a, b in pairwise(rows.places) if a >= b)
    yield check("rows are in the order of their coordinates", len(rows.places), unordered)
    missing = [] if rows.has(rows.tree.node(top)) else [f"{top} is not there"]
    yield check("the position of the limit is there", 1, missing)
    yield _rule(rows, sample)


class _Rows:
    """The stored rows, indexed by the nodes of the game."""

    def __init__(self, top: Position, columns: dict[str, list[Any]]) -> None:
        self.game = top.game
        self.tree: Tree[Any] = tree_of(top)
        self.places: list[Place] = list(
            zip(map(tuple, columns["coordinates"]), columns["passes"], strict=True)
        )
        self._columns = columns
        self._found = {place: number for number, place in enumerate(self.places)}

    def node(self, number: int) -> Any:
        """Return the node of a row."""
        place = self.places[number]
        return place if self.game.passes else place[0]

    def has(self, node: Any) -> bool:
        """Return whether a position has a row."""
        return place_of(node, self.game) in self._found

    def row(self, number: int) -> Row:
        """Return the numbers of a row."""
        return {name: self._columns[name][number] for name in (*EXACT, *CHANCES)}

    def row_of(self, node: Any) -> Row:
        """Return the row of a position."""
        return self.row(self._found[place_of(node, self.game)])


def _rule(rows: _Rows, sample: Sample) -> Check:
    """Check that the rows of a sample, or all rows, follow from the rows of their children."""
    random, count = np.random.default_rng(sample.seed), len(rows.places)
    drawn = random.permutation(count)
    if not sample.whole:
        drawn = drawn[: sample.draws]
    moves = checked = 0

    def failures() -> Iterator[str]:
        nonlocal moves, checked
        for number in watched(drawn.tolist(), every=16):
            if moves > MOVES_LOOKED_AT and not sample.whole:
                break
            checked += 1
            node = rows.node(number)
            nodes = list(rows.tree.options(node))
            moves += len(nodes)
            if not all(map(rows.has, nodes)):
                yield f"{rows.places[number]}: a move leads to a position that is not there"
                return
            options = [(rows.row_of(option), rows.tree.gives_up(option)) for option in nodes]
            found, expected = rows.row(number), _follows(rows, node, options)
            for name in (*EXACT, *CHANCES):
                if not _agree(name, found[name], expected[name]):
                    yield (
                        f"{rows.places[number]}: {name} is {found[name]}, its moves make it"
                        f" {expected[name]}"
                    )

    name = "rows are what those of their moves make them" + ("" if sample.whole else ": a sample")
    detail = next(failures(), "")
    return Check(name, checked, detail)


def _agree(name: str, found: Any, expected: Any) -> bool:
    if name in EXACT:
        return bool(found == expected)
    return bool(abs(found - expected) <= TOLERANCE * max(abs(expected), 1e-300))


def _follows(rows: _Rows, node: Any, options: Options) -> Row:
    """Compute the row of a position from the rows of its children."""
    won = not options and rows.tree.won(node)
    allowed = [row for row, gives_up in options if not gives_up]
    lost = [row["remoteness"] for row in allowed if not row["wins"]]
    kept = [row["remoteness"] for row in allowed if row["wins"]]
    is_over = rows.tree.gives_up(node)
    return {
        "wins": bool(lost) if allowed else won,
        "grundy": None if is_over or not rows.game.is_plain else mex(r["grundy"] for r in allowed),
        "remoteness": None if is_over else 1 + (min(lost) if lost else max(kept, default=-1)),
        "p_mover": 1 - _mean(options, "p_mover") if options else float(won),
        "perfect_loses": min((row["random_wins"] for row, _ in options), default=float(not won)),
        "random_wins": _mean(options, "perfect_loses") if options else float(won),
        "turns": 1 + _mean(options, "turns") if options else 0.0,
    }


def _mean(options: Options, name: str) -> float:
    return fsum(row[name] for row, _ in options) / len(options)
