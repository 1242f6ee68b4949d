"""What the oracle says about the moves of a game that was played."""

from typing import Any

from position_oracle.clients.play import Game, GameRecord
from position_oracle.schema.analyses import Analysis, AnalyzedMove
from position_oracle.schema.answerer import Answerer
from position_oracle.schema.answers import Outcome


def annotate(record: GameRecord, oracle: Answerer) -> list[str]:
    """A comment on each move: whether it wins or loses, and what would have been better.

    `wins` keeps or takes the win. `loses, as every move` is nobody's fault. `a mistake` gives a
    won game away; the comment names a move that wins. Where another move would have won sooner or
    lost later, it is named with the plies that it takes or lasts.

    Raises:
        PositionOracleError: the oracle cannot be asked.
    """
    game = Game(record.start, record.players)
    comments = []
    for move in record.moves:
        comments.append(_comment(oracle.analyze(game.position), move))
        game.play(move)
    return comments


def _comment(analysis: Analysis[Any], move: str) -> str:
    moves = analysis.moves or ()
    made = next((each for each in moves if str(each.move) == move), None)
    if made is None or made.outcome is Outcome.UNKNOWN:
        wins = [each for each in analysis.answer.winning_moves or () if str(each) == move]
        return "wins" if wins else "not known"
    best = moves[0]
    if made.outcome is Outcome.P:
        return _with_plies("wins", made) + _better(made, best, "takes")
    if best.outcome is Outcome.P:
        return f"a mistake: {best.move!s} wins"
    return _with_plies("loses, as every move", made) + _better(made, best, "lasts")


def _with_plies(text: str, move: AnalyzedMove[Any]) -> str:
    plies = move.values.remoteness
    if plies is None:
        return text
    return f"{text}, {plies} {'ply' if plies == 1 else 'plies'} to the end"


def _better(made: AnalyzedMove[Any], best: AnalyzedMove[Any], word: str) -> str:
    mine, other = made.values.remoteness, best.values.remoteness
    if mine is None or other is None or mine == other:
        return ""
    return f" ({best.move!s} {word} {other})"
