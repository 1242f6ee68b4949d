"""A request takes at most three times its cost, and reading it does not delay other callers."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Position
from position_oracle.oracle.analysis import ASKED_SECONDS, plan_analysis
from position_oracle.oracle.answers import Answer
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import unknown
from position_oracle.oracle.loading import load_tables
from position_oracle.oracle.server.contract import CALLS
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import InvalidPositionError, PositionOracleError
from tests.oracle.server.hostile import generator, sensible
from tests.oracle.server.hostile.costs import SMALL_CACHE, ask, ask_all, bounded_memory
from tests.oracle.server.hostile.sensible import SINGLE

SETTINGS = ServerSettings(address="127.0.0.1:0")


@pytest.fixture(scope="module")
def warm(store: Path) -> Oracle:
    """An oracle with all kernels loaded."""
    oracle = Oracle(load_tables(store), Cache(SMALL_CACHE))
    oracle.warm_up()
    return oracle


def test_sensible_requests_are_mostly_read() -> None:
    read: Counter[str] = Counter()
    for name, message in islice(sensible.requests(1), 400):
        try:
            CALLS[name].read(message, SETTINGS)
        except PositionOracleError:
            continue
        read[name] += 1
    assert read.total() > 200
    assert set(read) == set(sensible.METHODS)


@pytest.mark.parametrize(
    ("text", "rows", "costlier"),
    [
        ("chomp3{passes=1}", [[1, 190, 5]], [[4000, 190, 5]]),
        ("chomp3{noise=normal(8),seed=3}", [[1, 5, 5]], [[300, 100, 5]]),
        ("nim{passes=1}", [[1, 2, 3, 5]], [[30, 31, 32, 33]]),
        ("wythoff{rule=pairs}", [[1, 2, 3]], [[700, 800, 3]]),
        ("chomp", [[1] + [0] * 12], [[13] * 13]),
        ("nim{take=1+3+4,misere,passes=1}", [[1, 2, 3]], [[60, 60, 60]]),
        ("octal{code=0.007}", [[1, 2, 3]], [[1, 2, 100_000]]),
    ],
)
def test_a_batch_costs_what_its_most_expensive_rows_cost(
    text: str, rows: list[list[int]], costlier: list[list[int]]
) -> None:
    oracle, game = Oracle(), parse_game(text)
    cheap, dear = (
        oracle.plan("outcomes", game, np.array(each, np.int32)).cost for each in (rows, costlier)
    )
    assert dear.seconds > 3 * cheap.seconds


@pytest.mark.parametrize(
    ("text", "costlier"),
    [
        ("toads:TT.FF", "toads:TTTT...FFFF"),
        ("nim{heappass}:[3p,4p]", "nim{heappass}:[60p,50p,40p]"),
        ("nim:[1,2,3;1]", "nim:[50,60,63;1]"),
        ("nim{take=1+3+4,misere}:[5,6;1]", "nim{take=1+3+4,misere}:[30,30,30;1]"),
        ("chomp:3/2/2/1;1", "chomp:7/7/6/5/4;1"),
    ],
)
@pytest.mark.parametrize("question", ["analyze", "best_line"])
def test_values_cost_what_their_search_costs(question: str, text: str, costlier: str) -> None:
    oracle = Oracle()
    cheap, dear = (oracle.plan(question, parse(each)).cost for each in (text, costlier))
    assert dear.seconds > 3 * cheap.seconds
    assert dear.seconds < 6


VAST = 2**62

ESTIMATED = (
    f"chomp:{2**31 - 1}/100/7/3;1",
    f"chomp{{misere}}:{VAST}/5/4/3/2;3",
    f"wythoff{{rule=pairs,misere}}:[1,2,{VAST}]",
    f"wythoff{{rule=both}}:[1,{VAST},{VAST};1]",
    f"nim{{take=1+1000}}:[{VAST},7;1]",
    f"chomp3{{declared=[5,{VAST},0]}}:[97,4,1]",
)
"""Positions whose chances are estimated by games, as those of some others, in half a second."""

VAST_TEXTS = (
    *ESTIMATED,
    f"chomp:{VAST}/5/4/3",
    f"nim{{misere}}:[1,{VAST},5,{VAST};1]",
    f"nim{{heappass,misere}}:[{VAST}p,7p]",
    f"octal{{code=0.77}}:[{VAST},7]",
    f"chomp3:[{VAST},5,7;1]",
    f"chomp3:[5,1,7] + nim:[{VAST},3]",
    "divisors:2^29*3^18*5^12",
)


def vast(call: str, text: str) -> Any:
    """Return a case. Turns are estimated by the games that estimate chances."""
    is_slow = call == "GetTurns" or (call == "GetWinProbability" and text in ESTIMATED)
    return pytest.param(call, text, marks=pytest.mark.slow if is_slow else ())


@pytest.mark.parametrize(
    ("call", "text"), [vast(call, text) for call in SINGLE for text in VAST_TEXTS]
)
def test_vast_numbers_take_neither_time_nor_memory(call: str, text: str, warm: Oracle) -> None:
    request: Any = GetMessageClass(sensible.METHODS[call].input_type)()
    request.position.text = text
    if call == "GetWinProbability":
        request.model = "random"
    with bounded_memory():
        taken = ask(warm, call, request.SerializeToString(), SETTINGS)
    assert taken.excess <= 0
    assert taken.excess_bytes <= 0


@pytest.mark.parametrize("wrong", [[3, 5, 0, 0], [2, 2, -1, 0]])
def test_a_batch_with_a_wrong_row_is_refused_before_work(wrong: list[int]) -> None:
    """The batch is refused before planning: the rows before the wrong one may be expensive."""
    rows = np.array([[12, 11, 10, 9], wrong], np.int32)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    oracle = Oracle()
    oracle.prober("chomp").plan = refuse  # type: ignore[method-assign, assignment]
    with pytest.raises(InvalidPositionError, match="row 1"):
        oracle.outcomes(parse_game("chomp{passes=1}"), rows)


@pytest.mark.parametrize(
    ("question", "text", "costlier"),
    [
        # no tail of any sheet begins before a declared position
        ("outcome", "chomp3{declared=[5,6,0]}:[97,4,1]", "chomp3{declared=[5,800000,0]}:[97,4,1]"),
        # a search finds whether the pass also wins
        ("winning_moves", "nim:[24,65,80,4]", "nim:[24,65,80,4;2]"),
        ("winning_moves", "chomp3:[400,5,7]", "chomp3:[400,5,7;2]"),
        # remoteness depends on how many passes are left
        ("best_line", "toads{misere}:TTTT.TTTT.T.;1", "toads{misere}:TTTT.TTTT.T.;64"),
        # each move of each component is checked
        ("analyze", "nim:[3] + nim:[5]", "nim:[300] + nim:[500]"),
        # each position of a search has as many moves as there are numbers to take
        ("outcome", "nim{max=3,misere}:[5,900;1]", "nim{max=90,misere}:[5,900;1]"),
    ],
)
def test_what_makes_a_question_more_expensive_is_in_its_cost(
    question: str, text: str, costlier: str
) -> None:
    oracle = Oracle()
    cheap, dear = (oracle.plan(question, parse(each)).cost for each in (text, costlier))
    assert dear.seconds > 1.5 * cheap.seconds


def test_children_are_asked_one_by_one_within_a_bound() -> None:
    """Children are asked if neither values nor winning moves decide. Their costs are added."""
    text = "nim{heappass,misere}:[3,1,161,1,238,1]"
    prober = Oracle().prober("nim_heap_pass")
    plan, asked = prober.plan, list[float]()

    def unsolved(position: Position, *, with_moves: bool) -> Plan[Answer]:
        cost = plan(position, with_moves=with_moves).cost + Cost(0.1)

        def run() -> Answer:
            asked.append(cost.seconds)
            return unknown(position, "not asked in earnest")

        return Plan(cost, run)

    prober.plan = unsolved  # type: ignore[method-assign]
    prober.plan_values = lambda *_: Plan(Cost(), lambda: None)  # type: ignore[method-assign]
    plan_analysis(prober, parse(text), with_moves=True).run()
    assert sum(asked[1:]) <= ASKED_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize(("make", "count"), [(generator.requests, 5_000), (sensible.requests, 200)])
def test_no_admitted_request_takes_more_than_three_times_its_cost(
    make: Callable[[int], Iterator[tuple[str, bytes]]], count: int, store: Path
) -> None:
    oracle = Oracle(load_tables(store), Cache(SMALL_CACHE))
    oracle.warm_up()
    measurements = ask_all(oracle, islice(make(1), count), SETTINGS)
    assert measurements.admitted > 20
    assert [(taken.call, taken.game, taken.excess) for taken in measurements.above] == []
