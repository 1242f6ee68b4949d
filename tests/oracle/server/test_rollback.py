"""Old tables come back while a server answers, and a backup of tables moves to another place."""

import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.store import current_file
from tests.clock import until
from tests.oracle.server.doubles import raw_call
from tests.oracle.server.words import QUESTION


@pytest.mark.slow
def test_tables_go_back_under_load(store: Path, tmp_path: Path) -> None:
    place, backup = tmp_path / "data", tmp_path / "elsewhere" / "restored"
    shutil.copytree(store, place)
    before = current_file(place)
    build = ["build", "nim{heaps=3,passes=1}", "--limit", "12", "--db", str(place)]
    assert run(build) == 0
    assert current_file(place) != before
    backup.mkdir(parents=True)
    shutil.copy(current_file(place), backup)
    shutil.copy(place / "CURRENT", backup)
    command = [sys.executable, "-m", "position_oracle", "serve", "--address", "127.0.0.1:0"]
    serve = [*command, "--db", str(place), "--reload-seconds", "0.2"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(" on 127.0.0.1:", 1)[1].split()[0])
        seen: list[str] = []
        done = threading.Event()

        def version() -> str:
            response = raw_call(port, "GetOutcome", QUESTION.SerializeToString(), 60.0)
            return pb.GetOutcomeResponse.FromString(response).answer.tables.version

        def ask() -> None:
            while not done.is_set():
                seen.append(version())  # a call that fails raises an error

        with ThreadPoolExecutor(4) as threads:
            asking = [threads.submit(ask) for _ in range(4)]
            try:
                until(lambda: len(seen) > 20)
                newer = seen[0]
                assert run(["tables", "rollback", "--db", str(place)]) == 0
                until(lambda: seen[-1] != newer)
                older = seen[-1]
            finally:
                done.set()
            for each in asking:
                each.result()
        server.terminate()
        assert server.wait(30) == 0
    assert set(seen) == {newer, older}
    assert current_file(place) == before
    assert current_file(backup).parent == backup
    assert run(["tables", "--upgrade", "--db", str(backup)]) == 0
    assert run(["verify", "nim{heaps=3,passes=1}", "--sample", "10", "--db", str(backup)]) == 0
