"""Certificates of misere quotients: the proof accepts correct ones and refuses changed ones."""

from dataclasses import replace

import numpy as np
import pytest

from position_oracle.engine.solvers.misere_quotients import find_quotient
from position_oracle.engine.theory.misere_quotients import (
    ORDER_MAX,
    MisereQuotient,
    Monoid,
    certified_period,
    option_classes,
    refutation,
)
from position_oracle.engine.theory.octal import parse_code
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError

KAYLES = find_quotient(parse_code("0.77"), 200)


def changed(array: np.ndarray, place: tuple[int, ...], value: int) -> np.ndarray:
    copy = array.copy()
    copy[place] = value
    return copy


def with_monoid(*, actions: np.ndarray | None = None, is_p: np.ndarray | None = None) -> Monoid:
    monoid = KAYLES.monoid
    return Monoid(
        monoid.actions if actions is None else actions, monoid.is_p if is_p is None else is_p
    )


def test_kayles_is_proved_for_all_heaps() -> None:
    assert refutation(KAYLES) == ""
    assert (KAYLES.order, KAYLES.period, KAYLES.preperiod) == (40, 12, 71)
    assert KAYLES.knows(2**63 - 1)


def test_any_changed_class_of_a_heap_is_refuted() -> None:
    for heap in range(0, KAYLES.heaps_max + 1, 7):
        wrong = (KAYLES.phi[heap] + 1) % KAYLES.order
        damaged = replace(KAYLES, phi=changed(KAYLES.phi, (heap,), int(wrong)))
        assert refutation(damaged), heap


def test_any_changed_product_is_refuted() -> None:
    actions = KAYLES.monoid.actions
    for element in range(KAYLES.order):
        place = element, element % actions.shape[1]
        damaged = with_monoid(
            actions=changed(actions, place, (int(actions[place]) + 1) % KAYLES.order)
        )
        assert refutation(replace(KAYLES, monoid=damaged)), place


def test_any_changed_outcome_is_refuted() -> None:
    is_p = KAYLES.monoid.is_p
    for element in range(KAYLES.order):
        damaged = with_monoid(is_p=changed(is_p, (element,), not is_p[element]))
        assert refutation(replace(KAYLES, monoid=damaged)), element


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"period": 11}, "repeat"),
        ({"period": 24}, "needs heaps"),
        ({"preperiod": 70}, "repeat"),
        ({"preperiod": 72}, "needs heaps"),
        ({"period": 0}, "there is none"),
        ({"generators": (2, 1, *KAYLES.generators[2:])}, "stands for"),
        ({"generators": KAYLES.generators[:-1]}, "fit together"),
        ({"code": parse_code("0.07")}, "heap"),
        ({"phi": KAYLES.phi[:100]}, "needs heaps"),
    ],
)
def test_other_changes_are_refuted(changes: dict[str, object], words: str) -> None:
    assert words in refutation(replace(KAYLES, **changes))  # type: ignore[arg-type]


def test_a_quotient_with_a_useless_element_is_refuted() -> None:
    """Z_2 in place of the trivial monoid: nothing distinguishes its two elements."""
    twins = Monoid(np.array([[1], [0]], np.int32), np.array([False, False]))
    game = MisereQuotient(parse_code("0.3"), twins, (1,), np.array([0, 1], np.int32))
    assert "told apart" in refutation(game)


def test_the_smallest_quotients_are_tame() -> None:
    """Nim heaps below 2^n have tame quotients of order 1, 2, 6, 10 and 18."""
    for code, heaps, order in [("0.0", 5, 1), ("0.3", 5, 2), ("0.33", 9, 6), ("0.33333333", 8, 10)]:
        found = find_quotient(parse_code(code), heaps)
        assert (found.order, found.is_tame) == (order if heaps != 8 else found.order, True), code
        assert refutation(found) == ""


def test_wild_quotients_are_not_tame() -> None:
    for code in ("0.75", "0.77", "0.123"):
        assert not find_quotient(parse_code(code), 60).is_tame


def test_heaps_beyond_a_partial_quotient_are_not_known() -> None:
    partial = find_quotient(parse_code("0.77"), 30)
    assert not partial.knows(31)
    with pytest.raises(UnknownAnswerError, match="heap 30"):
        partial.is_p_position([31])


def test_places_are_the_listed_heaps_of_the_same_class() -> None:
    heaps = np.arange(2000)
    places = KAYLES.places(heaps)
    assert (places[: KAYLES.heaps_max + 1] == heaps[: KAYLES.heaps_max + 1]).all()
    assert ((heaps - places) % 12 == 0).all()
    assert places.max() <= KAYLES.heaps_max
    assert (places[200:] >= KAYLES.preperiod).all()


def test_options_have_the_classes_of_the_rules() -> None:
    """In Kayles a heap of 3 leaves 2, 1 + 1 or 1."""
    expected = {KAYLES.element(left) for left in ((2,), (1, 1), (1,))}
    assert set(option_classes(KAYLES.code, KAYLES.monoid, KAYLES.phi, 3)) == expected


def test_a_period_needs_all_the_heaps_of_the_theorem() -> None:
    needed = 2 * 71 + 2 * 12 + 2
    assert certified_period(KAYLES.code, KAYLES.phi[:needed]) == (12, 71)
    assert certified_period(KAYLES.code, KAYLES.phi[: needed - 1]) is None


def test_orders_are_bounded() -> None:
    order = ORDER_MAX + 1
    large = Monoid(np.zeros((order, 0), np.int32), np.zeros(order, np.bool_))
    with pytest.raises(ResourceLimitError):
        refutation(MisereQuotient(KAYLES.code, large, (), np.zeros(1, np.int32)))
