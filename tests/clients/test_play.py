"""Bots: perfect play wins from every N-position, and the referee enforces the rules."""

import asyncio
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle import (
    AsyncOracleClient,
    IllegalMoveError,
    InvalidQuestionError,
    OracleClient,
    OracleClientError,
    Outcome,
    errors,
    play,
    rules,
)
from position_oracle.clients.bots import AsyncPerfectBot, Bot, GreedyBot, PerfectBot, RandomBot
from position_oracle.clients.play import play_game

GAMES = 80


def cookies(text: str) -> int:
    """Return the number of cookies of a board."""
    return sum(rules.read(text).rows or ())


def n_positions(client: OracleClient, seed: int) -> list[str]:
    """Random N-positions of three-row Chomp, of all sizes that the table holds."""
    generator = np.random.default_rng(seed)
    limits = generator.integers(1, 300, (4 * GAMES, 1))
    positions = generator.integers(0, limits, (4 * GAMES, 3))
    outcomes = client.outcomes("chomp3", positions)
    cookies = positions @ (3, 2, 1)
    chosen = positions[(outcomes == Outcome.N) & (cookies > 1)][:GAMES]
    return [f"chomp3:[{x},{y},{z}]" for x, y, z in chosen]


@pytest.mark.parametrize("opponent", [RandomBot(7), GreedyBot()], ids=lambda bot: bot.name)
def test_the_perfect_bot_wins_every_game_from_an_n_position(
    client: OracleClient, opponent: Bot
) -> None:
    perfect = PerfectBot(client)
    records = [play_game(perfect, opponent, start) for start in n_positions(client, 3)]
    assert len(records) == GAMES
    assert sum(record.winner == 0 for record in records) == GAMES


def test_the_perfect_bot_wins_with_a_pass_in_the_game(client: OracleClient) -> None:
    perfect, opponent, generator = PerfectBot(client), RandomBot(11), random.Random(5)
    texts = [
        f"chomp3:[{generator.randrange(300)},{generator.randrange(99)},1;1]" for _ in range(30)
    ]
    starts = [text for text in texts if client.outcome(text).outcome is Outcome.N]
    assert len(starts) > 10
    assert all(play_game(perfect, opponent, start).winner == 0 for start in starts)


def test_the_perfect_bot_wins_from_p_positions_as_second_player(client: OracleClient) -> None:
    start = client.winning_moves("chomp3:[300,0,0]").winning_moves
    assert start
    assert play_game(RandomBot(3), PerfectBot(client), start[0].position).winner == 1


def test_the_perfect_bot_plays_on_where_nothing_wins(client: OracleClient) -> None:
    (losing,) = client.winning_moves("chomp3:[200,0,0]").winning_moves or ()
    after = PerfectBot(client).choose(losing.position)
    assert cookies(after) == cookies(losing.position) - 1


def test_a_record_can_be_replayed(client: OracleClient) -> None:
    record = play_game(RandomBot(1), PerfectBot(client), "chomp3:[40, 3, 2]")
    board = record.start
    for move in record.moves:
        board = rules.play(board, move)
    assert record.start == "chomp3:[40,3,2]"
    assert record.players == ("random", "perfect")
    assert rules.is_over(board)
    assert record.winner == len(record.moves) % 2


def test_the_seed_decides_what_the_random_bot_does() -> None:
    def game(seed: int) -> tuple[str, ...]:
        return play_game(RandomBot(seed), GreedyBot(), "chomp3:[50,50,50]").moves

    assert game(1) == game(1)
    assert len({game(seed) for seed in range(20)}) > 10


def test_bots_can_play_on_boards_beyond_counting() -> None:
    start = f"chomp3:[{2**61},{2**61},{2**61}]"
    assert cookies(rules.play(start, RandomBot(1).choose(start))) < 6 * 2**61
    assert rules.read(GreedyBot().choose(start)).rows == (1, 1, 1)


small = st.integers(0, 4)
texts = st.one_of(
    st.builds("chomp3:[{},{},{}]".format, small, small, small),
    st.builds("chomp3:[{},{},{};{}]".format, small, small, small, st.integers(1, 2)),
    st.lists(st.integers(1, 5), min_size=1, max_size=5).map(
        lambda rows: "chomp:" + "/".join(map(str, sorted(rows, reverse=True)))
    ),
)


@given(text=texts)
def test_the_greedy_bot_takes_the_most_without_the_poison(text: str) -> None:
    if not rules.is_over(text):
        left = cookies(GreedyBot().choose(text))
        bites = [cookies(move.child) for move in rules.legal_moves(text) if not move.is_pass]
        assert left == min(filter(None, bites), default=0)


@pytest.mark.parametrize("move", ["pass", "chomp3:[4,3,2]", "chomp3:[5,0,0]", "chomp3:[0,0,9]"])
def test_a_bot_that_cheats_is_caught(move: str) -> None:
    class Cheat:
        name = "cheat"

        def choose(self, position: str) -> str:
            return move if position == "chomp3:[4,3,2]" else GreedyBot().choose(position)

    legal = move == "chomp3:[0,0,9]"
    if legal:
        assert play_game(Cheat(), GreedyBot(), "chomp3:[4,3,2]").winner in {0, 1}
    else:
        with pytest.raises(IllegalMoveError):
            play_game(Cheat(), GreedyBot(), "chomp3:[4,3,2]")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "chomp3:[1,2]",
        "chomp3:[-1,0,0]",
        "chomp3:[NaN,0,0]",
        "chomp:1/2",
        "chomp3:[" + "9" * 99 + ",0,0]",
        "chomp:" + "/".join(["1"] * 10_001),
        f"chomp3:[{2**62},{2**62},0]",
    ],
)
def test_invalid_boards_are_refused(text: str) -> None:
    with pytest.raises(InvalidQuestionError):
        play_game(GreedyBot(), GreedyBot(), text)


def test_a_game_cannot_begin_with_the_empty_board() -> None:
    with pytest.raises(InvalidQuestionError, match="nothing to play"):
        play_game(GreedyBot(), GreedyBot(), "chomp3:[0,0,0]")


def test_board_text_is_canonical() -> None:
    assert rules.canonical("chomp: 9/7/4/0") == "chomp:9/7/4"
    assert rules.canonical("chomp:0") == "chomp:0"


def test_games_that_nobody_can_wait_for_are_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "MAX_PLIES", 50)
    short = play_game(RandomBot(1), RandomBot(2), "nim{max=3}:[50]")
    assert len(short.moves) <= 50
    with pytest.raises(InvalidQuestionError, match="lasts longer than 50 plies"):
        play_game(RandomBot(1), RandomBot(2), f"nim{{max=3}}:[{2**62}]")


class Failing:
    """A bot that plays like another one, but fails at some moves as if its server had gone."""

    def __init__(self, bot: Bot, fails_at: set[int]) -> None:
        self.name = bot.name
        self._bot = bot
        self._fails_at = fails_at
        self.asked = 0

    def choose(self, position: str) -> Any:
        self.asked += 1
        if self.asked in self._fails_at:
            raise errors.ServerUnavailableError("gone")
        return self._bot.choose(position)


def test_a_game_that_is_broken_off_is_played_on_from_its_record() -> None:
    whole = play_game(GreedyBot(), RandomBot(4), "kayles:[9,8]")
    first = Failing(GreedyBot(), {2, 4})
    broken = play_game(first, RandomBot(4), "kayles:[9,8]")
    assert isinstance(broken.error, errors.ServerUnavailableError)
    assert (len(broken.moves), broken.winner) == (2, None)
    assert whole.error is None
    again = play_game(first, RandomBot(4), broken)
    assert len(again.moves) == 4
    assert again.moves[:2] == broken.moves
    ended = play_game(first, RandomBot(4), again)
    assert ended.winner in {0, 1}
    assert (ended.start, ended.players) == (broken.start, broken.players)
    assert play_game(first, RandomBot(4), ended) == ended


@pytest.mark.parametrize("kind", ["text", "Move", "Action"])
def test_bots_answer_with_texts_moves_or_actions(kind: str) -> None:
    class First:
        name = "first"

        def choose(self, position: str) -> Any:
            move = next(rules.legal_moves(position))
            return {"text": str(move), "Move": move, "Action": move.action}[kind]

    start = rules.read("nim:[2,1] + kayles:[3]")
    record = play_game(First(), First(), start)
    texts = play_game(First(), First(), "nim:[2,1] + kayles:[3]")
    assert record == texts
    assert record.winner is not None


def test_an_invalid_move_is_refused() -> None:
    class Silent:
        name = "silent"

        def choose(self, position: str) -> Any:
            return None

    with pytest.raises(OracleClientError, match="NoneType"):
        play_game(Silent(), Silent(), "nim:[2]")


def test_games_for_asyncio(port: int) -> None:
    async def games() -> list[play.GameRecord]:
        async with AsyncOracleClient(f"127.0.0.1:{port}") as oracle:
            perfect = AsyncPerfectBot(oracle)
            starts = ["nim:[3,5,7]", "chomp:4/4/4", "kayles:[9]"]
            return await asyncio.gather(
                *(play.play_game_async(perfect, RandomBot(2), start) for start in starts)
            )

    assert [record.winner for record in asyncio.run(games())] == [0, 0, 0]


def test_an_asynchronous_game_is_broken_off_and_played_on() -> None:
    async def both() -> tuple[play.GameRecord, play.GameRecord]:
        first = Failing(GreedyBot(), {2})
        broken = await play.play_game_async(first, RandomBot(1), "nim:[9,8]")
        return broken, await play.play_game_async(first, RandomBot(1), broken)

    broken, ended = asyncio.run(both())
    assert (len(broken.moves), broken.winner) == (2, None)
    assert ended.moves[:2] == broken.moves
    assert ended.winner in {0, 1}
