"""The loser sheets of a three-row game given as data.

Two more passes change no P-position (docs/nim-passes.md proves it for every game in which a
terminal position allows no pass), so only the games with no pass and with one pass are solved.
"""

from collections.abc import Callable, Iterator

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.three_row.build import (
    BLOCK_POSITIONS,
    SheetProgressCallback,
    iter_blocks,
    solve,
)
from position_oracle.engine.solvers.three_row.exclusions import Excluded
from position_oracle.schema.errors import UnknownAnswerError
from position_oracle.schema.sheets import LoserSheets


def solve_game(game: GameSpec, count: int, y_limit: int | None = None) -> LoserSheets:
    """Solve the first sheets of a game in memory; see `iter_game`."""
    return LoserSheets.concatenate(iter_game(game, count, y_limit, block_positions=2**62))


def iter_game(
    game: GameSpec,
    count: int,
    y_limit: int | None = None,
    *,
    progress: Callable[[int], SheetProgressCallback | None] = lambda _: None,
    block_positions: int = BLOCK_POSITIONS,
) -> Iterator[LoserSheets]:
    """Yield the first sheets of a game in blocks.

    A game with a pass excludes the P-positions of the same game without a pass (equation 7 of
    Morrison, Friedman and Landsberg, Combinatorial games with a pass), which memory holds.

    Args:
        game: a three-row game.
        count: number of sheets, x = 0 .. count - 1.
        y_limit: for games with noise, number of columns.
        progress: returns the callback for solving the game with 0 passes, and with 1.
        block_positions: approximate number of P-positions in a block.

    Raises:
        UnknownAnswerError: the game has both noise and a pass that matters, or is misere play, in
            which eating the poison wins.
    """
    if game.misere:
        raise UnknownAnswerError(f"{game.text} has no sheets: eating the poison wins")
    game = game.with_passes(game.passes % 2)  # with the same P-positions
    declared = [(x, y, z) for x, y, z in game.declared]
    noise = game.noise
    excluded: Excluded = None
    if noise is not None:
        if game.passes or y_limit is None:
            raise UnknownAnswerError(
                f"{game.text}: games with noise are solved without passes only"
            )
        excluded = noise.columns
    elif game.passes:
        excluded = solve(count, declared=declared, progress=progress(0))
    yield from iter_blocks(
        count,
        exclusions=excluded,
        declared=declared,
        y_limit=None if noise is None else y_limit,
        progress=progress(game.passes),
        block_positions=block_positions,
    )
