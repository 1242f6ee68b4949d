"""Seeded simulation of random Chomp, compiled: 50 times faster than the general simulation."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.instructions import is_stopped
from position_oracle.engine.solvers.shape import Board
from position_oracle.engine.solvers.simulate import GAMES, Simulation
from position_oracle.schema.errors import InvalidPositionError

MAX_COOKIES: Final = 2**62
"""Maximum number of cookies of a board that is simulated."""


def simulate_chomp(board: Board, seed: int, games: int = GAMES) -> Simulation:
    """Simulate random games of Chomp from a board.

    Args:
        board: row lengths, poison row first.
        seed: seed of the random numbers (PCG64), 0 or more.
        games: the number of games.

    Raises:
        InvalidPositionError: the board has more than `MAX_COOKIES` cookies.
    """
    if sum(board) > MAX_COOKIES:
        raise InvalidPositionError(
            f"a board of {sum(board)} cookies; at most {MAX_COOKIES} are simulated"
        )
    budget = current()
    start = np.array(board, np.int64)
    wins, turns, squares = _play(start, np.random.default_rng(seed), games, budget.flag)
    budget.check()
    return Simulation(games, seed, int(wins), int(turns), int(squares))


@kernel
def _play(
    start: NDArray[np.int64], rng: np.random.Generator, games: int, flag: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Play random games; return the wins (even numbers of turns), all turns, and their squares.

    Args:
        start: int64 (rows,), row lengths.
        rng: source of random numbers.
        games: the number of games.
        flag: the flag of the budget; once it is set, counting stops.
    """
    total = start.sum()
    wins = lengths = squares = 0
    for _ in range(games):
        rows = start.copy()  # an assignment to a slice would double the time to compile
        left, last, turns = total, len(start), 0
        while left > 0:
            if is_stopped(flag):
                return wins, lengths, squares
            cookie = rng.integers(0, left)
            row = 0
            while cookie >= rows[row]:
                cookie -= rows[row]
                row += 1
            for other in range(row, last):
                cut = rows[other] - cookie
                if cut <= 0:
                    break
                rows[other] = cookie
                left -= cut
            if cookie == 0:
                last = row
            turns += 1
        wins += turns % 2 == 0
        lengths += turns
        squares += turns * turns
    return wins, lengths, squares
