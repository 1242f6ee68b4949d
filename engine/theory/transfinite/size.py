"""The ordinal size of a position (Huddleston & Shurman, Transfinite Chomp, section 2).

Every side is cut into powers of w, and every box into translated cells whose sides are such powers;
cells inside larger cells are dropped, and the sizes of the rest are added naturally. Equal
consecutive powers are processed together as a *run*, so large coefficients cost no time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

from position_oracle.engine.budget import watched
from position_oracle.engine.theory.transfinite.ordinal import ONE, ZERO, Ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.schema.errors import ResourceLimitError

MAX_CELLS = 100_000
"""Maximum number of cells that are added up."""


@dataclass(frozen=True, slots=True)
class _Run:
    """`count` consecutive intervals of length w^exponent on one axis.

    `first` says that they begin at 0; `same` and `within` are the boxes, as bits of their indices,
    that have the same run on this axis or a longer interval that contains it.
    """

    exponent: Ordinal
    count: int
    first: bool
    same: int
    within: int


def size(position: OrdinalPosition) -> Ordinal:
    """Return the size of a position: its number of points if finite; 0 if empty.

    Raises:
        ResourceLimitError: if the boxes cut each other into more than `MAX_CELLS` cells.
    """
    if len(position.boxes) == 1:
        return prod(position.boxes[0], start=ONE)
    return _total(_cells(position))


def size_beside_tower(position: OrdinalPosition, axis: int) -> Ordinal:
    """Return the size without the tower over the poison along one axis (Corollary 5.2).

    Raises:
        ResourceLimitError: if the boxes cut each other into more than `MAX_CELLS` cells.
    """
    others = [i for i in range(position.dimension) if i != axis]
    total: list[tuple[Ordinal, int]] = []
    for exponent, count, cell in _cells(position):
        # The tower takes one point of a longer interval, which does not change its size.
        tower = all(cell[i].first and not cell[i].exponent.terms for i in others)
        total.append((exponent, count - (cell[axis].count if tower else 0)))
    return _total((exponent, count, ()) for exponent, count in total)


def _cells(position: OrdinalPosition) -> Iterator[tuple[Ordinal, int, tuple[_Run, ...]]]:
    """Yield the cells that count, in batches: (exponent of the size of each, number, runs)."""
    axes = [
        [_side_runs(side, sides) for side in sides] for sides in zip(*position.boxes, strict=True)
    ]
    count = sum(prod(len(runs[i]) for runs in axes) for i in range(len(position.boxes)))
    if count > MAX_CELLS:
        raise ResourceLimitError(
            f"the size is a sum of {count:,} terms; the limit is {MAX_CELLS:,}"
        )
    for index in range(len(position.boxes)):
        for cell in watched(product(*(runs[index] for runs in axes))):
            if _counts(cell, index):
                exponent, count = ZERO, 1
                for run in cell:
                    exponent, count = exponent + run.exponent, count * run.count
                yield exponent, count, cell


def _total(cells: Iterable[tuple[Ordinal, int, tuple[_Run, ...]]]) -> Ordinal:
    total: dict[Ordinal, int] = {}
    for exponent, count, _ in cells:
        total[exponent] = total.get(exponent, 0) + count
    terms = sorted(((e, c) for e, c in total.items() if c), reverse=True)
    return Ordinal(tuple(terms))


def _counts(cell: tuple[_Run, ...], index: int) -> bool:
    """Return whether a cell of box `index` is in no larger cell and in no earlier box."""
    covered = same = -1
    for run in cell:
        covered &= run.same | run.within
        same &= run.same
    return not covered & ~same and not same & ((1 << index) - 1)


def _side_runs(side: Ordinal, sides: tuple[Ordinal, ...]) -> list[_Run]:
    """Return the runs of a side on one axis, each equal to a run of another side or disjoint."""
    runs: list[_Run] = []
    for exponent, coefficient in side.terms:
        start = side.above(exponent)
        prefixes = [other.above(exponent) for other in sides]
        aligned = [
            (1 << index, sides[index].coefficient(exponent))
            for index, prefix in enumerate(prefixes)
            if prefix == start
        ]
        # A longer side has a longer interval at the place of this run.
        within = sum(1 << index for index, prefix in enumerate(prefixes) if prefix > start)
        edges = [0, *sorted({cut for _, cut in aligned if 0 < cut <= coefficient})]
        for low, high in pairwise(edges):
            same = sum(bit for bit, cut in aligned if cut >= high)
            first = not start.terms and low == 0
            runs.append(_Run(exponent, high - low, first, same, within))
    return runs
