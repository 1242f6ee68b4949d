"""Messages as JSON: the standard mapping, whole or in pieces, in one line or many."""

import json
import math
from random import Random
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from position_oracle.engine.budget import Budget, Cost
from position_oracle.oracle.server.errors import RequestError
from position_oracle.oracle.web.json_codec import JSON, READABLE, plain
from position_oracle.schema.errors import StoppedError
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    chance_pb2,
    service_pb2,
)
from position_oracle.schema.proto.position_oracle.v1.sheet_pb2 import GetInstantWinnersResponse
from tests.oracle.server.hostile import generator

METHODS = tuple(service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods)


def filled(random: Random, kind: Any) -> Message:
    """A message with random content."""
    message = GetMessageClass(kind)()
    _fill(random, message)
    return message


def _fill(random: Random, message: Any) -> None:
    if isinstance(message, AnyMessage):
        message.Pack(Timestamp(seconds=1))
        return
    for field in message.DESCRIPTOR.fields:
        if random.random() < 0.2:
            continue
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            value["code"] = "0.77"
        elif field.message_type is not None and field.is_repeated:
            for _ in range(random.randint(0, 2)):
                _fill(random, value.add())
        elif isinstance(value, Timestamp):
            value.FromSeconds(random.randint(0, 2**31))
        elif field.message_type is not None:
            value.SetInParent()
            _fill(random, value)
        elif field.is_repeated:
            value.extend(_value(random, field) for _ in range(random.randint(0, 3)))
        else:
            setattr(message, field.name, _value(random, field))


def _value(random: Random, field: Any) -> Any:
    if field.type == field.TYPE_STRING:
        return random.choice(("", "a", 'q"\\\n', "\u2126\U0001f36b", "\x00"))
    if field.type == field.TYPE_BYTES:
        return random.randbytes(random.choice((0, 1, 2, 3, 200_000)))
    if field.type == field.TYPE_BOOL:
        return random.random() < 0.5
    if field.type == field.TYPE_DOUBLE:
        return random.choice((0.0, 0.1, -1.5, 1e300, 1.0, math.nan, math.inf, -math.inf))
    if field.type == field.TYPE_ENUM:
        return random.choice((0, 1, 2, 77))
    return generator._number(random, field)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_standard_mapping(method: Any, seed: int) -> None:
    random = Random(f"{seed} {method.name}")
    for kind in (method.input_type, method.output_type):
        message = filled(random, kind)
        expected = json_format.MessageToDict(message)
        assert plain(message) == expected
        for form in (JSON, READABLE):
            written = form.write(message)
            assert json.loads(written) == expected
            again = form.read(type(message), written)
            assert json_format.MessageToDict(again) == expected
        assert b"\n" not in JSON.write(message).rstrip()


def test_readable_lines() -> None:
    analysis = analysis_pb2.AnalyzePositionResponse(
        answer=answer_pb2.Answer(certificate="c", reason="r" * 90), winning_move_count=1
    )
    assert READABLE.write(analysis).decode() == (
        '{\n  "answer": {\n    "reason": "' + "r" * 90 + '",\n    "certificate": "c"\n  },\n'
        '  "winningMoveCount": "1"\n}\n'
    )


def test_long_bytes_come_last_and_are_right() -> None:
    cells = Random(3).randbytes(1_000_003)
    response = GetInstantWinnersResponse(origins=cells)
    response.tables.version = "x"
    for form in (JSON, READABLE):
        written = form.write(response)
        assert b'"x"},"origins":' in b"".join(written[:100].split())
        assert form.read(GetInstantWinnersResponse, written).origins == cells
    only = GetInstantWinnersResponse(origins=cells)
    assert JSON.read(GetInstantWinnersResponse, JSON.write(only)) == only


def test_writing_ends_when_nobody_waits() -> None:
    response = analysis_pb2.AnalyzePositionResponse()
    response.moves.add(child_outcome=answer_pb2.OUTCOME_N)
    budget = Budget(Cost(1.0))
    budget.cancel()
    with budget.active(), pytest.raises(StoppedError):
        JSON.write(response)


def test_not_a_number() -> None:
    message = chance_pb2.WinProbability(value=math.nan)
    assert json.loads(JSON.write(message)) == {"value": "NaN"}


@pytest.mark.parametrize(
    "text", ["", "x", "[" * 100_000, '{"moves":' * 500, "\ud800", '"\\ud800"', "null", "[]", "3"]
)
def test_json_that_is_not_a_message_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="is not a GetOutcomeRequest in JSON"):
        JSON.read(service_pb2.GetOutcomeRequest, text.encode("utf-8", "surrogatepass"))
