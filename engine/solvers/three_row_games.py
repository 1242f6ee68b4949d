"""The loser sheets of a three-row game given as data.

Two more passes change no P-position (docs/nim-passes.md proves it for every game in which a
terminal position allows no pass), so that only the games with no pass and with one are solved.
"""

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.three_row import solve
from position_oracle.schema.errors import UnknownAnswerError
from position_oracle.schema.sheets import LoserSheets


def same_p_positions(game: GameSpec) -> GameSpec:
    """The game with no pass or with one that has the same P-positions."""
    return game.with_passes(game.passes % 2)


def solve_game(game: GameSpec, count: int, y_limit: int | None = None) -> LoserSheets:
    """The first sheets of a game, in memory.

    Args:
        game: a three-row game.
        count: number of sheets, x = 0 .. count - 1.
        y_limit: for games with noise, number of columns.

    Raises:
        UnknownAnswerError: the game has both noise and a pass that matters, which is not solved.
    """
    game = same_p_positions(game)
    declared = [(x, y, z) for x, y, z in game.declared]
    noise = game.noise
    if noise is None:
        fewer = solve(count, declared=declared) if game.passes else None
        return solve(count, exclusions=fewer, declared=declared)
    if game.passes or y_limit is None:
        raise UnknownAnswerError(f"{game.text}: games with noise are solved without passes only")
    return solve(
        count,
        exclusions=lambda x: noise.columns(x, y_limit + count),
        declared=declared,
        y_limit=y_limit,
    )
