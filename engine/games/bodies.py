"""The two forms in which positions are written: `[4,3,2;1]` and `9/7/4`."""

import re
from typing import Final

from engine.games.spec import Coordinates
from schema.errors import NotationError

_BRACKETS: Final = re.compile(r"\[\s*(?P<numbers>[^\[\];]*?)\s*(?:;\s*(?P<passes>\d{1,3})\s*)?\]")
_NUMBER: Final = re.compile(r"\s*[+-]?\d{1,40}\s*")


def parse_bracket_body(body: str, form: str) -> tuple[Coordinates, int]:
    """Read `[4,3,2;1]` as coordinates and passes left.

    Args:
        body: the text behind the colon.
        form: how a position of the game is written, for messages.

    Raises:
        NotationError: the text is not of this form.
    """
    match = _BRACKETS.fullmatch(body.strip())
    if match is None:
        raise NotationError(f"{_shown(body)} is no position; write {form}")
    passes = int(match["passes"]) if match["passes"] else 0
    numbers = match["numbers"]
    return parse_numbers(numbers, ",", form) if numbers else (), passes


def format_bracket_body(coordinates: Coordinates, passes: int) -> str:
    """Write coordinates and passes left as `[4,3,2;1]`, without `;0`."""
    numbers = ",".join(map(str, coordinates))
    return f"[{numbers};{passes}]" if passes else f"[{numbers}]"


def parse_numbers(text: str, separator: str, form: str) -> Coordinates:
    """Read integers between separators.

    Raises:
        NotationError: a part is not an integer of at most 40 digits.
    """
    parts = text.split(separator)
    if text.isascii() and all(map(_NUMBER.fullmatch, parts)):
        return tuple(map(int, parts))
    wrong = next(part for part in parts if not (part.isascii() and _NUMBER.fullmatch(part)))
    raise NotationError(
        f"{_shown(wrong.strip())} in {_shown(text)} is not a whole number; write {form}"
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
