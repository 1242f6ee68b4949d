"""Fixtures shared by all tests: profiles of hypothesis, and one small published store."""

import fcntl
import gc
import itertools
import os
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

from tests.compiling import compile_each_kernel_once

# The first example of a property compiles kernels; a deadline would measure the compiler.
# How many examples are left out may depend on what other tests have computed.
UNTIMED = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
# `make test` draws the same fifty examples every time: a change that breaks nothing passes.
settings.register_profile("project", UNTIMED, derandomize=True, max_examples=50)
# `make test-all` draws new ones.
settings.register_profile("search", UNTIMED, print_blob=True)
# Most faults show in few examples. The first that fails is enough; a smaller one would take time.
settings.register_profile(
    "mutants",
    settings.get_profile("project"),
    max_examples=15,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("project")

# Keep the test files that pytest has compiled: it takes seconds to rewrite their assertions.
# Processes that tests start keep theirs.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Objects made during collection stay alive. Garbage collection among them would take a third of the
# time of collection.
gc.disable()
# Compilers and searches make millions of objects that stay alive. Garbage collection at the usual
# rate takes an eighth of the time of the tests.
gc.set_threshold(1_000_000, 50, 1000)

# No test depends on the settings of the caller, nor on the memory that other programs leave free.
for name in [name for name in os.environ if name.startswith("ORACLE_")]:
    del os.environ[name]
os.environ["ORACLE_MEMORY_LIMIT"] = "16G"

STORE = "POSITION_ORACLE_TEST_STORE"
"""Environment variable that names the folder of the common store for further runs."""

SLOW_SECONDS = 1200
STORE_LIMIT = 300
RANDOM_PLAY_LIMIT = 40
FRAGMENTS_LIMIT = "1x1x1"
FRONTIER_LIMIT = 40
SENSITIVITY_LIMIT = "100x30"
VALUES_LIMIT = 30


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the seed of a random order: no test may need another before it."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


def pytest_configure() -> None:
    """Let the test processes share compiled kernels."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        compile_each_kernel_once()


def pytest_xdist_auto_num_workers() -> int:
    """Return two processes more than there are cores, because many tests wait."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give slow tests more time; the limit of all others is in pyproject.toml.

    Tests of the page come first: a process keeps its first tests when others have none left and
    take over its last ones. So one process starts a browser.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/web/"))
    if (seed := config.getoption("--shuffle")) is not None:
        _shuffle(items, random.Random(seed))
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


def _shuffle(items: list[pytest.Item], chance: random.Random) -> None:
    """Shuffle the files, and the tests within each, so that fixtures of files are made once."""
    by_file: dict[Path, list[pytest.Item]] = {}
    for item in items:
        by_file.setdefault(item.path, []).append(item)
    for tests in by_file.values():
        chance.shuffle(tests)
    files = list(by_file.values())
    chance.shuffle(files)
    items[:] = itertools.chain.from_iterable(files)


def pytest_collection_finish() -> None:
    """Turn on garbage collection, for the objects that the tests will make."""
    _draw_constants_of_what_is_imported()
    gc.freeze()
    gc.enable()


def _draw_constants_of_what_is_imported() -> None:
    """Let no later import change the examples of properties.

    Some examples are constants of the imported sources. Which tests a process runs, and so what
    these import, depends on time.
    """
    constants = providers._get_local_constants()
    providers._get_local_constants = lambda: constants


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three-row Chomp for x <= STORE_LIMIT, plain, with a pass, and against chance.

    Beside it, some positions of transfinite Chomp and its frontier, and the Grundy values and
    remoteness of three-row Chomp with x + y + z <= VALUES_LIMIT. Processes that test together
    build it once, and have a copy each.
    """
    place = tmp_path_factory.mktemp("store") / "data"
    base = tmp_path_factory.getbasetemp()
    common = Path(
        os.environ.get(STORE)
        or (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "store"
    )
    with common.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not common.exists():
            _build(place)
            shutil.copytree(place, common)
            return place
    shutil.copytree(common, place)
    return place


def _build(place: Path) -> None:
    from tests.builds import build_all

    build_all(
        (
            ("chomp3", STORE_LIMIT, None),
            ("chomp3{passes=1}", STORE_LIMIT, None),
            ("chomp3", RANDOM_PLAY_LIMIT, "random_play"),
            ("chomp3", SENSITIVITY_LIMIT, "sensitivity"),
            ("transfinite", FRAGMENTS_LIMIT, None),
            ("transfinite", FRONTIER_LIMIT, "frontier"),
            ("chomp3", VALUES_LIMIT, "grundy"),
            ("chomp3", VALUES_LIMIT, "remoteness"),
        ),
        place,
    )


@pytest.fixture(scope="session", autouse=True)
def no_bare_names() -> Iterator[None]:
    """No test imports a room under its bare name, not even in a string of code."""
    yield
    bare = {"schema", "engine", "oracle", "clients"} & sys.modules.keys()
    assert not bare, [sys.modules[name] for name in bare]
