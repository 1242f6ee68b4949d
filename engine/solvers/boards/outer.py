"""Limits of board tables as short texts: boxes, or all boards with few cookies.

    13x13       the boards inside a box of 13 rows and 13 columns
    4x100       the boards of at most 4 rows and 100 columns
    25          every board of at most 25 cookies

Each text names a bounding board; a table holds the boards inside it. The boards of at most n
cookies are inside the board whose row i, counted from 1, has n // i cookies, because i rows of
length c have i * c cookies.
"""

import re
from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np

from position_oracle.engine.solvers.shape import (
    MAX_IDEALS,
    Board,
    Bounds,
    under,
)
from position_oracle.engine.theory.bounds import MAX_AREA, estimate_ideals
from position_oracle.schema.errors import NotationError, ResourceLimitError

_TEXT: Final = re.compile(r"([1-9][0-9]{0,5})(?:x([1-9][0-9]{0,5}))?")

_P_SHARE_OF_BOX: Final = 0.015
_P_SHARE_OF_COOKIES: Final = 0.035
"""Fraction of P-positions: 0.6 to 1.3 % of the boards in useful boxes, 3.1 % in `25`."""


@dataclass(frozen=True, slots=True)
class Outer:
    """A bounding board and its text.

    Attributes:
        text: e.g. `13x13` or `25`; a box has at most as many rows as columns, since a board and
            its transpose have the same outcome.
        board: row lengths of the bounding board.
    """

    text: str
    board: Board

    @classmethod
    def parse(cls, text: str) -> "Outer":
        """Read `ROWSxCOLUMNS`, or a number of cookies.

        Raises:
            NotationError: the text has no such form.
            ResourceLimitError: more than 2^34 boards are inside.
        """
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            raise NotationError(
                f"{text[:40]!r} names no boards of chomp; write ROWSxCOLUMNS for all boards inside"
                " a box, e.g. 13x13, or a number for all boards of at most n cookies"
            )
        if match[2] is None:
            return cls._of_cookies(int(match[1]))
        return cls.box(int(match[1]), int(match[2]))

    @classmethod
    def box(cls, rows: int, columns: int) -> "Outer":
        """Make a box from its sides, in either order.

        Raises:
            ResourceLimitError: more than 2^34 boards are inside.
        """
        rows, columns = sorted((rows, columns))
        text = f"{rows}x{columns}"
        if rows * columns > MAX_AREA or comb(rows + columns, rows) > MAX_IDEALS:
            raise ResourceLimitError(
                f"{text}: {box_count_text(rows, columns)} boards are inside; a table holds at most"
                f" {MAX_IDEALS:,}"
            )
        return cls(text, (columns,) * rows)

    @classmethod
    def _of_cookies(cls, cookies: int) -> "Outer":
        if cookies > 99:
            raise ResourceLimitError(
                f"{cookies}: all boards of at most {cookies} cookies are beyond any table; for"
                " the boards inside a box write ROWSxCOLUMNS, e.g. 13x13"
            )
        outer = cls(str(cookies), tuple(cookies // row for row in range(1, cookies + 1)))
        if outer.count > MAX_IDEALS:
            raise ResourceLimitError(
                f"{cookies}: a table of all boards of at most {cookies} cookies holds"
                f" {outer.count:,} boards; allowed are at most {MAX_IDEALS:,}"
            )
        return outer

    @property
    def is_box(self) -> bool:
        """Whether the bounding board is a rectangle."""
        return "x" in self.text

    @property
    def count(self) -> int:
        """Number of boards inside."""
        return int(estimate_ideals(self.board))

    @property
    def shape(self) -> Bounds:
        """The numbering of the boards inside."""
        return under(self.board)

    @property
    def complete_cookies(self) -> int:
        """The largest n such that every board of at most n cookies is inside, as it stands.

        The smallest board outside has i rows of length c + 1, where row i of the bounding board has
        length c.
        """
        rows = np.arange(1, len(self.board) + 2)
        return int((rows * (np.array([*self.board, 0]) + 1)).min()) - 1

    @property
    def expected_p_positions(self) -> int:
        """About how many P-positions are inside; rather too many than too few."""
        share = _P_SHARE_OF_BOX if self.is_box else _P_SHARE_OF_COOKIES
        return int(self.count * share) + 1

    def holds(self, other: "Outer") -> bool:
        """Return whether all boards inside another bounding board are inside this one."""
        return len(other.board) <= len(self.board) and all(map(int.__le__, other.board, self.board))

    def __str__(self) -> str:
        """Describe the boards, e.g. `boards inside 13 x 13`."""
        if self.is_box:
            return f"boards inside {self.text.replace('x', ' x ')}"
        return f"boards of at most {self.text} cookies"


def box_count_text(rows: int, columns: int) -> str:
    """Format the number of boards inside a box, in digits if it is short."""
    if rows * columns > MAX_AREA:
        return f"more than {MAX_AREA:,}"
    count = comb(rows + columns, rows)
    return f"{count:,}" if count < 10**12 else f"about 1e{len(str(count)) - 1}"
