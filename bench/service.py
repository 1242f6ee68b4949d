"""Measure the service over loopback: single calls against an empty handler, and batches.

Run with `python -m bench.service`. Three servers answer the same questions from the same tables:
asyncio on uvloop (the product), asyncio, and threads. Each also has an empty handler and an echo,
which take and give raw bytes. The load generator always sends and receives raw bytes, so that the
client costs the same for all of them, and the ratio is that of the handlers. Server and client
share the cores.
"""

import argparse
import asyncio
import gc
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import numpy as np
import numpy.typing as npt
import uvloop

from position_oracle import OracleClient
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle.batches import named_moves
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.contract import DESCRIPTOR
from position_oracle.oracle.server.grpc_handlers import GrpcHandlers
from position_oracle.oracle.server.requests import read_packed, read_position
from position_oracle.oracle.server.server import server_options
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.messages.writing import fill_answer, write_winning_moves
from position_oracle.schema.proto.position_oracle.v1 import game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.oracle.tables import three_row_table

LIMIT: Final = 10_000
BATCH: Final = 100_000
FEW: Final = 1000
IN_FLIGHT: Final = 32
SECONDS: Final = 0.2
ROUNDS: Final = 25
SAMPLE: Final = "chomp3:[1000,20,3]"
ROUTE: Final = "/position_oracle.v1.PositionOracle/"
KINDS: Final = ("aio-uvloop", "aio", "sync")
SETTINGS: Final = ServerSettings(address="127.0.0.1:0")


class ThreadedService:
    """The measured calls on gRPC's own threads, without time slices, deadlines or error mapping."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def outcome(self, request: pb.GetOutcomeRequest, _: object) -> pb.GetOutcomeResponse:
        response = pb.GetOutcomeResponse()
        fill_answer(response.answer, self._oracle.outcome(read_position(request.position)))
        return response

    def winning_moves(
        self, request: pb.ListWinningMovesRequest, _: object
    ) -> pb.ListWinningMovesResponse:
        answer = self._oracle.winning_moves(read_position(request.position))
        return write_winning_moves(answer, answer.winning_moves or ())

    def outcomes(
        self, request: pb.BatchGetOutcomesRequest, _: object
    ) -> pb.BatchGetOutcomesResponse:
        game, positions = read_packed(request.positions, SETTINGS.max_batch)
        outcomes = self._oracle.outcomes(game, positions)
        return pb.BatchGetOutcomesResponse(outcomes=outcomes.tobytes())

    def winning_move_batch(
        self, request: pb.BatchGetWinningMovesRequest, _: object
    ) -> pb.BatchGetWinningMovesResponse:
        game, positions = read_packed(request.positions, SETTINGS.max_batch)
        outcomes, children = self._oracle.winning_move_batch(game, positions)
        moves, children = named_moves(game, positions, outcomes, children)
        return pb.BatchGetWinningMovesResponse(
            outcomes=outcomes.tobytes(),
            moves=moves.tobytes(),
            children=children.astype("<i4").tobytes(),
        )

    def handlers(self) -> grpc.GenericRpcHandler:
        calls: dict[str, Callable[[Any, Any], Any]] = {
            "GetOutcome": self.outcome,
            "ListWinningMoves": self.winning_moves,
            "BatchGetOutcomes": self.outcomes,
            "BatchGetWinningMoves": self.winning_move_batch,
        }
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            name: grpc.unary_unary_rpc_method_handler(
                call,
                getattr(pb, f"{name}Request").FromString,
                getattr(pb, f"{name}Response").SerializeToString,
            )
            for name, call in calls.items()
        }
        return grpc.method_handlers_generic_handler(DESCRIPTOR.full_name, handlers)


def plain_oracle() -> Oracle:
    """Return an oracle that has three-row Chomp in memory."""
    return Oracle([three_row_table(GameSpec("chomp3"), solve(LIMIT + 1))])


def raw_handlers(
    empty: Callable[[Any, object], Any],
    outcome: Callable[[Any, object], Any],
    moves: Callable[[Any, object], Any],
    echo: Callable[[bytes, object], Any],
) -> grpc.GenericRpcHandler:
    """Return the raw handlers: an empty one, two with messages of the contract, and an echo."""
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "Empty": grpc.unary_unary_rpc_method_handler(empty),
        "Outcome": grpc.unary_unary_rpc_method_handler(
            outcome, pb.GetOutcomeRequest.FromString, pb.GetOutcomeResponse.SerializeToString
        ),
        "Moves": grpc.unary_unary_rpc_method_handler(
            moves,
            pb.ListWinningMovesRequest.FromString,
            pb.ListWinningMovesResponse.SerializeToString,
        ),
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
    }
    return grpc.method_handlers_generic_handler("bench", handlers)


def constant_outcome(oracle: Oracle) -> pb.GetOutcomeResponse:
    """Return the answer of a handler that parses and writes messages but does no other work."""
    response = pb.GetOutcomeResponse()
    fill_answer(response.answer, oracle.outcome(SAMPLE))
    return response


def constant_moves(oracle: Oracle) -> pb.ListWinningMovesResponse:
    """Return a constant answer with one winning move."""
    answer = oracle.winning_moves(SAMPLE)
    return write_winning_moves(answer, answer.winning_moves or ())


async def serve_aio(oracle: Oracle) -> None:
    """Serve the product's service and the raw handlers."""

    async def empty(_request: bytes, _context: object) -> bytes:
        return b""

    async def outcome(_request: object, _context: object) -> pb.GetOutcomeResponse:
        return an_outcome

    async def moves(_request: object, _context: object) -> pb.ListWinningMovesResponse:
        return some_moves

    async def echo(request: bytes, _context: object) -> bytes:
        return request

    an_outcome, some_moves = constant_outcome(oracle), constant_moves(oracle)
    server = grpc.aio.server(options=server_options(SETTINGS))
    handlers = GrpcHandlers(Admission(lambda: oracle, SETTINGS), SETTINGS)
    server.add_generic_rpc_handlers((handlers, raw_handlers(empty, outcome, moves, echo)))
    port = server.add_insecure_port(SETTINGS.address)
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


def serve_threads(oracle: Oracle) -> None:
    """Serve the threaded service and the raw handlers."""
    server = grpc.server(ThreadPoolExecutor(8), options=server_options(SETTINGS))
    outcome, moves = constant_outcome(oracle), constant_moves(oracle)
    raw = raw_handlers(
        lambda _request, _context: b"",
        lambda _request, _context: outcome,
        lambda _request, _context: moves,
        lambda request, _context: request,
    )
    server.add_generic_rpc_handlers((ThreadedService(oracle).handlers(), raw))
    port = server.add_insecure_port(SETTINGS.address)
    server.start()
    print(port, flush=True)
    server.wait_for_termination()


def serve(kind: str) -> None:
    """Serve until killed, and print the port as the first line."""
    oracle = plain_oracle()
    gc.collect()
    gc.freeze()  # as the product does
    if kind == "sync":
        serve_threads(oracle)
    elif kind == "aio":
        asyncio.run(serve_aio(oracle))
    else:
        uvloop.run(serve_aio(oracle))


@contextmanager
def server_process(kind: str) -> Iterator[tuple[int, int]]:
    """Run a server in another process, and yield its port and process id."""
    command = [sys.executable, "-m", "bench.service", "--serve", kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.kill()


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure_calls(
    port: int, pid: int, route: str, requests: Iterator[bytes]
) -> tuple[float, float]:
    """Return calls a second with many calls in flight, and the server's processor seconds for
    each.
    """
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(route)
        await method(next(requests))
        cpu, start, done = cpu_seconds(pid), time.perf_counter(), 0
        end = start + SECONDS

        async def work() -> None:
            nonlocal done
            while time.perf_counter() < end:
                await method(next(requests))
                done += 1

        await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
        return done / (time.perf_counter() - start), (cpu_seconds(pid) - cpu) / done


def measure_unary(kind: str, port: int, pid: int, positions: npt.NDArray[np.int32]) -> None:
    """Measure single calls as a share of the empty handler; rounds alternate, and the best counts.

    Both messages of single positions look alike, so that each handler takes the same bytes. `FEW`
    positions are asked again and again, so their responses are cached. With `BATCH` positions, each
    response has left the cache before its position is asked again.
    """
    triples = positions[:BATCH].tolist()
    typed = [
        pb.GetOutcomeRequest(
            position=game_pb2.Position(three_row_chomp=game_pb2.ThreeRowChomp(x=x, y=y, z=z))
        ).SerializeToString()
        for x, y, z in triples
    ]
    text = [
        pb.GetOutcomeRequest(
            position=game_pb2.Position(text=f"chomp3:[{x},{y},{z}]")
        ).SerializeToString()
        for x, y, z in triples
    ]
    asked = {
        "empty": ("/bench/Empty", text[:FEW]),
        "empty, messages of GetOutcome": ("/bench/Outcome", text[:FEW]),
        "empty, messages of winning moves": ("/bench/Moves", typed[:FEW]),
    }
    for again, count in (("", BATCH), (" again", FEW)):
        asked |= {
            f"GetOutcome, typed{again}": (f"{ROUTE}GetOutcome", typed[:count]),
            f"GetOutcome, text{again}": (f"{ROUTE}GetOutcome", text[:count]),
            f"ListWinningMoves, typed{again}": (f"{ROUTE}ListWinningMoves", typed[:count]),
        }
    calls = {name: (route, itertools.cycle(requests)) for name, (route, requests) in asked.items()}
    rates, costs = dict.fromkeys(calls, 0.0), dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, (route, requests) in calls.items():
            rate, cost = uvloop.run(measure_calls(port, pid, route, requests))
            rates[name], costs[name] = max(rates[name], rate), min(costs[name], cost)
    empty = rates["empty"]
    for name, rate in rates.items():
        what = "winning moves" if "Moves" in name else "GetOutcome"
        same = rates[f"empty, messages of {what}"]
        print(
            f"{kind:<12}{name:<34}{rate:>12,.0f} calls/s   {rate / empty:.0%} of empty,"
            f" {rate / same:.0%} with messages; server {costs[name] * 1e6:.0f} us each",
            flush=True,
        )


def measure_batches(kind: str, port: int, positions: npt.NDArray[np.int32]) -> None:
    """Measure positions a second in batches by the client, and an echo of the same bytes."""
    packed = positions[:BATCH].astype("<i4").tobytes()
    rates = dict.fromkeys(("echo of packed bytes", "outcomes", "winning_move_batch"), 0.0)
    with (
        OracleClient(f"127.0.0.1:{port}", batch_positions=BATCH) as client,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        echo: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/bench/Echo")
        questions: dict[str, Callable[[], object]] = {
            "echo of packed bytes": lambda: [echo(packed) for _ in range(len(positions) // BATCH)],
            "outcomes": lambda: client.outcomes("chomp3", positions),
            "winning_move_batch": lambda: client.winning_move_batch("chomp3", positions[:BATCH]),
        }
        for _ in range(ROUNDS):
            for name, ask in questions.items():
                start = time.perf_counter()
                ask()
                count = BATCH if name == "winning_move_batch" else len(positions)
                rates[name] = max(rates[name], count / (time.perf_counter() - start))
    for name, rate in rates.items():
        print(f"{kind:<12}{name:<32}{rate:>14,.0f} positions/s", flush=True)


def measure_latency(kind: str, port: int) -> None:
    """Measure the median time of single calls by the client, one after another."""
    with OracleClient(f"127.0.0.1:{port}") as client:
        times = []
        for _ in range(2_000):
            start = time.perf_counter()
            client.outcome(SAMPLE)
            times.append(time.perf_counter() - start)
    print(f"{kind:<12}{'serial OracleClient.outcome':<32}{np.median(times) * 1e3:>14.3f} ms")


def random_positions(count: int) -> npt.NDArray[np.int32]:
    """Return random positions of three-row Chomp inside the table."""
    generator = np.random.default_rng(1)
    return generator.integers(0, LIMIT, (count, 3), dtype=np.int32)


def main() -> None:
    """Measure every server, or run one server."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--serve", choices=KINDS, help=argparse.SUPPRESS)
    kind = parser.parse_args().serve
    if kind is not None:
        serve(kind)
        return
    positions = random_positions(20 * BATCH)
    for kind in KINDS:
        with server_process(kind) as (port, pid):
            measure_unary(kind, port, pid, positions)
            measure_batches(kind, port, positions)
            measure_latency(kind, port)


if __name__ == "__main__":
    main()
