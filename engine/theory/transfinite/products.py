"""Products with P-ordered P-positions (Huddleston & Shurman, Transfinite Chomp, Theorem 7.1).

G(X x P) = G(X) for any P-ordered P-position P. The proof shows more: it is enough that all sections
along the axes of P are P-positions within one P-ordered position; such a position is *fibred* over
its section along the other axes. The pairing strategy never leaves the fibred positions.
"""

from collections.abc import Iterator
from itertools import combinations, product

from position_oracle.engine.budget import watched
from position_oracle.engine.theory.transfinite.ordinal import ZERO, Ordinal
from position_oracle.engine.theory.transfinite.p_ordered import is_p_ordered_p, restoring_bite
from position_oracle.engine.theory.transfinite.position import Bite, OrdinalPosition

MAX_SECTIONS = 1_024
"""Maximum number of sections that are checked."""


def fibre_axes(position: OrdinalPosition) -> Iterator[tuple[int, int]]:
    """Yield the pairs of axes along which all sections are P-ordered P-positions."""
    for pair in combinations(range(position.dimension), 2):
        if is_p_ordered_p(position.project(pair)) and not any(broken_sections(position, pair)):
            yield pair


def broken_sections(
    position: OrdinalPosition, pair: tuple[int, int]
) -> Iterator[tuple[tuple[Ordinal, ...], OrdinalPosition]]:
    """Yield the sections along two axes that are not P-ordered P-positions, with their places.

    Sections change only at sides of boxes, so only points whose coordinates are such sides or 0 are
    checked. If there are more than `MAX_SECTIONS`, the first section counts as broken.
    """
    others = [axis for axis in range(position.dimension) if axis not in pair]
    extent = position.extent
    marks = [
        sorted({ZERO, *(box[axis] for box in position.boxes)} - {extent[axis]}) for axis in others
    ]
    count = 1
    for mark in marks:
        count *= len(mark)
    if count > MAX_SECTIONS:
        yield tuple(mark[0] for mark in marks), position.project(pair)
        return
    for point in watched(product(*marks), every=16):
        boxes = [
            tuple(box[axis] for axis in pair)
            for box in position.boxes
            if all(x < box[axis] for x, axis in zip(point, others, strict=True))
        ]
        section = OrdinalPosition.union(boxes)
        if boxes and not is_p_ordered_p(section):
            yield point, section


def restoring_bites(position: OrdinalPosition, pair: tuple[int, int]) -> Iterator[Bite]:
    """Yield bites that restore the first broken section along two axes (pairing strategy)."""
    others = [axis for axis in range(position.dimension) if axis not in pair]
    for point, section in broken_sections(position, pair):
        answer = restoring_bite(section)
        if answer is not None:
            bite = [ZERO] * position.dimension
            for axis, x in zip((*others, *pair), (*point, *answer), strict=True):
                bite[axis] = x
            yield tuple(bite)
            return
