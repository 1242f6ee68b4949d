"""The page's own rules, run by node, give the moves of the engine, in the same order."""

import json
import subprocess
from itertools import islice
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.choice import greedy_move
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import FAMILIES
from tests.engine.games.test_actions import positions

NODE = which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

POSITIONS = (
    *(
        "chomp:1",
        "chomp:0",
        "chomp:3/2",
        "chomp:5/5/1/1",
        "chomp:3/2;1",
        "chomp:1;1",
        "chomp{misere}:2/1",
    ),
    *("chomp3:[2,1,0]", "chomp3:[0,0,1;2]", "chomp3:[1,2,3;1]", "chomp3:[0,0,0]"),
    *(
        "nim:[3,5]",
        "nim:[0,2,0]",
        "nim{misere}:[2,1]",
        "nim:[1,2;1]",
        "nim:[0,0;1]",
        "nim{misere}:[0]",
    ),
    *(
        "nim{max=3}:[10,6]",
        "nim{take=1+3+4}:[5,10]",
        "nim{take=2+3,misere}:[1,7;1]",
        "nim{max=2}:[1,1]",
    ),
    *(
        "wythoff:[3,5]",
        "wythoff:[4,4]",
        "wythoff{misere}:[5,3]",
        "wythoff:[6,2;1]",
        "wythoff:[0,0]",
    ),
    *("wythoff{rule=pairs}:[3,1,2]", "wythoff{rule=all}:[2,2,2]", "wythoff{rule=both}:[1,2,3;1]"),
    *(
        "kayles:[5,7]",
        "dawson:[1,4]",
        "dawsonchess:[3,6]",
        "octal{code=0.77}:[1;1]",
        "octal{code=4.3}:[5]",
    ),
    *("treblecross:[9]", "guiles:[5]", "officers:[4]"),
    *("octal{code=0.6,misere}:[1,7]", "octal{code=0.07}:[1,1]"),
    *("toads:TT.FF", "toads:FT", "toads:T..F;1", "toads{misere}:TF.", "toads:TF;1"),
    *("chomp:2/1 + nim:[3,1]", "chomp3:[1,0,0;1] + kayles:[3]", "misere{chomp:2/1 + nim:[2]}"),
    *(
        "chomp:2x2x2",
        "chomp:2x2x2+3x1x1;1",
        "chomp:0x0x0",
        "chomp{misere}:1x2x1",
        "transfinite:2x3",
        "transfinite:2x2x2;1",
    ),
    *(
        "nodekayles:1-2-3-4-5-1",
        "nodekayles:3-5,1-5,1-3,2-4,6",
        "nodekayles:1-2,5;1",
        "nodekayles{misere}:3",
        "nodekayles:0",
    ),
    *("chomp:1x2x1 + nim:[1]", "misere{chomp:1x2x1 + nim:[1]}", "transfinite:1x2 + nim:[1]"),
    *("misere{chomp:0 + nim:[0]}", "chomp:1 + nim:[0,0]", "toads:T.F + wythoff:[1,2]"),
)


def asked(texts: list[str]) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("moves.mjs")
    done = subprocess.run(
        [str(NODE), str(script)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def check(texts: list[str]) -> int:
    """Compare positions, and return how many have rules on the page."""
    known = 0
    for text, found in zip(texts, asked(texts), strict=True):
        if not found["local"]:
            continue
        known += 1
        position = parse(text)
        moves = list(legal_moves(position))
        assert found["text"] == str(position)
        assert [move["child"] for move in found["moves"]] == [str(move.child) for move in moves]
        if position.game.family != "sum":
            assert [move["isPass"] for move in found["moves"]] == [move.is_pass for move in moves]
        assert all(move["after"] == move["child"] for move in found["moves"])
        assert len({move["name"] for move in found["moves"]}) == len(moves)
        assert [move["found"] for move in found["moves"]] == [
            move["name"] for move in found["moves"]
        ]
        # Moves of equal heaps may count twice. Cookies count exactly, because bots draw from them.
        assert found["count"] == len(moves) or found["kind"] in {"heaps", "graph", "sum"}
        assert (found["moverWon"] is None) == bool(moves)
        assert [move["words"] for move in found["moves"]] == [str(move.action) for move in moves]
        if moves:
            assert found["greedy"] == str(greedy_move(position).child), text
    return known


def test_moves_of_every_family_are_those_of_the_engine() -> None:
    assert check(list(POSITIONS)) == len(POSITIONS)


def met(count: int) -> list[str]:
    """Return positions met in games of every family, the same number of each."""
    return [str(each) for family in FAMILIES for each in islice(positions(family), count)]


def test_positions_of_games_in_every_family() -> None:
    assert check(met(12)) > 100


@pytest.mark.slow
def test_ten_thousand_positions_of_games_in_every_family() -> None:
    texts = met(600)
    assert len(texts) > 10_000
    assert check(texts) > 5_000


numbers = st.integers(0, 6)
boards = st.lists(st.integers(1, 6), max_size=4).map(
    lambda rows: "chomp:" + ("/".join(map(str, sorted(rows, reverse=True))) or "0")
)
heaps = st.lists(numbers, min_size=2, max_size=2).map(lambda sizes: f"[{sizes[0]},{sizes[1]}]")
codes = st.text("01234567", min_size=1, max_size=4).map(lambda digits: f"octal{{code=0.{digits}7}}")
games = st.one_of(
    codes, st.sampled_from(["nim", "nim{max=2}", "nim{take=2+5}", "wythoff", "nim{misere}"])
)
drawn = st.one_of(
    boards,
    st.tuples(games, heaps).map(":".join),
    st.text("TF.", min_size=1, max_size=8).map("toads:{}".format),
)


@settings(max_examples=1)
@given(st.lists(drawn, min_size=120, max_size=120))
def test_moves_of_any_position_are_those_of_the_engine(texts: list[str]) -> None:
    check(texts)


def test_what_the_rules_do_not_know_is_left_to_the_oracle() -> None:
    texts = [
        "nim{heappass}:[3p,5]",
        *("nim{take=1-5+9}:[10]", "nim{allbut=2}:[5]", "kayles:IXIII", "treblecross:..X.."),
        *("grundy:[5]", "lasker:[5]", "octal{code=0.3F}:[5]", "octal{code=8.0}:[5]"),
        "chomp3{declared=[1,0,2]}:[2,1,0]",
        *("transfinite:2xw + nim:[2]", "nim{misere}:[2] + nim:[1]", "chomp:0 + nim:[1]"),
        "nim:[9007199254740993]",
    ]
    assert [found["local"] for found in asked(texts)] == [False] * len(texts)
