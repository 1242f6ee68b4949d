"""Numbers in texts and arguments: the limits, one less and one more; and how messages show them."""

import numpy as np
import pytest

from position_oracle.schema.errors import ArrayTypeError, InvalidPositionError, NotationError
from position_oracle.schema.numbers import (
    MAX_BRIEF,
    MAX_DIGITS,
    brief,
    read_decimal,
    read_digits,
    read_int,
    shown,
    shown_value,
    whole,
)

SHOWN = 60
"""Maximum length of a text that a message shows in full."""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        (" +007 ", 7),
        ("-7", -7),
        ("9" * MAX_DIGITS, 10**MAX_DIGITS - 1),
        ("9" * (MAX_DIGITS + 1), None),
        ("", None),
        ("+", None),
        ("1_000", None),
        ("1.0", None),
        ("٣", None),
        ("7\n7", None),
    ],
)
def test_whole_numbers_in_texts(text: str, number: int | None) -> None:
    assert read_digits(text) == number
    if number is None:
        with pytest.raises(NotationError, match="heaps="):
            read_int(text, 0, 10**MAX_DIGITS, "heaps")


def test_whole_numbers_have_a_least_and_a_largest() -> None:
    for number in range(-3, 8):
        if -1 <= number <= 5:
            assert read_int(str(number), -1, 5, "n") == number
        else:
            with pytest.raises(NotationError, match=f"n={number}; allowed .* from -1 to 5"):
                read_int(str(number), -1, 5, "n")


@pytest.mark.parametrize("text", ["0", "0.5", ".5", "+1", "1.0", "5e-1", "1E0", " 0.25 "])
def test_decimal_numbers_are_read(text: str) -> None:
    assert read_decimal(text, 0, 1, "epsilon") == float(text)


@pytest.mark.parametrize(
    "text", ["", ".", "1.", "1e", "nan", "inf", "1e999", "1.0001", "-0.0001", "0x1", "1e0001", "½"]
)
def test_other_decimal_numbers_are_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"epsilon=.* from 0 to 1"):
        read_decimal(text, 0, 1, "epsilon")


@pytest.mark.parametrize("number", [0, -5, np.int8(3), np.uint64(2**64 - 1), True])
def test_whole_arguments_are_python_integers(number: int) -> None:
    assert type(whole(number, "n")) is int
    assert whole(number, "n") == int(number)


def test_whole_arguments_have_a_largest_number_of_digits() -> None:
    for sign in (1, -1):
        assert whole(sign * (10**MAX_DIGITS - 1), "n") == sign * (10**MAX_DIGITS - 1)
        with pytest.raises(InvalidPositionError, match=f"n has more than {MAX_DIGITS} digits"):
            whole(sign * 10**MAX_DIGITS, "n")
    with pytest.raises(ArrayTypeError, match=r"n is 1\.5, a float; give an integer"):
        whole(1.5, "n")  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [0, 1, SHOWN - 1, SHOWN, SHOWN + 1, 500])
def test_messages_show_the_beginning_of_long_texts(length: int) -> None:
    text = "a" * length
    expected = text if length <= SHOWN else text[:57] + "..."
    assert shown(text) == repr(expected)
    said = shown_value(int("1" * max(length, 1)))
    assert said == (expected or "a").replace("a", "1")


def test_messages_show_any_argument_in_one_line() -> None:
    assert shown_value(np.array([[1, 2], [3, 4]])) == "array([[1, 2], [3, 4]])"
    assert shown_value(10**5000) == "a int of very many digits"


@pytest.mark.parametrize("length", [0, MAX_BRIEF - 1, MAX_BRIEF, MAX_BRIEF + 1, 5000])
def test_long_positions_show_both_ends(length: int) -> None:
    text = ("nim:" + "3," * length)[:length]
    if length <= MAX_BRIEF:
        assert brief(text) == text
    else:
        assert brief(text) == f"{text[:80]}...{text[-20:]} ({length:,} characters)"
