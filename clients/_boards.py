"""The rules of Chomp, as far as playing it needs them: read a board, bite, tell a legal move.

The oracle says which moves win, but a game also has opponents that do not ask it, and a referee
who must not take the oracle's word. So these few lines are independent of the server's rules;
tests compare the two.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from clients.errors import IllegalMoveError, InvalidQuestionError
from schema.answers import PASS

_MAX_ROWS: Final = 10_000
_MAX_ROW: Final = 2**63 - 1
_COLUMNS: Final = re.compile(
    r"chomp3:\[(\d{1,19}),(\d{1,19}),(\d{1,19})(?:;(\d{1,2}))?\]", re.ASCII
)
_ROWS: Final = re.compile(r"chomp:(\d{1,19}(?:/\d{1,19})*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Board:
    """A position of Chomp.

    Attributes:
        rows: row lengths, poison row first, positive and not increasing.
        passes: passes left.
        three_row: whether its text is that of three-row Chomp.
    """

    rows: tuple[int, ...]
    passes: int = 0
    three_row: bool = True

    @property
    def text(self) -> str:
        """The canonical text, e.g. `chomp3:[4,3,2;1]` or `chomp:9/7/4`."""
        if not self.three_row:
            return "chomp:" + ("/".join(map(str, self.rows)) or "0")
        a, b, c = self.rows + (0,) * (3 - len(self.rows))
        return f"chomp3:[{c},{b - c},{a - b}{f';{self.passes}' if self.passes else ''}]"

    @property
    def cookies(self) -> int:
        """Number of cookies left, which is the number of bites."""
        return sum(self.rows)

    @property
    def can_pass(self) -> bool:
        """Whether a pass is allowed: one is left, and more than the poison."""
        return self.passes > 0 and self.cookies > 1

    def bite(self, row: int, column: int) -> "Board":
        """The board without a cookie, counted from 0, and all above it and to its right."""
        shortened = (min(length, column) for length in self.rows[row:])
        return replace(self, rows=self.rows[:row] + tuple(length for length in shortened if length))

    def bite_number(self, number: int) -> "Board":
        """The board after a bite, counted from 0 along the rows; number 0 eats the poison."""
        for row, length in enumerate(self.rows):
            if number < length:
                return self.bite(row, number)
            number -= length
        raise IndexError(f"the board {self.text} has {self.cookies} cookies")

    def after(self, move: str) -> "Board":
        """The board after a move: the text of the board it leads to, or `pass`.

        Raises:
            IllegalMoveError: the rules do not allow it.
        """
        if move == PASS and self.can_pass:
            return replace(self, passes=self.passes - 1)
        child = None if move == PASS else read_board(move)
        if child is None or not self._reaches(child):
            raise IllegalMoveError(f"{move} is no move from {self.text}", "move")
        return child

    def _reaches(self, child: "Board") -> bool:
        """Whether one bite leads to the child: it is the bite at the first row that differs."""
        if (child.passes, child.three_row) != (self.passes, self.three_row):
            return False
        if len(child.rows) > len(self.rows):
            return False
        padded = child.rows + (0,) * (len(self.rows) - len(child.rows))
        pairs = enumerate(zip(self.rows, padded, strict=True))
        row = next((row for row, (before, after) in pairs if before != after), None)
        return row is not None and self.bite(row, padded[row]).rows == child.rows


def read_board(text: str) -> Board:
    """Read a board from its text, `chomp3:[x,y,z]`, `chomp3:[x,y,z;passes]` or `chomp:9/7/4`.

    Raises:
        InvalidQuestionError: it is no such text, or no board.
    """
    compact = re.sub(r"\s+", "", text)
    if match := _COLUMNS.fullmatch(compact):
        x, y, z = (int(match[group]) for group in (1, 2, 3))
        board = Board(_without_empty((x + y + z, x + y, x)), int(match[4] or 0))
    elif match := _ROWS.fullmatch(compact):
        board = Board(_without_empty(tuple(map(int, match[1].split("/")))), three_row=False)
    else:
        raise InvalidQuestionError(
            f"{text[:60]!r} is no board of Chomp; write chomp3:[4,3,2] or chomp:9/7/4", "position"
        )
    rows = board.rows
    if len(rows) > _MAX_ROWS or (rows and rows[0] > _MAX_ROW):
        raise InvalidQuestionError(f"{text[:60]!r} is larger than any board", "position")
    if any(above > length for length, above in pairwise(rows)):
        raise InvalidQuestionError(f"{text[:60]!r}: row lengths may not increase", "position")
    return board


def _without_empty(rows: tuple[int, ...]) -> tuple[int, ...]:
    while rows and rows[-1] == 0:
        rows = rows[:-1]
    return rows
