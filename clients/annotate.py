"""Annotations: the oracle's comment on each move of a recorded game."""

from collections.abc import Sequence
from typing import Any

from position_oracle.clients.play import Game, GameRecord
from position_oracle.schema.analyses import Analysis, AnalyzedMove
from position_oracle.schema.answerer import Answerer
from position_oracle.schema.answers import Outcome


def annotate(record: GameRecord, oracle: Answerer) -> list[str]:
    """Return a comment on each move: whether it wins or loses, and a better move.

    `wins` keeps or takes the win. `loses, as every move` means that no move wins. `a mistake` gives
    a won game away; the comment names a winning move, if one is known. `loses` means that it is not
    known whether another move wins. If another move would have won sooner or lost later, the
    comment names it with its number of plies.

    Raises:
        PositionOracleError: the oracle cannot be asked.
    """
    game = Game(record.start, record.players)
    comments = []
    for move in record.moves:
        analysis = oracle.analyze(game.position)
        game.play(move)
        comments.append(_comment(oracle, analysis, move, game.position))
    return comments


def _comment(oracle: Answerer, analysis: Analysis[Any], move: str, child: str) -> str:
    answer, moves = analysis.answer, analysis.moves or ()
    wins = [str(each) for each in answer.winning_moves or ()]
    made = next((each for each in moves if str(each.move) == move), None)
    after = made.outcome if made else Outcome.UNKNOWN
    if after is Outcome.UNKNOWN and move in wins:
        after = Outcome.P
    if after is Outcome.UNKNOWN:
        after = Outcome.N if answer.outcome is Outcome.P else oracle.outcome(child).outcome
    if after is Outcome.UNKNOWN:
        return "not known"
    if after is Outcome.N and answer.outcome is Outcome.N:
        return f"a mistake: {wins[0]} wins" if wins else "a mistake"
    if after is Outcome.N and answer.outcome is Outcome.UNKNOWN:
        return "loses"
    words, other = ("wins", "takes") if after is Outcome.P else ("loses, as every move", "lasts")
    return _with_plies(words, made) + _better(made, moves, other)


def _with_plies(text: str, move: AnalyzedMove[Any] | None) -> str:
    plies = move.values.remoteness if move else None
    if plies is None:
        return text
    return f"{text}, {plies} {'ply' if plies == 1 else 'plies'} to the end"


def _better(made: AnalyzedMove[Any] | None, moves: Sequence[AnalyzedMove[Any]], word: str) -> str:
    mine = made.values.remoteness if made else None
    best = moves[0].values.remoteness if moves else None
    if mine is None or best is None or mine == best:
        return ""
    return f" ({moves[0].move!s} {word} {best})"
