"""Checks of the stored frontier of transfinite Chomp: boards solved otherwise.

The solver of finite boards checks the boxes. A shorter scan uses the solver of the frontier again.
"""

from collections.abc import Iterator
from typing import Any, Final

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.jobs.transfinite.frontier import columns_of
from position_oracle.engine.solvers import tables
from position_oracle.engine.solvers.frontier import MAX_VALUE, solve
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import box
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot

_BOARDS: Final = 40
"""Boxes 4 x a up to this a are solved as Chomp boards."""
_SCAN: Final = 120
"""Height of the scan that checks the values beside infinite columns."""

Columns = dict[str, list[Any]]


def frontier_checks(
    snapshot: Snapshot, game: GameSpec, limit: str, _sample: Sample
) -> Iterator[Check]:
    """Check rows, boxes as Chomp boards, and a shorter scan.

    Raises:
        CorruptTableError: the table cannot be read.
    """
    largest = int(limit)
    stored: Columns = snapshot.read_table("frontier", game.text, check=False).to_pydict()
    if stored["a"] != list(range(largest + 1)):
        raise CorruptTableError(f"frontier has not the rows a = 0 to {largest}")
    yield _boards(stored["box_value"])
    yield _shorter_scan(stored)


def _boards(values: list[int | None]) -> Check:
    """Check the values of boxes: 1 + the Grundy value of the board whose poison cannot be eaten."""
    largest = min(_BOARDS, len(values) - 1)
    boards = tables.solve(Ranked(box(4, max(largest, 1))), "grundy")
    expected = [0, *(boards.at((a,) * 4) + 1 for a in range(1, largest + 1))]
    failures = (
        f"G(4 x {a}) is {value}, not {values[a]}"
        for a, value in enumerate(expected)
        if values[a] != (value if value <= MAX_VALUE else None)
    )
    return check("boxes have the values of Chomp boards", largest + 1, failures)


def _shorter_scan(stored: Columns) -> Check:
    """Check that a shorter scan gives the stored values with `latest_height` below its height."""
    short = columns_of(solve(min(_SCAN, len(stored["a"]))))
    tops = [value for value in short["side_top_value"] if value is not None]
    failures = (
        f"a = {a} differs in a shorter scan"
        for a, (value, longer) in enumerate(zip(tops, stored["side_top_value"], strict=False))
        if value != longer and stored["latest_height"][a] < _SCAN
    )
    return check("values beside w are those of a shorter scan", len(tops), failures)
