"""Sequences of values: arrays, single heaps and heaps by value agree, whatever is certified."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.periodicity import (
    PeriodCertificate,
    ValueSequence,
    find_period,
)
from position_oracle.schema.errors import UnknownAnswerError

BEYOND = 60
"""Heaps up to this one are asked about: beyond every table."""


@st.composite
def sequences(draw: st.DrawFn, *, rises: bool = False) -> tuple[ValueSequence, list[int]]:
    """A table with its certificate, and the values of all heaps up to `BEYOND`."""
    period, start = draw(st.integers(1, 6)), draw(st.integers(0, 5))
    saltus = draw(st.sampled_from((1, 4) if rises else (0, 1, 4)))
    residues = st.lists(st.booleans(), min_size=period, max_size=period)
    rising = (True,) * period if rises else tuple(draw(residues))
    values = draw(st.lists(st.integers(0, 9), min_size=start + period, max_size=start + period))
    while len(values) <= BEYOND:
        heap = len(values)
        values.append(values[heap - period] + saltus * (saltus > 0 and rising[heap % period]))
    length = start + period + draw(st.integers(0, 7))
    certificate = PeriodCertificate(
        "a theorem", period, start - 1, length - 1, saltus, rising if saltus else ()
    )
    return ValueSequence(np.array(values[:length], np.int64), certificate), values


@given(sequences(), st.permutations(range(BEYOND + 1)))
def test_certified_values_go_on(drawn: tuple[ValueSequence, list[int]], heaps: list[int]) -> None:
    sequence, values = drawn
    expected = [values[heap] for heap in heaps]
    assert [sequence.at(heap) for heap in heaps] == expected
    assert sequence.many(np.array(heaps, np.int64)).tolist() == expected
    inside = np.arange(len(sequence.values))
    assert sequence.many(inside).tolist() == values[: len(inside)]


@given(sequences(), st.permutations(range(BEYOND + 1)))
def test_without_a_certificate_values_beyond_the_table_are_unknown(
    drawn: tuple[ValueSequence, list[int]], heaps: list[int]
) -> None:
    sequence = ValueSequence(drawn[0].values, None)
    count, values = len(sequence.values), drawn[1]
    known = [values[heap] if heap < count else -1 for heap in heaps]
    assert sequence.many(np.array(heaps, np.int64)).tolist() == known
    assert sequence.statement is None
    assert sequence.at(count - 1) == values[count - 1]
    with pytest.raises(UnknownAnswerError, match=f"up to heap {count - 1}"):
        sequence.at(count)


@given(sequences(rises=True), st.integers(0, BEYOND))
def test_heaps_are_found_by_their_value(drawn: tuple[ValueSequence, list[int]], heap: int) -> None:
    """Each once: heaps of the table, of its last period, and beyond."""
    sequence, values = drawn
    for value in (values[heap], values[heap] + 1, -1):
        found = [one for one in sequence.heaps_worth(value) if one <= BEYOND]
        assert sorted(found) == [one for one, worth in enumerate(values) if worth == value]


@st.composite
def tables(draw: st.DrawFn) -> list[int]:
    """Values that repeat, of one byte or two, with some exceptions at any place."""
    largest = draw(st.sampled_from((1, 3, 300)))
    number = st.integers(0, largest)
    pattern, count = (
        draw(st.lists(number, min_size=1, max_size=9)),
        draw(st.integers(1, 1_400)),
    )
    values = [pattern[heap % len(pattern)] for heap in range(count)]
    places = st.integers(0, count - 1) | st.sampled_from((0, count // 2, count - 1))
    for place in draw(st.lists(places, max_size=3)):
        values[place] = draw(number)
    return values


@given(tables(), st.integers(1, 40))
def test_the_shortest_period_that_is_certain_is_found(values: list[int], window: int) -> None:
    """A theorem needs as many values as the window after each exception."""
    table, expected = np.array(values, np.int64), None
    for period in range(1, len(values)):
        differs = np.flatnonzero(table[:-period] != table[period:])
        last_exception = int(differs.max(initial=-1))
        if max(last_exception + 1, 1) + period + window <= len(values):
            expected = period, last_exception
            break
    assert find_period(table, lambda start, p: start + p + window, window) == expected


@pytest.mark.parametrize("place", [0, 1, 2, *range(115, 122), *range(1139, 1146), 1392])
def test_the_last_exception_is_found_wherever_it_is(place: int) -> None:
    """Tables are compared backwards, in blocks of 256, 1,024, ... values."""
    values = np.arange(1_401) % 4
    values[place] = 9
    assert find_period(values, lambda start, p: start + p, 4) == (4, place)
