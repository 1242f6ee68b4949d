"""Every theorem is tried in every notation. Undecided positions are unknown, with a reason."""

from functools import cache

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.moves import moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.core import Oracle
from position_oracle.schema.errors import UnknownAnswerError
from tests.reference.game_tree import GameTree

HUGE = 50_000


@cache
def bare() -> Oracle:
    return Oracle()


def ask(text: str) -> Answer:
    return bare().winning_moves(text)


def moves_of(answer: Answer) -> list[str] | None:
    moves = answer.winning_moves
    return None if moves is None else [str(move) for move in moves]


@pytest.mark.parametrize(
    "text",
    [
        f"chomp3:[{HUGE},0,0]",
        f"chomp:{HUGE}/{HUGE}/{HUGE}",
        "chomp:" + "/".join(["900"] * 500),
        "divisors:2^9999*3^2",
        "divisors:2^9999*3^20*5",
        f"transfinite:{HUGE}x3",
        f"transfinite:3x{HUGE}",
    ],
)
def test_a_rectangle_is_won_by_strategy_stealing(text: str) -> None:
    answer = ask(text)
    assert (answer.outcome, answer.certainty) == (Outcome.N, Certainty.THEOREM), answer
    assert answer.winning_moves is None or answer.winning_moves


def test_a_rectangle_is_won_in_batches_too() -> None:
    rows = np.array([[HUGE, 0, 0], [HUGE, 1, 0]], np.int32)
    found, moves = bare().winning_move_batch(parse_game("chomp3"), rows)
    assert found.tolist() == [Outcome.N, Outcome.UNKNOWN]
    assert moves.tolist() == [[-1] * 3] * 2
    assert bare().outcomes(parse_game("chomp3"), rows).tolist() == found.tolist()


@pytest.mark.parametrize(
    ("text", "wins"),
    [
        ("chomp3:[0,70000,1]", []),
        ("chomp3:[0,70000,70000]", ["chomp3:[0,70000,1]"]),
        ("chomp3:[0,70000,0]", ["chomp3:[0,69999,1]"]),
        ("chomp:70001/70000", []),
        ("chomp:70000/70000", ["chomp:70000/69999"]),
        ("divisors:2^9999*3", ["divisors:2^9999,2^9998*3"]),
        ("transfinite:70000x2", ["transfinite:69999x2 + 70000x1"]),
    ],
)
def test_two_rows_are_known_whatever_their_length(text: str, wins: list[str]) -> None:
    answer = ask(text)
    assert answer.outcome is (Outcome.N if wins else Outcome.P)
    assert moves_of(answer) == wins


def test_two_rows_of_any_notation_agree_with_the_rules() -> None:
    """[0, y, z] for y far beyond every table is P exactly if z = 1."""
    rows = np.array([[0, y, z] for y in (70_000, 2**30) for z in (0, 1, 2)], np.int32)
    found = bare().outcomes(parse_game("chomp3"), rows)
    assert [Outcome(each) for each in found.tolist()] == [Outcome.N, Outcome.P, Outcome.N] * 2


@pytest.mark.parametrize("arm", [0, 1, 2, 3, 7, 90_000])
def test_hooks_are_nim_with_their_arms(arm: int) -> None:
    """[1, 0, arm] is a column of 3 cookies and a row of arm + 1 that share the poison."""
    answer = ask(f"chomp3:[1,0,{arm}]")
    assert answer.outcome is (Outcome.P if arm == 2 else Outcome.N)
    same = ask(f"chomp:{arm + 1}/1/1")
    assert same.outcome is answer.outcome
    assert moves_of(same) is not None
    assert len(moves_of(same) or ()) == len(moves_of(answer) or ())


@pytest.mark.parametrize("arm", [HUGE, 2**40])
def test_long_hooks(arm: int) -> None:
    answer = ask(f"chomp:{arm}/1/1/1/1")
    assert moves_of(answer) == ["chomp:5/1/1/1/1"]
    assert answer.certainty is Certainty.THEOREM


@pytest.mark.parametrize("box", ["2x2x2", "2x3x2", "1x1x4 + 2x2x1", "3x2 + 1x5", "2x2x1x1"])
def test_small_finite_boxes_list_all_their_moves(box: str) -> None:
    position = parse(f"transfinite:{box}")
    analysis = bare().analyze(position)
    expected = [str(move.child) for move in moves(position)]
    assert analysis.complete
    assert analysis.moves is not None
    assert sorted(str(each.move.child) for each in analysis.moves) == sorted(expected)
    for each in analysis.moves:
        assert each.outcome is bare().outcome(each.move.child).outcome
        assert each.outcome is not Outcome.UNKNOWN
    wins = [each for each in analysis.moves if each.outcome is Outcome.P]
    assert bool(wins) == (analysis.answer.outcome is Outcome.N)


def test_the_cube_of_eight_cookies_has_eight_moves() -> None:
    assert len(bare().analyze("transfinite:2x2x2").moves or ()) == 8


@pytest.mark.parametrize("text", ["divisors:2^2*3*5", "divisors:2*3*5*7", "divisors:2^3,3^2,5"])
def test_divisors_are_as_their_tree(text: str) -> None:
    position, tree = parse(text), GameTree()
    answer = ask(text)
    assert answer.outcome is tree.outcome(position)
    assert list(answer.winning_moves or ()) == tree.winning_moves(position)


CANNOT = "chomp3{declared=[2,40000,2]}"


@pytest.mark.parametrize("position", ["[3,0,0]", "[60,5,5]", "[1,1,1]"])
def test_what_cannot_be_solved_is_unknown_with_the_reason(position: str) -> None:
    """If the solver can solve it, the answer near the origin is that of the plain game."""
    answer = ask(f"{CANNOT}:{position}")
    if answer.outcome is Outcome.UNKNOWN:
        assert answer.certainty is Certainty.UNKNOWN
        assert "cannot be solved: " in answer.reason
        assert "\n" not in answer.reason
        with pytest.raises(UnknownAnswerError, match="cannot be solved"):
            bare().instant_winners(parse_game(CANNOT), 5, 4, 4)
    else:
        assert answer.outcome is ask(f"chomp3:{position}").outcome
    row = np.array([parse(f"{CANNOT}:{position}").coordinates], np.int32)
    assert bare().outcomes(parse_game(CANNOT), row).tolist() == [answer.outcome]


def test_no_theorem_on_plain_boards_is_used_with_passes_or_variants() -> None:
    assert ask(f"chomp3:[{HUGE},0,0;1]").outcome is Outcome.UNKNOWN
    assert ask(f"chomp3{{declared=[1,1,1]}}:[{HUGE},0,0]").outcome is Outcome.UNKNOWN
