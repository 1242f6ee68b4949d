"""Positions that bounds decide: the Size Lemma and the Beanstalk Lemma (Huddleston & Shurman)."""

import pytest

from position_oracle.engine.theory.transfinite import partial
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.decision import Rule
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, OMEGA_2
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.schema.answers import Outcome


@pytest.mark.parametrize("text", ["4x5 + 1xw", "3x3x2 + 1x1xw^2", "5x5 + w^wx1", "4x4x4 + 1x1xw"])
def test_beanstalk_positions_are_n(text: str) -> None:
    position = parse_position(text)
    found = decide(position)
    assert found.outcome is Outcome.N
    assert found.rule in {Rule.BEANSTALK, Rule.FINITE, Rule.EQUAL_ARMS}
    if found.bite is not None:
        assert decide(position.bite(found.bite)).outcome is Outcome.P
    else:
        assert "at most" in found.reason


def test_size_lemma_verdicts() -> None:
    found = partial.bounded(OrdinalPosition.columns(OMEGA_2, OMEGA, OMEGA, OMEGA))
    assert found is not None
    assert (found.outcome, found.rule) == (Outcome.N, Rule.SIZE_LEMMA)
    assert partial.bounded(OrdinalPosition.box(4, OMEGA)) is None
