"""Bounds that decide positions without their structure: size, the Size Lemma, the Beanstalk Lemma.

Huddleston & Shurman, Transfinite Chomp, section 3, Corollary 5.2 and Proposition 6.1.
"""

from position_oracle.engine.theory.transfinite.decision import Decision, Rule, n_without_bite
from position_oracle.engine.theory.transfinite.ordinal import ONE, Ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.size import size_beside_tower
from position_oracle.schema.errors import ResourceLimitError


def height_bound(position: OrdinalPosition, axis: int) -> Ordinal:
    """Bound the height at which cutting a tall tower over the poison cookie gives P.

    The Size Lemma: H(A, B_0) <= 1 + size(A - (B_0 x Omega)), the tower standing along `axis`.
    """
    beside = size_beside_tower(position, axis)
    return beside + ONE if beside.is_finite else beside


def verdict(position: OrdinalPosition) -> Decision | None:
    """N if some tower over the poison cookie is higher than the Size Lemma allows, else None."""
    for axis, side in enumerate(position.extent):
        try:
            bound = height_bound(position, axis)
        except ResourceLimitError:
            return None
        if side > bound:
            rule = Rule.SIZE_LEMMA if side.is_finite or not bound.is_finite else Rule.BEANSTALK
            return n_without_bite(
                rule, f"axis {axis + 1} must be cut at a height of at most {bound}, not known"
            )
    return None
