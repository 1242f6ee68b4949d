"""Which tests are near a module: by imports, counted in steps, by folder, and by words."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TOPS: Final = ("schema", "engine", "oracle", "clients", "tests")


class Imports:
    """The imports of each file in a tree, also those inside functions."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts = {
            path.relative_to(root).as_posix(): path.read_text()
            for top in TOPS
            for path in sorted((root / top).rglob("*.py"))
        }
        modules = {_module(path): path for path in self._texts}
        self._importers: dict[str, set[str]] = {path: set() for path in self._texts}
        for path, text in self._texts.items():
            for name in _imported(text):
                if name in modules and modules[name] != path:
                    self._importers[modules[name]].add(path)

    def users(self, path: str) -> dict[str, int]:
        """Return the files that import a file, directly or not, with the least number of steps."""
        steps = {path: 0}
        edge = [path]
        while edge:
            edge = [
                user
                for used in edge
                for user in self._importers.get(used, set()) - steps.keys()
                if steps.setdefault(user, steps[used] + 1)
            ]
        return steps

    def tests(self, path: str) -> list[str]:
        """Return all test files, nearest first.

        What a test asks by text alone (`oracle.ask("octal:...")`) it does not import: of these, the
        ones in the folder that mirrors the room come first, by how often they name the family.
        A word of the module's name in that of the test counts as a step less. Of tests that are
        equally near, the ones that import less are more special, and faster.
        """
        if path.endswith(".js"):
            return self._tests_of_page(path)
        steps = self.users(path)
        words = set(Path(path).with_suffix("").parts[-2:]) - {"theory", "solvers", "games"}
        tests = [p for p in self._texts if Path(p).name.startswith("test_")]
        folders = {str(Path(test).parent) for test in tests}
        rooms = [f"tests/{room}" for room in map(str, Path(path).parents)]
        mirror = next((room for room in rooms if room in folders), "tests")

        def rank(test: str) -> tuple[int, bool, int]:
            is_elsewhere = str(Path(test).parent) != mirror
            if test in steps:
                shared = {part for word in words for part in word.split("_")}
                near = steps[test] - len(shared.intersection(Path(test).stem.split("_")))
                return near, is_elsewhere, len(set(_imported(self._texts[test])))
            named = sum(self._texts[test].count(word) for word in words)
            return len(steps), is_elsewhere, -named

        return sorted(tests, key=rank)

    def _tests_of_page(self, path: str) -> list[str]:
        """Return the tests of a script: tests without a browser first, then tests that name it
        often.
        """
        tests = [p for p in self._texts if p.startswith("tests/web/test_")]
        stem = Path(path).stem
        return sorted(
            tests,
            key=lambda p: ("opened" in self._texts[p], -self._texts[p].count(stem)),
        )


def _module(path: str) -> str:
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if path.startswith("tests/") else f"position_oracle.{name}"


def _imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
