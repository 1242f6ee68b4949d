"""P-ordered P-positions, and positions that are orthogonal sums of parts.

Huddleston & Shurman, Transfinite Chomp, section 7: up to congruence the P-ordered P-positions are
2 x w, (1 x (i+1)) + (2 x i) for finite i, and (1 x a) + (a x 1); congruence permutes axes and adds
or drops axes of length 1. Section 4: parts that share only the poison cookie play like a sum of
their games in which the poison may not be eaten.
"""

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.ordinal import ONE, ZERO, Ordinal, left_sub, natural
from position_oracle.engine.theory.transfinite.position import Bite, OrdinalPosition


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
    bite = [ZERO] * position.dimension
    if len(axes) == 1:
        bite[axes[0]] = ONE
        return tuple(bite)
    flat = position.project(axes)
    found = _flat_bite(flat)
    if found is None:
        return None
    bite[axes[0]], bite[axes[1]] = found
    return tuple(bite)


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


def sum_grundy(values: list[Ordinal]) -> Ordinal:
    """Return the Grundy value of an orthogonal sum of parts with these values, all at least 1."""
    total = ZERO
    for value in values:
        total = total ^ restricted(value)
    return unrestricted(total)


def restricted(value: Ordinal) -> Ordinal:
    """Return the value if the poison cannot be eaten, from the unrestricted one (section 4)."""
    return left_sub(ONE, value)


def unrestricted(value: Ordinal) -> Ordinal:
    """Return the unrestricted value: one more if finite, equal from w on."""
    return value + 1 if value.is_finite else value
