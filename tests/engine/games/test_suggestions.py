"""Positions written in other ways, and the position that the error then suggests."""

import random
import re
from collections.abc import Callable
from functools import partial

import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import is_position, parse
from position_oracle.engine.games.suggest import suggestions
from position_oracle.schema.errors import NotationError, PositionOracleError, UnknownGameError
from tests.clock import takes_at_most
from tests.each import for_each

ONE_MEANING = {
    # boards by their sides, rows or columns first
    "7x4": "chomp:7/7/7/7",
    "chomp:7x4": "chomp:7/7/7/7",
    "chomp 7x4": "chomp:7/7/7/7",
    "Chomp: 7 x 4": "chomp:7/7/7/7",
    "7×4": "chomp:7/7/7/7",
    "7 by 4": "chomp:7/7/7/7",
    "4 rows of 7": "chomp:7/7/7/7",
    "4 of 7": "chomp:7/7/7/7",
    "chomp columns 4 of 7 rows": "chomp:4/4/4/4/4/4/4",
    "7 columns x 4 rows": "chomp:7/7/7/7",
    "chomp:rows=4,cols=7": "chomp:7/7/7/7",
    "height=4;width=7": "chomp:7/7/7/7",
    "chomp:7x5000": "chomp:5000/5000/5000/5000/5000/5000/5000",
    # boards: separators, brackets, order, other notations of partitions
    "chomp:7,7,7,7": "chomp:7/7/7/7",
    "chomp:[7,7,4]": "chomp:7/7/4",
    "chomp:(7,7,4)": "chomp:7/7/4",
    "chomp 7 7 4": "chomp:7/7/4",
    "chomp:7-7-4": "chomp:7/7/4",
    "chomp:7|7|4": "chomp:7/7/4",
    "chomp:4/7": "chomp:7/4",
    "chomp:7^4": "chomp:7/7/7/7",
    "chomp:7^2,4^3": "chomp:7/7/4/4/4",
    "7/7/4": "chomp:7/7/4",
    "chmop:7/7": "chomp:7/7",
    "chomp:9/7/4;misere": "chomp{misere}:9/7/4",
    "chomp:9/7/4;passes=2": "chomp:9/7/4;2",
    # three rows
    "chomp3:4,3,2": "chomp3:[4,3,2]",
    "chomp3:(4,3,2)": "chomp3:[4,3,2]",
    "chomp-3:[4,3,2]": "chomp3:[4,3,2]",
    "chomp3 4 3 2": "chomp3:[4,3,2]",
    "chomp3 x=4, y=3, z=2": "chomp3:[4,3,2]",
    "y=4 x=9 z=2": "chomp3:[9,4,2]",
    "three-row chomp [4,3,2]": "chomp3:[4,3,2]",
    "chomp3:9/7/4": "chomp:9/7/4",
    "chomp3:[4,3,2] with 1 pass": "chomp3:[4,3,2;1]",
    # drawings, the poison at the lower left or the upper left
    "##\n####\n####": "chomp:4/4/2",
    "####\n####\n##": "chomp:4/4/2",
    "oo\nXooo": "chomp:4/2",
    "    2  o o\n    1  X o o o\n       1 2 3 4": "chomp:4/2",
    "chomp:ooo/oo/o": "chomp:3/2/1",
    "□□\n□□□": "chomp:3/2",
    # heaps: separators, brackets, colon
    "nim 3 5 7": "nim:[3,5,7]",
    "3 5 7": "nim:[3,5,7]",
    "nim:3,5,7": "nim:[3,5,7]",
    "nim:[3,5,7": "nim:[3,5,7]",
    "nim:3,5,7]": "nim:[3,5,7]",
    "nim:[3 5 7]": "nim:[3,5,7]",
    "nim:[3;5;7]": "nim:[3,5,7]",
    "nim:{3,5,7}": "nim:[3,5,7]",
    "nim:(3,5,7)": "nim:[3,5,7]",
    "nim(3,5,7)": "nim:[3,5,7]",
    "nim[3,5,7]": "nim:[3,5,7]",
    "nim:[3,5,7,]": "nim:[3,5,7]",
    "nim:3-5-7": "nim:[3,5,7]",
    "Nim:[3,5,7]": "nim:[3,5,7]",
    '"nim:[3,5,7]"': "nim:[3,5,7]",
    "nim：[3，5]": "nim:[3,5]",
    "nimm:[3,5]": "nim:[3,5]",
    # misere play and passes in another place
    "nim:[3,5,7;misere]": "nim{misere}:[3,5,7]",
    "nim:[3,5,7],misere": "nim{misere}:[3,5,7]",
    "nim:[3,5,7] misère": "nim{misere}:[3,5,7]",
    "misere nim 3 5 7": "nim{misere}:[3,5,7]",
    "nim{passes=1}:[3,5,7]": "nim:[3,5,7;1]",
    "nim:[3,5,7;passes=1]": "nim:[3,5,7;1]",
    "nim:[3,5] passes 2": "nim:[3,5;2]",
    "7 x 4 passes: 1": "chomp:7/7/7/7;1",
    "nim:[3,5] with 2 passes": "nim:[3,5;2]",
    "nim 2 passes 3 5": "nim:[3,5;2]",
    "chomp3 with 1 pass 4, 3, 2": "chomp3:[4,3,2;1]",
    "nim{heaps=2}:[3,5]": "nim:[3,5]",
    "nim:[3p,5]": "nim{heappass}:[3p,5]",
    # subtraction games
    "nim{take=1,3,4}:[10]": "nim{take=1+3+4}:[10]",
    "nim{1,2,3}:[10]": "nim{take=1+2+3}:[10]",
    "nim{max:3}:[10]": "nim{max=3}:[10]",
    "nim(max=3):[10]": "nim{max=3}:[10]",
    "subtraction(1,3,4) 10": "nim{take=1+3+4}:[10]",
    "subtraction{1,2}:{7}": "nim{take=1+2}:[7]",
    "subtraction {1,2} <9>": "nim{take=1+2}:[9]",
    # octal games
    "kayles 5": "kayles:[5]",
    "kayles(5)": "kayles:[5]",
    "kayls:[5,7]": "kayles:[5,7]",
    "kayles:5,7": "kayles:[5,7]",
    "dawson's kayles 5": "dawson:[5]",
    "Dawson's chess [5]": "dawsonchess:[5]",
    "octal:0.77:[5]": "octal{code=0.77}:[5]",
    "octal{0.77}:[5]": "octal{code=0.77}:[5]",
    "octal(0.77):[5,7]": "octal{code=0.77}:[5,7]",
    "octal 0.77 5": "octal{code=0.77}:[5]",
    "0.77:[5,7]": "octal{code=0.77}:[5,7]",
    # Wythoff's game
    "wythoff 3 5": "wythoff:[3,5]",
    "wythof:[3,5]": "wythoff:[3,5]",
    "Wythoff's game (3, 5)": "wythoff:[3,5]",
    "wythoff{all}:[3,5,7]": "wythoff{rule=all}:[3,5,7]",
    # divisors
    "divisors 72": "divisors:72",
    "divisor:72": "divisors:72",
    "Schuh 72": "divisors:72",
    "divisors:2^3·3^2": "divisors:2^3*3^2",
    "divisors:2**3*3**2": "divisors:2^3*3^2",
    "divisors:2³×3²": "divisors:2^3*3^2",
    # strips
    "toads:TT_FF": "toads:TT.FF",
    "toads:TT FF": "toads:TT.FF",
    "toads:tt.ff": "toads:TT.FF",
    "TT.FF": "toads:TT.FF",
    ">>.<<": "toads:TT.FF",
    "toads-and-frogs:TT.FF": "toads:TT.FF",
    # ordinals
    "transfinite:4xw^w^2": "transfinite:4xw^(w^2)",
    "transfinite:w^w^w^2x3": "transfinite:w^(w^(w^2))x3",
    "transfinite:2xw*2+1": "transfinite:2x(w*2+1)",
    "transfinite:w+1x3": "transfinite:(w+1)x3",
    "transfinite:4x2w": "transfinite:4x(w*2)",
    "transfinite:4xw^(2)": "transfinite:4xw^2",
    "transfinite:(4,w)": "transfinite:4xw",
    "transfinite:2x(w+1": "transfinite:2x(w+1)",
    "4 x omega": "transfinite:4xw",
    "4×ω²": "transfinite:4xw^2",
    r"\omega^2\times 3": "transfinite:w^2x3",
    "chomp:4xw": "transfinite:4xw",
    "7x4x3": "transfinite:7x4x3",
    # other programs
    "*3+*5+*7": "nim:[3,5,7]",
    "Nim([3,5,7])": "nim:[3,5,7]",
    "game.heap.Nim([3p,5])": "nim{heappass}:[3p,5]",
    "game.heap.Nim(200:4;1)": "nim:[200,4;1]",
    "game.heap.Kayles(5)": "kayles:[5]",
    'game.strip.ToadsAndFrogs("tt.ff")': "toads:TT.FF",
    "nim(pile_sizes=3;5;7,is_misere=False)": "nim:[3,5,7]",
    "nim(pile_sizes=3;5;7,is_misere=True)": "nim{misere}:[3,5,7]",
    # sums
    "nim:[3] + kayles 5": "nim:[3] + kayles:[5]",
    "nim 3 and chomp 4x2": "nim:[3] + chomp:4/4",
    "misere(nim:[3] + chomp:4/2)": "misere{nim:[3] + chomp:4/2}",
}

SEVERAL_MEANINGS = {
    "(3,5)": ("nim:[3,5]", "wythoff:[3,5]"),
    "[4,3,2]": ("nim:[4,3,2]", "chomp3:[4,3,2]", "chomp:4/3/2"),
    "72": ("nim:[72]", "divisors:72"),
    "wythoff:[3,5,7]": (
        "wythoff{rule=pairs}:[3,5,7]",
        "wythoff{rule=all}:[3,5,7]",
        "wythoff{rule=both}:[3,5,7]",
    ),
}

NO_MEANING = [
    "hello",
    "nim",
    "e4 e5",
    "nim:[-3]",
    "",
    "go:19x19 board",
    "?",
    "x",
    "#",
    "+",
    # not clear which side is which, or that there are two sides
    "rows: 5, 3",
    "rows 5 and 3",
    "row 5, row 3",
    "3 rows and 4 rows",
    "4 x 7 rows",
    "5 and 3",
    "*3 + *4 misere",
    "chomp 3 x 4 5",
    # not clear which number belongs to the word or letter
    "7 x 4 passes 1",
    "nim 3 passes 5",
    "x=4 x=3 z=2",
    "chomp3 x=1 2 3",
]


@for_each("text", ONE_MEANING)
def test_the_probable_meaning_is_suggested(text: str) -> None:
    meant = ONE_MEANING[text]
    assert not is_position(text)
    with pytest.raises(PositionOracleError) as caught:
        parse(text)
    message = str(caught.value)
    assert re.search(rf"; did you mean {re.escape(meant)}( \([^()]*\))?\?$", message), message
    assert "\n" not in message
    assert parse(meant)


@pytest.mark.parametrize("text", SEVERAL_MEANINGS)
def test_several_meanings_are_all_suggested(text: str) -> None:
    found = suggestions(text)
    assert tuple(each.text for each in found) == SEVERAL_MEANINGS[text]
    with pytest.raises(PositionOracleError, match=r"did you mean .* or "):
        parse(text)


@pytest.mark.parametrize("text", NO_MEANING)
def test_texts_without_a_meaning_get_no_suggestion(text: str) -> None:
    with pytest.raises(PositionOracleError) as caught:
        parse(text)
    assert "did you mean" not in str(caught.value)


def test_suggestions_distinguish_rows_and_columns() -> None:
    for text in ("7x4", "chomp:7 x 4"):
        with pytest.raises(NotationError, match=r"chomp:7/7/7/7 \(4 rows of 7\)"):
            parse(text)


POSITIONS = [
    "nim:[3,5,7]",
    "nim{misere}:[4,4]",
    "nim:[3,5;2]",
    "wythoff:[8,13]",
    "chomp:9/7/4",
    "chomp3:[4,3,2;1]",
    "kayles:[5,7,11]",
    "dawson:[5]",
    "octal{code=0.137}:[8,9]",
    "nim{max=3}:[10,12]",
    "divisors:2^3*3^2",
    "toads:TT..FF",
    "transfinite:1x(w*3) + 2x(w*2+1)",
]
CHANGES: list[Callable[[str], str]] = [
    str.upper,
    str.title,
    lambda text: text.replace(":", " "),
    lambda text: text.replace(":", " : "),
    lambda text: text.replace("[", "(").replace("]", ")"),
    lambda text: text.replace("[", "").replace("]", ""),
    lambda text: text.replace(",", " "),
    lambda text: text.replace(",", ", ").replace("/", " / "),
    lambda text: f"'{text}'",
    lambda text: f"{text}!",
    lambda text: text.replace("w", "ω").replace("x", "×"),
    lambda text: text[0] + text,
    lambda text: text[:1] + text[2:],
]


@for_each("change", range(len(CHANGES)))
@for_each("text", POSITIONS)
def test_positions_that_were_changed_are_found_again(text: str, change: int) -> None:
    changed = CHANGES[change](text)
    try:
        found = [parse(changed)]
    except PositionOracleError:
        found = [parse(each.text) for each in suggestions(changed)]
    assert not found or parse(text) in found, (changed, list(map(str, found)))


def test_most_changes_are_understood() -> None:
    understood = 0
    for text in POSITIONS:
        for change in CHANGES:
            changed = change(text)
            readable = is_position(changed) or bool(suggestions(changed))
            understood += readable
    assert understood >= 0.85 * len(POSITIONS) * len(CHANGES)


HOSTILE = [
    "{", "[", "(", ")", "1,", "1 ", "w^", "w^w", "(w", "a", "a ", "nim ", "+ nim", "nim:[3] + ",
    "misere(", "#", "#/", "#\n", "o\n", "1x", "1xw+", "1^", "1*", "2^3*", ".", "0.7", "T.F", ">",
    "ω", "×", "²", "\u0300", "９", "rows 1 ", "1 row of", "pass 1", "misere ", "'", "max=1,", "3p,",
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "nim", "chomp:", "transfinite:", "octal{", "divisors:"])
def test_hostile_texts_cost_little(prefix: str) -> None:
    for part in HOSTILE:
        text = (prefix + part * 4096)[:4096]
        for length in (4096, 790):
            reads = partial(suggestions, text[:length])
            assert takes_at_most(0.5, reads), (prefix, part)


def test_texts_at_random_are_refused_or_read_and_nothing_else() -> None:
    chance = random.Random(4)
    signs = "chompnimkaylestransfinite0123456789[](){}:;,/x^*+w .TF#o\n\"'-_=ω×²"
    for _ in range(3_000):
        text = "".join(chance.choice(signs) for _ in range(chance.randrange(40)))
        for each in suggestions(text):
            assert parse(each.text)
            assert len(each.text) <= 300


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("nimm", "nim"),
        ("Chomp3", "chomp3"),
        ("chomp-3{passes=1}", "chomp3{passes=1}"),
        ("kayls", "kayles"),
        ("Wythoff{rule=all}", "wythoff{rule=all}"),
    ],
)
def test_games_whose_name_is_near(text: str, meant: str) -> None:
    with pytest.raises(
        (NotationError, UnknownGameError), match=re.escape(f"did you mean {meant}?")
    ):
        parse_game(text)


def test_unknown_games_name_those_that_can_be_written() -> None:
    with pytest.raises(UnknownGameError, match=r"known are .*kayles") as caught:
        parse_game("go")
    assert "octal_heap_pass" not in str(caught.value)


@pytest.mark.parametrize("text", ["octal", " octal ", "octal{code=9}", "moore{k=0}"])
def test_no_game_is_suggested_that_needs_what_is_missing(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_game(text)
    assert "did you mean" not in str(caught.value)
