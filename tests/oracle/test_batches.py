"""A batch gives each row the same answer as a single question, whatever the other rows."""

from dataclasses import replace
from functools import cache
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.chomp3 import to_rows
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.oracle.answers import Answer
from position_oracle.oracle.core import Oracle
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY
from tests.oracle.tables import board_table, heap_table, three_row_table

NOISY = "chomp3{noise=normal(8),seed=7}"
TRIPLES = (
    "chomp3",
    "chomp3{passes=1}",
    "chomp3{passes=2}",
    "chomp3{declared=[1,2,3]+[4,0,1]}",
    "chomp3{declared=[2,40000,2]}",
    "chomp3{passes=1,declared=[1,2,3]}",
    NOISY,
    "chomp3{passes=1,noise=normal(8),seed=7}",
)
HEAPS = (
    ("nim", 3),
    ("nim", 6),
    ("nim{passes=1}", 2),
    ("nim{passes=1}", 3),
    ("nim{passes=1}", 4),
    ("nim{passes=1}", 5),
    ("nim{passes=2}", 4),
    ("nim{misere}", 4),
    ("nim{passes=1,misere}", 4),
    ("nim{declared=[1,6,7]+[10,2,8]}", 3),
    ("nim{passes=1,declared=[1,6,7]}", 3),
    ("nim{noise=normal(8),seed=7}", 3),
    ("wythoff", 2),
    ("wythoff{rule=pairs}", 3),
    ("wythoff{rule=all}", 3),
    ("wythoff{rule=both}", 3),
)
MODELS = ("random", "perfect-vs-random", "random-vs-perfect", "sloppy(0.1)-vs-perfect")

small = st.integers(0, 12)
QUICK_SECONDS = 0.01
SEARCHED = range(20_000, 4_000_000)
"""Cost of rows, and numbers of positions of heaps, that are left out: their searches take seconds.

Rows beyond every search take nothing.
"""

wide = st.one_of(small, st.integers(0, 700), st.integers(0, 70_000))
triples = st.one_of(st.tuples(small, small, small), st.tuples(wide, wide, wide))


@cache
def bare() -> Oracle:
    return Oracle()


@cache
def tabled() -> Oracle:
    """An oracle with tables so small that many rows are beyond them."""
    chomp3, passed = parse_game("chomp3"), parse_game("chomp3{passes=1}")
    plain = solve(31)
    return Oracle(
        [
            three_row_table(chomp3, plain),
            three_row_table(passed, solve(21, exclusions=plain)),
            board_table(Outer.box(4, 5), Outer.box(6, 4)),
            heap_table(parse_game("nim{heaps=3,passes=1}"), 20, 30),
            heap_table(parse_game("nim{declared=[1,6,7]+[10,2,8]}"), 20, 30),
            heap_table(parse_game("wythoff{rule=all}"), 20, 30),
        ]
    )


def first_move(answer: Answer, width: int) -> list[int]:
    """Return the first winning move of a single answer as a row of a batch."""
    if not answer.winning_moves:
        return [NO_MOVE] * width
    move = answer.winning_moves[0]
    if move.is_pass:
        return [PASS_ONLY] * width
    child = move.child.coordinates
    return [*child, *[0] * (width - len(child))]


def position_of(game: GameSpec, row: list[int]) -> Position:
    """Return the position of a row; boards are written without empty rows."""
    numbers = filter(None, row) if game.family == "chomp" else row
    if game.heaps is None and rules_of(game.family).typed_form == "heaps":
        game = replace(game, heaps=len(row))
    return rules_of(game.family).position(game, tuple(numbers))


def check(game: GameSpec, rows: list[list[int]], cut: int) -> None:
    """A batch equals its two parts one after the other, and each row equals its single answer."""
    array = np.array(rows, np.int32)
    for oracle in (bare(), tabled()):
        found, moves = oracle.winning_move_batch(game, array)
        assert found.tolist() == oracle.outcomes(game, array).tolist()
        parts = [oracle.winning_move_batch(game, part) for part in (array[:cut], array[cut:])]
        assert found.tolist() == [outcome for part, _ in parts for outcome in part.tolist()]
        assert moves.tolist() == [move for _, part in parts for move in part.tolist()]
        for row, outcome, move in zip(rows, found.tolist(), moves.tolist(), strict=True):
            position = position_of(game, row)
            assert oracle.outcome(position).outcome == outcome, (game, row)
            answer = oracle.winning_moves(position)
            assert answer.outcome == outcome, (game, row)
            if answer.winning_moves is None and outcome and move[0] >= 0:
                # It is not known whether the pass also wins. The batch needs only one move.
                child = oracle.outcome(position_of(game, move))
                assert child.outcome is Outcome.P, (game, row, move)
            else:
                assert move == first_move(answer, len(row)), (game, row, answer)


def check_quick(game: GameSpec, rows: list[list[int]], data: st.DataObject) -> None:
    """Check the rows that take little time, or one of zeros, with a cut at a random place."""
    plans = [bare().plan("winning_moves", position_of(game, row)) for row in rows]
    quick = [
        row for row, plan in zip(rows, plans, strict=True) if plan.cost.seconds < QUICK_SECONDS
    ]
    quick = quick or [[0] * len(rows[0])]
    check(game, quick, data.draw(st.integers(0, len(quick))))


@pytest.mark.parametrize("text", TRIPLES)
@settings(max_examples=8)
@given(st.lists(triples.map(list), min_size=1, max_size=6), st.data())
def test_three_rows(text: str, rows: list[list[int]], data: st.DataObject) -> None:
    check_quick(parse_game(text), rows, data)


@pytest.mark.parametrize(("text", "heaps"), HEAPS)
@settings(max_examples=6)
@given(st.data())
def test_heaps(text: str, heaps: int, data: st.DataObject) -> None:
    size = st.one_of(small, st.integers(0, 90), wide)
    row = st.lists(size, min_size=heaps, max_size=heaps).filter(
        lambda sizes: prod(size + 1 for size in sizes) not in SEARCHED
    )
    # Most rows of many heaps with passes need a search that is left out.
    row = st.one_of(st.lists(st.integers(0, 4), min_size=heaps, max_size=heaps), row)
    check_quick(parse_game(text), data.draw(st.lists(row, min_size=1, max_size=5)), data)


@settings(max_examples=12)
@given(st.integers(1, 7), st.data())
def test_boards(width: int, data: st.DataObject) -> None:
    """Rows that need different searches, and some that are too large for any search."""
    length = st.one_of(st.integers(0, 8), st.integers(0, 8), st.integers(0, 3000))
    row = st.lists(length, min_size=width, max_size=width).map(lambda n: sorted(n, reverse=True))
    check_quick(parse_game("chomp"), data.draw(st.lists(row, min_size=1, max_size=6)), data)


def test_noise_beside_a_far_row() -> None:
    game = parse_game(NOISY)
    rows = [[1, 2, 3], [1, 600, 0], [60, 3, 4], [300, 100, 2]]
    alone = [bare().outcomes(game, np.array([row], np.int32))[0] for row in rows]
    assert bare().outcomes(game, np.array(rows, np.int32)).tolist() == alone
    assert alone == [Outcome.N, Outcome.UNKNOWN, *alone[2:]]
    assert Outcome.UNKNOWN not in alone[2:]


def test_boards_beside_one_that_is_too_large() -> None:
    rows = [[13] * 13, [40, *[39] * 12], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0]]
    check(parse_game("chomp"), rows, 1)


def test_heaps_that_need_searches_of_their_own() -> None:
    rows = [[1, 1, 1, 200], [9, 9, 9, 9], [2, 3, 30, 31], [400, 500, 600, 700], [0, 0, 5, 900]]
    check(parse_game("nim{passes=1}"), rows, 2)


def likely(oracle: Oracle, game: GameSpec, rows: Any, model: str) -> np.ndarray:
    return oracle.win_probabilities(game, np.array(rows, np.int32), model)


@pytest.mark.parametrize("game", ["nim{take=2+5}", "octal{code=0.07}"])
def test_rows_that_play_from_a_larger_position_does_not_reach(game: str) -> None:
    """With moves that take certain numbers only, play does not reach all smaller positions."""
    rows = [[9, 9], [9, 8], [8, 8], [8, 7], [7, 3], [6, 6], [6, 1]]
    spec = parse_game(game)
    alone = [
        bare().win_probability(f"{game}:[{','.join(map(str, row))}]", "random").value
        for row in rows
    ]
    assert likely(bare(), spec, rows, "random").tolist() == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=6)
@given(
    st.lists(
        st.tuples(*[st.one_of(st.integers(0, 5), st.integers(0, 90))] * 3), min_size=1, max_size=5
    ),
    st.data(),
)
def test_win_probabilities(
    model: str, triples: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    """A row has the same chance in every batch, up to the rounding that the bound covers.

    One search may serve several rows. If it is too long for exact numbers, its rounding differs
    from that of a search for one row.
    """
    cut = data.draw(st.integers(0, len(triples)))
    rounding = 2 * bare().win_probability_error(model) + 1e-15
    boards = [to_rows(triple) for triple in triples]
    for text, rows in (("chomp3", triples), ("chomp", boards), ("nim", triples)):
        game = parse_game(text)
        whole = likely(bare(), game, rows, model)
        parts = [
            likely(bare(), game, np.reshape(part, (-1, 3)), model)
            for part in (rows[:cut], rows[cut:])
        ]
        np.testing.assert_allclose(whole, np.concatenate(parts), rtol=0, atol=rounding)
        for row, value in zip(rows, whole.tolist(), strict=True):
            alone = likely(bare(), game, [row], model)[0]
            np.testing.assert_allclose(value, alone, 0, rounding, err_msg=f"{text} {row}")


@pytest.mark.parametrize("model", MODELS)
def test_win_probabilities_of_single_questions_are_those_of_a_batch(model: str) -> None:
    bound = bare().win_probability_error(model)
    cases: dict[str, list[list[int]]] = {
        "chomp3": [[2, 3, 1], [0, 5, 5], [9, 0, 0], [1, 0, 70], [20, 30, 40]],
        "chomp": [[4, 4, 3, 1], [7, 5, 0, 0], [300, 2, 1, 0], [3, 3, 3, 3]],
        "nim": [[1, 2, 3], [5, 5, 0], [1, 1, 1], [9, 8, 7]],
    }
    for text, rows in cases.items():
        game = parse_game(text)
        batch = likely(bare(), game, rows, model)
        for row, value in zip(rows, batch.tolist(), strict=True):
            single = bare().win_probability(position_of(game, row), model)
            assert single.value is not None, (text, row)
            assert abs(single.value - value) <= 2 * bound + 1e-15, (text, row)
