"""Decide a position: choose the theorem that applies, and give its verdict with size and bite.

Cheap and complete theorems come before partial ones: axes of length 1 are dropped, orthogonal parts
are summed, two- and three-wide positions, products, 2 x 2 bases, exhaustive search of small finite
positions, finite cuts, and last the bounds that decide without giving a bite. Nothing is guessed:
if no theorem applies, the outcome is unknown and the reason says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import xor

from position_oracle.engine.budget import current
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite import (
    p_ordered,
    partial,
    three_wide,
    two_by_two,
    two_wide,
)
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_3,
    OMEGA_OMEGA,
    ZERO,
    Ordinal,
    natural,
)
from position_oracle.engine.theory.transfinite.position import Bite, OrdinalPosition, along_axes
from position_oracle.engine.theory.transfinite.size import size
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError
from position_oracle.schema.sheets import LoserSheets

_TALL = (OMEGA, OMEGA_2, OMEGA_3, OMEGA_OMEGA)
_FEW_BOXES = 8
MAX_DIMENSION = 12
"""Maximum number of axes longer than 1 of a position that is decided."""


def decide(position: OrdinalPosition, sheets: LoserSheets | None = None) -> Decision:
    """Return the verdict on a position, with its size (None if that takes too long).

    `sheets` are the loser sheets of three-row Chomp for three-wide positions; by default the sheets
    x < 128 are computed and cached. Bites have one coordinate for each axis.
    """
    found = _decide(position, _Known(loser_sheets() if sheets is None else sheets))
    try:
        return replace(found, size=size(position))
    except ResourceLimitError:
        return found


@dataclass(frozen=True, slots=True)
class _Known:
    """Resources of rules: the sheets, and whether searches and cuts may still be tried."""

    sheets: LoserSheets
    shallow: bool = False


def _decide(position: OrdinalPosition, known: _Known) -> Decision:
    current().check()
    if position.is_empty:
        return replace(
            Decision.n_without_bite(
                Rule.EMPTY, "the poison cookie is eaten: the player to move has won"
            ),
            grundy=ZERO,
        )
    axes = p_ordered.wide_axes(position)
    if not axes:
        return Decision.p(Rule.P_ORDERED)
    if len(axes) > MAX_DIMENSION:
        return Decision.unknown(
            f"{len(axes)} axes longer than 1: at most {MAX_DIMENSION} are decided"
        )
    if len(axes) < position.dimension:
        return _on_axes(position, axes, known)
    parts = p_ordered.orthogonal_parts(position)
    if len(parts) > 1:
        return _sum_of_parts(position, parts, known)
    try:
        return _connected(position, known)
    except UnknownAnswerError as error:
        return Decision.unknown(str(error))


def _on_axes(position: OrdinalPosition, axes: Sequence[int], known: _Known) -> Decision:
    """Return the verdict on the section along some axes, with its bite on all axes."""
    found = _decide(position.project(axes), known)
    return replace(found, bite=found.bite and along_axes(found.bite, axes, position.dimension))


def _connected(position: OrdinalPosition, known: _Known) -> Decision:
    """Decide a position whose axes are all longer than 1 and not orthogonal to each other."""
    if position.dimension == 1:
        height = position.boxes[0][0]
        return Decision.n(Rule.COLUMN, 1, grundy=height)
    return _best(_decisions(position, known)) or Decision.unknown(f"no theorem covers {position}")


def _decisions(position: OrdinalPosition, known: _Known) -> Iterator[Decision | None]:
    """Yield the decision of each rule, cheap and complete rules before partial ones."""
    if position.dimension == 2:
        yield _narrow(position, known)
        yield _equal_arms(position)
    else:
        yield _fibred(position, known)
        yield _square_base(position)
    if known.shallow:  # shallow decisions look for P-positions, and no bound gives one
        return
    if position.dimension > 2:
        yield _restored(position, known)
    yield partial.searched(position)
    yield _cut(position, known)
    yield partial.bounded(position)
    yield partial.stolen(position)


def _best(found: Iterable[Decision | None]) -> Decision | None:
    """Return the first decision that is P or has a bite; else the first N; else the first."""
    best: Decision | None = None
    for each in filter(None, found):
        if each.outcome is Outcome.P or each.bite is not None:
            return each
        if best is None or (best.outcome is Outcome.UNKNOWN and each.outcome is Outcome.N):
            best = each
    return best


def _sum_of_parts(
    position: OrdinalPosition, parts: list[tuple[int, ...]], known: _Known
) -> Decision:
    """Decide a sum of parts that share only the poison (section 4)."""
    values: list[Ordinal] = []
    for axes in parts:
        value = _decide(position.project(axes), known).grundy
        if value is None:
            return Decision.unknown(
                f"needs the Grundy value of the part {position.project(axes)}", Rule.STALKS
            )
        values.append(p_ordered.restricted(value))
    rest = reduce(xor, values, ZERO)
    if not rest:
        rule = Rule.P_ORDERED if p_ordered.is_p_ordered_p(position) else Rule.STALKS
        return Decision.p(rule)
    total = p_ordered.unrestricted(rest)
    for axes, value in zip(parts, values, strict=True):
        wanted = value ^ rest
        if wanted < value:
            bite = _reach(position.project(axes), p_ordered.unrestricted(wanted), known)
            if bite is not None:
                return Decision.n(
                    Rule.STALKS, *along_axes(bite, axes, position.dimension), grundy=total
                )
    return Decision.n_without_bite(
        Rule.STALKS, "the part to bite has no known bite to the value", total
    )


def _reach(position: OrdinalPosition, g: Ordinal, known: _Known) -> Bite | None:
    """Return a bite that leaves Grundy value g >= 1, for positions with known values."""
    axes = p_ordered.wide_axes(position)
    if len(axes) < position.dimension:
        bite = _reach(position.project(axes), g, known)
        return bite and along_axes(bite, axes, position.dimension)
    if position.dimension == 1:
        return (g,)
    if position.dimension == 2:
        for across, columns in _turned(position):
            found = two_wide.bite_to(columns.height(0), columns.height(1), g)
            if columns.extent[0] == 2 and found is not None:
                return _turn_back(across, natural(found[0]), found[1])
        return None
    for pair in p_ordered.fibre_axes(position):
        others = [axis for axis in range(position.dimension) if axis not in pair]
        bite = _reach(position.project(others), g, known)
        return bite and along_axes(bite, others, position.dimension)
    return None


def _turned(position: OrdinalPosition) -> list[tuple[bool, OrdinalPosition]]:
    return [(False, position), (True, position.permute((1, 0)))]


def _turn_back(across: bool, column: Ordinal, height: Ordinal) -> Bite:
    return (height, column) if across else (column, height)


def _narrow(position: OrdinalPosition, known: _Known) -> Decision | None:
    """Decide positions of two or three columns or rows (sections 8, 9 and 10)."""
    turned = sorted(_turned(position), key=lambda pair: pair[1].extent[0])
    across, columns = turned[0]
    if columns.extent[0] > 3:
        return None
    u, v, x = (columns.height(column) for column in range(3))
    found = three_wide.verdict(u, v, x, known.sheets)
    return replace(found, bite=found.bite and _turn_back(across, *found.bite))


def _equal_arms(position: OrdinalPosition) -> Decision | None:
    """Decide positions with equal arms: the bite (1, 1) leaves a P-ordered P-position."""
    if position.extent[0] != position.extent[1]:
        return None
    return Decision.n(Rule.EQUAL_ARMS, 1, 1)


def _fibred(position: OrdinalPosition, known: _Known) -> Decision | None:
    """Apply Theorem 7.1: sections along two axes are P-ordered P-positions."""
    for pair in p_ordered.fibre_axes(position):
        others = [axis for axis in range(position.dimension) if axis not in pair]
        found = _on_axes(position, others, known)
        return found if found.outcome is Outcome.UNKNOWN else replace(found, rule=Rule.PRODUCT)
    return None


def _restored(position: OrdinalPosition, known: _Known) -> Decision | None:
    """Apply the pairing strategy of Theorem 7.1: a bite that restores broken sections."""
    inner = replace(known, shallow=True)
    for pair in combinations(range(position.dimension), 2):
        if (bite := p_ordered.bite_to_fibred(position, pair)) is not None:
            left = position.minus(bite)
            restored = not any(p_ordered.broken_sections(left, pair))
            if restored and _decide(left, inner).outcome is Outcome.P:
                return Decision.n(Rule.PRODUCT, *bite)
    return None


def _square_base(position: OrdinalPosition) -> Decision | None:
    """Decide positions with a base within 2 x 2, in any orientation (section 11)."""
    if position.dimension != 3:
        return None
    turned = ((axes, position.permute(axes)) for axes in ((0, 1, 2), (0, 2, 1), (1, 2, 0)))
    return _best(_of_base(axes, other) for axes, other in turned if max(other.extent[:2]) <= 2)


def _of_base(axes: tuple[int, ...], position: OrdinalPosition) -> Decision:
    """Decide a position whose base is within 2 x 2; bites are in the original axes."""
    u, v, y, z = (position.height(*at) for at in ((0, 0), (0, 1), (1, 0), (1, 1)))
    found = two_by_two.verdict(u, v, y, z)
    return replace(found, bite=found.bite and along_axes(found.bite, axes, 3))


def _cut(position: OrdinalPosition, known: _Known) -> Decision | None:
    """Find a cut along one axis that leaves a known or a small finite P-position."""
    inner = replace(known, shallow=True)
    for axis, side in enumerate(position.extent):
        heights = {Ordinal.of(k) for k in (1, 2, 3)} | set(_TALL)
        if len(position.boxes) <= _FEW_BOXES:
            heights |= {box[axis] for box in position.boxes}
        for height in sorted(height for height in heights if height < side):
            bite = along_axes((height,), (axis,), position.dimension)
            found = _decide(position.minus(bite), inner)
            if found.outcome is Outcome.P:
                return Decision.n(found.rule, *bite)
    return partial.cut_finite(position)
