"""Checks of stored Grundy values and remoteness: order, rules, other tables, published terms.

Of the solvers they take the order of the rows and the numbering of boards.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.games.position import Position
from engine.games.registry import rules_of
from engine.games.spec import Coordinates, GameSpec
from engine.jobs.heap_table import read_z
from engine.jobs.report import Check, Sample
from engine.solvers.boards import OutcomeTable, under
from engine.solvers.value_layouts import Layout, layout_of
from engine.theory import nim, wythoff
from schema.boards import read_boards
from schema.errors import CorruptTableError
from schema.snapshot import Snapshot
from schema.value_rows import read_coordinates, read_values

RECTANGLES: Final = (2, 4, 5, 9, 11, 12, 13, 16, 19, 21, 24, 26, 28, 31, 32, 35, 36, 39, 42, 41)
"""A069001: Grundy values of the 3 x n rectangles, n = 1, 2, ..., where poison is not eaten."""

EQUAL_HEAPS: Final = (0, 2, 1, 6, 7, 8, 3, 5, 4, 16, 14, 15, 10, 9, 11, 20, 13, 21, 12, 25)
"""A047708: Grundy values of Wythoff's game with heaps (n, n)."""

MOVES_LOOKED_AT: Final = 1_000_000
"""Moves after which a check of the rules ends, however large the sample."""

Values = NDArray[np.int32]


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
    yield from _zeros(snapshot, layout, kind, values)
    if kind == "grundy":
        yield from _published(layout, values)


def _order(snapshot: Snapshot, layout: Layout, kind: str) -> Check:
    """The stored coordinates are those of the layout, in its order."""
    expected = _flat(layout.rows())
    found = _flat(read_coordinates(snapshot, layout.game.text, kind))
    same = all(np.array_equal(*pair) for pair in zip(expected, found, strict=True))
    detail = "" if same else "the coordinates are not those of the layout"
    return Check("rows are in their order", not detail, layout.count, detail)


def _flat(blocks: Iterator[tuple[Values, Values]]) -> tuple[Values, Values]:
    """All coordinates one after the other, and the lengths of the positions."""
    parts = [(flat, np.diff(begins)) for flat, begins in blocks]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


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
    flat, lengths = _flat(layout.rows())
    ends = np.cumsum(lengths)
    for place in chosen.tolist():
        yield place, tuple(flat[ends[place] - lengths[place] : ends[place]].tolist())


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


def _zeros(snapshot: Snapshot, layout: Layout, kind: str, values: Values) -> Iterator[Check]:
    """Values are 0, and remoteness even, exactly at the P-positions of other tables."""
    if not layout.game.is_plain:
        return
    is_p = values == 0 if kind == "grundy" else values % 2 == 0
    flat, lengths = _flat(layout.rows())
    what = "value is 0" if kind == "grundy" else "remoteness is even"
    for source, asked, expected in _outcomes(snapshot, layout, flat, lengths):
        wrong = np.flatnonzero(is_p[asked] != expected)
        detail = ""
        if len(wrong):
            place = int(np.flatnonzero(asked)[wrong[0]])
            end = int(lengths[: place + 1].sum())
            detail = f"at {flat[end - lengths[place] : end].tolist()}"
        yield Check(
            f"the {what} exactly at the P-positions of {source}", not detail, len(expected), detail
        )


Outcomes = tuple[str, NDArray[np.bool_], NDArray[np.bool_]]
"""Where they come from, which positions are known there, and which of those are P."""


def _outcomes(
    snapshot: Snapshot, layout: Layout, flat: Values, lengths: Values
) -> Iterator[Outcomes]:
    game = layout.game
    kinds = {record.kind for record in snapshot.builds() if record.game == game.text}
    if game.family == "chomp":
        if "outcomes" in kinds:
            yield from _board_outcomes(snapshot, game, flat, lengths)
        return
    positions = flat.reshape(len(lengths), -1).astype(np.int64)
    if game.family == "chomp3" and "sheets" in kinds:
        sheets = snapshot.read_sheets(game.text, check=False)
        inside = positions[:, 0] < len(sheets)
        x, y, z = positions[inside].T
        yield "the loser sheets", inside, sheets.look_up(x, y) == z
    if game.heaps == 3 and "sheets" in kinds:
        table = read_z(snapshot, game)
        inside = np.asarray(np.less(positions[:, :2], table.shape).all(axis=1))
        x, y, z = positions[inside].T
        yield "the loser sheets", inside, np.equal(table[x, y], z)
    everywhere = np.ones(len(positions), np.bool_)
    if game.family == "nim" and not game.passes:
        yield "Bouton's theorem", everywhere, nim.is_p_position_batch(positions)
    if game.family == "wythoff" and game.heaps == 2:
        yield "Wythoff's theorem", everywhere, wythoff.is_p_position_batch(positions)


def _board_outcomes(
    snapshot: Snapshot, game: GameSpec, flat: Values, lengths: Values
) -> Iterator[Outcomes]:
    width = int(lengths.max())
    boards = np.zeros((len(lengths), width), np.int64)
    boards[np.arange(width) < lengths[:, np.newaxis]] = flat
    for stored in read_boards(snapshot, game.text, check=False):
        shape = under(stored.outer.row_lengths)
        rows = np.zeros(max(width, shape.rows), np.int64)
        rows[: shape.rows] = shape.limits
        inside = np.asarray(np.less_equal(boards, rows[:width]).all(axis=1))
        fitting = boards[inside][:, : shape.rows]
        outcomes = OutcomeTable.of_p_ranks(shape, stored.p_ranks).outcomes(fitting)
        yield f"the boards inside {stored.outer.name}", inside, outcomes == 1


def _published(layout: Layout, values: Values) -> Iterator[Check]:
    if layout.game.family == "chomp3":
        columns = range(1, min(len(RECTANGLES), layout.sides[0]) + 1)
        found = [int(values[layout.place((n, 0, 0))]) for n in columns]
        yield _terms("values of the 3 x n rectangles (A069001)", found, RECTANGLES)
    if layout.game.family == "wythoff" and layout.game.heaps == 2:
        heaps = range(min(len(EQUAL_HEAPS), min(layout.sides) + 1))
        found = [int(values[layout.place((n, n))]) for n in heaps]
        yield _terms("values of equal heaps (A047708)", found, EQUAL_HEAPS)


def _terms(name: str, found: list[int], expected: tuple[int, ...]) -> Check:
    same = found == list(expected[: len(found)])
    return Check(name, same, len(found), "" if same else f"they are {found}")
