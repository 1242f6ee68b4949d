"""Analyses from a server, by both clients."""

from collections.abc import Callable
from typing import Any

import pytest

from position_oracle import Analysis, InvalidQuestionError, Outcome, PositionValues
from position_oracle.oracle.core import Oracle

Connect = Callable[..., Any]

TEXTS = (
    "chomp3:[4,3,2]",
    "chomp3:[4,3,2;1]",
    "chomp3:[0,0,0]",
    "chomp:7/7/5/2",
    "nim:[3,5,7;1]",
    "nim:[9223372036854775807]",
    "wythoff:[3,5]",
    "wythoff:[5,5]",  # the last of its winning moves is the best
    "chomp3:[2,1,0] + nim:[3,5] + chomp:4/2",
    "misere{chomp:3/2 + nim:[4]}",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("moves", [True, False])
def test_a_server_gives_what_the_oracle_knows(
    connect: Connect, port: int, oracle: Oracle, text: str, moves: bool
) -> None:
    there: Analysis = connect(port).analyze(text, moves=moves)
    here = oracle.analyze(text, moves=moves)
    assert there.answer.position == text
    assert there.answer.outcome.name == here.answer.outcome.name
    assert there.answer.certainty.value == here.answer.certainty.value
    assert there.complete == here.complete
    assert there.values == PositionValues(
        here.values.grundy, here.values.grundy_unrestricted, here.values.remoteness
    )
    wins = [str(move) for move in there.answer.winning_moves or ()]
    assert wins == [str(move) for move in here.answer.winning_moves or ()]
    if here.moves is None:
        assert there.moves is None
        return
    assert there.moves is not None
    for mine, other in zip(there.moves, here.moves, strict=True):
        assert ("pass" if mine.move.is_pass else mine.move.position) == str(other.move)
        assert mine.outcome == Outcome(other.outcome)
        assert mine.values.grundy == other.values.grundy
        assert mine.values.remoteness == other.values.remoteness
        assert mine.component == other.component


def test_components_with_a_rule_of_their_own_are_refused(connect: Connect, port: int) -> None:
    with pytest.raises(InvalidQuestionError, match="ends by a rule of its own") as caught:
        connect(port).analyze("nim{misere}:[3,5] + chomp:2/1")
    assert caught.value.field == "position.text"


def test_sums_are_answered_by_every_call(connect: Connect, port: int) -> None:
    client = connect(port)
    assert client.outcome("nim:[3] + nim:[3]").outcome is Outcome.P
    (win,) = client.winning_moves("nim:[3] + chomp:2/2").winning_moves
    assert client.outcome(win.position).outcome is Outcome.P
