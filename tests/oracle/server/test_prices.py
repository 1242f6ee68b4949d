"""Where an oracle has no prices, only what a table or a closed form answers is quick."""

import pytest

from engine.games.notation import parse
from engine.games.spec import GameSpec
from oracle.answers import Certainty, GameInfo
from oracle.server.prices import QUICK, Prices
from tests.oracle.server.doubles import SlowOracle


class Listed(SlowOracle):
    def games(self) -> tuple[GameInfo, ...]:
        def info(game: GameSpec, limit: int | None, certainty: Certainty) -> GameInfo:
            return GameInfo(game, ("outcome",), "", limit, certainty, None)

        chomp3 = GameSpec("chomp3")
        return (
            info(chomp3, 100, Certainty.EXACT_TABLE),
            info(chomp3.with_passes(1), None, Certainty.THEOREM),
            info(chomp3.with_passes(2), None, Certainty.EXACT_SEARCH),
            info(GameSpec("chomp"), 100, Certainty.EXACT_TABLE),
            info(GameSpec("nim"), None, Certainty.THEOREM),
        )


@pytest.mark.parametrize(
    ("text", "quick"),
    [
        ("chomp3:[100,9999,9999]", True),
        ("chomp3:[101,0,0]", False),
        ("chomp3:[101,0,0;1]", True),
        ("chomp3:[1,0,0;2]", False),
        ("chomp3:[1,0,0;3]", False),
        ("chomp3{declared=[1,2,3]}:[1,0,0]", False),
        ("nim:[3,5,7]", True),
        ("nim:[3,5,7;1]", False),
        ("chomp:0", True),
        ("chomp:9/7/4", True),
        ("chomp:9/7/4/1", False),
    ],
)
def test_quick(text: str, quick: bool) -> None:
    assert (Prices(Listed()).price("outcome", parse(text)).seconds <= QUICK) is quick
