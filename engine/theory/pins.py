"""Positions of take-and-break games as drawings: rows of pins, and strips of Treblecross.

A row of pins shows standing pins as I and gaps as X or a point: in Kayles a ball knocks down one
pin or two neighbouring pins, so the heaps are the runs of standing pins.

A strip of Treblecross shows cells as points or underscores and crosses as X. The player who makes
three crosses in a row wins, so nobody plays next to a cross or one cell further while another cell
is free. A strip of n cells is a heap of n + 2 of the game 0.007: a cross takes three tokens, the
cell and one on either side, and the next cell on either side, where nobody may play, is one of the
two tokens that a heap has beyond its cells (Winning Ways, chapter 4).
"""

import re
from typing import TYPE_CHECKING, Final

from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.schema.errors import InvalidPositionError

if TYPE_CHECKING:
    from position_oracle.engine.theory.octal import OctalCode

_TREBLECROSS: Final = (0, 0, 0, 7)


def read_drawing(text: str, code: "OctalCode") -> Heaps | None:
    """Return the heaps of a drawing, in order; None for a text that is not a drawing.

    Raises:
        InvalidPositionError: one more cross wins the strip of Treblecross, or it is already won.
    """
    if code.digits == _TREBLECROSS and re.fullmatch(r"[Xx._]+", text):
        return _strip(text.upper().replace("_", "."))
    if re.fullmatch(r"[IiXx._]*[Ii][IiXx._]*", text):
        return tuple(map(len, re.findall("I+", text.upper())))
    return None


def _strip(text: str) -> Heaps:
    if re.search(r"X\.?X", text):
        raise InvalidPositionError(
            f"{text[:64]}: two crosses are next to each other or one cell apart, so that the player"
            " to move makes three in a row; such a strip is not a position of 0.007"
        )
    first, *others = text.split("X")
    if not others:
        return (len(first) + 2,)
    *between, last = others
    return (len(first), *(len(cells) - 2 for cells in between), len(last))
