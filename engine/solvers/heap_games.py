"""The loser sheets of a three-heap game given as data: the unique z for every x and y.

Two more passes change no P-position (docs/nim-passes.md proves it for every game in which a
terminal position allows no pass), so only the games with no pass and with one pass are solved.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games import nim as nim_rules
from position_oracle.engine.games import wythoff as wythoff_rules
from position_oracle.engine.games.heaps import HeapRules
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers import heap_sheets
from position_oracle.engine.solvers.heap_sheets import Lines
from position_oracle.engine.solvers.instant_winners import check_window
from position_oracle.engine.solvers.steps import StepCallback, steps
from position_oracle.schema.answers import Origin

_RULES: Final[dict[str, HeapRules]] = {
    rules.family: rules for rules in (nim_rules.RULES, wythoff_rules.RULES)
}

_WITH_PASSES: Final = frozenset({nim_rules.RULES.family})

_LARGEST: Final = {"nim": heap_sheets.LIMIT_MAX, "wythoff": 2**16}


def has_sheets(game: GameSpec) -> bool:
    """Return whether the solver finds a unique third heap for every two heaps of the game.

    Wythoff's game must be in normal play without passes.
    """
    known = game.family in _WITH_PASSES or (game.is_plain and not game.passes)
    return game.family in _RULES and game.heaps == 3 and known


def largest_limit(game: GameSpec) -> int:
    """Return the largest x and y for which the solver makes sheets."""
    return _LARGEST[game.family]


def solve_sheets(
    game: GameSpec,
    limit_x: int,
    limit_y: int,
    *,
    progress: StepCallback | None = None,
) -> NDArray[np.int32]:
    """Solve the P-positions [x, y, z] of a three-heap game.

    Args:
        game: a game that `has_sheets`; any number of passes, any declared positions.
        limit_x: largest x.
        limit_y: largest y.
        progress: called with (sheets done, sheets in all) after some of the sheets.

    Returns:
        Shape (limit_x + 1, limit_y + 1), int32: z for every x and y.
    """
    return heap_sheets.solve(
        _lines(game),
        limit_x,
        limit_y,
        game.passes % 2,
        declared=[(x, y, z) for x, y, z in _won_on_arrival(game)],
        columns=None if game.noise is None else game.noise.columns,
        progress=progress,
    )


def instant_winners(
    game: GameSpec, z: NDArray[np.integer], x: int, size_y: int, size_z: int
) -> NDArray[np.uint8]:
    """Return a window of the instant-winner sheet W_x: wins by a move that lowers the first heap.

    Args:
        game: the game.
        z: integers, shape (X, Y) with X >= x and Y >= size_y: z for every x and y.
        x: the number of the sheet.
        size_y: columns of the window, y = 0 .. size_y - 1.
        size_z: cells of a column, z = 0 .. size_z - 1.

    Returns:
        uint8 (size_y, size_z): `Origin.HEAPS` for instant winners, else 0.

    Raises:
        InvalidPositionError: x or a size is negative.
        ResourceLimitError: the window is too large.
    """
    check_window(x, size_y, size_z)
    window = np.zeros((size_y, size_z), np.uint8)
    lines = [line for line in _RULES[game.family].lines(game, 3) if line[0] == 0]
    for taken, _ in steps(1, x + 1):
        sheet = z[x - taken, :size_y].astype(np.int64)
        for line in lines:
            y = np.arange(len(sheet)) + (taken if 1 in line else 0)
            above = sheet + (taken if 2 in line else 0)
            inside = (y < size_y) & (above < size_z)
            window[y[inside], above[inside]] = Origin.HEAPS
    return window


def estimate_sheets_bytes(game: GameSpec, limit_x: int, limit_y: int) -> int:
    """Estimate the peak bytes of `solve_sheets`, including working arrays and result."""
    return heap_sheets.estimate_bytes(_lines(game), limit_x, limit_y, game.passes % 2)


def _won_on_arrival(game: GameSpec) -> tuple[tuple[int, ...], ...]:
    """Return the terminal N-positions: declared ones and, in misere play, the empty heaps."""
    return (*game.declared, (0, 0, 0)) if game.misere else game.declared


def _lines(game: GameSpec) -> Lines:
    """Return the sets of several heaps from which a move takes equal numbers."""
    return tuple(line for line in _RULES[game.family].lines(game, 3) if len(line) > 1)
