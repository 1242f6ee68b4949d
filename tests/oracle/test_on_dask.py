"""Workers of a Dask cluster answer arrays of positions, as the page on operation shows."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

PAGE = (Path(__file__).parents[2] / "docs/operation.md").read_text()
SMALLER = {"10_000": "300", "10**9": "40_000", "10**7": "5_000"}

Rows = npt.NDArray[np.int32]
Outcomes = npt.NDArray[np.uint8]


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
    (text,) = re.findall(r"```python\n(import dask.array.*?)```", PAGE, re.S)
    for long, short in SMALLER.items():
        assert long in text
        text = text.replace(long, short)
    text = text.replace("/var/lib/position-oracle/data", str(store))
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    )
    with cluster:
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
