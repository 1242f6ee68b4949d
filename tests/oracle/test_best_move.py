"""The move to make where not everything is known: proved wins are kept, losses by rule avoided."""

from collections.abc import Iterator
from itertools import islice
from zlib import crc32

import pytest

from position_oracle.clients import rules
from position_oracle.clients.bots import GreedyBot, HurriedBot, PerfectBot, StubbornBot
from position_oracle.engine.games.choice import best_move, finish, small_move
from position_oracle.engine.games.moves import few_moves, moves, winner
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move
from position_oracle.oracle.analysis import Analysis
from position_oracle.oracle.answers import Answer, Certainty, PositionValues
from position_oracle.oracle.core import Oracle
from position_oracle.schema.answers import Outcome
from tests.engine.games.test_actions import STARTS, positions

LARGE = "chomp:40/39/38/37/36/35/34/33/32/31"
FEW = 25


class Blind(Oracle):
    """Does not know some outcomes, lists no moves and names no winning moves."""

    def __init__(self, part: int) -> None:
        super().__init__()
        self._part = part

    def outcome(self, position: object) -> Answer:
        found = super().outcome(str(position))
        ended = winner(found.position) is not None
        if ended or (crc32(str(found.position).encode()) + self._part) % 2:
            return found
        return Answer(found.position, Outcome.UNKNOWN, Certainty.UNKNOWN, "hidden")

    def winning_moves(self, position: object) -> Answer:
        return self.outcome(position)

    def analyze(self, position: object, *, moves: bool = True) -> Analysis:
        return Analysis(self.outcome(position), PositionValues(), (), complete=False)


def some(family: str) -> Iterator[str]:
    """Positions with few moves, in which the game is not over."""
    found = (str(position) for position in positions(family))
    for text in islice(found, 20 * FEW):
        position = parse(text)
        if winner(position) is None and few_moves(position, 64) is not None:
            yield text


def is_lost_at_once(move: Move) -> bool:
    return rules.winner(str(move.child)) is Outcome.N


def moves_of(text: str) -> list[Move]:
    position = parse(text)
    return list(moves(position))


@pytest.mark.parametrize("family", STARTS)
def test_what_is_known_decides(family: str) -> None:
    asked = 0
    for text in islice(some(family), FEW):
        oracle = Blind(len(text))
        known = {move.child: oracle.outcome(move.child).outcome for move in moves_of(text)}
        made = finish(best_move(text), oracle)
        assert made is not None
        after = known[made.child]
        if all(outcome is Outcome.N for outcome in known.values()):
            continue
        asked += 1
        outcome = oracle.outcome(text).outcome
        assert outcome is Outcome.P or after is not Outcome.N, (text, str(made))
        if outcome is Outcome.N and Outcome.P in known.values():
            assert after is Outcome.P, (text, str(made))
    assert asked


@pytest.mark.parametrize("family", STARTS)
def test_no_bot_loses_by_rule_where_another_move_does_not(family: str) -> None:
    for text in islice(some(family), FEW):
        if all(map(is_lost_at_once, moves_of(text))):
            continue
        oracle = Blind(len(text))
        for bot in (PerfectBot(oracle), HurriedBot(oracle), StubbornBot(oracle), GreedyBot()):
            child = rules.play(text, bot.choose(text))
            assert rules.winner(child) is not Outcome.N, (text, bot.name, child)


def test_a_position_that_nothing_decides() -> None:
    oracle, hidden = Oracle(), "chomp:40/38/38/37/36/35/34/33/32/31"
    assert oracle.outcome(hidden).outcome is Outcome.UNKNOWN
    analysis = oracle.analyze(hidden)
    assert analysis.moves is not None
    assert str(analysis.moves[-1].move) == "chomp:0"
    assert analysis.moves[-1].outcome is Outcome.N
    known = {str(each.move): each.outcome for each in analysis.moves}
    assert known["chomp:40"] is Outcome.N
    made = oracle.best_move(hidden)
    assert known[str(made)] is Outcome.UNKNOWN


def test_a_move_that_is_proved_to_win_is_made() -> None:
    oracle = Oracle()
    analysis = oracle.analyze(LARGE)
    assert analysis.answer.outcome is Outcome.N
    assert "chomp:40/39 wins" in analysis.answer.reason
    assert str(oracle.best_move(LARGE)) == "chomp:40/39"
    assert PerfectBot(oracle).choose(LARGE) == "chomp:40/39"


def test_a_declared_position_is_not_moved_to() -> None:
    """It is won on arrival, by whoever comes to move there."""
    position = parse("chomp3{declared=[1,6,7]}:[1,6,8]")
    made = small_move(position)
    assert made.child.coordinates != (1, 6, 7)


@pytest.mark.parametrize("text", ["chomp:0", "nim:[0,0]", "nim{misere}:[0]", "transfinite:0"])
def test_no_move_where_the_game_is_over(text: str) -> None:
    assert Oracle().best_move(text) is None
