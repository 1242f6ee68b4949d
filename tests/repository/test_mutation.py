"""Faults made on purpose, to see whether tests notice: the changes, and the tests near them."""

import ast
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from position_oracle.schema.answers import Certainty
from tests.mutation import probes
from tests.mutation.faults import choose, faults, labels_of, sources
from tests.mutation.imports import Imports
from tests.mutation.kernels import Users, users_of
from tests.mutation.probes import FIXTURE, RECORD, STEP
from tests.mutation.reach import FILES, STORE_FIXTURE, Reach, block_at, forget, read, with_probes

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


KERNELS = {
    "engine/shapes.py": """
LIMIT = limit()

@kernel
def area(x):
    return x * LIMIT

@kernel
def volume(x):
    return x * area(x)

def limit():
    return 7
""",
    "oracle/rooms.py": """
from position_oracle.engine import shapes
from position_oracle.engine.shapes import area as size

def rent(x):
    if x:
        return size(x)
    return 0

def air(x):
    return shapes.volume(x)

def area(x):
    return x
""",
    "tests/test_rooms.py": """
from position_oracle.engine.shapes import volume

def doubled(x):
    return volume(x) * 2

def test_volume():
    assert doubled(2) == 56

def test_nothing():
    volume = 1
""",
}


def test_what_runs_compiled_code(tmp_path: Path) -> None:
    """Names lead from a function to compiled code, to blocks of other modules, and to tests."""
    for name, text in KERNELS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    imports = Imports(tmp_path)
    importers = imports.users("engine/shapes.py")
    assert importers == set(KERNELS)
    assert imports.users("oracle/rooms.py") == {"oracle/rooms.py"}

    def users(word: str) -> Users:
        place = KERNELS["engine/shapes.py"].index(word)
        return users_of(imports.texts, importers, "engine/shapes.py", place)

    def block(word: str) -> str | None:
        text = KERNELS["oracle/rooms.py"]
        return block_at("oracle/rooms.py", text.encode(), text.index(word))

    volume, area, limit = users("* area"), users("* LIMIT"), users("return 7")
    assert volume.kernels == {"shapes.volume-*.nb?"}
    assert area.kernels == volume.kernels | {"shapes.area-*.nb?"}
    assert area.kernels < limit.kernels
    assert volume.blocks == {block("return shapes")}
    assert area.blocks == limit.blocks == {block("return size"), block("return shapes")}
    assert volume.tests == area.tests == {"tests/test_rooms.py::test_volume"}


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
    monkeypatch.setenv(STEP, "c.py::test")
    monkeypatch.setattr(probes, "recorded_process", [0])
    probes.mark(7)
    probes.write("", [6])
    probes.write("a.py::test", [], fixtures=[f"{FIXTURE}a.py::made"])
    for seconds in (0.25, 0.125):
        probes.write(f"{FIXTURE}a.py::made", [1, 2], seconds)
        probes.write("a.py::test", [2], seconds)
    probes.write("b.py::test", [], 1)
    keys = [f"block {number}" for number in range(8)]
    found = read(tmp_path / "record", keys, {"a.py", "b.py"})
    assert {key: steps for key, steps in found.steps.items() if steps} == {
        "block 1": {f"{FIXTURE}a.py::made"},
        "block 2": {f"{FIXTURE}a.py::made", "a.py::test"},
        "block 6": {""},
        "block 7": {"c.py::test"},
    }
    assert [found.is_known(key) for key in ("block 5", "block 6", None)] == [True, False, False]
    assert found.seconds == {f"{FIXTURE}a.py::made": 0.125, "a.py::test": 0.375, "b.py::test": 1}
    assert found.fixtures == {"a.py::test": [f"{FIXTURE}a.py::made"], "b.py::test": []}
    forget(tmp_path / "record", {"a.py"})
    found = read(tmp_path / "record", keys, {"a.py", "b.py"})
    assert found.seconds == {"b.py::test": 1}


def test_few_quick_tests_run_for_a_fault() -> None:
    made = f"{FIXTURE}a.py::made"
    seconds = {"a.py::one": 0.5, "a.py::two": 0.5, "a.py::more[1]": 0.5, "a.py::more[2]": 0.5}
    seconds |= {made: 1, "b.py::long": 8, "c.py::first": 0.5, "d.py::named": 0.5}
    fixtures = {test: [made] * (test == "a.py::one") for test in seconds if test != made}
    steps = {
        "block": {made, "a.py::more[1]", "a.py::more[2]", "b.py::long", "c.py::first"},
        "unreached": set[str](),
    }
    sizes = Counter({"c.py::first": 1, made: 2, "a.py::more[1]": 3})
    reach = Reach(steps, seconds, fixtures, sizes)
    assert reach.choose({"unreached", "unknown"}, set(), 9) == []
    assert reach.choose({"unknown"}, {"d.py::n"}, 9) == ["d.py::named"]
    assert reach.choose({"block"}, set(), 0) == ["c.py::first"]
    few = ["c.py::first", "a.py::one", "a.py::more[1]"]
    assert reach.choose({"block"}, set(), 2.5) == few
    assert reach.choose({"block"}, set(), 3) == [*few, "a.py::more[2]"]
    assert reach.choose({"block"}, set(), 3.5) == [*few, "a.py::more[2]", "a.py::two"]
    assert reach.choose({"block"}, set(), 12) == [*few, "a.py::more[2]", "b.py::long", "a.py::two"]
    many = {f"{number}.py::test": 0.1 for number in range(2 * FILES)}
    reach = Reach({"block": set(many)}, many, {test: [] for test in many})
    assert len(reach.choose({"block"}, set(), 100)) == FILES


def test_a_fault_that_may_change_the_common_store_is_known() -> None:
    reach = Reach({"builds": {"a.py::test", STORE_FIXTURE}, "other": {"a.py::test"}})
    assert reach.builds_store({"builds", "other"})
    assert reach.builds_store({"unknown"})
    assert not reach.builds_store({"other"})
    assert not reach.builds_store(set())
