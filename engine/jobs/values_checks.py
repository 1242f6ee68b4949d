"""Checks of stored Grundy values and remoteness: order, rules, other tables, published terms.

Of the solvers they take the order of the rows and the numbering of boards.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Final, cast

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.value_facts import Judge, ValueFacts, Values
from position_oracle.engine.solvers.value_layouts import BLOCK, Layout, layout_of
from position_oracle.engine.theory import nim
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.value_rows import read_coordinates, read_values

MOVES_LOOKED_AT: Final = 1_000_000
"""Moves after which a check of the rules ends, however large the sample."""


def grundy_checks(
    snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
) -> Iterator[Check]:
    """Checks of Grundy values; see `value_checks`."""
    return value_checks(snapshot, layout_of(game, limit, "grundy"), "grundy", sample)


def remoteness_checks(
    snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
) -> Iterator[Check]:
    """Checks of remoteness; see `value_checks`."""
    return value_checks(snapshot, layout_of(game, limit, "remoteness"), "remoteness", sample)


def value_checks(snapshot: Snapshot, layout: Layout, kind: str, sample: Sample) -> Iterator[Check]:
    """Order of the rows, the rule of the values on a sample, zeros, and published terms.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    values = read_values(snapshot, layout.game.text, kind, check=False)
    if len(values) != layout.count:
        raise CorruptTableError(f"{len(values)} values, {layout.count} positions")
    yield _order(snapshot, layout, kind)
    if layout.game.is_plain and not (layout.game.passes and kind == "remoteness"):
        yield _rule(layout, kind, values, sample)
    facts = cast(
        "ValueFacts", import_module(f"position_oracle.engine.jobs.{layout.game.family}.value_facts")
    )
    yield from _zeros(snapshot, layout, kind, values, facts)
    if kind == "grundy":
        yield from facts.published(layout, values)


def _order(snapshot: Snapshot, layout: Layout, kind: str) -> Check:
    """The stored coordinates are those of the layout, in its order; compared block by block."""
    expected, found = (
        _Blocks(layout.rows()),
        _Blocks(read_coordinates(snapshot, layout.game.text, kind)),
    )
    left, same = layout.count, True
    while left and same:
        count = min(BLOCK, left)
        one, other = expected.take(count), found.take(count)
        same = all(map(np.array_equal, one, other))
        left -= count
    same = same and not len(found.take(1)[1])
    detail = "" if same else "the coordinates are not those of the layout"
    return Check("rows are in their order", not detail, layout.count, detail)


class _Blocks:
    """Positions that come in blocks, taken in blocks of another size."""

    def __init__(self, blocks: Iterator[tuple[Values, Values]]) -> None:
        self._blocks = blocks
        self._flat: Values = np.empty(0, np.int32)
        self._lengths: Values = np.empty(0, np.int32)

    def take(self, count: int) -> tuple[Values, Values]:
        """The coordinates of the next positions, and their lengths; fewer where there are fewer."""
        flats, lengths, missing = [self._flat], [self._lengths], count - len(self._lengths)
        while missing > 0 and (block := next(self._blocks, None)) is not None:
            flats.append(block[0])
            lengths.append(np.diff(block[1]))
            missing -= len(lengths[-1])
        flat, length = np.concatenate(flats), np.concatenate(lengths)
        end = int(length[:count].sum())
        self._flat, self._lengths = flat[end:], length[count:]
        return flat[:end], length[:count]


def _rule(layout: Layout, kind: str, values: Values, sample: Sample) -> Check:
    """Each value is what those of the moves make it, by the rules of the game."""
    follows = _mex if kind == "grundy" else _plies
    name = {"grundy": "values are the mex of their moves' values: a sample"}.get(
        kind, "remoteness is one more than that of the right move: a sample"
    )
    positions = _drawn(layout, sample)
    looked_at, count, detail = 0, 0, ""
    for place, coordinates in positions:
        children = _children(layout, values, coordinates)
        count += 1
        looked_at += len(children)
        if (expected := follows(children)) != values[place]:
            detail = f"{list(coordinates)} has {values[place]}, its moves make it {expected}"
            break
        if looked_at > MOVES_LOOKED_AT:
            break
    return Check(name, not detail, count, detail)


def _drawn(layout: Layout, sample: Sample) -> Iterator[tuple[int, Coordinates]]:
    """Places and coordinates of positions drawn, in random order."""
    generator = np.random.default_rng(sample.seed)
    chosen = generator.choice(layout.count, min(sample.draws, layout.count), replace=False)
    found: dict[int, Coordinates] = {}
    first = 0
    for flat, begins in layout.rows():
        here = chosen[(chosen >= first) & (chosen < first + len(begins) - 1)]
        for place in here.tolist():
            begin, end = begins[place - first : place - first + 2]
            found[place] = tuple(flat[begin:end].tolist())
        first += len(begins) - 1
    for place in chosen.tolist():
        yield place, found[place]


def _children(layout: Layout, values: Values, coordinates: Coordinates) -> list[int]:
    """Values of all moves but the one that eats the poison; a pass leads to a nim-sum."""
    game = layout.game
    moves = list(rules_of(game.family).moves(Position(game, coordinates)))
    places = [layout.place(move.child.coordinates) for move in moves if not move.is_pass]
    passed = [nim.grundy(coordinates) for move in moves if move.is_pass]
    return [int(values[place]) for place in places if place >= 0] + passed


def _mex(children: list[int]) -> int:
    present = set(children)
    return next(value for value in range(len(children) + 1) if value not in present)


def _plies(children: list[int]) -> int:
    """P-positions have even remoteness: the winner takes the shortest, the loser the longest."""
    won = [plies for plies in children if plies % 2 == 0]
    return 1 + (min(won) if won else max(children, default=-1))


def _zeros(
    snapshot: Snapshot, layout: Layout, kind: str, values: Values, facts: ValueFacts
) -> Iterator[Check]:
    """Values are 0, and remoteness even, exactly at the P-positions of other tables."""
    if not layout.game.is_plain:
        return
    what = "value is 0" if kind == "grundy" else "remoteness is even"
    for source, judge in facts.judges(snapshot, layout.game):
        count, detail = _compared(layout, kind, values, judge)
        name = f"the {what} exactly at the P-positions of {source}"
        yield Check(name, not detail, count, detail)


def _compared(layout: Layout, kind: str, values: Values, judge: Judge) -> tuple[int, str]:
    """How many positions a judge knows, and the first whose value is another, in words."""
    count, first = 0, 0
    for flat, begins in layout.rows():
        current().check()
        lengths = np.diff(begins)
        block = values[first : first + len(lengths)]
        first += len(lengths)
        asked, expected = judge(flat, lengths)
        count += len(expected)
        is_p = block == 0 if kind == "grundy" else block % 2 == 0
        wrong = np.flatnonzero(asked)[is_p[asked] != expected]
        if len(wrong):
            begin, end = begins[wrong[0] : wrong[0] + 2]
            return count, f"at {flat[begin:end].tolist()}"
    return count, ""
