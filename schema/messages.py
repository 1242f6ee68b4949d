"""Answers to and from messages of the contract: the server writes them, the clients read them.

Messages that are part of a response are filled in place, which saves copying them on the path of
every call. Enum numbers that a newer server may send read as UNKNOWN.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, Protocol, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from schema.answers import (
    PASS,
    Action,
    Analysis,
    AnalyzedMove,
    Answer,
    Bite,
    Build,
    Certainty,
    GameInfo,
    HeapChange,
    Limits,
    Method,
    Move,
    NamedGame,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
    WinProbability,
)
from schema.estimates import Calibration, Candidate, Estimate, Estimates
from schema.geometry import Geometry, Measure, Shape
from schema.lines import BestLine
from schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    line_pb2,
)
from schema.proto.position_oracle.v1 import service_pb2 as pb

MAX_DIGITS: Final = 4_300
"""Longest number that Python reads without being told to."""

_OUTCOME: Final = {each: answer_pb2.Outcome.Value(f"OUTCOME_{each.name}") for each in Outcome}
_CERTAINTY: Final = {each: answer_pb2.Certainty.Value(f"CERTAINTY_{each}") for each in Certainty}
_METHOD: Final = {each: chance_pb2.Method.Value(f"METHOD_{each}") for each in Method}
_OUTCOMES: Final = {number: each for each, number in _OUTCOME.items()}
_CERTAINTIES: Final = {number: each for each, number in _CERTAINTY.items()}
_METHODS: Final = {number: each for each, number in _METHOD.items()}


class Noise(Protocol):
    """A random perturbation, whose text names its distribution."""

    @property
    def seed(self) -> int:
        """The seed."""


class Game(NamedGame, Protocol):
    """A game as the engine specifies it."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str:
        """Name of the family in the contract."""

    @property
    def heaps(self) -> int | None:
        """Number of heaps."""

    @property
    def passes(self) -> int:
        """Passes left."""

    @property
    def misere(self) -> bool:
        """Whether the last move loses."""

    @property
    def declared(self) -> tuple[tuple[int, ...], ...]:
        """Positions declared N."""

    @property
    def noise(self) -> Noise | None:
        """Positions declared N at random."""

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The family's own options: names and values."""


class Position(Protocol):
    """A position as the engine holds it; its text is its canonical one."""

    @property
    def game(self) -> Game:
        """The game, with the passes left."""

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The numbers of the typed form."""

    @property
    def typed_form(self) -> str:
        """Name of a form of `TYPED_FORMS`, or `text` for a family that has none."""


P = TypeVar("P", bound=Position)
G = TypeVar("G", bound=Game)


@dataclass(frozen=True, slots=True)
class TypedForm:
    """A form in which positions of some families travel, beside their text.

    Attributes:
        family: the family of a position that comes without a game; None where it has to come.
        read: the numbers in a message.
        fill: write numbers into a message.
        path: the rest of the path to a number, by its index.
    """

    family: str | None
    read: Callable[[game_pb2.Position], tuple[int, ...]]
    fill: Callable[[game_pb2.Position, tuple[int, ...]], None]
    path: Callable[[int], str]


def _fill_three_row(message: game_pb2.Position, coordinates: tuple[int, ...]) -> None:
    board = message.three_row_chomp
    board.SetInParent()
    board.x, board.y, board.z = coordinates


def _fill_heaps(message: game_pb2.Position, coordinates: tuple[int, ...]) -> None:
    message.heaps.SetInParent()
    message.heaps.sizes.extend(coordinates)


def _fill_board(message: game_pb2.Position, coordinates: tuple[int, ...]) -> None:
    message.chomp_board.SetInParent()
    message.chomp_board.rows.extend(coordinates)


def _three_row(message: game_pb2.Position) -> tuple[int, ...]:
    board = message.three_row_chomp
    return board.x, board.y, board.z


TYPED_FORMS: Final[Mapping[str, TypedForm]] = {
    "three_row_chomp": TypedForm("chomp3", _three_row, _fill_three_row, lambda i: f".{'xyz'[i]}"),
    "heaps": TypedForm(
        None, lambda message: tuple(message.heaps.sizes), _fill_heaps, lambda i: f".sizes[{i}]"
    ),
    "chomp_board": TypedForm(
        "chomp",
        lambda message: tuple(message.chomp_board.rows),
        _fill_board,
        lambda i: f".rows[{i}]",
    ),
}
"""The typed forms of the contract; a family names its own in its rules (`Rules.typed_form`)."""


def fill_position(message: game_pb2.Position, position: Position) -> None:
    """Write a position in the typed form of its family; as text where there is none."""
    form = TYPED_FORMS.get(position.typed_form)
    if form is None:
        message.text = str(position)
        return
    form.fill(message, position.coordinates)
    message.game.CopyFrom(write_game(position.game))


@lru_cache(maxsize=256)
def write_game(game: Game) -> game_pb2.GameSpec:
    """A game, typed. The message is shared: read it only."""
    options = dict(game.options)
    message = game_pb2.GameSpec(
        family=game.name,
        heaps=game.heaps,
        rule=options.pop("rule", ""),
        passes=game.passes,
        misere=game.misere,
        declared=[game_pb2.Coordinates(values=position) for position in game.declared],
        options=options,
    )
    if game.noise is not None:
        message.noise.distribution = str(game.noise)
        message.noise.seed = game.noise.seed
    return message


def fill_answer(message: answer_pb2.Answer, answer: Answer[P]) -> None:
    """Write an answer, without its winning moves."""
    fill_position(message.position, answer.position)
    message.position_text = str(answer.position)
    message.game_text = answer.position.game.text
    message.outcome = _OUTCOME[answer.outcome]
    message.certainty = _CERTAINTY[answer.certainty]
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
    message.certainty = _CERTAINTY[Certainty.ESTIMATE]
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
    message.child_outcome = _OUTCOME[analyzed.outcome]
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
        certainty=_CERTAINTY[answer.certainty],
        method=_METHOD[answer.method],
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


def write_game_info(info: GameInfo[G]) -> answer_pb2.GameInfo:
    """What is answered about one game."""
    return answer_pb2.GameInfo(
        game=write_game(info.game),
        game_text=info.game.text,
        questions=info.questions,
        range=info.range,
        limit=info.limit,
        certainty=_CERTAINTY[info.certainty],
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
        certainty=_CERTAINTY[Certainty.ESTIMATE],
        calibration=write_calibration(estimates.calibration),
        reason=estimates.reason,
        is_known=estimates.is_known,
    )
    if estimates.tables is not None:
        response.tables.CopyFrom(write_tables(estimates.tables))
    return response


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
        outcome=_OUTCOMES.get(message.outcome, Outcome.UNKNOWN),
        certainty=_CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
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
        outcome=_OUTCOMES.get(message.child_outcome, Outcome.UNKNOWN),
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
        certainty=_CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
        method=_METHODS.get(message.method, Method.UNKNOWN),
        reason=message.reason,
        best_moves=_read_moves(message.best_moves) if message.HasField("best_moves") else None,
        tables=read_tables(message),
    )


def _read_fraction(numerator: str, denominator: str) -> Fraction | None:
    if not numerator and not denominator:
        return None
    for digits in (numerator, denominator):
        if not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
            raise ValueError(f"{digits[:40]!r} is no part of a fraction")
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


def _read_game_info(message: answer_pb2.GameInfo) -> GameInfo:
    return GameInfo(
        game=message.game_text,
        questions=tuple(message.questions),
        range=message.range,
        limit=message.limit if message.HasField("limit") else None,
        certainty=_CERTAINTIES.get(message.certainty, Certainty.UNKNOWN),
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
