"""Best moves with incomplete knowledge: proved wins are kept, and losses by rule avoided."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from typing import cast
from zlib import crc32

import pytest

from position_oracle.clients import rules
from position_oracle.clients.bots import GreedyBot, PerfectBot, StubbornBot
from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.choice import small_move
from position_oracle.engine.games.moves import few_moves, is_over, moves, outcome_at_end, winner
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move, Position
from position_oracle.oracle.analysis import Analysis, plan_analysis
from position_oracle.oracle.answers import Answer, Certainty, PositionValues
from position_oracle.oracle.best_move import plan_best_move
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.sources import NOT_ALL
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.answers import Outcome
from position_oracle.schema.positions import PositionLike
from tests.engine.games.test_actions import STARTS, positions

LARGE = "chomp:40/39/38/37/36/35/34/33/32/31"
FEW = 15


class Blind:
    """A prober that does not know some outcomes, and no winning moves and values.

    Its answers cost nothing, so that every move can be asked about.
    """

    def __init__(self, prober: Prober, part: int) -> None:
        self._prober = prober
        self._part = part

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        found = self._prober.plan(position, with_moves=False)
        ended = winner(position) is not None
        if ended or (crc32(str(position).encode()) + self._part) % 2:
            return Plan(Cost(), found.run, is_sure=False)
        hidden = Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, "hidden")
        return Plan(Cost(), lambda: hidden, is_sure=False)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[None]:
        return Plan(Cost(), lambda: None)

    def outcome(self, position: Position) -> Outcome:
        return self.plan(position, with_moves=False).run().outcome

    def best_move(self, text: str) -> Move | None:
        return plan_best_move(cast("Prober", self), parse(text)).run()


class BlindOracle(Oracle):
    """An oracle whose probers are `Blind`."""

    def _blind(self, position: PositionLike) -> Blind:
        return Blind(self.prober(parse(str(position)).game), 0)

    def best_move(self, position: PositionLike) -> Move | None:
        return self._blind(position).best_move(str(position))

    def outcome(self, position: PositionLike) -> Answer:
        return self._blind(position).plan(parse(str(position)), with_moves=False).run()

    def winning_moves(self, position: PositionLike) -> Answer:
        return self.outcome(position)

    def analyze(self, position: PositionLike, *, moves: bool = True) -> Analysis:
        return Analysis(self.outcome(position), PositionValues(), (), complete=False)


def some(family: str) -> Iterator[str]:
    """Positions with few moves in which the game is not over."""
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
        oracle = Blind(Oracle().prober(parse(text).game), len(text))
        known = {move.child: oracle.outcome(move.child) for move in moves_of(text)}
        made = oracle.best_move(text)
        assert made is not None
        after = known[made.child]
        if all(outcome is Outcome.N for outcome in known.values()):
            continue
        asked += 1
        outcome = oracle.outcome(parse(text))
        assert outcome is Outcome.P or after is not Outcome.N, (text, str(made))
        if outcome is Outcome.N and Outcome.P in known.values():
            assert after is Outcome.P, (text, str(made))
    assert asked


@pytest.mark.parametrize("family", STARTS)
def test_no_bot_loses_by_rule_where_another_move_does_not(family: str) -> None:
    for text in islice(some(family), FEW):
        if all(map(is_lost_at_once, moves_of(text))):
            continue
        oracle = BlindOracle()
        for bot in (PerfectBot(oracle), StubbornBot(oracle), GreedyBot()):
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


class Costly:
    """A prober whose outcomes all take some time; it notes those that it was asked for."""

    seconds = 0.3

    def __init__(self, answer: Answer) -> None:
        self._answer, self.asked = answer, list[Position]()

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        def run() -> Answer:
            self.asked.append(position)
            if position == self._answer.position:
                return self._answer
            return Answer(position, Outcome.N, Certainty.EXACT_SEARCH, "")

        return Plan(Cost(self.seconds), run, is_sure=False)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[None]:
        return Plan(Cost(), lambda: None)


@pytest.mark.parametrize(
    ("plan", "outcome", "wins"),
    [
        (plan_best_move, Outcome.UNKNOWN, None),
        (plan_best_move, Outcome.N, None),
        (partial(plan_analysis, with_moves=True), Outcome.N, 1),
    ],
)
def test_asking_for_outcomes_one_by_one_takes_no_longer_than_planned(
    plan: Callable[..., Plan[object]], outcome: Outcome, wins: int | None
) -> None:
    position = parse("chomp:19/18/17/16/15/14/13/12/11/10")
    named = None if wins is None else tuple(islice(moves(position), wins))
    prober = Costly(Answer(position, outcome, Certainty.EXACT_SEARCH, NOT_ALL, named))
    planned = plan(cast("Prober", prober), position)
    planned.run()
    assert 1 < len(prober.asked) <= planned.cost.seconds / Costly.seconds


def test_a_declared_position_is_not_moved_to() -> None:
    """The player who comes to move at a declared position has won."""
    position = parse("chomp3{declared=[1,6,7]}:[1,6,8]")
    made = small_move(position)
    assert made.child.coordinates != (1, 6, 7)


SMALL = {
    "nim:[3,3]": "nim:[3,2]",
    "nim:[1,3,3]": "nim:[1,3,2]",
    "nim:[2;1]": "nim:[1;1]",  # a pass takes least of all, and comes last
    "wythoff:[4,4]": "wythoff:[4,3]",
    "moore{k=2}:[3,3,3]": "moore{k=2}:[3,3,2]",
    "chomp:3/3/1": "chomp:3/3",
    "endnim:[2,3,2]": "endnim:[2,3,1]",
    "circular{k=1}:[300,5,5,5,5]": "circular{k=1}:[300,5,5,5,4]",
    "nim{heappass}:[1p,6]": "nim{heappass}:[1p,5]",  # a pass of a heap comes last, too
    "wythoff:[2,2;1] + nim:[2]": "wythoff:[2,2;1] + nim:[1]",
}
"""The moves that take least in positions in which several do."""


def test_of_moves_that_take_as_little_the_last_is_made() -> None:
    assert {text: rules.small_move(text) for text in SMALL} == SMALL


def test_some_moves_of_many_have_large_and_small_ones_and_the_pass() -> None:
    found = rules.some_moves("circular{k=1}:[300,5,5,5,5;1]", 64)
    assert len(found) == 64
    heaps = ("[0,5,5,5,5;1]", "[299,5,5,5,5;1]", "[300,0,5,5,5;1]", "[300,5,5,5,4;1]")
    assert {f"circular{{k=1}}:{each}" for each in heaps} | {"pass"} <= set(found)


@pytest.mark.parametrize("text", ["chomp:0", "nim:[0,0]", "nim{misere}:[0]", "transfinite:0"])
def test_no_move_where_the_game_is_over(text: str) -> None:
    assert Oracle().best_move(text) is None


@cache
def brute_force(position: Position) -> tuple[bool, int]:
    """Return whether the player to move wins, and in how many plies, by the rules alone."""
    ended = outcome_at_end(position)
    if ended is not None:
        return ended is Outcome.N, 0
    after = [brute_force(move.child) for move in moves(position)]
    wins = [plies for is_won, plies in after if not is_won]
    return (True, 1 + min(wins)) if wins else (False, 1 + max(plies for _, plies in after))


def is_small(position: Position, most: int) -> bool:
    """Return whether so few positions follow that brute force can search all of them."""
    seen, left = {position}, [position]
    while left and len(seen) <= most:
        for move in few_moves(left.pop(), most) or ():
            if move.child not in seen:
                seen.add(move.child)
                left.append(move.child)
    return len(seen) <= most


@pytest.mark.parametrize(
    "text",
    ["wythoff{declared=[1,0]}:[2,2]", "toads{declared=[0,2,0,1]+[1,2,0,0]}:T.F.;1"],
)
def test_a_small_search_also_tells_which_win_is_soonest(text: str) -> None:
    wins = Oracle().winning_moves(text).winning_moves or ()
    best, *_ = Oracle().moves(text)
    made = Oracle().best_move(text)
    assert made is not None
    assert made.child == best.move.child != wins[0].child


def check_best_move(oracle: Oracle, position: Position) -> None:
    """It keeps a win, by the first of the soonest ways; a lost game lasts longest, by the first.

    Where remoteness takes more work than the winning moves, the first of these is made.
    """
    made = oracle.best_move(position)
    assert made is not None
    is_won, plies = brute_force(position)
    good = [move for move in moves(position) if brute_force(move.child)[0] is not is_won]
    first = next(move for move in good if brute_force(move.child)[1] == plies - 1)
    analysis = oracle.analyze(position, moves=False)
    if is_won:
        named = analysis.answer.winning_moves or (first,)
        assert made.child in {first.child, named[0].child}, (str(position), str(made))
    elif analysis.values.remoteness is not None:
        assert made.child == first.child, (str(position), str(made))
    else:
        assert made.child in {move.child for move in good}, (str(position), str(made))


def check_stubborn(oracle: Oracle, position: Position) -> None:
    """Its move leaves the smallest share of winning replies; then lasts longest; then is first."""

    def good_for_us(move: Move) -> tuple[float, int]:
        child = move.child
        if outcome_at_end(child) is not None:
            return -1.0, 0
        replies = [brute_force(reply.child)[0] for reply in moves(child)]
        return replies.count(True) / len(replies), brute_force(child)[1]

    found = list(moves(position))
    best = max(map(good_for_us, found))
    first = next(move for move in found if good_for_us(move) == best)
    assert rules.play(str(position), StubbornBot(oracle).choose(str(position))) == str(first.child)


@pytest.mark.parametrize("family", STARTS)
def test_brute_force_finds_no_better_move(family: str) -> None:
    oracle = Oracle()
    going_on = (position for position in map(parse, some(family)) if not is_over(position))
    small = (position for position in going_on if is_small(position, 400))
    checked = list(islice(small, 12))
    assert len(checked) >= 3
    for position in checked:
        check_best_move(oracle, position)


@pytest.mark.parametrize("family", STARTS)
def test_the_stubborn_bot_loses_as_brute_force_says(family: str) -> None:
    oracle = Oracle()
    small = (each for each in map(parse, some(family)) if is_small(each, 60) and not is_over(each))
    lost = (position for position in islice(small, 20) if not brute_force(position)[0])
    for position in islice(lost, 3):
        check_stubborn(oracle, position)
