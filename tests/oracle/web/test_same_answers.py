"""gRPC, Connect and gRPC-Web give equal bytes as answers, and equal errors."""

import base64
import json
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.status_pb2 import Status

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.server import Server
from position_oracle.schema.proto.position_oracle.v1 import service_pb2
from tests.oracle.server.hostile import generator, sensible
from tests.oracle.web.conftest import SETTINGS
from tests.oracle.web.http import GRPC_WEB, GRPC_WEB_TEXT, JSON, PROTO, SERVICE, opened
from tests.serving import running

METHODS = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods_by_name
Answer = tuple[str, bytes | str]
"""The status, and the response or the message of the error."""

SIZES = {"FAILED_PRECONDITION"}
"""Statuses of limits of size. The size of a protocol counts, so messages differ in a number."""

LIMITS = {"DEADLINE_EXCEEDED", "UNAVAILABLE"}
"""Statuses that depend on other work of the machine."""


class Ways:
    """The protocols of one server."""

    def __init__(self, server: Server) -> None:
        options = (("grpc.max_receive_message_length", -1),)
        self._channel = grpc.insecure_channel(f"127.0.0.1:{server.port}", options)
        assert server.web_port is not None
        self._web = HTTPConnection("127.0.0.1", server.web_port, timeout=120)

    def close(self) -> None:
        self._channel.close()
        self._web.close()

    def grpc(self, call: str, message: bytes) -> Answer:
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes]
        method = self._channel.unary_unary(f"/{SERVICE}/{call}")
        try:
            return "OK", method(message, timeout=60)
        except grpc.RpcError as error:
            return error.code().name, error.details() or ""

    def connect(self, call: str, message: bytes) -> Answer:
        status, body = self._post(call, message, PROTO)
        return ("OK", body) if status == 200 else _error(body)

    def json(self, call: str, message: bytes) -> Answer:
        """Return the response in the wire format, and check that its JSON says the same."""
        request = GetMessageClass(METHODS[call].input_type).FromString(message)
        status, body = self._post(
            call, json_format.MessageToJson(request, indent=None).encode(), JSON
        )
        if status != 200:
            return _error(body)
        response: Message = GetMessageClass(METHODS[call].output_type)()
        json_format.Parse(body, response)
        return "OK", response.SerializeToString(deterministic=True)

    def grpc_web(self, call: str, message: bytes, kind: str) -> Answer:
        frame = struct.pack(">BI", 0, len(message)) + message
        is_text = kind == GRPC_WEB_TEXT
        status, body = self._post(call, base64.b64encode(frame) if is_text else frame, kind)
        assert status == 200
        response, trailers = opened(base64.b64decode(body) if is_text else body)
        if trailers["grpc-status"] == "0":
            assert response is not None
            return "OK", response
        details = trailers["grpc-status-details-bin"]
        said = Status.FromString(base64.b64decode(details + "=" * (-len(details) % 4)))
        code = next(each for each in grpc.StatusCode if each.value[0] == said.code)
        return code.name, said.message

    def _post(self, call: str, body: bytes, kind: str) -> tuple[int, bytes]:
        self._web.request("POST", f"/{SERVICE}/{call}", body, {"Content-Type": kind})
        response = self._web.getresponse()
        return response.status, response.read()


def _error(body: bytes) -> Answer:
    error = json.loads(body)
    return error["code"].upper().replace("CANCELED", "CANCELLED"), error["message"]


@pytest.fixture(scope="module")
def ways(store: Path) -> Iterator[Ways]:
    """The server refuses long questions, because each question is asked four times."""
    with running(Oracle.open(store), replace(SETTINGS, call_seconds=0.3)) as server:
        found = Ways(server)
        yield found
        found.close()


def questions(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Well-formed questions, mixed with random requests."""
    random = Random(seed)
    streams = (sensible.requests(seed), generator.requests(seed))
    for _ in range(count):
        yield next(random.choices(streams, (3, 1))[0])


def check(ways: Ways, seed: int, count: int) -> Counter[str]:
    ends: Counter[str] = Counter()
    for number, (call, message) in enumerate(questions(seed, count)):
        said = ways.grpc(call, message)
        answers = {
            "connect": ways.connect(call, message),
            "web": ways.grpc_web(call, message, (GRPC_WEB, GRPC_WEB_TEXT)[number % 2]),
        }
        if _is_for_json(call, message):
            answers["json"] = ways.json(call, message)
        for way, answer in answers.items():
            if not {said[0], answer[0]} & LIMITS:
                one, other = _answered(call, answer, said)
                assert _seen(way, call, one) == _seen(way, call, other), (way, call, message)
        ends[said[0]] += 1
    return ends


def _answered(call: str, one: Answer, other: Answer) -> tuple[Answer, Answer]:
    """Return both answers, without the positions of a list that either refuses.

    A list has a limit of cost. After the first positions are cached, more positions fit into it.
    """
    if call != "BatchGetAnswers" or not one[0] == other[0] == "OK":
        return one, other
    if isinstance(one[1], str) or isinstance(other[1], str):
        return one, other
    read = [service_pb2.BatchGetAnswersResponse.FromString(said) for said in (one[1], other[1])]
    assert len(read[0].results) == len(read[1].results)
    for pair in zip(*(response.results for response in read), strict=True):
        if any(result.HasField("error") for result in pair):
            for result in pair:
                result.Clear()
    return ("OK", read[0].SerializeToString()), ("OK", read[1].SerializeToString())


def _seen(way: str, call: str, answer: Answer) -> Answer:
    """Return the parts that are compared. The words of errors in JSON may differ."""
    status, said = answer
    if status in SIZES or (way == "json" and status != "OK"):
        return status, ""
    if isinstance(said, bytes):
        response: Any = GetMessageClass(METHODS[call].output_type).FromString(said)
        return status, response.SerializeToString(deterministic=True)
    return answer


def _is_for_json(call: str, message: bytes) -> bool:
    """Return whether this is a message of moderate size, whose fields JSON can express."""
    try:
        request = GetMessageClass(METHODS[call].input_type).FromString(message)
        text = json_format.MessageToJson(request, indent=None)
    except (DecodeError, UnicodeDecodeError, ValueError):
        return False
    again = GetMessageClass(METHODS[call].input_type)()
    json_format.Parse(text, again)
    same = again.SerializeToString(deterministic=True) == request.SerializeToString(
        deterministic=True
    )
    return same and len(message) < 30_000


def test_the_same_answers_to_mixed_questions(ways: Ways) -> None:
    ends = check(ways, seed=1, count=40)
    assert ends["OK"] > 10
    assert ends["INVALID_ARGUMENT"] > 2


@pytest.mark.slow
def test_the_same_answers_to_2000_mixed_questions(ways: Ways) -> None:
    ends = check(ways, seed=2, count=2000)
    assert ends["OK"] > 400
    assert ends["INVALID_ARGUMENT"] > 50
    assert ends.total() == 2000
