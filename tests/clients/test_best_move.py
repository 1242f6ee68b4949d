"""Moves that the client names, in every family: making each move, and finding the best one."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from position_oracle import InvalidQuestionError, OracleClient, Outcome, ServerError, rules
from position_oracle.clients._questions import MAX_EMPTY_PAGES
from position_oracle.clients.bots import (
    Bot,
    GreedyBot,
    PerfectBot,
    RandomBot,
    SloppyBot,
    StubbornBot,
)
from position_oracle.clients.play import play_game
from position_oracle.engine.games.registry import FAMILIES
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import analysis_pb2, game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clients.conftest import Connect
from tests.clients.test_failures import scripted
from tests.engine.games.test_actions import STARTS, positions
from tests.serving import running_server

FEW = 6
MANY = 300


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server without tables. It answers from theorems and searches."""
    settings = replace(
        ServerSettings(),
        address="127.0.0.1:0",
        drain_seconds=1.0,
        deadline_seconds=300.0,  # kernels are compiled when they are first needed
        wait_seconds=300.0,
    )
    with running_server(Oracle(), settings) as port:
        yield port


@pytest.fixture(scope="module")
def client(port: int) -> Iterator[OracleClient]:
    with OracleClient(f"127.0.0.1:{port}", timeout=300) as client:
        yield client


def some(family: str, count: int) -> Iterator[str]:
    """Return `count` positions met in games played at random."""
    found = positions(family)
    for _ in range(count):
        yield str(next(found))


def check_moves(client: OracleClient, text: str) -> int:
    """Make each move of a position by its action, and return the number of moves."""
    analysis = client.analyze(text)
    moves = [each.move for each in analysis.moves or ()][:100]
    moves += analysis.answer.winning_moves or ()
    for move in moves:
        assert move.action is not None
        assert rules.play(text, move.action) == move.position, (text, str(move.action))
        assert rules.play(text, move) == move.position
    return len(moves)


@pytest.mark.parametrize("family", FAMILIES)
def test_actions_lead_to_their_children(client: OracleClient, family: str) -> None:
    assert sum(check_moves(client, text) for text in some(family, FEW)) > FEW


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_actions_of_many_positions(client: OracleClient, family: str) -> None:
    assert sum(check_moves(client, text) for text in some(family, MANY)) > MANY


class BestMoves:
    """A bot that plays `best_move` of the client."""

    name = "best"

    def __init__(self, client: OracleClient) -> None:
        self._client = client

    def choose(self, position: str) -> str:
        move = self._client.best_move(position)
        assert move is not None
        return str(move)


class Soonest:
    """A bot that plays the first move of the best line: it wins as soon as it can.

    A best line of Chomp ends at the poison cookie. Then the bot asks for the best move.
    """

    name = "soonest"

    def __init__(self, client: OracleClient) -> None:
        self._client = client

    def choose(self, position: str) -> str:
        line = self._client.best_line(position, 1).plies
        return str(line[0].move if line else self._client.best_move(position))


def opponents(client: OracleClient) -> list[Bot]:
    return [
        PerfectBot(client),
        StubbornBot(client),
        SloppyBot(PerfectBot(client), 0.3, seed=4),
        RandomBot(5),
        GreedyBot(),
    ]


def check_games(client: OracleClient, text: str, bots: list[Bot]) -> bool:
    """Play a position against bots. Return false if there was nothing to play or to check."""
    best = BestMoves(client)
    analysis = client.analyze(text)
    if rules.is_over(text) or analysis.answer.outcome is Outcome.UNKNOWN:
        return False
    if analysis.answer.outcome is Outcome.N:
        for bot in bots:
            assert play_game(best, bot, text).winner == 0, (text, bot.name)
        return True
    for bot in bots:
        assert play_game(bot, best, text).winner == 1, (text, bot.name)
    plies = analysis.values.remoteness
    if plies is not None and analysis.complete:
        ended = len(play_game(best, Soonest(client), text).moves)
        assert ended >= plies, text
        # Remoteness ends at the poison cookie, one ply before the empty board.
        assert ended <= plies + 1, text
    return True


@pytest.mark.parametrize("family", FAMILIES)
def test_won_games_are_won_and_lost_ones_last(client: OracleClient, family: str) -> None:
    texts = [*STARTS[family], *some(family, 1)]
    bots: list[Bot] = [SloppyBot(PerfectBot(client), 0.3, seed=4), PerfectBot(client)]
    games = [check_games(client, text, bots) for text in texts]
    assert any(games)


BEST = {
    "nim:[3,5,7]": "nim:[2,5,7]",
    "nim:[0,0]": None,
    "chomp:0": None,
    "chomp:1": "chomp:0",
    "nim:[8000,8000]": "nim:[8000,7999]",  # lost, with too many moves to compare
    "nim:[8000,7000]": "nim:[7000,7000]",
    "chomp3:[0,0,2;1]": "chomp3:[0,0,1;1]",
    "transfinite:2xw": "transfinite:1xw + 2x9",  # lost, with infinitely many moves
}


@pytest.mark.parametrize("text", BEST)
def test_best_moves(connect: Connect, port: int, text: str) -> None:
    move = connect(port, timeout=300).best_move(text)
    assert (None if move is None else move.position) == BEST[text]


def test_a_game_that_only_the_server_knows(connect: Connect) -> None:
    child = game_pb2.Position(text="new:2")
    response = pb.GetBestMoveResponse(move=game_pb2.Move(child=child))
    with scripted(response) as (_, port):
        assert str(connect(port).best_move("new:3")) == "new:2"


def test_pages_that_do_not_end_are_an_error(connect: Connect) -> None:
    page = analysis_pb2.AnalyzePositionResponse(next_page_token="again")  # noqa: S106 - no secret
    with scripted(*[page] * 3) as (server, port):
        with pytest.raises(ServerError, match="do not end"):
            connect(port).moves("nim:[3]")
        assert len(server.calls) == 2
    pages = [
        analysis_pb2.AnalyzePositionResponse(next_page_token=str(number))
        for number in range(2 * MAX_EMPTY_PAGES)
    ]
    with scripted(*pages) as (server, port), pytest.raises(ServerError, match="do not end"):
        connect(port).moves("nim:[3]")


@pytest.mark.parametrize("most", [1, 10_001, 50_000])
def test_moves_come_over_several_requests(connect: Connect, port: int, most: int) -> None:
    text = "nim:[7000,6500,300]"
    moves = connect(port, timeout=300).moves(text, most=most)
    assert len(moves) == min(most, 13_800)
    assert moves[0].outcome is Outcome.P
    assert len({each.move.position for each in moves}) == len(moves)
    with pytest.raises(InvalidQuestionError, match="most"):
        connect(port).moves(text, most=0)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_every_bot_is_beaten(client: OracleClient, family: str) -> None:
    bots = opponents(client)
    games = [check_games(client, text, bots) for text in some(family, 40)]
    assert sum(games) >= 5
