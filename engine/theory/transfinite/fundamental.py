"""The Fundamental Theorem: the height H(A, B) at which A extended by B is a P-position.

Huddleston & Shurman, Transfinite Chomp, Theorem 5.1: E(A, B, h) = A + (B x Omega), cut at height h
in the last direction, is P for exactly one h; and, by section 6, of Grundy value g for exactly one
h. The height is found in closed form up to three columns wide and over the whole of 2 x 2, and by
exhaustive search for small finite A and B.
"""

from __future__ import annotations

from engine.theory.transfinite import three_wide, two_wide
from engine.theory.transfinite.finite import MAX_CELLS, FiniteSearch, fits_search
from engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_3,
    OMEGA_OMEGA,
    Ordinal,
    left_sub,
    omega_power,
    ordinal_add,
)
from engine.theory.transfinite.position import Position, extension
from engine.theory.transfinite.sheets import finite_left_height, square_height, tail_rank
from schema.errors import InvalidPositionError, ResourceLimitError, UnknownAnswerError
from schema.sheets import LoserSheets


def height(a: Position, base: Position, sheets: LoserSheets, g: Ordinal | int = 1) -> Ordinal:
    """The unique h at which E(A, B, h) has Grundy value g; g = 1 gives H(A, B).

    A has one axis more than B, or is empty; it is extended along its last axis.

    Raises:
        InvalidPositionError: if B is empty or the dimensions do not fit.
        UnknownAnswerError: if the height is known neither in closed form nor by a small search.
    """
    value = Ordinal.of(g)
    extension(a, base, 1)
    if not value.terms:
        return value
    found = _over_columns(a, base, value, sheets) if base.dimension == 1 else None
    if found is None and value == 1 and _fills_two_by_two(a, base):
        found = OMEGA_3
    if found is None:
        found = search_height(a, base, value)
    if found is None:
        raise UnknownAnswerError(f"H({a}, {base}) with Grundy value {value} is not known")
    return found


def search_height(a: Position, base: Position, g: Ordinal) -> Ordinal | None:
    """The height by exhaustive search for finite A and B; None if it is beyond the search."""
    if not (a.is_finite and base.is_finite and g.is_finite):
        return None
    top = _search_limit(a, base)
    if not top:
        return None
    search = FiniteSearch(extension(a, base, top))
    try:
        for h in range(1, top + 1):
            mask = search.mask(extension(a, base, h))
            if search.is_p(mask) if g == 1 else search.grundy(mask) == g:
                return Ordinal.of(h)
    except ResourceLimitError:
        return None
    return None


def _search_limit(a: Position, base: Position) -> int:
    """The greatest height at which the extension is small enough for the search."""
    top = 0
    while top < MAX_CELLS and fits_search(extension(a, base, top + 1)):
        top += 1
    return top


def _fills_two_by_two(a: Position, base: Position) -> bool:
    square = Position.box(2, 2)
    return base == square and (a.is_empty or a.project((0, 1)) <= square)


def _over_columns(a: Position, base: Position, g: Ordinal, sheets: LoserSheets) -> Ordinal | None:
    """Closed forms where A and the base are at most three columns wide (sections 9 and 10)."""
    width = base.extent[0]
    beyond = a.extent[0] if a.boxes else Ordinal()
    if max(width, beyond) > 3:
        return None
    v, x = a.height(1), a.height(2)
    count = int(width)
    if count == 3:
        return OMEGA_OMEGA if g == 1 else None
    if count == 2:
        if not x.terms:
            return two_wide.diagonal_height(g)
        return two_columns_height(x, sheets) if g == 1 else None
    if not x.terms:
        return two_wide.left_height(v, g)
    return one_column_height(v, x, sheets) if g == 1 else None


def one_column_height(v: Ordinal, x: Ordinal, sheets: LoserSheets) -> Ordinal:
    """H(A, 1) for A = (2 x v) + (3 x x), 0 < x <= v.

    Raises:
        UnknownAnswerError: if a sheet beyond the table is needed.
    """
    if x >= OMEGA_OMEGA:
        return OMEGA_OMEGA
    if not x.is_finite:
        return three_wide.left_height(v, x)
    if v.is_finite:
        return Ordinal.of(finite_left_height(sheets, int(v), int(x)))
    return _side_top_height(left_sub(OMEGA, v), int(x), sheets)


def two_columns_height(x: Ordinal, sheets: LoserSheets) -> Ordinal:
    """H(A, 2) for A = 3 x x, x > 0.

    Raises:
        UnknownAnswerError: if a sheet beyond the table is needed.
    """
    if x >= OMEGA_OMEGA:
        return OMEGA_OMEGA
    if not x.is_finite:
        degree, count = x.terms[0]
        rest = two_wide.diagonal_height(x.below(degree))
        return ordinal_add(omega_power(degree + 1, count), rest)
    return _side_top_height(None, int(x), sheets)


def _side_top_height(v: Ordinal | None, x: int, sheets: LoserSheets) -> Ordinal:
    """The height that gives a Side-Top P-position, over v above w, or of both columns (None)."""
    if x >= sheets.end_x:
        raise UnknownAnswerError(f"needs sheet {x}; the table has x < {sheets.end_x}")
    square = square_height(sheets, x)
    if square is not None:
        return Ordinal.of(square)
    rank = tail_rank(sheets, x)
    if rank is None:
        raise InvalidPositionError(f"sheet {x} has neither a square nor a tail: a broken table")
    top = two_wide.diagonal_height(rank) if v is None else two_wide.left_height(v, rank)
    return ordinal_add(OMEGA, top)
