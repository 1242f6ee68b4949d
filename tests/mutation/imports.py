"""Which files import a file, directly or not."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TOPS: Final = ("schema", "engine", "oracle", "clients", "tests")


class Imports:
    """The imports of each file in a tree, also those inside functions.

    Attributes:
        texts: The files.
    """

    def __init__(self, root: Path) -> None:
        self.texts = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for top in TOPS
            for path in sorted((root / top).rglob("*.py"))
        }
        modules = {_module(path): path for path in self.texts}
        self._importers: dict[str, set[str]] = {path: set() for path in self.texts}
        for path, text in self.texts.items():
            for name in _imported(text):
                if name in modules:
                    self._importers[modules[name]].add(path)

    def users(self, path: str) -> set[str]:
        """Return a file and those that import it, directly or not."""
        found, waiting = {path}, [path]
        while waiting:
            more = self._importers[waiting.pop()] - found
            found |= more
            waiting.extend(more)
        return found


def _module(path: str) -> str:
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if path.startswith("tests/") else f"position_oracle.{name}"


def _imported(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
