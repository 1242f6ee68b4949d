"""Which tests reach the places of faults: found by one run of all tests, with probes put in."""

import ast
import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Final

from tests.mutation.faults import Fault

COMPILED: Final = {"kernel", "bare_kernel", "bare_inlined", "bare_entry", "njit", "intrinsic"}
"""Decorators of functions that Python does not run, and where a probe would not be heard."""

NEAREST: Final = 3
"""From how many files the tests are that are run first; collecting tests takes time, too."""

SECONDS: Final = 60.0
TESTS: Final = 300
"""Limits of what is run one by one: the quickest tests."""

PROBE: Final = "__import__('tests.mutation.probes', fromlist=['mark'])"


@dataclass(slots=True)
class Reach:
    """What the run of all tests found.

    Attributes:
        probed: The faults that a probe was put in for.
        tests: For each, the tests that reached it; "" if it was reached by an import.
        shared: Of these, the ones that did as they were set up, perhaps for others that follow.
        seconds: What each test took, with what it sets up.
    """

    probed: frozenset[str] = frozenset()
    tests: dict[str, set[str]] = field(default_factory=dict)
    shared: dict[str, set[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def choose(self, fault: Fault, files: Sequence[str], count: int) -> list[list[str]]:
        """What to run: tests that reach a fault, of the nearest files first; then whole files.

        Args:
            fault: The fault.
            files: All test files, nearest first.
            count: How many whole files.

        Returns:
            Tests and files, in parts; where no probe can tell, the nearest files; nothing where no
            test reaches it.
        """
        reached = self.tests.get(str(fault), set())
        if str(fault) not in self.probed or "" in reached:
            return [list(files[:count])]
        having = {test.partition("::")[0] for test in reached}
        first = [file for file in files if file in having][:NEAREST]
        near = self._quickest({test for test in reached if test.partition("::")[0] in first})
        far = self._quickest(reached.difference(near))
        others = reached.difference(near, far) | self.shared.get(str(fault), set())
        whole = {test.partition("::")[0] for test in others}
        parts = [near, far, [file for file in files if file in whole][:count]]
        return [part for part in parts if part]

    def _quickest(self, tests: Set[str]) -> list[str]:
        quickest = sorted(tests, key=self._time)[:TESTS]
        spent = accumulate(map(self._time, quickest))
        return [test for test, total in zip(quickest, spent, strict=True) if total <= SECONDS]

    def _time(self, test: str) -> float:
        return self.seconds.get(test, 0.0)


def read(record: Path, faults: Sequence[Fault], probed: Iterable[int]) -> Reach:
    """What probes have written; ``probed`` are the places of faults in the choice."""
    reach = Reach(frozenset(str(faults[number]) for number in probed))
    for line in record.read_text().splitlines():
        what, test, step = json.loads(line)
        if isinstance(what, int):
            reach.tests.setdefault(str(faults[what]), set()).add(test)
            if step == "setup":
                reach.shared.setdefault(str(faults[what]), set()).add(test)
        else:
            reach.seconds[test] = reach.seconds.get(test, 0.0) + what
    return reach


def forget(record: Path, files: Set[str]) -> None:
    """Keep of a record what it says of some test files."""
    lines = record.read_text().splitlines(keepends=True) if record.exists() else []
    kept = [line for line in lines if json.loads(line)[1].partition("::")[0] in files]
    record.write_text("".join(kept))


def with_probes(source: bytes, places: Sequence[tuple[int, Fault]]) -> tuple[bytes, list[int]]:
    """A source with a probe before each statement that holds a fault, and the faults' numbers."""
    tree, lines = ast.parse(source), source.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    before: dict[int, list[int]] = {}
    for number, fault in places:
        place = _line(tree, lines, starts, fault)
        if place is not None:
            before.setdefault(place, []).append(number)
    text = bytearray()
    for at, line in enumerate(lines):
        for number in before.get(at, ()):
            indent = line[: len(line) - len(line.lstrip())]
            text += indent + f"{PROBE}.mark({number})\n".encode()
        text += line
    return bytes(text), sorted(number for numbers in before.values() for number in numbers)


def _line(
    tree: ast.Module, lines: Sequence[bytes], starts: Sequence[int], fault: Fault
) -> int | None:
    """Where a probe goes: before the innermost statement around the fault that begins a line."""
    found: int | None = None
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or not (
            starts[node.lineno - 1] + node.col_offset <= fault.start
            and fault.end <= starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        ):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(_name(decorator) in COMPILED for decorator in node.decorator_list):
                return None
            has_docstring = len(node.body) > 1 and ast.get_docstring(node) is not None
            place = node.body[1 if has_docstring else 0]
        else:
            place = node
        line = lines[place.lineno - 1]
        if not line[: place.col_offset].strip() and not line.lstrip().startswith(b"elif"):
            found = place.lineno - 1
    return found


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.id if isinstance(called, ast.Name) else ""
