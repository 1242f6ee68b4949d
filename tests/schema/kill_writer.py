"""Kills writers without warning, again and again, and checks the store after each death.

Run as a program: `kill_writer.py PLACE`. It does not open DuckDB itself, so that it may fork: all
writers are children, and each checks the store first. It prints the exit status of each child: -9
for a death, 1 if a check failed.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np

from position_oracle.schema import store as store_module
from position_oracle.schema.snapshot import GameRow, Snapshot, begin_draft

ROWS = 5_000
STEPS = 6
"""Number of calls in one publication that make a file durable or rename it."""


def write(place: Path) -> None:
    """Publish a table in which each z is the number of this process."""
    with begin_draft(place) as draft:
        writer = draft.replace(GameRow(5, "nim{heaps=3}", "nim", 3), "z", ["p_position"])
        for part in np.array_split(np.arange(ROWS, dtype=np.int32), 3):
            z = np.full(len(part), os.getpid(), np.int32)
            writer.append("p_position", {"x": part, "y": part, "z": z})
        writer.finish(limit="1", started_at=datetime(2026, 1, 1), seconds=1.0, environment="{}")
        draft.publish()


def write_for_ever(place: Path) -> None:
    """Check the store, then publish again and again."""
    look(place)
    while True:
        write(place)


def die_at_step(place: Path, step: int) -> None:
    """Check the store, publish, and die at the given call that syncs or renames a file."""
    look(place)
    calls = 0

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments)

        return wrapper

    with (
        mock.patch.object(store_module, "_sync", counted(store_module._sync)),
        mock.patch.object(Path, "replace", counted(Path.replace)),
    ):
        write(place)


def look(place: Path) -> None:
    """Check that the store is whole: one generation, with right checksums."""
    with Snapshot.open(place) as snapshot:
        z = snapshot.read_column("p_position", "z", "nim{heaps=3}")
        assert len(z) == ROWS
        assert (z == z[0]).all()
        snapshot.verify("nim{heaps=3}", "z")


def run(work: Callable[[], None], *, kill_after: float | None = None) -> int:
    """Run a function in a child process, perhaps kill it, and return its exit status."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException as error:  # the child must not return to the caller
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main(place: Path) -> None:
    if run(lambda: write(place)) != 0:
        sys.exit("the first build failed")
    chance = random.Random(20)
    statuses = [run(partial(die_at_step, place, step)) for step in range(1, STEPS + 1)]
    for _ in range(3):
        delay = chance.uniform(0.05, 0.3)
        statuses.append(run(lambda: write_for_ever(place), kill_after=delay))
    statuses.append(run(lambda: look(place)))
    statuses.append(run(lambda: write(place)))
    sys.stdout.write(" ".join(map(str, statuses)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
