"""Put small faults into a copy of the product, one at a time, and see whether the tests notice.

    python -m tests.mutation --count 100 --seed 9

First all tests are run once, with probes at the places of the faults. Then for each fault the tests
that reach it are run, until the first that fails. In the end the tests that failed are run on the
sound copy: one that fails there too has noticed nothing (`unsound`). Results are kept; a further
call goes on with those faults that are not caught yet, and probes only test files that are new.
"""

import argparse
import hashlib
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from position_oracle.engine.solvers.compile_cache import SOURCES
from tests.mutation.faults import Fault, choose
from tests.mutation.nearness import Imports
from tests.mutation.probes import RECORD
from tests.mutation.reach import Reach, forget, read, with_probes

ROOT: Final = Path(__file__).resolve().parents[2]
MEMORY: Final = 12 << 30
TEST_SECONDS: Final = 150
"""A single test that takes longer has noticed the fault; on the sound copy they take seconds."""

FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)
CRASHED: Final = re.compile(r"(?:Fatal Python error|Timeout).*")
ENOUGH: Final = 0.9


def main() -> int:
    """Run the faults that are not caught yet; 1 if fewer than 90 % are caught in the end."""
    options = _options()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tree, kept = options.place / "tree", options.place / f"results-{options.seed}.json"
    _copy(tree)
    imports, chosen = Imports(tree), choose(tree, options.count, options.seed)
    compiled = {path for folder in SOURCES for path in (tree / folder).rglob("*.py")}
    reach = _reach(tree, chosen, options)
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for number, fault in enumerate(chosen):
        if results.get(str(fault), [""])[0] in options.keep:
            continue
        parts = reach.choose(fault, imports.tests(fault.path), options.tests)
        path = tree / fault.path
        with (
            _changed(path, fault.applied(path.read_bytes())),
            _cache(options.place, imports.users(fault.path) if path in compiled else ()) as cache,
        ):
            verdict = "survived", "" if parts else "no test reaches it"
            for tests in parts:
                if verdict[0] == "survived":
                    verdict = _run(tree, cache.own, tests, options, "--exitfirst")
            results[str(fault)] = verdict
            cache.is_whole = results[str(fault)][0] != "unfinished"
        kept.write_text(json.dumps(results, indent=1))
        print(number, fault, *results[str(fault)], sep="  ", flush=True)
    noticed = {by for verdict, by in results.values() if verdict == "caught" and "::" in by}
    _, failing = _run(tree, options.place / "kernels", sorted(noticed), options)
    for fault_text, (verdict, by) in results.items():
        if verdict == "caught" and by in failing.splitlines():
            results[fault_text] = ("unsound", by)
    kept.write_text(json.dumps(results, indent=1))
    counted = Counter(results.get(str(fault), ["not run"])[0] for fault in chosen)
    print(*(f"{verdict}: {number}" for verdict, number in counted.items()), sep=", ")
    return 0 if counted["caught"] >= ENOUGH * len(chosen) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--tests", type=int, default=12, help="how many test files")
    parser.add_argument("--keep", nargs="*", default=["caught"], help="verdicts that stand")
    parser.add_argument("--limit", type=float, default=900, help="seconds for one fault")
    parser.add_argument("--deselect", nargs="*", default=[], help="tests that fail without a fault")
    parser.add_argument("--place", type=Path, default=ROOT / "build" / "mutants")
    return parser.parse_args()


def _copy(tree: Path) -> None:
    """A fresh copy of what is committed; times of files stay, so that kernels stay cached."""
    shutil.rmtree(tree, ignore_errors=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(tree, filter="data")


@contextmanager
def _changed(path: Path, text: bytes) -> Iterator[None]:
    source, stat = path.read_bytes(), path.stat()
    path.write_bytes(text)
    try:
        yield
    finally:
        path.write_bytes(source)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _reach(tree: Path, chosen: list[Fault], options: argparse.Namespace) -> Reach:
    """Run the test files that have changed since they were probed, at first all of them."""
    record, kept = (options.place / f"reach-{options.seed}.{end}" for end in ("jsonl", "json"))
    faults, tests = list(map(str, chosen)), _digests(tree)
    before = json.loads(kept.read_text()) if kept.exists() else {}
    known = before["tests"] if before.get("faults") == faults else {}
    changed = [test for test, digest in tests.items() if known.get(test) != digest]
    with _probes(tree, chosen) as probed:
        if changed:
            forget(record, tests.keys() - set(changed))
            plugin = ("-p", "tests.mutation.probes")
            kernels = options.place / "kernels"
            _run(tree, kernels, sorted(changed), options, *plugin, record=record)
            kept.write_text(json.dumps({"faults": faults, "tests": tests}, indent=1))
    return read(record, chosen, probed)


def _digests(tree: Path) -> dict[str, str]:
    return {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((tree / "tests").rglob("test_*.py"))
    }


@contextmanager
def _probes(tree: Path, chosen: list[Fault]) -> Iterator[list[int]]:
    """Probes for all faults that Python can see, and which they are."""
    with ExitStack() as stack:
        numbers: list[int] = []
        for path in sorted({fault.path for fault in chosen}):
            places = [(number, f) for number, f in enumerate(chosen) if f.path == path]
            text, probed = with_probes((tree / path).read_bytes(), places)
            stack.enter_context(_changed(tree / path, text))
            numbers += probed
        yield numbers


@dataclass(slots=True)
class _Cache:
    """Compiled kernels for one fault; a run that is killed may leave half of a file behind."""

    own: Path
    is_whole: bool = False


@contextmanager
def _cache(place: Path, users: Iterable[str]) -> Iterator[_Cache]:
    """Begin with those of the sound copy that the fault cannot reach, and give it new ones back."""
    sound, cache = place / "kernels", _Cache(place / "kernels-of-fault")
    sound.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(cache.own, ignore_errors=True)
    reached = shutil.ignore_patterns(*(f"{Path(user).stem}.*.nb?" for user in users))
    shutil.copytree(sound, cache.own, ignore=reached)
    yield cache
    if cache.is_whole:
        shutil.copytree(cache.own, sound, ignore=reached, dirs_exist_ok=True)


def _run(
    tree: Path,
    cache: Path,
    tests: list[str],
    options: argparse.Namespace,
    *flags: str,
    record: Path | None = None,
) -> tuple[str, str]:
    """Whether tests notice, and which: one a line, or the end of what was printed.

    Raises:
        RuntimeError: no test was run.
    """
    if not tests:
        return "survived", ""
    command = [
        *("nice", "-n", "5", sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no"),
        *("-p", "no:cacheprovider", "--hypothesis-profile=mutants"),
        *("-o", f"faulthandler_timeout={TEST_SECONDS}", "-o", "faulthandler_exit_on_timeout=true"),
        f"--basetemp={options.place.resolve() / 'tmp'}",
        *(f"--deselect={test}" for test in options.deselect),
        *flags,
        *tests,
    ]
    places = {
        "NUMBA_CACHE_DIR": cache,
        "XDG_CACHE_HOME": cache.parent / "cache",
        "PYTHONPATH": tree,
    } | ({} if record is None else {RECORD: record})
    environment = os.environ | {name: str(place.resolve()) for name, place in places.items()}
    with subprocess.Popen(
        command,
        cwd=tree,
        env=environment | {"COLUMNS": "500"},
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            told, _ = process.communicate(timeout=None if record else options.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return "unfinished", process.communicate()[0][-200:]
    if process.returncode == 0:
        return "survived", ""
    noticed = FAILED.findall(told) or CRASHED.findall(told)
    if process.returncode > 0 and not noticed:
        raise RuntimeError(f"the tests could not be run:\n{told[-2000:]}")
    return "caught", "\n".join(noticed) or f"signal {-process.returncode}"


if __name__ == "__main__":
    sys.exit(main())
