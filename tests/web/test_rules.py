"""The page's own rules, run by node, give the moves of the engine, in the same order."""

import random
from itertools import islice, product

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.choice import greedy_move
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.notation import is_position, parse
from position_oracle.engine.games.position import Move
from position_oracle.engine.games.registry import FAMILIES
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.messages import writing
from tests.engine.games.test_actions import positions
from tests.web.conftest import by_node, needs_node

pytestmark = needs_node

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
    *("misere{chomp3:[0,0,1;1] + nim:[0]}", "misere{chomp:1x1x1;2 + chomp:1;1}"),
)


def check(texts: list[str]) -> int:
    """Compare positions, and return how many have rules on the page."""
    known = 0
    for text, found in zip(texts, by_node("moves.mjs", texts), strict=True):
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


GAMES = (
    *("nim", "nim{misere}", "nim{max=4}", "nim{take=2+5,misere}", "wythoff", "wythoff{misere}"),
    *("kayles", "dawson", "dawsonchess", "treblecross", "guiles", "officers"),
    *("octal{code=4.75}", "octal{code=0.356,misere}"),
)


def drawn_start(chance: random.Random) -> str:
    """Draw a position of any kind whose rules the page has."""
    some = chance.randint
    kind = chance.choice(["board", "heaps", "heaps", "three", "strip", "solid", "graph", "sum"])
    passes = chance.choice(["", "", ";1", ";2"])
    if kind == "board":
        rows = sorted((some(1, 8) for _ in range(some(1, 5))), reverse=True)
        return f"chomp:{'/'.join(map(str, rows))}{passes}"
    if kind == "heaps":
        return f"{chance.choice(GAMES)}:[{some(0, 14)},{some(0, 14)}{passes}]"
    if kind == "three":
        game = chance.choice(["chomp3", "chomp3{misere}", "wythoff{rule=both}", "nim"])
        return f"{game}:[{some(0, 6)},{some(0, 6)},{some(0, 6)}{passes}]"
    if kind == "strip":
        return f"toads:{''.join(chance.choices('TF.', k=some(4, 11)))}{passes}"
    if kind == "solid":
        boxes = (f"{some(1, 4)}x{some(1, 3)}x{some(1, 3)}" for _ in range(2))
        return f"{chance.choice(['chomp', 'transfinite'])}:{'+'.join(boxes)}{passes}"
    if kind == "graph":
        edges = (chance.sample(range(1, 9), 2) for _ in range(some(2, 9)))
        return f"nodekayles:{','.join(f'{one}-{other}' for one, other in edges)}{passes}"
    return f"nim:[{some(0, 5)},{some(1, 5)}] + kayles:[{some(1, 6)}] + chomp:{some(2, 4)}/2"


def drawn_games(count: int) -> list[str]:
    """Return different positions, met in random games from drawn starts."""
    chance, found = random.Random(1), dict[str, None]()
    while len(found) < count:
        position = parse(drawn_start(chance))
        while listed := list(islice(legal_moves(position), 400)):
            found[str(position)] = None
            position = chance.choice(listed).child
        found[str(position)] = None
    return list(found)[:count]


@pytest.mark.slow
def test_ten_thousand_positions() -> None:
    assert check(drawn_games(10_000)) == 10_000


def words_on_the_page(move: Move) -> str:
    """Return the words of the action; numbers are named as the page's cells show them."""
    words, action = str(move.action), move.action
    if action is None or action.divisor is None:
        return words
    return f"{words.partition('name ')[0]}name {action.divisor}"


def check_words(count: int) -> int:
    """Compare the words of moves that the oracle lists, of games without rules on the page, too."""
    tables = Oracle().tables()
    moves = [
        move
        for family in FAMILIES
        for position in {*islice(positions(family), count)}
        for move in islice(legal_moves(position), 60)
    ]
    sent = [json_format.MessageToDict(writing.write_best_move(move, tables)) for move in moves]
    said = by_node("words.mjs", sent)
    assert said == [words_on_the_page(move) for move in moves]
    return len(moves)


def test_words_of_moves_that_the_oracle_lists() -> None:
    assert check_words(2) > 200


@pytest.mark.slow
def test_words_of_ten_thousand_moves_that_the_oracle_lists() -> None:
    assert check_words(250) > 10_000


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


REFUSED = (
    *("nim:[]", "nim{misere}:[]", "nim:[0" + ",0" * 64 + "]", "nim:[3;65]", "nim:[3;1;1]"),
    *("nim{rule=all}:[3]", "nim{max=3,take=1}:[3]", "nim{code=0.3}:[3]", "nim{misere=1}:[3]"),
    *("wythoff:[]", "wythoff:[3]", "wythoff:[1,2,3]", "wythoff{max=2}:[3,4]"),
    *("wythoff{rule=none}:[1,2,3]", "wythoff{rule=both}:[1,2]"),
    *("kayles{code=0.3}:[3]", "kayles{max=2}:[5]", "octal{code=1.7}:[5]", "octal:[5]"),
    *("chomp:3x3", "chomp{dimensions=2}:3x3", "chomp{dimensions=3}:3/3", "chomp{k=2}:3/3"),
    *("chomp{misere=1}:3/3", "chomp:2x2x2+2x2", "chomp:" + "x".join("2" * 9), "chomp:2/3"),
    *("chomp3{rule=both}:[1,2,3]", "chomp3:[1,2]", "chomp3{dimensions=3}:[1,1,1]"),
    *("toads{max=2}:TF.", "toads:T-F", "toads:" + "." * 65),
    *("nodekayles{k=2}:1-2", "nodekayles:1-1", "nodekayles:" + ",".join(map(str, range(1, 258)))),
    *(
        "transfinite{dimensions=2}:2xw",
        "transfinite:2x",
        "transfinite:wx2+3",
        "chomp:" + "1/" * 2100 + "1",
    ),
    *("nim:[3] + nim:[]", "misere{chomp:3x3 + nim:[1]}", "nim:[3] + chomp:0"),
)


def test_positions_that_the_oracle_refuses_are_not_played_without_it() -> None:
    for text in REFUSED:
        with pytest.raises(PositionOracleError):
            parse(text)
    assert [found["text"] for found in by_node("moves.mjs", list(REFUSED)) if found["local"]] == []


FAMILIES_WRITTEN = "nim wythoff kayles dawson octal chomp chomp3 transfinite toads nodekayles moore"
OPTIONS = (
    "{misere} {max=2} {take=1+2+5} {rule=both} {rule=all} {code=0.7} {code=4.3} {dimensions=3}"
    " {k=2} {heaps=2} {passes=1} {a=2} {heappass} {allbut=2} {max=2,misere} {rule=all,misere}"
    " {code=1.3}"
)
BODIES = (
    "[3,5] [] [0] [1,2,3] [1,2,3;1] [4;70] [007,2] [2p] 3/2 0 3/2;1 2/3 3x3 2x2x2 2x2x2+3x1x1 2xw"
    " wxw 1x(w+1) TF. ... 1-2,3 "
)
RARE = (
    "nim{=2}:[3] nim{max=3=}:[10] nim{misere,misere}:[3] nim{max=3,max=4}:[3] nim{misere=}:[3]"
    " nim{misere,}:[3] nim{take=03}:[5] nim{max=99999999999999999999}:[3]"
    " wythoff{rule=all,rule=both}:[1,2,3] chomp{dimensions=3.0}:2x2x2 transfinite:0x3"
    " transfinite:2x(w*1) transfinite:1xw*0 transfinite:2x(w^0) transfinite:2xw^1"
    " transfinite:2x(w*2+0) transfinite:2x(w^(w)) transfinite:2x(w^(2)) transfinite:2x(w^w)"
    " transfinite:02xw transfinite:2x(w^(w+1)*3+w+2) transfinite:2x(3) chomp:(2)x2x2"
    " chomp:2x2x(3)+3x1x1"
)
LONG = (
    "transfinite:2x(w + 1)",
    "transfinite:2x( w )",
    "transfinite:" + "x".join(["2"] * 13),
    f"octal{{code=0.{'0' * 1_024}7}}:[3]",
    " + ".join(["nim:[" + ",".join(["11"] * 60) + "]"] * 24),
)


def test_the_page_reads_positions_as_the_oracle_does() -> None:
    parts = (FAMILIES_WRITTEN.split(), ["", *OPTIONS.split()], BODIES.split(" "))
    texts = [f"{family}{options}:{body}" for family, options, body in product(*parts)]
    texts += [*RARE.split(), *LONG]
    found = by_node("moves.mjs", texts)
    known = {text: each["text"] for text, each in zip(texts, found, strict=True) if each["local"]}
    assert known == {text: read(text) for text in known}
    for text, each in zip(texts, found, strict=True):  # the oracle is asked for what was typed
        if is_position(text) or is_position(each["text"]):
            assert read(each["text"]) == read(text)
    assert len(known) > 100
    assert "transfinite:2x(w^(w+1)*3+w+2)" in known


def read(text: str) -> str:
    """Return the canonical text of a position, or why it is none."""
    try:
        return str(parse(text))
    except PositionOracleError as error:
        return str(error)


def test_what_the_rules_do_not_know_is_left_to_the_oracle() -> None:
    texts = [
        "nim{heappass}:[3p,5]",
        *("nim{take=1-5+9}:[10]", "nim{allbut=2}:[5]", "kayles:IXIII", "treblecross:..X.."),
        *("grundy:[5]", "lasker:[5]", "octal{code=0.3F}:[5]", "octal{code=8.0}:[5]"),
        "chomp3{declared=[1,0,2]}:[2,1,0]",
        *("transfinite:2xw + nim:[2]", "nim{misere}:[2] + nim:[1]", "chomp:0 + nim:[1]"),
        *("nim:[9007199254740993]", "constructor:[1]"),
        # Not the canonical texts, which later moves have.
        *("nim{misere,max=3}:[5]", "nim{take=3+1}:[5]", "nim{take=1+2}:[5]", "octal{code=.77}:[5]"),
    ]
    assert [found["local"] for found in by_node("moves.mjs", texts)] == [False] * len(texts)
