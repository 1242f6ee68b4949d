"""Text that fits the terminal; files and pipes get their lines whole."""

import shutil
import sys
import textwrap
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Final, TextIO

from position_oracle.schema.errors import NotationError

NARROWEST: Final = 20
"""Minimum number of columns for which lines are broken."""

_LABEL: Final = 13
"""Number of columns of a label, such as `  outcome    `; its text continues after this indent."""


def width() -> int:
    """Return the number of columns of the terminal; practically unlimited for a file or pipe."""
    if sys.stdout.isatty():
        return max(shutil.get_terminal_size().columns, NARROWEST)
    return 10**9


def standard_input() -> TextIO:
    """Return standard input, whose bytes that are not text are escaped.

    Raises:
        NotationError: it is closed.
    """
    if sys.stdin is None:
        raise NotationError("standard input is closed")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    return sys.stdin


def fits(lines: list[str]) -> bool:
    """Return whether every line fits the terminal."""
    return max(map(len, lines), default=0) <= width()


def fitted(text: str) -> str:
    """Break lines that are wider than the terminal at spaces.

    Lines that begin with a label continue below their text. A word that is too long stays whole.
    """
    columns = width()
    return "\n".join(part for line in text.split("\n") for part in _broken(line, columns))


def broken(text: str, indent: str = "") -> str:
    """Break lines as `fitted` does, with another indent of the continued lines."""
    columns = width()
    return "\n".join(part for line in text.split("\n") for part in _broken(line, columns, indent))


def _broken(line: str, columns: int, indent: str | None = None) -> Iterator[str]:
    if len(line) <= columns:
        yield line
        return
    if indent is None:
        deep = _LABEL if line.startswith("  ") and columns > 3 * _LABEL else 4
        indent = " " * deep
    yield from textwrap.wrap(
        line,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
