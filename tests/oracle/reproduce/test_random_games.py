"""Random games by recursion in whole numbers; conjectures on finite families of boards."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers.random_play.three_row import solve_random
from position_oracle.engine.theory.random_play import nim as theorem
from position_oracle.engine.theory.random_play.turns import expected_turns
from position_oracle.engine.theory.random_play.two_rows import (
    hook_win_probability,
    two_rows_of,
    win_probability,
)
from position_oracle.oracle.reproduce import random_games
from position_oracle.oracle.reproduce.random_games import (
    HALF,
    TurnDistribution,
    boards_up_to,
    chance,
    check_exactly,
    check_three_rows,
    chomp,
    envelopes_up_to,
    falls_from,
    gaps,
    graph_of,
    hook_envelope,
    is_thick,
    most_expected_turns,
    nim,
    two_row_envelope,
)
from position_oracle.schema.errors import ResourceLimitError
from tests.reference import boards_naive
from tests.reference import random_play_naive as naive
from tests.reference.random_play_envelope import three_row_envelope

GOLDEN = Path(__file__).parents[2] / "golden"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def gap(board: tuple[int, ...]) -> Fraction:
    return HALF - naive.win_probability(naive.chomp_moves, board, won_at_end=True)


boards = st.lists(st.integers(1, 6), max_size=4).map(lambda r: tuple(sorted(r, reverse=True)))


def test_golden_chomp() -> None:
    for case in cases("08_random_chomp.jsonl"):
        position = chomp(case["position"])
        turns = TurnDistribution.of(position)
        assert chance(position) == turns.even == Fraction(case["p_mover"])
        assert turns.mean == Fraction(case["e_turns"])
        if "turns_dist" in case:
            assert turns.probabilities == tuple(map(Fraction, case["turns_dist"]))


def test_golden_nim() -> None:
    for case in cases("08_random_nim.jsonl"):
        heaps = case["position"]
        for misere, name in ((False, "p_mover_normal"), (True, "p_mover_misere")):
            expected = Fraction(case[name])
            assert chance(nim(heaps, misere=misere)) == expected
            assert theorem.win_probability(heaps, misere=misere) == expected
        turns = TurnDistribution.of(nim(heaps))
        assert turns.mean == Fraction(case["e_turns"])
        if "turns_dist" in case:
            assert turns.probabilities == tuple(map(Fraction, case["turns_dist"]))


def test_golden_files_hold_distributions() -> None:
    """The two tests above need them, but would pass without any."""
    for name in ("08_random_chomp.jsonl", "08_random_nim.jsonl"):
        assert sum("turns_dist" in case for case in cases(name)) > 30


def test_published_chances() -> None:
    facts = json.loads((GOLDEN / "facts.json").read_text())["random_play"]
    for rows, name in ((2, "2xn_n=1..6"), (3, "3xn_n=1..5")):
        for n, text in enumerate(facts[name], start=1):
            assert chance(chomp([n] * rows)) == Fraction(text)
    assert chance(chomp([3, 2, 1])) == Fraction(facts["rows_3_2_1"])
    assert chance(chomp([5, 3])) == Fraction(facts["rows_5_3"])
    assert TurnDistribution.of(chomp([3, 3, 3])).mean == Fraction(facts["expected_turns_3x3"])


@given(boards)
@settings(deadline=None, max_examples=50)
def test_the_length_of_chomp_is_that_of_the_rules_and_of_theorem_1_1(
    board: tuple[int, ...],
) -> None:
    turns = TurnDistribution.of(chomp(board))
    assert sum(turns.probabilities) == 1
    assert turns.mean == expected_turns(board)
    assert len(turns.probabilities) == sum(board) + 1
    if sum(board) <= 12:
        assert turns.probabilities == naive.turn_distribution(naive.chomp_moves, board)
    columns = [sum(length > j for length in board) for j in range(board[0] if board else 0)]
    assert TurnDistribution.of(chomp(columns)) == turns


@given(st.lists(st.integers(0, 6), max_size=3))
@settings(deadline=None, max_examples=50)
def test_the_length_of_nim_is_that_of_the_rules_and_of_theorem_1_7(heaps: list[int]) -> None:
    turns = TurnDistribution.of(nim(heaps))
    assert turns.probabilities == naive.turn_distribution(naive.nim_moves, tuple(heaps))
    assert turns.mean == theorem.expected_turns(heaps)
    assert turns.even == theorem.win_probability(heaps, misere=True)
    # Heaps are independent; one heap of s has variance H_s minus the sum of 1/j².
    variance = sum(Fraction(1, j) - Fraction(1, j * j) for s in heaps for j in range(1, s + 1))
    assert turns.central_moment(2) == variance


def test_every_board_in_a_box_against_the_rules() -> None:
    found = dict(gaps(graph_of(chomp((5, 5, 5, 5)))))
    assert found == {b: gap(b) for b in boards_naive.boards_inside(4, 5) if is_thick(b)}


def test_recursion_is_the_closed_form_on_two_rows_and_two_columns() -> None:
    for outer in ((14, 14), (2,) * 14):
        for board, found in gaps(graph_of(chomp(outer))):
            pair = two_rows_of(board)
            assert pair is not None
            assert HALF - found == win_probability(*pair)


def test_all_small_boards() -> None:
    found = boards_up_to(9)
    assert set(found.number) == {b for n in range(10) for b in boards_naive.partitions(n)}


def test_what_is_too_large() -> None:
    for rows in ((10**6,), (30,) * 30):
        with pytest.raises(ResourceLimitError, match="limit"):
            chance(chomp(rows))
    # This board has few positions, but each has a distribution of 1500 numbers of 4000 digits.
    with pytest.raises(ResourceLimitError, match="bytes"):
        TurnDistribution.of(chomp((1500,)))


@pytest.mark.parametrize("cookies", range(14))
def test_theorem_1_2_is_attained(cookies: int) -> None:
    lengths = [expected_turns(board) for board in boards_naive.partitions(cookies)]
    assert most_expected_turns(cookies) == max(lengths)


# ---------------------------------------------------------------- conjecture 1.5


def test_conjecture_1_5_on_three_rows_to_300() -> None:
    verdict = check_three_rows(solve_random(300))
    assert verdict.counterexample is None
    assert verdict.undecided == ()
    # All C(303, 3) boards except the empty one, the 300 rows, and the columns of 2 and 3.
    assert verdict.boards == 303 * 302 * 301 // 6 - 1 - 300 - 2
    assert verdict.closest == (300, 1)
    assert verdict.gap == pytest.approx(float(HALF - win_probability(300, 1)), abs=1e-12)


def test_verdicts_on_small_families_against_the_rules() -> None:
    for verdict, family in (
        (check_exactly(graph_of(chomp((4, 4, 4)))), boards_naive.boards_inside(3, 4)),
        (
            check_exactly(boards_up_to(9)),
            [b for n in range(10) for b in boards_naive.partitions(n)],
        ),
        (check_three_rows(solve_random(5)), boards_naive.boards_inside(3, 5)),
    ):
        expected = {board: gap(board) for board in family if is_thick(board)}
        assert verdict.boards == len(expected)
        assert verdict.counterexample is None
        assert verdict.gap == pytest.approx(float(min(expected.values())), abs=1e-14)
        assert expected[verdict.closest] == min(expected.values())


def test_boards_that_doubles_do_not_decide_are_computed_exactly() -> None:
    table = solve_random(20)
    verdict = check_three_rows(table, error_bound=0.003)
    assert (verdict.counterexample, verdict.undecided) == (None, ())
    excess = table.excess.copy()
    excess[30] = 0.25  # a wrong value, which exact arithmetic corrects
    assert check_three_rows(replace(table, excess=excess)).counterexample is None
    assert len(check_three_rows(table, error_bound=0.5).undecided) == verdict.boards - 64


def test_a_counterexample_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """No counterexample is known, so the test replaces the exact arithmetic."""
    monkeypatch.setattr(random_games, "chance", lambda _: Fraction(2, 3))
    found = check_three_rows(solve_random(6), error_bound=0.5).counterexample
    assert found is not None
    assert len(found) == 3
    monkeypatch.setattr(random_games, "chance", lambda _: HALF)  # not below 1/2 either
    assert check_three_rows(solve_random(6), error_bound=0.5).counterexample == found
    monkeypatch.setattr(random_games, "gaps", lambda _: iter([((2, 2), Fraction(0))]))
    assert check_exactly(boards_up_to(4)).counterexample == (2, 2)


# ---------------------------------------------------------------- conjecture 1.6


def test_conjecture_1_6_on_all_boards_to_24_cookies() -> None:
    """The extremes are hooks: one arm of one cookie, or two arms as equal as can be."""
    found = envelopes_up_to(24)
    assert [e.cookies for e in found] == list(range(3, 25))
    for envelope in found:
        hooks = hook_envelope(envelope.cookies)
        assert envelope.least[0] == hooks.least[0]
        assert envelope.greatest[0] == hooks.greatest[0]
    start, decay = falls_from([e.cookies for e in found], [e.greatest[0] for e in found])
    assert start == 3
    assert 1.0 < decay < 1.1


def test_envelopes_against_the_rules() -> None:
    for envelope in envelopes_up_to(9):
        found = [(gap(b), b) for b in boards_naive.partitions(envelope.cookies) if is_thick(b)]
        assert (envelope.least, envelope.greatest) == (min(found), max(found))


@pytest.mark.parametrize("cookies", [3, 4, 5, 20])
def test_envelopes_of_hooks_and_of_two_rows(cookies: int) -> None:
    hooks = [
        (HALF - hook_win_probability(cookies - 1 - q, q), (cookies - q, *(1,) * q))
        for q in range(1, cookies - 1)
    ]
    envelope = hook_envelope(cookies)
    assert envelope.least[0] == min(hooks)[0]
    assert envelope.greatest in hooks
    assert envelope.greatest[0] == max(hooks)[0]
    rows = [
        (HALF - win_probability(cookies - k, k), (cookies - k, k))
        for k in range(1, cookies // 2 + 1)
    ]
    two = two_row_envelope(cookies)
    assert (two.least, two.greatest) == (min(rows), max(rows))


def test_conjecture_1_6_on_three_rows_to_300() -> None:
    """The envelope of hooks holds for three rows, too; (n - 1, 1) attains the lower one."""
    table = solve_random(300)
    envelope = three_row_envelope(table)
    assert envelope.cookies.tolist() == list(range(3, 901))
    hooks = [hook_envelope(n) for n in range(3, 901)]
    least = np.array([float(h.least[0]) for h in hooks])
    greatest = np.array([float(h.greatest[0]) for h in hooks])
    complete = envelope.complete
    assert complete.sum() == 301 - 2
    assert np.abs(envelope.least - least)[complete].max() <= table.error_bound
    assert (envelope.least_rows[complete][4:, 1:] == [1, 0]).all()
    assert (envelope.least >= least - table.error_bound).all()
    assert (envelope.greatest <= greatest + table.error_bound).all()
    n, most = envelope.cookies[complete].tolist(), envelope.greatest[complete].tolist()
    start, decay = falls_from(n, most)
    assert start == 3
    assert 1.1 < decay < 1.25


def test_where_a_sequence_begins_to_fall() -> None:
    assert falls_from([3, 4, 5, 6], [0.4, 0.5, 0.3, 0.2])[0] == 4
