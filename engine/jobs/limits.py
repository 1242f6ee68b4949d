"""Limits of builds as texts: whole numbers joined by `x`."""

from position_oracle.engine.games.spec import GameSpec
from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import read_digits, shown


def numbers_of(limit: str) -> tuple[int, ...]:
    """Return the numbers of a canonical limit."""
    return tuple(map(int, limit.split("x")))


def read_sides(limit: str, count: int) -> tuple[int, ...] | None:
    """Read the nonnegative numbers of a limit; one number stands for all of them.

    Args:
        limit: a text such as `4096` or `100x4096`.
        count: the number of numbers.

    Returns:
        The numbers of the limit, or None if the text is not such a limit.
    """
    parts = limit.strip().split("x")
    if len(parts) not in {1, count} or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    numbers = [read_digits(part) for part in parts]
    sides = tuple(number for number in numbers if number is not None)
    return sides * (count // len(parts)) if len(sides) == len(parts) else None


def sides_within(
    game: GameSpec, limit: str, count: int, form: str, least: int = 0, most: int | None = None
) -> tuple[int, ...]:
    """Read the numbers of the limit of a build; one number stands for all of them.

    Args:
        game: the game, for the message.
        limit: the text of the limit.
        count: the number of numbers.
        form: an example, for the message.
        least: the minimum of each number.
        most: the maximum of each number; None for no bound.

    Raises:
        NotationError: the text is not such a limit.
    """
    sides = read_sides(limit, count)
    if sides is None or min(sides) < least or (most is not None and max(sides) > most):
        bounds = "" if most is None else f", {least} to {most}"
        raise NotationError(f"limit {shown(limit)} of {game.text}: write {form}{bounds}")
    return sides


def check_passes(game: GameSpec) -> None:
    """Check that a table of P-positions is of a game with no pass or one pass.

    Raises:
        NotationError: there are more passes; a game with fewer has the same P-positions.
    """
    if game.passes > 1:
        same = game.with_passes(game.passes % 2)
        raise NotationError(
            f"{game.text} has the P-positions of {same.text}, since two more passes change none:"
            " build that"
        )
