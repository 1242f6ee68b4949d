"""Measure how many rows a second are written, checked and read, against plain DuckDB.

    python -m bench.storage [ROWS]

Prints the best of several runs. Writing means Arrow chunks into a new file with checksums;
publishing adds reading everything back and comparing. The ratios are to DuckDB alone: loading the
same arrays with INSERT, and reading the column z into numpy.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from position_oracle.schema.snapshot import (
    GameRow,
    LoserSheets,
    Snapshot,
    begin_draft,
    current_file,
    rows_of_sheets,
    utc_now,
)

GAME = GameRow(1, "chomp3", "chomp3")
BLOCK = 4_000_000
RUNS = 3
ROWS = 20_000_000


def made_up_sheets(rows: int) -> LoserSheets:
    """Return invented sheets with the shape of three-row Chomp's: four in ten have a tail."""
    count = int((2 * rows / (2**0.5 - 1)) ** 0.5)
    x = np.arange(count)
    length = ((2**0.5 - 1) * x).astype(np.int64)
    period = (x % 5 < 2).astype(np.int32)
    offset = np.concatenate([[0], np.cumsum(length)])
    tail_offset = np.concatenate([[0], np.cumsum(period)]).astype(np.int64)
    random = np.random.default_rng(1)
    z = random.integers(0, 1 + np.repeat(x, length), dtype=np.int64).astype(np.int32)
    return LoserSheets(0, offset, z, period, tail_offset, np.ones(tail_offset[-1], np.int32))


def blocks(sheets: LoserSheets) -> list[LoserSheets]:
    """Return the sheets in blocks of about `BLOCK` positions, as a solver yields them."""
    total = int(sheets.prefix_offset[-1])
    cuts = np.searchsorted(sheets.prefix_offset, np.arange(0, total, BLOCK)).tolist()
    bounds = sorted({0, *cuts, len(sheets)})
    parts = []
    for begin, end in pairwise(bounds):
        first, tail = sheets.prefix_offset[begin], sheets.tail_offset[begin]
        part = LoserSheets(
            begin,
            sheets.prefix_offset[begin : end + 1] - first,
            sheets.prefix_z[first : sheets.prefix_offset[end]],
            sheets.tail_period[begin:end],
            sheets.tail_offset[begin : end + 1] - tail,
            sheets.tail_z[tail : sheets.tail_offset[end]],
        )
        parts.append(part)
    return parts


def write(place: Path, parts: list[LoserSheets]) -> tuple[float, float]:
    """Return the seconds to write the sheets, and the seconds to check and publish them."""
    begun = time.perf_counter()
    with begin_draft(place) as draft:
        writer = draft.replace(GAME, "sheets", ["p_position", "sheet"])
        for part in parts:
            for table_name, rows in rows_of_sheets(part).items():
                writer.append(table_name, rows)
        writer.finish(limit="0", started_at=utc_now(), seconds=1.0, environment="{}")
        written = time.perf_counter()
        draft.publish()
        return written - begun, time.perf_counter() - written


def write_plainly(path: Path, parts: list[LoserSheets]) -> float:
    """Return the seconds that DuckDB alone takes to load the rows of p_position from arrays."""
    tables = [rows_of_sheets(part)["p_position"] for part in parts]
    begun = time.perf_counter()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE p (game_id BIGINT, x INTEGER, y INTEGER, z INTEGER)")
        for table in tables:
            chunk = pa.Table.from_batches(table.to_batches(max_chunksize=122_880))
            connection.register("chunk", chunk)
            connection.execute("INSERT INTO p SELECT 1, x, y, z FROM chunk")
            connection.unregister("chunk")
    return time.perf_counter() - begun


def read_plainly(path: Path) -> float:
    """Return the seconds that DuckDB alone takes to read one column into numpy."""
    begun = time.perf_counter()
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SELECT z FROM p").fetchnumpy()
    return time.perf_counter() - begun


def read(place: Path, *, check: bool) -> float:
    """Return the seconds to open the store and read the sheets, until the first answer is
    possible.
    """
    begun = time.perf_counter()
    with Snapshot.open(place) as snapshot:
        snapshot.read_sheets(GAME.name, check=check)
    return time.perf_counter() - begun


def best(measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(RUNS))


def main(rows: int = ROWS) -> None:
    """Print the measured numbers."""
    parts = blocks(made_up_sheets(rows))
    rows = sum(len(part.prefix_z) + len(part.tail_z) for part in parts)

    def show(what: str, seconds: float, plain: float | None = None) -> None:
        ratio = "" if plain is None else f"   {plain / seconds:4.0%} of DuckDB alone"
        print(f"{what:34} {rows / seconds / 1e6:7.1f} million rows a second{ratio}")

    with tempfile.TemporaryDirectory() as folder:
        place, plain = Path(folder) / "data", Path(folder) / "plain.duckdb"

        def plain_run() -> float:
            plain.unlink(missing_ok=True)
            return write_plainly(plain, parts)

        plain_write = best(plain_run)
        runs = [write(place, parts) for _ in range(RUNS)]
        plain_read = best(lambda: read_plainly(plain))
        print(f"{rows:,} rows, {current_file(place).stat().st_size / rows:.2f} bytes each")
        show("write, with checksums", min(run[0] for run in runs), plain_write)
        show("check and publish", min(run[1] for run in runs))
        show("load sheets, checksums compared", best(lambda: read(place, check=True)), plain_read)
        show("load sheets", best(lambda: read(place, check=False)), plain_read)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("rows", nargs="?", type=int, default=ROWS)
    main(options.parse_args().rows)
