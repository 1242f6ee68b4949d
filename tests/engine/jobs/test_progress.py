"""Progress: the parts of a job as one whole, and the time that is left."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from position_oracle.engine.jobs import progress
from position_oracle.engine.jobs.progress import Progress, Reporter


def test_parts_are_combined_into_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    now, told = [10.0], list[Progress]()
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    reporter = Reporter(told.append, Path("scratch"))
    first = reporter.part("solve", 200, 0.0, 0.25)
    now[0] = 12.0
    second = reporter.part("solve", 200, 0.25, 1.0, power=2)
    first(0, 4)
    assert told[-1] == Progress("solve", 0, 200, 0, None)
    first(2, 4, 3)  # an eighth of the time, in 2 seconds
    assert told[-1] == Progress("solve", 25, 200, 3, 14.0)
    reporter.p_positions = 5
    now[0] = 20.0
    second(1, 2, 4)  # a quarter, and a quarter of the rest, in 10 seconds
    spent = 0.25 + 0.75 / 4
    assert told[-1] == Progress("solve", 125, 200, 9, 10 * (1 - spent) / spent)
    second(2, 2)
    assert told[-1] == Progress("solve", 200, 200, 5, 0.0)
    write = reporter.part("write")  # a part from the beginning has a clock of its own
    now[0] = 21.0
    write(1, 4)
    assert told[-1] == Progress("write", 1, 4, 5, 3.0)
    write(0, 0)
    assert told[-1] == Progress("write", 0, 0, 5, None)
