"""Questions put to a server, answered in the terms of this package."""

from collections.abc import Iterator
from contextlib import contextmanager

import clients
from engine.games.notation import format_position, parse
from engine.games.position import Move, Outcome, Position
from engine.theory.random_play import Model
from oracle.answers import Analysis, AnalyzedMove, Answer, Certainty, Method, WinProbability
from schema.errors import (
    InvalidPositionError,
    PositionOracleError,
    UnknownAnswerError,
    UnknownGameError,
)


class RemoteOracle:
    """Asks a server; what goes wrong is raised as an error of this package."""

    def __init__(self, client: clients.OracleClient, address: str) -> None:
        self._client = client
        self._address = address

    def winning_moves(self, text: str) -> Answer:
        """Who wins a position given as text, and every move that wins."""
        with self._translated():
            return _answer(self._client.winning_moves(text))

    def analyze(self, text: str, *, moves: bool = True) -> Analysis:
        """Everything known about a position given as text."""
        with self._translated():
            remote = self._client.analyze(text, moves=moves)
        position = parse(remote.answer.position)
        listed = None
        if remote.moves is not None:
            listed = tuple(_analyzed(position, move) for move in remote.moves)
        return Analysis(_answer(remote.answer), remote.values, listed, remote.complete)

    def win_probability(self, position: Position, model: Model) -> WinProbability:
        """How likely the player to move is to win."""
        with self._translated():
            remote = self._client.win_probability(format_position(position), model.text)
        return _win_probability(remote)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except clients.InvalidQuestionError as error:
            # The field of the request means nothing to whoever typed a position.
            raise InvalidPositionError(str(error).removeprefix(f"{error.field}: ")) from None
        except clients.UnknownGameError as error:
            raise UnknownGameError(str(error)) from None
        except clients.UnsupportedQuestionError as error:
            raise UnknownAnswerError(str(error).removeprefix("position: ")) from None
        except clients.OracleClientError as error:
            raise PositionOracleError(f"{self._address}: {error}") from None


@contextmanager
def remote_oracle(address: str) -> Iterator[RemoteOracle]:
    """An oracle that asks a server."""
    with clients.OracleClient(address) as client:
        yield RemoteOracle(client, address)


def _answer(remote: clients.Answer) -> Answer:
    position = parse(remote.position)
    moves = remote.winning_moves
    return Answer(
        position=position,
        outcome=Outcome(remote.outcome),
        certainty=Certainty(remote.certainty),
        reason=remote.reason,
        winning_moves=None if moves is None else tuple(_move(position, move) for move in moves),
        transfinite=remote.transfinite,
    )


def _analyzed(position: Position, remote: clients.AnalyzedMove) -> AnalyzedMove:
    return AnalyzedMove(
        move=_move(position, remote.move),
        outcome=Outcome(remote.outcome),
        values=remote.values,
        component=remote.component,
    )


def _win_probability(remote: clients.WinProbability) -> WinProbability:
    position = parse(remote.position)
    moves = remote.best_moves
    return WinProbability(
        position=position,
        model=remote.model,
        value=remote.value,
        exact=remote.exact,
        error_bound=remote.error_bound,
        certainty=Certainty(remote.certainty),
        method=Method(remote.method),
        reason=remote.reason,
        best_moves=None if moves is None else tuple(_move(position, move) for move in moves),
    )


def _move(position: Position, move: clients.Move) -> Move:
    return Move(position.passed() if move.is_pass else parse(move.position), move.is_pass)
