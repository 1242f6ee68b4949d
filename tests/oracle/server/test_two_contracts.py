"""Old clients work with a new server, and new clients with an old server.

`contract_v1.binpb` is version 1 of the contract, written by `buf build` when it became stable. Code
generated from it runs in a separate process, because one process cannot load two versions of a
contract. This process is an old client of a new server, and an old server for a new client. The old
server passes questions on to a new one, and drops all fields that version 1 does not have.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from position_oracle import OracleClient, Outcome
from position_oracle.oracle.core import Oracle
from tests.serving import running_server

BEFORE = Path(__file__).parents[2] / "golden" / "contract_v1.binpb"
NAMES = (
    *("analysis", "answer", "catalog", "chance", "game", "geometry", "graph", "line", "service"),
    "sheet",
)

OLD_CLIENT = """
import json, struct, sys
import grpc
from position_oracle.v1 import (
    analysis_pb2, catalog_pb2, chance_pb2, game_pb2, service_pb2, service_pb2_grpc
)
channel = grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}")
oracle = service_pb2_grpc.PositionOracleStub(channel)
position = game_pb2.Position(text="nim:[3,5,7]")
chance = chance_pb2.GetWinProbabilityRequest(position=position, model="random")
packed = service_pb2.PackedPositions(
    game=game_pb2.Game(text="nim"), width=2, coordinates=struct.pack("<4i", 3, 5, 4, 4)
)
ask = lambda method, request: method(request, timeout=60)
outcome = ask(oracle.GetOutcome, service_pb2.GetOutcomeRequest(position=position))
moves = ask(oracle.ListWinningMoves, service_pb2.ListWinningMovesRequest(position=position))
analysis = ask(oracle.AnalyzePosition, analysis_pb2.AnalyzePositionRequest(position=position))
batch = ask(oracle.BatchGetOutcomes, service_pb2.BatchGetOutcomesRequest(positions=packed))
games = ask(oracle.ListGames, catalog_pb2.ListGamesRequest())
print(json.dumps({
    "outcome": outcome.answer.outcome,
    "certainty": outcome.answer.certainty,
    "children": [move.child.text for move in moves.moves],
    "listed": len(analysis.moves),
    "batch": list(batch.outcomes),
    "games": len(games.games),
    "chance": ask(oracle.GetWinProbability, chance).probability.value,
}))
"""

OLD_SERVER = """
import sys
from concurrent.futures import ThreadPoolExecutor
import grpc
from position_oracle.v1 import service_pb2, service_pb2_grpc
channel = grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}")
ask = service_pb2_grpc.PositionOracleStub(channel)

class OldOracle(service_pb2_grpc.PositionOracleServicer):
    pass

def old(name):
    def answer(self, request, context):
        request.DiscardUnknownFields()
        response = getattr(ask, name)(request, timeout=60)
        response.DiscardUnknownFields()
        return response
    return answer

for method in service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods:
    setattr(OldOracle, method.name, old(method.name))
server = grpc.server(ThreadPoolExecutor(2))
service_pb2_grpc.add_PositionOracleServicer_to_server(OldOracle(), server)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
sys.stdin.read()
server.stop(None)
"""


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the code generated from version 1 of the contract."""
    pytest.importorskip("grpc_tools", reason="the generator is a development tool")
    folder = tmp_path_factory.mktemp("before")
    names = [f"position_oracle/v1/{name}.proto" for name in NAMES]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--descriptor_set_in={BEFORE}"]
    command += [f"--python_out={folder}", f"--grpc_python_out={folder}", *names]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a current server, without tables."""
    with running_server(Oracle()) as port:
        yield port


def program(text: str, port: int, folder: Path) -> list[str]:
    (folder / "program.py").write_text(text)
    # Without PYTHONPATH: it might name the code of today, which would be found first.
    return [sys.executable, "-E", str(folder / "program.py"), str(port)]


def test_a_client_of_the_contract_before_asks_a_server_of_today(before: Path, port: int) -> None:
    run = subprocess.run(
        program(OLD_CLIENT, port, before), cwd=before, capture_output=True, text=True, check=True
    )
    told: dict[str, Any] = json.loads(run.stdout)
    assert told == {
        "outcome": Outcome.N,
        "certainty": 3,
        "children": ["nim:[2,5,7]", "nim:[3,4,7]", "nim:[3,5,6]"],
        "listed": 15,
        "batch": [Outcome.N, Outcome.P],
        "games": len(Oracle().games()),
        "chance": told["chance"],
    }
    assert 0 < told["chance"] < 1


@pytest.fixture(scope="module")
def old_server(before: Path, port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = shutil.copytree(before, tmp_path_factory.mktemp("server") / "before")
    with subprocess.Popen(
        program(OLD_SERVER, port, folder),
        cwd=folder,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.communicate("")


def test_a_client_of_today_asks_a_server_of_the_contract_before(old_server: int) -> None:
    with OracleClient(f"127.0.0.1:{old_server}", timeout=60) as oracle:
        answer = oracle.winning_moves("nim:[3,5,7]")
        assert answer.outcome is Outcome.N
        assert answer.winning_moves is not None
        assert str(answer.winning_moves[0]) == "nim:[2,5,7]"
        analysis = oracle.analyze("nim:[3,5,7]")
        assert analysis.complete
        assert len(analysis.moves or ()) == 15
        assert len(oracle.games()) == len(Oracle().games())
        assert oracle.outcomes("nim", [[3, 5], [4, 4]]).tolist() == [Outcome.N, Outcome.P]
        many = np.zeros((250_000, 2), int)
        assert (oracle.outcomes("nim", many) == Outcome.P).all()
        assert oracle.win_probability("nim:[3,5]", "random").value is not None
