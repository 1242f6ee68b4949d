"""Answers written: what the oracle says into messages of the contract."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from engine.games.notation import format_position
from engine.games.position import Move, Outcome, Position
from engine.games.spec import GameSpec
from oracle.answers import Answer, Certainty, GameInfo
from schema.proto.position_oracle.v1 import answer_pb2, game_pb2
from schema.provenance import BuildRecord

_CERTAINTY: Final = {
    certainty: answer_pb2.Certainty.Value(f"CERTAINTY_{certainty}") for certainty in Certainty
}
_OUTCOME: Final = {
    outcome: answer_pb2.Outcome.Value(f"OUTCOME_{outcome.name}") for outcome in Outcome
}


def write_answer(answer: Answer) -> answer_pb2.Answer:
    """An answer, without its winning moves."""
    return answer_pb2.Answer(
        position=write_position(answer.position),
        position_text=format_position(answer.position),
        outcome=_OUTCOME[answer.outcome],
        certainty=_CERTAINTY[answer.certainty],
        reason=answer.reason,
    )


def write_winning_moves(moves: Iterable[Move]) -> answer_pb2.WinningMoves:
    """Winning moves, in the order given."""
    return answer_pb2.WinningMoves(moves=[_write_move(move) for move in moves])


def write_position(position: Position) -> game_pb2.Position:
    """A position in the typed form of its family; as text where there is none."""
    family, coordinates = position.game.family, position.coordinates
    game = write_game(position.game)
    if family == "chomp3":
        x, y, z = coordinates
        return game_pb2.Position(three_row_chomp=game_pb2.ThreeRowChomp(x=x, y=y, z=z), game=game)
    if family == "chomp":
        return game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=coordinates), game=game)
    if family in {"nim", "wythoff"}:
        return game_pb2.Position(heaps=game_pb2.Heaps(sizes=coordinates), game=game)
    return game_pb2.Position(text=format_position(position))


@lru_cache(maxsize=256)
def write_game(game: GameSpec) -> game_pb2.GameSpec:
    """A game, typed. The message is shared: read it only."""
    message = game_pb2.GameSpec(
        family=game.family,
        heaps=game.heaps,
        rule=game.rule or "",
        passes=game.passes,
        misere=game.misere,
        declared=[game_pb2.Coordinates(values=position) for position in game.declared],
    )
    if game.noise is not None:
        message.noise.distribution = str(game.noise)
        message.noise.seed = game.noise.seed
    return message


def write_game_info(info: GameInfo) -> answer_pb2.GameInfo:
    """What is answered about one game."""
    return answer_pb2.GameInfo(
        game=write_game(info.game),
        game_text=info.game.text,
        questions=info.questions,
        range=info.range,
        limit=info.limit,
        certainty=_CERTAINTY[info.certainty],
        build=None if info.build is None else _write_build(info.build),
    )


def _write_build(build: BuildRecord) -> answer_pb2.Build:
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


def _write_move(move: Move) -> game_pb2.Move:
    return game_pb2.Move(
        child=write_position(move.child),
        child_text=format_position(move.child),
        is_pass=move.is_pass,
    )
