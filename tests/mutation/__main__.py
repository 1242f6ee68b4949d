"""Put small faults into copies of the product, one at a time, and see whether the tests notice.

    python -m tests.mutation --count 100 --seed 9 --within oracle/families clients

First all tests are run once, with probes in all blocks of the product. Then for each fault a few
quick tests that reach its block are run, until the first that fails; several faults at a time, each
in a copy of its own. In the end the tests that failed are run on the sound copy: one that fails
there too has noticed nothing (`unsound`). Results are kept; a further call goes on with the faults
that are not caught yet, and probes only test files that are new. The functions that tests are
missing of are named.
"""

import argparse
import hashlib
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from tests.conftest import STORE
from tests.mutation.copies import ROOT, UNTIL_FIRST, Copy
from tests.mutation.faults import choose, sources
from tests.mutation.imports import Imports
from tests.mutation.kernels import Users, users_of
from tests.mutation.limit import SECONDS
from tests.mutation.probes import RECORD
from tests.mutation.reach import Reach, block_at, forget, read, with_probes
from tests.mutation.source import Fault

MEMORY: Final = 8 << 30
ENOUGH: Final = 0.9
TEST_SECONDS: Final = 40
SLOWER: Final = 10
"""A test that takes so much processor time, and is so many times slower, has noticed a fault."""

Result = list[str]
"""The verdict, the failed tests or the end of the output, and the seconds that it took."""


def main() -> int:
    """Run the faults not caught yet. Return 1 if fewer than 90 % are caught in the end, else 0."""
    options = _options()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    copies = [Copy.of(options.place / f"copy-{number}") for number in range(options.jobs)]
    first = copies[0]
    chosen = choose(first.tree, options.count, options.seed, options.within)
    reach = _reach(first, options.place, options.among)
    for copy in copies[1:]:
        copy.share_kernels(first)
    runner = _Runner(copies, reach, options)
    kept = options.place / f"results-{options.seed}.json"
    results: dict[str, Result] = json.loads(kept.read_text()) if kept.exists() else {}
    waiting = [f for f in chosen if results.get(str(f), [""])[0] not in options.keep]
    with ThreadPoolExecutor(options.jobs) as pool:
        for fault, found in zip(waiting, pool.map(runner.result, waiting), strict=True):
            results[str(fault)] = found
            kept.write_text(json.dumps(results, indent=1))
            print(fault, *found, sep="  ", flush=True)
    _mark_unsound(first, results)
    kept.write_text(json.dumps(results, indent=1))
    return _report(chosen, results, runner)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--within", nargs="*", default=[""], help="beginnings of paths")
    parser.add_argument("--among", nargs="*", default=["tests"], help="tests that are run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="faults at a time")
    parser.add_argument("--seconds", type=float, default=5, help="of the tests for one fault")
    parser.add_argument("--keep", nargs="*", default=["caught"], help="verdicts that stand")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one fault")
    parser.add_argument("--deselect", nargs="*", default=[], help="tests that fail without a fault")
    parser.add_argument("--place", type=Path, default=ROOT / "build" / "mutants")
    return parser.parse_args()


def _mark_unsound(copy: Copy, results: dict[str, Result]) -> None:
    """Run the tests that noticed faults on a sound copy. Those that fail have noticed nothing."""
    noticed = {by for verdict, by, _ in results.values() if verdict == "caught" and "::" in by}
    failing = copy.run(sorted(noticed))[1].splitlines() if noticed else ()
    for fault, (verdict, by, seconds) in results.items():
        if verdict == "caught" and by in failing:
            results[fault] = ["unsound", by, seconds]


def _report(chosen: Sequence[Fault], results: dict[str, Result], runner: "_Runner") -> int:
    """Name the functions that need tests, and the number of faults that were caught."""
    counted = Counter(results[str(fault)][0] for fault in chosen)
    missing = [fault for fault in chosen if results[str(fault)][0] != "caught"]
    for fault in sorted(missing, key=str):
        files = " or ".join(runner.files(fault)[:2]) or "a new file"
        print(f"missing: a test of {runner.place(fault)} that notices {fault}; perhaps in {files}")
    print(*(f"{verdict}: {number}" for verdict, number in counted.items()), sep=", ")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time of the tests: {used.ru_utime + used.ru_stime:.0f} s")
    return 0 if counted["caught"] >= ENOUGH * len(chosen) else 1


class _Runner:
    """Runs the tests that may notice a fault."""

    def __init__(self, copies: Sequence[Copy], reach: Reach, options: argparse.Namespace) -> None:
        self._free: SimpleQueue[Copy] = SimpleQueue()
        for copy in copies:
            self._free.put(copy)
        self._reach = reach
        self._options = options
        tree = copies[0].tree
        self._imports = Imports(tree)
        self._texts = {
            path.relative_to(tree).as_posix(): path.read_bytes() for path in sources(tree)
        }

    def block(self, fault: Fault) -> str | None:
        """The block that contains a fault."""
        if fault.path.endswith(".js"):
            return None
        return block_at(fault.path, self._texts[fault.path], fault.start)

    def place(self, fault: Fault) -> str:
        """The function that contains a fault, or the module."""
        block = self.block(fault)
        return fault.path if block is None else block.split(":")[1]

    def files(self, fault: Fault) -> list[str]:
        """The files of the tests that run for a fault."""
        tests = self._tests(fault)[1]
        return list(dict.fromkeys(test.partition("::")[0] for test in tests))

    def result(self, fault: Fault) -> Result:
        """Return whether a test notices the fault, which test, and the seconds that it took."""
        copy, begun = self._free.get(), time.monotonic()
        try:
            return [*self._verdict(copy, fault), f"{time.monotonic() - begun:.1f}"]
        finally:
            self._free.put(copy)

    def _verdict(self, copy: Copy, fault: Fault) -> tuple[str, str]:
        users, tests = self._tests(fault)
        if not tests:
            return "survived", "no test reaches it"
        longest = max(map(self._reach.seconds_of, tests))
        variables: dict[str, object] = {SECONDS: TEST_SECONDS + SLOWER * longest}
        if not self._reach.builds_store(users.blocks):
            variables[STORE] = copy.store
        with copy.changed(fault.path, fault.applied(self._texts[fault.path])):
            return copy.run(
                tests,
                *UNTIL_FIRST,
                kernels=copy.kernels_without(users.kernels),
                limit=self._options.limit,
                variables=variables,
            )

    def _tests(self, fault: Fault) -> tuple[Users, list[str]]:
        users = self._users(fault)
        chosen = self._reach.choose(users.blocks, users.tests, self._options.seconds)
        return users, [test for test in chosen if test not in self._options.deselect]

    def _users(self, fault: Fault) -> Users:
        """Return the block of a fault; more where probes do not tell who runs it."""
        if fault.path.endswith(".js"):
            return Users(tests=frozenset({"tests/web/"}))
        block = self.block(fault)
        own = frozenset({block} if block else ())
        if self._reach.is_known(block):
            return Users(blocks=own)
        importers = self._imports.users(fault.path)
        users = users_of(self._imports.texts, importers, fault.path, fault.start)
        return replace(users, blocks=users.blocks | own)


def _reach(copy: Copy, place: Path, among: Iterable[str]) -> Reach:
    """Run the test files that changed since they were last probed; at first, run all of them.

    If much of the product has changed, all are run again.
    """
    record, kept = (place / f"reach.{end}" for end in ("jsonl", "json"))
    tests = _digests(copy.tree, among)
    before = json.loads(kept.read_text()) if kept.exists() else {"blocks": {}, "tests": {}}
    numbers: dict[str, int] = before["blocks"]
    known = len(numbers)
    probed = {
        path.relative_to(copy.tree).as_posix(): path.read_bytes()
        for path in sources(copy.tree)
        if path.suffix == ".py"
    }
    with_them = {path: with_probes(path, text, numbers) for path, text in probed.items()}
    if known < ENOUGH * len(numbers):
        before["tests"] = {}
        record.unlink(missing_ok=True)
    changed = sorted(test for test in tests if before["tests"].get(test) != tests[test])
    if changed:
        forget(record, set(changed))
        for path, text in with_them.items():
            (copy.tree / path).write_bytes(text)
        plugin = ("-p", "tests.mutation.recorder", "--numprocesses=auto", "--dist=worksteal")
        print(
            "probed:", *copy.run(changed, *plugin, variables={RECORD: record.resolve()}), flush=True
        )
        for path, text in probed.items():
            (copy.tree / path).write_bytes(text)
        kept.write_text(json.dumps({"blocks": numbers, "tests": before["tests"] | tests}))
    return read(record, list(numbers), tests.keys())


def _digests(tree: Path, among: Iterable[str]) -> dict[str, str]:
    found = {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((tree / "tests").rglob("test_*.py"))
    }
    return {name: digest for name, digest in found.items() if name.startswith(tuple(among))}


if __name__ == "__main__":
    sys.exit(main())
