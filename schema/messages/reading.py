"""Conversion of messages of the contract to answers, for the clients.

Enumeration numbers of a newer server become unknown. The value of an answer decides whether it is
known; with a value, an unknown certainty becomes OTHER.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from fractions import Fraction
from typing import Final, Literal, Protocol

import numpy as np

from position_oracle.schema.analyses import (
    AnalyzedMove,
    Listing,
    Method,
    Turns,
    WinProbability,
)
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.estimates import Calibration, Candidate, Estimate, Estimates
from position_oracle.schema.games import (
    BatchLimits,
    Build,
    GameInfo,
    GameSource,
    Introduction,
    Limits,
)
from position_oracle.schema.geometry import Measure, Shape
from position_oracle.schema.graphs import SolvedGraph
from position_oracle.schema.lines import BestLine
from position_oracle.schema.messages.numbers import (
    CERTAINTIES,
    LISTINGS,
    METHODS,
    OUTCOMES,
    QUESTIONS,
)
from position_oracle.schema.moves import PASS, Action, Bite, HeapChange, Move
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    catalog_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    graph_pb2,
    line_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

MAX_DIGITS: Final = 4_300
"""Maximum number of digits that Python converts by default."""


def read_outcome(response: pb.GetOutcomeResponse) -> Answer:
    """Return the answer, without winning moves."""
    return read_answer(response.answer, None)


def read_answer(message: answer_pb2.Answer, moves: tuple[Move, ...] | None) -> Answer:
    """Return an answer, with winning moves that were read separately."""
    outcome = OUTCOMES.get(message.outcome, Outcome.UNKNOWN)
    return Answer(
        position=message.position.text,
        outcome=outcome,
        certainty=_certainty(message.certainty, is_known=outcome is not Outcome.UNKNOWN),
        reason=message.reason,
        winning_moves=moves,
        transfinite=_read_facts(message.transfinite) if message.HasField("transfinite") else None,
        certificate=message.certificate or None,
        game=message.position.game.text,
        tables=read_tables(message),
        estimate=_read_estimate(message.estimate) if message.HasField("estimate") else None,
    )


def _certainty(number: int, *, is_known: bool) -> Certainty:
    """Return the certainty of an answer; its value decides whether it is known."""
    if not is_known:
        return Certainty.UNKNOWN
    found = CERTAINTIES.get(number, Certainty.UNKNOWN)
    return Certainty.OTHER if found is Certainty.UNKNOWN else found


class WithTables(Protocol):
    """A message with the tables that answered it."""

    @property
    def tables(self) -> answer_pb2.TableSet:
        """The tables."""

    def HasField(self, name: Literal["tables"], /) -> bool:  # noqa: N802 - as protobuf has it
        """Return whether the message names tables."""


def read_tables(message: WithTables) -> Tables | None:
    """Read the tables behind a message; None if an older server does not name them."""
    if not message.HasField("tables"):
        return None
    return Tables(message.tables.version, tuple(message.tables.build_ids))


def _read_estimate(message: answer_pb2.ChanceEstimate) -> Estimate:
    return Estimate(message.chance, message.reason, _read_calibration(message.calibration))


def _read_calibration(message: answer_pb2.EstimateCalibration) -> Calibration:
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


def read_moves(messages: Iterable[game_pb2.Move]) -> tuple[Move, ...]:
    """Return moves in order."""
    return tuple(_read_move(message) for message in messages)


def _read_move(message: game_pb2.Move) -> Move:
    action = _read_action(message.action) if message.HasField("action") else None
    is_pass = action is not None and action.is_pass and action.component is None
    return Move(message.child.text, is_pass, action)


def read_best_move(response: pb.GetBestMoveResponse) -> Move | None:
    """Return the move to make; None if the game is over."""
    return _read_move(response.move) if response.HasField("move") else None


def _read_action(message: game_pb2.Action) -> Action:
    component = message.component if message.HasField("component") else None
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


def read_listing(response: analysis_pb2.AnalyzePositionResponse) -> Listing:
    """Read the moves of an analysis from its pages; none if a newer server lists them otherwise."""
    return LISTINGS.get(response.listing, Listing.NONE)


def read_winning_places(
    messages: Iterable[analysis_pb2.AnalyzedMove],
) -> Iterator[tuple[int, Move]]:
    """Read each move with its place among the winning moves, if it has one."""
    for message in messages:
        if message.HasField("winning_place"):
            yield message.winning_place, _read_move(message.move)


def read_analyzed(message: analysis_pb2.AnalyzedMove) -> AnalyzedMove:
    """Return a move, and the values of the position after it."""
    move = _read_move(message.move)
    return AnalyzedMove(
        move=move,
        outcome=OUTCOMES.get(message.child_outcome, Outcome.UNKNOWN),
        values=read_values(message.child_values),
        component=None if move.action is None else move.action.component,
    )


def read_best_line(
    response: line_pb2.GetBestLineResponse, plies: tuple[AnalyzedMove, ...]
) -> BestLine:
    """Return a best line from the last response, with the plies of all responses."""
    return BestLine(
        answer=read_answer(response.answer, None),
        remoteness=response.remoteness if response.HasField("remoteness") else None,
        plies=plies,
        complete=response.complete,
        reason=response.reason,
    )


def read_values(message: analysis_pb2.PositionValues) -> PositionValues:
    """Return the values of a position."""
    return PositionValues(
        grundy=message.grundy if message.HasField("grundy") else None,
        grundy_unrestricted=(
            message.grundy_unrestricted if message.HasField("grundy_unrestricted") else None
        ),
        remoteness=message.remoteness if message.HasField("remoteness") else None,
    )


def read_win_probability(
    message: chance_pb2.WinProbability, best_moves: tuple[Move, ...]
) -> WinProbability:
    """Return a win probability, with the best moves of all pages if known.

    Raises:
        ValueError: the fraction is not valid.
    """
    value = message.value if message.HasField("value") else None
    return WinProbability(
        position=message.position.text,
        model=message.model,
        value=value,
        exact=_read_fraction(message),
        error_bound=message.error_bound if message.HasField("error_bound") else None,
        certainty=_certainty(message.certainty, is_known=value is not None),
        method=METHODS.get(message.method, Method.UNKNOWN),
        reason=message.reason,
        best_moves=best_moves if message.HasField("best_move_count") else None,
        tables=read_tables(message),
    )


def read_turns(message: chance_pb2.GameLength, distribution: tuple[float, ...]) -> Turns:
    """Return the length of a game, with the distribution of all pages.

    Raises:
        ValueError: the fraction is not valid.
    """
    mean = message.mean if message.HasField("mean") else None
    return Turns(
        position=message.position.text,
        mean=mean,
        mean_exact=_read_fraction(message),
        distribution=distribution or None,
        certainty=_certainty(message.certainty, is_known=mean is not None),
        method=METHODS.get(message.method, Method.UNKNOWN),
        reason=message.reason,
        tables=read_tables(message),
    )


def _read_fraction(message: chance_pb2.WinProbability | chance_pb2.GameLength) -> Fraction | None:
    if not message.HasField("exact"):
        return None
    numerator, denominator = message.exact.numerator, message.exact.denominator
    for digits in (numerator, denominator):
        if not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
            raise ValueError(f"{digits[:40]!r} is not a part of a fraction")
    if not int(denominator):
        raise ValueError("a fraction has the denominator 0")
    return Fraction(int(numerator), int(denominator))


def read_shapes(response: geometry_pb2.GetGeometryResponse) -> tuple[Shape, ...]:
    """Return a page of the shapes of a game."""
    return tuple(_read_shape(response.game.text, message) for message in response.shapes)


def _read_shape(game: str, message: geometry_pb2.SheetShape) -> Shape:
    measures = tuple(
        Measure(
            quantity=one.quantity,
            value=one.value,
            standard_error=one.standard_error if one.HasField("standard_error") else None,
            expected=one.expected if one.HasField("expected") else None,
            meaning=one.meaning,
        )
        for one in message.measures
    )
    return Shape(game, message.source, message.first_x, message.last_x, measures, message.table)


def read_estimates(response: geometry_pb2.GetEstimatesResponse) -> Estimates:
    """Return candidates with their chances."""
    return Estimates(
        candidates=tuple(
            Candidate(one.chance, one.position.text or None) for one in response.candidates
        ),
        rest=response.rest,
        reason=response.reason,
        calibration=_read_calibration(response.calibration),
        is_known=response.is_known,
        tables=read_tables(response),
    )


def read_games(response: catalog_pb2.ListGamesResponse) -> tuple[GameInfo, ...]:
    """Return a page of the games."""
    return tuple(_read_game_info(info) for info in response.games)


def read_solved_graph(response: graph_pb2.SolveGraphResponse, nodes: int) -> SolvedGraph:
    """Read the results of the nodes of a graph.

    Raises:
        ValueError: the arrays do not have `nodes` entries.
    """
    grundy = np.array(response.grundy, np.int32)
    found = SolvedGraph(
        outcomes=np.array(response.outcomes, np.uint8),
        remoteness=np.array(response.remoteness, np.int32),
        random=np.array(response.random_chances, np.float64),
        perfect=np.array(response.perfect_chances, np.float64),
        grundy=grundy if len(grundy) else None,
        error_bound=response.error_bound,
    )
    lengths = {len(found.outcomes), len(found.remoteness), len(found.random), len(found.perfect)}
    if lengths != {nodes} or len(grundy) not in {0, nodes}:
        raise ValueError(f"the graph has {nodes} nodes")
    return found


def read_batch_limits(response: catalog_pb2.ListGamesResponse) -> BatchLimits:
    """Return the limits of a server on a batch; the defaults if the message has none."""
    if not response.HasField("limits"):
        return BatchLimits()
    return BatchLimits(response.limits.batch_positions, response.limits.batch_bytes)


def _read_game_info(message: catalog_pb2.GameInfo) -> GameInfo:
    return GameInfo(
        game=message.game.text,
        sources=tuple(_read_source(source, message.game.text) for source in message.sources),
        introduction=Introduction(
            title=message.title,
            start=message.example.text,
            rules=message.rules,
            loses=message.loses_when,
            note=message.note,
        ),
    )


def _read_source(message: catalog_pb2.GameSource, game: str) -> GameSource:
    return GameSource(
        range=message.range,
        certainty=_certainty(message.certainty, is_known=True),
        questions=tuple(QUESTIONS[each] for each in message.questions if each in QUESTIONS),
        limits=_read_limits(message.limits) if message.HasField("limits") else None,
        build=_read_build(message.build, game) if message.HasField("build") else None,
    )


def _read_limits(message: catalog_pb2.RangeLimits) -> Limits:
    return {limit.quantity: limit.most for limit in message.limits}


def _read_build(build: catalog_pb2.TableBuild, game: str) -> Build:
    return Build(
        build_id=build.build_id,
        game=game,
        kind=build.kind,
        limit=build.limit,
        started_at=build.start_time.ToDatetime(UTC),
        seconds=build.duration.ToTimedelta().total_seconds(),
        rows=build.rows,
        checksum=build.checksum,
        program=build.program,
        environment=json.dumps(
            {**build.environment.versions, "platform": build.environment.platform}
        ),
    )
