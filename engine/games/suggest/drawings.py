"""Boards drawn as rows of signs."""

import re
from itertools import pairwise
from typing import Final

from position_oracle.engine.games.suggest.words import TextWords

MAX_ROWS: Final = 150
"""Maximum number of rows of a drawing that is read."""

_FULL: Final = frozenset("#oO@X*xPp●○◯■□▓█▪▫🍪🍫☠")
_EMPTY: Final = frozenset(". _-·")
_ROW_NUMBER: Final = re.compile(r"\A[0-9]{1,3}\s+(?=\D)")


def read_drawing(text: str) -> TextWords | None:
    """Read a board drawn in rows of signs, with the poison at the lower or the upper left."""
    head, _, rest = text.rpartition(":")
    lines = (rest if re.fullmatch(r"\s*[A-Za-z]+\s*", head) else text).strip("\n").splitlines()
    if len(lines) == 1:
        lines = re.split("[/|,;]", lines[0].strip())
    lines = [_ROW_NUMBER.sub("", line.strip()) for line in lines if line.strip(" \t0123456789")]
    rows = [_cells(line) for line in lines]
    if not rows or None in rows or len(rows) > MAX_ROWS:
        return None
    lengths = [row for row in rows if row]
    if not lengths or (max(lengths) < 2 and len(lengths) < 2):
        return None
    from_top = lengths[::-1]
    poison_below = all(lower >= upper for lower, upper in pairwise(from_top))
    poison_above = all(upper >= lower for upper, lower in pairwise(lengths))
    if not poison_below and not poison_above:
        return None
    ordered = from_top if poison_below else lengths
    note = "" if poison_below else "the poison in the first row"
    return TextWords(name="chomp", body="/".join(map(str, ordered)), note=note)


def _cells(line: str) -> int | None:
    """Return the number of cookies in a line; None if the line has a gap or other signs."""
    signs = "".join(line.split())
    if not signs or not set(signs) <= _FULL | _EMPTY:
        return None
    full = len(signs.rstrip("".join(_EMPTY)))
    return full if full and set(signs[:full]) <= _FULL else None
