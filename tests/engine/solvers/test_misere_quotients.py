"""Misere quotients found and proved, compared with brute force and with published orders."""

import random

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.solvers import misere_quotients, misere_words
from position_oracle.engine.solvers.misere_quotients import QuotientFinder, find_quotient
from position_oracle.engine.theory.misere_quotients import refutation
from position_oracle.engine.theory.octal import parse_code
from position_oracle.schema.errors import ResourceLimitError, StoppedError
from tests.reference.heap_rules_naive import Heaps, NaiveGame, octal_children

PUBLISHED = [
    # code, order, period, first heap of the period
    ("0.75", 8, 2, 8),  # R_8, the smallest wild quotient: Plambeck and Siegel 2008
    ("0.77", 40, 12, 71),  # Kayles: Plambeck and Siegel 2008; Sibert and Conway 1992
    ("0.123", 20, 5, 5),  # Plambeck, Taming the wild, Integers 5 (2005) G5
]

CODES = [
    "0.77",
    "0.07",
    "0.137",
    "0.123",
    "0.15",
    "0.26",
    "0.34",
    "0.53",
    "0.6",
    "0.71",
    "0.75",
    "4.7",
]


@pytest.mark.parametrize(("code", "order", "period", "first"), PUBLISHED)
def test_orders_and_periods_are_those_published(
    code: str, order: int, period: int, first: int
) -> None:
    found = find_quotient(parse_code(code), 200)
    assert (found.order, found.period, found.preperiod) == (order, period, first)
    assert refutation(found) == ""


def test_single_rows_of_kayles_that_lose_are_those_of_sibert_and_conway() -> None:
    """Mathematical Kayles, Internat. J. Game Theory 20 (1992): rows of 1, 4, 9, 12 and 20 lose."""
    found = find_quotient(parse_code("0.77"), 200)
    assert [heap for heap in range(1, 5000) if found.is_p_position([heap])] == [1, 4, 9, 12, 20]


@pytest.mark.slow
def test_partial_quotients_of_dawsons_kayles() -> None:
    """Orders 24 from heap 14 on, 144 from 25 and 176 from 27."""
    orders: dict[int, int] = {}
    found = find_quotient(parse_code("0.07"), 29, taken=orders.__setitem__)
    first = {order: min(h for h in orders if orders[h] == order) for order in orders.values()}
    assert first == {1: 1, 2: 2, 6: 4, 12: 10, 24: 14, 144: 25, 176: 27}
    assert (found.heaps_max, refutation(found)) == (29, "")


@pytest.mark.parametrize("code", CODES)
def test_outcomes_are_those_of_brute_force(code: str) -> None:
    game = NaiveGame[Heaps](octal_children(code), misere=True)
    found = find_quotient(parse_code(code), 14, words_max=1 << 14)
    assert refutation(found) == ""
    chance = random.Random(code)
    largest = min(found.heaps_max, 11)
    assert largest >= 9
    for _ in range(150):
        count = chance.randint(1, 4)
        heaps = tuple(sorted(chance.randint(1, largest) for _ in range(count)))
        if sum(heaps) <= 26:
            assert found.is_p_position(heaps) != game.is_n(heaps, 0), heaps


def test_a_quotient_of_more_heaps_gives_the_same_outcomes() -> None:
    """The quotient of Kayles with all heaps agrees with that of heaps up to 26."""
    whole, partial = (find_quotient(parse_code("0.77"), last) for last in (200, 26))
    assert partial.order == 32
    chance = random.Random(7)
    for _ in range(2000):
        heaps = [chance.randint(1, 26) for _ in range(chance.randint(1, 8))]
        assert whole.is_p_position(heaps) == partial.is_p_position(heaps)


def test_the_quotient_ends_where_the_bounds_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misere_quotients, "ORDER_MAX", 30)
    found = find_quotient(parse_code("0.77"), 60, words_max=1 << 12)
    assert (found.order, found.heaps_max, found.period) == (24, 24, 0)
    monkeypatch.undo()
    few = find_quotient(parse_code("0.07"), 60, words_max=1 << 10)
    assert few.heaps_max == 24
    assert refutation(few) == ""


def test_a_heap_that_is_not_found_changes_nothing() -> None:
    finder = QuotientFinder(parse_code("0.07"), 30, words_max=1 << 10)
    for _ in range(24):
        finder.take_in()
    before = finder.quotient
    for _ in range(2):
        with pytest.raises(ResourceLimitError, match="heaps up to 25"):
            finder.take_in()
    assert (finder.quotient.phi == before.phi).all()
    assert (finder.quotient.monoid.actions == before.monoid.actions).all()


def test_the_same_is_found_again() -> None:
    one, other = (find_quotient(parse_code("0.15"), 26, words_max=1 << 16) for _ in range(2))
    assert (one.monoid.actions == other.monoid.actions).all()
    assert (one.phi == other.phi).all()
    assert one.generators == other.generators


def test_work_ends_with_its_budget() -> None:
    budget = Budget()
    budget.cancel()
    with budget.active(), pytest.raises(StoppedError):
        find_quotient(parse_code("0.77"), 60)


def test_compiled_code_gives_the_outcomes_of_plain_code(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for is_loaded in (False, True):
        monkeypatch.setattr(misere_words, "SMALL", 0 if is_loaded else 10**9)
        found[is_loaded] = find_quotient(parse_code("0.77"), 40)
    assert np.array_equal(found[False].monoid.actions, found[True].monoid.actions)
    assert np.array_equal(found[False].monoid.is_p, found[True].monoid.is_p)
    assert np.array_equal(found[False].phi, found[True].phi)
