"""P-ordered P-positions, products with them, and orthogonal sums of parts.

Huddleston & Shurman, Transfinite Chomp, section 7: up to congruence the P-ordered P-positions are
2 x w, (1 x (i+1)) + (2 x i) for finite i, and (1 x a) + (a x 1); congruence permutes axes and adds
or drops axes of length 1. Section 4: parts that share only the poison cookie play like a sum of
their games in which the poison may not be eaten.

G(X x P) = G(X) for any P-ordered P-position P (Theorem 7.1). The proof shows more: it is enough
that all sections along the axes of P are P-positions within one P-ordered position; such a position
is *fibred* over its section along the other axes. The pairing strategy never leaves the fibred
positions.
"""

from collections.abc import Iterator
from itertools import combinations, product
from math import prod

from position_oracle.engine.budget import watched
from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.ordinal import ONE, ZERO, Ordinal, left_sub, natural
from position_oracle.engine.theory.transfinite.position import Bite, OrdinalPosition, along_axes

MAX_SECTIONS = 1_024
"""Maximum number of sections that are checked."""


def wide_axes(position: OrdinalPosition) -> tuple[int, ...]:
    """Return the axes along which the position is longer than 1."""
    return tuple(axis for axis, side in enumerate(position.extent) if side > ONE)


def is_p_ordered_p(position: OrdinalPosition) -> bool:
    """Return whether the position is a P-ordered P-position, up to congruence."""
    if position.is_empty:
        return False
    axes = wide_axes(position)
    if not axes:
        return True
    if len(axes) != 2:
        return False
    flat = position.project(axes)
    return (
        flat.extent[0] == flat.extent[1]
        and len(flat.boxes) == 2
        and all(ONE in box for box in flat.boxes)
    ) or any(_is_two_wide_p(side) for side in (flat, flat.permute((1, 0))))


def _is_two_wide_p(flat: OrdinalPosition) -> bool:
    return flat.extent[0] == 2 and two_wide.is_p(flat.height(0), flat.height(1))


def restoring_bite(position: OrdinalPosition) -> Bite | None:
    """Return a bite to a P-ordered P-position from a position with at most two wide axes."""
    axes = wide_axes(position)
    if is_p_ordered_p(position) or position.is_empty or len(axes) > 2:
        return None
    found = (ONE,) if len(axes) == 1 else _flat_bite(position.project(axes))
    return found and along_axes(found, axes, position.dimension)


def _flat_bite(flat: OrdinalPosition) -> Bite | None:
    width, height = flat.extent
    if (ONE, ONE) not in flat:
        return (ZERO, width) if width < height else (height, ZERO)
    if width == height:
        return ONE, ONE
    for turned, (first, second) in ((False, (width, height)), (True, (height, width))):
        if first == 2:
            columns = flat.permute((1, 0)) if turned else flat
            bite = two_wide.bite_to(second, columns.height(1), 1)
            if bite is not None:
                column, at = natural(bite[0]), bite[1]
                return (at, column) if turned else (column, at)
    return None


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
    if prod(map(len, marks)) > MAX_SECTIONS:
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


def bite_to_fibred(position: OrdinalPosition, pair: tuple[int, int]) -> Bite | None:
    """Return a bite that restores a broken section along two axes (pairing strategy)."""
    others = [axis for axis in range(position.dimension) if axis not in pair]
    for point, section in broken_sections(position, pair):
        answer = restoring_bite(section)
        if answer is not None:
            return along_axes((*point, *answer), (*others, *pair), position.dimension)
    return None


def orthogonal_parts(position: OrdinalPosition) -> list[tuple[int, ...]]:
    """Return the finest partition of the wide axes into parts that share only the poison cookie."""
    parts: list[set[int]] = []
    for box in position.boxes:
        joined = {axis for axis, side in enumerate(box) if side > ONE}
        for part in [part for part in parts if part & joined]:
            parts.remove(part)
            joined |= part
        if joined:
            parts.append(joined)
    return sorted(tuple(sorted(part)) for part in parts)


def restricted(value: Ordinal) -> Ordinal:
    """Return the value if the poison cannot be eaten, from the unrestricted one (section 4)."""
    return left_sub(ONE, value)


def unrestricted(value: Ordinal) -> Ordinal:
    """Return the unrestricted value: one more if finite, equal from w on."""
    return value + 1 if value.is_finite else value
