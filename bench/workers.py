"""Measure two workers against one: calls a second, and memory of the shared tables.

Run with `python -m bench workers`, or with a store: `python -m bench.workers --db data`. The load
comes from `h2load` (Debian: nghttp2-client). It takes a tenth of the server's processor time, so
that it fits on two cores beside two workers. Without `h2load`, processes of Python make the load.
They take as much time as the server, and need more cores. Rounds of one and of two workers
alternate.
"""

import argparse
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from position_oracle import OracleClient
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.run import run_build
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.analysis_pb2 import AnalyzePositionRequest
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position

LIMIT: Final = 2000
CONNECTIONS: Final = 24
SECONDS: Final = 3
ROUNDS: Final = 8
SERVICE: Final = "/position_oracle.v1.PositionOracle/"
CALLER: Final = """
import sys, time
import grpc
end = time.monotonic() + float(sys.argv[2])
calls, message = 0, bytes.fromhex(sys.argv[4])
with grpc.insecure_channel(sys.argv[1]) as channel:
    call = channel.unary_unary(sys.argv[3])
    while time.monotonic() < end:
        call(message)
        calls += 1
print(calls)
"""


class Question(NamedTuple):
    """A question that is asked again and again.

    Attributes:
        what: description of the question.
        method: name of the call in the contract.
        message: the request.
    """

    what: str
    method: str
    message: bytes


QUESTIONS: Final = (
    Question(
        "an outcome, whose response is kept",
        "GetOutcome",
        pb.GetOutcomeRequest(position=Position(text="chomp3:[300,1,2]")).SerializeToString(),
    ),
    Question(
        "an analysis of 43 moves, made each time",
        "AnalyzePosition",
        AnalyzePositionRequest(position=Position(text="chomp3:[10,2,9]")).SerializeToString(),
    ),
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Two workers against one.")
    parser.add_argument("--db", type=Path, help=f"a store; without, one to x <= {LIMIT} is made")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        db = given.db or Path(folder) / "data"
        if given.db is None:
            run_build(BuildPlan.of("chomp3", LIMIT), db)
        servers = {count: stack.enter_context(serving(db, count)) for count in (1, 2)}
        time.sleep(10)  # until all kernels are ready
        for question in QUESTIONS:
            compare(servers, question, Path(folder), given.rounds)
        port, pids = servers[2]
        touch(port)
        for pid in pids:
            resident, share = mapped(pid)
            print(f"a worker has {resident:.1f} MB of the tables in memory, its share {share:.1f}")


def compare(
    servers: dict[int, tuple[int, list[int]]], question: Question, folder: Path, rounds: int
) -> None:
    """Ask servers in turns, and print the number of their answers a second."""
    body = folder / "body"
    body.write_bytes(struct.pack(">BI", 0, len(question.message)) + question.message)
    rates: dict[int, list[float]] = {count: [] for count in servers}
    for _ in range(rounds):
        for count, (port, _) in servers.items():
            rates[count].append(load(port, question, body))
    print(question.what)
    for count, found in rates.items():
        middle, best = statistics.median(found), max(found)
        print(f"   {count} worker(s): {middle:7,.0f} calls/s (median), {best:7,.0f} (best)")
    ratio = statistics.median(rates[2]) / statistics.median(rates[1])
    print(f"   ratio {ratio:.2f} of medians, {max(rates[2]) / max(rates[1]):.2f} of the best")


@contextmanager
def serving(db: Path, workers: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the port of a server, and the processes that answer."""
    command = [
        sys.executable,
        "-m",
        "position_oracle",
        "serve",
        "--db",
        str(db),
        "--workers",
        str(workers),
    ]
    with subprocess.Popen(
        [*command, "--address", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().rsplit(" on 127.0.0.1:", 1)[1].split()[0])
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            yield port, [int(pid) for pid in children] if workers > 1 else [server.pid]
        finally:
            server.terminate()


def load(port: int, question: Question, body: Path) -> float:
    """Return the calls a second of one round."""
    path = SERVICE + question.method
    if shutil.which("h2load") is None:
        command = [sys.executable, "-c", CALLER, f"127.0.0.1:{port}", str(SECONDS), path]
        command.append(question.message.hex())
        callers = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            for _ in range(2 * (os.cpu_count() or 1))
        ]
        return sum(int(caller.communicate()[0]) for caller in callers) / SECONDS
    headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    command = ["h2load", "-c", str(CONNECTIONS), "-m", "2", "-D", str(SECONDS), "-d", str(body)]
    said = subprocess.run(
        [*command, *headers, f"http://127.0.0.1:{port}{path}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"status codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx", said)
    assert found is not None, said
    return int(found[1]) / SECONDS


def touch(port: int) -> None:
    """Ask about positions in all parts of the tables, by connections to all workers."""
    program = "import sys; from bench.workers import ask_all_over; ask_all_over(int(sys.argv[1]))"
    for _ in range(8):
        subprocess.run([sys.executable, "-c", program, str(port)], check=True)


def ask_all_over(port: int) -> None:
    """Ask about a batch of random positions."""
    rows = np.random.default_rng().integers(0, LIMIT, (100_000, 3))
    with OracleClient(f"127.0.0.1:{port}", timeout=60.0) as client:
        client.outcomes("chomp3", rows)


def mapped(pid: int) -> tuple[float, float]:
    """Return the MB of the mapped tables that a process has in memory, and its share of them."""
    resident = share = 0
    is_table = False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        name, _, rest = line.partition(":")
        if "-" in line.split()[0]:
            is_table = ".maps/" in line
        elif is_table and name == "Rss":
            resident += int(rest.split()[0])
        elif is_table and name == "Pss":
            share += int(rest.split()[0])
    return resident / 1000, share / 1000


if __name__ == "__main__":
    main()
