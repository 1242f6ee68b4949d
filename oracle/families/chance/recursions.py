"""Exact recursions against chance that are made when asked for, and which are small enough."""

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from position_oracle.engine.games.spec import Coordinates
from position_oracle.oracle.families.base import Shelf
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.random_play import Chances

MAX_MOVES: Final = 2**20
"""Positions inside times moves of a recursion that is made when asked: 0.3 s."""

_FRACTION_BYTES: Final = 20_000


def chances_bytes(chances: dict[Coordinates, float]) -> int:
    """Memory of the chances of many positions by their coordinates."""
    return 300 * len(chances)


def is_small(board: Coordinates) -> bool:
    """Whether all boards inside one (or heaps below some, in descending order) are few enough."""
    cookies = sum(board)
    if cookies > MAX_MOVES or len(board) * max(board, default=0) > MAX_MOVES:
        return False
    from position_oracle.engine.theory.bounds import estimate_ideals

    return not board or estimate_ideals(board) * cookies <= MAX_MOVES


def random_chance(shelf: Shelf, board: Coordinates) -> Fraction | None:
    """The chance of the player to move on a board where both play at random; None: too large."""

    def solve() -> Fraction | None:
        from position_oracle.engine.solvers.random_play import chomp_win_probability

        try:
            return chomp_win_probability(board, MAX_MOVES)
        except ResourceLimitError:
            return None

    return shelf.cache.find("chomp chance", board, solve, lambda _: _FRACTION_BYTES)


def board_chances(shelf: Shelf, board: Coordinates, epsilon: Fraction) -> "Chances | None":
    """The chances of a perfect player against one who errs with probability epsilon."""

    def solve() -> "Chances | None":
        from position_oracle.engine.solvers.random_play import chomp_chances

        try:
            return chomp_chances(board, epsilon, MAX_MOVES)
        except ResourceLimitError:
            return None

    return shelf.cache.find("chomp chances", (board, epsilon), solve, lambda _: _FRACTION_BYTES)


def heap_chances(
    shelf: Shelf, heaps: Coordinates, epsilon: Fraction, *, misere: bool
) -> "Chances | None":
    """The same for heaps of Nim."""

    def solve() -> "Chances | None":
        from position_oracle.engine.solvers.random_play import nim_chances

        try:
            return nim_chances(heaps, epsilon, misere=misere, max_moves=MAX_MOVES)
        except ResourceLimitError:
            return None

    key = (heaps, epsilon, misere)
    return shelf.cache.find("nim chances", key, solve, lambda _: _FRACTION_BYTES)
