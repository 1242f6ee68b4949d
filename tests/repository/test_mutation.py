"""Faults put in to see whether tests notice: what they change, and which tests are near."""

import ast
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.mutation.faults import choose, faults
from tests.mutation.nearness import Imports
from tests.mutation.probes import RECORD, mark
from tests.mutation.reach import NEAREST, PROBE, Reach, with_probes

ROOT = Path(__file__).parents[2]
SOURCE = '''"""Numbers."""
LIMIT = 7


def is_small(n: int = 3) -> bool:
    """Whether n < 5."""
    if not n and n <= LIMIT:
        raise ValueError(f"{n + 1}")
    return max(n - 1, 0) in {5}
'''


def test_what_the_faults_of_a_source_are(tmp_path: Path) -> None:
    path = tmp_path / "numbers.py"
    path.write_text(SOURCE)
    changes = {(fault.before, fault.after) for fault in faults(tmp_path, path)}
    assert changes == {
        ("3", "4"),
        ("and", "or"),
        ("not n", "n"),
        ("<=", "<"),
        ("max", "min"),
        ("-", "+"),
        ("1", "2"),
        ("0", "1"),
        ("in", "not in"),
        ("5", "6"),
        ("max(n - 1, 0) in {5}", "not (max(n - 1, 0) in {5})"),
    }
    for fault in faults(tmp_path, path):
        changed = fault.applied(SOURCE.encode())
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(SOURCE))


def test_the_choice_is_seeded(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "clients", tmp_path / "clients")
    chosen = choose(tmp_path, 20, 1)
    assert chosen == choose(tmp_path, 20, 1)
    assert chosen != choose(tmp_path, 20, 2)


def test_the_choice_is_of_all_rooms() -> None:
    chosen = choose(ROOT, 40, 1)
    assert {fault.path.split("/")[0] for fault in chosen} == {
        "schema",
        "engine",
        "oracle",
        "clients",
    }
    assert len({fault.kind for fault in chosen}) > 4
    assert not any("_pb2" in fault.path for fault in chosen)


@pytest.fixture(scope="module")
def imports() -> Imports:
    return Imports(ROOT)


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("engine/theory/octal.py", "tests/engine/theory/test_octal.py"),
        ("oracle/server/fair_queue.py", "tests/oracle/server/test_fair_queue.py"),
        ("schema/values.py", "tests/schema/test_values.py"),
    ],
)
def test_the_test_of_a_module_is_among_the_nearest(imports: Imports, path: str, test: str) -> None:
    assert imports.tests(path)[:2].count(test) == 1


PROBED = '''"""Numbers."""


def sign(n: int) -> int:
    """-1, 0 or 1."""
    if n < 0:
        return -1
    elif n == 0: return 0
    return 1 + 0


@kernel
def double(n):
    return n * 2
'''


def test_probes_mark_the_faults_that_are_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "numbers.py"
    path.write_text(PROBED)
    places = sorted(faults(tmp_path, path), key=lambda fault: fault.start)
    text, probed = with_probes(path.read_bytes(), list(enumerate(places)))
    assert [places[number].line for number in probed] == [
        fault.line for fault in places if fault.line < 12
    ]
    names: dict[str, Any] = {"kernel": lambda function: function}
    exec(text.replace(PROBE.encode(), b"probes"), names)  # noqa: S102
    assert (names["__doc__"], names["sign"].__doc__) == ("Numbers.", "-1, 0 or 1.")
    for n, lines in ((-3, {6, 7, 8}), (0, {6, 8}), (2, {6, 8, 9})):
        reached: set[int] = set()
        names["probes"] = SimpleNamespace(mark=reached.add)
        assert names["sign"](n) == (n > 0) - (n < 0)
        assert {places[number].line for number in reached} == lines
    monkeypatch.setenv(RECORD, str(tmp_path / "record"))
    mark(7)
    mark(7)
    assert [json.loads(line) for line in (tmp_path / "record").read_text().splitlines()] == [
        [7, os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)"), "call"]
    ]


def test_what_is_run_reaches_the_fault(tmp_path: Path) -> None:
    path = tmp_path / "numbers.py"
    path.write_text(SOURCE)
    fault, other, *_ = faults(tmp_path, path)
    files = ["near.py", *(f"{n}.py" for n in range(NEAREST)), "elsewhere.py"]
    near, slow, far = "near.py::quick", "near.py::slow", f"{NEAREST - 1}.py::quick"
    seconds = {slow: 500.0, near: 0.2, far: 0.1, "0.py::quicker": 0.1, "1.py::quick": 0.3}
    reach = Reach(frozenset({str(fault)}), {str(fault): set(seconds)}, {}, seconds)
    first = ["0.py::quicker", near, "1.py::quick"]
    assert reach.choose(fault, files, 2) == [first, [far], ["near.py"]]
    reach.shared[str(fault)] = {far}
    assert reach.choose(fault, files, 2) == [first, [far], ["near.py", far.partition(":")[0]]]
    assert reach.choose(fault, files, 1) == [first, [far], ["near.py"]]
    assert reach.choose(other, files, 2) == [["near.py", "0.py"]]
    assert Reach(frozenset({str(other)})).choose(other, files, 2) == []
