"""Text that fits the terminal; files and pipes get their lines whole."""

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Final

NARROWEST: Final = 20
"""Columns of the narrowest terminal that lines are broken for."""

_LABEL: Final = 13
"""Columns of a label, such as `  outcome    `, under which its text goes on."""


def width() -> int:
    """Columns of the terminal; of a file or a pipe, as many as there may be."""
    if sys.stdout is not None and sys.stdout.isatty():
        return max(shutil.get_terminal_size().columns, NARROWEST)
    return 10**9


def fits(lines: list[str]) -> bool:
    """Whether no line is wider than the terminal."""
    return max(map(len, lines), default=0) <= width()


def fitted(text: str) -> str:
    """Text whose lines are broken at spaces where they are wider than the terminal.

    Lines that begin with a label go on under their text. A word that is too long stays whole.
    """
    columns = width()
    return "\n".join(part for line in text.split("\n") for part in _broken(line, columns))


def broken(text: str, indent: str = "") -> str:
    """The same with another indent of the lines that go on."""
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
