"""Workers of a Dask cluster answer arrays, build tables and read exports, as on the page."""

import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.schema.export import Format, export
from position_oracle.schema.snapshot import Snapshot
from tests.clock import until

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operation.md").read_text()
SMALLER = {"10_000": "300", "10**9": "40_000", "10**7": "5_000"}

Rows = npt.NDArray[np.int32]
Outcomes = npt.NDArray[np.uint8]


TWO_WORKERS: dict[str, Any] = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "processes": True,
    "dashboard_address": None,
    "host": "127.0.0.1",
}


def example(begin: str, changes: Mapping[str, str]) -> str:
    """Return the example of the page that begins so, with other places and smaller numbers."""
    text: str
    (text,) = re.findall(rf"```python\n({begin}.*?)```", PAGE, re.S)
    for shown, mine in changes.items():
        assert shown in text
        text = text.replace(shown, mine)
    return text


def dying_once(outcomes: Callable[[Rows], Outcomes], mark: str) -> Callable[[Rows], Outcomes]:
    """Make a function that kills its process in the middle of one block, and then works."""

    def answered(rows: Rows) -> Outcomes:
        found = outcomes(rows)
        if not rows.size:  # Dask asks for the type of an answer in this process
            return found
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return found
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    return answered


@pytest.mark.slow
def test_the_example_and_a_worker_that_is_killed(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    distributed = pytest.importorskip("distributed")
    text = example("import dask.array", SMALLER | {"/var/lib/position-oracle/data": str(store)})
    with distributed.LocalCluster(**TWO_WORKERS) as cluster:
        names: dict[str, Any] = {"__name__": "__main__"}  # workers then get its functions
        exec(text.replace("tcp://scheduler:8786", cluster.scheduler_address), names)  # noqa: S102
        with names["client"]:
            share = float(capsys.readouterr().out)
            mark = tmp_path / "mark"
            mortal = dying_once(names["outcomes"], str(mark))
            many = names["rows"].map_blocks(mortal, drop_axis=1, dtype="uint8").compute()
            rows = names["rows"].compute()
    one = names["outcomes"](rows)
    assert mark.exists()
    assert many.tobytes() == one.tobytes()
    assert share == pytest.approx((one == 1).mean())
    assert 0 < share < 0.1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_list_of_builds_is_built_although_a_machine_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    lines = ["chomp3 --limit 60", "nim{heaps=3,passes=1} --limit 6", "chomp3 --limit 4000"]
    (tmp_path / "builds.txt").write_text("\n".join(lines))
    text = example(
        "import os\nimport subprocess",
        {
            "deploy/builds.sh": str(ROOT / "deploy/builds.sh"),
            "builds.txt": str(tmp_path / "builds.txt"),
            "/scratch/tables": str(tmp_path / "tables"),
            "range(100)": "range(3)",
            "client.gather(builds)": "",
        },
    )
    with distributed.LocalCluster(**TWO_WORKERS) as cluster:
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(text.replace("tcp://scheduler:8786", cluster.scheduler_address), names)  # noqa: S102
        with names["client"] as client:
            last = str(tmp_path / "tables/2")
            until(lambda: bool(building(last)))
            (program,) = building(last)
            shell = parent_of(program)
            for process in (parent_of(shell), shell, program):  # the worker, and what it started
                os.kill(process, signal.SIGKILL)
            client.gather(names["builds"])
    for number, line in enumerate(lines):
        assert run(["build", *line.split(), "--json", "--db", str(tmp_path / "one")]) == 0
        with Snapshot.open(tmp_path / "one") as one:
            expected = one.identity
        with Snapshot.open(tmp_path / f"tables/{number}") as made:
            assert made.identity == expected
        shutil.rmtree(tmp_path / "one")


def building(place: str) -> list[int]:
    """The processes of builds into a folder."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            line = file.read_text(errors="replace").split("\0")
            if {"build", place} <= set(line) and "python" in line[0]:
                found.append(int(file.parent.name))
    return found


def parent_of(process: int) -> int:
    (parent,) = re.findall(r"^PPid:\s*(\d+)", Path(f"/proc/{process}/status").read_text(), re.M)
    return int(parent)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Dask, for pandas to come
def test_other_programs_read_exports_in_parallel(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("dask.dataframe", "polars"):
        pytest.importorskip(module, reason="needs pip install 'dask[dataframe]' polars")
    with Snapshot.open(store) as snapshot:
        files = export(snapshot, tmp_path / "parts", Format.PARQUET, ["p_positions"], (), 5000)
        query = "SELECT count(*) FROM p_positions GROUP BY x ORDER BY 1 DESC LIMIT 3"
        most = [str(number) for (number,) in snapshot.cursor().sql(query).fetchall()]
    assert len(files) > 3
    exec(example("import dask.dataframe", {"/mnt/parts": str(tmp_path / "parts")}), {})  # noqa: S102
    printed = capsys.readouterr().out
    numbers = [re.findall(rf"\b{number}\b", printed) for number in most]
    assert all(len(each) >= 3 for each in numbers), printed
