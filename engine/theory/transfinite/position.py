"""Positions of transfinite Chomp: finite unions of boxes at the origin, in any dimension.

A box v_1 x ... x v_d is the set of points x with x_i < v_i. A position is kept as the antichain of
its maximal boxes, in ascending order, which is unique (Huddleston & Shurman, Transfinite Chomp,
introduction). A bite v removes every point x with x_i >= v_i for all i; it is legal if the cookie
v is there, the poison cookie at the origin included (then the biter loses).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from position_oracle.engine.theory import boxes
from position_oracle.engine.theory.transfinite.ordinal import ZERO, Ordinal
from position_oracle.schema.errors import InvalidPositionError

Box = tuple[Ordinal, ...]
Bite = tuple[Ordinal, ...]
Side = Ordinal | int


@dataclass(frozen=True, slots=True)
class OrdinalPosition:
    """A position in its unique normal form; make one with `OrdinalPosition.union`.

    `boxes` are the maximal boxes, ascending; the empty position has no boxes and no dimension.
    """

    boxes: tuple[Box, ...] = ()

    @classmethod
    def union(cls, given: Iterable[Sequence[Side]]) -> OrdinalPosition:
        """Return the union of boxes given by their sides; boxes with a side 0 are dropped.

        Raises:
            InvalidPositionError: if boxes differ in dimension, have no side or a negative one.
        """
        made = [tuple(Ordinal.of(side) for side in box) for box in given]
        if len({len(box) for box in made}) > 1 or not all(made):
            raise InvalidPositionError("all boxes must have the same number of sides, at least one")
        return cls(boxes.maximal([box for box in made if all(side.terms for side in box)]))

    @classmethod
    def box(cls, *sides: Side) -> OrdinalPosition:
        """Return the box with these sides."""
        return cls.union([sides])

    @classmethod
    def columns(cls, *heights: Side) -> OrdinalPosition:
        """Return the two-dimensional position with these column heights, which do not increase."""
        return cls.union((column, height) for column, height in enumerate(heights, start=1))

    @classmethod
    def birds_eye(cls, v: Side, z: Side, u: Side, y: Side) -> OrdinalPosition:
        """Return the 2 x 2 position [v z; u y]: u at (0,0), v at (0,1), y at (1,0), z at (1,1).

        Raises:
            InvalidPositionError: unless u >= v >= z and u >= y >= z.
        """
        v, z, u, y = Ordinal.of(v), Ordinal.of(z), Ordinal.of(u), Ordinal.of(y)
        if max(v, y) > u or z > min(v, y):
            raise InvalidPositionError(
                f"[{v} {z}; {u} {y}]: u must be the highest column and z the lowest"
            )
        return cls.union([(1, 1, u), (1, 2, v), (2, 1, y), (2, 2, z)])

    @property
    def dimension(self) -> int:
        """The number of axes; 0 for the empty position."""
        return len(self.boxes[0]) if self.boxes else 0

    @property
    def is_empty(self) -> bool:
        """Whether the position is empty."""
        return not self.boxes

    @property
    def is_finite(self) -> bool:
        """Whether all sides are finite."""
        return all(side.is_finite for box in self.boxes for side in box)

    @property
    def extent(self) -> Box:
        """The largest side along each axis: the smallest box that contains the position."""
        return tuple(max(sides) for sides in zip(*self.boxes, strict=True))

    def __contains__(self, point: Sequence[Side]) -> bool:
        return len(point) == self.dimension and boxes.has(self.boxes, point)

    def bite(self, at: Sequence[Side]) -> OrdinalPosition:
        """Return the position after the bite at this cookie.

        Raises:
            InvalidPositionError: if there is no such cookie.
        """
        point = tuple(Ordinal.of(x) for x in at)
        if point not in self:
            raise InvalidPositionError(f"no cookie at ({', '.join(map(str, point))}) in {self}")
        return self.minus(point)

    def minus(self, at: Bite) -> OrdinalPosition:
        """Return the difference X - v, whether or not the bite is legal (section 5 uses both)."""
        return OrdinalPosition(boxes.bitten(self.boxes, at))

    def permute(self, axes: Sequence[int]) -> OrdinalPosition:
        """Return the congruent position whose axis i is this one's axis axes[i]."""
        return OrdinalPosition(
            tuple(sorted(tuple(box[axis] for axis in axes) for box in self.boxes))
        )

    def project(self, axes: Sequence[int]) -> OrdinalPosition:
        """Return the section through the origin along the given axes, in their order."""
        return OrdinalPosition(
            boxes.maximal([tuple(box[axis] for axis in axes) for box in self.boxes])
        )

    def height(self, *base: Side) -> Ordinal:
        """Return the height of the column over a point of the first d-1 axes; 0 if none."""
        return max(
            (b[-1] for b in self.boxes if all(x < s for x, s in zip(base, b, strict=False))),
            default=ZERO,
        )

    def __str__(self) -> str:
        from position_oracle.engine.theory.transfinite.position_text import format_position

        return format_position(self)


EMPTY = OrdinalPosition()


def along_axes(coordinates: Iterable[Side], axes: Iterable[int], dimension: int) -> Bite:
    """Return the bite with these coordinates along some axes, and 0 along all others."""
    whole = [ZERO] * dimension
    for axis, x in zip(axes, coordinates, strict=True):
        whole[axis] = Ordinal.of(x)
    return tuple(whole)
