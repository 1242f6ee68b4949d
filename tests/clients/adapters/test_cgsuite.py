"""Grundy values as a script for CGSuite."""

import pytest

from position_oracle import InvalidQuestionError
from position_oracle.clients.adapters import cgsuite
from position_oracle.oracle.core import Oracle


def test_values_of_kayles() -> None:
    positions = [f"kayles:[{heap}]" for heap in range(6)]
    values = cgsuite.values_of(Oracle(), positions)
    # Winning Ways, chapter 4: the values of Kayles begin 0, 1, 2, 3, 1, 4.
    assert list(values.values()) == [0, 1, 2, 3, 1, 4]
    assert cgsuite.script(values.values(), "kayles") == (
        "// Grundy values of position-oracle as nimbers.\nkayles := [0, *, *2, *3, *, *4];\n"
    )
    assert '  "octal{code=0.77}:[5]" => *4\n};' in cgsuite.script(values, "kayles")


def test_positions_without_a_known_value_are_left_out() -> None:
    assert cgsuite.values_of(Oracle(), ["nim:[3]", "nim{misere}:[3]"]) == {"nim:[3]": 3}


@pytest.mark.parametrize("name", ["", "2x", "Name", "a b", 'a"', "x" * 65])
def test_names_are_checked(name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        cgsuite.script([1], name)


def test_too_many_values_and_negative_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgsuite, "MAX_VALUES", 3)
    with pytest.raises(ValueError, match="more than 3"):
        cgsuite.script(iter(range(10)))
    with pytest.raises(InvalidQuestionError, match="more than 3"):
        cgsuite.values_of(Oracle(), ["nim:[1]"] * 4)
    with pytest.raises(ValueError, match="none below 0"):
        cgsuite.nimber(-1)
