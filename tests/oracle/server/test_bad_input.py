"""Each request that breaks a rule is refused, with the field and the rule, and harms no other."""

import gzip
from typing import Any

import grpc
import numpy as np
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.oracle.families.sources import SLICE
from position_oracle.oracle.server import ServerSettings, requests
from position_oracle.oracle.server.errors import MAX_MESSAGE
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import (
    ChompBoard,
    Coordinates,
    DeclaredNoise,
    Game,
    GameSpec,
    HeapPosition,
    Position,
    ThreeRowChomp,
)
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SERVICE, BrokenOracle, SlowOracle, raw_call
from tests.serving import running_server

INVALID = grpc.StatusCode.INVALID_ARGUMENT
METHODS = [method.name for method in pb.DESCRIPTOR.services_by_name["PositionOracle"].methods]


def typed(game: GameSpec) -> Position:
    return Position(three_row_chomp=ThreeRowChomp(x=1), game=Game(spec=game))


def heap(**game: Any) -> Position:
    return Position(heaps=HeapPosition(sizes=[1]), game=Game(spec=GameSpec(**game)))


POSITIONS = {
    "nothing": (Position(), "position.text", "missing"),
    "blank text": (Position(text=" "), "position.text", "positions look like"),
    "negative text": (Position(text="chomp3:[-1,0,0]"), "position.text", "x = -1"),
    "negative": (
        Position(three_row_chomp=ThreeRowChomp(x=1, y=-(2**63))),
        "position.three_row_chomp.y",
        "allowed are 0 to",
    ),
    "2^63": (Position(text=f"chomp3:[{2**63},0,0]"), "position.text", "allowed are 0 to"),
    "sum beyond 2^63": (
        Position(three_row_chomp=ThreeRowChomp(x=2**62, y=2**62)),
        "position.three_row_chomp",
        "x + y + z",
    ),
    "too few numbers": (Position(text="chomp3:[1,2]"), "position.text", "it takes 3"),
    "too many numbers": (Position(text="chomp3:[1,2,3,4]"), "position.text", "it takes 3"),
    "not a number": (Position(text="chomp3:[NaN,0,0]"), "position.text", "NaN"),
    "infinite": (Position(text="chomp3:[inf,0,0]"), "position.text", "inf"),
    "a fraction": (Position(text="chomp3:[1.5,0,0]"), "position.text", "1.5"),
    "other digits": (Position(text="chomp3:[\u0661,0,0]"), "position.text", "whole number"),
    "10,000 digits": (Position(text=f"chomp3:[{'9' * 10_000},0,0]"), "position.text", "4096"),
    "too many passes": (Position(text="chomp3:[1,2,3;65]"), "position.text", "0 to 64"),
    "a text of another game": (
        Position(text="chomp3:[1,2,3]", game=Game(text="chomp3{passes=1}")),
        "position.game",
        "is not chomp3, the game of the text",
    ),
    "a text of another position": (
        Position(text="chomp3:[1,2,3]", three_row_chomp=ThreeRowChomp(x=1, y=2, z=4)),
        "position.text",
        "is chomp3:[1,2,3], but three_row_chomp is chomp3:[1,2,4]",
    ),
    "two games": (
        Position(
            heaps=HeapPosition(sizes=[1]),
            game=Game(text="nim", spec=GameSpec(family="nim", misere=True)),
        ),
        "position.game.text",
        "is nim, but spec is nim{misere}",
    ),
    "an option that the name stands for": (
        heap(family="kayles", options={"code": "0.07"}),
        "position.game.spec",
        "kayles has its own code",
    ),
    "an option that has a field": (
        heap(family="nim", options={"passes": "1"}),
        "position.game.spec",
        "no option passes",
    ),
    "increasing rows": (
        Position(chomp_board=ChompBoard(rows=[1, 2])),
        "position.chomp_board",
        "may not increase",
    ),
    "a negative row": (
        Position(chomp_board=ChompBoard(rows=[5, -2])),
        "position.chomp_board.rows[1]",
        "-2",
    ),
    "too many rows": (
        Position(chomp_board=ChompBoard(rows=[1] * 10_001)),
        "position.chomp_board",
        "at most 10000",
    ),
    "heaps of no game": (Position(heaps=HeapPosition(sizes=[1])), "position.game", "nim, wythoff"),
    "a form of another game": (
        typed(GameSpec(family="chomp")),
        "position.game",
        "takes one of chomp3",
    ),
    "passes below 0": (
        typed(GameSpec(family="chomp3", passes=-1)),
        "position.game.spec",
        "0 to 64",
    ),
    "a declared pair": (
        typed(GameSpec(family="chomp3", declared=[Coordinates(values=[1, 2])])),
        "position.game.spec",
        "it takes 3",
    ),
    "too many declared": (
        Position(
            three_row_chomp=ThreeRowChomp(x=1),
            game=Game(
                spec=GameSpec(family="chomp3", declared=[Coordinates(values=[1, 2, 3])] * 1001)
            ),
        ),
        "position.game.spec.declared",
        "the limit is 1000",
    ),
    "no such noise": (
        Position(
            three_row_chomp=ThreeRowChomp(x=1),
            game=Game(
                spec=GameSpec(family="chomp3", noise=DeclaredNoise(distribution="cauchy(1)"))
            ),
        ),
        "position.game.spec",
        "cauchy",
    ),
}


def packed(count: int, width: int = 3, game: str = "chomp3") -> pb.PackedPositions:
    return pb.PackedPositions(
        game=Game(text=game), width=width, coordinates=bytes(4 * width * count)
    )


def negative_in_row(row: int) -> pb.PackedPositions:
    positions = np.zeros((row + 1, 3), "<i4")
    positions[row] = (3, -1, 2)
    return pb.PackedPositions(game=Game(text="chomp3"), width=3, coordinates=positions.tobytes())


BATCHES = {
    "nothing": (pb.PackedPositions(), "positions.game", "missing"),
    "no width": (packed(0, 0), "positions.width", "1 to 64"),
    "a width below 0": (
        pb.PackedPositions(game=Game(text="chomp3"), width=-3, coordinates=bytes(12)),
        "positions.width",
        "1 to 64",
    ),
    "a huge width": (
        pb.PackedPositions(game=Game(text="chomp3"), width=2**31 - 1, coordinates=b""),
        "positions.width",
        "1 to 64",
    ),
    "another width": (packed(5, 4), "positions.coordinates", "have 3 numbers, not 4"),
    "another width, no positions": (packed(0, 4), "positions.coordinates", "have 3 numbers, not 4"),
    "cut off": (
        pb.PackedPositions(game=Game(text="chomp3"), width=3, coordinates=bytes(25)),
        "positions.coordinates",
        "cut off",
    ),
    "too many": (packed(100_001), "positions.coordinates", "the limit is 100000"),
    "negative": (negative_in_row(2), "positions.coordinates", "row 2 is [3, -1, 2]"),
    "negative in a later slice": (
        negative_in_row(SLICE + 5),
        "positions.coordinates",
        f"row {SLICE + 5} is [3, -1, 2]",
    ),
    "bad options": (packed(1, game="chomp3{heaps=3}"), "positions.game.text", "heaps"),
    "no text of a game": (packed(1, game="{}"), "positions.game.text", "games look like"),
}


def details_of(error: grpc.RpcError) -> tuple[ErrorInfo, BadRequest]:
    metadata = {entry.key: entry.value for entry in error.trailing_metadata()}
    status = Status.FromString(metadata["grpc-status-details-bin"])
    info, bad = ErrorInfo(), BadRequest()
    assert status.code == error.code().value[0]
    assert status.details[0].Unpack(info)
    assert len(status.details) < 2 or status.details[1].Unpack(bad)
    return info, bad


def check_refusal(error: grpc.RpcError, field: str, says: str) -> None:
    info, bad = details_of(error)
    assert error.code() is INVALID
    assert says in (error.details() or "")
    assert info.domain == "position_oracle"
    assert [violation.field for violation in bad.field_violations] == [field]
    assert (error.details() or "").startswith(field)


@pytest.mark.parametrize("name", POSITIONS)
def test_bad_positions_are_refused_with_the_field(stub: PositionOracleStub, name: str) -> None:
    position, field, says = POSITIONS[name]
    with pytest.raises(grpc.RpcError) as outcome:
        stub.GetOutcome(pb.GetOutcomeRequest(position=position), timeout=PATIENCE)
    with pytest.raises(grpc.RpcError) as moves:
        stub.ListWinningMoves(pb.ListWinningMovesRequest(position=position), timeout=PATIENCE)
    check_refusal(outcome.value, field, says)
    check_refusal(moves.value, field, says)


@pytest.mark.parametrize("name", BATCHES)
def test_bad_batches_are_refused_with_the_field(stub: PositionOracleStub, name: str) -> None:
    positions, field, says = BATCHES[name]
    with pytest.raises(grpc.RpcError) as outcomes:
        stub.BatchGetOutcomes(pb.BatchGetOutcomesRequest(positions=positions), timeout=PATIENCE)
    with pytest.raises(grpc.RpcError) as moves:
        stub.BatchGetWinningMoves(
            pb.BatchGetWinningMovesRequest(positions=positions), timeout=PATIENCE
        )
    check_refusal(outcomes.value, field, says)
    check_refusal(moves.value, field, says)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.GetOutcomeRequest(position=Position(text="go:[1,2,3]")), "position.text"),
        (
            pb.GetOutcomeRequest(position=heap(family="go")),
            "position.game.spec",
        ),
        (
            pb.GetOutcomeRequest(position=heap(family="subtraction", options={"max": "3"})),
            "position.game.spec",
        ),
    ],
)
def test_a_game_that_nobody_knows_is_not_found(
    stub: PositionOracleStub, request_: pb.GetOutcomeRequest, field: str
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        stub.GetOutcome(request_, timeout=PATIENCE)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert details_of(caught.value)[0].reason == "UNKNOWN_GAME"
    assert (caught.value.details() or "").startswith(f"{field}: no game '")


def test_a_batch_of_an_unknown_game_is_not_found(stub: PositionOracleStub) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        stub.BatchGetOutcomes(
            pb.BatchGetOutcomesRequest(positions=packed(1, game="go")), timeout=PATIENCE
        )
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_long_and_strange_texts_come_back_short_and_printable(stub: PositionOracleStub) -> None:
    text = "chomp3:[\x00\n\U0001f36a" + "\U0001f36a" * 4000 + "]"
    with pytest.raises(grpc.RpcError) as caught:
        stub.GetOutcome(pb.GetOutcomeRequest(position=Position(text=text)), timeout=PATIENCE)
    message = caught.value.details() or ""
    assert caught.value.code() is INVALID
    assert len(message) <= MAX_MESSAGE
    assert message.isascii()
    assert message.isprintable()


def test_a_message_beyond_the_size_limit_is_refused(stub: PositionOracleStub) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        stub.BatchGetOutcomes(
            pb.BatchGetOutcomesRequest(positions=packed(400_000)), timeout=PATIENCE
        )
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION


def test_a_small_message_that_unpacks_beyond_the_limit_is_refused(
    stub: PositionOracleStub,
) -> None:
    request = pb.BatchGetOutcomesRequest(positions=packed(2_000_000))
    with pytest.raises(grpc.RpcError) as caught:
        stub.BatchGetOutcomes(request, timeout=PATIENCE, compression=grpc.Compression.Gzip)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION


def call_packed(port: int, message: bytes, how: grpc.Compression = grpc.Compression.Gzip) -> bytes:
    """Return the response to a message that gRPC's client compresses."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/{SERVICE}/GetOutcome"
        )
        return method(message, timeout=PATIENCE, compression=how)


def test_a_packed_question_is_answered_and_held_to_the_limit_unpacked(port: int) -> None:
    text = "chomp3:[" + " " * 1000 + "1,2,3]"
    request = pb.GetOutcomeRequest(position=Position(text=text)).SerializeToString()
    assert pb.GetOutcomeResponse.FromString(call_packed(port, request)).answer.outcome
    with pytest.raises(grpc.RpcError) as caught:
        call_packed(port, bytes(100_000))
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "65536" in (caught.value.details() or "")


@pytest.mark.parametrize(
    "message",
    [
        gzip.compress(b"", mtime=0)[:-1],
        gzip.compress(b"", mtime=0) + b"more",
        b"\x1f\x8b",
        b"\x1f\x8bnoise",
        gzip.compress(b"\xff\xff", mtime=0),
        gzip.compress(gzip.compress(b"", mtime=0), mtime=0),
    ],
)
def test_what_is_packed_badly_is_a_wrong_request(port: int, message: bytes) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        raw_call(port, "GetOutcome", message)
    assert caught.value.code() is INVALID


def test_what_is_packed_otherwise_is_not_read(port: int) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call_packed(port, bytes(1000), grpc.Compression.Deflate)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"\xff", INVALID),
        (b"\x0a\x02\xff\xfe", INVALID),
        (gzip.compress(b"", mtime=0)[:-1], INVALID),
        (bytes(10_000), grpc.StatusCode.FAILED_PRECONDITION),
        (b"\x0a\x01x", grpc.StatusCode.NOT_FOUND),
        (gzip.compress(b"", mtime=0), grpc.StatusCode.OK),
    ],
)
def test_health_says_what_is_wrong_with_a_request(
    port: int, message: bytes, code: grpc.StatusCode
) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/grpc.health.v1.Health/Check"
        )
        assert method.future(message, timeout=PATIENCE).code() is code


@pytest.mark.parametrize(
    "path",
    [
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ],
)
@pytest.mark.parametrize("message", [b"\xff", gzip.compress(b"", mtime=0)[:-1]])
def test_streams_say_what_is_wrong_with_a_request(port: int, path: str, message: bytes) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        method: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(path)
        assert method(iter([message]), timeout=PATIENCE).code() is INVALID


def test_the_limits_are_settings() -> None:
    settings = ServerSettings(address="127.0.0.1:0", max_batch=10, max_message_bytes=500)
    with running_server(SlowOracle(), settings) as port:

        def ask(count: int) -> bytes:
            request = pb.BatchGetOutcomesRequest(positions=packed(count))
            return raw_call(port, "BatchGetOutcomes", request.SerializeToString())

        assert pb.BatchGetOutcomesResponse.FromString(ask(10)).outcomes == bytes([2] * 10)
        with pytest.raises(grpc.RpcError) as too_many:
            ask(11)
        with pytest.raises(grpc.RpcError) as too_large:
            ask(50)
    assert "has 11 positions; the limit is 10" in (too_many.value.details() or "")
    assert too_large.value.code() is grpc.StatusCode.FAILED_PRECONDITION


def test_a_fault_of_the_server_says_nothing_about_its_inside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with running_server(BrokenOracle()) as port:
        request = pb.GetOutcomeRequest(position=Position(text="chomp3:[1,2,3]"))
        batch = pb.BatchGetOutcomesRequest(positions=packed(3))
        for method, message in (("GetOutcome", request), ("BatchGetOutcomes", batch)):
            with pytest.raises(grpc.RpcError) as caught:
                raw_call(port, method, message.SerializeToString())
            assert caught.value.code() is grpc.StatusCode.INTERNAL
            assert "secret" not in str(caught.value.trailing_metadata())
            assert details_of(caught.value)[0].reason == "INTERNAL"
        assert raw_call(port, "ListGames", b"")
    assert "ZeroDivisionError: secret" in caplog.text


@pytest.mark.parametrize("method", METHODS)
def test_bytes_that_are_not_a_message_are_refused(port: int, method: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        raw_call(port, method, b"\xff\xff\xff\xff")
    assert caught.value.code() is INVALID
    assert caught.value.details() == f"the message is not a {method}Request"


numbers = st.integers(-(2**63), 2**63 - 1)
small = st.integers(-(2**31), 2**31 - 1)
specs = st.builds(
    GameSpec,
    family=st.sampled_from(["chomp3", "chomp", "nim", "wythoff", "transfinite", "", "x"]),
    heaps=st.none() | small,
    options=st.dictionaries(st.sampled_from(["rule", "passes", "x"]), st.just("all"), max_size=1),
    passes=small | st.integers(0, 3),
    misere=st.booleans(),
    declared=st.lists(st.builds(Coordinates, values=st.lists(numbers, max_size=4)), max_size=3),
    noise=st.none() | st.builds(DeclaredNoise, distribution=st.text(max_size=12), seed=numbers),
)
names = st.sampled_from(["", "chomp3", "chomp", "chomp3{passes=1}", "nim{heaps=3}", "x"])
options = st.builds(Game, text=names, spec=st.none() | specs)
positions = st.one_of(
    st.builds(Position, text=st.text(max_size=60)),
    st.builds(Position, text=st.text("chomp3nim:[],;{}=/0129-+ \n", max_size=40)),
    st.builds(
        Position,
        three_row_chomp=st.builds(ThreeRowChomp, x=numbers, y=numbers, z=numbers),
        game=st.none() | options,
    ),
    st.builds(
        Position,
        heaps=st.builds(HeapPosition, sizes=st.lists(numbers, max_size=5)),
        game=st.none() | options,
    ),
    st.builds(
        Position,
        chomp_board=st.builds(ChompBoard, rows=st.lists(numbers, max_size=5)),
        game=st.none() | options,
    ),
)
batches = st.builds(
    pb.PackedPositions,
    game=st.builds(Game, text=names),
    width=small | st.integers(1, 5),
    coordinates=st.binary(max_size=100),
)
messages = st.one_of(
    st.binary(max_size=200),
    st.builds(pb.GetOutcomeRequest, position=positions).map(lambda m: m.SerializeToString()),
    st.builds(pb.BatchGetOutcomesRequest, positions=batches).map(lambda m: m.SerializeToString()),
)
EXPECTED = {None, INVALID, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION}


@settings(max_examples=3 * settings().max_examples)
@given(method=st.sampled_from(METHODS), message=messages)
def test_no_message_is_a_fault_of_the_server(port: int, method: str, message: bytes) -> None:
    code = None
    try:
        raw_call(port, method, message)
    except grpc.RpcError as error:
        code = error.code()
    assert code in EXPECTED


def test_the_server_is_up_after_all_that(stub: PositionOracleStub) -> None:
    request = pb.GetOutcomeRequest(position=Position(text="chomp3:[4,3,2]"))
    assert stub.GetOutcome(request, timeout=PATIENCE).answer.outcome == 2


def test_long_descriptions_of_games_are_not_kept() -> None:
    """Games that are asked for often are parsed once; others would take memory."""
    declared = [Coordinates(values=(1, 0, z)) for z in range(1, 200)]
    message = Game(spec=GameSpec(family="chomp3", declared=declared))
    kept = requests._made_spec.cache_info().currsize
    assert len(requests.read_game(message).declared) == 199
    assert requests._made_spec.cache_info().currsize == kept
