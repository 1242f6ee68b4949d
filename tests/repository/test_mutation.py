"""Faults made on purpose, to see whether tests notice: the changes, and the tests near them."""

import ast
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from position_oracle.schema.answers import Certainty
from tests.mutation import probes
from tests.mutation.faults import choose, faults, labels_of, sources
from tests.mutation.nearness import Imports
from tests.mutation.probes import RECORD
from tests.mutation.reach import NEAREST, Reach, block_at, forget, read, with_probes

ROOT = Path(__file__).parents[2]
SOURCE = '''"""Numbers."""
LIMIT = 7


def is_small(n: int = 3) -> bool:
    """Whether n < 5."""
    if not n and n <= LIMIT:
        raise ValueError(f"{n + 1}")
    return max(n - 1, 0) in {5}
'''
OTHER = """class Side(Enum):
    LEFT = 1
    RIGHT = 2


def total(cache, numbers, first, end):
    budget.check()
    if end < first:
        raise ValueError("none")
    found = cache.find("total", (first, end))
    with cache.lock:
        found += sum(numbers[first:end])
    for n in range(first, end):
        place(Side.LEFT, n, found)
    return found or first
"""
SCRIPT = """// a < b
import { a } from "./b.js";
const found = await reach("x < 1", /[/<]/, a + 1) ?? "";
if (!found && a <= 2) Math.min(a, `${a + b}`);
const last = (x) => x === true;
"""


def changes_of(path: Path, text: str) -> set[tuple[str, str, str]]:
    path.write_text(text)
    found = list(faults(path.parent, path, {"Side": {"LEFT": "RIGHT", "RIGHT": "LEFT"}}))
    for fault in found:
        changed = fault.applied(text.encode())
        assert changed != text.encode()
        if path.suffix == ".py":
            assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))
    return {(fault.kind, fault.before, fault.after) for fault in found}


def test_what_the_faults_of_a_source_are(tmp_path: Path) -> None:
    assert changes_of(tmp_path / "numbers.py", SOURCE) == {
        ("number", "3", "4"),
        ("logic", "and", "or"),
        ("term", "not n and n <= LIMIT", "(n <= LIMIT)"),
        ("term", "not n and n <= LIMIT", "(not n)"),
        ("check", "not n and n <= LIMIT", "False"),
        ("not", "not n", "n"),
        ("comparison", "<=", "<"),
        ("extreme", "max", "min"),
        ("term", "max(n - 1, 0)", "n - 1"),
        ("term", "n - 1", "(n)"),
        ("arithmetic", "-", "+"),
        ("number", "1", "2"),
        ("number", "0", "1"),
        ("comparison", "in", "not in"),
        ("number", "5", "6"),
        ("result", "max(n - 1, 0) in {5}", "not (max(n - 1, 0) in {5})"),
    }


def test_faults_of_the_kinds_that_maintainers_make(tmp_path: Path) -> None:
    """Missing terms and checks, parts of keys, bounds, labels, the order of arguments, locks."""
    assert changes_of(tmp_path / "total.py", OTHER) == {
        ("check", "budget.check()", "None"),
        ("comparison", "<", "<="),
        ("check", "end < first", "False"),
        ("key", "first", "None"),
        ("key", "end", "None"),
        ("check", "cache.lock", "__import__('contextlib').nullcontext()"),
        ("term", "found += sum(numbers[first:end])", "pass"),
        ("bound", "first", "(first) + 1"),
        ("bound", "end", "(end) + 1"),
        ("bound", "end", "(end) - 1"),
        ("order", "first, end", "end, first"),
        ("check", "place(Side.LEFT, n, found)", "None"),
        ("label", "Side.LEFT", "Side.RIGHT"),
        ("order", "Side.LEFT, n", "n, Side.LEFT"),
        ("order", "n, found", "found, n"),
        ("logic", "or", "and"),
        ("term", "found or first", "(first)"),
        ("term", "found or first", "(found)"),
    }


def test_faults_of_a_script_leave_texts_alone(tmp_path: Path) -> None:
    assert changes_of(tmp_path / "page.js", SCRIPT) == {
        ("await", "await ", ""),
        ("arithmetic", " + ", " - "),
        ("number", "1", "2"),
        ("logic", "??", "&&"),
        ("not", "!", ""),
        ("logic", "&&", "||"),
        ("comparison", "<=", "<"),
        ("number", "2", "3"),
        ("extreme", "Math.min", "Math.max"),
        ("comparison", "===", "!=="),
        ("flag", "true", "false"),
    }


def test_the_enumerations_of_the_product_are_found() -> None:
    labels = labels_of(ROOT)
    assert labels["Outcome"] == {"UNKNOWN": "P", "P": "N", "N": "UNKNOWN"}
    assert set(labels["Certainty"]) == set(Certainty)


def test_the_choice_is_seeded(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "clients", tmp_path / "clients")
    chosen = choose(tmp_path, 20, 1)
    assert chosen == choose(tmp_path, 20, 1)
    assert chosen != choose(tmp_path, 20, 2)
    within = choose(tmp_path, 20, 1, ["clients/_aio", "clients/_sync"])
    assert {fault.path.split("/")[1] for fault in within} == {"_aio.py", "_sync.py"}


def test_the_choice_is_of_all_rooms() -> None:
    rooms = {path.relative_to(ROOT).parts[0] for path in sources(ROOT)}
    assert rooms == {"schema", "engine", "oracle", "clients"}
    chosen = choose(ROOT, 40, 1)
    assert {fault.path.split("/")[0] for fault in chosen} <= rooms
    assert len({fault.path for fault in chosen}) > 20
    assert len({fault.kind for fault in chosen}) > 4
    assert not any("_pb2" in fault.path for fault in chosen)


NEAR = {
    "engine/theory/octal.py": "tests/engine/theory/test_octal.py",
    "oracle/server/fair_queue.py": "tests/oracle/server/test_fair_queue.py",
    "schema/values.py": "tests/schema/test_values.py",
}


def test_the_test_of_a_module_is_among_the_nearest() -> None:
    """For a script, tests without a browser come first."""
    imports = Imports(ROOT)
    for path, test in NEAR.items():
        assert imports.tests(path)[:2].count(test) == 1, path
    found = imports.tests("oracle/web/static/marks.js")
    assert all(Path(test).parent.name == "web" for test in found)
    assert found.index("tests/web/test_scripts.py") < found.index("tests/web/test_play.py")


PROBED = '''"""Numbers."""

from __future__ import annotations

LIMIT = 1


def sign(n: int) -> int:
    """-1, 0 or 1."""
    if n < 0:
        return -1
    elif n == 0: return 0
    else:
        found = LIMIT
    for _ in range(n - 1):
        found = found + 0

    @unchanged
    def more() -> int:
        return found
    return more()


@kernel
def double(n):
    return n * 2
'''


def test_probes_mark_the_blocks_that_are_reached(tmp_path: Path) -> None:
    numbers: dict[str, int] = {"other.py:other:0:12345678": 0}
    text = with_probes("numbers.py", PROBED.encode(), numbers)
    names: dict[str, Any] = {"kernel": lambda f: f, "unchanged": lambda f: f}
    exec(text, names)  # noqa: S102
    assert (names["__doc__"], names["sign"].__doc__) == ("Numbers.", "-1, 0 or 1.")
    seen = dict.fromkeys(numbers.values(), 1)
    for n in (-3, 0, 1, 2):
        reached: list[int] = []
        names |= {"_unseen_blocks": seen, "_block_reached": reached.append}
        assert names["sign"](n) == (n > 0) - (n < 0)
        places = [block_at("numbers.py", PROBED.encode(), PROBED.index(t)) for t in BLOCKS[n]]
        assert reached == [numbers[place] for place in places if place]
    assert block_at("numbers.py", PROBED.encode(), PROBED.index("n * 2")) is None
    assert numbers["other.py:other:0:12345678"] == 0


BLOCKS = {
    -3: ["if n <", "return -1"],
    0: ["if n <"],
    1: ["if n <", "found = LIMIT", "return found"],
    2: ["if n <", "found = LIMIT", "found = found", "return found"],
}
"""Places in the source of the blocks that each number reaches."""


def test_what_a_process_reaches_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECORD, str(tmp_path / "record"))
    monkeypatch.setattr(probes, "is_collecting", [False])
    probes.mark(7)
    probes.write([1, 2], "a.py::test", "setup", 0.25)
    probes.write([2], "a.py::test", "call", 0.5)
    probes.write([], "b.py::test", "call", 1)
    running = os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)")
    keys = [f"block {number}" for number in range(8)]
    found = read(tmp_path / "record", keys, set(keys[2:]))
    reached = {"block 2": {"a.py::test"}, "block 7": {running}}
    assert {key: tests for key, tests in found.tests.items() if tests} == reached
    assert found.shared == {"block 2": {"a.py::test"}}
    assert found.seconds == {running: 0, "a.py::test": 0.75, "b.py::test": 1}
    forget(tmp_path / "record", {"b.py"})
    found = read(tmp_path / "record", keys, set(keys))
    assert not any(found.tests.values())
    assert found.seconds == {"b.py::test": 1}


def test_what_is_run_reaches_the_fault() -> None:
    files = ["near.py", *(f"{n}.py" for n in range(NEAREST)), "elsewhere.py"]
    near, slow, far = "near.py::quick", "near.py::slow", f"{NEAREST - 1}.py::quick"
    seconds = {slow: 500.0, near: 0.2, far: 0.1, "0.py::quicker": 0.1, "1.py::quick": 0.3}
    reach = Reach({"block": set(seconds), "unreached": set(), "import": {"", near}}, {}, seconds)
    first = ["0.py::quicker", near, "1.py::quick"]
    assert reach.choose("block", files, 2) == [first, [far], ["near.py"]]
    reach.shared["block"] = {far}
    assert reach.choose("block", files, 2) == [first, [far], ["near.py", far.partition(":")[0]]]
    assert reach.choose("block", files, 1) == [first, [far], ["near.py"]]
    assert reach.choose("unreached", files, 2) == []
    nearest = [files[:NEAREST], files[NEAREST:]]
    for unknown in ("unknown", None):
        assert reach.choose(unknown, files, NEAREST + 2) == nearest
    assert reach.choose("import", files, NEAREST + 2) == [[near], *nearest]
