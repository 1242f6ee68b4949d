"""Answers from a census of three-row Chomp, with and without tables, equal those from tables."""

import itertools
import re
from pathlib import Path
from time import monotonic

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from position_oracle import InvalidQuestionError, OracleClient
from position_oracle.engine.budget import Budget, Cost
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.resources import StoredTable
from position_oracle.oracle.families.sources import NOT_ALL, names_all_wins
from position_oracle.schema.answers import Origin
from position_oracle.schema.arrays import NO_MOVE
from position_oracle.schema.census import Census, read_census
from position_oracle.schema.errors import (
    CorruptTableError,
    InvalidPositionError,
    ResourceLimitError,
    StoppedError,
    UnknownAnswerError,
)
from position_oracle.schema.games import Build
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot
from tests.oracle.tables import three_row_table
from tests.serving import running_server

PLAIN = GameSpec("chomp3")
LIMIT, TABLES = 6_000, 1_000
"""A limit beyond the sheets solved on demand, so that windows are swept; the limit of tables."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with tables up to TABLES and a census up to LIMIT."""
    place = tmp_path_factory.mktemp("census") / "data"
    run_build(BuildPlan.of("chomp3", TABLES), place)
    run_build(BuildPlan.of("chomp3", f"{LIMIT}x256", "census"), place)
    return place


@pytest.fixture(scope="module")
def oracle(place: Path) -> Oracle:
    return Oracle.open(place)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """An oracle with a census alone, whose checkpoints have another spacing."""
    place = tmp_path_factory.mktemp("alone") / "data"
    run_build(BuildPlan.of("chomp3", f"{LIMIT}x128", "census"), place)
    return Oracle.open(place)


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return solve(LIMIT + 1)


@pytest.fixture(scope="module")
def table(sheets: LoserSheets) -> Oracle:
    """An oracle with tables alone, up to the limit of the census."""
    return Oracle([three_row_table(PLAIN, sheets)])


def near_lines(count: int, seed: int, lowest: int = 0) -> npt.NDArray[np.int32]:
    """Random positions: anywhere, within 20 of the loser lines, and far out."""
    rng = np.random.default_rng(seed)
    x = rng.integers(lowest, LIMIT + 1, count)
    y = (x * rng.uniform(0, 0.45, count)).astype(np.int64)
    y[::5] = rng.integers(0, 3 * LIMIT, len(y[::5]))
    slope = np.where(rng.integers(0, 2, count), 0.2929, 1.7071)
    z = np.maximum(0, 0.7071 * x - slope * y + rng.integers(-20, 21, count)).astype(np.int64)
    z[::3] = rng.integers(0, LIMIT, len(z[::3]))
    return np.stack((x, y, z), axis=1).astype(np.int32)


def p_positions(sheets: LoserSheets, count: int, seed: int) -> npt.NDArray[np.int32]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, LIMIT + 1, 3 * count)
    y = (x * rng.uniform(0, 0.45, 3 * count)).astype(np.int64)
    z = sheets.look_up(x, y)
    found = np.stack((x, y, z), axis=1)[z >= 0]
    return found[:count].astype(np.int32)


def moves_of(answer: Answer) -> list[tuple[int, ...]]:
    assert answer.winning_moves is not None
    return [move.child.coordinates for move in answer.winning_moves]


@settings(max_examples=settings().max_examples * 4 // 5)
@given(st.integers(0, LIMIT), st.floats(0, 1.1), st.floats(0, 1.1))
@example(4245, 0.0, 1.0)  # the whole interval of checkpoints is already known
def test_any_position_is_answered_as_from_tables(
    oracle: Oracle, alone: Oracle, table: Oracle, x: int, y: float, z: float
) -> None:
    position = Position(PLAIN, (x, int(x * y), int(x * z)))
    expected = table.winning_moves(position)
    for asked in (oracle, alone):
        found = asked.winning_moves(position)
        assert found.outcome is expected.outcome
        assert moves_of(found) == moves_of(expected)
        assert asked.outcome(position).outcome is expected.outcome


def test_positions_near_the_lines_and_lost_ones(
    oracle: Oracle, table: Oracle, sheets: LoserSheets
) -> None:
    asked = np.concatenate([near_lines(250, 1), p_positions(sheets, 100, 2)])
    for row in asked.tolist():
        position = Position(PLAIN, tuple(row))
        expected = table.winning_moves(position)
        found = oracle.winning_moves(position)
        assert (found.outcome, moves_of(found)) == (expected.outcome, moves_of(expected)), position


def test_a_batch_equals_its_rows(oracle: Oracle, table: Oracle, sheets: LoserSheets) -> None:
    asked = np.concatenate([near_lines(1_500, 3), p_positions(sheets, 500, 4)])
    outcomes = oracle.outcomes(PLAIN, asked)
    np.testing.assert_array_equal(outcomes, table.outcomes(PLAIN, asked))
    expected = table.winning_move_batch(PLAIN, asked)
    for found, other in zip(oracle.winning_move_batch(PLAIN, asked), expected, strict=True):
        np.testing.assert_array_equal(found, other)
    for row, outcome in zip(asked[::40].tolist(), outcomes[::40].tolist(), strict=True):
        assert oracle.outcome(Position(PLAIN, tuple(row))).outcome == outcome


def test_a_pass_left_is_answered_where_two_passes_change_nothing(oracle: Oracle) -> None:
    game = PLAIN.with_passes(2)
    asked = near_lines(60, 5, lowest=TABLES + 1)
    np.testing.assert_array_equal(oracle.outcomes(game, asked), oracle.outcomes(PLAIN, asked))
    assert oracle.outcome(Position(game, tuple(asked[1].tolist()))).certainty is not None


@pytest.mark.parametrize("n", [2, 3, 700, 1_500, 6_000, 8_400])
def test_openings_to_beyond_the_limit(oracle: Oracle, n: int) -> None:
    found = oracle.winning_moves(f"chomp3:[{n},0,0]")
    assert found.certainty is Certainty.EXACT_TABLE
    (opening,) = moves_of(found)
    assert oracle.outcome(Position(PLAIN, opening)).outcome is Outcome.P


def test_the_last_opening_that_is_listed_is_answered(oracle: Oracle) -> None:
    ranges = [source.range for info in oracle.games() for source in info.sources]
    (n,) = {
        int(found[1]) for each in ranges if (found := re.search(r"openings .* n <= (\d+)", each))
    }
    last, further = (oracle.winning_moves(f"chomp3:[{each},0,0]") for each in (n, n + 1))
    assert last.certainty is Certainty.EXACT_TABLE
    assert further.certainty is Certainty.THEOREM
    _, children = oracle.winning_move_batch("chomp3", [[n, 0, 0]])
    assert moves_of(last) == [tuple(children[0].tolist())]


def test_openings_are_those_of_tables(oracle: Oracle, table: Oracle) -> None:
    for n in range(2, LIMIT, 97):
        position = f"chomp3:[{n},0,0]"
        assert moves_of(oracle.winning_moves(position)) == moves_of(table.winning_moves(position))


def test_openings_that_may_not_be_the_only_ones(oracle: Oracle) -> None:
    """Beyond the limit, beside a bite in row 3, an unknown sheet may hold another opening."""
    seen = set()
    for n in range(LIMIT - 20, LIMIT + 60):
        answer = oracle.winning_moves(f"chomp3:[{n},0,0]")
        ((_, y, _),) = moves_of(answer)
        in_row_3 = y > 0
        is_open = in_row_3 and n > LIMIT + 1
        assert answer.reason.endswith(NOT_ALL) == is_open
        assert names_all_wins(answer) is not is_open
        board = oracle.winning_moves(f"chomp:{n}/{n}/{n}")
        assert names_all_wins(board) is not is_open
        assert NOT_ALL not in oracle.outcome(f"chomp3:[{n},0,0]").reason
        seen.add((in_row_3, n > LIMIT))
    assert len(seen) == 4


def test_moves_beside_an_opening_are_not_called_losing(oracle: Oracle) -> None:
    """The outcome of moves beyond the limit is unknown if their sheets may hold a P-position."""
    n = next(
        n
        for n in range(LIMIT + 2, LIMIT + 60)
        if oracle.winning_moves(f"chomp3:[{n},0,0]").reason.endswith(NOT_ALL)
    )
    # Bites of the first row come first. After the winning move, places count from 2.
    others = oracle.analyze_page(f"chomp3:[{n},0,0]", first=2 + n + LIMIT + 1, most=1).moves
    assert others is not None
    (other,) = others
    assert other.move.child.coordinates == (LIMIT + 1, 0, n - LIMIT - 1)
    assert other.outcome is Outcome.UNKNOWN


def test_reasons_distinguish_read_and_swept_answers(oracle: Oracle) -> None:
    """Read answers are EXACT_TABLE, swept ones EXACT_SEARCH, and the reason says which."""
    in_table = oracle.outcome("chomp3:[900,100,7]")
    assert in_table.certainty is Certainty.EXACT_TABLE
    assert in_table.reason.startswith("loser sheets of chomp3")
    far = oracle.outcome(f"chomp3:[5000,{10**6},3]")
    diagonal = oracle.outcome("chomp3:[5000,0,7]")
    for read in (far, diagonal):
        assert read.certainty is Certainty.EXACT_TABLE
        assert read.reason == f"census of chomp3, x <= {LIMIT}"
    swept = oracle.winning_moves("chomp3:[5000,700,1900]")
    assert swept.certainty is Certainty.EXACT_SEARCH
    assert swept.reason == f"census of chomp3, x <= {LIMIT}, swept from the checkpoint below"
    beyond = oracle.outcome(f"chomp3:[{LIMIT + 1},700,1900]")
    assert beyond.outcome is Outcome.UNKNOWN
    assert "oracle build" in beyond.reason


def test_tables_and_census_are_both_listed(oracle: Oracle) -> None:
    (plain,) = (info for info in oracle.games() if info.game == PLAIN)
    kinds = {source.build.kind: source for source in plain.sources if source.build is not None}
    assert kinds["sheets"].limits == {"x": TABLES}
    assert f"x <= {LIMIT}" in kinds["census"].range
    assert "openings" in kinds["census"].range


def test_verify_passes_both(place: Path) -> None:
    with Snapshot.open(place) as snapshot:
        snapshot.verify_all()
        report = verify_build(snapshot, "chomp3", kind="census", sample=Sample(60))
    assert report.passed


@pytest.mark.parametrize("question", ["outcome", "winning_moves"])
def test_a_spent_budget_stops_a_sweep(oracle: Oracle, question: str) -> None:
    with Budget().active() as budget:
        budget.cancel()
        with pytest.raises(StoppedError):
            getattr(oracle, question)("chomp3:[5000,700,1743]")
    assert oracle.winning_moves("chomp3:[5000,700,1743]").outcome in (Outcome.N, Outcome.P)


def test_a_spent_budget_stops_a_batch_and_a_window(oracle: Oracle) -> None:
    asked = near_lines(200, 6, lowest=TABLES + 1)
    with Budget(deadline=monotonic()).active() as budget:
        budget.cancel()
        for ask in (oracle.outcomes, oracle.winning_move_batch):
            with pytest.raises(StoppedError):
                ask(PLAIN, asked)
        with pytest.raises(StoppedError):
            oracle.instant_winners(PLAIN, LIMIT, 20, 20)


def test_sweeps_have_a_cost(oracle: Oracle) -> None:
    """A swept batch costs too much for the event loop. The cost of a window grows with its rows."""
    rows = near_lines(50, 7, lowest=TABLES + 1)
    for question in ("outcomes", "winning_move_batch"):
        assert oracle.plan(question, PLAIN, rows).cost.seconds > 0.01
        assert oracle.plan(question, PLAIN, rows % TABLES).cost.seconds < 0.01
    small, large = (
        oracle.plan("instant_winners", PLAIN, LIMIT, size, 10, 400, 0).cost for size in (10, 60_000)
    )
    assert small.seconds < large.seconds
    assert not small.fits(Cost(1e-6, 1 << 30))


def window_of_table(
    sheets: LoserSheets, x: int, shape: tuple[int, int], corner: tuple[int, int]
) -> npt.NDArray[np.uint8]:
    """Return the window as a census gives it: one origin for both lines, none on diagonals."""
    window = instant_winners(sheets, x, *shape, *corner)
    lines = (window & (Origin.LOWER | Origin.UPPER)) > 0
    kept = window & np.uint8(Origin.FLAT | Origin.DIAGONAL)
    kept[lines & (kept == 0)] = np.uint8(Origin.LINE)
    return kept


@pytest.mark.parametrize("x", [4_500, LIMIT])
@pytest.mark.parametrize("corner", [(0, 0), (300, 3_000), (1_700, 500), (50_000, 0), (10, 10_000)])
def test_windows_of_instant_winners(
    oracle: Oracle, sheets: LoserSheets, x: int, corner: tuple[int, int]
) -> None:
    window = oracle.instant_winners(PLAIN, x, 60, 90, first_y=corner[0], first_z=corner[1])
    np.testing.assert_array_equal(window, window_of_table(sheets, x, (60, 90), corner))


@pytest.mark.parametrize("x", [0, 300, TABLES, 5_000, LIMIT])
@pytest.mark.parametrize("first_y", [0, 1_234, 70_000])
def test_windows_of_losers(oracle: Oracle, sheets: LoserSheets, x: int, first_y: int) -> None:
    found = oracle.losers(PLAIN, x, 300, first_y=first_y)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, sheets.look_up(x, first_y + np.arange(300)))


def test_windows_of_losers_that_cannot_be_given(oracle: Oracle) -> None:
    assert len(oracle.losers(PLAIN, LIMIT, 0)) == 0
    with pytest.raises(UnknownAnswerError, match="oracle build"):
        oracle.losers(PLAIN, LIMIT + 1, 4)
    with pytest.raises(ResourceLimitError, match="too many"):
        oracle.losers(PLAIN, LIMIT, 1 << 17)
    with pytest.raises(InvalidPositionError, match="negative"):
        oracle.losers(PLAIN, LIMIT, 4, first_y=-1)
    with pytest.raises(UnknownAnswerError, match="has no sheets"):
        oracle.losers(parse_game("chomp"), 3, 4)


@pytest.mark.parametrize("text", ["nim{heaps=3}", "wythoff{rule=pairs}", "chomp3{passes=1}"])
def test_losers_of_other_games(text: str) -> None:
    game, bare = parse_game(text), Oracle()
    y, z = np.indices((9, 40))
    cells = np.stack((np.full_like(y, 5), y + 2, z), axis=2).reshape(-1, 3).astype(np.int32)
    is_p = (bare.outcomes(game, cells) == Outcome.P).reshape(9, 40)
    expected = np.where(is_p.any(axis=1), is_p.argmax(axis=1), -1)
    np.testing.assert_array_equal(bare.losers(game, 5, 9, first_y=2), expected)


@pytest.mark.parametrize("corner", [(0, 0), (123, 45)])
def test_windows_from_anywhere_in_tables(
    table: Oracle, sheets: LoserSheets, corner: tuple[int, int]
) -> None:
    whole = instant_winners(sheets, 700, corner[0] + 30, corner[1] + 40)
    window = table.instant_winners(PLAIN, 700, 30, 40, first_y=corner[0], first_z=corner[1])
    np.testing.assert_array_equal(window, whole[corner[0] :, corner[1] :])


def test_windows_of_heap_games_begin_anywhere() -> None:
    game, bare = parse_game("nim{heaps=3}"), Oracle()
    whole = bare.instant_winners(game, 6, 30, 30)
    np.testing.assert_array_equal(
        bare.instant_winners(game, 6, 10, 8, first_y=20, first_z=22), whole[20:, 22:]
    )


def test_windows_of_another_x_or_too_large(oracle: Oracle) -> None:
    with pytest.raises(UnknownAnswerError, match="oracle build"):
        oracle.instant_winners(PLAIN, LIMIT + 1, 4, 4)
    with pytest.raises(ResourceLimitError, match="too large"):
        oracle.instant_winners(PLAIN, LIMIT, 1 << 17, 1)


def test_windows_over_the_wire_and_in_the_terminal(
    place: Path,
    oracle: Oracle,
    sheets: LoserSheets,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    corner = (900, 1_800)
    expected = oracle.instant_winners(PLAIN, LIMIT, 40, 30, first_y=corner[0], first_z=corner[1])
    with running_server(oracle) as port:
        address = f"127.0.0.1:{port}"
        with OracleClient(address) as client:
            window = client.instant_winners(
                "chomp3", LIMIT, 40, 30, first_y=corner[0], first_z=corner[1]
            )
            losers = client.losers("chomp3", LIMIT, 40, first_y=corner[0])
            answer = client.winning_moves("chomp3:[5000,700,1900]")
            assert answer.certainty is Certainty.EXACT_SEARCH
            assert answer.reason.endswith("swept from the checkpoint below")
            assert client.winning_moves("chomp3:[8000,0,0]").certainty is Certainty.EXACT_TABLE
            with pytest.raises(InvalidQuestionError, match="size_y"):
                client.losers("chomp3", 3, -1)
            with pytest.raises(InvalidQuestionError, match="first_z"):
                client.instant_winners("chomp3", 3, 4, 4, first_z=-1)
        np.testing.assert_array_equal(window, expected)
        np.testing.assert_array_equal(losers, sheets.look_up(LIMIT, 900 + np.arange(40)))
        for where in (["--db", str(place)], ["--server", address]):
            for kind in ("W", "L"):
                file = tmp_path / f"{kind}.npy"
                asked = ["sheet", "chomp3", f"{LIMIT}", "--kind", kind, "--size", "40x30"]
                asked += ["--first", "900x1800", *where]
                assert run([*asked, "--npy", str(file)]) == 0
                found = np.load(file)
                if kind == "W":
                    np.testing.assert_array_equal(found, expected)
                else:
                    y, z = np.indices((40, 30))
                    np.testing.assert_array_equal(found, losers[y] == 1_800 + z)
                assert run(asked) == 0
                lines = capsys.readouterr().out.splitlines()
                assert lines[-2].split()[0] == "1800"
                assert lines[-1].split()[0] == "900"
    assert run(["sheet", "chomp3", "3", "--first", "here", "--db", str(place)]) == 2


def altered(place: Path, flip: int) -> Oracle:
    """An oracle whose checkpoints have one flipped bit, unseen by the checksums of the file."""
    tables = []
    for stored in Oracle.open(place)._resources.tables("chomp3", "census"):
        arrays = {name: np.array(values) for name, values in stored.arrays.items()}
        arrays["data"][flip] ^= 1 << (flip % 8)
        tables.append(StoredTable(stored.build, arrays))
    return Oracle(tables)


def test_a_flipped_bit_is_noticed(place: Path, oracle: Oracle) -> None:
    """Where damaged bytes are read there is a clear error, and never another answer."""
    build: Build
    ((build, arrays),) = [
        (stored.build, stored.arrays) for stored in oracle._resources.tables("chomp3", "census")
    ]
    assert build.kind == "census"
    begin, end = (int(n) for n in arrays["offsets"][20:22])
    positions = [
        Position(PLAIN, (x, 21 * 256 + d - x, z))
        for x, d, z in itertools.product((4_000, 4_500, 5_300), (5, 100), (0, 400, 1_800))
    ]
    right = [oracle.winning_moves(position) for position in positions]
    noticed = 0
    for flip in np.linspace(begin, end - 1, 12).astype(int).tolist():
        damaged = altered(place, flip)
        for position, expected in zip(positions, right, strict=True):
            try:
                found = damaged.winning_moves(position)
            except CorruptTableError:
                noticed += 1
            else:
                assert moves_of(found) == moves_of(expected)
    assert noticed


def test_without_checkpoints_tails_and_openings_are_answered(tmp_path: Path, table: Oracle) -> None:
    place = tmp_path / "data"
    run_build(BuildPlan.of("chomp3", f"{LIMIT}x0", "census"), place)
    bare = Oracle.open(place)
    assert bare.outcome(f"chomp3:[5000,{10**6},3]").certainty is Certainty.EXACT_TABLE
    assert bare.outcome("chomp3:[8000,0,0]").outcome is Outcome.N
    inside = bare.outcome("chomp3:[5000,700,1900]")
    assert inside.outcome is Outcome.UNKNOWN
    with pytest.raises(UnknownAnswerError):
        bare.instant_winners(PLAIN, LIMIT, 4, 4)
    asked = near_lines(200, 8)
    found, expected = bare.outcomes(PLAIN, asked), table.outcomes(PLAIN, asked)
    known = found != Outcome.UNKNOWN
    np.testing.assert_array_equal(found[known], expected[known])
    for row, outcome in zip(asked.tolist(), found.tolist(), strict=True):
        assert bare.outcome(Position(PLAIN, tuple(row))).outcome == outcome


def test_the_last_sheet_of_a_census_is_answered_in_batches(oracle: Oracle, table: Oracle) -> None:
    asked = near_lines(40, 6, lowest=LIMIT)
    assert set(asked[:, 0].tolist()) == {LIMIT}
    outcomes, moves = oracle.winning_move_batch(PLAIN, asked)
    expected = table.winning_move_batch(PLAIN, asked)
    np.testing.assert_array_equal(outcomes, expected[0])
    np.testing.assert_array_equal(moves, expected[1])
    np.testing.assert_array_equal(oracle.outcomes(PLAIN, asked), outcomes)


def test_batches_say_where_nothing_is_known(oracle: Oracle) -> None:
    asked = np.array([[LIMIT + 1, 700, 1_900], [10**6, 5, 5]], np.int32)
    outcomes, moves = oracle.winning_move_batch(PLAIN, asked)
    assert (outcomes == Outcome.UNKNOWN).all()
    assert (moves == NO_MOVE).all()


def test_views_show_tables_and_census(place: Path) -> None:
    with Snapshot.open(place) as snapshot:
        census: Census = read_census(snapshot, "chomp3")
        cursor = snapshot.cursor()
        ((sheets, last),) = cursor.sql(
            "SELECT count(*), max(x) FROM sheets WHERE game = 'chomp3'"
        ).fetchall()
        ((openings, longest),) = cursor.sql(
            "SELECT count(*), max(length) FROM openings WHERE game = 'chomp3'"
        ).fetchall()
        counts = dict(
            cursor.sql(
                "SELECT tail_period, sheets FROM tail_census WHERE game = 'chomp3'"
            ).fetchall()
        )
    assert (sheets, last) == (LIMIT + 1, LIMIT)
    assert openings == longest
    assert longest >= 1.4 * LIMIT
    periods, numbers = np.unique(census.tail_period, return_counts=True)
    assert counts == dict(zip(periods.tolist(), numbers.tolist(), strict=True))


def test_text_of_a_position_beyond_any_census(oracle: Oracle) -> None:
    found = oracle.winning_moves(parse(f"chomp3:[{10**9},5,5]"))
    assert found.outcome is Outcome.UNKNOWN
