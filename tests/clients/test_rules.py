"""The public rules: legal moves, play, the end of a game, drawing; and bots that play by them."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from position_oracle import IllegalMoveError, InvalidQuestionError, Outcome, rules
from position_oracle.clients.bots import LEVELS, bot_of
from position_oracle.clients.play import play_game
from position_oracle.engine.games import actions
from position_oracle.engine.games.moves import few_moves, options, ways
from position_oracle.engine.games.moves import moves as moves_of
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answerer import Answerer
from position_oracle.schema.moves import Action, Bite, HeapChange
from tests.clock import cpu_seconds
from tests.each import for_each
from tests.engine.games.test_actions import STARTS

STARTS_OF = {family: starts for family, starts in STARTS.items() if family != "divisors"} | {
    "divisors": [start for start in STARTS["divisors"] if "80" not in start],
    "infinite": ["transfinite:2xw", "transfinite:1x(w*2) + 2xw + 3x4", "transfinite:w^2"],
}


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def starts(family: str, number: int) -> Iterator[str]:
    """Positions of a family to begin games with, a few random moves after its usual starts."""
    chance = random.Random(family)
    for index in range(number):
        text = STARTS_OF[family][index % len(STARTS_OF[family])]
        for _ in range(chance.randrange(3)):
            after = rules.play(text, rules.random_move(text, chance))
            text = text if rules.is_over(after) else after
        yield text


def played(oracle: Answerer, family: str, level: str, games: int) -> None:
    """Play games of a bot of this level against random bots. The referee refuses illegal moves."""
    finished = 0
    for number, start in enumerate(starts(family, games)):
        bot, other = bot_of(level, oracle, number), bot_of("random", oracle, -number)
        is_first = number % 2 == 0
        record = play_game(*((bot, other) if is_first else (other, bot)), start)
        finished += record.winner is not None
        if level in {"perfect", "stubborn"}:
            asked = range(0 if is_first else 1, len(record.moves), 2)
            texts = _positions(record.start, record.moves)
            won = [oracle.outcome(texts[i]).outcome is Outcome.N for i in asked]
            mine = 0 if is_first else 1
            assert not any(won) or record.winner == mine, (level, texts)
    assert finished == games


def _positions(start: str, moves: tuple[str, ...]) -> list[str]:
    texts = [start]
    for move in moves:
        texts.append(rules.play(texts[-1], move))
    return texts


@for_each("level", LEVELS)
@pytest.mark.parametrize("family", STARTS_OF)
def test_bots_play_to_the_end_without_an_illegal_move(
    oracle: Oracle, family: str, level: str
) -> None:
    played(oracle, family, level, 4)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", STARTS_OF)
def test_300_games_of_each_level_in_each_family(oracle: Oracle, family: str, level: str) -> None:
    played(oracle, family, level, 300)


@pytest.mark.parametrize("family", STARTS)
def test_moves_are_those_of_the_engine_each_with_its_action(family: str) -> None:
    for text in starts(family, 8) if family in STARTS_OF else ():
        position = parse(text)
        expected = [str(move) for move in moves_of(position)]
        moves = list(rules.legal_moves(text))
        assert [str(move) for move in moves] == expected
        for move in moves[:40]:
            assert move.action is not None
            assert rules.play(text, move.action) == move.child
            assert rules.play(text, move) == move.child
            assert rules.play(text, move.action.words) == move.child
            assert rules.move_of(text, move.child).action == move.action


@pytest.mark.parametrize("family", STARTS_OF)
def test_what_is_typed_is_the_move_that_it_says(family: str) -> None:
    for text in starts(family, 6):
        position = parse(text)
        for move in (few_moves(position, 100_000) or ())[:60]:
            for typed in map(actions.typed, ways(position, move.child)):
                assert rules.play(text, typed) == str(move.child), (text, typed)
                assert rules.play(text, typed.replace(" ", ",")) == str(move.child)


@pytest.mark.parametrize("family", STARTS_OF)
def test_every_kind_of_move_that_help_names_can_be_typed(family: str) -> None:
    for text in STARTS_OF[family][:1]:
        lines = rules.how_to_move(text)
        assert lines
        assert all(form and meaning for form, meaning in lines)


@pytest.mark.parametrize("family", STARTS_OF)
def test_random_moves_reach_every_move(family: str) -> None:
    text = next(iter(starts(family, 1)))
    if family == "infinite":
        return
    chance = random.Random(3)
    moves = {str(move) for move in rules.legal_moves(text)}
    seen = {rules.random_move(text, chance) for _ in range(40 * len(moves))}
    assert seen == moves


@pytest.mark.parametrize(
    "text",
    [
        "chomp:3/2/1",
        "chomp3:[1,1,2;1]",
        "nim:[2,2;1]",
        "wythoff:[2,3]",
        "wythoff:[2,2;1]",
        "wythoff{misere}:[2,2]",
        "kayles:[1,4,4]",
        "divisors:12",
    ],
)
def test_actions_at_random_are_equally_likely(text: str) -> None:
    chance, each, position = random.Random(5), 400, parse(text)
    actions = Counter(
        "pass" if child.game != position.game else str(child) for _, child in options(position)
    )
    drawn = Counter(rules.random_move(text, chance) for _ in range(each * actions.total()))
    assert drawn.keys() == actions.keys()
    for move, number in actions.items():
        assert abs(drawn[move] - number * each) < 5 * (number * each) ** 0.5, (move, drawn)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("chomp:0", Outcome.N),
        ("chomp:1", None),
        ("chomp{misere}:0", Outcome.P),
        ("chomp3:[0,0,0]", Outcome.N),
        ("chomp3{declared=[1,1,1]}:[1,1,1]", Outcome.N),
        ("nim:[0,0]", Outcome.P),
        ("nim{misere}:[0]", Outcome.N),
        ("nim:[0,0;1]", Outcome.P),
        ("divisors:0", Outcome.N),
        ("divisors{misere}:0", Outcome.P),
        ("kayles:[]", Outcome.P),
        ("dawson:[1,1]", Outcome.P),
        ("octal{code=0.07,misere}:[1]", Outcome.N),
        ("toads:FF.TT", Outcome.P),
        ("toads:TF.", None),
        ("transfinite:0", Outcome.N),
        ("transfinite:wxw", None),
        ("nim:[0] + chomp:1", Outcome.P),
        ("misere{nim:[0] + chomp:0}", Outcome.N),
        ("misere{nim:[0] + chomp:1}", None),
    ],
)
def test_who_has_won(text: str, outcome: Outcome | None) -> None:
    assert rules.winner(text) is outcome
    assert rules.is_over(text) is (outcome is not None)
    if outcome is not None:
        with pytest.raises(InvalidQuestionError, match="over"):
            rules.random_move(text, random.Random(1))


def test_what_a_position_says() -> None:
    state = rules.read(" chomp3: [ 4,3,2 ; 1 ] ")
    assert state.text == "chomp3:[4,3,2;1]"
    assert (state.game, state.family, state.passes) == ("chomp3{passes=1}", "chomp3", 1)
    assert (state.coordinates, state.rows) == ((4, 3, 2), (9, 7, 4))
    parts = rules.read("nim:[3,5] + toads:T.F").components
    assert [part.text for part in parts] == ["nim:[3,5]", "toads:T.F"]
    assert rules.read("kayles:[5]").family == "octal"
    assert rules.canonical("kayles:[5,2]") == "octal{code=0.77}:[2,5]"


def test_boards_are_drawn() -> None:
    assert rules.draw("chomp:3/1", tuple(rules.legal_moves("chomp:3/1"))[2:3]) == (
        "    2  o\n    1  X o *\n       1 2 3"
    )
    assert rules.draw("nim:[3,1]") == "    1  o o o\n    2  o"
    assert rules.draw("transfinite:wxw") == ""


@pytest.mark.parametrize(
    ("text", "move", "reason"),
    [
        ("chomp:3/1", "5 1", "no such cookie"),
        ("chomp:3/1", "chomp:3/1", "is not a move"),
        ("chomp:3/1", "pass", "no pass here"),
        ("chomp:3/1", "nim:[3]", "is not a move"),
        ("chomp:3/1", "nonsense", "is not a move"),
        ("chomp:3/1", "", "is not a move"),
        ("nim:[3,1]", "1 4", "not as many tokens"),
        ("nim:[3,1]", "1+2 1", "one heap"),
        ("toads:T.F", "1 3", "is not a move"),
        ("nim:[3] + nim:[2]", "3: 1 1", "is not a move"),
        ("nim:[3] + chomp:2", "2: 1 1", "poison"),
        ("transfinite:wxw", "(w,w)", "no cookie"),
        ("transfinite:wxw", "(w^,1)", "is not a move"),
        ("chomp:0", "1 1", "over"),
        (f"kayles:[{'1,' * 63}5]", f"kayles:[{'1,' * 63}2,2]", "at most 64"),
    ],
)
def test_illegal_moves_are_refused_with_the_reason(text: str, move: str, reason: str) -> None:
    with pytest.raises(IllegalMoveError, match=reason):
        rules.play(text, move)


@pytest.mark.parametrize("text", ["", "go:19x19", "nim:[", "x" * 10_000, "nim:[1]\n"])
def test_invalid_positions_are_refused(text: str) -> None:
    ask = [rules.canonical, rules.is_over, rules.winner, rules.draw, rules.read]
    for question in ask:
        if text == "nim:[1]\n":
            question(text)
            continue
        with pytest.raises(InvalidQuestionError):
            question(text)


def test_too_many_moves_are_an_error_and_not_a_short_list() -> None:
    assert len(list(rules.legal_moves("nim:[30]", most=30))) == 30
    with pytest.raises(InvalidQuestionError, match="more than 29 moves"):
        list(rules.legal_moves("nim:[30]", most=29))
    with pytest.raises(InvalidQuestionError, match="infinitely many"):
        list(rules.legal_moves("transfinite:wxw"))


def test_large_positions_are_played_without_listing_moves() -> None:
    huge = 2**61
    assert rules.play(f"nim:[{huge}]", Action(taking=(HeapChange(1, huge - 1),))) == "nim:[1]"
    assert rules.play(f"chomp:{huge}/{huge}", Action(bite=Bite(2, 2))) == f"chomp:{huge}/1"
    for text in (f"nim:[{huge},5]", f"chomp:{huge}/{huge}", f"nim{{max={huge}}}:[{huge}]"):
        for move in (rules.small_move(text), rules.greedy_move(text)):
            assert rules.play(text, move)
        rules.play(text, rules.random_move(text, random.Random(2)))


def test_the_rules_start_without_a_compiler_a_database_or_grpc() -> None:
    code = (
        "import sys; from position_oracle import rules as r; r.play('chomp:4/4', '2 3');"
        "assert not {'numba', 'duckdb', 'pyarrow', 'typer'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_random_moves_of_many_primes_are_drawn_in_time() -> None:
    many = "divisors:" + "*".join(map(str, (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)))
    assert cpu_seconds(lambda: rules.random_move(many, random.Random(1))) < 2
    drawn = {rules.random_move("divisors:30;1", random.Random(seed)) for seed in range(200)}
    assert drawn == {str(move) for move in rules.legal_moves("divisors:30;1")}
