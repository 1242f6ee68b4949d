"""Requests made, and arrays read out of responses, the same for both clients."""

import numpy as np
import numpy.typing as npt

from clients.errors import InvalidQuestionError, ServerError
from schema import messages
from schema.answers import WinProbability
from schema.proto.position_oracle.v1 import (
    analysis_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    sheet_pb2,
)
from schema.proto.position_oracle.v1 import service_pb2 as pb


def outcome_request(position: str) -> pb.GetOutcomeRequest:
    """Ask for an outcome."""
    return pb.GetOutcomeRequest(position=_position(position))


def winning_moves_request(position: str) -> pb.ListWinningMovesRequest:
    """Ask for the winning moves."""
    return pb.ListWinningMovesRequest(position=_position(position))


def analysis_request(position: str, *, moves: bool) -> analysis_pb2.AnalyzePositionRequest:
    """Ask for everything known about a position."""
    return analysis_pb2.AnalyzePositionRequest(position=_position(position), omit_moves=not moves)


def win_probability_request(position: str, model: str) -> chance_pb2.GetWinProbabilityRequest:
    """Ask for a win probability."""
    return chance_pb2.GetWinProbabilityRequest(
        position=_position(position), model=check_text(model, "model")
    )


def read_win_probability(response: chance_pb2.GetWinProbabilityResponse) -> WinProbability:
    """The win probability in a response."""
    try:
        return messages.read_win_probability(response.probability)
    except ValueError as error:
        raise ServerError(f"the server broke the contract: {error}") from None


def instant_winners_request(
    game: str, x: int, size_y: int, size_z: int, first_y: int, first_z: int
) -> sheet_pb2.GetInstantWinnersRequest:
    """Ask for a window of an instant-winner sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    try:
        return sheet_pb2.GetInstantWinnersRequest(
            game_text=check_text(game, "game"),
            x=x,
            size_y=size_y,
            size_z=size_z,
            first_y=first_y,
            first_z=first_z,
        )
    except ValueError as error:
        window = f"window {size_y} x {size_z} from y = {first_y}, z = {first_z}"
        raise InvalidQuestionError(f"x = {x}, {window}: {error}", "x") from None


def losers_request(game: str, x: int, size_y: int, first_y: int) -> sheet_pb2.GetLosersRequest:
    """Ask for part of a loser sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    try:
        return sheet_pb2.GetLosersRequest(
            game_text=check_text(game, "game"), x=x, size_y=size_y, first_y=first_y
        )
    except ValueError as error:
        columns = f"{size_y} columns from y = {first_y}"
        raise InvalidQuestionError(f"x = {x}, {columns}: {error}", "x") from None


def geometry_request(game: str) -> geometry_pb2.GetGeometryRequest:
    """Ask for the shape of the sheets of a game."""
    return geometry_pb2.GetGeometryRequest(game_text=check_text(game, "game"))


def read_losers(response: sheet_pb2.GetLosersResponse, size_y: int) -> npt.NDArray[np.int32]:
    """The z of the columns, (size_y,)."""
    if len(response.z) != 4 * size_y:
        raise ServerError(f"{size_y} columns came with {len(response.z)} bytes")
    return np.frombuffer(response.z, "<i4").astype(np.int32)


def read_instant_winners(
    response: sheet_pb2.GetInstantWinnersResponse, size_y: int, size_z: int
) -> npt.NDArray[np.uint8]:
    """The window as an array (size_y, size_z)."""
    if len(response.origins) != size_y * size_z:
        raise ServerError(
            f"the window of {size_y} x {size_z} cells came with {len(response.origins)} bytes"
        )
    return np.frombuffer(response.origins, np.uint8).reshape(size_y, size_z)


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
