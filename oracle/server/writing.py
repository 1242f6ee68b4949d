"""Answers written: what the oracle says into messages of the contract."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from engine.games.notation import format_position
from engine.games.position import Move, Outcome, Position
from engine.games.spec import GameSpec
from oracle.answers import Answer, Certainty, GameInfo, TransfiniteFacts
from schema.proto.position_oracle.v1 import answer_pb2, chance_pb2, game_pb2
from schema.provenance import BuildRecord

CERTAINTY: Final = {
    certainty: answer_pb2.Certainty.Value(f"CERTAINTY_{certainty.value}") for certainty in Certainty
}
OUTCOME: Final = {
    outcome: answer_pb2.Outcome.Value(f"OUTCOME_{outcome.name}") for outcome in Outcome
}


def fill_answer(message: answer_pb2.Answer, answer: Answer) -> None:
    """Write an answer, without its winning moves, into a message that is part of a response.

    Filling messages in place saves copying them; this is on the path of every call.
    """
    fill_position(message.position, answer.position)
    message.position_text = format_position(answer.position)
    message.outcome = OUTCOME[answer.outcome]
    message.certainty = CERTAINTY[answer.certainty]
    message.reason = answer.reason
    if answer.transfinite is not None:
        _fill_transfinite(message.transfinite, answer.transfinite)


def _fill_transfinite(message: answer_pb2.TransfiniteFacts, said: TransfiniteFacts) -> None:
    facts = answer_pb2.TransfiniteFacts(
        size=said.size or "",
        rule=said.rule or "",
        bite=said.bite,
        grundy=said.grundy or "",
        grundy_unrestricted=said.grundy_unrestricted or "",
    )
    message.CopyFrom(facts)


def fill_moves(
    message: answer_pb2.WinningMoves | chance_pb2.BestMoves, moves: Iterable[Move]
) -> None:
    """Write moves, in the order given; none at all is written, too."""
    message.SetInParent()
    for move in moves:
        written = message.moves.add()
        fill_position(written.child, move.child)
        written.child_text = format_position(move.child)
        written.is_pass = move.is_pass


def fill_position(message: game_pb2.Position, position: Position) -> None:
    """Write a position in the typed form of its family; as text where there is none."""
    family, coordinates = position.game.family, position.coordinates
    if family == "chomp3":
        board = message.three_row_chomp
        board.SetInParent()
        board.x, board.y, board.z = coordinates
    elif family == "chomp":
        message.chomp_board.SetInParent()
        message.chomp_board.rows.extend(coordinates)
    elif family in {"nim", "wythoff"}:
        message.heaps.SetInParent()
        message.heaps.sizes.extend(coordinates)
    else:
        message.text = format_position(position)
        return
    message.game.CopyFrom(write_game(position.game))


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
        certainty=CERTAINTY[info.certainty],
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
