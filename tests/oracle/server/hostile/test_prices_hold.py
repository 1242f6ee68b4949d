"""What is let in takes at most three times its price, and reading it does not hold others up."""

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from engine.games.game_text import parse_game
from engine.games.notation import parse
from oracle.cache import Cache
from oracle.core import Oracle
from oracle.loading import load_tables
from oracle.server.methods import CALLS
from oracle.server.settings import ServerSettings
from schema.errors import PositionOracleError
from tests.oracle.server.hostile import generator, sensible
from tests.oracle.server.hostile.crowd import timed
from tests.oracle.server.hostile.prices import SMALL_CACHE, ask_all

SETTINGS = ServerSettings(address="127.0.0.1:0")


def test_sensible_requests_are_mostly_read() -> None:
    calls = {call.name: call for call in CALLS}
    read: Counter[str] = Counter()
    for name, message in islice(sensible.requests(1), 400):
        try:
            calls[name].read(message, SETTINGS)
        except PositionOracleError:
            continue
        read[name] += 1
    assert read.total() > 200
    assert set(read) == set(sensible.METHODS)


@pytest.mark.parametrize(
    ("text", "rows", "dearer"),
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
def test_a_batch_is_priced_by_its_dearest_rows(
    text: str, rows: list[list[int]], dearer: list[list[int]]
) -> None:
    oracle, game = Oracle(), parse_game(text)
    cheap, dear = (
        oracle.price("outcomes", game, np.array(each, np.int32)) for each in (rows, dearer)
    )
    assert dear.seconds > 3 * cheap.seconds


@pytest.mark.parametrize(
    ("text", "dearer"),
    [
        ("toads:TT.FF", "toads:TTTT..FFFF"),
        ("nim{heappass}:[3p,4p]", "nim{heappass}:[60p,50p,40p]"),
        ("nim:[1,2,3]", "nim:[50,60,63]"),
        ("nim{take=1+3+4,misere}:[5,6;1]", "nim{take=1+3+4,misere}:[30,30,30;1]"),
        ("chomp:3/2/2/1;1", "chomp:7/7/6/5/4;1"),
    ],
)
@pytest.mark.parametrize("question", ["analyze", "best_line"])
def test_values_are_priced_by_the_search_that_finds_them(
    question: str, text: str, dearer: str
) -> None:
    oracle = Oracle()
    cheap, dear = (oracle.price(question, parse(each)) for each in (text, dearer))
    assert dear.seconds > 3 * cheap.seconds
    assert dear.seconds < 5


@pytest.mark.slow
@pytest.mark.parametrize("make", [generator.requests, sensible.requests])
def test_no_accepted_request_takes_more_than_three_times_its_price(make, store: Path) -> None:  # type: ignore[no-untyped-def]
    oracle = Oracle(load_tables(store), Cache(SMALL_CACHE))
    oracle.warm_up()
    bills = ask_all(oracle, timed(make(1), 30.0), SETTINGS)
    assert bills.accepted > 20
    assert [(taken.call, taken.game, taken.excess) for taken in bills.above] == []
