"""The range of answers of a prober, for the list of games."""

from typing import NamedTuple

from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Build, Certainty, GameSource, Limits


class Covered(NamedTuple):
    """Some positions of a game, and the source that covers them."""

    game: GameSpec
    source: GameSource


def covered(
    game: GameSpec,
    range: str,  # noqa: A002 - as in the record
    certainty: Certainty,
    *,
    limits: Limits | None = None,
    build: Build | None = None,
    has_rows: bool = True,
    has_sheets: bool = False,
    has_estimates: bool = False,
) -> Covered:
    """Describe a source that answers all questions about some positions; see `GameSource`.

    Args:
        game: the game.
        range: the positions in words.
        certainty: of the answers.
        limits: the positions in numbers.
        build: the stored table.
        has_rows: whether positions have numbers, and so batches.
        has_sheets: whether there are loser sheets, instant winners and their geometry.
        has_estimates: whether there are chances beyond the range.
    """
    has_values = not game.misere and not game.is_variant
    questions = (
        *("outcome", "winning_moves", "best_move", "analysis"),
        *["grundy"] * has_values,
        *("remoteness", "best_line", "win_probability", "turns"),
        *["batches"] * has_rows,
        *["losers", "instant_winners", "geometry"] * has_sheets,
        *["estimates"] * has_estimates,
    )
    return Covered(game, GameSource(range, certainty, questions, limits, build))
