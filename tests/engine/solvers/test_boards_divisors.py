"""Games of divisors with any number of primes, against boards and against play with plain sets."""

from functools import cache
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers import boards
from position_oracle.engine.solvers.divisors import fill_small, solve_divisors
from position_oracle.engine.theory import divisors as schuh
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError
from tests.reference.boards_naive import mex

Left = frozenset[int]


def value(number: schuh.Factors) -> int:
    return prod(prime**exponent for prime, exponent in number)


def divisors_of(*numbers: int) -> Left:
    return frozenset(d for n in numbers for d in range(1, n + 1) if n % d == 0)


def children(left: Left) -> dict[int, Left]:
    return {d: frozenset(n for n in left if n % d) for d in sorted(left)}


@cache
def grundy(left: Left) -> int:
    return mex({grundy(child) for named, child in children(left).items() if named > 1})


@cache
def remoteness(left: Left) -> int:
    below = [remoteness(child) for named, child in children(left).items() if named > 1]
    lost = [plies for plies in below if plies % 2 == 0]
    return 1 + (min(lost) if lost else max(below, default=-1))


@settings(deadline=None)
@given(st.sampled_from([30, 60, 72, 36, 16, 1, 42 * 2, 210]), st.data())
def test_agrees_with_plain_sets(number: int, data: st.DataObject) -> None:
    position = schuh.parse(str(number))
    table = solve_divisors(position)
    left = divisors_of(number)
    while left:
        at = table.index(position)
        assert table.grundy[at] == grundy(left)
        assert table.remoteness[at] == remoteness(left)
        assert (table.outcome(position) is Outcome.P) == (grundy(left) == 0)
        wins = {d for d, child in children(left).items() if d > 1 and grundy(child) == 0}
        assert {value(n) for n in table.winning_numbers(position)} == wins
        named = data.draw(st.sampled_from(sorted(left)))
        position = schuh.name(position, schuh.factorize(named))
        left = children(left)[named]
    assert table.outcome(position) is Outcome.N
    assert table.winning_numbers(position) == []


@pytest.mark.parametrize("text", ["2^3*3^2", "2^5*3^5", "2^6,2^4*3^3,3^5", "2^9", "1"])
def test_two_primes_are_boards(text: str) -> None:
    position = schuh.parse(text)
    table = solve_divisors(position)
    board = schuh.to_board(position)
    shape = boards.under(board)
    found = boards.solve_shape(shape)
    assert len(table.words) == shape.count
    assert table.outcome(position) is found.outcome(board)
    assert table.grundy[-1] == boards.solve_grundy(shape).restricted(board)
    assert table.remoteness[-1] == boards.solve_remoteness(shape).remoteness(board)
    bites = [schuh.bite_of(position, number) for number in table.winning_numbers(position)]
    assert sorted(bites) == found.winning_bites(board)


@pytest.mark.parametrize("sides", [(3, 3, 3), (2, 3, 4), (2, 2, 5)])
def test_three_primes_have_as_many_positions_as_there_are_plane_partitions(
    sides: tuple[int, int, int],
) -> None:
    """MacMahon: the product of (i + j + c - 1) / (i + j - 1) over the cells of an a x b box."""
    a, b, c = sides
    cells = [(i, j) for i in range(1, a + 1) for j in range(1, b + 1)]
    count = prod(i + j + c - 1 for i, j in cells) // prod(i + j - 1 for i, j in cells)
    table = solve_divisors(schuh.parse(f"2^{a - 1}*3^{b - 1}*5^{c - 1}"))
    assert len(table.words) == count


def test_games_of_many_primes() -> None:
    """The positions of k single primes are the monotone Boolean functions of k variables."""
    numbers = ["2", "2*3", "2*3*5", "2*3*5*7", "2*3*5*7*11"]
    tables = [solve_divisors(schuh.parse(text)) for text in numbers]
    assert [len(table.words) for table in tables] == [3, 6, 20, 168, 7581]
    for table in tables:
        # Strategy stealing: an answer to naming the number itself could have been named first.
        assert table.outcome(table.position) is Outcome.N
        assert table.winning_numbers(table.position)


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(ResourceLimitError, match="more than 64 divisors"):
        solve_divisors(schuh.parse("2^4*3^4*5^4"))
    with pytest.raises(ResourceLimitError, match="more than 64 divisors"):
        solve_divisors(schuh.parse("2^9999*3^9999*5^9999"))
    with pytest.raises(ResourceLimitError, match="the limit is 524288"):
        solve_divisors(schuh.parse("2*3*5*7*11*13"))
    assert len(solve_divisors(schuh.parse("2^3*3^2"), limit=comb(7, 3)).words) == 35
    with pytest.raises(ResourceLimitError):
        solve_divisors(schuh.parse("2^3*3^2"), limit=34)


def test_positions_that_cannot_arise_are_refused() -> None:
    table = solve_divisors(schuh.parse("30,8"))
    for text in ("7", "60", "16", "8,9", "2^9999*3^9999*5"):
        with pytest.raises(UnknownAnswerError, match="does not arise from"):
            table.outcome(schuh.parse(text))


@pytest.mark.parametrize("text", ["1", "30", "2^3*3^2*5", "60,42", "2*3*5*7", "0"])
def test_small_positions_need_no_kernel(text: str) -> None:
    table = solve_divisors(schuh.parse(text))
    exponents = [dict(number) for number in table.numbers]
    kept = np.array(
        [
            sum(
                1 << bit
                for bit, other in enumerate(exponents)
                if any(other.get(prime, 0) < e for prime, e in number.items())
            )
            for number in exponents
        ],
        np.uint64,
    )
    grundy, remoteness = np.zeros_like(table.grundy), np.zeros_like(table.remoteness)
    fill_small(table.words, kept, grundy, remoteness)
    assert np.array_equal(grundy, table.grundy)
    assert np.array_equal(remoteness, table.remoteness)
