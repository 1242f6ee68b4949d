"""Certificates of transfinite verdicts: a wrong verdict of either kind is contradicted."""

import pytest

from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import Ordinal
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.oracle.reproduce.papers.transfinite.certificates import (
    Certificate,
    certify,
)

LOST = ("1x1", "2x1 + 1x2", "2xw", "3x1 + 1x3")
WON = ("2x2", "3x1", "1xw", "wxw", "2x(w+1)")


def positions(texts: tuple[str, ...]) -> list[OrdinalPosition]:
    return [parse_position(text) for text in texts]


def test_right_verdicts_are_not_contradicted() -> None:
    found = certify(positions((*LOST, *WON)))
    assert (found.positions, found.contradictions, found.unknown) == (len(LOST + WON), 0, 0)
    assert found.bites > found.positions


@pytest.mark.parametrize("text", WON)
def test_a_win_that_is_called_lost_is_contradicted_by_its_bite(text: str) -> None:
    certificate, position = Certificate(), parse_position(text)
    certificate.add(position, Decision.p(Rule.NONE))
    assert certificate.contradictions
    assert set(certificate.wrong or ()) == {str(position)}


@pytest.mark.parametrize("text", LOST)
def test_a_bite_that_leaves_no_p_position_is_contradicted(text: str) -> None:
    """Of a lost position every bite is wrong; the poison leaves nothing, which is N."""
    certificate, position = Certificate(), parse_position(text)
    certificate.add(position, Decision.n(Rule.NONE, Ordinal.of(0), Ordinal.of(0)))
    assert certificate.contradictions == 1


def test_what_no_theorem_decides_is_counted_apart() -> None:
    certificate = Certificate()
    certificate.add(parse_position("2x2"), Decision.unknown("not known"))
    assert (certificate.positions, certificate.unknown) == (0, 1)
