"""The tests that reach each block of the product, found by one run of all tests with probes."""

import ast
import hashlib
import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Final

COMPILED: Final = {"kernel", "bare_kernel", "bare_inlined", "bare_entry", "njit", "intrinsic"}
"""Decorators of functions that Python does not run, so that probes in them have no effect."""

WITH_LOOPS: Final = tuple(
    f"engine/solvers/{name}.py" for name in ("folds", "misere_words", "ranked")
)
"""Modules with functions that run both compiled and in Python."""

NEAREST: Final = 3
"""Number of nearest files whose tests run first, because collecting tests takes time."""

SECONDS: Final = 20.0
TESTS: Final = 300
"""Limits of the number of tests that run one by one. The quickest tests are chosen."""

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
        tests: For each block that a probe was put in, the tests that reached it; "" if an import
            reached it.
        shared: Of these, the tests that reached it while they were set up, perhaps with data for
            other tests.
        seconds: The time of each test, including its setup.
    """

    tests: dict[str, set[str]] = field(default_factory=dict)
    shared: dict[str, set[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def choose(self, block: str | None, files: Sequence[str], count: int) -> list[list[str]]:
        """Return the tests to run: tests that reach a block, nearest files first; then whole files.

        Args:
            block: The block with a fault; None where it lies in none.
            files: All test files, nearest first.
            count: How many whole files.

        Returns:
            Tests and files, in parts; at last the nearest files, where no probe can tell or an
            import reaches it; nothing where nothing does.
        """
        nearest = [list(files[:NEAREST]), list(files[NEAREST:count])]
        by_import = block not in self.tests or "" in self.tests[block]
        reached = self.tests.get(block or "", set()) - {""}
        having = {test.partition("::")[0] for test in reached}
        first = [file for file in files if file in having][:NEAREST]
        near = self._quickest({test for test in reached if test.partition("::")[0] in first})
        far = self._quickest(reached.difference(near))
        others = reached.difference(near, far) | self.shared.get(block or "", set())
        whole = {test.partition("::")[0] for test in others}
        parts = [near, far, [file for file in files if file in whole][:count]]
        return [part for part in [*parts, *(nearest if by_import else ())] if part]

    def _quickest(self, tests: Set[str]) -> list[str]:
        quickest = sorted(tests, key=self._time)[:TESTS]
        spent = accumulate(map(self._time, quickest))
        return [test for test, total in zip(quickest, spent, strict=True) if total <= SECONDS]

    def _time(self, test: str) -> float:
        return self.seconds.get(test, 0.0)


def read(record: Path, keys: Sequence[str], blocks: Set[str]) -> Reach:
    """Return the records of the probes of some blocks. ``keys[n]`` is the key of block n."""
    reach = Reach({key: set() for key in keys if key in blocks})
    for line in record.read_text().splitlines():
        numbers, test, step, seconds = json.loads(line)
        reach.seconds[test] = reach.seconds.get(test, 0.0) + seconds
        for number in numbers:
            if keys[number] in reach.tests:
                reach.tests[keys[number]].add(test)
                if step == "setup":
                    reach.shared.setdefault(keys[number], set()).add(test)
    return reach


def forget(record: Path, files: Set[str]) -> None:
    """Keep only the parts of a record that come from some test files."""
    lines = record.read_text().splitlines(keepends=True) if record.exists() else []
    kept = [line for line in lines if json.loads(line)[1].partition("::")[0] in files]
    record.write_text("".join(kept))


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
    """Return the innermost block around a place."""
    around = [block for block in blocks(path, source) if block.start <= place < block.end]
    return min(around, key=lambda block: block.end - block.start).key if around else None


def blocks(path: str, source: bytes) -> Iterator[Block]:
    """Return the blocks of a source that Python runs."""
    if path in WITH_LOOPS:
        return
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    lines = source.splitlines()
    for name, function in _functions(ast.parse(source), ""):
        first, last = starts[function.lineno - 1], starts[function.end_lineno or 0]
        digest = hashlib.sha256(source[first:last]).hexdigest()[:8]
        for number, body in enumerate(_bodies(function)):
            start = starts[body[0].lineno - 1] + body[0].col_offset
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
