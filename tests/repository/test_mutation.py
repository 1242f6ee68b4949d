"""Faults put in to see whether tests notice: what they change, and which tests are near."""

import ast
import shutil
from pathlib import Path

import pytest

from tests.mutation.faults import choose, faults
from tests.mutation.nearness import Imports

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
        ("oracle/server/lanes.py", "tests/oracle/server/test_lanes.py"),
        ("schema/values.py", "tests/schema/test_values.py"),
    ],
)
def test_the_test_of_a_module_is_among_the_nearest(imports: Imports, path: str, test: str) -> None:
    assert imports.tests(path)[:2].count(test) == 1
