r"""Type D of the 2 x 2 bases: [v z; u y] with w <= z < w^3, z below v from w^2 on, y < w^w.

Huddleston & Shurman, Transfinite Chomp, section 11, PD1: with the front F = (w\y, w\z) and the top
T = (w^2\u, w^2\v), the position is P exactly if G(F) = G(T). The reply to G(F) < G(T) is not spelt
out in the paper; the bites that can restore equality are listed here, and each is verified.
"""

from collections.abc import Callable, Iterator

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    Ordinal,
    left_sub,
    ordinal_add,
)

Columns = tuple[Ordinal, Ordinal, Ordinal, Ordinal]
"""Heights (u, v, y, z)."""

BlockBite = tuple[int, int, Ordinal]


def is_p(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> bool:
    """PD1 for a type D position with v >= y."""
    return _front(y, z) == _top(u, v)


def verdict(
    u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal, is_p_after: Callable[[Columns], bool]
) -> Decision:
    """Return the verdict on a type D position with v >= y; bites are (x, y, height).

    `is_p_after` decides positions that a bite leaves.
    """
    if is_p(u, v, y, z):
        return Decision.p(Rule.PD1)
    for bite in _candidates(u, v, y, z):
        left = after((u, v, y, z), bite)
        if left is not None and is_p_after(left):
            return Decision.n(Rule.PD1, *bite)
    return Decision.n_without_bite(Rule.PD1, "no bite of the listed kinds restores G(F) = G(T)")


def after(columns: Columns, bite: BlockBite) -> Columns | None:
    """Return the position after a bite of (u, v, y, z); None if there is no such cookie."""
    u, v, y, z = columns
    i, j, h = bite
    if h >= (u, v, y, z)[j + 2 * i]:
        return None
    return (
        u if i or j else min(u, h),
        v if i else min(v, h),
        y if j else min(y, h),
        min(z, h),
    )


def _front(y: Ordinal, z: Ordinal) -> Ordinal:
    return two_wide.grundy(left_sub(OMEGA, y), left_sub(OMEGA, z))


def _top(u: Ordinal, v: Ordinal) -> Ordinal:
    return two_wide.grundy(_cut(u), _cut(v))


def _cut(column: Ordinal) -> Ordinal:
    return left_sub(OMEGA_2, column)


def _candidates(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> Iterator[BlockBite]:
    """Bites that may leave G(F') = G(T'): into the front, into the top, and across both."""
    low_y, low_z = left_sub(OMEGA, y), left_sub(OMEGA, z)
    top = _top(u, v)
    yield 1, 0, ordinal_add(OMEGA, two_wide.left_height(low_z, top))
    inner = two_wide.right_height(low_y, top)
    if inner is not None:
        yield 1, 1, ordinal_add(OMEGA, inner)
    front = two_wide.grundy(low_y, low_z)
    yield 0, 0, ordinal_add(OMEGA_2, two_wide.left_height(_cut(v), front))
    back = two_wide.right_height(_cut(u), front)
    if back is not None:
        yield 0, 1, ordinal_add(OMEGA_2, back)
    if y >= OMEGA_2:
        # A bite of v below y: the columns change roles, y becomes the top's and v the front's.
        turned = _top(u, y)
        yield 0, 1, ordinal_add(OMEGA, two_wide.left_height(low_z, turned))
