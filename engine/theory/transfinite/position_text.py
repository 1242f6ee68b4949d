"""Positions as text, both ways: `(w+1)x2 + (w*2)x1`, `3xw^w`, and the bird's-eye `[v z; u y]`.

The canonical text lists the maximal boxes in ascending order; a side is put in brackets when it is
a sum or a multiple. Brackets around a side may always be written and are needed around a sum. The
empty position is `0`. Unicode `×`, `ω` and `·` are read as well.
"""

import math

from position_oracle.engine.theory.transfinite.ordinal import Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import (
    format_ordinal,
    parse_ordinal,
)
from position_oracle.engine.theory.transfinite.position import EMPTY, OrdinalPosition
from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import shown

MAX_DIMENSION = 12
"""Maximum number of axes of a position in text."""
MAX_BOXES = 64
"""Maximum number of boxes of a position in text."""
MAX_MULTIPLE = 2_000
"""Largest coefficient of w, w^(w+1), w^(w*2+1), ... in text; the number 3^u of (9-2) then stays
small enough."""
MAX_CELLS = 50_000
"""Maximum number of products of single terms in the sides of all boxes, which bounds the size."""


def format_position(position: OrdinalPosition) -> str:
    """Return the canonical text; `parse_position` reads it back."""
    return " + ".join("x".join(map(_format_side, box)) for box in position.boxes) or "0"


def _format_side(side: Ordinal) -> str:
    text = format_ordinal(side)
    compound = len(side.terms) > 1 or (not side.is_finite and side.terms[0][1] > 1)
    return f"({text})" if compound else text


def parse_position(text: str) -> OrdinalPosition:
    """Read a position: boxes joined by `+`, or the bird's-eye view of a 2 x 2 base.

    Raises:
        NotationError: if the text is not a position, or is larger than the limits of this module.
        InvalidPositionError: if the heights of a bird's-eye view are not a position.
    """
    body = text.strip()
    if body == "0":
        return EMPTY
    if body.startswith("["):
        return _parse_birds_eye(body)
    parts = _split(body, "+", text)
    if len(parts) > MAX_BOXES:
        raise NotationError(f"{shown(text)}: {len(parts)} boxes, at most {MAX_BOXES} are allowed")
    boxes = [_parse_box(part, text) for part in parts]
    if len({len(box) for box in boxes}) > 1:
        raise NotationError(f"{shown(text)}: boxes must all have the same number of sides")
    cells = sum(math.prod(len(side.terms) for side in box) for box in boxes)
    if cells > MAX_CELLS:
        raise NotationError(
            f"{shown(text)}: {cells} products of terms, at most {MAX_CELLS} are allowed"
        )
    return OrdinalPosition.union(boxes)


def _parse_box(text: str, whole: str) -> list[Ordinal]:
    sides = _split(text.replace("×", "x"), "x", whole)
    if len(sides) > MAX_DIMENSION:
        raise NotationError(
            f"{shown(whole)}: {len(sides)} dimensions, at most {MAX_DIMENSION} are allowed"
        )
    return [_parse_side(side.strip(), whole) for side in sides]


def _parse_side(text: str, whole: str) -> Ordinal:
    if not text:
        raise NotationError(f"{shown(whole)}: a side is missing")
    bracketed = text.startswith("(") and text.endswith(")")
    side = parse_ordinal(text[1:-1].strip() if bracketed else text)
    if not side:
        raise NotationError(f"{shown(whole)}: a side of a box must be at least 1")
    return _bounded(side, whole)


def _bounded(side: Ordinal, whole: str) -> Ordinal:
    if any(e.finite_part == 1 and c > MAX_MULTIPLE for e, c in side.terms):
        raise NotationError(
            f"{shown(whole)}: the coefficient of w in a side is at most {MAX_MULTIPLE}"
        )
    return side


def _split(text: str, separator: str, whole: str) -> list[str]:
    """Split at a separator outside of brackets."""
    parts: list[str] = []
    depth = start = 0
    for index, symbol in enumerate(text):
        depth += (symbol == "(") - (symbol == ")")
        if depth < 0:
            break
        if symbol == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    if depth:
        raise NotationError(f"{shown(whole)}: brackets do not match")
    return [*parts, text[start:]]


def _parse_birds_eye(text: str) -> OrdinalPosition:
    rows = text[1:-1].split(";")
    cells = [row.split() for row in rows]
    if not text.endswith("]") or [len(row) for row in cells] != [2, 2]:
        raise NotationError(f"{shown(text)}: a bird's-eye view reads [v z; u y]")
    (v, z), (u, y) = ([_bounded(parse_ordinal(cell), text) for cell in row] for row in cells)
    return OrdinalPosition.birds_eye(v, z, u, y)
