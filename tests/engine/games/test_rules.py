"""Legal moves compared with the definition of a bite, and outcomes compared with the naive tree."""

import json
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games import chomp, chomp3
from position_oracle.engine.games.board_rules import bite, bite_between
from position_oracle.engine.games.drawing import MAX_DRAWN
from position_oracle.engine.games.moves import is_eaten, is_over, moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import GameSpec
from tests.reference.game_tree import GameTree

GOLDEN = Path(__file__).parents[2] / "golden"
CHOMP3 = GameSpec("chomp3")
small = st.integers(0, 7)
boards = st.lists(st.integers(1, 7), max_size=6).map(lambda n: tuple(sorted(n, reverse=True)))


def bitten(cookies: set[tuple[int, int]], row: int, column: int) -> set[tuple[int, int]]:
    return {(r, c) for r, c in cookies if r < row or c < column}


def cookies_of(rows: tuple[int, ...]) -> set[tuple[int, int]]:
    return {(r + 1, c + 1) for r, length in enumerate(rows) for c in range(length)}


@given(boards)
def test_board_moves_are_bites(rows: tuple[int, ...]) -> None:
    cookies = cookies_of(rows)
    expected = [cookies_of(child) for _, child in chomp.RULES.actions(rows, GameSpec("chomp"))]
    assert expected == [bitten(cookies, r, c) for r, c in sorted(cookies)]


@given(small, small, small)
def test_three_row_moves_are_the_bites_of_the_same_board(x: int, y: int, z: int) -> None:
    rows = tuple(row for row in chomp3.to_rows((x, y, z)) if row)
    by_coordinates = [
        tuple(row for row in chomp3.to_rows(child) if row)
        for _, child in chomp3.RULES.actions((x, y, z), CHOMP3)
    ]
    assert by_coordinates == [child for _, child in chomp.RULES.actions(rows, GameSpec("chomp"))]


@given(boards)
def test_a_bite_is_named_by_its_cookie(rows: tuple[int, ...]) -> None:
    for row, column in cookies_of(rows):
        assert bite_between(rows, bite(rows, row, column)) == (row, column)


@given(boards)
def test_transposing_twice_changes_nothing(rows: tuple[int, ...]) -> None:
    assert chomp.transpose(chomp.transpose(rows)) == rows


def test_a_pass_keeps_the_board_and_is_not_there_at_the_end() -> None:
    position = parse("chomp3:[1,0,0;2]")
    *_, last = moves(position)
    assert last.is_pass
    assert last.child == parse("chomp3:[1,0,0;1]")
    assert not any(m.is_pass for m in moves(parse("chomp3:[0,0,1;2]")))
    assert list(moves(parse("chomp3:[0,0,0;2]"))) == []


def test_no_move_leads_out_of_a_declared_position() -> None:
    assert list(moves(parse("chomp3{declared=[1,1,0]}:[1,1,0]"))) == []


def golden(name: str, step: int) -> list[dict[str, Any]]:
    lines = (GOLDEN / name).read_text().splitlines()
    return [json.loads(line) for line in lines][::step]


RULE_OF = {"wythoff3_pairs": "pairs", "wythoff3_triple": "all", "wythoff3_pairs_triple": "both"}


def game_of(case: dict[str, Any]) -> GameSpec:
    name = case["game"]
    passes = case.get("passes", 0)
    declared = tuple(tuple(triple) for triple in case.get("variant", ()))
    if name.startswith("chomp3"):
        return GameSpec("chomp3", passes=passes, declared=declared)
    heaps = len(case["position"])
    if name.startswith("wythoff"):
        rule = RULE_OF.get(name)
        return GameSpec("wythoff", heaps=heaps, options=(("rule", rule),) if rule else ())
    return GameSpec("nim", heaps=heaps, passes=passes, declared=declared)


@pytest.mark.parametrize(
    ("file", "step"),
    [
        ("01_chomp3.jsonl", 4),
        ("02_chomp3_pass.jsonl", 8),
        ("03_nim_pass.jsonl", 6),
        ("04_generic_chomp3.jsonl", 10),
        ("04_generic_nim3.jsonl", 2),
        ("05_grundy_wythoff2.jsonl", 4),
        ("05_wythoff3.jsonl", 8),
    ],
)
def test_the_naive_tree_agrees_with_golden_cases(file: str, step: int) -> None:
    tree = GameTree()
    tried = 0
    for case in golden(file, step):
        if sum(case["position"]) > 12:
            continue
        position = Position(game_of(case), tuple(case["position"]))
        assert tree.outcome(position) is Outcome[case["outcome"]], case
        moves = [
            "pass" if move.is_pass else list(move.child.coordinates)
            for move in tree.winning_moves(position)
        ]
        assert sorted(moves, key=str) == sorted(case["winning_moves"], key=str), case
        tried += 1
    assert tried > 10


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("chomp3:[0,0,0]", True),  # the board is empty: the player to move has won
        ("chomp3:[0,0,1]", True),  # the poison cookie alone: the player to move loses
        ("chomp3:[0,0,1;1]", True),
        ("chomp3:[0,0,2]", False),
        ("chomp3{declared=[1,1,0]}:[1,1,0]", True),
        ("chomp3{declared=[1,1,0]}:[1,1,1]", False),
        ("nim:[0,0]", True),
        ("nim:[0,1]", False),
        ("nim{misere}:[0,0]", True),
        ("nim{misere}:[0,1]", False),
        ("nim{heappass}:[]", True),
        ("nim{heappass}:[1]", False),
        ("nim{heappass,misere}:[]", True),
        ("nim{heappass,misere}:[1]", False),
    ],
)
def test_games_end_where_no_move_is_left(text: str, ends: bool) -> None:
    position = parse(text)
    assert is_over(position) is ends


def test_the_poison_is_eaten_where_nothing_is_left_of_a_board() -> None:
    for text, eaten in (("chomp3:[0,0,0]", True), ("chomp3:[0,0,1]", False), ("nim:[0,0]", False)):
        assert is_eaten(parse(text)) is eaten


def test_a_family_has_fifteen_methods_to_write_at_most() -> None:
    public = [name for name, part in vars(Rules).items() if isfunction(part) and name[0] != "_"]
    assert len(public) <= 15, public


def test_misere_nim_is_won_by_the_player_who_cannot_move() -> None:
    tree = GameTree()
    outcomes = [
        tree.outcome(parse(f"nim{{misere}}:[{n},{m}]")).name
        for n, m in ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2))
    ]
    assert outcomes == ["N", "P", "N", "N", "P"]


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (f"nim:[1,{MAX_DRAWN}]", f"nim:[1,{MAX_DRAWN + 1}]"),
        (f"nim:[{MAX_DRAWN},1]", f"nim:[{MAX_DRAWN + 1},1]"),
        (f"nim:{[1] * MAX_DRAWN}", f"nim:{[1] * (MAX_DRAWN + 1)}"),
        (f"chomp:{MAX_DRAWN}/1", f"chomp:{MAX_DRAWN + 1}/1"),
        ("chomp:" + "/".join(["1"] * MAX_DRAWN), "chomp:" + "/".join(["1"] * (MAX_DRAWN + 1))),
    ],
)
def test_what_is_too_large_is_not_drawn(small: str, large: str) -> None:
    drawn, not_drawn = (rules_of(p.game.family).draw(p) for p in map(parse, (small, large)))
    assert drawn
    assert not_drawn == []
