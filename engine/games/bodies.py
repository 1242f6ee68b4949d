"""The two forms of positions as text, `[4,3,2;1]` and `9/7/4`, and their parts."""

from position_oracle.engine.games.spec import MAX_PASSES, Coordinates
from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import read_digits, read_int, shown


def parse_bracket_body(body: str, form: str) -> tuple[Coordinates, int]:
    """Read `[4,3,2;1]` as coordinates and passes left.

    Args:
        body: the text behind the colon.
        form: an example of a position of the game, for messages.

    Raises:
        NotationError: the text is not of this form.
    """
    text = body.strip()
    inner = text[1:-1]
    is_bracketed = len(text) >= 2 and text[0] == "[" and text[-1] == "]"
    if not is_bracketed or "[" in inner or "]" in inner or inner.count(";") > 1:
        raise NotationError(f"{shown(body)} is not a position; write {form}")
    numbers, semicolon, left = inner.partition(";")
    passes = read_int(left, 0, MAX_PASSES, "passes") if semicolon else 0
    return parse_numbers(numbers, ",", form) if numbers.strip() else (), passes


def format_bracket_body(coordinates: Coordinates, passes: int) -> str:
    """Write coordinates and passes left as `[4,3,2;1]`, without `;0`."""
    numbers = ",".join(map(str, coordinates))
    return f"[{numbers};{passes}]" if passes else f"[{numbers}]"


def parse_numbers(text: str, separator: str, form: str) -> Coordinates:
    """Read integers between separators.

    Raises:
        NotationError: a part is not an integer of at most 40 digits.
    """
    numbers = []
    for part in text.split(separator):
        number = read_digits(part)
        if number is None:
            inside = f" in {shown(text)}" if separator in text else ""
            raise NotationError(
                f"{shown(part.strip())}{inside} is not a whole number; write {form}"
            )
        numbers.append(number)
    return tuple(numbers)


def outside_brackets(text: str, separator: str) -> list[str]:
    """Return the parts between separators outside of brackets, even if a bracket is missing."""
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        depth = max(depth + (sign in "([") - (sign in ")]"), 0)
        if sign == separator and not depth:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def split_passes(body: str) -> tuple[str, int]:
    """Split a body such as `9/7/4;1` into the part without passes and the number of passes.

    Raises:
        NotationError: the text after the semicolon is not a number of passes.
    """
    before, semicolon, passes = body.rpartition(";")
    if not semicolon:
        return body, 0
    return before, read_int(passes, 0, MAX_PASSES, "passes")


def format_passes(passes: int) -> str:
    """Format the passes left as they follow a body without brackets; empty for 0."""
    return f";{passes}" if passes else ""
