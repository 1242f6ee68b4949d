"""Outcomes and winning moves of three-row games: game trees, golden cases, outcomes of children."""

import json
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import MAX_COORDINATE, GameSpec
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.chomp3 import kernels
from position_oracle.oracle.families.chomp3.index import build_index
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY
from position_oracle.schema.errors import InvalidPositionError
from tests.oracle.tables import three_row_table
from tests.reference.game_tree import GameTree

GOLDEN = Path(__file__).parents[1] / "golden"
PLAIN = GameSpec("chomp3")
LIMIT = 700


@cache
def oracle() -> Oracle:
    """An oracle with plain Chomp and the game with one pass, x <= LIMIT."""
    plain = solve(LIMIT + 1)
    passed = solve(LIMIT + 1, exclusions=plain)
    return Oracle([three_row_table(PLAIN, plain), three_row_table(PLAIN.with_passes(1), passed)])


def winning_by_children(position: Position) -> list[str]:
    """Return each move to a P-position, by a question about each child."""
    moves = list(legal_moves(position))
    regular = np.array([m.child.coordinates for m in moves if not m.is_pass], np.int64)
    is_p = oracle().outcomes(position.game, regular.reshape(-1, 3)) == Outcome.P
    found = [str(list(child)) for child in regular[is_p].tolist()]
    if any(m.is_pass for m in moves):
        passed = oracle().outcome(position.passed()).outcome
        found += ["pass"] if passed is Outcome.P else []
    return found


def winning(position: Position) -> list[str]:
    moves = oracle().winning_moves(position).winning_moves
    assert moves is not None
    return ["pass" if m.is_pass else str(list(m.child.coordinates)) for m in moves]


@given(st.integers(0, LIMIT), st.integers(0, 1500), st.integers(0, 900), st.integers(0, 1))
def test_winning_moves_are_the_children_that_are_p(x: int, y: int, z: int, passes: int) -> None:
    position = Position(PLAIN.with_passes(passes), (x, y, z))
    answer = oracle().outcome(position)
    assert answer.certainty is Certainty.EXACT_TABLE
    expected = winning_by_children(position)
    assert winning(position) == (expected if answer.outcome is Outcome.N else [])
    is_won_without_a_move = (x, y, z) == (0, 0, 0)
    assert (answer.outcome is Outcome.N) == (bool(expected) or is_won_without_a_move)


def test_positions_near_p_positions_in_tails_have_all_their_winning_moves() -> None:
    index = build_index(solve(LIMIT + 1))
    rng = random.Random(1)
    for x in rng.sample(range(LIMIT), 20):
        y = rng.randrange(1200)
        for child in ((x, y, 0), (x, y, 400), (x, y + 3, 287)):
            position = Position(PLAIN, child)
            if oracle().outcome(position).outcome is Outcome.N:
                assert winning(position) == winning_by_children(position)
    assert index.row_z.size < 3 * index.z.size


@pytest.mark.parametrize(
    "name", ["01_chomp3.jsonl", "02_chomp3_pass.jsonl", "04_generic_chomp3.jsonl"]
)
def test_golden_cases(name: str) -> None:
    tried = 0
    for line in (GOLDEN / name).read_text().splitlines():
        case = json.loads(line)
        declared = tuple(tuple(triple) for triple in case.get("variant", ()))
        game = GameSpec("chomp3", passes=case.get("passes", 0), declared=declared)
        position = Position(game, tuple(case["position"]))
        answer = oracle().winning_moves(position)
        assert answer.outcome is Outcome[case["outcome"]], case
        expected = sorted(m if m == "pass" else str(m) for m in case["winning_moves"])
        assert sorted(winning(position)) == expected, case
        tried += 1
    assert tried > 100


def test_y_and_z_may_be_as_large_as_a_position_allows() -> None:
    huge = MAX_COORDINATE - 2
    answer = oracle().winning_moves(Position(PLAIN, (2, huge, 0)))
    assert answer.outcome is Outcome.N
    assert winning(answer.position) == winning_moves_of_two_tails(huge)
    assert oracle().outcome(Position(PLAIN, (2, huge - 2, 2))).outcome is Outcome.P


def winning_moves_of_two_tails(y: int) -> list[str]:
    """For large y, moves from [2, y, 0] lead to the tails of sheets 0 (z = 1) and 2 (z = 2)."""
    return [str([2, y - 2, 2])]


def test_beyond_the_table_the_answer_says_what_would_decide() -> None:
    answer = oracle().winning_moves(parse("chomp3:[5000,1,0]"))
    assert answer.outcome is Outcome.UNKNOWN
    assert answer.certainty is Certainty.UNKNOWN
    assert answer.winning_moves is None
    assert "oracle build 'chomp3' --limit 5000" in answer.reason


def test_small_games_without_a_table_are_solved_when_asked() -> None:
    answer = oracle().winning_moves(parse(f"chomp3:[{LIMIT + 1},0,0]"))
    assert answer.certainty is Certainty.EXACT_SEARCH
    assert answer.winning_moves is not None
    assert len(answer.winning_moves) == 1


@settings(max_examples=settings().max_examples * 4 // 5)
@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=2),
    st.integers(0, 3),
    st.tuples(*[st.integers(0, 3)] * 3),
)
def test_variants_with_passes_agree_with_the_naive_tree(
    declared: list[tuple[int, int, int]], passes: int, coordinates: tuple[int, int, int]
) -> None:
    position = Position(GameSpec("chomp3", passes=passes, declared=tuple(declared)), coordinates)
    answer = oracle().winning_moves(position)
    assert answer.outcome is GameTree().outcome(position)
    assert answer.winning_moves == tuple(GameTree().winning_moves(position))


def test_infinite_generic_games_agree_with_the_naive_tree() -> None:
    game = parse("chomp3{noise=geometric(0.3),seed=5}:[0,0,0]").game
    tree = GameTree()
    cells = [(x, y, z) for x in range(4) for y in range(4) for z in range(4)]
    _, batch = oracle().winning_move_batch(game, np.array(cells, np.int32))
    for coordinates, first in zip(cells, batch.tolist(), strict=True):
        position = Position(game, coordinates)
        answer = oracle().winning_moves(position)
        assert answer.outcome is tree.outcome(position), coordinates
        expected = tree.winning_moves(position)
        assert answer.winning_moves == tuple(expected)
        assert tuple(first) == (expected[0].child.coordinates if expected else (NO_MOVE,) * 3)


@given(st.lists(st.tuples(*[st.integers(0, 900)] * 3), min_size=1, max_size=40))
@settings(deadline=None)
def test_batches_answer_as_single_questions_do(triples: list[tuple[int, int, int]]) -> None:
    array = np.array(triples, np.int32)
    for game in (PLAIN, PLAIN.with_passes(1)):
        out, moves = oracle().winning_move_batch(game, array)
        assert out.tolist() == oracle().outcomes(game, array).tolist()
        for triple, outcome, move in zip(triples, out, moves.tolist(), strict=True):
            answer = oracle().winning_moves(Position(game, triple))
            assert answer.outcome == outcome
            first = answer.winning_moves[0] if answer.winning_moves else None
            if first is None:
                assert move == [NO_MOVE] * 3
            elif first.is_pass:
                assert move == [PASS_ONLY] * 3
            else:
                assert tuple(move) == first.child.coordinates


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.array([[1, 2, 3], [1, -2, 3]], np.int32), "row 1"),
        (np.array([[1, 2]], np.int32), "3 numbers, not 2"),
        (np.zeros((3,), np.int32), "shape"),
    ],
)
def test_bad_batches_are_refused(array: np.ndarray, says: str) -> None:
    with pytest.raises(InvalidPositionError, match=says):
        oracle().outcomes(PLAIN, array)
    with pytest.raises(InvalidPositionError, match=says):
        oracle().winning_move_batch(PLAIN, array)


def test_moves_that_would_not_fit_a_batch_are_refused() -> None:
    array = np.array([[1, 2**31 - 1, 2**31 - 1]], np.int32)
    assert oracle().outcomes(PLAIN, array).tolist() == [Outcome.N]
    with pytest.raises(InvalidPositionError, match="exceed"):
        oracle().winning_move_batch(PLAIN, array)


def test_first_moves_of_a_batch_are_the_first_of_all() -> None:
    """The kernel searches near the line of the last sheet first, then everywhere."""
    table = SheetTable(PLAIN, build_index(solve(300)), None)
    rows = np.random.default_rng(3).integers(0, 300, (3_000, 3), np.int32)
    outcomes = np.zeros(len(rows), np.uint8)
    moves = np.full(rows.shape, NO_MOVE, np.int32)
    kernels.winning_moves(rows, table.index, outcomes, moves)
    for number, (x, y, z) in enumerate(rows.tolist()):
        wins = [list(child) for child in table.winning_children((x, y, z))]
        assert np.array_equal(moves[number], (wins or [[NO_MOVE] * 3])[0]), (x, y, z)
