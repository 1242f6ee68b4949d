"""Values as a script for CGSuite: nimbers, such as `*3` for the Grundy value 3.

CGSuite (cgsuite.org) writes the values of impartial games as nimbers: 0, *, *2, *3. A script gives
a name to a list of values, or to a map from texts of positions to values:

>>> print(script({"nim:[3,5]": 6, "nim:[1]": 1}, "values"), end="")
// Grundy values of position-oracle as nimbers; the keys are texts of positions.
values := {
  "nim:[3,5]" => *6,
  "nim:[1]" => *
};
"""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from position_oracle.clients.errors import InvalidQuestionError
from position_oracle.schema.answerer import Answerer

MAX_VALUES: Final = 100_000
"""Maximum number of values of one script."""

_NAME: Final = re.compile(r"[a-z][A-Za-z0-9]{0,63}")


def nimber(value: int) -> str:
    """Return a Grundy value in CGSuite's notation.

    >>> nimber(0), nimber(1), nimber(5)
    ('0', '*', '*5')

    Raises:
        ValueError: the value is negative.
    """
    if value < 0:
        raise ValueError(f"a Grundy value of {value}; there are none below 0")
    return ("0", "*")[value] if value < 2 else f"*{value}"


def script(values: Mapping[str, int] | Iterable[int], name: str = "values") -> str:
    """Return a script that gives a name to values.

    Args:
        values: a map from texts of positions to values, or a list of values.
        name: letters and digits, the first a small letter.

    Raises:
        ValueError: the name is not valid, a value is negative, or there are more than `MAX_VALUES`.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            f"{name[:40]!r} is not a name; write letters and digits, a small letter first"
        )
    if isinstance(values, Mapping):
        _check_count(len(values))
        lines = [f'  "{_quoted(text)}" => {nimber(value)}' for text, value in values.items()]
        body = "{\n" + ",\n".join(lines) + "\n}"
        return f"{_COMMENT}; the keys are texts of positions.\n{name} := {body};\n"
    listed = list(islice(values, MAX_VALUES + 1))
    _check_count(len(listed))
    return f"{_COMMENT}.\n{name} := [{', '.join(map(nimber, listed))}];\n"


def values_of(oracle: Answerer, positions: Iterable[str]) -> dict[str, int]:
    """Return the Grundy values of positions by canonical text; unknown values are left out.

    Raises:
        InvalidQuestionError: a text is not a position, or there are more than `MAX_VALUES`.
    """
    found: dict[str, int] = {}
    for number, text in enumerate(positions):
        if number == MAX_VALUES:
            raise InvalidQuestionError(f"more than {MAX_VALUES:,} positions", "positions")
        analysis = oracle.analyze(text)
        if analysis.values.grundy is not None:
            found[str(analysis.answer.position)] = analysis.values.grundy
    return found


_COMMENT: Final = "// Grundy values of position-oracle as nimbers"


def _check_count(count: int) -> None:
    if count > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES:,} values")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
