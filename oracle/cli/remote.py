"""Questions put to a server, answered in the terms of this package."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import clients
from engine.games.notation import parse
from engine.games.position import Move, Outcome, Position
from oracle.answers import Answer, Certainty
from schema.errors import InvalidPositionError, PositionOracleError, UnknownGameError


@contextmanager
def remote_asker(address: str) -> Iterator[Callable[[str], Answer]]:
    """A function that asks a server for the winning moves of a position given as text."""
    with clients.OracleClient(address) as client:

        def ask(text: str) -> Answer:
            try:
                return _answer(client.winning_moves(text))
            except clients.InvalidQuestionError as error:
                # The field of the request means nothing to whoever typed a position.
                raise InvalidPositionError(str(error).removeprefix(f"{error.field}: ")) from None
            except clients.UnknownGameError as error:
                raise UnknownGameError(str(error)) from None
            except clients.OracleClientError as error:
                raise PositionOracleError(f"{address}: {error}") from None

        yield ask


def _answer(remote: clients.Answer) -> Answer:
    position = parse(remote.position)
    moves = remote.winning_moves
    return Answer(
        position=position,
        outcome=Outcome(remote.outcome),
        certainty=Certainty(remote.certainty),
        reason=remote.reason,
        winning_moves=None if moves is None else tuple(_move(position, move) for move in moves),
    )


def _move(position: Position, move: clients.Move) -> Move:
    return Move(position.passed() if move.is_pass else parse(move.position), move.is_pass)
