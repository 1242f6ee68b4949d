"""Long messages are checked before they are parsed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.oracle.server.codec import PROTO, Size
from position_oracle.oracle.server.errors import RequestError
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import ResourceLimitError
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Coordinates, Game, GameSpec
from tests.clock import takes_at_most

LIMIT, BESIDE = 4_000_000, 1_000
SETTINGS = ServerSettings(max_message_bytes=LIMIT, max_question_bytes=BESIDE)


def batch(count: int, declared: int = 0) -> bytes:
    game = GameSpec(family="chomp3", declared=[Coordinates(values=[1, 2, 3])] * declared)
    packed = pb.PackedPositions(game=Game(spec=game), width=3, coordinates=bytes(12 * count))
    return pb.BatchGetOutcomesRequest(positions=packed).SerializeToString()


def test_the_longest_message_is_read_and_one_byte_more_is_refused() -> None:
    PROTO.check(bytes(BESIDE), SETTINGS, Size.QUESTION)
    with pytest.raises(ResourceLimitError, match="1001 bytes; the limit is 1000"):
        PROTO.check(bytes(BESIDE + 1), SETTINGS, Size.QUESTION)


@pytest.mark.parametrize("count", [0, 1, 10_000, 300_000])
def test_coordinates_may_be_many(count: int) -> None:
    PROTO.check(batch(count), SETTINGS, Size.PACKED)


def test_bytes_beside_coordinates_are_limited() -> None:
    small, large = batch(10_000, declared=10), batch(10_000, declared=1_000)
    PROTO.check(small, SETTINGS, Size.PACKED)
    with pytest.raises(ResourceLimitError, match="beside its coordinates"):
        PROTO.check(large, SETTINGS, Size.PACKED)


def test_unknown_fields_count_too() -> None:
    unknown = b"\xa2\x06" + b"\xd0\x0f" + bytes(2_000)  # field 100, 2,000 bytes
    with pytest.raises(ResourceLimitError, match="beside its coordinates"):
        PROTO.check(unknown + batch(10), SETTINGS, Size.PACKED)


@pytest.mark.parametrize("piece", [b"\x08\x01", b"\x0d" + bytes(4), b"\x09" + bytes(8)])
def test_many_fields_are_refused_at_once(piece: bytes) -> None:
    def check() -> None:
        with pytest.raises(RequestError, match="more than 64 fields"):
            PROTO.check(piece * (LIMIT // len(piece)), SETTINGS, Size.PACKED)

    assert takes_at_most(0.05, check)


@given(st.binary(min_size=BESIDE + 1, max_size=3 * BESIDE))
def test_no_bytes_cause_an_internal_error(data: bytes) -> None:
    try:
        PROTO.check(data, SETTINGS, Size.PACKED)
    except (ResourceLimitError, RequestError):
        return
    raise AssertionError("bytes of noise are beside coordinates")
