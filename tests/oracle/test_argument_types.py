"""Arguments of a wrong type are refused in one line that quotes them; numpy integers are read."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from position_oracle import (
    Answer,
    ArrayTypeError,
    InvalidPositionError,
    Oracle,
    OracleClient,
    Outcome,
    PositionOracleError,
    UnknownAnswerError,
    bots,
    rules,
)

WRONG: Any = 1.5
NONE: Any = None
ORACLE = Oracle()
CLIENT = OracleClient("localhost:1")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: ORACLE.outcome(WRONG), "position is a float"),
        (lambda: ORACLE.outcomes(NONE, [[1]]), "game is a NoneType"),
        (lambda: ORACLE.values(WRONG, [[1]]), "game is a float"),
        (lambda: ORACLE.geometry(NONE), "game is a NoneType"),
        (lambda: ORACLE.win_probability("nim:[3]", NONE), "model is a NoneType"),
        (lambda: ORACLE.win_probabilities("nim", [[3]], WRONG), "model is a float"),
        (lambda: ORACLE.moves("nim:[3]", most=WRONG), "most is 1.5, a float; give an integer"),
        (lambda: ORACLE.best_line("nim:[3]", NONE), "plies is None"),
        (lambda: ORACLE.series("nim", 0, WRONG), "last is 1.5"),
        (lambda: ORACLE.losers("chomp3", WRONG, 2), "x is 1.5"),
        (lambda: ORACLE.instant_winners("chomp3", 1, 2, 2, first_z=WRONG), "first_z is 1.5"),
        (lambda: ORACLE.estimate_opening(WRONG), "n is 1.5"),
        (lambda: ORACLE.estimate_column(10**6, 1, most=WRONG), "most is 1.5"),
        (lambda: ORACLE.answers("nim:[3]"), "positions are a str; give a list"),
        (lambda: ORACLE.answers(NONE), "positions are a NoneType"),
        (lambda: ORACLE.solve_graph([[0, 1]], nodes=WRONG), "nodes is 1.5"),
        (lambda: ORACLE.solve_graph([[0, 1]], results={WRONG: Outcome.N}), "node of results is"),
    ],
)
def test_a_wrong_type_is_named_with_its_value(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(ArrayTypeError) as caught:
        ask()
    assert said in str(caught.value)


def test_a_position_of_a_wrong_type_is_refused_on_its_own() -> None:
    wrong, none, answer = ORACLE.answers([[], None, "nim:[3]"])  # type: ignore[list-item]
    assert "position is a list" in str(wrong)
    assert "position is a NoneType" in str(none)
    assert isinstance(answer, Answer)


HUGE = 10**5000


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ORACLE.best_line("nim:[3]", HUGE),
        lambda: ORACLE.series("kayles", 0, -HUGE),
        lambda: ORACLE.losers("chomp3", 3, HUGE),
        lambda: ORACLE.estimate_opening(HUGE),
        lambda: ORACLE.solve_graph([[0, 1]], results={HUGE: Outcome.N}),
        lambda: rules.position("nim", [HUGE]),
        lambda: CLIENT.best_line("nim:[3]", HUGE),
        lambda: CLIENT.series("kayles", HUGE, HUGE),
        lambda: CLIENT.instant_winners("chomp3", HUGE, 1, 1),
        lambda: CLIENT.losers("chomp3", 1, HUGE),
        lambda: CLIENT.estimate_column(1, HUGE),
        lambda: CLIENT.estimate_opening(9, most=HUGE),
    ],
)
def test_a_number_too_long_to_be_written_is_refused(ask: Callable[[], object]) -> None:
    """Python does not write numbers of more than 4,300 digits."""
    with pytest.raises(PositionOracleError, match="has more than 40 digits"):
        ask()


LONG: Any = Fraction(HUGE)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ORACLE.best_line("nim:[3]", LONG),
        lambda: ORACLE.values("kayles", [[1]], LONG),
        lambda: CLIENT.values("kayles", [[1]], LONG),
        lambda: CLIENT.series("kayles", LONG, 9),
        lambda: bots.bot_of(LONG, ORACLE),
        lambda: bots.bot_of("sloppy", ORACLE, epsilon=LONG),
    ],
)
def test_an_argument_that_python_does_not_write_is_refused(ask: Callable[[], object]) -> None:
    with pytest.raises(PositionOracleError, match=r"^.{10,200}$"):
        ask()


def test_an_array_without_a_shape_is_not_a_row() -> None:
    with pytest.raises(InvalidPositionError, match=r"shape \(2,\)"):
        ORACLE.outcomes("nim", [np.array(3), np.array(4)])


def test_integers_of_numpy_are_integers() -> None:
    assert ORACLE.series("kayles", np.int8(1), np.int64(3)).tolist() == [1, 2, 3]  # type: ignore[arg-type]
    assert len(ORACLE.moves("nim:[3]", most=np.uint8(2))) == 2  # type: ignore[arg-type]


def test_a_plan_of_an_unknown_question_is_refused() -> None:
    with pytest.raises(UnknownAnswerError, match="no question 'outcomme'"):
        ORACLE.plan("outcomme", "nim:[3]")
