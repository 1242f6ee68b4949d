"""Answers and positions as text for a terminal."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from position_oracle.engine.games.moves import ways
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.oracle.cli.terminal import fits
from position_oracle.schema.analyses import Turns, WinProbability
from position_oracle.schema.answers import Answer, Certainty, Outcome, TransfiniteFacts
from position_oracle.schema.moves import Action, Move
from position_oracle.schema.numbers import brief

MAX_FRACTION: Final = 60
"""Maximum number of characters of a fraction that is shown."""

_OUTCOME: Final = {
    Outcome.P: "P: the player to move loses",
    Outcome.N: "N: the player to move wins",
    Outcome.UNKNOWN: "unknown",
}


def answer_text(
    answer: Answer[Any],
    probability: WinProbability[Any] | None = None,
    more: Iterable[str] = (),
    *,
    list_wins: bool = True,
) -> str:
    """Format an answer as labelled lines, with the board if it can be drawn.

    Args:
        answer: the answer.
        probability: the win probability, if a model was given.
        more: further lines, shown above the board.
        list_wins: whether to list the winning moves, if the further lines do not.
    """
    position = position_of(answer.position)
    lines = [brief(str(answer.position)), f"  outcome    {_OUTCOME[answer.outcome]}"]
    lines.append(f"  known by   {answer.certainty}: {answer.reason}")
    if answer.estimate is not None:
        lines.append(f"  estimate   P with a chance of {answer.estimate.chance:.3g}, not exact")
    if answer.certificate is not None:
        lines.append(f"  certified  {answer.certificate}")
    if answer.winning_moves and list_wins:
        shown = [move_text(position, move) for move in answer.winning_moves]
        lines += [f"  {'wins by' if i == 0 else '':10} {text}" for i, text in enumerate(shown)]
    if answer.transfinite is not None:
        lines += _ordinal_lines(answer.transfinite)
    if probability is not None:
        lines += _probability_lines(probability)
    lines += more
    board = drawing(position, answer.winning_moves or ())
    return "\n".join(lines) + (f"\n\n{board}\n" if board else "\n")


def _ordinal_lines(facts: TransfiniteFacts) -> Iterator[str]:
    """Yield the cookie to bite, the Grundy value in both conventions, and the size."""
    if facts.bite is not None:
        yield f"  bite       ({', '.join(facts.bite)})"
    if facts.grundy is not None:
        more = f"; {facts.grundy_unrestricted} with every bite allowed"
        yield f"  Grundy     {facts.grundy}{more}"
    if facts.size is not None:
        yield f"  size       {facts.size}"


def _probability_lines(probability: WinProbability[Any]) -> Iterator[str]:
    """Yield the chance of the player to move, its certainty, and the best moves."""
    exact = probability.exact_text
    if probability.value is None or probability.error_bound is None:
        shown = "unknown"
    elif probability.certainty is Certainty.ESTIMATE:
        shown = f"about {probability.value:.4f}, give or take {probability.error_bound:.4f}"
    elif exact is not None and len(exact) <= MAX_FRACTION:
        shown = f"{probability.value!r} = {exact}"
    else:
        shown = f"{probability.value!r}, error at most {probability.error_bound:.1e}"
    yield f"  chance     {shown} for the player to move, {probability.model}"
    yield f"  known by   {probability.certainty}: {probability.reason}"
    for i, move in enumerate(probability.best_moves or ()):
        text = move_text(position_of(probability.position), move)
        yield f"  {'best by' if i == 0 else '':10} {text}"


def turn_lines(turns: Turns[Any] | None) -> Iterator[str]:
    """Yield the mean number of turns of a random game, its certainty, and the likeliest number."""
    if turns is None:
        return
    shown, exact = "unknown", turns.mean_text
    if turns.mean is not None:
        shown = f"{turns.mean!r} on average"
        if exact is not None and len(exact) <= MAX_FRACTION:
            shown = f"{turns.mean!r} = {exact} on average"
    yield f"  turns      {shown}, both random"
    if turns.distribution is not None:
        likeliest = max(turns.distribution)
        number, most = turns.distribution.index(likeliest), len(turns.distribution) - 1
        yield f"             likeliest {number} (chance {likeliest:.4g}), at most {most}"
    yield f"  known by   {turns.certainty}: {turns.reason}"


def position_of(held: Position | str) -> Position:
    """Return the position of an answer; a server returns it as text."""
    return parse(held) if isinstance(held, str) else held


def move_text(position: Position, move: Move[Any]) -> str:
    """Format a move by its child, and in words if the family's answers have them."""
    if not rules_of(position.game.family).tells_moves:
        return brief(str(move))
    return f"{brief(str(move))}   ({_action(position, move)})"


def _action(position: Position, move: Move[Any]) -> Action:
    """Return the action of a legal move."""
    return move.action or next(ways(position, position_of(move.child)))


def drawing(position: Position, winning: tuple[Move[Any], ...] = ()) -> str:
    """Draw a position by its family; empty if it cannot be drawn or is too wide."""
    wins = [_action(position, move) for move in winning]
    lines = rules_of(position.game.family).draw(position, wins)
    return "\n".join(lines) if fits(lines) else ""
