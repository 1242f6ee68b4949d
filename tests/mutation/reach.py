"""The tests that reach each block of the product, found by one run of all tests with probes."""

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Final

from tests.mutation.probes import FIXTURE

COMPILED: Final = {"kernel", "bare_kernel", "bare_inlined", "bare_entry", "njit", "intrinsic"}
"""Decorators of functions that Python does not run, so that probes in them have no effect."""

WITH_LOOPS: Final = tuple(
    f"engine/solvers/{name}.py" for name in ("folds", "misere_words", "ranked")
)
"""Modules with functions that run both compiled and in Python."""

STORE_FIXTURE: Final = f"{FIXTURE}tests::store"
"""The fixture that builds the common store of tests."""

FILES: Final = 8
"""Number of files with tests that run for one fault, because collecting tests takes time."""

LONG: Final = 1.0
"""Seconds of a test that comes after the quicker ones."""

PROBE: Final = "_unseen_blocks[{0}] and _block_reached({0})"
IMPORT: Final = "from tests.mutation.probes import mark as _block_reached, unseen as _unseen_blocks"
"""The import of the probes, under names that no source of the product uses."""


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that are run one after the other, in a function.

    Attributes:
        key: Its name, which changes with the text of the function.
        start: Where it begins, in bytes.
        end: Where it ends.
        line: The line of its first statement, from 0, where a probe may go; None where it may not.
    """

    key: str
    start: int
    end: int
    line: int | None


@dataclass(slots=True)
class Reach:
    """The findings of a run of all tests.

    Attributes:
        steps: For each block that a probe was put in, the tests and fixtures that reached it; "" if
            an import reached it.
        seconds: The processor time of each test without its fixtures, and of each fixture.
        fixtures: The fixtures that each test uses.
        sizes: The number of blocks that each test and fixture reached.
    """

    steps: dict[str, set[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    fixtures: dict[str, list[str]] = field(default_factory=dict)
    sizes: Counter[str] = field(default_factory=Counter)

    def is_known(self, block: str | None) -> bool:
        """Return whether probes tell which tests reach a block: it has one, and no import did."""
        return block in self.steps and "" not in self.steps[block]

    def builds_store(self, blocks: Set[str]) -> bool:
        """Return whether a fault in one of these blocks may change the common store of tests."""
        return any(STORE_FIXTURE in self.steps.get(block, {STORE_FIXTURE}) for block in blocks)

    def choose(self, blocks: Set[str], named: Set[str], seconds: float) -> list[str]:
        """Return the tests to run, at least one if any reaches a block.

        Tests that reach a block come first, one case of each test function, those that reach least
        before others. If time is left, other tests of these files follow, because objects that
        tests share may hide what they reach.

        Args:
            blocks: The blocks that run or call the fault.
            named: Beginnings of the names of other tests that may notice it.
            seconds: The processor time of all tests.
        """
        steps = {step for block in blocks for step in self.steps.get(block, ())}
        reached = {
            test
            for test, fixtures in self.fixtures.items()
            if test in steps or not steps.isdisjoint(fixtures) or test.startswith(tuple(named))
        }
        first = self._quickest(self._spread(reached), seconds, [])
        files = list(dict.fromkeys(map(_file, first)))
        others = {test for test in self.fixtures if _file(test) in files}.difference(first)
        more = self._quickest(self._spread(others), seconds, first)[len(first) :]
        return [
            test
            for part in (first, more)
            for test in sorted(part, key=lambda test: files.index(_file(test)))
        ]

    def _spread(self, tests: Set[str]) -> list[str]:
        """Return one case of each test function, then another, and so on; long ones at last."""
        cases = Counter[str]()
        keys = {}
        for test in sorted(tests, key=lambda test: (self._time(test), test)):
            function = test.partition("[")[0]
            size = sum(self.sizes[step] for step in (test, *self.fixtures[test]))
            keys[test] = (self._time(test) > LONG, cases[function], size)
            cases[function] += 1
        return sorted(keys, key=keys.__getitem__)

    def _quickest(self, tests: Iterable[str], end: float, chosen: Sequence[str]) -> list[str]:
        """Return the chosen tests, and those others that still end in time."""
        found = list(chosen)
        files = set(map(_file, found))
        ready = {step for test in found for step in (test, *self.fixtures[test])}
        spent = sum(map(self._time, ready))
        for test in tests:
            steps = {test, *self.fixtures[test]} - ready
            added = sum(map(self._time, steps))
            fits = spent + added <= end and len(files | {_file(test)}) <= FILES
            if fits or not found:
                found.append(test)
                files.add(_file(test))
                ready |= steps
                spent += added
        return found

    def seconds_of(self, test: str) -> float:
        """Return the time of a test with its fixtures."""
        return sum(map(self._time, (test, *self.fixtures[test])))

    def _time(self, step: str) -> float:
        return self.seconds.get(step, 0.0)


def _file(step: str) -> str:
    return step.removeprefix(FIXTURE).partition("::")[0]


def read(record: Path, keys: Sequence[str], files: Set[str]) -> Reach:
    """Return the records of the probes, and the tests of some files.

    Args:
        record: The record.
        keys: ``keys[n]`` is the key of block n.
        files: Test files.
    """
    reach = Reach({key: set() for key in keys})
    for line in record.read_text().splitlines() if record.exists() else ():
        step, numbers, seconds, fixtures = json.loads(line)
        for number in numbers:
            reach.steps[keys[number]].add(step)
        if step.startswith(FIXTURE):  # may be set up often
            reach.seconds[step] = min(seconds, reach.seconds.get(step, seconds))
        elif _file(step) in files:
            reach.seconds[step] = reach.seconds.get(step, 0.0) + seconds
            reach.fixtures.setdefault(step, []).extend(fixtures)
    reach.sizes.update(step for steps in reach.steps.values() for step in steps)
    return reach


def forget(record: Path, files: Set[str]) -> None:
    """Drop the parts of a record that come from the tests of some files."""
    lines = record.read_text().splitlines(keepends=True) if record.exists() else []
    record.write_text("".join(line for line in lines if _file(json.loads(line)[0]) not in files))


def with_probes(path: str, source: bytes, numbers: dict[str, int]) -> bytes:
    """Return a source with a probe in each block. Blocks without a number get the next one."""
    before = {
        block.line: numbers.setdefault(block.key, len(numbers))
        for block in blocks(path, source)
        if block.line is not None
    }
    first = _first_line(source) if before else None
    text = bytearray()
    for at, line in enumerate(source.splitlines(keepends=True)):
        if at == first:
            text += IMPORT.encode() + b"\n"
        if at in before:
            indent = line[: len(line) - len(line.lstrip())]
            text += indent + PROBE.format(before[at]).encode() + b"\n"
        text += line
    return bytes(text)


def _first_line(source: bytes) -> int:
    """Return the line where the imports of a module begin, from 0: after its docstring."""
    for node in ast.parse(source).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or is_future):
            return _first_line_of(node)
    return 0


def _first_line_of(node: ast.stmt) -> int:
    """Return the first line of a statement, from 0, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)]) - 1


def block_at(path: str, source: bytes, place: int) -> str | None:
    """Return the innermost block with a probe around a place."""
    around = [
        block
        for block in blocks(path, source)
        if block.line is not None and block.start <= place < block.end
    ]
    return min(around, key=lambda block: block.end - block.start).key if around else None


@cache
def blocks(path: str, source: bytes) -> list[Block]:
    """Return the blocks of a source that Python runs."""
    return [] if path in WITH_LOOPS else list(_blocks(path, source))


def _blocks(path: str, source: bytes) -> Iterator[Block]:
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    lines = source.splitlines()
    for name, function in _functions(ast.parse(source), ""):
        first, last = starts[function.lineno - 1], starts[function.end_lineno or 0]
        digest = hashlib.sha256(source[first:last]).hexdigest()[:8]
        for number, body in enumerate(_bodies(function)):
            start = first if number == 0 else starts[body[0].lineno - 1] + body[0].col_offset
            end = starts[(body[-1].end_lineno or 1) - 1] + (body[-1].end_col_offset or 0)
            at = _first_line_of(body[0])
            line = lines[at].lstrip(b" @")
            is_alone = lines[body[0].lineno - 1][: body[0].col_offset].strip() == b""
            key = f"{path}:{name}:{number}:{digest}"
            may = is_alone and not line.startswith(b"elif")
            yield Block(key, start, end, at if may else None)


def _functions(
    node: ast.AST, name: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(_name(decorator) in COMPILED for decorator in child.decorator_list):
                continue
            yield name + child.name, child
            yield from _functions(child, f"{name}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{name}{child.name}.")
        else:
            yield from _functions(child, name)


def _bodies(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[list[ast.stmt]]:
    """Return the blocks of a function, without those of inner functions."""
    has_docstring = len(function.body) > 1 and ast.get_docstring(function) is not None
    yield function.body[1:] if has_docstring else function.body
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body
        waiting.extend(ast.iter_child_nodes(node))


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.id if isinstance(called, ast.Name) else ""
