"""Answers to messages of the contract, as the server writes them; parts are filled in place."""

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from typing import TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from position_oracle.schema.analyses import Analysis, AnalyzedMove, Turns, WinProbability
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.estimates import Calibration, Estimate, Estimates
from position_oracle.schema.games import Build, GameInfo
from position_oracle.schema.geometry import Geometry, Shape
from position_oracle.schema.lines import BestLine
from position_oracle.schema.messages.forms import Game, Position, fill_position, write_game
from position_oracle.schema.messages.numbers import CERTAINTY, METHOD, OUTCOME
from position_oracle.schema.moves import PASS, Action, Move
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    line_pb2,
)

P = TypeVar("P", bound=Position)
G = TypeVar("G", bound=Game)


def fill_answer(message: answer_pb2.Answer, answer: Answer[P]) -> None:
    """Write an answer, without its winning moves."""
    fill_position(message.position, answer.position)
    message.position_text = str(answer.position)
    message.game_text = answer.position.game.text
    message.outcome = OUTCOME[answer.outcome]
    message.certainty = CERTAINTY[answer.certainty]
    message.reason = answer.reason
    if answer.certificate is not None:
        message.certificate = answer.certificate
    if answer.transfinite is not None:
        _fill_facts(message.transfinite, answer.transfinite)
    if answer.tables is not None:
        message.tables.CopyFrom(write_tables(answer.tables))
    if answer.estimate is not None:
        _fill_estimate(message.estimate, answer.estimate)


def _fill_estimate(message: answer_pb2.Estimate, estimate: Estimate) -> None:
    message.chance = estimate.chance
    message.certainty = CERTAINTY[Certainty.ESTIMATE]
    message.reason = estimate.reason
    message.calibration.CopyFrom(write_calibration(estimate.calibration))


@lru_cache(maxsize=8)
def write_calibration(calibration: Calibration) -> answer_pb2.Calibration:
    """How good chances were. The message is shared: read it only."""
    return answer_pb2.Calibration(**asdict(calibration))


@lru_cache(maxsize=4)
def write_tables(tables: Tables) -> answer_pb2.Tables:
    """The identity of tables. The message is shared: read it only."""
    return answer_pb2.Tables(version=tables.version, build_ids=tables.build_ids)


def _fill_facts(message: answer_pb2.TransfiniteFacts, facts: TransfiniteFacts) -> None:
    message.SetInParent()
    message.size = facts.size or ""
    message.rule = facts.rule or ""
    message.bite.extend(facts.bite or ())
    message.grundy = facts.grundy or ""
    message.grundy_unrestricted = facts.grundy_unrestricted or ""


def fill_moves(
    message: answer_pb2.WinningMoves | chance_pb2.BestMoves, moves: Iterable[Move[P]]
) -> None:
    """Write moves, in the order given; none at all is written, too."""
    message.SetInParent()
    for move in moves:
        written = message.moves.add()
        fill_position(written.child, move.child)
        written.child_text = str(move.child)
        written.is_pass = move.is_pass
        if move.action is not None:
            _fill_action(written.action, move.action)
            if move.action.component is not None:
                written.component = move.action.component


def _fill_action(message: game_pb2.Action, action: Action) -> None:
    message.words = action.words
    if action.bite is not None:
        message.bite.row, message.bite.column = action.bite.row, action.bite.column
    elif action.taking:
        message.taking.SetInParent()
        for change in action.taking:
            heap = message.taking.heaps.add(
                heap=change.heap, tokens=change.tokens, left=change.left
            )
            if change.is_pass:
                setattr(heap, PASS, True)  # a field of a name that Python keeps for itself
    elif action.is_pass:
        getattr(message, PASS).SetInParent()
    elif action.divisor is not None:
        message.divisor = action.divisor
    elif action.power_product is not None:
        message.power_product = action.power_product
    elif action.cell is not None:
        message.cell = action.cell
    elif action.ordinal_bite is not None:
        message.ordinal_bite.SetInParent()
        message.ordinal_bite.coordinates.extend(action.ordinal_bite)


def write_analysis(analysis: Analysis[P]) -> analysis_pb2.AnalyzePositionResponse:
    """The response that an analysis is."""
    response = analysis_pb2.AnalyzePositionResponse(
        values=_write_values(analysis.values), complete=analysis.complete
    )
    for each in analysis.moves or ():
        _fill_analyzed(response.moves.add(), each)
    fill_answer(response.answer, analysis.answer)
    if analysis.answer.winning_moves is not None:
        fill_moves(response.winning_moves, analysis.answer.winning_moves)
    return response


def write_best_line(line: BestLine[P]) -> line_pb2.GetBestLineResponse:
    """The response that a best line is."""
    response = line_pb2.GetBestLineResponse(
        remoteness=line.remoteness, complete=line.complete, reason=line.reason
    )
    fill_answer(response.answer, line.answer)
    for each in line.plies:
        _fill_analyzed(response.plies.add(), each)
    return response


def _fill_analyzed(message: analysis_pb2.AnalyzedMove, analyzed: AnalyzedMove[P]) -> None:
    move = analyzed.move
    message.child_text = str(move.child)
    message.is_pass = move.is_pass
    message.child_outcome = OUTCOME[analyzed.outcome]
    message.child_values.CopyFrom(_write_values(analyzed.values))
    if analyzed.component is not None:
        message.component = analyzed.component
    if move.action is not None:
        _fill_action(message.action, move.action)


def _write_values(values: PositionValues) -> analysis_pb2.PositionValues:
    return analysis_pb2.PositionValues(
        grundy=values.grundy,
        grundy_unrestricted=values.grundy_unrestricted,
        remoteness=values.remoteness,
    )


def write_win_probability(answer: WinProbability[P]) -> chance_pb2.WinProbability:
    """A win probability, with the best moves where there are some."""
    message = chance_pb2.WinProbability(
        position_text=str(answer.position),
        model=answer.model,
        value=answer.value,
        error_bound=answer.error_bound,
        certainty=CERTAINTY[answer.certainty],
        method=METHOD[answer.method],
        reason=answer.reason,
    )
    fill_position(message.position, answer.position)
    if answer.exact is not None:
        message.exact_numerator = str(answer.exact.numerator)
        message.exact_denominator = str(answer.exact.denominator)
    if answer.best_moves is not None:
        fill_moves(message.best_moves, answer.best_moves)
    if answer.tables is not None:
        message.tables.CopyFrom(write_tables(answer.tables))
    return message


def write_turns(answer: Turns[P]) -> chance_pb2.Turns:
    """How long a game lasts."""
    message = chance_pb2.Turns(
        position_text=str(answer.position),
        mean=answer.mean,
        distribution=answer.distribution,
        certainty=CERTAINTY[answer.certainty],
        method=METHOD[answer.method],
        reason=answer.reason,
    )
    fill_position(message.position, answer.position)
    if answer.mean_exact is not None:
        message.mean_numerator = str(answer.mean_exact.numerator)
        message.mean_denominator = str(answer.mean_exact.denominator)
    if answer.tables is not None:
        message.tables.CopyFrom(write_tables(answer.tables))
    return message


def write_game_info(info: GameInfo[G]) -> answer_pb2.GameInfo:
    """What is answered about one game."""
    return answer_pb2.GameInfo(
        game=write_game(info.game),
        game_text=info.game.text,
        questions=info.questions,
        range=info.range,
        limit=info.limit,
        certainty=CERTAINTY[info.certainty],
        build=None if info.build is None else _write_build(info.build),
        limits=None if info.limits is None else answer_pb2.Limits(**info.limits.as_json()),
    )


def _write_build(build: Build) -> answer_pb2.Build:
    start_time = Timestamp()
    start_time.FromDatetime(build.started_at)
    return answer_pb2.Build(
        build_id=build.build_id,
        kind=build.kind,
        limit=build.limit,
        start_time=start_time,
        seconds=build.seconds,
        rows=build.rows,
        checksum=build.checksum,
        program=build.program,
        environment=build.environment,
    )


def write_geometry(geometry: Geometry) -> geometry_pb2.GetGeometryResponse:
    """The response that the shapes of a game are."""
    response = geometry_pb2.GetGeometryResponse(
        game_text=geometry.game, shapes=[_write_shape(shape) for shape in geometry.shapes]
    )
    if geometry.tables is not None:
        response.tables.CopyFrom(write_tables(geometry.tables))
    return response


def _write_shape(shape: Shape) -> geometry_pb2.Shape:
    return geometry_pb2.Shape(
        source=shape.source,
        table=shape.table,
        first_x=shape.first_x,
        last_x=shape.last_x,
        measures=[
            geometry_pb2.Measure(
                quantity=one.quantity,
                value=one.value,
                standard_error=one.standard_error,
                expected=one.expected,
                meaning=one.meaning,
            )
            for one in shape.measures
        ],
    )


def write_estimates(estimates: Estimates) -> geometry_pb2.GetEstimatesResponse:
    """The response that chances are."""
    response = geometry_pb2.GetEstimatesResponse(
        candidates=[
            geometry_pb2.Candidate(chance=one.chance, position_text=one.position or "")
            for one in estimates.candidates
        ],
        rest=estimates.rest,
        certainty=CERTAINTY[Certainty.ESTIMATE],
        calibration=write_calibration(estimates.calibration),
        reason=estimates.reason,
        is_known=estimates.is_known,
    )
    if estimates.tables is not None:
        response.tables.CopyFrom(write_tables(estimates.tables))
    return response
