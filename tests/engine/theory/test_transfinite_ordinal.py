"""Ordinals below epsilon_0: golden cases, laws, text both ways, an independent implementation."""

import json
import operator
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.transfinite import ordinal as module
from position_oracle.engine.theory.transfinite.ordinal import (
    MAX_HEIGHT,
    OMEGA,
    OMEGA_2,
    OMEGA_OMEGA,
    ONE,
    ZERO,
    Ordinal,
    left_sub,
    natural,
    omega_power,
    ordinal_add,
)
from position_oracle.engine.theory.transfinite.ordinal_text import (
    format_ordinal,
    parse_ordinal,
    sort_key,
)
from position_oracle.oracle.reproduce.papers.transfinite.products import ordinal_mul
from position_oracle.schema.errors import InvalidPositionError, NotationError
from tests.each import for_each

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "transfinite.json").read_text())
CASES = [case for case in GOLDEN["cases"] if case["kind"] == "ordinal"]


def of_terms(terms: list[tuple[Ordinal, int]]) -> Ordinal:
    return Ordinal(tuple(sorted(dict(terms).items(), reverse=True)))


coefficients = st.integers(1, 4) | st.integers(1, 99_999)
finite = st.integers(0, 6).map(natural)
ordinals = st.recursive(
    finite,
    lambda below: st.lists(st.tuples(below, coefficients), max_size=4).map(of_terms),
    max_leaves=8,
)

OPERATORS = {
    "natural_add": operator.add,
    "natural_mul": operator.mul,
    "nim_sum": lambda *values: reduce(operator.xor, values),
}


@for_each("case", CASES)
def test_golden_cases(case: dict[str, Any]) -> None:
    if case["op"] == "parse":
        assert case["result"] == "error"
        with pytest.raises(NotationError):
            parse_ordinal(case["args"][0])
        return
    args = [parse_ordinal(text) for text in case["args"]]
    if case["op"] == "compare":
        left, right = args
        assert case["result"] == ("<" if left < right else ">" if left > right else "=")
    else:
        operation = OPERATORS.get(case["op"]) or getattr(module, case["op"])
        assert str(operation(*args)) == case["result"]


def test_examples_of_the_paper() -> None:
    w = OMEGA
    assert str(omega_power(2, 3) + w * 5 + 19) == "w^2*3+w*5+19"
    assert ordinal_add(w, 1) == w + 1
    assert ordinal_add(1, w) == w
    assert ordinal_mul(w, 2) == w * 2
    assert ordinal_mul(2, w) == w
    assert left_sub(w, w * 8 + 4) == w * 7 + 4
    assert left_sub(w, OMEGA_2 + 1) == OMEGA_2 + 1
    chain = [ZERO, natural(7), w, w + 1, w * 2, w * 2 + 1, w * 3, OMEGA_2, OMEGA_2 + 1, OMEGA_OMEGA]
    assert chain == sorted(chain)
    assert len(set(chain)) == len(chain)


@given(ordinals, ordinals, ordinals)
def test_natural_operations_are_commutative_associative_distributive(
    a: Ordinal, b: Ordinal, c: Ordinal
) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c


@given(ordinals, st.integers(0, 5))
def test_an_integer_equals_only_its_ordinal(a: Ordinal, n: int) -> None:
    assert (a == n) == (a == natural(n))
    assert a + OMEGA != n


@given(ordinals, ordinals, ordinals)
def test_ordinary_operations_are_associative_and_left_distributive(
    a: Ordinal, b: Ordinal, c: Ordinal
) -> None:
    assert ordinal_add(ordinal_add(a, b), c) == ordinal_add(a, ordinal_add(b, c))
    assert ordinal_mul(ordinal_mul(a, b), c) == ordinal_mul(a, ordinal_mul(b, c))
    assert ordinal_mul(a, ordinal_add(b, c)) == ordinal_add(ordinal_mul(a, b), ordinal_mul(a, c))


@given(ordinals, ordinals)
def test_ordinary_operations_are_at_most_the_natural_ones(a: Ordinal, b: Ordinal) -> None:
    assert max(a, b) <= ordinal_add(a, b) <= a + b
    assert ordinal_mul(a, b) <= a * b


@given(ordinals, ordinals, ordinals)
def test_order_is_total_and_kept_by_sums(a: Ordinal, b: Ordinal, c: Ordinal) -> None:
    assert (a < b) + (a == b) + (a > b) == 1
    assert (a <= b) == (not b < a)
    if a < b:
        assert a + c < b + c
        assert ordinal_add(c, a) < ordinal_add(c, b)
    assert sorted([a, b, c])[0] <= sorted([a, b, c])[2]


@given(ordinals, ordinals)
def test_left_subtraction_undoes_addition(a: Ordinal, b: Ordinal) -> None:
    assert left_sub(a, ordinal_add(a, b)) == b
    low, high = min(a, b), max(a, b)
    assert ordinal_add(low, left_sub(low, high)) == high
    if low < high:
        with pytest.raises(InvalidPositionError, match="exceeds"):
            left_sub(high, low)


@given(ordinals, ordinals, ordinals)
def test_nim_sum_is_a_group_of_exponent_two(a: Ordinal, b: Ordinal, c: Ordinal) -> None:
    assert (a ^ b) ^ c == a ^ (b ^ c)
    assert a ^ b == b ^ a
    assert a ^ a == ZERO
    assert a ^ ZERO == a
    assert a ^ b <= a + b


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_finite_ordinals_are_natural_numbers(m: int, n: int) -> None:
    a, b = natural(m), natural(n)
    assert int(a + b) == int(ordinal_add(a, b)) == m + n
    assert int(a * b) == int(ordinal_mul(a, b)) == m * n
    assert int(a ^ b) == m ^ n
    assert (a == n) == (m == n)
    assert hash(a) == hash(m)
    assert (a < b, a < n) == (m < n, m < n)


@given(ordinals)
def test_text_round_trip(a: Ordinal) -> None:
    assert parse_ordinal(format_ordinal(a)) == a


@given(ordinals, ordinals)
def test_sort_keys_order_like_ordinals(a: Ordinal, b: Ordinal) -> None:
    assert (sort_key(a) < sort_key(b)) == (a < b)
    assert sort_key(a).isascii()


def test_unicode_is_read() -> None:
    assert parse_ordinal("ω^2·3+ω·5+19") == omega_power(2, 3) + OMEGA * 5 + 19


@for_each(
    "text",
    [
        *("", " ", "w ", " 1", "w + 1", "x+1", "-1", "+1", "1+", "w+", "w^", "w*", "w^^2", "07"),
        *(
            "w*0",
            "w*1",
            "w^0",
            "w^1",
            "w^(2)",
            "w^(w)",
            "w^()",
            "w^(0)",
            "w^(1)",
            "0+1",
            "00",
            "07",
        ),
        *("1+w", "w+w", "w+w*2", "5+3", "w*2+w^2", "3*w", "2w", "w2", "ww", "w^w^2", "W", "１"),
        *("(w)", "(", ")", "w^(w+1", "w^w+1)", "w)(", "w^((w+1))", "w\n+1", "0w", "w^-1", "w*-1"),
        *("e0", "epsilon_0", "ε", "ε_0", "ε₀+1", "w_1", "ω₁", "w^ε", "inf", "None"),
        "9" * 19,
        "w*" + "9" * 19,
        "w^100000",
        "w^" + "9" * 10_000,
        "9" * 1_000_000,
        "(" * 100_000,
        "w^(" * 50_000 + "w+1" + ")" * 50_000,
        "w^(" * 30 + "w+1" + ")" * 30,
        "+".join(f"w^{n}" for n in range(9999, 2, -1)),
    ],
)
def test_bad_text_is_refused_at_once(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_ordinal(text)
    assert len(str(caught.value)) < 300


def test_messages_say_where() -> None:
    with pytest.raises(NotationError, match="character 5"):
        parse_ordinal("w^2+x")
    with pytest.raises(NotationError, match="below epsilon_0"):
        parse_ordinal("ε_0")


@given(st.text(alphabet="w^*+()0123456789ω·ε xX", max_size=12))
def test_whatever_is_read_is_canonical(text: str) -> None:
    try:
        value = parse_ordinal(text)
    except NotationError:
        return
    assert text.replace("ω", "w").replace("·", "*") == format_ordinal(value)


def test_terms_are_checked() -> None:
    for exponent, coefficient in ((2, -1), (-1, 1)):
        with pytest.raises(InvalidPositionError, match="negative"):
            omega_power(exponent, coefficient)
    with pytest.raises(InvalidPositionError, match="negative"):
        natural(-1)
    with pytest.raises(InvalidPositionError, match="infinite"):
        int(OMEGA)


def test_towers_end() -> None:
    value = ONE
    for _ in range(MAX_HEIGHT - 1):
        value = omega_power(value)
    with pytest.raises(InvalidPositionError, match="tower"):
        omega_power(value)
    assert value.height == MAX_HEIGHT
    assert value == value + ZERO
    assert str(value).count("w") == MAX_HEIGHT - 1


def test_sympy_agrees_on_the_ordinary_operations() -> None:
    sets = pytest.importorskip("sympy.sets.ordinals")

    def convert(a: Ordinal) -> Any:
        terms = [sets.OmegaPower(convert(e) if e else 0, c) for e, c in a.terms]
        return sets.Ordinal(*terms)

    @given(ordinals, ordinals)
    def check(a: Ordinal, b: Ordinal) -> None:
        x, y = convert(a), convert(b)
        assert (x < y, x == y) == (a < b, a == b)
        assert x + y == convert(ordinal_add(a, b))
        assert x * y == convert(ordinal_mul(a, b))

    run: Callable[[], None] = check
    run()
