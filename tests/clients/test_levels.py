"""Levels of bots, and records of games: written, read, annotated."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle import (
    IllegalMoveError,
    InvalidQuestionError,
    Oracle,
    OracleClient,
    Outcome,
    errors,
)
from position_oracle.clients import _questions
from position_oracle.clients.annotate import annotate
from position_oracle.clients.bots import GreedyBot, PerfectBot, RandomBot, SloppyBot, bot_of
from position_oracle.clients.play import Game, GameRecord, play_game
from position_oracle.clients.record import format_record, parse_record

GREEDY = {
    "nim:[3,3]": "nim:[0,3]",  # of equally good moves, the first in the order of the rules
    "nim:[1,3,3]": "nim:[1,0,3]",
    "nim{max=2}:[5,5]": "nim{max=2}:[3,5]",
    "wythoff:[4,4]": "wythoff:[0,0]",
    "chomp:2/2": "chomp:1/1",  # leaves as many cookies as chomp:2
    "chomp3:[0,0,2;1]": "chomp3:[0,0,1;1]",
    "nim:[2;1]": "nim:[0;1]",
    "staircase:[0,2,2]": "staircase:[2,0,2]",
    "partition{parts=3}:[4,9]": "partition{parts=3}:[2,9]",
    "divisors:2*3": "divisors:3",
    "octal{code=0.77,heappass}:[6,6p,6p]": "octal{code=0.77,heappass}:[4,6p,6p]",
    "euclid{misere}:[1,2]": "euclid{misere}:[1,1]",  # does not lose at once
    "moore{k=2,misere}:[1,0,1]": "moore{k=2,misere}:[0,0,1]",
    "octal{code=4.[3],misere}:[6]": "octal{code=4.[3],misere}:[1]",
    "nim{allbut=1+2,misere}:[8]": "nim{allbut=1+2,misere}:[3]",
    "transfinite:2xw": "transfinite:2x1",
    "transfinite:(w*2)xw": "transfinite:(w*2)x1",
    "transfinite:500x(w+1) + (w*2)x3": "transfinite:(w*2)x1",
    "transfinite:1xw": "transfinite:1x1",
    "transfinite:500xw": "transfinite:500x1",
    "transfinite:wxwx2": "transfinite:wx1x2",
    "transfinite{misere}:2xw": "transfinite{misere}:0",
    "fibonacci:[10946]": "fibonacci:[1,1]",  # too many moves to list
}
"""The moves of a greedy bot in positions where several moves take the most."""

NAMES = st.text(st.characters(exclude_characters="\n\r", codec="utf-8"), max_size=8)
STARTS = ("chomp3:[4,3,2]", "chomp:5/5/3/2", "chomp3:[9,0,0]", "chomp:6/6/6/6")


@pytest.mark.parametrize("start", STARTS)
def test_the_perfect_bot_takes_as_long_as_the_remoteness_says(
    client: OracleClient, start: str
) -> None:
    plies = client.analyze(start).values.remoteness
    assert plies is not None
    perfect = PerfectBot(client)
    record = play_game(perfect, perfect, start)
    assert len(record.moves) == plies + 1  # and then the bite of the poison
    assert record.winner == 0


@pytest.mark.parametrize("start", STARTS)
def test_nobody_holds_out_longer_than_the_remoteness(client: OracleClient, start: str) -> None:
    plies = client.analyze(start).values.remoteness
    assert plies is not None
    for opponent in (RandomBot(1), GreedyBot()):
        record = play_game(PerfectBot(client), opponent, start)
        assert record.winner == 0
        assert len(record.moves) <= plies + 1


def test_the_perfect_bot_plays_on_where_remoteness_is_not_known(client: OracleClient) -> None:
    assert PerfectBot(client).choose("chomp3:[300,0,0]") == "chomp3:[211,89,0]"


def test_the_sloppy_bot_errs_as_often_as_it_should(client: OracleClient) -> None:
    start, right = "chomp3:[9,0,0]", PerfectBot(client).choose("chomp3:[9,0,0]")

    def rightly(epsilon: float) -> int:
        bot = SloppyBot(PerfectBot(client), epsilon, seed=4)
        return sum(bot.choose(start) == right for _ in range(200))

    assert rightly(0) == 200
    assert rightly(1) < 40
    assert 70 < rightly(0.5) < 140
    assert SloppyBot(GreedyBot(), 0.25, 1).name == "sloppy(0.25)"


@pytest.mark.parametrize("start", GREEDY)
def test_of_moves_that_take_as_much_the_greedy_bot_makes_the_first(start: str) -> None:
    assert str(GreedyBot().choose(start)) == GREEDY[start]


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, float("nan")])
def test_epsilon_is_a_probability(epsilon: float) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="is not a probability"):
        SloppyBot(GreedyBot(), epsilon, 1)


WRONG: Any = "3"


def test_arguments_of_bots_and_records_are_refused_with_their_value() -> None:
    assert RandomBot(np.int64(3)).choose("nim:[1]") == "nim:[0]"  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="no bot of level 'best'"):
        bot_of("best", Oracle())
    with pytest.raises(errors.ClientTypeError, match="seed is '3', a str"):
        RandomBot(WRONG)
    with pytest.raises(errors.ClientTypeError, match="epsilon is '3'"):
        SloppyBot(GreedyBot(), WRONG, 1)
    with pytest.raises(errors.ClientTypeError, match="record is a NoneType"):
        parse_record(None)  # type: ignore[arg-type]
    with pytest.raises(InvalidQuestionError, match="a tag twice"):
        parse_record('[Start "nim:[1]"]\n[Start "nim:[2]"]\n\n*\n')
    with pytest.raises(errors.ClientTypeError, match=r"most is 1\.5"):
        _questions.moves("nim:[3]", 1.5)  # type: ignore[arg-type]
    asked: Any = next(_questions.moves("nim:[3]", True)).request
    assert asked.page_size == 1


@given(
    start=st.sampled_from([*STARTS, "chomp3:[3,2,2;2]", "chomp:1"]),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 40),
    names=st.tuples(NAMES, NAMES),
)
def test_records_round_trip(start: str, seed: int, cut: int, names: tuple[str, str]) -> None:
    game, bot = Game(start, names), RandomBot(seed)
    while not game.is_over and len(game.record().moves) < cut:
        game.play(bot.choose(game.position))
    record = game.record()
    assert parse_record(format_record(record)) == record
    comments = [f'move {number}: [a] 1-0 "b"' for number in range(len(record.moves))]
    assert parse_record(format_record(record, comments)) == record
    assert (record.winner is None) == bool(parse_record(format_record(record)).winner is None)


def test_the_text_of_a_record() -> None:
    game = Game("chomp:3/1", ("you", "greedy"))
    game.play("chomp:2/1")
    game.play("chomp:1/1")
    game.play("chomp:1")
    assert format_record(game.record(), ["well"]) == (
        '[Start "chomp:3/1"]\n[First "you"]\n[Second "greedy"]\n[Result "*"]\n\n'
        "1. chomp:2/1 {well} chomp:1/1\n2. chomp:1\n*\n"
    )


def test_undo() -> None:
    game = Game("chomp:3/1", ("a", "b"))
    game.play("chomp:2/1")
    assert not game.undo(2)
    assert game.position == "chomp:2/1"
    assert game.undo(1)
    assert game.position == "chomp:3/1"
    assert game.to_move == 0


TAGS = '[Start "chomp:3/1"]\n[First "a"]\n[Second "b"]\n[Result "{}"]\n\n'


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("", InvalidQuestionError, "no tag Start"),
        (TAGS.format("1-0") + "1. chomp:2/1\n*", InvalidQuestionError, "the result"),
        (TAGS.format("*") + "1. chomp:3/1\n*", IllegalMoveError, "is not a move"),
        (TAGS.format("*") + "1. nonsense\n*", IllegalMoveError, "is not a move"),
        (TAGS.format("0-1") + "1. chomp:0 chomp:0", IllegalMoveError, "over"),
        (TAGS.format("*").replace("chomp:3/1", "nim:3x"), InvalidQuestionError, "not a position"),
    ],
)
def test_bad_records_are_refused(text: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        parse_record(text)


def test_comments_may_not_break_the_record() -> None:
    record = Game("chomp:3/1", ("a", "b")).record()
    with pytest.raises(ValueError, match="braces"):
        format_record(record, ["} 1-0"])


def test_annotations_tell_wins_from_mistakes(client: OracleClient) -> None:
    record = play_game(RandomBot(5), GreedyBot(), "chomp:5/5/3/2")
    said = annotate(record, client)
    assert len(said) == len(record.moves)
    position = record.start
    for move, comment in zip(record.moves, said, strict=True):
        won = client.outcome(position).outcome is Outcome.N
        keeps = client.outcome(move).outcome is Outcome.P
        expected = "wins" if keeps else "a mistake" if won else "loses, as every move"
        assert comment.startswith(expected), (position, move, comment)
        position = move
    assert parse_record(format_record(record, said)) == record


def test_a_move_that_loses_where_others_are_not_known() -> None:
    record = GameRecord("chomp3:[100000,3,4]", ("a", "b"), ("chomp3:[0,100003,4]",), None)
    assert annotate(record, Oracle()) == ["loses"]
