"""All messages of the program, read from its code: errors, help texts, and printed lines.

python -m tests.repository.messages prints them as one text.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = ("schema", "engine", "oracle", "clients")
PRINTING: Final = {"echo", "BadParameter", "exception", "warning", "info", "error"}


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its place in the code, and its text, with values in braces."""

    place: str
    text: str


def messages() -> Iterator[Message]:
    """Return all messages, by file and line."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "proto" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                for text in filter(None, map(_text, _arguments(node))):
                    yield Message(f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", text)


def _arguments(node: ast.AST) -> list[ast.expr]:
    """Yield the arguments of an error, a printing call or an option that may be messages."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return node.exc.args
    if not isinstance(node, ast.Call):
        return []
    name = ast.unparse(node.func).rpartition(".")[2]
    named = [each.value for each in node.keywords if each.arg in {"help", "reason"}]
    return named + (node.args if name in PRINTING else [])


def _text(node: ast.expr) -> str:
    """Return the text of an expression, with values in braces; empty if it has none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        form = _text(node.format_spec) if node.format_spec else ""
        return "{" + ast.unparse(node.value) + (f":{form}" if form else "") + "}"
    return ""


if __name__ == "__main__":
    for each in messages():
        print(f"{each.place}  {each.text}")  # noqa: T201
