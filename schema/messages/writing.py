"""Conversion of answers to messages of the contract, for the server; parts are filled in place.

For a list, the functions take one page, which the response holds.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from position_oracle.schema.analyses import Analysis, AnalyzedMove, Turns, WinProbability
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.estimates import Calibration, Candidate, Estimate, Estimates
from position_oracle.schema.games import QUANTITIES, Build, GameInfo, GameSource, Limits
from position_oracle.schema.geometry import Geometry, Shape
from position_oracle.schema.graphs import SolvedGraph
from position_oracle.schema.lines import BestLine
from position_oracle.schema.messages.forms import GameLike, PositionLike, fill_position, write_game
from position_oracle.schema.messages.numbers import CERTAINTY, LISTING, METHOD, OUTCOME, QUESTION
from position_oracle.schema.moves import PASS, Action, Move
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    catalog_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    graph_pb2,
    line_pb2,
    service_pb2,
)

P = TypeVar("P", bound=PositionLike)
G = TypeVar("G", bound=GameLike)


def fill_answer(message: answer_pb2.Answer, answer: Answer[P]) -> None:
    """Write an answer, without its winning moves."""
    fill_position(message.position, answer.position)
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


def _fill_estimate(message: answer_pb2.ChanceEstimate, estimate: Estimate) -> None:
    message.chance = estimate.chance
    message.certainty = CERTAINTY[Certainty.ESTIMATE]
    message.reason = estimate.reason
    message.calibration.CopyFrom(write_calibration(estimate.calibration))


@lru_cache(maxsize=8)
def write_calibration(calibration: Calibration) -> answer_pb2.EstimateCalibration:
    """Return a message of a calibration. The message is shared, so do not change it."""
    return answer_pb2.EstimateCalibration(**asdict(calibration))


@lru_cache(maxsize=4)
def write_tables(tables: Tables) -> answer_pb2.TableSet:
    """Return a message of the identity of tables. The message is shared, so do not change it."""
    return answer_pb2.TableSet(version=tables.version, build_ids=tables.build_ids)


def _fill_facts(message: answer_pb2.TransfiniteFacts, facts: TransfiniteFacts) -> None:
    message.SetInParent()
    message.size = facts.size or ""
    message.rule = facts.rule or ""
    message.bite.extend(facts.bite or ())
    message.grundy = facts.grundy or ""
    message.grundy_unrestricted = facts.grundy_unrestricted or ""


def write_winning_moves(
    answer: Answer[P], page: Iterable[Move[P]]
) -> service_pb2.ListWinningMovesResponse:
    """Write an answer with winning moves as a response."""
    response = service_pb2.ListWinningMovesResponse(winning_move_count=_count(answer.winning_moves))
    fill_answer(response.answer, answer)
    for move in page:
        _fill_move(response.moves.add(), move)
    return response


def write_best_move(move: Move[P] | None, tables: Tables) -> service_pb2.GetBestMoveResponse:
    """Write the move to make as a response; None if the game is over."""
    response = service_pb2.GetBestMoveResponse(tables=write_tables(tables))
    if move is not None:
        _fill_move(response.move, move)
    return response


def _count(moves: Sequence[Move[P]] | None) -> int | None:
    return None if moves is None else len(moves)


def _fill_move(message: game_pb2.Move, move: Move[P]) -> None:
    message.child.text = str(move.child)
    if move.action is not None:
        _fill_action(message.action, move.action)
    elif move.is_pass:
        getattr(message.action, PASS).SetInParent()


def _fill_action(message: game_pb2.Action, action: Action) -> None:
    message.words = action.words
    if action.component is not None:
        message.component = action.component
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


def write_analysis(
    analysis: Analysis[P], page: Iterable[AnalyzedMove[P]]
) -> analysis_pb2.AnalyzePositionResponse:
    """Write an analysis as a response, with a page of moves."""
    wins = analysis.answer.winning_moves
    response = analysis_pb2.AnalyzePositionResponse(
        values=_write_values(analysis.values),
        winning_move_count=_count(wins),
        listing=LISTING[analysis.listing],
    )
    fill_answer(response.answer, analysis.answer)
    places = {move.child: place for place, move in enumerate(wins or ())}
    for each in page:
        message = response.moves.add()
        _fill_analyzed(message, each)
        if each.outcome is Outcome.P and each.move.child in places:
            message.winning_place = places[each.move.child]
    return response


def write_best_line(
    line: BestLine[P], page: Iterable[AnalyzedMove[P]]
) -> line_pb2.GetBestLineResponse:
    """Write a best line as a response, with a page of plies."""
    response = line_pb2.GetBestLineResponse(
        remoteness=line.remoteness, complete=line.complete, reason=line.reason
    )
    fill_answer(response.answer, line.answer)
    for each in page:
        _fill_analyzed(response.plies.add(), each)
    return response


def _fill_analyzed(message: analysis_pb2.AnalyzedMove, analyzed: AnalyzedMove[P]) -> None:
    _fill_move(message.move, analyzed.move)
    message.child_outcome = OUTCOME[analyzed.outcome]
    message.child_values.CopyFrom(_write_values(analyzed.values))


def _write_values(values: PositionValues) -> analysis_pb2.PositionValues:
    return analysis_pb2.PositionValues(
        grundy=values.grundy,
        grundy_unrestricted=values.grundy_unrestricted,
        remoteness=values.remoteness,
    )


def write_win_probability(
    answer: WinProbability[P], page: Iterable[Move[P]]
) -> chance_pb2.GetWinProbabilityResponse:
    """Write a win probability as a response, with a page of best moves."""
    message = chance_pb2.WinProbability(
        model=answer.model,
        value=answer.value,
        error_bound=answer.error_bound,
        certainty=CERTAINTY[answer.certainty],
        method=METHOD[answer.method],
        reason=answer.reason,
        exact=_write_fraction(answer.exact),
        best_move_count=_count(answer.best_moves),
    )
    fill_position(message.position, answer.position)
    if answer.tables is not None:
        message.tables.CopyFrom(write_tables(answer.tables))
    response = chance_pb2.GetWinProbabilityResponse(probability=message)
    for move in page:
        _fill_move(response.best_moves.add(), move)
    return response


def write_turns(answer: Turns[P], page: Sequence[float]) -> chance_pb2.GetTurnsResponse:
    """Write the length of a game as a response, with a page of the distribution."""
    message = chance_pb2.GameLength(
        mean=answer.mean,
        exact=_write_fraction(answer.mean_exact),
        certainty=CERTAINTY[answer.certainty],
        method=METHOD[answer.method],
        reason=answer.reason,
    )
    fill_position(message.position, answer.position)
    if answer.tables is not None:
        message.tables.CopyFrom(write_tables(answer.tables))
    return chance_pb2.GetTurnsResponse(turns=message, distribution=page)


def _write_fraction(exact: Fraction | None) -> chance_pb2.Fraction | None:
    if exact is None:
        return None
    return chance_pb2.Fraction(numerator=str(exact.numerator), denominator=str(exact.denominator))


def write_game_info(info: GameInfo[G]) -> catalog_pb2.GameInfo:
    """Return a message of the questions answered about one game."""
    words = info.introduction
    return catalog_pb2.GameInfo(
        game=write_game(info.game),
        title=words.title,
        rules=words.rules,
        loses_when=words.loses,
        note=words.note,
        example=game_pb2.Position(text=words.start) if words.start else None,
        questions=_write_questions(info.questions),
        sources=[_write_source(source) for source in info.sources],
    )


def _write_questions(names: Iterable[str]) -> "list[catalog_pb2.Question.ValueType]":
    return [QUESTION[name] for name in names]


def _write_source(source: GameSource) -> catalog_pb2.GameSource:
    return catalog_pb2.GameSource(
        range=source.range,
        limits=None if source.limits is None else _write_limits(source.limits),
        certainty=CERTAINTY[source.certainty],
        questions=_write_questions(source.questions),
        build=None if source.build is None else _write_build(source.build),
    )


def _write_limits(limits: Limits) -> catalog_pb2.RangeLimits:
    return catalog_pb2.RangeLimits(
        limits=[
            catalog_pb2.RangeLimit(quantity=name, most=most, meaning=QUANTITIES.get(name, ""))
            for name, most in limits.items()
        ]
    )


def _write_build(build: Build) -> catalog_pb2.TableBuild:
    start_time, duration = Timestamp(), Duration()
    start_time.FromDatetime(build.started_at)
    duration.FromTimedelta(timedelta(seconds=build.seconds))
    return catalog_pb2.TableBuild(
        build_id=build.build_id,
        kind=build.kind,
        limit=build.limit,
        start_time=start_time,
        duration=duration,
        rows=build.rows,
        checksum=build.checksum,
        program=build.program,
        environment=_write_environment(build.environment),
    )


def _write_environment(text: str) -> catalog_pb2.BuildEnvironment:
    versions = {name: str(value) for name, value in json.loads(text or "{}").items()}
    platform = versions.pop("platform", "")
    return catalog_pb2.BuildEnvironment(platform=platform, versions=versions)


def write_geometry(
    geometry: Geometry, game: GameLike, page: Iterable[Shape]
) -> geometry_pb2.GetGeometryResponse:
    """Write the shapes of a game as a response, with a page of shapes."""
    response = geometry_pb2.GetGeometryResponse(
        game=write_game(game), shapes=[_write_shape(shape) for shape in page]
    )
    if geometry.tables is not None:
        response.tables.CopyFrom(write_tables(geometry.tables))
    return response


def _write_shape(shape: Shape) -> geometry_pb2.SheetShape:
    return geometry_pb2.SheetShape(
        source=shape.source,
        table=shape.table,
        first_x=shape.first_x,
        last_x=shape.last_x,
        measures=[
            geometry_pb2.SheetMeasure(
                quantity=one.quantity,
                value=one.value,
                standard_error=one.standard_error,
                expected=one.expected,
                meaning=one.meaning,
            )
            for one in shape.measures
        ],
    )


def write_estimates(
    estimates: Estimates, page: Iterable[Candidate]
) -> geometry_pb2.GetEstimatesResponse:
    """Write chances as a response, with a page of candidates."""
    response = geometry_pb2.GetEstimatesResponse(
        candidates=[
            geometry_pb2.EstimateCandidate(
                chance=one.chance,
                position=game_pb2.Position(text=one.position) if one.position else None,
            )
            for one in page
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


def write_solved_graph(solved: SolvedGraph) -> graph_pb2.SolveGraphResponse:
    """Write a solved graph as a response."""
    return graph_pb2.SolveGraphResponse(
        outcomes=solved.outcomes.tolist(),
        remoteness=solved.remoteness.tolist(),
        grundy=() if solved.grundy is None else solved.grundy.tolist(),
        random_chances=solved.random.tolist(),
        perfect_chances=solved.perfect.tolist(),
        error_bound=solved.error_bound,
    )
