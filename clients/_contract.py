"""Requests made and responses read, the same for both clients."""

from datetime import UTC
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from clients.errors import InvalidQuestionError, ServerError
from schema.answers import (
    Answer,
    Build,
    Certainty,
    GameInfo,
    Method,
    Move,
    Outcome,
    TransfiniteFacts,
)
from schema.proto.position_oracle.v1 import analysis_pb2, answer_pb2, game_pb2, sheet_pb2
from schema.proto.position_oracle.v1 import service_pb2 as pb

OUTCOMES: Final[dict[int, Outcome]] = {
    answer_pb2.Outcome.Value(f"OUTCOME_{outcome.name}"): outcome for outcome in Outcome
}
CERTAINTIES: Final[dict[int, Certainty]] = {
    answer_pb2.Certainty.Value(f"CERTAINTY_{certainty}"): certainty for certainty in Certainty
}

Value = TypeVar("Value", Outcome, Certainty, Method)


def outcome_request(position: str) -> pb.GetOutcomeRequest:
    """Ask for an outcome."""
    return pb.GetOutcomeRequest(position=_position(position))


def winning_moves_request(position: str) -> pb.ListWinningMovesRequest:
    """Ask for the winning moves."""
    return pb.ListWinningMovesRequest(position=_position(position))


def read_outcome(response: pb.GetOutcomeResponse) -> Answer:
    """The answer, without winning moves."""
    return _answer(response.answer, None)


def read_winning_moves(response: pb.ListWinningMovesResponse) -> Answer:
    """The answer, with winning moves where they are known."""
    return read_full_answer(response)


def read_full_answer(
    response: pb.ListWinningMovesResponse | analysis_pb2.AnalyzePositionResponse,
) -> Answer:
    """The answer in a response that has winning moves beside it, where they are known."""
    if not response.HasField("winning_moves"):
        return _answer(response.answer, None)
    moves = response.winning_moves.moves
    return _answer(response.answer, tuple(Move(m.child_text, m.is_pass) for m in moves))


def instant_winners_request(
    game: str, x: int, size_y: int, size_z: int
) -> sheet_pb2.GetInstantWinnersRequest:
    """Ask for a window of an instant-winner sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    try:
        return sheet_pb2.GetInstantWinnersRequest(
            game_text=check_text(game, "game"), x=x, size_y=size_y, size_z=size_z
        )
    except ValueError as error:
        raise InvalidQuestionError(f"x = {x}, window {size_y} x {size_z}: {error}", "x") from None


def read_instant_winners(
    response: sheet_pb2.GetInstantWinnersResponse, size_y: int, size_z: int
) -> npt.NDArray[np.uint8]:
    """The window as an array (size_y, size_z)."""
    if len(response.origins) != size_y * size_z:
        raise ServerError(
            f"the window of {size_y} x {size_z} cells came with {len(response.origins)} bytes"
        )
    return np.frombuffer(response.origins, np.uint8).reshape(size_y, size_z)


def read_games(response: pb.ListGamesResponse) -> tuple[GameInfo, ...]:
    """What is answered, game by game."""
    return tuple(_game_info(info) for info in response.games)


def check_text(value: str, name: str) -> str:
    """Text that can be sent.

    Raises:
        InvalidQuestionError: it is no Unicode text.
        TypeError: it is no string.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is a {type(value).__name__}; it is given as text (str)")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidQuestionError(f"{name} {value!a} is no Unicode text", name) from error
    return value


def _position(text: str) -> game_pb2.Position:
    return game_pb2.Position(text=check_text(text, "position"))


def _answer(message: answer_pb2.Answer, moves: tuple[Move, ...] | None) -> Answer:
    return Answer(
        position=message.position_text,
        outcome=known(OUTCOMES, message.outcome, "outcome"),
        certainty=known(CERTAINTIES, message.certainty, "certainty"),
        reason=message.reason,
        winning_moves=moves,
        transfinite=_facts(message.transfinite) if message.HasField("transfinite") else None,
    )


def _facts(message: answer_pb2.TransfiniteFacts) -> TransfiniteFacts:
    return TransfiniteFacts(
        size=message.size or None,
        rule=message.rule or None,
        bite=tuple(message.bite) or None,
        grundy=message.grundy or None,
        grundy_unrestricted=message.grundy_unrestricted or None,
    )


def _game_info(message: answer_pb2.GameInfo) -> GameInfo:
    return GameInfo(
        game=message.game_text,
        questions=tuple(message.questions),
        range=message.range,
        limit=message.limit if message.HasField("limit") else None,
        certainty=known(CERTAINTIES, message.certainty, "certainty"),
        build=_build(message) if message.HasField("build") else None,
    )


def _build(info: answer_pb2.GameInfo) -> Build:
    message = info.build
    return Build(
        build_id=message.build_id,
        game=info.game_text,
        kind=message.kind,
        limit=message.limit,
        started_at=message.start_time.ToDatetime(UTC),
        seconds=message.seconds,
        rows=message.rows,
        checksum=message.checksum,
        program=message.program,
        environment=message.environment,
    )


def known(values: dict[int, Value], number: int, name: str) -> Value:
    """What a number of an enum stands for.

    Raises:
        ServerError: it is not among those that this client knows.
    """
    if number not in values:
        raise ServerError(f"the server sent {name} {number}, which this client does not know")
    return values[number]
