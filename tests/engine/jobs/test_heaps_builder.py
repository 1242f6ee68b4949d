"""Sheets of heap games as jobs: built, checked, loaded, and asked over each interface."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from position_oracle import AsyncOracleClient, OracleClient
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.position import Position
from position_oracle.engine.jobs import report
from position_oracle.engine.jobs.heap_sheets import cut_sheets
from position_oracle.engine.jobs.job import job_for
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.progress import Progress
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.oracle.cli.main import run as run_command
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import BuildInterruptedError, NotationError
from position_oracle.schema.proto.position_oracle.v1 import game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from position_oracle.schema.snapshot import Snapshot
from tests.builds import build_all
from tests.serving import running_server

BUILT = {
    "nim{heaps=3,passes=1}": "60x90",
    "nim{heaps=3,passes=1,misere}": "20x20",
    "nim{declared=[1,6,7]+[10,2,8]}": "40x30",
    "nim{passes=1,declared=[1,6,7]+[10,2,8]}": "40x30",
    "nim{noise=normal(8),seed=7}": "30x40",
    "wythoff{rule=pairs}": "50x40",
    "wythoff{rule=both}": "50x40",
    "nim{heaps=3}": "17x33",
    "wythoff{rule=all}": "17x33",
}

CHECKSUM = "f01cb1a1981a1212"
"""Checksum of nim{noise=normal(8),seed=7} up to 60, on every machine."""


@pytest.fixture(scope="module")
def heap_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("heaps") / "data"
    build_all(((game, limit, None) for game, limit in BUILT.items()), place)
    return place


@pytest.fixture(scope="module")
def client(heap_store: Path) -> Iterator[OracleClient]:
    with (
        running_server(Oracle.open(heap_store)) as port,
        OracleClient(f"127.0.0.1:{port}") as connected,
    ):
        yield connected


@pytest.mark.parametrize("game", BUILT)
def test_what_is_stored_is_what_the_solver_gives(heap_store: Path, game: str) -> None:
    limit_x, limit_y = map(int, BUILT[game].split("x"))
    with Snapshot.open(heap_store) as snapshot:
        stored = snapshot.read_sheets(parse_game(game).text)
    assert set(stored.prefix_length.tolist()) == {limit_y + 1}
    solved = solve_sheets(parse_game(game), limit_x, limit_y)
    assert np.array_equal(stored.prefix_z, solved.reshape(-1))


@pytest.mark.parametrize("game", BUILT)
def test_verification_passes(heap_store: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "WHOLE_SAMPLE", 500)
    with Snapshot.open(heap_store) as snapshot:
        found = verify_build(snapshot, game, sample=Sample(None))
    assert found.passed, [check for check in found.checks if not check.passed]
    assert len(found.checks) >= 5


@pytest.mark.parametrize(
    ("game", "change", "wrong_are"),
    [
        ("nim{heaps=3,passes=1}", (7, 9, 11), ["N"]),
        ("nim{declared=[1,6,7]+[10,2,8]}", (10, 2, 8), ["P"]),
        ("nim{noise=normal(8),seed=7}", (5, 5, 100), ["N"]),
        ("wythoff{rule=pairs}", (9, 4, 200), ["N"]),
        ("wythoff{rule=both}", (1, 1, 1), ["P", "N"]),
    ],
)
def test_falsified_tables_are_found(
    heap_store: Path,
    game: str,
    change: tuple[int, int, int],
    wrong_are: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sample of 1,000 has nearly every column of tables as small as these."""
    spec, (x, y, z) = parse_game(game), change
    wrong = solve_sheets(spec, 12, 15)
    assert wrong[x, y] != z
    wrong[x, y] = z
    falsified = cut_sheets(wrong, 0)
    monkeypatch.setattr(Snapshot, "read_sheets", lambda *_, **__: falsified)
    with Snapshot.open(heap_store) as snapshot:
        checks = list(job_for(spec).checks(snapshot, spec, "12x15", Sample(1_000)))
    failing = [check for check in checks if not check.passed]
    assert [check.name.split()[1][0] for check in failing] == wrong_are
    assert all(check.detail for check in failing)


def test_the_counts_are_those_of_the_table(heap_store: Path) -> None:
    golden = Path(__file__).parents[2] / "golden" / "facts.json"
    published = json.loads(golden.read_text())["nim_with_a_pass"]
    oracle = Oracle.open(heap_store)
    game = parse_game("nim{heaps=3,passes=1}")
    found = [
        [x, y, z]
        for x in range(1, 9)
        for y in range(x, 9)
        for z in range(y, 9)
        if oracle.outcome(Position(game, (x, y, z))).outcome.name == "P"
    ]
    assert found == published["three_heaps"]


def test_the_same_seed_gives_the_same_table_and_another_seed_another(tmp_path: Path) -> None:
    sums = [
        run_build(BuildPlan.of(f"nim{{noise=normal(8),seed={seed}}}", 60), tmp_path / name).checksum
        for name, seed in (("first", 7), ("second", 7), ("other", 8))
    ]
    assert sums[0] == sums[1] != sums[2]
    assert sums[0] == CHECKSUM


def test_progress_ends_at_the_whole(tmp_path: Path) -> None:
    plan = BuildPlan.of("nim{heaps=3,passes=1}", 200)
    seen: list[Progress] = []
    run_build(plan, tmp_path / "done", progress=seen.append)
    assert {state.phase for state in seen} == {"solve", "write", "check"}
    assert all(state.done <= state.total for state in seen)


@pytest.mark.usefixtures("spent_budget")
def test_a_stop_publishes_nothing(tmp_path: Path) -> None:
    plan = BuildPlan.of("nim{heaps=3,passes=1}", 200)
    with pytest.raises(BuildInterruptedError):
        run_build(plan, tmp_path / "stopped")
    assert not list((tmp_path / "stopped").glob("*.duckdb"))


@pytest.mark.parametrize(
    ("game", "needed"),
    [
        ("nim{heaps=3,passes=1}", ["nim{heaps=3,passes=1}"]),
        ("nim{heaps=3,passes=5}", ["nim{heaps=3,passes=1}"]),
        ("nim{heaps=3,passes=4}", ["nim{heaps=3}"]),
        (
            "nim{declared=[1,2,3],passes=2}",
            ["nim{declared=[1,2,3]}", "nim{passes=1,declared=[1,2,3]}"],
        ),
        ("wythoff{rule=both}", ["wythoff{rule=both}"]),
    ],
)
def test_games_needed(game: str, needed: list[str]) -> None:
    assert [plan.game.text for plan in BuildPlan.all_needed(game, 10)] == needed


@pytest.mark.parametrize(
    ("limit", "canonical"), [("4096", "4096x4096"), (" 007x20 ", "7x20"), ("0", "0x0")]
)
def test_limits_are_the_largest_heaps(limit: str, canonical: str) -> None:
    assert BuildPlan.of("nim{heaps=3}", limit).limit == canonical


@pytest.mark.parametrize(
    ("game", "limit", "says"),
    [
        ("nim{heaps=3}", "-1", "largest x and y"),
        ("nim{heaps=3}", "3x4x5", "largest x and y"),
        ("nim{heaps=3}", "9999999", "0 to 1048576"),
        ("wythoff{rule=all}", "100000", "0 to 65536"),
        ("nim{heaps=2,passes=1}", "10", "nim{heaps=3}"),
        ("nim", "10", "nim{heaps=3}"),
        ("wythoff{heaps=2}", "10", "wythoff{rule=pairs}"),
        ("nim{heaps=3,passes=2}", "10", "build that"),
    ],
)
def test_bad_plans_are_refused(game: str, limit: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        BuildPlan.of(game, limit, "sheets")


def test_estimates_grow_with_the_table() -> None:
    small, large = (BuildPlan.of("wythoff{rule=both}", n).estimate() for n in (100, 4096))
    assert (small.rows, large.rows) == (101**2, 4097**2)
    assert small.seconds < large.seconds
    assert small.memory_bytes < large.memory_bytes
    assert small.disk_bytes < large.disk_bytes


QUESTIONS = {
    "nim:[3,5,7]": ["nim:[2,5,7]", "nim:[3,4,7]", "nim:[3,5,6]"],
    "nim:[1,1;1]": ["pass"],
    "nim:[2,1;1]": [],
    "nim{misere}:[1,1]": ["nim{misere}:[0,1]", "nim{misere}:[1,0]"],
    "nim{declared=[1,6,7]+[10,2,8]}:[1,6,7]": [],
    "nim{declared=[1,6,7]+[10,2,8]}:[2,12,14]": ["nim{declared=[1,6,7]+[10,2,8]}:[2,12,13]"],
    "wythoff:[3,5]": [],
    "wythoff:[5,5]": ["wythoff:[3,5]", "wythoff:[5,3]", "wythoff:[0,0]"],
    "wythoff{rule=both}:[0,7,7]": [
        "wythoff{rule=both}:[0,4,7]",
        "wythoff{rule=both}:[0,7,4]",
        "wythoff{rule=both}:[0,0,0]",
    ],
}


def test_the_service_and_the_command_line_answer_alike(
    heap_store: Path, client: OracleClient, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, expected in QUESTIONS.items():
        answer = client.winning_moves(text)
        assert answer.winning_moves is not None
        moves = ["pass" if move.is_pass else move.position for move in answer.winning_moves]
        assert sorted(moves) == sorted(expected), text
        assert run_command(["ask", "--json", text, "--db", str(heap_store)]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["winning_moves"] == moves
        assert printed["outcome"] == answer.outcome.name
        assert printed["reason"] == answer.reason


def test_the_service_takes_typed_heaps(heap_store: Path) -> None:
    import grpc

    spec = game_pb2.GameSpec(family="nim", heaps=3, passes=1)
    game = game_pb2.Game(spec=spec)
    position = game_pb2.Position(heaps=game_pb2.HeapPosition(sizes=[50, 60, 90]), game=game)
    with (
        running_server(Oracle.open(heap_store)) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        response = PositionOracleStub(channel).ListWinningMoves(
            pb.ListWinningMovesRequest(position=position)
        )
    expected = Oracle.open(heap_store).winning_moves("nim:[50,60,90;1]")
    assert response.answer.position.heaps == position.heaps
    assert response.answer.position.game.spec == spec
    assert response.answer.reason == expected.reason
    assert expected.winning_moves is not None
    children = [move.child.text for move in response.moves]
    assert children == [str(move.child) for move in expected.winning_moves]


@pytest.mark.parametrize(
    ("game", "heaps"),
    [("nim", 7), ("nim{passes=1}", 3), ("nim{heaps=3,passes=2}", 3), ("wythoff", 2)],
)
def test_batches_have_a_column_for_every_heap(
    heap_store: Path, client: OracleClient, game: str, heaps: int
) -> None:
    rows = np.random.default_rng(1).integers(0, 60, (200, heaps)).astype(np.int32)
    out, children = client.winning_move_batch(game, rows)
    expected, moves = Oracle.open(heap_store).winning_move_batch(parse_game(game), rows)
    assert out.tolist() == client.outcomes(game, rows).tolist() == expected.tolist()
    assert children.tolist() == moves.tolist()
    assert set(out.tolist()) == {1, 2}


def test_windows_and_games_come_over_the_wire(heap_store: Path, client: OracleClient) -> None:
    window = client.instant_winners("nim{heaps=3,passes=1}", 5, 30, 30)
    z = solve_sheets(parse_game("nim{heaps=3,passes=1}"), 4, 29)
    assert np.count_nonzero(window) == len(
        {(y, int(z[x, y])) for x in range(5) for y in range(30) if z[x, y] < 30}
    )
    sources = {info.game: info.sources for info in client.games()}
    (build,) = (source.build for source in sources["nim{passes=1}"] if source.build)
    assert build.limit == "60x90"
    assert {"nim", "nim{misere}", "wythoff", "wythoff{rule=all}"} <= set(sources)


def test_the_asyncio_client_answers_too(heap_store: Path) -> None:
    async def ask(port: int) -> str:
        async with AsyncOracleClient(f"127.0.0.1:{port}") as connected:
            return (await connected.outcome("wythoff{rule=pairs}:[30,20,35]")).certainty

    with running_server(Oracle.open(heap_store)) as port:
        assert asyncio.run(ask(port)) == "EXACT_TABLE"


def test_build_verify_and_sheet_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "data")
    assert run_command(["build", "nim{heaps=3,passes=3}", "--limit", "30", "--db", place]) == 0
    assert "nim{heaps=3,passes=1} sheets up to 30x30: 961 rows" in capsys.readouterr().out
    assert run_command(["verify", "--sample", "300", "--db", place]) == 0
    capsys.readouterr()
    assert run_command(["ask", "nim:[20,25,30;3]", "--db", place]) == 0
    assert "EXACT_TABLE: table of nim{heaps=3,passes=1}" in capsys.readouterr().out
    assert run_command(["ask", "nim:[2000,2500,3000;3]", "--db", place]) == 3
