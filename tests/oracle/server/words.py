"""A server in one process or several. Its table file holds a word, the reason of each answer.

Run as `python -m tests.oracle.server.words FOLDER`; settings come as JSON in a line of standard
input. `python -m tests.oracle.server.words FOLDER worker` is one of its workers.
"""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from position_oracle.oracle.answers import Answer
from position_oracle.oracle.server.logs import log_to_stderr
from position_oracle.oracle.server.process import OracleSource, serve_source
from position_oracle.oracle.server.settings import ReadSettings, ServerSettings
from position_oracle.oracle.server.supervisor import (
    beat,
    read_start,
    start_line,
    stop_with_supervisor,
    supervise,
)
from position_oracle.schema.positions import PositionLike
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position as PositionMessage
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SlowOracle, raw_call

ROOT = Path(__file__).parents[3]
COLD_SECONDS = 1.5
QUESTION = pb.GetOutcomeRequest(position=PositionMessage(text="chomp3:[1,2,3]"))


class WordOracle(SlowOracle):
    """Answers with the word of the table file, and the number of its process, as the reason."""

    def __init__(self, path: Path) -> None:
        super().__init__(0.5)
        self.place = path.parent
        self.word = path.read_text()
        if self.word == "damaged":
            raise OSError("the file is damaged")

    def warm_up(self, *, if_cold: bool = False) -> None:
        """Wait for a while for the word `cold`."""
        if self.word == "cold":
            time.sleep(COLD_SECONDS)
            (self.place / "warm").touch()

    def _work(self) -> None:
        (self.place / "started").touch()
        super()._work()

    def outcome(self, position: PositionLike) -> Answer:
        return replace(super().outcome(position), reason=f"{self.word} {os.getpid()}")


@dataclass
class Words:
    """A server process with its ports, and the folder of its table file."""

    process: "subprocess.Popen[str]"
    port: int
    pages: int
    place: Path

    def publish(self, word: str) -> None:
        """Publish a file with another word."""
        (self.place / word).write_text(word)
        (self.place / "next").write_text(word)
        (self.place / "next").replace(self.place / "current")

    def asked(self) -> tuple[str, int]:
        """Return the word and the process of one answer, over a new connection."""
        answer = raw_call(self.port, "GetOutcome", QUESTION.SerializeToString())
        word, pid = pb.GetOutcomeResponse.FromString(answer).answer.reason.rsplit(" ", 1)
        return word, int(pid)

    def page(self, path: str) -> tuple[int, str]:
        """Return status and text of a page of the port of metrics."""
        return page(self.pages, path)


def page(port: int, path: str) -> tuple[int, str]:
    """Return status and text of a page, or status 0 if nobody listens."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except (urllib.error.URLError, ConnectionError):
        return 0, ""


def number(text: str, name: str, **labels: str) -> float:
    """Return the sum of the samples of a metric with these labels, from a text for Prometheus."""
    from prometheus_client.parser import text_string_to_metric_families

    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def serving_words(
    place: Path, *, read: ReadSettings | None = None, log: IO[str] | None = None, **changes: Any
) -> Iterator[Words]:
    """Start a server with the word `first` and with metrics, until the end of the block."""
    (place / "first").write_text("first")
    (place / "current").write_text("first")
    usual = ServerSettings(address="127.0.0.1:0", db=place / "first", reload_seconds=0.0)
    changes.setdefault("metrics", f"127.0.0.1:{free_port()}")
    settings = replace(usual, **changes)
    pages = int((settings.metrics or "").rpartition(":")[2])
    command = [sys.executable, "-m", "tests.oracle.server.words", str(place)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        cwd=ROOT,
        process_group=0,  # as a terminal starts a program
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(start_line(settings, read or partial(replace, settings)))
            process.stdin.flush()
            line = process.stdout.readline()
            assert line.startswith("oracle: serving"), line
            port = int(line.split(" on 127.0.0.1:")[1].split()[0])
            yield Words(process, port, pages, place)
        finally:
            process.kill()


def main() -> None:
    """Serve, as a worker or with workers."""
    log_to_stderr()
    place = Path(sys.argv[1])
    settings, read = read_start(sys.stdin.readline())

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    threading.Thread(target=stop_with_supervisor, daemon=True).start()
    if settings.workers > 1 and "worker" not in sys.argv:
        worker = (sys.executable, "-m", "tests.oracle.server.words", str(place), "worker")
        asyncio.run(supervise(settings, read, say, worker))
    else:
        source = OracleSource(lambda: place / (place / "current").read_text(), WordOracle)
        asyncio.run(serve_source(source, settings, say, beat=beat, read=read))


if __name__ == "__main__":
    main()
