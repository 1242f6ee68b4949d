"""Analyses as messages."""

from engine.games.notation import format_position
from oracle.answers import Analysis, AnalyzedMove, PositionValues
from oracle.server.writing import OUTCOME, fill_answer, fill_moves
from schema.proto.position_oracle.v1 import analysis_pb2


def write_analysis(analysis: Analysis) -> analysis_pb2.AnalyzePositionResponse:
    """The response that an analysis is."""
    response = analysis_pb2.AnalyzePositionResponse(
        values=_values(analysis.values),
        moves=[_move(move) for move in analysis.moves or ()],
        complete=analysis.complete,
    )
    fill_answer(response.answer, analysis.answer)
    if analysis.answer.winning_moves is not None:
        fill_moves(response.winning_moves, analysis.answer.winning_moves)
    return response


def _move(analyzed: AnalyzedMove) -> analysis_pb2.AnalyzedMove:
    return analysis_pb2.AnalyzedMove(
        child_text=format_position(analyzed.move.child),
        is_pass=analyzed.move.is_pass,
        child_outcome=OUTCOME[analyzed.outcome],
        child_values=_values(analyzed.values),
        component=analyzed.component,
    )


def _values(values: PositionValues) -> analysis_pb2.PositionValues:
    return analysis_pb2.PositionValues(
        grundy=values.grundy,
        grundy_unrestricted=values.grundy_unrestricted,
        remoteness=values.remoteness,
    )
