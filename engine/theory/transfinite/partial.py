"""Rules that decide single positions without a general theory: small searches and bounds.

Each rule takes a position and returns a verdict, or None if it does not apply. The bounds are the
Size Lemma and the Beanstalk Lemma (Huddleston & Shurman, Transfinite Chomp, section 3, Corollary
5.2 and Proposition 6.1).
"""

from bisect import bisect_left
from functools import lru_cache

from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.finite import MAX_CELLS, FiniteSearch, few_cells
from position_oracle.engine.theory.transfinite.ordinal import ONE, ordinal_add
from position_oracle.engine.theory.transfinite.position import OrdinalPosition, along_axes
from position_oracle.engine.theory.transfinite.size import size_beside_tower
from position_oracle.schema.errors import ResourceLimitError


def searched(position: OrdinalPosition) -> Decision | None:
    """Search a small finite position exhaustively."""
    if few_cells(position) is None:
        return None
    search = FiniteSearch(position)
    try:
        if search.is_p(search.whole):
            return Decision.p(Rule.FINITE)
        bite = search.winning_bite(search.whole)
    except ResourceLimitError:
        return None
    return None if bite is None else Decision.n(Rule.FINITE, *bite)


def cut_finite(position: OrdinalPosition) -> Decision | None:
    """Return a cut at a finite height that leaves a small finite P-position (Theorem 5.1)."""
    for axis, side in enumerate(position.extent):

        def cut(height: int, axis: int = axis) -> OrdinalPosition:
            return position.minus(along_axes((height,), (axis,), position.dimension))

        heights = range(1, MAX_CELLS + 1 if side > MAX_CELLS else int(side))
        fitting = bisect_left(heights, True, key=lambda height: few_cells(cut(height)) is None)
        height = _height_of_p(cut(fitting), axis) if fitting else None
        if height is not None:
            return Decision.n(Rule.FINITE, *along_axes((height,), (axis,), position.dimension))
    return None


@lru_cache(maxsize=1024)
def _height_of_p(position: OrdinalPosition, axis: int) -> int | None:
    """Return the least height at which a cut leaves a P-position, or the height of a P-position.

    Cached, because infinite positions of which only ends differ have equal cuts. None also if the
    search is too large.
    """
    search = FiniteSearch(position)
    try:
        for height in range(1, int(position.extent[axis]) + 1):
            cut = position.minus(along_axes((height,), (axis,), position.dimension))
            if search.is_p(search.mask(cut)):
                return height
    except ResourceLimitError:
        pass
    return None


def bounded(position: OrdinalPosition) -> Decision | None:
    """Return N if some tower over the poison is higher than the Size Lemma allows.

    Cutting a tall tower gives P at a height H(A, B_0) <= 1 + size(A - (B_0 x Omega)).
    """
    for axis, side in enumerate(position.extent):
        try:
            bound = ordinal_add(ONE, size_beside_tower(position, axis))
        except ResourceLimitError:
            return None
        if side > bound:
            rule = Rule.SIZE_LEMMA if side.is_finite or not bound.is_finite else Rule.BEANSTALK
            return Decision.n_without_bite(
                rule, f"axis {axis + 1} must be cut at a height of at most {bound}, not known"
            )
    return None


def stolen(position: OrdinalPosition) -> Decision | None:
    """Return N for a box with a last cookie.

    If biting the last cookie loses, the first player can make the winning reply as the first bite.
    """
    if len(position.boxes) > 1 or any(side.is_limit for side in position.boxes[0]):
        return None
    return Decision.n_without_bite(
        Rule.STEALING, "the box has a last cookie, so some bite wins; which one is not known"
    )
