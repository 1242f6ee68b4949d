"""Analyses: requests made and responses read, the same for both clients."""

from clients._contract import OUTCOMES, check_text, known, read_full_answer
from schema.answers import Analysis, AnalyzedMove, Move, PositionValues
from schema.proto.position_oracle.v1 import analysis_pb2, game_pb2


def analysis_request(position: str, *, moves: bool) -> analysis_pb2.AnalyzePositionRequest:
    """Ask for everything known about a position."""
    return analysis_pb2.AnalyzePositionRequest(
        position=game_pb2.Position(text=check_text(position, "position")), omit_moves=not moves
    )


def read_analysis(response: analysis_pb2.AnalyzePositionResponse, *, moves: bool) -> Analysis:
    """What is known, with the moves that were asked for."""
    return Analysis(
        answer=read_full_answer(response),
        values=_values(response.values),
        moves=tuple(_move(message) for message in response.moves) if moves else None,
        complete=response.complete,
    )


def _move(message: analysis_pb2.AnalyzedMove) -> AnalyzedMove:
    return AnalyzedMove(
        move=Move(message.child_text, message.is_pass),
        outcome=known(OUTCOMES, message.child_outcome, "outcome"),
        values=_values(message.child_values),
        component=message.component if message.HasField("component") else None,
    )


def _values(message: analysis_pb2.PositionValues) -> PositionValues:
    return PositionValues(
        grundy=message.grundy if message.HasField("grundy") else None,
        grundy_unrestricted=(
            message.grundy_unrestricted if message.HasField("grundy_unrestricted") else None
        ),
        remoteness=message.remoteness if message.HasField("remoteness") else None,
    )
