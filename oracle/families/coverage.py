"""What a prober says that it can answer, for the list of games."""

from typing import NamedTuple

from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Build, Certainty, GameSource, Limits


class Covered(NamedTuple):
    """Some positions of a game, and what covers them."""

    game: GameSpec
    source: GameSource


def covered(
    game: GameSpec,
    range: str,  # noqa: A002 - as in the record
    certainty: Certainty,
    *,
    limits: Limits | None = None,
    build: Build | None = None,
    has_sheets: bool = False,
) -> Covered:
    """Describe a source that answers all questions about some positions; see `GameSource`."""
    questions = questions_of(game, has_sheets=has_sheets)
    return Covered(game, GameSource(range, certainty, questions, limits, build))


def questions_of(game: GameSpec, *, has_sheets: bool = False) -> tuple[str, ...]:
    """Return the questions of a game; beyond its range some answers are unknown."""
    has_values = not game.misere and not game.is_variant
    has_rows = game.family not in {"sum", "divisors", "transfinite"}
    return (
        *("outcome", "winning_moves", "best_move", "analysis"),
        *["grundy"] * has_values,
        *("remoteness", "best_line", "win_probability", "turns"),
        *["batches"] * has_rows,
        *["losers", "instant_winners", "geometry"] * has_sheets,
        *["estimates"] * (game.family == "chomp3" and game.text == "chomp3"),
    )
