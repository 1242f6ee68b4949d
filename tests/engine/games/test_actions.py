"""Actions, in every family: each legal one leads to its child, and illegal ones are refused."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from position_oracle.engine.games.actions import typed
from position_oracle.engine.games.moves import (
    act,
    action_of,
    children,
    move_to,
    moves,
    options,
    ways,
)
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.registry import FAMILIES, rules_of
from position_oracle.engine.games.sum import components_of
from position_oracle.schema.errors import IllegalMoveError
from position_oracle.schema.moves import Action, Bite, HeapChange

POSITIONS = 120
LISTED = 60
"""Maximum number of moves of a position that are tried."""

STARTS = {
    "chomp3": ["chomp3:[3,4,2]", "chomp3:[2,3,3;2]", "chomp3{declared=[1,0,2]}:[2,2,3]"],
    "nim": ["nim:[5,3,8,1]", "nim:[3,4,5;2]", "nim{misere}:[4,4,2]", "nim:[70]"],
    "wythoff": [
        "wythoff:[6,9]",
        "wythoff:[5,5;1]",
        "wythoff{misere}:[7,4]",
        "wythoff{rule=pairs}:[4,5,4]",
        "wythoff{rule=all,misere}:[4,4,4]",
        "wythoff{rule=both}:[3,6,6;1]",
    ],
    "chomp": ["chomp:7/5/5/2", "chomp:4/4/4;2", "chomp{misere}:5/3/1", "chomp:9"],
    "divisors": [
        "divisors:2^4*3^2",
        "divisors:360;1",
        "divisors{misere}:2^3,2*5^2",
        "divisors:2^80",
    ],
    "transfinite": ["transfinite:4x3", "transfinite:2x3x2 + 3x1x1", "transfinite:7"],
    "sum": [
        "chomp3:[1,2,1;1] + nim:[3,5] + chomp:4/2",
        "misere{chomp:4/2 + chomp3:[1,1,1] + nim:[3]}",
        "misere{kayles:[3;1] + divisors:12 + transfinite:2x1x2}",
        "kayles:[4,4;1] + toads:TT.FF + wythoff:[3,3]",
    ],
    "octal": [
        "kayles:[7,7,4]",
        "octal{code=4.7}:[9,3;1]",
        "dawson:[11,11]",
        "octal{code=0.137,misere}:[8]",
        "grundy:[9,4;1]",
        "lasker{misere}:[6,2]",
        "octal{code=C!.[3F]}:[9]",
    ],
    "octal_heap_pass": [
        "octal{code=0.77,heappass}:[6p,6,6p]",
        "octal{code=0.07,heappass}:[9p,5]",
        "octal{code=8.[5!B],heappass}:[9p,2]",
    ],
    "subtraction": [
        "nim{max=3}:[9,9,5]",
        "nim{take=1+3+4}:[12,5;1]",
        "nim{take=2,misere}:[9]",
        "nim{take=2-5+9}:[20]",
        "nim{allbut=1+4-6}:[15,8;1]",
    ],
    "nim_heap_pass": ["nim{heappass}:[3p,5,3p]", "nim{heappass,misere}:[4p,4]"],
    "partition": ["partition:[9,4]", "partition{parts=2}:[8,8;1]", "partition{parts=5,misere}:[7]"],
    "euclid": ["euclid:[5,13]", "euclid:[3,30;1]", "euclid{misere}:[8,13]"],
    "moore": ["moore{k=2}:[3,5,7]", "moore{k=3}:[2,2,2,3;1]", "moore{k=2,misere}:[1,4,2]"],
    "fibonacci": ["fibonacci:[20]", "fibonacci:[13,6;2]", "fibonacci{misere}:[15]"],
    "endnim": ["endnim:[3,1,2]", "endnim:[0,2,0,3;1]", "endnim{misere}:[2,2]"],
    "circular": ["circular{k=2}:[1,2,3,1]", "circular{k=3}:[2,0,1;1]"],
    "staircase": ["staircase:[1,2,3]", "staircase:[0,2,0,3;1]", "staircase{misere}:[2,2]"],
    "wythoff_ab": ["wythoff{a=2}:[4,6]", "wythoff{a=1,b=2}:[5,9;1]", "wythoff{a=3,misere}:[7,7]"],
    "nodekayles": [
        "nodekayles:path(9)",
        "nodekayles:cycle(8);1",
        "nodekayles:1-2-3-1,5",
        "nodekayles{misere}:grid(2x4)",
    ],
    "solid": ["chomp:2x3x2", "chomp:2x2x2+4x1x1;1", "chomp{misere}:2x2x2x2"],
    "toads": ["toads:TTT..FFF", "toads:T.F.TF;2", "toads{misere}:TT.FF"],
}


def positions(family: str) -> Iterator[Position]:
    """Positions met in games played at random from the starts of a family."""
    chance = random.Random(family)
    while True:
        for start in STARTS[family]:
            position = parse(start)
            while True:
                yield position
                listed = list(islice(moves(position), 400))
                if not listed:
                    break
                position = chance.choice(listed).child


def test_every_family_has_starts() -> None:
    assert STARTS.keys() == set(FAMILIES)
    for family, starts in STARTS.items():
        assert {parse(start).game.family for start in starts} == {family}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_action_of_every_move_leads_to_its_child(family: str) -> None:
    chance = random.Random(1)
    for position in islice(positions(family), POSITIONS):
        listed = list(islice(moves(position), 400))
        for move in chance.sample(listed, min(LISTED, len(listed))):
            action = move.action
            assert action is not None
            assert act(position, action) == move.child, (str(position), action)
            assert action.words
            found = move_to(position, move.child)
            assert (found, found.action) == (move, action)
            record = action.as_json()
            assert len(record.keys() - {"words", "component"}) == 1, record


@pytest.mark.parametrize("family", FAMILIES)
def test_every_way_of_a_move_leads_to_its_child(family: str) -> None:
    for position in islice(positions(family), 60):
        for move in islice(moves(position), LISTED):
            found = list(ways(position, move.child))
            assert len(set(found)) == len(set(map(typed, found))) > 0
            assert {act(position, action) for action in found} == {move.child}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_action_is_a_way_of_the_move_to_what_it_leads_to(family: str) -> None:
    for position in islice(positions(family), 60):
        for called, child in islice(options(position), LISTED):
            assert action_of(position, called) in ways(position, child)


@pytest.mark.parametrize("family", FAMILIES)
def test_positions_that_no_move_leads_to_are_refused(family: str) -> None:
    seen = list(islice(positions(family), 80))
    refused = 0
    for position in seen[:20]:
        reached = set(children(position))
        for other in seen:
            if other in reached:
                assert move_to(position, other).child == other
            else:
                refused += 1
                with pytest.raises(IllegalMoveError):
                    move_to(position, other)
    assert refused > 100


HOSTILE = [
    Action(),
    Action(is_pass=True),
    Action(bite=Bite(0, 1)),
    Action(bite=Bite(1, 0)),
    Action(bite=Bite(9, 9)),
    Action(bite=Bite(-1, 10**30)),
    Action(taking=(HeapChange(0, 1),)),
    Action(taking=(HeapChange(1, 0),)),
    Action(taking=(HeapChange(1, -3),)),
    Action(taking=(HeapChange(1, 10**30),)),
    Action(taking=(HeapChange(99, 1),)),
    Action(taking=(HeapChange(1, 1), HeapChange(1, 1))),
    Action(taking=(HeapChange(1, 1), HeapChange(2, 3))),
    Action(taking=(HeapChange(1, 1, (-1, 3)),)),
    Action(taking=(HeapChange(1, 0, (1, 1, 1)),)),
    Action(taking=(HeapChange(1, 4, is_pass=True),)),
    Action(divisor=0),
    Action(divisor=-6),
    Action(divisor=10**30),
    Action(divisor=11),
    Action(power_product="2^"),
    Action(power_product="2^99"),
    Action(cell=0),
    Action(cell=-1),
    Action(cell=65),
    Action(ordinal_bite=()),
    Action(ordinal_bite=("w",)),
    Action(ordinal_bite=("", "x")),
    Action(ordinal_bite=("9", "9", "9")),
]


@pytest.mark.parametrize("family", FAMILIES)
def test_actions_that_are_no_moves_are_refused_or_lead_to_a_child(family: str) -> None:
    refused = 0
    for position in islice(positions(family), 20):
        reached = set(children(position))
        for action in HOSTILE:
            for component in (None, 0, 1, -1, 64, len(components_of(position))):
                tried = replace(action, component=component)
                try:
                    child = act(position, tried)
                except IllegalMoveError:
                    refused += 1
                else:
                    assert child in reached, (str(position), tried)
    assert refused > 100


@pytest.mark.parametrize("family", FAMILIES)
def test_typed_takings_are_read_as_they_are_or_refused(family: str) -> None:
    """No part of a text is left out: neither heaps that a move leaves, nor a pass, nor a number."""
    takings = [
        Action(taking=(HeapChange(1, 1, (1, 4)),)),
        Action(taking=(HeapChange(2, 0, (2, 3, 4)),)),
        Action(taking=(HeapChange(1, 0, is_pass=True),)),
        Action(taking=(HeapChange(1, 0),)),
        Action(taking=(HeapChange(1, 2), HeapChange(2, 3))),
        Action(taking=(HeapChange(1, 2), HeapChange(3, 2))),
        Action(taking=(HeapChange(99, 2),)),
    ]
    for position in map(parse, STARTS[family]):
        first = next(moves(position)).action
        for action in takings if first is not None and first.taking else ():
            assert rules_of(family).read_action(position, typed(action)) in (None, action)


@pytest.mark.parametrize(
    ("start", "child", "record"),
    [
        ("chomp:7/7/7", "chomp:7/2/2", {"bite": {"row": 2, "column": 3}}),
        ("chomp3:[7,0,0]", "chomp3:[2,0,5]", {"bite": {"row": 2, "column": 3}}),
        ("nim:[3,5,7]", "nim:[3,5,6]", {"taking": {"heaps": [{"heap": 3, "tokens": 1}]}}),
        (
            "wythoff:[3,5]",
            "wythoff:[1,3]",
            {"taking": {"heaps": [{"heap": 1, "tokens": 2}, {"heap": 2, "tokens": 2}]}},
        ),
        (
            "kayles:[5,7]",
            "kayles:[1,4,5]",
            {"taking": {"heaps": [{"heap": 2, "tokens": 2, "left": [1, 4]}]}},
        ),
        (
            "octal{code=0.77,heappass}:[7p]",
            "octal{code=0.77,heappass}:[1,4p]",
            {"taking": {"heaps": [{"heap": 1, "tokens": 2, "left": [4, 1]}]}},
        ),
        (
            "nim{heappass}:[3p,5]",
            "nim{heappass}:[3,5]",
            {"taking": {"heaps": [{"heap": 1, "tokens": 0, "pass": True}]}},
        ),
        ("divisors:72", "divisors:2^3,2*3^2", {"divisor": 12}),
        ("divisors:2^80", "divisors:2^69", {"power_product": "2^70"}),
        ("toads:TT.FF", "toads:T.TFF", {"cell": 2}),
        (
            "transfinite:1x(w*3) + 2x(w*2+1)",
            "transfinite:1x(w*3) + 2x(w+4)",
            {"ordinal_bite": {"coordinates": ["1", "w+4"]}},
        ),
        (
            "nim:[3] + nim:[5,2]",
            "nim:[3] + nim:[1,2]",
            {"taking": {"heaps": [{"heap": 1, "tokens": 4}]}, "component": 1},
        ),
    ],
)
def test_actions_as_programs_read_them(start: str, child: str, record: dict[str, object]) -> None:
    position, target = parse(start), parse(child)
    move = move_to(position, target)
    assert move.action is not None
    assert {key: value for key, value in move.action.as_json().items() if key != "words"} == record


def test_a_pass_is_an_action_where_the_rules_have_it() -> None:
    position = parse("chomp3:[2,1,0;1]")
    assert str(act(position, Action(is_pass=True))) == "chomp3:[2,1,0]"
    move = move_to(position, parse("chomp3:[2,1,0]"))
    assert move == Move(parse("chomp3:[2,1,0]"), is_pass=True)
    assert move.action == Action(is_pass=True)
    for text in ("chomp3:[2,1,0]", "chomp3:[0,0,1;1]"):
        with pytest.raises(IllegalMoveError, match="no pass here"):
            act(parse(text), Action(is_pass=True))


@pytest.mark.parametrize(
    "text", ["nim:[3,5]", "nim{misere}:[3,5]", "wythoff:[3,5]", "moore{k=2}:[3,5]"]
)
def test_an_action_names_a_heap_once(text: str) -> None:
    for changes in [(1, 1), (2, 2), (1, 2, 1)]:
        with pytest.raises(IllegalMoveError):
            act(parse(text), Action(taking=tuple(HeapChange(heap, 1) for heap in changes)))


@pytest.mark.parametrize(
    ("text", "bite", "words"),
    [
        ("transfinite:w^w x w^2", ("w^4+3", "w*7+2"), "bite row w*7+2, column w^4+3"),
        ("transfinite:wxwxw + 2xw^2x3", ("1", "w*5", "2"), "bite row w*5, column 2, layer 3"),
        ("transfinite:2x2x(w*2)xw", ("1", "0", "w", "9"), "bite row 1, column 2, layer w, 10"),
        ("transfinite:w x w", ("0", "0"), "bite row 1, column 1"),
        ("transfinite:w^(w+1)", ("w^w*3+w",), "bite column w^w*3+w"),
    ],
)
def test_bites_of_infinite_positions_are_found_again(
    text: str, bite: tuple[str, ...], words: str
) -> None:
    position = parse(text)
    action = Action(ordinal_bite=bite)
    child = act(position, action)
    found = move_to(position, child).action
    assert found == action
    assert found is not None
    assert found.words == words
    told = rules_of("transfinite").read_action(position, words.replace(",", ""))
    assert told is not None
    assert act(position, told) == child


@pytest.mark.parametrize(
    ("text", "typed", "cookie"),
    [
        ("transfinite:2x(w+1)", "(1 w)", ("1", "w")),
        ("transfinite:2x(w+1)", "bite the cookie (1 w)", ("1", "w")),
        ("transfinite:2x2xw", "bite row 2 column 1 layer w", ("0", "1", "w")),
        ("transfinite:2x(w+1)", "()", None),
        ("transfinite:2x(w+1)", "( )", None),
        ("transfinite:2x2xw", "column 2 layer 2", None),
        ("transfinite:2x2xw", "row 0 column 2 layer 2", None),
        ("chomp:2x2x2", "bite the cookie (1 1 1)", ("1", "1", "1")),
        ("chomp:2x2x2", "row 2 column 1 layer 2", ("0", "1", "1")),
        ("chomp:2x2x2", "bite row 2 column 1 layer 0", None),
    ],
)
def test_bites_are_typed_from_0_or_told_from_1(
    text: str, typed: str, cookie: tuple[str, ...] | None
) -> None:
    position = parse(text)
    action = rules_of(position.game.family).read_action(position, typed)
    assert (action and action.ordinal_bite) == cookie


def test_large_positions_need_no_list_of_moves() -> None:
    huge = 2**62
    for text, action in [
        (f"nim:[{huge},5]", Action(taking=(HeapChange(1, huge - 1),))),
        (f"kayles:[{huge}]", Action(taking=(HeapChange(1, 2, (1, huge - 3)),))),
        (f"chomp:{huge}/{huge}", Action(bite=Bite(2, huge))),
        (f"nim{{max=3}}:[{huge}]", Action(taking=(HeapChange(1, 2),))),
    ]:
        position = parse(text)
        assert move_to(position, act(position, action)).action == action
