"""Nim with passes, misere play and variants: game trees, golden cases, and outcomes of children."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import MAX_COORDINATE, GameSpec
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.heaps.arrays import sheet_arrays
from position_oracle.oracle.families.heaps.on_demand import SolvedTables, side_for
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)
from tests.oracle.tables import heap_table
from tests.reference.game_tree import GameTree

GOLDEN = Path(__file__).parents[1] / "golden"
ONE_PASS = parse_game("nim{heaps=3,passes=1}")
LIMIT = 1500
"""A limit beyond the tables solved on demand, so that the source of answers is seen."""

VARIANTS = (
    "nim{declared=[1,6,7]+[10,2,8]}",
    "nim{declared=[0,0,0]}",
    "nim{declared=[2,3,1]+[3,2,1]+[1,2,3]+[1,3,2]+[2,1,3]+[3,1,2]}",
    "nim{noise=normal(3),seed=5}",
    "nim{noise=uniform(6),seed=1}",
)


@cache
def oracle(*, with_tables: bool = False) -> Oracle:
    """An oracle with theorems and searches, and with tables of one pass and some variants."""
    games = [ONE_PASS, *(parse_game(text).with_passes(k) for text in VARIANTS for k in (0, 1))]
    limits = [(LIMIT, LIMIT + 50), *[(9, 11)] * (len(games) - 1)]
    tables = [
        heap_table(game, *limit) for game, limit in zip(games, limits, strict=True) if with_tables
    ]
    return Oracle(tables)


@cache
def tree() -> GameTree:
    return GameTree()


def named(moves: tuple[Move, ...] | None) -> list[str | list[int]]:
    assert moves is not None
    return ["pass" if move.is_pass else list(move.child.coordinates) for move in moves]


def check_by_tree(position: Position, answer: Answer) -> None:
    assert answer.outcome is tree().outcome(position), position
    assert answer.winning_moves == tuple(tree().winning_moves(position)), position


def golden(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


@pytest.mark.parametrize("with_tables", [False, True])
def test_golden_cases_with_passes(with_tables: bool) -> None:
    cases = golden("03_nim_pass.jsonl")
    for case in cases:
        position = Position(
            GameSpec("nim", heaps=case["heaps"], passes=case["passes"]),
            tuple(case["position"]),
        )
        answer = oracle(with_tables=with_tables).winning_moves(position)
        assert answer.outcome.name == case["outcome"], case
        assert sorted(named(answer.winning_moves), key=str) == sorted(
            case["winning_moves"],
            key=str,
        ), case
    assert len(cases) > 300


@pytest.mark.parametrize("with_tables", [False, True])
def test_golden_cases_of_variants(with_tables: bool) -> None:
    cases = golden("04_generic_nim3.jsonl")[with_tables::4]
    for case in cases:
        declared = tuple(map(tuple, case["variant"]))
        position = Position(GameSpec("nim", declared=declared), tuple(case["position"]))
        answer = oracle(with_tables=with_tables).winning_moves(position)
        assert answer.outcome.name == case["outcome"], case
        assert sorted(named(answer.winning_moves), key=str) == sorted(
            case["winning_moves"],
            key=str,
        ), case
    assert len(cases) > 75


@pytest.mark.parametrize("name", ["10_sheets.jsonl", "10_sheets_generic.jsonl"])
def test_golden_sheets(name: str) -> None:
    games = {"nim3": GameSpec("nim", heaps=3), "nim3_pass1": ONE_PASS}
    cases = [case for case in golden(name) if str(case["game"]).startswith("nim3")]
    for case in cases:
        declared = tuple(map(tuple, case.get("variant", ())))
        game = games.get(str(case["game"]), GameSpec("nim", declared=declared))
        if case["kind"] == "L":
            rows = [[case["x"], y, z] for y, z in enumerate(case["L"])]
            assert (oracle().outcomes(game, np.array(rows)) == Outcome.P).all(), case
        else:
            window = oracle().instant_winners(game, case["x"], case["window"], case["window"])
            assert np.argwhere(window).tolist() == sorted(case["W"]), case
    assert len(cases) >= 30


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=4),
    st.integers(0, 3),
    st.booleans(),
    st.booleans(),
)
def test_answers_are_those_of_the_whole_tree(
    heaps: list[int], passes: int, misere: bool, with_tables: bool
) -> None:
    game = GameSpec("nim", heaps=len(heaps), passes=passes, misere=misere)
    position = Position(game, tuple(heaps))
    check_by_tree(position, oracle(with_tables=with_tables).winning_moves(position))


@settings(max_examples=60)
@given(
    st.sampled_from(VARIANTS),
    st.tuples(*[st.integers(0, 8)] * 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_variants_are_answered_as_the_whole_tree_does(
    text: str, heaps: tuple[int, int, int], passes: int, with_tables: bool
) -> None:
    position = Position(parse_game(text).with_passes(passes), heaps)
    check_by_tree(position, oracle(with_tables=with_tables).winning_moves(position))


def test_a_declared_position_is_won_without_a_move() -> None:
    game = parse_game("nim{noise=uniform(6),seed=1,passes=1}")
    assert game.noise is not None
    declared = (3, 4, game.noise.column(3, 4))
    answer = oracle().winning_moves(Position(game, declared))
    assert (answer.outcome, answer.winning_moves) == (Outcome.N, ())
    out, moves = oracle().winning_move_batch(game, np.array([declared]))
    assert (out.tolist(), moves.tolist()) == ([Outcome.N], [[NO_MOVE] * 3])


def test_heaps_of_any_size_and_number_are_a_theorem() -> None:
    rng = random.Random(1)
    heaps = [rng.randrange(MAX_COORDINATE + 1) for _ in range(64)]
    answer = oracle().winning_moves(Position(GameSpec("nim", heaps=64), tuple(heaps)))
    assert answer.certainty is Certainty.THEOREM
    assert answer.winning_moves
    for move in answer.winning_moves:
        assert np.bitwise_xor.reduce(move.child.coordinates) == 0


@pytest.mark.parametrize("passes", [2, 64])
def test_an_even_number_of_passes_leaves_open_only_whether_the_pass_wins(passes: int) -> None:
    answer = oracle().winning_moves(f"nim:[9000,8000,7000;{passes}]")
    assert (answer.outcome, answer.certainty) == (Outcome.N, Certainty.THEOREM)
    assert answer.winning_moves is None
    assert "whether the pass wins, too, is not known" in answer.reason


def winning_by_children(asked: Oracle, position: Position) -> list[str | list[int]]:
    """Return each move to a P-position, by a question about each child."""
    moves = list(legal_moves(position))
    regular = np.array([m.child.coordinates for m in moves if not m.is_pass], np.int64)
    width = len(position.coordinates)
    is_p = asked.outcomes(position.game, regular.reshape(-1, width)) == Outcome.P
    found: list[str | list[int]] = regular[is_p].tolist()
    if any(m.is_pass for m in moves) and asked.outcome(position.passed()).outcome is Outcome.P:
        found.append("pass")
    return found


@settings(max_examples=75)
@given(st.tuples(st.integers(0, LIMIT), st.integers(0, LIMIT), st.integers(0, 4000)), st.randoms())
def test_tables_tell_all_winning_moves(heaps: tuple[int, ...], rng: random.Random) -> None:
    asked = oracle(with_tables=True)
    shuffled = tuple(rng.sample(heaps, 3))
    answer = asked.winning_moves(Position(ONE_PASS, shuffled))
    assert answer.outcome is not Outcome.UNKNOWN
    if answer.outcome is Outcome.N:
        expected = winning_by_children(asked, answer.position)
        assert named(answer.winning_moves) == expected
        assert expected


def test_positions_one_move_above_p_positions_of_the_table() -> None:
    z = solve_sheets(ONE_PASS, LIMIT, LIMIT)
    rng = random.Random(3)
    for _ in range(60):
        x, y = rng.randrange(2, LIMIT), rng.randrange(2, LIMIT)
        child = [x, y, int(z[x, y])]
        for slot in range(3):
            heaps = child.copy()
            heaps[slot] += rng.randrange(1, LIMIT)
            if sorted(heaps)[0] <= LIMIT and sorted(heaps)[1] <= LIMIT:
                answer = oracle(with_tables=True).winning_moves(Position(ONE_PASS, tuple(heaps)))
                assert child in named(answer.winning_moves)


def test_certainties_and_reasons_name_the_source() -> None:
    asked = oracle(with_tables=True)
    for text, certainty, reason in (
        ("nim:[5,9,1000]", Certainty.THEOREM, "Bouton"),
        ("nim{misere}:[5,9,1000;4]", Certainty.THEOREM, "even number of passes"),
        ("nim:[0,7000,7001;1]", Certainty.THEOREM, "odd number of passes"),
        ("nim:[1,7000,7000;3]", Certainty.THEOREM, "[1, n, n]"),
        ("nim:[1400,1500,7000;5]", Certainty.EXACT_TABLE, "nim{heaps=3,passes=1}"),
        ("nim:[0,1400,0,0,1500,7000;1]", Certainty.EXACT_TABLE, "nim{heaps=3,passes=1}"),
        ("nim{misere}:[9,5,7000;1]", Certainty.EXACT_SEARCH, "nim{heaps=3,passes=1,misere}"),
        ("nim:[3,4,5,6;1]", Certainty.EXACT_SEARCH, "search"),
        ("nim{declared=[1,6,7]}:[90000,40,50]", Certainty.EXACT_SEARCH, "declared"),
    ):
        answer = asked.outcome(text)
        assert answer.certainty is certainty, text
        assert reason in answer.reason, text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nim:[5000,2000,3000;3]", "oracle build 'nim{heaps=3,passes=1}' --limit 4096 ("),
        ("nim:[5000,9000,8000;1]", "oracle build 'nim{heaps=3,passes=1}' --limit 5000x8000 ("),
        ("nim{misere}:[5000,2000;1]", "oracle build 'nim{heaps=3,passes=1,misere}' --limit 4096"),
        ("nim{declared=[1,6,7]}:[2000,2000,9;1]", "--limit 4096"),
        (f"nim:[{2**40},{2**40 + 5},{2**40 + 10};1]", "beyond the limit of tables"),
        (f"nim:[5,{2**21},{2**22};1]", "beyond the limit of tables"),
        ("nim:[50,60,70,80,90;1]", "the search is limited to"),
        ("nim:[99,99,99,99,99,99;1]", "6 heaps has no table"),
    ],
)
def test_unknown_answers_name_the_build_that_would_decide(text: str, says: str) -> None:
    answer = oracle().winning_moves(text)
    assert (answer.outcome, answer.winning_moves) == (Outcome.UNKNOWN, None)
    assert says in answer.reason
    assert "rows" in answer.reason or "--limit" not in answer.reason


def test_tables_are_solved_up_to_the_largest_side_and_no_further() -> None:
    side = side_for(parse_game("nim{heaps=3,passes=1}"))
    assert oracle().outcome(f"nim:[{side},{side},{9 * side};1]").outcome is Outcome.N
    beyond = oracle().outcome(f"nim:[{side + 1},{side + 1},{9 * side};1]")
    assert beyond.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("shape", [(3, 3), (3, 5), (5, 3)])
@pytest.mark.parametrize("game", ["nim{passes=1}", "nim{declared=[1,6,7]}"])
def test_tables_are_looked_up_along_rows_and_columns(game: str, shape: tuple[int, int]) -> None:
    x, y = np.indices(shape, np.int32)
    arrays = sheet_arrays(parse_game(game), 7 * (x + y))
    assert np.array_equal(arrays.columns, arrays.rows.T)
    assert sorted(arrays.rows.shape) == sorted(shape)


games = st.sampled_from(
    [
        "nim",
        "nim{misere}",
        "nim{passes=1}",
        "nim{passes=2}",
        "nim{passes=3}",
        "nim{misere,passes=1}",
    ]
)


@settings(max_examples=40)
@given(games, st.integers(1, 5), st.data())
def test_batches_answer_as_single_questions_do(text: str, width: int, data: st.DataObject) -> None:
    heap = st.integers(0, 6) | st.integers(0, 5000 if width <= 3 else 9)
    rows = data.draw(st.lists(st.tuples(*[heap] * width), min_size=1, max_size=12))
    check_batch(parse_game(text), rows)


@settings(max_examples=15)
@given(
    st.sampled_from(VARIANTS),
    st.integers(0, 2),
    st.lists(st.tuples(*[st.integers(0, 20) | st.integers(0, 90)] * 3), min_size=1, max_size=6),
)
def test_batches_of_variants_answer_as_single_questions_do(
    text: str, passes: int, rows: list[tuple[int, ...]]
) -> None:
    check_batch(parse_game(text).with_passes(passes), rows)


def check_batch(game: GameSpec, rows: list[tuple[int, ...]]) -> None:
    out, moves = oracle(with_tables=True).winning_move_batch(game, np.array(rows, np.int32))
    assert out.tolist() == oracle(with_tables=True).outcomes(game, np.array(rows)).tolist()
    of_width = game if game.heaps else parse_game(f"nim{{heaps={len(rows[0])}}}")
    for row, outcome, move in zip(rows, out.tolist(), moves.tolist(), strict=True):
        spec = GameSpec(
            "nim", of_width.heaps, (), game.passes, game.misere, game.declared, game.noise
        )
        answer = oracle(with_tables=True).winning_moves(Position(spec, row))
        assert answer.outcome == outcome
        first = answer.winning_moves[0] if answer.winning_moves else None
        if answer.winning_moves is None and outcome:
            continue  # it is unknown whether the pass wins, beside a regular move
        if first is None:
            assert move == [NO_MOVE] * len(row)
        elif first.is_pass:
            assert move == [PASS_ONLY] * len(row)
        else:
            assert tuple(move) == first.child.coordinates


@pytest.mark.parametrize(
    ("game", "rows", "says"),
    [
        ("nim", [[1, 2], [3, -4]], "row 1"),
        ("nim{heaps=3}", [[1, 2]], "3 numbers, not 2"),
        ("nim", [[0] * 65], "65 heaps"),
        ("nim{declared=[1,2,3]}", [[1, 2]], "3 numbers, not 2"),
    ],
)
def test_bad_batches_are_refused(game: str, rows: list[list[int]], says: str) -> None:
    with pytest.raises(InvalidPositionError, match=says):
        oracle().outcomes(parse_game(game), np.array(rows))
    with pytest.raises(InvalidPositionError, match=says):
        oracle().winning_move_batch(parse_game(game), np.array(rows))


def test_games_tell_what_is_answered_and_how_far() -> None:
    sources = {info.game.text: info.sources for info in oracle(with_tables=True).games()}
    assert [source.certainty for source in sources["nim"]] == [Certainty.THEOREM]
    search, table = sources["nim{passes=1}"]
    assert search.certainty is Certainty.EXACT_SEARCH
    assert (table.certainty, table.limits) == (
        Certainty.EXACT_TABLE,
        {"heaps": 3, "other_heaps": LIMIT},
    )
    assert (
        table.range == f"smallest heap up to {LIMIT}, second up to {LIMIT + 50}, any largest heap"
    )


@pytest.mark.parametrize(
    ("text", "x", "error"),
    [
        ("nim{passes=1}", 3, UnknownAnswerError),
        ("nim{heaps=3,passes=1}", 5000, UnknownAnswerError),
        ("nim{heaps=3}", 2**60, ResourceLimitError),
        ("nim{heaps=3}", -1, InvalidPositionError),
    ],
)
def test_windows_that_cannot_be_given(text: str, x: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        oracle().instant_winners(parse_game(text), x, 4, 4)


def test_windows_come_from_either_side_of_a_table() -> None:
    for x, size in ((40, LIMIT + 51), (LIMIT + 51, 40)):
        window = oracle(with_tables=True).instant_winners(ONE_PASS, x, size, 30)
        z = solve_sheets(ONE_PASS, x - 1, size - 1)
        marked = {(y, int(z[lower, y])) for lower in range(x) for y in range(size)}
        assert {tuple(cell) for cell in np.argwhere(window).tolist()} == {
            cell for cell in marked if cell[1] < 30
        }


def test_text_of_a_position_is_enough() -> None:
    assert oracle().outcome(parse("nim:[1,2;1]")).outcome is Outcome.P


def test_many_threads_may_ask_for_the_same_search() -> None:
    asked = Oracle()
    texts = ["nim:[5,6,7;1]", "nim:[3,4,5,6;1]", "nim{declared=[1,6,7]}:[9,2,300;1]"] * 8
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(asked.winning_moves, texts))
    for text, answer in zip(texts, answers, strict=True):
        assert answer == oracle().winning_moves(text)


def test_a_searched_table_serves_for_heaps_that_all_fit_in_it() -> None:
    solved = SolvedTables(Oracle()._resources)
    low = solved.search(ONE_PASS, (1, 2, 9), "wins")
    high = solved.search(ONE_PASS, (5, 6, 9), "wins")
    assert high is not low
    assert solved.search(ONE_PASS, (1, 6, 9), "wins") is high
    assert solved.search(ONE_PASS, (5, 6, 9), "grundy") is not high
