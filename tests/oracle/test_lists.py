"""Lists of positions of any games: each position is answered, or refused, on its own."""

from itertools import repeat
from unittest.mock import patch

import pytest

from position_oracle.engine.budget import Budget, Cost
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    PositionOracleError,
    ResourceLimitError,
    UnknownGameError,
)
from position_oracle.schema.positions import MAX_MIXED_POSITIONS
from tests.engine.games.test_actions import STARTS

TEXTS = [text for texts in STARTS.values() for text in texts]
REFUSED = {
    "nim:[3": NotationError,
    "nim:[-1]": PositionOracleError,
    "hex:[3]": UnknownGameError,
    "chomp:3/4": InvalidPositionError,
    "nim{take=99}:[0.5]": NotationError,
}


def test_each_is_answered_as_alone() -> None:
    oracle = Oracle()
    assert list(oracle.answers(TEXTS)) == [oracle.outcome(text) for text in TEXTS]


@pytest.mark.parametrize("text", REFUSED)
def test_one_that_is_refused_stops_no_other(text: str) -> None:
    oracle = Oracle()
    before, refused, after = oracle.answers(["nim:[3]", text, "kayles:[5]"])
    assert (before, after) == (oracle.outcome("nim:[3]"), oracle.outcome("kayles:[5]"))
    with pytest.raises(REFUSED[text]) as alone:
        oracle.outcome(text)
    assert (type(refused), str(refused)) == (type(alone.value), str(alone.value))


def test_equal_positions_are_answered_once() -> None:
    first, _, again = Oracle().answers(["chomp:5/4/3", "nim:[1]", "chomp:5/4/3"])
    assert first is again


def test_sums_of_equal_components_are_answered_as_alone() -> None:
    parts = ("nim:[3]", "kayles:[7,50]", "chomp:3/2", "toads:TT.FF", "wythoff:[4,9]")
    texts = [f"{one} + {other}" for one in parts for other in parts]
    texts += [f"misere{{{text}}}" for text in texts]
    oracle = Oracle()
    assert list(oracle.answers(texts)) == [oracle.outcome(text) for text in texts]


@pytest.mark.parametrize(
    "text", ["kayles:[{}]", "kayles:[{}] + nim:[1]", "wythoff:[{},9] + nim:[1]"]
)
def test_a_table_that_many_positions_need_costs_once(text: str) -> None:
    """A list costs the table and as many look-ups, not as many tables."""
    oracle, texts = Oracle(), [text.format(heap) for heap in range(20, 30)]
    alone = oracle.plan("outcome", texts[0]).cost.seconds
    assert alone < oracle.plan("answers", texts).cost.seconds < 2 * alone


def test_an_expensive_position_of_a_list_is_refused_alone() -> None:
    """An expensive position is refused alone; cheap ones behind it are answered."""
    long = "chomp3:[100,50,30;1]"
    oracle = Oracle()
    with Budget(Cost(0.02, 1 << 30)).active():
        plan = oracle.plan("answers", ["nim:[3]", long, "nim:[4]"])
        assert plan.cost.seconds < 0.02
        cheap, refused, other = plan.run()
    assert isinstance(refused, ResourceLimitError)
    assert not isinstance(cheap, PositionOracleError)
    assert not isinstance(other, PositionOracleError)


def test_the_budget_is_checked_before_each_position_is_planned() -> None:
    with patch.object(Budget, "check") as check, Budget().active():
        Oracle().plan("answers", [f"nim:[{heap}]" for heap in range(40)])
    assert check.call_count >= 40


@pytest.mark.parametrize("times", [(MAX_MIXED_POSITIONS + 1,), ()])
def test_long_and_endless_lists_are_refused(times: tuple[int, ...]) -> None:
    with pytest.raises(ResourceLimitError, match="at most 10,000 positions"):
        Oracle().answers(repeat("nim:[1]", *times))  # type: ignore[arg-type]


def test_an_empty_list_has_no_answers() -> None:
    assert Oracle().answers([]) == ()


def test_earlier_questions_do_not_change_what_a_list_admits() -> None:
    """Cached searches make a list faster, but not longer."""
    oracle = Oracle()
    texts = ["octal{code=0.45}:[900]", "nim{take=1+4+9}:[900]", "octal{code=0.77,misere}:[9]"]
    *_, last = costs = [oracle.plan("outcome", parse(text)).cost for text in texts]
    limit = Cost(sum(cost.seconds for cost in costs) - last.seconds / 2, 1 << 30)

    def asked() -> list[str]:
        with Budget(limit).active():
            return [str(found) for found in oracle.answers(texts)]

    before = asked()
    oracle.answers(texts)
    assert asked() == before
    assert oracle.plan("outcome", parse(texts[-1])).cost.seconds_now < last.seconds / 2
    with Budget(limit).active():
        assert isinstance(oracle.answers(texts)[-1], ResourceLimitError)
