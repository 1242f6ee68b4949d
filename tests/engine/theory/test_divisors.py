"""Schuh's game of divisors is Chomp written with numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory import divisors as schuh
from position_oracle.schema.errors import InvalidPositionError, NotationError
from tests.reference import boards_naive as naive

PRIMES = ",".join(str(n) for n in range(2, 138) if all(n % d for d in range(2, n)))

boards = st.lists(st.integers(1, 8), min_size=0, max_size=6).map(
    lambda lengths: tuple(sorted(lengths, reverse=True))
)


def value(number: schuh.Factors) -> int:
    product = 1
    for prime, exponent in number:
        product *= prime**exponent
    return product


def left(position: schuh.DivisorPosition) -> set[int]:
    return {value(number) for number in schuh.divisors(position)}


def from_board(board: tuple[int, ...], p: int = 2, q: int = 3) -> schuh.DivisorPosition:
    rows = [f"{p}^{length - 1}*{q}^{up}" for up, length in enumerate(board)]
    return schuh.parse(",".join(rows) or "0")


def divisors_of(*numbers: int) -> set[int]:
    return {d for n in numbers for d in range(1, n + 1) if n % d == 0}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("72", ((2, 3), (3, 2))),
        ("2^3*3^2", ((2, 3), (3, 2))),
        (" 3^2 * 2^3 ", ((2, 3), (3, 2))),
        ("6^2*2", ((2, 3), (3, 2))),
        ("1", ()),
        ("2^0*5", ((5, 1),)),
        ("999999937", ((999999937, 1),)),
        ("1000000000", ((2, 9), (5, 9))),
        ("2^9999", ((2, 9999),)),
    ],
)
def test_numbers_are_read(text: str, number: schuh.Factors) -> None:
    assert schuh.parse_number(text) == number
    assert schuh.parse_number(schuh.format_number(number)) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "2^", "-6", "2**3", "x", "2^-1", "1.5", "٣", "2*0", "2" * 50, "2*" * 3000),
        *("2^10000", "2^9999*2", "1000000001", "*".join(map(str, range(2, 140)))),
    ],
)
def test_other_texts_are_not_read_as_numbers(text: str) -> None:
    with pytest.raises(NotationError):
        schuh.parse_number(text)


@given(st.integers(1, 10**6))
def test_factors_multiply_to_the_number(number: int) -> None:
    factors = schuh.factorize(number)
    assert value(factors) == number
    assert [schuh.factorize(prime) for prime, _ in factors] == [((p, 1),) for p, _ in factors]


@pytest.mark.parametrize("number", [0, -1, 10**9 + 1, 2**200])
def test_numbers_out_of_range_are_refused(number: int) -> None:
    with pytest.raises(InvalidPositionError):
        schuh.factorize(number)


@pytest.mark.parametrize(
    ("text", "canonical", "numbers"),
    [
        ("72", "2^3*3^2", [72]),
        ("8,18", "2^3,2*3^2", [8, 18]),
        ("18, 8, 6, 1", "2^3,2*3^2", [8, 18]),
        ("30,7", "2*3*5,7", [30, 7]),
        ("1", "1", [1]),
        ("0", "0", []),
    ],
)
def test_positions_have_one_text(text: str, canonical: str, numbers: list[int]) -> None:
    position = schuh.parse(text)
    assert schuh.format_position(position) == canonical
    assert schuh.parse(canonical) == position
    assert left(position) == divisors_of(*numbers)


@pytest.mark.parametrize(
    "text", ["", ",", "8,", "8;9", "0,2", ",".join(["2"] * 257), "1" * 5000, PRIMES]
)
def test_other_texts_are_not_read_as_positions(text: str) -> None:
    with pytest.raises(NotationError):
        schuh.parse(text)


@given(st.lists(st.integers(1, 200), min_size=1, max_size=4), st.data())
def test_naming_a_number_takes_its_multiples(numbers: list[int], data: st.DataObject) -> None:
    position = schuh.parse(",".join(map(str, numbers)))
    before = left(position)
    assert before == divisors_of(*numbers)
    named = data.draw(st.sampled_from(sorted(before)))
    after = schuh.name(position, schuh.factorize(named))
    assert left(after) == {number for number in before if number % named}
    assert schuh.parse(schuh.format_position(after)) == after


def test_thin_positions_are_listed_without_a_walk_through_their_box() -> None:
    few = PRIMES.removesuffix(",137")
    position = schuh.parse(few)
    assert len(position.primes) == 32
    assert left(position) == {1, *map(int, few.split(","))}


def test_only_what_is_left_can_be_named() -> None:
    position = schuh.name(schuh.parse("72"), schuh.parse_number("12"))
    assert schuh.format_position(position) == "2^3,2*3^2"
    for gone in ("12", "24", "5", "16"):
        with pytest.raises(InvalidPositionError, match="cannot be named in"):
            schuh.name(position, schuh.parse_number(gone))


def test_72_is_a_rectangle_of_four_by_three() -> None:
    position = schuh.parse("72")
    assert schuh.to_board(position) == (4, 4, 4)
    assert schuh.bite_of(position, schuh.parse_number("12")) == (2, 3)
    assert schuh.number_of(position, (2, 3)) == ((2, 2), (3, 1))
    assert schuh.number_of(position, (1, 1)) == ()
    assert schuh.to_board(schuh.parse("7^4")) == (5,)
    assert schuh.to_board(schuh.parse("1")) == (1,)
    assert schuh.to_board(schuh.parse("0")) == ()


@given(boards)
def test_boards_come_back(board: tuple[int, ...]) -> None:
    position = from_board(board, 5, 7)
    back = schuh.to_board(position)
    assert back == ((len(board),) if len(board) > 1 and board[0] == 1 else board)
    assert from_board(back, 5, 7) == position or len(position.primes) == 1
    assert len(left(position)) == sum(board)


@settings(max_examples=40)
@given(boards)
def test_moves_are_bites(board: tuple[int, ...]) -> None:
    position = from_board(board)
    board = schuh.to_board(position)
    named = set()
    for bite, child in naive.bites(board):
        number = schuh.number_of(position, bite)
        named.add(value(number))
        assert schuh.bite_of(position, number) == bite
        after = schuh.to_board(schuh.name(position, number))
        column = (len(child),) if len(child) > 1 and child[0] == 1 else child
        assert after == column
    assert named == left(position)


def test_three_primes_are_no_flat_board() -> None:
    position = schuh.parse("2^3*3^2*5")
    assert len(left(position)) == 24
    with pytest.raises(InvalidPositionError, match=r"2\^3\*3\^2\*5 has 3 primes .* 4 x 3 x 2"):
        schuh.to_board(position)
    with pytest.raises(InvalidPositionError):
        schuh.bite_of(position, ())
    with pytest.raises(InvalidPositionError):
        schuh.number_of(position, (1, 1))


@pytest.mark.parametrize("bite", [(0, 1), (1, 0), (4, 1), (1, 5)])
def test_bites_outside_the_board_name_nothing(bite: tuple[int, int]) -> None:
    with pytest.raises(InvalidPositionError, match="no cookie"):
        schuh.number_of(schuh.parse("72"), bite)


def test_too_many_corners_are_refused() -> None:
    """Naming a corner of a staircase with steps of two replaces it by two corners."""
    stairs = ",".join(f"2^{2 * i}*3^{510 - 2 * i}" for i in range(256))
    position = schuh.parse(stairs)
    assert len(position.boxes) == 256
    with pytest.raises(InvalidPositionError, match="more than 256 numbers"):
        schuh.name(position, schuh.parse_number("2^2*3^508"))
    assert len(schuh.name(position, schuh.parse_number("3^510")).boxes) == 256
