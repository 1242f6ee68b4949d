"""POST: Connect in JSON and in the wire format, and gRPC-Web."""

import asyncio
import base64
import json
import struct
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status
from starlette.responses import Response

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.codec import Size
from position_oracle.oracle.server.errors import BusyError, ErrorStatus, error_status
from position_oracle.oracle.web.callers import PIECE, held_response
from position_oracle.oracle.web.protocols import GrpcWeb, line, refusal
from position_oracle.schema.proto.position_oracle.v1 import game_pb2, service_pb2
from tests.oracle.web.http import (
    GRPC_WEB,
    GRPC_WEB_TEXT,
    PROTO,
    SERVICE,
    ask,
    grpc_web,
    post,
    post_json,
)

M = TypeVar("M", ErrorInfo, BadRequest, Status)

BOARD = game_pb2.Position(text="chomp3:[4,3,2]")
QUESTION = service_pb2.GetOutcomeRequest(position=BOARD).SerializeToString()
WRONG = service_pb2.GetOutcomeRequest(
    position=game_pb2.Position(text="chomp3:[4,3")
).SerializeToString()


def test_a_call_in_json(port: int) -> None:
    reply = post_json(port, "GetOutcome", {"position": {"text": "chomp3:[4,3,2]"}})
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    answer = reply.json["answer"]
    assert answer["position"]["text"] == "chomp3:[4,3,2]"
    assert answer["outcome"] == "OUTCOME_N"
    assert answer["certainty"] == "CERTAINTY_EXACT_TABLE"


def test_a_typed_position_in_json(port: int) -> None:
    """The standard mapping writes 64-bit numbers as texts; the server also reads numbers."""
    for x in (4, "4"):
        board = {"threeRowChomp": {"x": x, "y": 3, "z": 2}}
        assert post_json(port, "GetOutcome", {"position": board}).json["answer"]["position"] == {
            "text": "chomp3:[4,3,2]",
            "game": {"text": "chomp3", "spec": {"family": "chomp3"}},
            "threeRowChomp": {"x": "4", "y": "3", "z": "2"},
        }


def test_a_call_in_the_wire_format(port: int) -> None:
    reply = post(port, "GetOutcome", QUESTION, PROTO)
    assert reply.status == 200
    assert reply.headers["content-type"] == PROTO
    response = service_pb2.GetOutcomeResponse.FromString(reply.body)
    assert response.answer.outcome == 2


@pytest.mark.parametrize("kind", [GRPC_WEB, GRPC_WEB_TEXT])
def test_a_call_in_grpc_web(port: int, kind: str) -> None:
    message, trailers = grpc_web(port, "GetOutcome", QUESTION, kind)
    assert message is not None
    assert service_pb2.GetOutcomeResponse.FromString(message).answer.outcome == 2
    assert trailers == {"grpc-status": "0"}


def test_an_error_in_connect(port: int) -> None:
    reply = post(port, "GetOutcome", WRONG, PROTO)
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
    error = reply.json
    assert error["code"] == "invalid_argument"
    assert error["message"].startswith("position.text: ")
    info, violations = error["details"]
    assert info["type"] == "google.rpc.ErrorInfo"
    assert info["debug"]["reason"] == "INVALID_NOTATION"
    assert info["debug"]["domain"] == "position_oracle"
    assert info["debug"]["metadata"] == {"request_id": reply.headers["x-request-id"]}
    assert _unpadded(info["value"], ErrorInfo()).reason == "INVALID_NOTATION"
    assert violations["type"] == "google.rpc.BadRequest"
    found = _unpadded(violations["value"], BadRequest())
    assert found.field_violations[0].field == "position.text"


@pytest.mark.parametrize("kind", [GRPC_WEB, GRPC_WEB_TEXT])
def test_an_error_in_grpc_web(port: int, kind: str) -> None:
    message, trailers = grpc_web(port, "GetOutcome", WRONG, kind)
    assert message is None
    assert trailers["grpc-status"] == "3"
    assert trailers["grpc-message"].startswith("position.text: ")
    status = _unpadded(trailers["grpc-status-details-bin"], Status())
    assert status.code == 3
    assert len(status.details) == 2


def _unpadded(text: str, message: M) -> M:
    assert not text.endswith("=")
    message.ParseFromString(base64.b64decode(text + "=" * (-len(text) % 4)))
    return message


def test_calls_that_do_not_exist(port: int) -> None:
    assert post_json(port, "GetLuck", {}).status == 501
    assert post_json(port, "GetLuck", {}).json["code"] == "unimplemented"
    assert grpc_web(port, "GetLuck", b"")[1]["grpc-status"] == "12"
    assert ask(port, "/position_oracle.v1.Other/GetOutcome", b"{}").status == 404


def test_not_known_is_an_answer(port: int) -> None:
    reply = post_json(port, "GetOutcome", {"position": {"text": "chomp3:[100000,3,4]"}})
    assert reply.status == 200
    assert reply.json["answer"]["certainty"] == "CERTAINTY_UNKNOWN"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"null", b"{", b"3", b'"x"', b"\xff", b'{"position":3}', b'{"pos":{}}',
        b'{"position":{"text":"nim:[3]","heaps":{}}}', b'{"position":{"text":3}}',
        b'{"position":{"text":"nim:[3]"},"position":{}}', b"[" * 60_000, b'{"position":' * 1000,
        b'{"position":{"threeRowChomp":{"x":1e400}}}', b'{"position":{"threeRowChomp":{"x":1.5}}}',
        b'{"position":{"threeRowChomp":{"x":NaN}}}', b"{} {}",
    ],
)  # fmt: skip
def test_json_that_is_not_a_message_is_refused(port: int, body: bytes) -> None:
    reply = post(port, "GetOutcome", body)
    assert reply.status == 400
    assert reply.json["code"] == "invalid_argument"
    assert "\n" not in reply.json["message"]


@pytest.mark.parametrize(
    "body",
    [b"", b"\0\0", b"\0\0\0\0\x05abc", b"\1\0\0\0\0", b"\x80\0\0\0\0", b"\0\0\0\0\0\0\0\0\0\0"],
)
def test_invalid_frames_are_refused(port: int, body: bytes) -> None:
    for kind, sent in ((GRPC_WEB, body), (GRPC_WEB_TEXT, base64.b64encode(body))):
        reply = post(port, "GetOutcome", sent, kind)
        assert b"grpc-status: 3" in (
            base64.b64decode(reply.body) if kind == GRPC_WEB_TEXT else reply.body
        )


def test_text_frames_that_are_not_base64_are_refused(port: int) -> None:
    frames = base64.b64encode(struct.pack(">BI", 0, len(QUESTION)) + QUESTION)
    reply = post(port, "GetOutcome", frames, GRPC_WEB_TEXT)
    assert b"grpc-status: 0" in base64.b64decode(reply.body)
    for wrong in (b"~~~~", frames[:4] + b"~" + frames[4:]):
        reply = post(port, "GetOutcome", wrong, GRPC_WEB_TEXT)
        assert b"grpc-status: 3" in base64.b64decode(reply.body)


def test_other_content_types(port: int) -> None:
    for kind in ("text/plain", "", "application/grpc", "application/x-www-form-urlencoded"):
        reply = post(port, "GetOutcome", b"{}", kind)
        assert reply.status == 415
        assert "application/json" in reply.headers["accept-post"]
    charset = post(
        port, "GetOutcome", b'{"position":{"text":"nim:[3]"}}', "Application/JSON; charset=utf-8"
    )
    assert charset.status == 200


def test_deadlines(port: int) -> None:
    body = json.dumps({"position": {"text": "nim:[3,5]"}}).encode()
    for text, status in (("1000", 200), ("x", 400), ("99999999999", 400), ("-1", 400)):
        reply = post(port, "GetOutcome", body, headers={"Connect-Timeout-Ms": text})
        assert reply.status == status, text
    for text, code in (("1S", "0"), ("1", "3"), ("999999999S", "3"), ("5000m", "0")):
        sent = b"\0" + len(QUESTION).to_bytes(4, "big") + QUESTION
        reply = post(port, "GetOutcome", sent, GRPC_WEB, {"grpc-timeout": text})
        assert f"grpc-status: {code}".encode() in reply.body


def test_every_call_answers_in_json(port: int) -> None:
    """An empty request gets an answer or an error of the caller, never an internal error."""
    for method in service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods:
        reply = ask(
            port, f"/{SERVICE}/{method.name}", b"{}", headers={"Content-Type": "application/json"}
        )
        assert reply.status in {200, 400}, (method.name, reply)


@pytest.mark.parametrize("most", [1024, 1025, 1026])
def test_a_message_as_long_as_is_allowed_fits_as_text(most: int) -> None:
    """Base64 is longer by a third, and padded to a multiple of four characters."""
    settings = ServerSettings(max_question_bytes=most)
    frame = GrpcWeb(GRPC_WEB).longest(settings, Size.QUESTION)
    allowed = GrpcWeb(GRPC_WEB_TEXT).longest(settings, Size.QUESTION)
    assert frame > most
    assert allowed - 4 <= len(base64.b64encode(bytes(frame))) <= allowed


@pytest.mark.parametrize("size", [PIECE + 1, 2 * PIECE, 3 * PIECE + 7])
def test_a_long_response_is_sent_in_pieces_to_its_end(size: int) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("a response reads nothing")

    admission = Admission(Oracle, ServerSettings())
    response = held_response(Response(bytes(size)), admission)
    asyncio.run(response({"type": "http"}, receive, send))
    admission.close()
    pieces = sent[1:]
    assert b"".join(piece["body"] for piece in pieces) == bytes(size)
    assert max(len(piece["body"]) for piece in pieces) == PIECE
    assert [piece["more_body"] for piece in pieces] == [True] * (len(pieces) - 1) + [False]


@pytest.mark.parametrize("seconds", [0.0, 0.025, 0.4, 0.5, 0.6, 1.4, 20.0, 119.7])
@pytest.mark.parametrize("written", [line, refusal])
def test_a_refused_caller_waits_for_whole_seconds_and_never_asks_at_once(
    written: Callable[[ErrorStatus], Response], seconds: float
) -> None:
    header = written(error_status(BusyError("full", seconds))).headers["retry-after"]
    assert int(header) >= 1
    assert abs(int(header) - seconds) <= 1
