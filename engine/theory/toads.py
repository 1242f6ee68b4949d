"""Toads and Frogs on a strip, played impartially.

Toads (T) move right and frogs (F) left: into the next cell if it is free, or over one animal of the
other kind into the free cell behind it. Either player moves any animal; the player who cannot move
loses (misere: wins). Friedman and Landsberg (On the geometry of combinatorial games, Games of No
Chance 3) name "a restricted version" of Toads and Frogs without defining it; the rules here may
differ from theirs.
"""

import re
from collections.abc import Iterator
from math import comb
from typing import Final

from position_oracle.schema.errors import NotationError

STRIP_MAX: Final = 64
"""Longest strip that is read."""


_STRIP: Final = re.compile(r"[TF.]+")


def parse(text: str) -> str:
    """Read a strip such as `TT.FF`; `.` is a free cell.

    Raises:
        NotationError: The text is not a strip, or is too long.
    """
    strip = text.strip()
    if len(strip) > STRIP_MAX:
        raise NotationError(f"toads: {len(strip)} cells; at most {STRIP_MAX} are read")
    if _STRIP.fullmatch(strip) is None:
        raise NotationError(f"toads:{strip[:40]!r}: write T, F and . for free cells, e.g. TT.FF")
    return strip


def moves(strip: str) -> Iterator[tuple[int, str]]:
    """Yield the cell, from 0, of each animal that can move, and the strip after its move."""
    for cell in range(len(strip)):
        goal = target(strip, cell)
        if goal is not None:
            left, right = (cell, goal) if cell < goal else (goal, cell)
            swapped = strip[right] + strip[left + 1 : right] + strip[left]
            yield cell, strip[:left] + swapped + strip[right + 1 :]


def position_bound(strip: str) -> int:
    """Return an upper bound of the reachable positions: the arrangements of the animals.

    Toads never pass toads and only move right, so far fewer are often reached.
    """
    toads, frogs = strip.count("T"), strip.count("F")
    return comb(len(strip), toads) * comb(len(strip) - toads, frogs)


def target(strip: str, cell: int) -> int | None:
    """Return the free cell, from 0, that the animal of a cell can move into; None if none."""
    if not 0 <= cell < len(strip) or strip[cell] == ".":
        return None
    step, other = (1, "F") if strip[cell] == "T" else (-1, "T")
    near, far = cell + step, cell + 2 * step
    if 0 <= near < len(strip) and strip[near] == ".":
        return near
    if 0 <= far < len(strip) and strip[near] == other and strip[far] == ".":
        return far
    return None
