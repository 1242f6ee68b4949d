"""The rules of the game of divisors: texts, moves and ends, compared with plain sets of numbers."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games import divisors
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.moves import is_over, moves
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import families, rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import divisors as schuh
from position_oracle.schema.errors import InvalidPositionError, NotationError
from tests.reference import boards_naive as naive
from tests.reference.game_tree import GameTree

GAME = GameSpec("divisors")
RULES = divisors.RULES
numbers = st.lists(st.integers(1, 400), min_size=1, max_size=3)


def value(number: schuh.Factors) -> int:
    return prod(prime**exponent for prime, exponent in number)


def left_in(position: Position) -> frozenset[int]:
    """Return the numbers that can still be named: the divisors of those in the text."""
    tops = str(position).removeprefix("divisors:").split(",")
    if tops == ["0"]:
        return frozenset()
    values = [value(schuh.parse_number(top)) for top in tops]
    return frozenset(d for n in values for d in range(1, n + 1) if n % d == 0)


@given(numbers)
def test_moves_name_a_number_and_take_its_multiples(tops: list[int]) -> None:
    position = parse("divisors:" + ",".join(map(str, tops)))
    left = left_in(position)
    assert left == {d for n in tops for d in range(1, n + 1) if n % d == 0}
    listed = list(moves(position))
    named = [value(schuh.named_between(position.value, move.child.value)) for move in listed]
    assert sorted(named) == sorted(left)
    for number, move in zip(named, listed, strict=True):
        assert left_in(move.child) == {n for n in left if n % number}


@given(numbers)
def test_positions_have_one_text_and_one_record(tops: list[int]) -> None:
    position = parse("divisors:" + ",".join(map(str, tops)))
    text = str(position)
    assert parse(text) == position
    assert str(parse(text)) == text
    assert RULES.position(position.game, position.coordinates) == position


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("72", "2^3*3^2"),
        ("2^3*3^2", "2^3*3^2"),
        (" 9 * 8 ", "2^3*3^2"),
        ("18, 8, 6", "2^3,2*3^2"),
        ("1", "1"),
        ("0", "0"),
    ],
)
def test_texts(written: str, canonical: str) -> None:
    assert str(parse(f"divisors:{written}")) == f"divisors:{canonical}"


def test_the_records_that_the_module_shows() -> None:
    assert parse("divisors:72").coordinates == (2, 1, 2, 3, 3, 2)
    assert parse("divisors:8,18").coordinates == (2, 2, 2, 3, 3, 0, 1, 2)
    assert parse("divisors:1").coordinates == (0, 1)
    assert parse("divisors:0").coordinates == (0, 0)


def test_the_player_who_names_one_loses() -> None:
    tree = GameTree()
    assert is_over(parse("divisors:1"))
    assert [tree.outcome(parse(f"divisors:{n}")) for n in (0, 1, 2)] == [
        Outcome.N,
        Outcome.P,
        Outcome.N,
    ]
    assert list(moves(parse("divisors:0"))) == []


@pytest.mark.parametrize("number", ["72", "2^4*3^2", "36", "2^3,3^3", "2^2,2*3,3^3"])
def test_two_primes_play_as_the_board_does(number: str) -> None:
    position = parse(f"divisors:{number}")
    board = schuh.to_board(position.value)
    tree = GameTree()
    assert (tree.outcome(position) is Outcome.P) == naive.is_p(board)
    assert len(tree.winning_moves(position)) == len(naive.winning_bites(board))


@pytest.mark.parametrize("body", ["", "a", "2^", "-3", "2,,3", "2^99999", "0*2", "72;-1", "[72]"])
def test_invalid_positions_are_refused(body: str) -> None:
    with pytest.raises((NotationError, InvalidPositionError)):
        parse(f"divisors:{body}")


@pytest.mark.parametrize(
    "coordinates",
    [
        (),
        (0,),
        (72,),
        (0, 2),
        (1, 1, 4, 1),  # 4 is not a prime
        (1, 1, 2, 0),  # a prime that no number of the position has
        (2, 1, 3, 2, 1, 1),  # primes in descending order
        (1, 2, 2, 2, 1),  # 2 divides 4
        (1, 1, 2),
        (10**9, 10**9),
        (-1, 0),
        (1, 1, 2, -1),
    ],
)
def test_invalid_coordinates_are_refused(coordinates: tuple[int, ...]) -> None:
    with pytest.raises(InvalidPositionError, match="divisors"):
        RULES.position(GAME, coordinates)


def test_the_family_is_known_with_its_options() -> None:
    assert "divisors" in families()
    assert rules_of("divisors") is RULES
    assert parse_game("divisors") == GAME
    assert parse_game("divisors{passes=1,misere}").passes == 1
    for text in ("divisors{passes=-1}", "divisors{rule=both}", "divisors{heaps=2}"):
        with pytest.raises(NotationError):
            parse_game(text)
