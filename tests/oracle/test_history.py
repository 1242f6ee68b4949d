"""An answer depends on the question and the tables, not on earlier questions or on threads."""

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory.transfinite import small_families
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.resources import StoredTable
from position_oracle.oracle.loading import load_tables
from position_oracle.schema.errors import PositionOracleError
from tests.oracle import mixed
from tests.oracle.mixed import Question, question


def ask(oracle: Oracle, asked: Question) -> object:
    """Return the answer with arrays as text, where NaN equals NaN, or the type and text of an
    error.
    """
    name, arguments = asked
    try:
        return _readable(getattr(oracle, name)(*arguments))
    except PositionOracleError as error:
        return type(error), str(error)


def _readable(answer: Any) -> object:
    if isinstance(answer, tuple):
        return tuple(map(_readable, answer))
    return str(answer.tolist()) if isinstance(answer, np.ndarray) else answer


def alone(asked: Question, tables: tuple[StoredTable, ...] = ()) -> object:
    """Return the answer of an oracle that has answered nothing before."""
    small_families._split_lines.cache_clear()
    return ask(Oracle(tables), asked)


@contextmanager
def threads_that_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def tables(store: Path) -> tuple[StoredTable, ...]:
    return tuple(load_tables(store))


@pytest.mark.parametrize("with_tables", [False, True])
def test_after_many_questions(tables: tuple[StoredTable, ...], with_tables: bool) -> None:
    rng = random.Random(18)
    at_hand = tables if with_tables else ()
    planner = Oracle(at_hand)
    asked = [question(rng, planner) for _ in range(70)]
    expected = [alone(each, at_hand) for each in asked]
    for order in (asked, asked[::-1]):
        oracle = Oracle(at_hand)
        found = dict(zip(order, [ask(oracle, each) for each in order], strict=True))
        for each, answer in zip(asked, expected, strict=True):
            assert found[each] == answer, each


@given(st.integers(0, len(mixed.DRAWS) - 1), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_pairs_in_both_orders(kind: int, rng: random.Random) -> None:
    pair = [mixed.about(rng, mixed.DRAWS[kind](rng)) for _ in range(2)]
    assume(all(mixed.is_cheap(each, Oracle()) for each in pair))
    expected = [alone(each) for each in pair]
    for order in ((0, 1), (1, 0)):
        oracle = Oracle()
        for number in order:
            assert ask(oracle, pair[number]) == expected[number]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("chomp:6/6/6/6", "chomp:4/4/4/4"),  # the first board's table holds the second board, too
        ("divisors:2^2*3*5", "divisors:30"),
        ("toads:TT.FF;5", "toads:TT.FF;3"),  # a search with two passes fewer
        ("chomp:3/2/1;4", "chomp:3/2/1;6"),
        ("octal{code=0.156}:[8000]", "octal{code=0.156}:[30]"),  # one that certifies a period
        ("octal{code=0.16}:[9000]", "octal{code=0.16}:[30]"),
    ],
)
def test_cached_results_change_no_other_answer(first: str, second: str) -> None:
    oracle = Oracle()
    ask(oracle, ("analyze", (first,)))
    for name in ("outcome", "winning_moves", "analyze", "best_line"):
        assert ask(oracle, (name, (second,))) == alone((name, (second,)))


def test_reach_does_not_grow_with_what_was_asked() -> None:
    """A pair with too many others within reach stays unknown, even if most of them were found."""
    small_families._split_lines.cache_clear()
    far, near = (745, 1001), [(489, 1001), (745, 488), (745, 744)]

    def value(pair: tuple[int, int]) -> int | None:
        return small_families.split_pair(*pair, 1, coupled=False)

    assert value(far) is None
    assert any(value(pair) is not None for pair in near)
    assert value(far) is None


def test_threads_find_whole_lines() -> None:
    """Threads ask about one family at the same time. None may see an unfinished line of another."""

    def value(pair: tuple[int, int]) -> int | None:
        return small_families.split_pair(*pair, 7, coupled=False)

    expected = {}
    pairs = [(1300, 276), (1300, 1301 ^ 1), (276, 39), (640, 641), (96, 97), (700, 189)]
    for pair in pairs:
        small_families._split_lines.cache_clear()
        expected[pair] = value(pair)
    assert any(expected.values())
    with threads_that_take_turns_often(), ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            small_families._split_lines.cache_clear()
            found = list(pool.map(value, pairs * 2))
            assert found == [expected[pair] for pair in pairs * 2]


@pytest.mark.parametrize(
    "count",
    [120, pytest.param(20_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])],
)
def test_threads_with_mixed_questions(tables: tuple[StoredTable, ...], count: int) -> None:
    """Several threads ask different questions at the same time."""
    rng = random.Random(8)
    planner = Oracle(tables)
    asked = [question(rng, planner) for _ in range(count)]
    asked[::3] = [each for each in asked[::9] for _ in range(3)][: len(asked[::3])]
    oracle = Oracle(tables)
    small_families._split_lines.cache_clear()
    with threads_that_take_turns_often(), ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda each: ask(oracle, each), asked))
    expected: dict[Question, object] = {}
    wrong = []
    for each, answer in zip(asked, found, strict=True):
        if each not in expected:
            expected[each] = alone(each, tables)
        if answer != expected[each]:
            wrong.append((each, answer, expected[each]))
    assert wrong == []
