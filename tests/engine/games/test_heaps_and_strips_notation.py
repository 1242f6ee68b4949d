"""Notation of octal and subtraction games, heaps with passes of their own, and Toads and Frogs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import FAMILIES, rules_of
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    UnknownGameError,
)
from tests.each import for_each

heaps = st.lists(st.integers(0, 2**63 - 1), max_size=6)
passes = st.sampled_from(["", ";0", ";1", ";64"])
misere = st.booleans()
digits = st.lists(st.integers(0, 7), min_size=1, max_size=16)


def listed(sizes: list[int]) -> str:
    return "[" + ",".join(map(str, sizes)) + "]"


def is_read_back(text: str) -> None:
    position = parse(text)
    canonical = str(position)
    assert parse(canonical) == position
    assert str(parse(canonical)) == canonical
    game = position.game
    assert parse_game(game.text) == game
    assert rules_of(game.family).position(game, position.coordinates) == position


@given(
    first=st.sampled_from(["0", "4", ""]), code=digits, sizes=heaps, left=passes, is_misere=misere
)
def test_octal(first: str, code: list[int], sizes: list[int], left: str, is_misere: bool) -> None:
    options = f"code={first}.{''.join(map(str, code))}" + (",misere" if is_misere else "")
    text = f"octal{{{options}}}:{listed(sizes)[:-1]}{left}]"
    is_read_back(text)


@given(
    taken=st.lists(st.integers(1, 2**63 - 1), min_size=1, max_size=64),
    sizes=heaps,
    left=passes,
    is_misere=misere,
)
def test_subtraction(taken: list[int], sizes: list[int], left: str, is_misere: bool) -> None:
    options = "take=" + "+".join(map(str, taken)) + (",misere" if is_misere else "")
    is_read_back(f"nim{{{options}}}:{listed(sizes)[:-1]}{left}]")
    is_read_back(f"nim{{max={taken[0]}}}:{listed(sizes)[:-1]}{left}]")


@given(
    sizes=st.lists(st.tuples(st.integers(0, 2**63 - 1), st.booleans()), max_size=6),
    game=st.sampled_from(["nim{heappass}", "nim{misere,heappass}", "octal{heappass,code=0.77}"]),
)
def test_own_passes(sizes: list[tuple[int, bool]], game: str) -> None:
    body = ",".join(f"{size}{'p' if has_pass else ''}" for size, has_pass in sizes)
    is_read_back(f"{game}:[{body}]")


@given(cells=st.text("TF.", min_size=1, max_size=64), left=passes, is_misere=misere)
def test_toads(cells: str, left: str, is_misere: bool) -> None:
    is_read_back(f"toads{'{misere}' if is_misere else ''}:{cells}{left}")


@given(
    sizes=st.lists(st.integers(0, 2**63 - 1), min_size=2, max_size=3), left=passes, is_misere=misere
)
def test_wythoff(sizes: list[int], left: str, is_misere: bool) -> None:
    options = (["rule=both"] if len(sizes) == 3 else []) + (["misere"] if is_misere else [])
    braces = f"{{{','.join(options)}}}" if options else ""
    is_read_back(f"wythoff{braces}:{listed(sizes)[:-1]}{left}]")


@given(
    rows=st.lists(st.integers(1, 10**6), max_size=6).map(lambda n: sorted(n, reverse=True)),
    number=st.integers(1, 10**4),
    left=passes,
    is_misere=misere,
)
def test_boards_and_divisors(rows: list[int], number: int, left: str, is_misere: bool) -> None:
    braces = "{misere}" if is_misere else ""
    is_read_back(f"chomp{braces}:{'/'.join(map(str, rows)) or '0'}{left}")
    is_read_back(f"divisors{braces}:{number}{left}")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("kayles:[7,5]", "octal{code=0.77}:[5,7]"),
        ("kayles{misere}:[5;1]", "octal{code=0.77,misere}:[5;1]"),
        ("kayles{heappass}:[5p]", "octal{code=0.77,heappass}:[5p]"),
        ("dawson:[5,0,7]", "octal{code=0.07}:[5,7]"),
        ("dawsonchess:[5]", "octal{code=0.137}:[5]"),
        ("octal{code=.770}:[ 5 , 7 ]", "octal{code=0.77}:[5,7]"),
        ("octal{misere,code=0.77}:[]", "octal{code=0.77,misere}:[]"),
        ("grundy:[7,5]", "octal{code=4!.0}:[5,7]"),
        ("lasker{misere}:[5;1]", "octal{code=4.[3],misere}:[5;1]"),
        ("guiles:[5]", "octal{code=0.15}:[5]"),
        ("officers:[5]", "octal{code=0.6}:[5]"),
        ("grundy{heappass}:[5p]", "octal{code=4!.0,heappass}:[5p]"),
        ("octal{code=c.[3f]}:[5]", "octal{code=C.[3F]}:[5]"),
        ("octal{code=4.333333333333333}:[17]", "octal{code=4.333333333333333}:[17]"),
        ("lasker:[5] + grundy:[5]", "octal{code=4.[3]}:[5] + octal{code=4!.0}:[5]"),
        ("kayles:IXIII", "octal{code=0.77}:[1,3]"),
        ("kayles:..IIIxi;1", "octal{code=0.77}:[1,3;1]"),
        ("dawson{misere}:II.I", "octal{code=0.07,misere}:[1,2]"),
        ("kayles:XII + kayles:I", "octal{code=0.77}:[2] + octal{code=0.77}:[1]"),
        ("treblecross:.....", "octal{code=0.007}:[7]"),
        ("treblecross:__X____", "octal{code=0.007}:[2,4]"),
        ("treblecross:X...X..;2", "octal{code=0.007}:[1,2;2]"),
        ("nim{take=1-5+9}:[10]", "nim{take=1+2+3+4+5+9}:[10]"),
        ("nim{take=1-100+200}:[10]", "nim{take=1-100+200}:[10]"),
        ("nim{take=1-100}:[10]", "nim{max=100}:[10]"),
        ("nim{allbut=4+1,misere}:[10;1]", "nim{allbut=1+4,misere}:[10;1]"),
        ("partition:[1,7,5]", "partition{parts=3}:[5,7]"),
        ("partition{parts=4,misere}:[5;2]", "partition{parts=4,misere}:[5;2]"),
        ("nim{take=3+1+2}:[10]", "nim{max=3}:[10]"),
        ("nim{take=4+1+3+1}:[5,10]", "nim{take=1+3+4}:[5,10]"),
        ("nim{max=03}:[010;01]", "nim{max=3}:[10;1]"),
        ("nim{heappass}:[5,3p,0p]", "nim{heappass}:[3p,5]"),
        ("toads: TT.FF ;0", "toads:TT.FF"),
        ("wythoff{misere}:[5,3]", "wythoff{misere}:[3,5]"),
        ("wythoff:[5,3;2]", "wythoff:[3,5;2]"),
        ("chomp{misere}:3/2/0", "chomp{misere}:3/2"),
        ("divisors:12;1", "divisors:2^2*3;1"),
        ("kayles:[5] + chomp3:[2,1,0]", "octal{code=0.77}:[5] + chomp3:[2,1,0]"),
        ("toads:T.F + nim{max=3}:[4;1]", "toads:T.F + nim{max=3}:[4;1]"),
    ],
)
def test_canonical_texts(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert str(parse(canonical)) == canonical


BAD = [
    "octal:[5]",
    "octal{code}:[5]",
    "octal{code=}:[5]",
    "octal{code=77}:[5]",
    "octal{code=0.7G}:[5]",
    "octal{code=2.0}:[5]",
    "octal{code=0.[3}:[5]",
    "octal{code=0.3[]}:[5]",
    "octal{code=0.!3}:[5]",
    "grundy{code=4.0}:[5]",
    "kayles:IIZII",
    "kayles:II II",
    "kayles:III;65",
    "treblecross:..XX..",
    "treblecross:X.X",
    "treblecross:",
    "lasker:XX",
    "partition{parts=1}:[5]",
    "partition{parts=65}:[5]",
    "partition:[-1]",
    "octal{code=1.77}:[5]",
    "octal{code=0.77.7}:[5]",
    "octal{code=0.-7}:[5]",
    "octal{code=0.\u0667\u0667}:[5]",
    "octal{code=0." + "7" * 1025 + "}:[5]",
    "octal{code=0.77,code=0.7}:[5]",
    "octal{code=0.77,max=3}:[5]",
    "octal{code=0.77,heappass=1}:[5p]",
    "octal{code=0.77,heaps=1}:[5]",
    "octal{code=0.77,passes=1}:[5]",
    "octal{code=0.77,declared=[1,-2]}:[5]",
    "octal{code=0.77,noise=normal(8),seed=7}:[5]",
    "octal{code=0.77}:[5p]",
    "octal{code=0.77}:[-5]",
    "octal{code=0.77}:[5;65]",
    "octal{code=0.77}:[5,]",
    "octal{code=0.77}:5",
    f"octal{{code=0.77}}:[{2**63}]",
    "octal{code=0.77}:[" + ",".join("1" * 65) + "]",
    "kayles{code=0.7}:[5]",
    "kayles:",
    "dawson:[5",
    "nim{max=0}:[5]",
    "nim{max=-1}:[5]",
    "nim{max=three}:[5]",
    "nim{max=3,take=1+2}:[5]",
    "nim{take=0+1}:[5]",
    "nim{take=1++2}:[5]",
    "nim{take=1,2}:[5]",
    "nim{take=5-1}:[5]",
    "nim{take=1-}:[5]",
    "nim{take=1-2-3}:[5]",
    "nim{allbut=}:[5]",
    "nim{allbut=0}:[5]",
    f"nim{{allbut=1-{2**63 - 1}}}:[5]",
    "nim{allbut=1,take=2}:[5]",
    "nim{allbut=1,heappass}:[5p]",
    "nim{max=3,heappass}:[5p]",
    "nim{heappass}:[5q]",
    "nim{heappass}:[p]",
    "nim{heappass}:[5p;1]",
    "nim{heappass=yes}:[5p]",
    "toads:",
    "toads:TXF",
    "toads:tt.ff",
    "toads:" + "T." * 33,
    "toads:T.F;x",
    "toads{rule=all}:T.F",
    "toads{noise=normal(8),seed=7}:T.F",
    "kayles{misere}:[5] + nim:[3]",
]


@for_each("text", BAD)
def test_bad_texts_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(PositionOracleError) as raised:
        parse(text)
    assert isinstance(raised.value, NotationError | InvalidPositionError | UnknownGameError)
    message = str(raised.value)
    assert message
    assert "\n" not in message
    assert len(message) < 400


def test_no_name_of_a_family_is_read_where_texts_have_another() -> None:
    for family in FAMILIES:
        name = rules_of(family).name
        if name:
            with pytest.raises(PositionOracleError):
                parse(f"{family}:[5]")
