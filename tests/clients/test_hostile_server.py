"""A server sends arbitrary bytes: every question ends in an answer or an error of the client."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count, repeat
from math import inf, isfinite, nan
from typing import Any

import grpc
import numpy as np
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from position_oracle import OracleClientError, ServerError
from position_oracle.schema.proto.position_oracle.v1 import analysis_pb2, catalog_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clients.conftest import Connect
from tests.clock import PATIENCE

TIMEOUT = 3.0
POSITION = "chomp3:[4,3,2]"
ROWS = np.zeros((7, 3), np.int32)
QUESTIONS: dict[str, Callable[[Any], object]] = {
    "outcome": lambda client: client.outcome(POSITION),
    "winning_moves": lambda client: client.winning_moves(POSITION),
    "analyze": lambda client: client.analyze(POSITION),
    "moves": lambda client: client.moves(POSITION),
    "best_move": lambda client: client.best_move(POSITION),
    "best_line": lambda client: client.best_line(POSITION),
    "outcomes": lambda client: client.outcomes("chomp3", ROWS),
    "winning_move_batch": lambda client: client.winning_move_batch("chomp3", ROWS),
    "win_probability": lambda client: client.win_probability(POSITION, "random"),
    "win_probabilities": lambda client: client.win_probabilities("chomp3", ROWS, "random"),
    "turns": lambda client: client.turns(POSITION),
    "instant_winners": lambda client: client.instant_winners("chomp3", 3, 2, 2),
    "losers": lambda client: client.losers("chomp3", 3, 2),
    "geometry": lambda client: client.geometry("chomp3"),
    "estimate_column": lambda client: client.estimate_column(3, 2),
    "estimate_opening": lambda client: client.estimate_opening(3),
    "games": lambda client: client.games(),
    "tables": lambda client: client.tables(),
    "values": lambda client: client.values("chomp3", ROWS),
    "series": lambda client: client.series("kayles", 0, 6),
    "answers": lambda client: client.answers([POSITION, "nim:[3]"]),
    "solve_graph": lambda client: client.solve_graph([[1, 0], [2, 0]]),
}
SERVICE = pb.DESCRIPTOR.services_by_name["PositionOracle"]
TEXTS = ["", "x", POSITION, "nim:[3,5]", "pass", "9" * 400, "1/0", "\x00", "[", "-1", "w^w"]
NUMBERS = [0, 1, -1, 7, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
STATUSES = [status for status in grpc.StatusCode if status is not grpc.StatusCode.OK]


class Hostile:
    """A server that sends random responses. `sent` is the last one, for messages."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.sent = ""

    def respond(self, method: str, context: grpc.ServicerContext) -> bytes:
        chance, roll = self.chance, self.chance.random()
        output = GetMessageClass(SERVICE.methods_by_name[method].output_type)
        if roll < 0.1:
            self._fail(context)
        if roll < 0.2:
            self.sent = "garbage"
            return chance.randbytes(chance.randrange(200))
        message = output()
        self._fill(message, 4)
        self.sent = f"{method}: {message}"
        sent = bytes(message.SerializeToString())
        if roll < 0.3:
            at = chance.randrange(len(sent) + 1)
            return sent[:at] + chance.randbytes(3) + sent[at + 3 :]
        return sent

    def _fail(self, context: grpc.ServicerContext) -> None:
        chance = self.chance
        code = chance.choice([s for s in STATUSES if s is not grpc.StatusCode.UNAVAILABLE])
        facts = {"limit_seconds": chance.choice(["nan", "many", "1e999", ""]), "price_bytes": "0x1"}
        details: list[Message] = [
            ErrorInfo(reason="\x00", metadata=facts),
            BadRequest(),
            RetryInfo(),
        ]
        status = Status(code=code.value[0], message="hostile")
        for detail in details:
            status.details.add().Pack(detail)
        packed = status.SerializeToString()
        if chance.random() < 0.5:
            packed = packed[: len(packed) // 2] + b"\xff\xfe"
        self.sent = f"{code}"
        context.set_trailing_metadata((("grpc-status-details-bin", packed),))
        context.abort(code, chance.choice(["hostile", "", "\u2028" * 9]))

    def _fill(self, message: Message, depth: int) -> None:
        for field in message.DESCRIPTOR.fields:
            if self.chance.random() < 0.6:
                self._set(message, field, depth)

    def _set(self, message: Message, field: Any, depth: int) -> None:
        if field.message_type is not None:
            if depth and field.message_type.GetOptions().map_entry:
                return
            if depth and field.is_repeated:
                for _ in range(self.chance.randrange(3)):
                    self._fill(getattr(message, field.name).add(), depth - 1)
            elif depth:
                getattr(message, field.name).SetInParent()
                self._fill(getattr(message, field.name), depth - 1)
            return
        values = [self._value(field) for _ in range(self.chance.randrange(4))]
        try:
            if field.is_repeated:
                getattr(message, field.name).extend(values)
            elif values:
                setattr(message, field.name, values[0])
        except ValueError:  # the field's type does not have this value
            return

    def _value(self, field: Any) -> Any:
        chance = self.chance
        match field.cpp_type:
            case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
                return chance.randbytes(chance.choice([0, 1, 2, 7, 8, 28, 56, 84, 100]))
            case FieldDescriptor.CPPTYPE_STRING:
                return chance.choice(TEXTS)
            case FieldDescriptor.CPPTYPE_BOOL:
                return chance.random() < 0.5
            case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
                return chance.choice([nan, inf, -inf, -1.0, 0.5, 1e308])
            case FieldDescriptor.CPPTYPE_ENUM:
                return chance.choice([0, 1, 2, 3, 99, -5])
            case _:
                return chance.choice(NUMBERS)


@contextmanager
def serving(respond: Callable[[str, grpc.ServicerContext], bytes]) -> Iterator[int]:
    class Handlers(grpc.GenericRpcHandler):
        def service(self, details: grpc.HandlerCallDetails) -> Any:
            method = str(details.method).rpartition("/")[2]
            return grpc.unary_unary_rpc_method_handler(lambda _, call: respond(method, call))

    server = grpc.server(ThreadPoolExecutor(2), [Handlers()], options=[("grpc.so_reuseport", 0)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(0).wait()


def ends_in(name: str, client: Any, hostile: Hostile) -> str:
    """Return whether a question ends in an answer or an error, or name the error's bad numbers."""
    try:
        QUESTIONS[name](client)
    except OracleClientError as error:
        numbers = [*error.limits.values(), *error.amounts.values(), error.retry_seconds or 0.0]
        return "error" if all(map(isfinite, numbers)) else f"facts {numbers}"
    except Exception as error:
        raise AssertionError(f"{name}: {error!r} after {hostile.sent[:2000]}") from error
    return "answer"


def check_responses(connect: Connect, questions: int) -> None:
    hostile, ended = Hostile(questions), {"answer": 0, "error": 0}
    with serving(hostile.respond) as port:
        client = connect(port, timeout=TIMEOUT)
        for number in range(questions):
            name = list(QUESTIONS)[number % len(QUESTIONS)]
            start = time.monotonic()
            ended[ends_in(name, client, hostile)] += 1
            assert time.monotonic() - start < TIMEOUT + PATIENCE, (name, hostile.sent)
    assert min(ended.values()) > questions / 10, ended


def test_every_question_ends_in_an_answer_or_an_error_of_the_client(connect: Connect) -> None:
    check_responses(connect, 10 * len(QUESTIONS))


@pytest.mark.slow
def test_a_thousand_hostile_responses(connect: Connect) -> None:
    check_responses(connect, 1000)


def test_pages_that_do_not_end(connect: Connect) -> None:
    """The client stops if tokens repeat, or if new tokens come without any move."""
    for tokens in (repeat("same"), map(str, count())):

        def page(
            method: str, context: grpc.ServicerContext, tokens: Iterator[str] = tokens
        ) -> bytes:
            response = analysis_pb2.AnalyzePositionResponse(next_page_token=next(tokens))
            return bytes(response.SerializeToString())

        with serving(page) as port, pytest.raises(ServerError, match="do not end"):
            connect(port).moves(POSITION)


def test_an_invalid_time_is_an_error_of_the_client(connect: Connect) -> None:
    response = catalog_pb2.ListGamesResponse()
    response.games.add().sources.add().build.start_time.seconds = 2**62

    def respond(method: str, context: grpc.ServicerContext) -> bytes:
        return bytes(response.SerializeToString())

    with serving(respond) as port, pytest.raises(ServerError, match="broke the contract"):
        connect(port).games()
