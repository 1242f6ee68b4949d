"""Finite unions of boxes at the origin: boards of Chomp in any number of dimensions.

A box with sides v_1, ..., v_d is the set of the points x with x_i < v_i for all i; sides are whole
numbers or ordinals, and none is 0. A union has a unique form: the boxes that are inside no other
box, ascending (Huddleston & Shurman, Transfinite Chomp, introduction).
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import prod
from operator import le, lt
from typing import Any, TypeVar

SideT = TypeVar("SideT", bound=Any)


def inside(box: Sequence[SideT], other: Sequence[SideT]) -> bool:
    """Return whether a box is inside another with the same number of sides."""
    return all(map(le, box, other))


def has(boxes: Iterable[Sequence[SideT]], point: Sequence[SideT]) -> bool:
    """Return whether a point is in a union of boxes with as many sides."""
    return any(all(map(lt, point, box)) for box in boxes)


def maximal(
    boxes: Iterable[tuple[SideT, ...]], most: int | None = None
) -> tuple[tuple[SideT, ...], ...]:
    """Return the boxes that are inside no other box, ascending, each once.

    Args:
        boxes: some boxes.
        most: maximum number of boxes; if there are more, some are missing.

    >>> maximal([(1, 3), (2, 2), (1, 2)])
    ((1, 3), (2, 2))
    """
    kept: list[tuple[SideT, ...]] = []
    for box in sorted(set(boxes), reverse=True):  # what contains a box comes before it
        # In the plane each box that is kept is higher than all before.
        others = kept[-1:] if len(box) == 2 else kept
        if not any(inside(box, other) for other in others):
            kept.append(box)
            if most is not None and len(kept) > most:
                break
    return tuple(reversed(kept))


def bitten(
    boxes: Iterable[tuple[SideT, ...]], at: Sequence[SideT]
) -> tuple[tuple[SideT, ...], ...]:
    """Return the boxes after a bite, without all points x with x_i >= at_i.

    A box with the cookie leaves a piece along each axis i, with the side at_i there and longer
    sides elsewhere. So only pieces along the same axis, or a box with the side at_i, contain it.

    Args:
        boxes: a union in its unique form.
        at: the cookie.

    >>> bitten([(3, 3)], (1, 2))
    ((1, 3), (3, 2))
    """
    left: list[tuple[SideT, ...]] = []
    hit: list[tuple[SideT, ...]] = []
    for box in boxes:
        (hit if all(map(lt, at, box)) else left).append(box)
    pieces = []
    for axis, x in enumerate(at):
        if x:
            others = [box for box in left if box[axis] == x]
            along = maximal((*box[:axis], x, *box[axis + 1 :]) for box in hit)
            pieces += [each for each in along if not any(inside(each, box) for box in others)]
    return tuple(sorted(left + pieces))


def points_of(boxes: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yield the points of a union of finite boxes, ascending, each once."""
    if boxes and not boxes[0]:
        yield ()
        return
    for x in range(max((box[0] for box in boxes), default=0)):
        for rest in points_of([box[1:] for box in boxes if box[0] > x]):
            yield (x, *rest)


def few_points(boxes: Sequence[Sequence[int]], most: int) -> list[tuple[int, ...]] | None:
    """Return the points of a union of finite boxes, ascending; None if there are more than `most`.

    >>> few_points([(1, 2), (2, 1)], 3), few_points([(9, 9)], 80)
    ([(0, 0), (0, 1), (1, 0)], None)
    """
    if any(prod(box) > most for box in boxes):
        return None
    points = list(islice(points_of(boxes), most + 1))
    return points if len(points) <= most else None


def bite_between(
    before: Sequence[tuple[SideT, ...]], after: Sequence[tuple[SideT, ...]], zero: SideT
) -> tuple[SideT, ...] | None:
    """Return the cookie whose bite leads from one union to another; None if there is none.

    The removed points have v as their least point. Along each axis v is 0 or a side of a box that
    is left: the largest side below which nothing is removed.

    >>> bite_between([(3, 3)], [(1, 3), (3, 2)], 0)
    (1, 2)
    """
    removed = [box for box in before if box not in set(after)]
    if not removed or any(len(box) != len(removed[0]) for box in after):
        return None
    place = tuple(_least(axis, removed, after, zero) for axis in range(len(removed[0])))
    return place if has(before, place) and bitten(before, place) == tuple(after) else None


def _least(
    axis: int, removed: list[tuple[SideT, ...]], after: Sequence[tuple[SideT, ...]], zero: SideT
) -> SideT:
    """Return the largest side along an axis below which the removed boxes are left entirely."""

    def is_removed_below(side: SideT) -> bool:
        cut = ((*box[:axis], min(side, box[axis]), *box[axis + 1 :]) for box in removed)
        return not all(any(inside(box, other) for other in after) for box in cut)

    sides = sorted({box[axis] for box in after})
    low = bisect_left(sides, True, key=is_removed_below)
    return sides[low - 1] if low else zero
