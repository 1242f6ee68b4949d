"""Messages of the contract to answers, as the clients read them.

Numbers of enumerations that a newer server may send read as UNKNOWN.
"""

from datetime import UTC
from fractions import Fraction
from typing import Final, Literal, Protocol

from position_oracle.schema.analyses import Analysis, AnalyzedMove, Method, Turns, WinProbability
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.estimates import Calibration, Candidate, Estimate, Estimates
from position_oracle.schema.games import BatchLimits, Build, GameInfo, Limits
from position_oracle.schema.geometry import Geometry, Measure, Shape
from position_oracle.schema.lines import BestLine
from position_oracle.schema.messages.numbers import CERTAINTIES, METHODS, OUTCOMES
from position_oracle.schema.moves import PASS, Action, Bite, HeapChange, Move
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    line_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

MAX_DIGITS: Final = 4_300
"""Longest number that Python reads without being told to."""


def read_outcome(response: pb.GetOutcomeResponse) -> Answer:
    """The answer, without winning moves."""
    return _read_answer(response.answer, None)


def read_winning_moves(
    response: pb.ListWinningMovesResponse | analysis_pb2.AnalyzePositionResponse,
) -> Answer:
    """The answer in a response that has winning moves beside it, where they are known."""
    known = response.HasField("winning_moves")
    return _read_answer(response.answer, _read_moves(response.winning_moves) if known else None)


def _read_answer(message: answer_pb2.Answer, moves: tuple[Move, ...] | None) -> Answer:
    return Answer(
        position=message.position_text,
        outcome=OUTCOMES.get(message.outcome, Outcome.UNKNOWN),
        certainty=CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
        reason=message.reason,
        winning_moves=moves,
        transfinite=_read_facts(message.transfinite) if message.HasField("transfinite") else None,
        certificate=message.certificate or None,
        game=message.game_text,
        tables=read_tables(message),
        estimate=_read_estimate(message.estimate) if message.HasField("estimate") else None,
    )


class WithTables(Protocol):
    """A message that says from which tables it was answered."""

    @property
    def tables(self) -> answer_pb2.Tables:
        """The tables."""

    def HasField(self, name: Literal["tables"], /) -> bool:  # noqa: N802 - as protobuf has it
        """Whether it says so."""


def read_tables(message: WithTables) -> Tables | None:
    """The tables that a message was answered from; None where an older server does not say."""
    if not message.HasField("tables"):
        return None
    return Tables(message.tables.version, tuple(message.tables.build_ids))


def _read_estimate(message: answer_pb2.Estimate) -> Estimate:
    return Estimate(message.chance, message.reason, _read_calibration(message.calibration))


def _read_calibration(message: answer_pb2.Calibration) -> Calibration:
    return Calibration(
        learned_from=message.learned_from,
        judged_on=message.judged_on,
        judged=message.judged,
        bits=message.bits,
        base_bits=message.base_bits,
        calibration_error=message.calibration_error,
    )


def _read_facts(message: answer_pb2.TransfiniteFacts) -> TransfiniteFacts:
    return TransfiniteFacts(
        size=message.size or None,
        rule=message.rule or None,
        bite=tuple(message.bite) or None,
        grundy=message.grundy or None,
        grundy_unrestricted=message.grundy_unrestricted or None,
    )


def _read_moves(message: answer_pb2.WinningMoves | chance_pb2.BestMoves) -> tuple[Move, ...]:
    return tuple(Move(move.child_text, move.is_pass, _read_action(move)) for move in message.moves)


def _read_action(move: game_pb2.Move | analysis_pb2.AnalyzedMove) -> Action | None:
    """How a move is made; None where an older server does not say."""
    if not move.HasField("action"):
        return None
    message = move.action
    component = move.component if move.HasField("component") else None
    kind, words = message.WhichOneof("kind"), message.words
    if kind == PASS:
        return Action(is_pass=True, component=component, words=words)
    if kind == "bite":
        bite = Bite(message.bite.row, message.bite.column)
        return Action(bite=bite, component=component, words=words)
    if kind == "taking":
        heaps = tuple(
            HeapChange(each.heap, each.tokens, tuple(each.left), getattr(each, PASS))
            for each in message.taking.heaps
        )
        return Action(taking=heaps, component=component, words=words)
    return Action(
        divisor=message.divisor if kind == "divisor" else None,
        power_product=message.power_product if kind == "power_product" else None,
        cell=message.cell if kind == "cell" else None,
        ordinal_bite=tuple(message.ordinal_bite.coordinates) if kind == "ordinal_bite" else None,
        component=component,
        words=words,
    )


def read_analysis(response: analysis_pb2.AnalyzePositionResponse, *, moves: bool) -> Analysis:
    """What is known, with the moves if they were asked for."""
    return Analysis(
        answer=read_winning_moves(response),
        values=_read_values(response.values),
        moves=tuple(_read_analyzed(message) for message in response.moves) if moves else None,
        complete=response.complete,
    )


def read_best_line(response: line_pb2.GetBestLineResponse) -> BestLine:
    """A best line from the response."""
    return BestLine(
        answer=_read_answer(response.answer, None),
        remoteness=response.remoteness if response.HasField("remoteness") else None,
        plies=tuple(_read_analyzed(message) for message in response.plies),
        complete=response.complete,
        reason=response.reason,
    )


def _read_analyzed(message: analysis_pb2.AnalyzedMove) -> AnalyzedMove:
    return AnalyzedMove(
        move=Move(message.child_text, message.is_pass, _read_action(message)),
        outcome=OUTCOMES.get(message.child_outcome, Outcome.UNKNOWN),
        values=_read_values(message.child_values),
        component=message.component if message.HasField("component") else None,
    )


def _read_values(message: analysis_pb2.PositionValues) -> PositionValues:
    return PositionValues(
        grundy=message.grundy if message.HasField("grundy") else None,
        grundy_unrestricted=(
            message.grundy_unrestricted if message.HasField("grundy_unrestricted") else None
        ),
        remoteness=message.remoteness if message.HasField("remoteness") else None,
    )


def read_win_probability(message: chance_pb2.WinProbability) -> WinProbability:
    """A win probability, with the best moves where there are some.

    Raises:
        ValueError: the fraction is none.
    """
    return WinProbability(
        position=message.position_text,
        model=message.model,
        value=message.value if message.HasField("value") else None,
        exact=_read_fraction(message.exact_numerator, message.exact_denominator),
        error_bound=message.error_bound if message.HasField("error_bound") else None,
        certainty=CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
        method=METHODS.get(message.method, Method.UNKNOWN),
        reason=message.reason,
        best_moves=_read_moves(message.best_moves) if message.HasField("best_moves") else None,
        tables=read_tables(message),
    )


def read_turns(message: chance_pb2.Turns) -> Turns:
    """How long a game lasts.

    Raises:
        ValueError: the fraction is none.
    """
    return Turns(
        position=message.position_text,
        mean=message.mean if message.HasField("mean") else None,
        mean_exact=_read_fraction(message.mean_numerator, message.mean_denominator),
        distribution=tuple(message.distribution) or None,
        certainty=CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
        method=METHODS.get(message.method, Method.UNKNOWN),
        reason=message.reason,
        tables=read_tables(message),
    )


def _read_fraction(numerator: str, denominator: str) -> Fraction | None:
    if not numerator and not denominator:
        return None
    for digits in (numerator, denominator):
        if not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
            raise ValueError(f"{digits[:40]!r} is not a part of a fraction")
    if not int(denominator):
        raise ValueError("a fraction has the denominator 0")
    return Fraction(int(numerator), int(denominator))


def read_geometry(response: geometry_pb2.GetGeometryResponse) -> Geometry:
    """What the sheets of a game look like."""
    game = response.game_text
    shapes = tuple(_read_shape(game, message) for message in response.shapes)
    return Geometry(game, shapes, read_tables(response))


def _read_shape(game: str, message: geometry_pb2.Shape) -> Shape:
    measures = tuple(
        Measure(
            quantity=one.quantity,
            value=one.value,
            standard_error=one.standard_error if one.HasField("standard_error") else None,
            expected=one.expected if one.HasField("expected") else None,
        )
        for one in message.measures
    )
    return Shape(game, message.source, message.first_x, message.last_x, measures, message.table)


def read_estimates(response: geometry_pb2.GetEstimatesResponse) -> Estimates:
    """Candidates with their chances."""
    return Estimates(
        candidates=tuple(
            Candidate(one.chance, one.position_text or None) for one in response.candidates
        ),
        rest=response.rest,
        reason=response.reason,
        calibration=_read_calibration(response.calibration),
        is_known=response.is_known,
        tables=read_tables(response),
    )


def read_games(response: pb.ListGamesResponse) -> tuple[GameInfo, ...]:
    """What is answered, game by game."""
    return tuple(_read_game_info(info) for info in response.games)


def read_batch_limits(response: pb.ListGamesResponse) -> BatchLimits:
    """What a server accepts in a batch; the defaults where it does not say."""
    if not response.HasField("limits"):
        return BatchLimits()
    return BatchLimits(response.limits.batch_positions, response.limits.batch_bytes)


def _read_game_info(message: answer_pb2.GameInfo) -> GameInfo:
    return GameInfo(
        game=message.game_text,
        questions=tuple(message.questions),
        range=message.range,
        limit=message.limit if message.HasField("limit") else None,
        certainty=CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
        build=_read_build(message) if message.HasField("build") else None,
        limits=_read_limits(message.limits) if message.HasField("limits") else None,
    )


def _read_limits(message: answer_pb2.Limits) -> Limits:
    return Limits(**{field.name: value for field, value in message.ListFields()})


def _read_build(info: answer_pb2.GameInfo) -> Build:
    build = info.build
    return Build(
        build_id=build.build_id,
        game=info.game_text,
        kind=build.kind,
        limit=build.limit,
        started_at=build.start_time.ToDatetime(UTC),
        seconds=build.seconds,
        rows=build.rows,
        checksum=build.checksum,
        program=build.program,
        environment=build.environment,
    )
