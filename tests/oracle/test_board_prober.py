"""Chomp boards of any shape: golden cases, theorems, tables, searches, games, over the oracle."""

import json
import shutil
import threading
from collections.abc import Iterator
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle import OracleClient
from position_oracle.engine.games import chomp
from position_oracle.engine.games.board_rules import bite as bitten
from position_oracle.engine.games.board_rules import bite_between
from position_oracle.engine.games.moves import children as children_of
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.solvers.boards.outcomes import solve_shape
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.shape import box
from position_oracle.engine.theory.boards import closed_form
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.cache import MAX_BYTES, Cache
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.chomp.tables import (
    MAX_SEARCH,
    BoardSearches,
    BoardTable,
    search_count,
)
from position_oracle.oracle.families.resources import Resources
from position_oracle.schema.arrays import NO_MOVE
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, game_pb2, service_pb2
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.oracle.tables import board_table
from tests.reference import boards_naive as naive
from tests.reference.game_tree import GameTree
from tests.serving import running_server

GOLDEN = Path(__file__).parents[1] / "golden"
GAME = GameSpec("chomp")

boards = st.lists(st.integers(1, 7), max_size=6).map(lambda n: tuple(sorted(n, reverse=True)))


@pytest.fixture(scope="module")
def board_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("boards") / "data"
    run_build(BuildPlan.of("chomp", "10x10+4x30+16"), place)
    return place


@pytest.fixture(scope="module")
def tabled(board_store: Path) -> Oracle:
    return Oracle.open(board_store)


@cache
def bare() -> Oracle:
    """An oracle without any table."""
    return Oracle()


@cache
def small() -> Oracle:
    """An oracle with one small table, so that it uses all its sources."""
    return Oracle([board_table(Outer.box(4, 5))])


def text(board: tuple[int, ...]) -> str:
    return "chomp:" + ("/".join(map(str, board)) or "0")


def children(answer: Answer) -> list[tuple[int, ...]]:
    assert answer.winning_moves is not None
    return [move.child.coordinates for move in answer.winning_moves]


def golden() -> Iterator[dict[str, Any]]:
    for name in ("07_boards.jsonl", "07_rectangles.jsonl"):
        yield from map(json.loads, (GOLDEN / name).read_text().splitlines())


def check_golden(oracle: Oracle) -> set[Certainty]:
    seen = set()
    for case in golden():
        board = tuple(case["position"])
        answer = oracle.winning_moves(text(board))
        assert answer.outcome is Outcome[case["outcome"]], case
        assert children(answer) == [tuple(move) for move in case["winning_moves"]], case
        bites = [list(bite_between(board, child)) for child in children(answer)]
        assert bites == case["winning_bites"], case
        seen.add(answer.certainty)
    return seen


def test_golden_cases_from_tables(tabled: Oracle) -> None:
    assert Certainty.EXACT_TABLE in check_golden(tabled)


def test_golden_cases_without_tables() -> None:
    assert check_golden(bare()) == {Certainty.THEOREM, Certainty.EXACT_SEARCH}


def test_golden_cases_as_a_batch(tabled: Oracle) -> None:
    cases = [case for case in golden() if len(case["position"]) <= 12]
    padded = [case["position"] + [0] * (12 - len(case["position"])) for case in cases]
    for oracle in (tabled, bare()):
        found, moves = oracle.winning_move_batch(GAME, np.array(padded, np.int32))
        assert [Outcome(code).name for code in found] == [case["outcome"] for case in cases]
        for case, move in zip(cases, moves.tolist(), strict=True):
            wins = case["winning_moves"]
            first = wins[0] + [0] * (12 - len(wins[0])) if wins else [NO_MOVE] * 12
            assert move == first, case


@settings(max_examples=60)
@given(boards)
def test_answers_are_those_of_plain_recursion(board: tuple[int, ...]) -> None:
    for oracle in (small(), bare()):
        answer = oracle.winning_moves(Position(GAME, board))
        assert (answer.outcome is Outcome.P) == naive.is_p(board)
        assert children(answer) == [bitten(board, *b) for b in naive.winning_bites(board)]
        assert oracle.outcome(Position(GAME, board)).outcome is answer.outcome


@settings(max_examples=40)
@given(st.integers(1, 7), st.data())
def test_batches_answer_as_single_questions_do(width: int, data: st.DataObject) -> None:
    lengths = st.lists(st.integers(0, 7), min_size=width, max_size=width)
    lines = data.draw(st.lists(lengths.map(lambda n: sorted(n, reverse=True)), max_size=30))
    array = np.array(lines, np.int32).reshape(-1, width)
    for oracle in (small(), bare()):
        found, moves = oracle.winning_move_batch(GAME, array)
        assert found.tolist() == oracle.outcomes(GAME, array).tolist()
        for line, outcome, move in zip(lines, found, moves.tolist(), strict=True):
            board = tuple(filter(None, line))
            answer = oracle.winning_moves(Position(GAME, board))
            assert answer.outcome == outcome
            wins = children(answer)
            first = (*wins[0], *[0] * (width - len(wins[0]))) if wins else (NO_MOVE,) * width
            assert tuple(move) == first, board


@given(st.integers(1, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_two_rows_of_any_size_are_a_theorem(first: int, second: int) -> None:
    board = tuple(n for n in sorted((first, second), reverse=True) if n)
    answer = bare().winning_moves(Position(GAME, board))
    assert answer.certainty is Certainty.THEOREM
    (below,) = children(answer) or [board]
    a, b = (*below, 0)[:2]
    assert a == b + 1


@given(boards)
def test_closed_forms_agree_with_plain_recursion(board: tuple[int, ...]) -> None:
    theorem = closed_form(board)
    thin = len(board) <= 2 or board[0] <= 2 or board[1] <= 1
    assert (theorem is not None) == thin
    if theorem is not None:
        assert theorem.is_p == naive.is_p(board)
        assert theorem.winning_bites == tuple(naive.winning_bites(board))


def test_the_empty_board_is_won_without_a_move() -> None:
    answer = bare().winning_moves("chomp:0")
    assert (answer.outcome, answer.winning_moves) == (Outcome.N, ())
    assert bare().outcomes(GAME, np.zeros((1, 1), np.int32)).tolist() == [Outcome.N]


def test_large_rectangles_are_won_by_a_move_that_is_not_known() -> None:
    answer = bare().winning_moves(text((40,) * 30))
    assert answer.outcome is Outcome.N
    assert answer.certainty is Certainty.THEOREM
    assert answer.winning_moves is None
    assert "strategy stealing" in answer.reason
    found, moves = bare().winning_move_batch(GAME, np.full((1, 30), 40, np.int32))
    assert found.tolist() == [Outcome.N]
    assert moves.tolist() == [[NO_MOVE] * 30]


def test_large_squares_are_won_by_the_bite_beside_the_poison() -> None:
    answer = bare().winning_moves(text((40,) * 40))
    assert children(answer) == [(40, *(1,) * 39)]
    assert "there may be other winning bites" in answer.reason
    assert bare().outcome(text((40, *(1,) * 39))).outcome is Outcome.P
    _, moves = bare().winning_move_batch(GAME, np.full((1, 40), 40, np.int32))
    assert moves.tolist() == [[40, *[1] * 39]]


def test_what_is_too_large_names_the_build_that_would_decide(tabled: Oracle) -> None:
    board = (15,) * 13 + (14,)
    answer = bare().winning_moves(text(board))
    assert (answer.outcome, answer.certainty) == (Outcome.UNKNOWN, Certainty.UNKNOWN)
    assert "oracle build chomp --limit 14x15" in answer.reason
    assert f"{comb(29, 14):,} boards" in answer.reason
    # A build replaces what is stored, so the advice also names the stored limits.
    assert "--limit 16+4x30+14x15" in tabled.outcome(text(board)).reason
    hopeless = bare().outcome(text((500,) * 400 + (2,)))
    assert "beyond the limit" in hopeless.reason


@pytest.mark.parametrize(
    "board",
    [
        (2**63 - 1,) * 100 + (5,),
        (10_000,) * 300 + (2,),
        (9_999_999, 10_000, 9_999),
        (2**62, 2**62, 2**61, 2**60),
    ],
)
def test_boards_of_any_size_are_answered_at_once(board: tuple[int, ...]) -> None:
    assert bare().winning_moves(Position(GAME, board)).certainty is Certainty.UNKNOWN


def test_either_orientation_is_in_the_tables(tabled: Oracle) -> None:
    board = (30, 21, 9, 4)
    answer = tabled.winning_moves(text(board))
    turned = tabled.winning_moves(text(chomp.transpose(board)))
    assert answer.certainty is turned.certainty is Certainty.EXACT_TABLE
    assert answer.outcome is turned.outcome
    assert {chomp.transpose(child) for child in children(answer)} == set(children(turned))


def test_games_say_how_far_each_source_reaches(tabled: Oracle) -> None:
    (info,) = (info for info in tabled.games() if info.game == GAME)
    stored = [each for each in info.sources if each.certainty is Certainty.EXACT_TABLE]
    assert {source.range for source in stored} == {
        "boards inside 10 x 10",
        "boards inside 4 x 30",
        "boards of at most 16 cookies",
    }
    assert {each.build.limit for each in stored if each.build} == {"10x10+4x30+16"}
    assert any(each.certainty is Certainty.EXACT_SEARCH for each in info.sources)


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.array([[3, 2], [2, 3]], np.int32), "row 1"),
        (np.array([[3, 2], [3, -1]], np.int32), "row 1"),
        (np.array([[2**31, 2]], np.int64), "row 0"),
        (np.zeros(3, np.int32), "shape"),
    ],
)
def test_bad_batches_are_refused(array: np.ndarray, says: str) -> None:
    with pytest.raises(InvalidPositionError, match=says):
        bare().outcomes(GAME, array)


def test_one_giant_board_does_not_spoil_a_batch() -> None:
    batch = np.array([[6, 5, 4, 3], [2**30, 2**29, 2**28, 2**27], [7, 7, 7, 7]], np.int32)
    assert bare().outcomes(GAME, batch).tolist() == [
        bare().outcome(text((6, 5, 4, 3))).outcome,
        Outcome.UNKNOWN,
        Outcome.N,
    ]


def searches_within(max_bytes: int = MAX_BYTES) -> BoardSearches:
    def no_other(family: object) -> Prober:
        raise AssertionError(family)

    return BoardSearches(Resources((), no_other, Cache(max_bytes)))


def test_a_game_is_played_inside_the_first_search() -> None:
    searches = searches_within()
    first = found_by(searches, (8,) * 5)
    assert found_by(searches, (8, 7, 3)).table is first.table
    assert found_by(searches, (5,) * 8).table is first.table
    assert found_by(searches, (9,) * 5).table is not first.table
    assert first.reason == "solved with all 1,287 boards inside 5 x 8"
    assert found_by(searches, (3, 3)).reason == "solved with all 10 boards inside 2 x 3"


def found_by(searches: BoardSearches, board: tuple[int, ...]) -> BoardTable:
    return searches.find(board)


def test_searches_are_bounded_and_forgotten() -> None:
    assert search_count((13,) * 13) <= MAX_SEARCH
    assert search_count((14,) * 14) > MAX_SEARCH
    assert search_count((2**40, 2**39)) > MAX_SEARCH
    searches = searches_within(max_bytes=200)
    first = found_by(searches, (3, 3, 3))
    assert first.nbytes < 200
    for length in range(4, 9):
        searches.find((length, 2, 2))
    assert found_by(searches, (3, 3, 3)).table is not first.table


def test_threads_share_one_search() -> None:
    searches = searches_within()
    found: list[BoardTable] = []
    threads = [
        threading.Thread(target=lambda: found.append(found_by(searches, (10,) * 10)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(each.table is found[0].table for each in found)


# Schuh's game of divisors


@pytest.mark.parametrize(
    "number", ["72", "2^3,2*3^2", "30", "60", "2^4*3^3", "16", "1", "0", "210"]
)
def test_divisors_are_answered_as_their_game_tree_is(number: str, tabled: Oracle) -> None:
    tree = GameTree()
    position = parse(f"divisors:{number}")
    for each in [position, *children_of(position)]:
        for oracle in (tabled, bare()):
            answer = oracle.winning_moves(each)
            assert answer.outcome is tree.outcome(each), str(each)
            assert answer.winning_moves is not None
            assert list(answer.winning_moves) == tree.winning_moves(each), str(each)
            assert oracle.outcome(each).outcome is answer.outcome


def test_large_numbers_are_won_by_strategy_stealing() -> None:
    for number in ("2^30*3^20*5", "2^60*3^50"):
        answer = bare().winning_moves(f"divisors:{number}")
        assert (answer.outcome, answer.certainty) == (Outcome.N, Certainty.THEOREM)
        assert answer.winning_moves is None
    square = bare().winning_moves("divisors:2^60*3^60")
    assert square.winning_moves is not None
    assert [str(m.child) for m in square.winning_moves] == ["divisors:2^60,3^60"]


def test_games_of_many_primes_that_are_too_large_are_unknown() -> None:
    answer = bare().winning_moves("divisors:2^30*3^20*5,7")
    assert answer.certainty is Certainty.UNKNOWN
    assert "a search on demand goes to" in answer.reason


def test_batches_of_divisors_are_of_primes_and_exponents() -> None:
    rows = [[2, 1, 2, 3, 3, 2, 0, 0], [2, 2, 2, 3, 3, 0, 1, 2], [0, 1, 0, 0, 0, 0, 0, 0]]
    texts = ("divisors:2^3*3^2", "divisors:2^3,2*3^2", "divisors:1")
    found = bare().outcomes(GameSpec("divisors"), np.array(rows))
    assert found.tolist() == [bare().outcome(text).outcome for text in texts]


# Over the network


@pytest.fixture(scope="module")
def port(tabled: Oracle) -> Iterator[int]:
    with running_server(tabled) as port:
        yield port


@pytest.fixture(scope="module")
def client(port: int) -> Iterator[OracleClient]:
    with OracleClient(f"127.0.0.1:{port}") as client:
        yield client


def test_boards_are_answered_over_the_network(client: OracleClient, tabled: Oracle) -> None:
    for position in ("chomp:7/7/7/7/7", "chomp:0", "chomp:12/11/10/9/8", "divisors:72"):
        here = tabled.winning_moves(position)
        there = client.winning_moves(position)
        assert there.outcome.name == here.outcome.name
        assert there.certainty.name == here.certainty.name
        assert there.winning_moves is not None
        assert here.winning_moves is not None
        assert [move.position for move in there.winning_moves] == [
            str(move.child) for move in here.winning_moves
        ]


def test_batches_of_any_width_go_over_the_network(client: OracleClient, tabled: Oracle) -> None:
    random = np.random.default_rng(3)
    for width in (1, 3, 8):
        batch = -np.sort(-random.integers(0, 9, (500, width)), axis=1)
        expected = tabled.winning_move_batch(GAME, batch)
        assert (client.outcomes("chomp", batch) == expected[0]).all()
        found = client.winning_move_batch("chomp", batch)
        assert (found[0] == expected[0]).all()
        assert (found[1] == expected[1]).all()


def test_typed_boards_are_read_and_written(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = PositionOracleStub(channel)
        position = game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=[6, 6, 6, 5, 4]))
        response = stub.ListWinningMoves(service_pb2.ListWinningMovesRequest(position=position))
        table = solve_shape(box(5, 6))
        bites = table.winning_bites((6, 6, 6, 5, 4))
        assert [parse(move.child.text).coordinates for move in response.moves] == [
            bitten((6, 6, 6, 5, 4), *bite) for bite in bites
        ]
        # The position of a move can be sent back as a question.
        for move in response.moves:
            again = stub.GetOutcome(service_pb2.GetOutcomeRequest(position=move.child))
            assert again.answer.outcome == answer_pb2.OUTCOME_P


def test_bad_typed_boards_name_their_field(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = PositionOracleStub(channel)
        for rows in ([2, 3], [0, 3], [3, -1]):
            position = game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=rows))
            with pytest.raises(grpc.RpcError) as caught:
                stub.GetOutcome(service_pb2.GetOutcomeRequest(position=position))
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert "chomp_board" in str(caught.value.details())


def test_the_command_line_names_bites_and_divisors(
    board_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from position_oracle.oracle.cli.main import run

    arguments = ["ask", "divisors:72", "chomp:4/4/4", "--db", str(board_store)]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "divisors:2^3,2*3^2   (name 2^2*3)" in out
    assert "chomp:4/2/2   (bite row 2, column 3)" in out
    assert out.count("    2  o o * o") == 2
    assert run(["ask", "--json", "chomp:4/4/4", "--db", str(board_store)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["winning_moves"] == ["chomp:4/2/2"]
    assert answer["certainty"] == "EXACT_TABLE"


def test_a_limit_of_several_parts_is_there_or_not(
    board_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from position_oracle.oracle.cli.main import run

    place = tmp_path / "data"
    shutil.copytree(board_store, place)
    build = ["build", "chomp", "--db", str(place), "--if-missing", "--limit"]
    for limit in ("10x10", "9x8+16", "4x20+12+10x10"):
        assert run([*build, limit]) == 0
        assert "already there" in capsys.readouterr().out
    assert run([*build, "10x10+17"]) == 1
    assert "pass --replace" in capsys.readouterr().err
    assert run([*build, "10x10+17", "--replace", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["limit"] == "10x10+17"
