"""Conjectures 1.5 and 1.6 on finite families of boards."""

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.folds import Exact
from position_oracle.engine.solvers.graph import Graph
from position_oracle.engine.solvers.random_play import (
    check_box,
    check_envelope,
    check_three_rows,
    check_up_to,
    chomp_win_probabilities,
    chomp_win_probability,
    conjectures,
    envelopes_up_to,
    solve_random,
)
from position_oracle.engine.theory.random_play import hook_envelope, win_probability
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError
from tests.reference import boards_naive
from tests.reference import random_play_naive as naive
from tests.reference.random_play_envelope import three_row_envelope

HALF = Fraction(1, 2)


def gap(board: tuple[int, ...]) -> Fraction:
    return HALF - naive.win_probability(naive.chomp_moves, board, won_at_end=True)


def thick(board: tuple[int, ...]) -> bool:
    """More than one row and more than one column."""
    return len(board) > 1 and board[0] > 1


def test_conjecture_1_5_on_three_rows_to_300() -> None:
    verdict = check_three_rows(solve_random(300))
    assert verdict.holds is True
    assert verdict.counterexample is None
    assert verdict.undecided == ()
    # All C(303, 3) boards but the empty one, the 300 rows, and the columns of two and three.
    assert verdict.boards == 303 * 302 * 301 // 6 - 1 - 300 - 2
    assert verdict.closest == (300, 1)
    assert verdict.closest_gap == pytest.approx(float(HALF - win_probability(300, 1)), abs=1e-12)


def test_conjecture_1_5_inside_8_by_8() -> None:
    verdict = check_box(8, 8)
    assert verdict.holds is True
    # Of the C(16, 8) boards, the empty one, 8 rows and 7 more columns are left out.
    assert verdict.boards == 12870 - 1 - 8 - 7
    assert verdict.closest == (8,) * 8
    assert verdict.closest_gap == HALF - chomp_win_probability((8,) * 8)


def test_verdicts_on_small_families_against_the_rules() -> None:
    for verdict, boards in (
        (check_box(3, 4), boards_naive.boards_inside(3, 4)),
        (check_box(4, 2), boards_naive.boards_inside(4, 2)),
        (check_up_to(9), [b for n in range(10) for b in boards_naive.partitions(n)]),
        (check_three_rows(solve_random(5)), boards_naive.boards_inside(3, 5)),
    ):
        gaps = {board: gap(board) for board in boards if thick(board)}
        assert verdict.boards == len(gaps)
        assert verdict.closest_gap == pytest.approx(float(min(gaps.values())), abs=1e-14)
        assert gaps[verdict.closest] == min(gaps.values())


def test_undecided_boards_are_rechecked_exactly() -> None:
    """With less trust in the table, more boards are computed again, all with the same verdict."""
    table = solve_random(20)
    verdict = check_three_rows(table, error_bound=0.003)
    assert verdict.holds is True
    assert verdict.rechecked > 5
    assert verdict.undecided == ()
    strict = check_three_rows(table)
    assert strict.rechecked == 0
    assert (strict.closest, strict.boards) == (verdict.closest, verdict.boards)


def test_what_stays_undecided_is_said() -> None:
    verdict = check_three_rows(solve_random(40), error_bound=0.5)
    assert verdict.holds is None
    assert len(verdict.undecided) + verdict.rechecked == verdict.boards


def test_a_table_wrong_about_a_board_is_corrected() -> None:
    table = solve_random(6)
    excess = table.excess.copy()
    excess[30] = 0.25
    verdict = check_three_rows(replace(table, excess=excess))
    assert verdict.holds is True
    assert verdict.rechecked == 1


def test_a_counterexample_is_shown_with_its_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is known, so exact arithmetic has to pretend: all boards from the 100th on at 1/2."""

    exact = folds.exact_random_chance

    def generous(graph: Graph[Any]) -> Exact:
        found = exact(graph)
        half = found.unit // 2
        return Exact(found.values[:100] + [half] * (len(found.values) - 100), found.unit)

    monkeypatch.setattr(folds, "exact_random_chance", generous)
    verdict = check_box(4, 5)
    assert verdict.holds is False
    assert verdict.probability == HALF
    assert verdict.counterexample == verdict.closest
    monkeypatch.setattr(conjectures, "chomp_win_probability", lambda _: Fraction(2, 3))
    verdict = check_three_rows(solve_random(6), error_bound=0.5)
    assert verdict.holds is False
    assert verdict.probability == Fraction(2, 3)
    assert verdict.counterexample is not None
    assert len(verdict.counterexample) == 3


def test_conjecture_1_6_on_all_boards_to_24_cookies() -> None:
    """The extremes are hooks: an arm of one cookie, and arms as equal as can be."""
    envelopes = envelopes_up_to(24)
    assert [e.cookies for e in envelopes] == list(range(3, 25))
    for envelope in envelopes:
        hooks = hook_envelope(envelope.cookies)
        assert (envelope.least, envelope.greatest) == (hooks.least, hooks.greatest)
        for board, value in (
            (envelope.least_board, envelope.least),
            (envelope.greatest_board, envelope.greatest),
        ):
            assert sum(board) == envelope.cookies
            assert HALF - chomp_win_probability(board) == value
    verdict = check_envelope(
        [e.cookies for e in envelopes],
        [e.least for e in envelopes],
        [e.greatest for e in envelopes],
    )
    assert verdict.holds
    assert verdict.decreasing_from == 3
    assert 1.0 < verdict.decay < 1.1


@pytest.mark.slow
def test_conjecture_1_6_on_all_boards_to_36_cookies() -> None:
    for envelope in envelopes_up_to(36, max_moves=2**23):
        hooks = hook_envelope(envelope.cookies)
        assert (envelope.least, envelope.greatest) == (hooks.least, hooks.greatest)


def test_envelopes_against_the_rules() -> None:
    for envelope in envelopes_up_to(9):
        gaps = [gap(b) for b in boards_naive.partitions(envelope.cookies) if thick(b)]
        assert (envelope.least, envelope.greatest) == (min(gaps), max(gaps))


def test_hooks_are_the_extremes_inside_8_by_8() -> None:
    for board, chance in chomp_win_probabilities((8,) * 8).items():
        if thick(board):
            hooks = hook_envelope(sum(board))
            assert hooks.least <= HALF - chance <= hooks.greatest


def test_conjecture_1_6_on_three_rows_to_300() -> None:
    """The envelope of hooks holds there too; the lower one is attained by (n - 1, 1)."""
    table = solve_random(300)
    envelope = three_row_envelope(table)
    assert envelope.cookies.tolist() == list(range(3, 901))
    hooks = [hook_envelope(n) for n in range(3, 901)]
    least = np.array([float(h.least) for h in hooks])
    greatest = np.array([float(h.greatest) for h in hooks])
    complete = envelope.complete
    assert complete.sum() == 301 - 2
    assert np.abs(envelope.least - least)[complete].max() <= table.error_bound
    assert (envelope.least_rows[complete][4:, 1:] == [1, 0]).all()
    assert (envelope.least >= least - table.error_bound).all()
    assert (envelope.greatest <= greatest + table.error_bound).all()
    verdict = check_envelope(
        envelope.cookies[complete].tolist(),
        (envelope.least[complete] - table.error_bound).tolist(),
        envelope.greatest[complete].tolist(),
    )
    assert verdict.holds
    assert verdict.decreasing_from == 3
    assert 1.1 < verdict.decay < 1.25


def test_three_row_envelope_names_the_boards() -> None:
    table = solve_random(9)
    envelope = three_row_envelope(table)
    for values, rows in (
        (envelope.least, envelope.least_rows),
        (envelope.greatest, envelope.greatest_rows),
    ):
        assert rows.sum(axis=1).tolist() == envelope.cookies.tolist()
        chances = table.win_probability_batch(rows.astype(np.int64))
        assert np.allclose(0.5 - chances, values, rtol=0, atol=1e-15)


def test_envelope_verdict_reports_where_it_fails() -> None:
    verdict = check_envelope([3, 4, 5, 6], [0.1, 0.0, -0.1, 0.1], [0.4, 0.5, 0.3, 0.2])
    assert verdict.holds is False
    assert verdict.counterexample == 4
    assert verdict.decreasing_from == 4


def test_families_without_such_boards() -> None:
    with pytest.raises(InvalidPositionError, match="1 x 9"):
        check_box(1, 9)
    with pytest.raises(InvalidPositionError, match="2 cookies"):
        check_up_to(2)
    with pytest.raises(InvalidPositionError, match="2 cookies"):
        envelopes_up_to(2)
    with pytest.raises(InvalidPositionError, match="first row of 1"):
        check_three_rows(solve_random(1))
    with pytest.raises(InvalidPositionError, match="same length"):
        check_envelope([3, 4], [0.1, 0.1], [inf, inf])


def test_families_that_are_too_large() -> None:
    with pytest.raises(ResourceLimitError):
        check_box(12, 12)
    with pytest.raises(ResourceLimitError):
        check_box(10**9, 10**9)
    with pytest.raises(ResourceLimitError):
        envelopes_up_to(80)
