"""The bite that leads from a position of transfinite Chomp to another."""

from __future__ import annotations

from position_oracle.engine.theory.boxes import inside
from position_oracle.engine.theory.transfinite.ordinal import ZERO, Ordinal
from position_oracle.engine.theory.transfinite.position import Bite, Box, OrdinalPosition


def bite_between(before: OrdinalPosition, after: OrdinalPosition) -> Bite | None:
    """The cookie whose bite leads from a position to another; None where there is none.

    What a bite v removes has v as its least point, and along each axis v is 0 or a side of a box
    that is left: the largest one below which nothing is removed.
    """
    removed = [box for box in before.boxes if box not in set(after.boxes)]
    if not removed or (after.boxes and after.dimension != before.dimension):
        return None
    place = tuple(_least(axis, removed, after) for axis in range(before.dimension))
    return place if place in before and before.minus(place) == after else None


def _least(axis: int, removed: list[Box], after: OrdinalPosition) -> Ordinal:
    """The largest side along an axis below which all of the removed boxes is left."""
    sides = sorted({box[axis] for box in after.boxes})
    low, high = 0, len(sides)  # sides[:low] have nothing removed below them
    while low < high:
        middle = (low + high) // 2
        if _is_left_below(sides[middle], axis, removed, after):
            low = middle + 1
        else:
            high = middle
    return sides[low - 1] if low else ZERO


def _is_left_below(side: Ordinal, axis: int, removed: list[Box], after: OrdinalPosition) -> bool:
    cut = ((*box[:axis], min(side, box[axis]), *box[axis + 1 :]) for box in removed)
    return all(any(inside(box, other) for other in after.boxes) for box in cut)
