"""Checks of stored Grundy values and remoteness: order and rules.

They use the solvers' order of rows, numbering of boards, and values with one pass fewer.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.moves import options
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.value_layouts import Layout, layout_of
from position_oracle.engine.theory.mex import mex
from position_oracle.schema.digests import ColumnDigest
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.value_rows import read_values

MOVES_LOOKED_AT: Final = 1_000_000
"""Number of moves after which a check of the rules ends, whatever the size of the sample."""

Values = NDArray[np.int32]


def value_checks(snapshot: Snapshot, layout: Layout, kind: str, sample: Sample) -> Iterator[Check]:
    """Check the order of the rows, and the rule of the values on a sample.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    game = layout.game
    values = read_values(snapshot, game.text, kind, check=False)
    if len(values) != layout.count:
        raise CorruptTableError(f"{len(values)} values, {layout.count} positions")
    yield _order(snapshot, layout, kind)
    if game.is_plain:
        yield _rule(layout, kind, values, sample)


def _order(snapshot: Snapshot, layout: Layout, kind: str) -> Check:
    """Check that the coordinates are those of the layout, in its order."""
    expected, found = ColumnDigest(), ColumnDigest()
    for flat, begins in layout.rows():
        expected.update(pa.ListArray.from_arrays(begins, flat))
    for batch in snapshot.stream(kind, layout.game.text, ["coordinates"]):
        current().check()
        found.update(batch.column(0))
    same = found.hexdigest() == expected.hexdigest()
    detail = "" if same else "the coordinates are not those of the layout"
    return Check("rows are in their order", layout.count, detail)


def _rule(layout: Layout, kind: str, values: Values, sample: Sample) -> Check:
    """Check that each value follows from the values of its children, by the rules of the game."""
    follows = mex if kind == "grundy" else _plies
    name = {"grundy": "values are the mex of their moves' values: a sample"}.get(
        kind, "remoteness is one more than that of the right move: a sample"
    )
    fewer = _with_fewer_passes(layout, kind)
    looked_at, count, detail = 0, 0, ""
    for place, coordinates in _drawn(layout, sample):
        children = _children(layout, values, fewer, coordinates)
        count += 1
        looked_at += len(children)
        if (expected := follows(children)) != values[place]:
            detail = f"{list(coordinates)} has {values[place]}, its moves make it {expected}"
            break
        if looked_at > MOVES_LOOKED_AT:
            break
    return Check(name, count, detail)


def _with_fewer_passes(layout: Layout, kind: str) -> Values | None:
    """Return the values with one pass fewer; None without passes."""
    if not layout.game.passes:
        return None
    game = layout.game.with_passes(layout.game.passes - 1)
    return layout_of(game, layout.limit, kind).values(None)


def _drawn(layout: Layout, sample: Sample) -> Iterator[tuple[int, Coordinates]]:
    """Draw positions, and return their indices and coordinates in random order."""
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


def _children(
    layout: Layout, values: Values, fewer: Values | None, coordinates: Coordinates
) -> list[int]:
    """Return the values of all children except that of eating the poison."""
    found = []
    for _, child in options(Position(layout.game, coordinates)):
        place = _place(layout, child.coordinates)
        is_pass = child.game != layout.game
        source = fewer if is_pass and fewer is not None else values
        if place >= 0:
            found.append(int(source[place]))
    return found


def _plies(children: list[int]) -> int:
    """Return the remoteness from those of the children.

    Children of even remoteness are P-positions: a winner hurries to one, a loser delays.
    """
    won = [plies for plies in children if plies % 2 == 0]
    return 1 + (min(won) if won else max(children, default=-1))


def _place(layout: Layout, coordinates: Coordinates) -> int:
    """Return the index of the value of a position; the table may order its heaps."""
    place = layout.place(coordinates)
    if place < 0 and layout.game.heaps:
        place = max(map(layout.place, permutations(coordinates)))
    return place
