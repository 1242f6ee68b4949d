"""The reader of all numbers, in texts (positions, options, limits) and in arguments."""

import re
from operator import index
from typing import Final, SupportsIndex

from position_oracle.schema.errors import ArrayTypeError, InvalidPositionError, NotationError

MAX_DIGITS: Final = 40
"""Maximum number of digits read, including leading zeros; larger numbers have no use here."""

MAX_BRIEF: Final = 200
"""Maximum length of the text of a position that is shown in full in messages and at a terminal."""

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{0,40}\.?[0-9]{1,40}(?:[eE][+-]?[0-9]{1,3})?")
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,40}")


def read_int(text: str, least: int, most: int, what: str) -> int:
    """Read a whole number in ASCII digits; a sign, leading zeros and spaces are allowed.

    Args:
        text: the digits.
        least: the minimum.
        most: the maximum.
        what: a name of the number, for the message, e.g. `passes`.

    Raises:
        NotationError: the text is not such a number.
    """
    number = read_digits(text)
    if number is None or not least <= number <= most:
        value = shown(text.strip()) if number is None else number
        raise NotationError(f"{what}={value}; allowed are whole numbers from {least} to {most}")
    return number


def read_decimal(text: str, least: float, most: float, what: str) -> float:
    """Read a number in ASCII digits; a sign, a fraction and an exponent are allowed.

    Args:
        text: the number.
        least: the minimum.
        most: the maximum.
        what: a name of the number, for the message, e.g. `epsilon`.

    Raises:
        NotationError: the text is not such a number.
    """
    text = text.strip()
    if _DECIMAL.fullmatch(text) and least <= float(text) <= most:
        return float(text)
    raise NotationError(f"{what}={shown(text)}; allowed are numbers from {least:g} to {most:g}")


def read_digits(text: str) -> int | None:
    """Read a whole number of at most `MAX_DIGITS` ASCII digits; None if the text is not one."""
    text = text.strip()
    return int(text) if _WHOLE.fullmatch(text) else None


def whole(value: SupportsIndex, name: str) -> int:
    """Return the integer that an argument is; numpy integers are accepted.

    Raises:
        ArrayTypeError: the argument is not an integer.
        InvalidPositionError: it has more than `MAX_DIGITS` digits.
    """
    try:
        number = int(index(value))
    except TypeError:
        kind = type(value).__name__
        raise ArrayTypeError(f"{name} is {shown_value(value)}, a {kind}; give an integer") from None
    if abs(number) >= 10**MAX_DIGITS:
        raise InvalidPositionError(f"{name} has more than {MAX_DIGITS} digits")
    return number


def shown_value(value: object) -> str:
    """Format an argument for a message: in one line, shortened; a huge number by its type."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:
        return f"a {type(value).__name__} of very many digits"
    return text if len(text) <= 60 else text[:57] + "..."


def shown(text: str) -> str:
    """Format a text for a message: quoted, and shortened if it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def brief(text: str) -> str:
    """Format the text of a position for people: a long one shows only its beginning and end."""
    if len(text) <= MAX_BRIEF:
        return text
    return f"{text[:80]}...{text[-20:]} ({len(text):,} characters)"
