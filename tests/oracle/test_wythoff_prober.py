"""Wythoff's game with two and three heaps: game trees, golden cases, outcomes of children."""

import json
import random
from functools import cache
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import MAX_COORDINATE, GameSpec
from position_oracle.engine.games.wythoff import RULES, WYTHOFF_RULES
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.engine.theory import wythoff
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.heaps import prober
from position_oracle.schema.arrays import NO_MOVE
from position_oracle.schema.errors import InvalidPositionError
from tests.oracle.tables import heap_table
from tests.reference.game_tree import GameTree
from tests.reference.heap_rules_naive import NaiveGame, wythoff_children

GOLDEN = Path(__file__).parents[1] / "golden"
GOLDEN_RULES = {
    "wythoff3_pairs": "pairs",
    "wythoff3_triple": "all",
    "wythoff3_pairs_triple": "both",
}
TWO = GameSpec("wythoff", heaps=2)
LIMIT = 300

rules = st.sampled_from(WYTHOFF_RULES)
spread = st.integers(0, 20) | st.integers(0, MAX_COORDINATE)


@cache
def oracle(limit: int | None = None) -> Oracle:
    """Return an oracle with theorems and searches, and with tables that are not square."""
    tables = [
        heap_table(game, limit + 20, limit)
        for game in (three(rule) for rule in WYTHOFF_RULES)
        if limit is not None
    ]
    return Oracle(tables)


def three(rule: str) -> GameSpec:
    return GameSpec("wythoff", options=(("rule", rule),))


@cache
def tree() -> GameTree:
    return GameTree()


def golden(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def winning(position: Position, limit: int | None = None) -> list[list[int]]:
    moves = oracle(limit).winning_moves(position).winning_moves
    assert moves is not None
    return [list(move.child.coordinates) for move in moves]


@pytest.mark.parametrize("name", ["05_grundy_wythoff2.jsonl", "05_wythoff3.jsonl"])
@pytest.mark.parametrize("limit", [None, LIMIT])
def test_golden_cases(name: str, limit: int | None) -> None:
    cases = golden(name)
    for case in cases:
        rule = GOLDEN_RULES.get(case["game"])
        position = Position(TWO if rule is None else three(rule), tuple(case["position"]))
        assert oracle(limit).outcome(position).outcome.name == case["outcome"], case
        assert sorted(winning(position, limit)) == sorted(case["winning_moves"]), case
    assert len(cases) > 200


@settings(max_examples=settings().max_examples * 4 // 5)
@given(rules, st.tuples(*[st.integers(0, 9)] * 3), st.sampled_from([None, 5, LIMIT]))
def test_three_heaps_are_answered_as_the_whole_tree_does(
    rule: str, heaps: tuple[int, int, int], limit: int | None
) -> None:
    position = Position(three(rule), heaps)
    answer = oracle(limit).winning_moves(position)
    assert answer.outcome is tree().outcome(position)
    assert answer.winning_moves == tuple(tree().winning_moves(position))


@pytest.mark.parametrize("text", ["wythoff:[50,52;1]", "wythoff{rule=pairs,misere}:[16,17,18]"])
def test_a_search_of_all_smaller_heaps_answers_by_the_definition(text: str) -> None:
    position = parse(text)
    game, heaps = position.game, position.coordinates
    naive = NaiveGame(wythoff_children(RULES.lines(game, len(heaps))), misere=game.misere)
    answer = oracle().winning_moves(position)
    assert answer.reason.startswith("search of all heaps up to")
    assert (answer.outcome is Outcome.N) == naive.is_n(heaps, game.passes)
    assert {
        (move.child.coordinates, move.child.game.passes) for move in answer.winning_moves or ()
    } == naive.winning(heaps, game.passes)


def test_values_of_unlike_heaps_are_by_the_definition() -> None:
    """The definition: the least value that no move reaches. One heap is near the ends of tables."""
    found: dict[tuple[int, int], int] = {}
    for x, y in product(range(4), range(600)):
        reached = {found[left, y] for left in range(x)} | {found[x, left] for left in range(y)}
        reached |= {found[x - both, y - both] for both in range(1, min(x, y) + 1)}
        found[x, y] = next(value for value in count() if value not in reached)
    for x, y in product(range(4), (5, 127, 128, 300, 511, 512, 599)):
        for text in (f"wythoff:[{x},{y}]", f"wythoff:[{y},{x}]"):
            assert oracle().analyze(text, moves=False).values.grundy == found[x, y], text


@given(spread, spread)
def test_two_heaps_of_any_size_are_a_theorem(x: int, y: int) -> None:
    position = Position(TWO, (x, y))
    answer = oracle().winning_moves(position)
    assert answer.certainty is Certainty.THEOREM
    assert (answer.outcome is Outcome.P) == wythoff.is_p_position(x, y)
    assert winning(position) == [list(child) for child in wythoff.winning_moves(x, y)]


@given(st.tuples(spread, spread, spread))
def test_taking_from_all_three_heaps_changes_no_outcome_of_nim(heaps: tuple[int, ...]) -> None:
    position = Position(three("all"), heaps)
    answer = oracle().outcome(position)
    assert answer.certainty is Certainty.THEOREM
    assert (answer.outcome is Outcome.P) == (np.bitwise_xor.reduce(heaps) == 0)
    for child in winning(position):
        assert np.bitwise_xor.reduce(child) == 0


@given(st.sampled_from(["pairs", "both"]), spread, spread, st.integers(0, 2))
def test_an_empty_third_heap_leaves_the_game_with_two(rule: str, x: int, y: int, slot: int) -> None:
    def padded(heaps: tuple[int, ...]) -> list[int]:
        return [*heaps[:slot], 0, *heaps[slot:]]

    position = Position(three(rule), tuple(padded((x, y))))
    answer = oracle().outcome(position)
    assert answer.certainty is Certainty.THEOREM
    assert (answer.outcome is Outcome.P) == wythoff.is_p_position(x, y)
    assert winning(position) == [padded(child) for child in wythoff.winning_moves(x, y)]


@settings(max_examples=120)
@given(
    st.sampled_from(["pairs", "both"]),
    st.tuples(st.integers(1, LIMIT), st.integers(1, LIMIT), st.integers(1, 1200)),
    st.randoms(),
)
def test_tables_tell_all_winning_moves(
    rule: str, heaps: tuple[int, ...], rng: random.Random
) -> None:
    position = Position(three(rule), tuple(rng.sample(heaps, 3)))
    answer = oracle(LIMIT).winning_moves(position)
    assert answer.certainty is Certainty.EXACT_TABLE
    children = np.array([child for _, child in RULES.actions(position.value, position.game)])
    is_p = oracle(LIMIT).outcomes(position.game, children) == Outcome.P
    assert winning(position, LIMIT) == children[is_p].tolist()
    assert bool(is_p.any()) == (answer.outcome is Outcome.N)


@pytest.mark.parametrize("rule", ["pairs", "both"])
def test_positions_one_move_above_p_positions_of_the_table(rule: str) -> None:
    z = solve_sheets(three(rule), LIMIT, LIMIT)
    rng = random.Random(4)
    for _ in range(60):
        child = [x := rng.randrange(1, 200), y := rng.randrange(1, 200), int(z[x, y])]
        for line in RULES.lines(three(rule), 3):
            taken = rng.randrange(1, 100)
            heaps = tuple(heap + taken * (i in line) for i, heap in enumerate(child))
            assert child in winning(Position(three(rule), heaps), LIMIT)


def test_unknown_answers_name_the_build_that_would_decide() -> None:
    answer = oracle(LIMIT).winning_moves("wythoff{rule=pairs}:[5000,1100,9000]")
    assert (answer.outcome, answer.winning_moves) == (Outcome.UNKNOWN, None)
    assert "oracle build 'wythoff{rule=pairs}' --limit 1100x5000 (" in answer.reason
    huge = f"wythoff{{rule=both}}:[{2**40},{2**40},7]"
    assert "beyond the limit of tables" in oracle().outcome(huge).reason


@settings(max_examples=60)
@given(
    st.sampled_from([TWO, *map(three, WYTHOFF_RULES)]),
    st.lists(
        st.tuples(*[st.integers(0, 30) | st.integers(0, 2**31 - 1)] * 3), min_size=1, max_size=12
    ),
)
def test_batches_answer_as_single_questions_do(game: GameSpec, rows: list[tuple[int, ...]]) -> None:
    rows = [row[: game.heaps] for row in rows]
    out, moves = oracle(LIMIT).winning_move_batch(game, np.array(rows))
    assert out.tolist() == oracle(LIMIT).outcomes(game, np.array(rows)).tolist()
    for row, outcome, move in zip(rows, out.tolist(), moves.tolist(), strict=True):
        answer = oracle(LIMIT).winning_moves(Position(game, row))
        assert answer.outcome == outcome
        first = answer.winning_moves[0].child.coordinates if answer.winning_moves else None
        assert move == (list(first) if first else [NO_MOVE] * len(row))


@pytest.mark.parametrize(
    ("game", "rows", "says"),
    [
        ("wythoff", [[1, 2], [-3, 4]], "row 1"),
        ("wythoff", [[1, 2, 3]], "rule"),
        ("wythoff", [[1]], "1 heaps"),
        ("wythoff{rule=all}", [[1, 2]], "3 numbers"),
    ],
)
def test_bad_batches_are_refused(game: str, rows: list[list[int]], says: str) -> None:
    with pytest.raises((InvalidPositionError, ValueError), match=says):
        oracle().outcomes(parse_game(game), np.array(rows))


def windows_by_children(game: GameSpec, x: int, size: int) -> list[list[int]]:
    """Return the cells from which a move that lowers the first heap reaches a P-position."""
    return [
        [y, z]
        for y in range(size)
        for z in range(size)
        if any(child[0] < x for child in winning(Position(game, (x, y, z))))
    ]


@pytest.mark.parametrize("rule", WYTHOFF_RULES)
def test_instant_winners_lower_the_first_heap(rule: str) -> None:
    game = three(rule)
    for x in (0, 1, 5):
        window = oracle().instant_winners(game, x, 12, 12)
        assert np.argwhere(window).tolist() == windows_by_children(game, x, 12)


def test_games_tell_what_is_answered_and_how_far() -> None:
    told = [info for info in oracle(LIMIT).games() if info.game.family == "wythoff"]
    sources = {info.game.text: info.sources[0] for info in told}
    assert len(sources) == len(told) == 4
    assert sources["wythoff"].certainty is Certainty.THEOREM
    assert sources["wythoff{rule=all}"].certainty is Certainty.THEOREM
    assert sources["wythoff{rule=both}"].certainty is Certainty.EXACT_TABLE
    searched = {info.game.text: info.sources[0].certainty for info in oracle().games()}
    assert searched["wythoff{rule=both}"] is Certainty.EXACT_SEARCH


def test_values_are_the_same_after_those_of_smaller_and_of_larger_heaps() -> None:
    """A table for larger heaps also serves smaller ones, but not the reverse."""
    texts = ("wythoff:[100,99]", "wythoff:[300,299]", "wythoff:[100,98]")
    asked = Oracle()
    for text in texts:
        found = asked.analyze(text, moves=False).values
        assert found == Oracle().analyze(text, moves=False).values


@pytest.mark.parametrize("options", ["misere", "passes=1", "passes=1,misere"])
def test_any_number_of_rows_is_planned_where_arrays_do_not_answer(
    options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prober, "MAX_OPEN_ROWS", 3)
    bare, game = Oracle(), parse_game(f"wythoff{{rule=pairs,{options}}}")
    rows = [(1, y, z) for y in range(1, 4) for z in range(y, 5)]
    each = [bare.outcome(Position(game, row)).outcome for row in rows]
    assert Outcome.UNKNOWN not in each
    assert bare.outcomes(game, np.array(rows)).tolist() == each
