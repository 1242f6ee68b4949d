"""The requests that clients send: their number, their size, and retries after failures."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import numpy as np
import pytest

from position_oracle import ServerError
from position_oracle.clients._batches import Batches
from position_oracle.clients._channel import IN_FLIGHT
from position_oracle.schema.games import BatchLimits
from position_oracle.schema.proto.position_oracle.v1 import analysis_pb2, line_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clients.conftest import Connect

Handler = Callable[[str, bytes, grpc.ServicerContext], bytes]
MANY = "nim:[7000,6500,300]"
"""A position with 13,800 moves, of which one wins."""


@contextmanager
def serving(handle: Handler) -> Iterator[int]:
    """A server that passes each call, as bytes, to one function."""

    class Handlers(grpc.GenericRpcHandler):
        def service(self, details: grpc.HandlerCallDetails) -> Any:
            method = str(details.method)
            return grpc.unary_unary_rpc_method_handler(
                lambda request, context: handle(method, request, context)
            )

    server = grpc.server(
        ThreadPoolExecutor(16), [Handlers()], options=[("grpc.max_receive_message_length", -1)]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(0).wait()


class Recorder:
    """Passes calls on to another server, and records the requests."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self.requests: list[tuple[str, bytes]] = []

    def __call__(self, method: str, request: bytes, _: grpc.ServicerContext) -> bytes:
        self.requests.append((method.rpartition("/")[2], request))
        call: Any = self._channel.unary_unary(method)
        return bytes(call(request, timeout=120))

    def sent(self, name: str, kind: Any) -> list[Any]:
        """Return the recorded requests of one call, and check that there are no others."""
        assert {method for method, _ in self.requests} == {name}
        return [kind.FromString(request) for _, request in self.requests]


@pytest.fixture
def recorder(port: int) -> Iterator[Recorder]:
    options = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        yield Recorder(channel)


@pytest.mark.parametrize(("most", "pages"), [(1, 1), (2, 2), (4_000, 2)])
def test_longer_lists_take_more_pages(
    connect: Connect, recorder: Recorder, most: int, pages: int
) -> None:
    """The first page contains only the winning move, so a longer list takes a second page."""
    with serving(recorder) as port:
        assert len(connect(port, timeout=120).moves(MANY, most=most)) == most
    sizes = [
        request.page_size
        for request in recorder.sent("AnalyzePosition", analysis_pb2.AnalyzePositionRequest)
    ]
    assert sizes == [most] * pages


def test_a_line_is_asked_for_in_one_page(connect: Connect, recorder: Recorder) -> None:
    with serving(recorder) as port:
        line = connect(port).best_line("chomp:5/5/5", plies=3)
    (request,) = recorder.sent("GetBestLine", line_pb2.GetBestLineRequest)
    assert (len(line.plies), request.page_size) == (3, 3)


@pytest.mark.parametrize(
    ("rows", "parts"), [(1, [1]), (10, [10]), (11, [10, 1]), (25, [10, 10, 5])]
)
def test_arrays_are_sent_in_as_few_requests_as_possible(
    connect: Connect, recorder: Recorder, rows: int, parts: list[int]
) -> None:
    positions = np.arange(3 * rows).reshape(rows, 3)
    with serving(recorder) as port:
        connect(port, batch_positions=10).outcomes("nim", positions)
    sent = recorder.sent("BatchGetOutcomes", pb.BatchGetOutcomesRequest)
    sent.sort(key=lambda each: np.frombuffer(each.positions.coordinates, "<i4")[0])
    assert [len(each.positions.coordinates) // 12 for each in sent] == parts
    numbers = b"".join(each.positions.coordinates for each in sent)
    assert np.frombuffer(numbers, "<i4").reshape(-1, 3).tolist() == positions.tolist()


@pytest.mark.parametrize("width", [1, 3, 8])
@pytest.mark.parametrize("size", [4_000, 100_000, 300_000])
def test_requests_are_as_long_as_a_server_allows(width: int, size: int) -> None:
    batches = Batches(f"nim{{heaps={width}}}", np.arange(200_000 * width).reshape(-1, width))
    batches.limit(BatchLimits(positions=200_000, size=size))
    sizes = [
        pb.BatchGetOutcomesRequest(positions=batches.packed(part)).ByteSize()
        for part in batches.parts
    ]
    assert max(sizes) <= size
    assert len(sizes) <= 1 + 4 * 200_000 * width / (0.3 * size)


def test_no_more_plies_are_asked_for_than_are_left(connect: Connect, recorder: Recorder) -> None:
    sizes = []

    def in_small_pages(method: str, request: bytes, context: grpc.ServicerContext) -> bytes:
        asked = line_pb2.GetBestLineRequest.FromString(request)
        sizes.append(asked.page_size)
        asked.page_size = min(4, asked.page_size)
        return recorder(method, asked.SerializeToString(), context)

    with serving(in_small_pages) as port:
        line = connect(port).best_line("chomp:6/6/6", 9)
    assert sizes == [9, 5, 1]
    assert len(line.plies) == 9


def test_requests_under_way_are_cancelled_after_a_failure(connect: Connect) -> None:
    """The client cancels the other request under way, and sends no further one."""
    begun, ended, is_over = threading.Event(), threading.Event(), threading.Event()
    rows: list[int] = []

    def handle(_: str, request: bytes, context: grpc.ServicerContext) -> bytes:
        positions = pb.BatchGetOutcomesRequest.FromString(request).positions
        (row,) = np.frombuffer(positions.coordinates, "<i4").tolist()
        rows.append(row)
        if row == 0:
            begun.wait(20)
            context.abort(grpc.StatusCode.INTERNAL, "scripted")
        context.add_callback(ended.set)
        begun.set()
        is_over.wait(20)
        return b""

    with serving(handle) as port:
        client = connect(port, batch_positions=1)
        with pytest.raises(ServerError, match="scripted"):
            client.outcomes("nim", np.arange(40)[:, None])
        assert ended.wait(10)
        is_over.set()
    assert sorted(rows) == list(range(IN_FLIGHT))
