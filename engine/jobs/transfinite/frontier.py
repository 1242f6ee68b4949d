"""The frontier of transfinite Chomp: G(4 x a) and G((4 x a) + (2 x w)).

Limits are texts: `400` means columns of heights up to 400: G(4 x a) for every a <= 400, and G((4 x
a) + (2 x w)) for every a < 100, a quarter, as far as a scan to that height shows.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.jobs.transfinite.fragments import check_plain
from position_oracle.engine.solvers import tables
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import box
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot

if TYPE_CHECKING:
    from position_oracle.engine.solvers.frontier import Frontier

MAX_LIMIT: Final = 1_500
_ROW_BYTES: Final = 8

_BOARDS: Final = 40
"""Boxes 4 x a up to this a are checked as Chomp boards."""
_SCAN: Final = 120
"""Height of the scan that checks the values beside infinite columns."""

Columns = dict[str, list[Any]]


def _read_limit(game: GameSpec, limit: str) -> str:
    check_plain(game)
    return str(sides_within(game, limit, 1, "the largest a", 1, MAX_LIMIT)[0])


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    from position_oracle.engine.solvers.frontier import estimate_bytes

    largest = int(limit)
    return ResourceEstimate(
        rows=largest + 1,
        seconds=3.0 + 0.25e-9 * float(largest) ** 4,
        memory_bytes=(500 << 20) + estimate_bytes(largest + 1),
        disk_bytes=EMPTY_FILE_BYTES + _ROW_BYTES * largest,
    )


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    from position_oracle.engine.solvers.frontier import solve

    count = int(limit) + 1
    report = reporter.part("solve")
    report(0, count)
    yield {"frontier": columns_of(solve(count))}
    report(count, count)


def columns_of(found: "Frontier") -> dict[str, list[int | None]]:
    """Return the columns of the table by name, in ascending order of a from 0."""
    from position_oracle.engine.solvers.frontier import MAX_VALUE

    missing: list[int | None] = [None] * (found.limit - len(found.side_tops))

    def known(values: list[int]) -> list[int | None]:
        return [value if value <= MAX_VALUE else None for value in values]

    return {
        "a": list(range(found.limit)),
        "box_value": known(found.boxes.tolist()),
        "side_top_value": [*known(found.side_tops.tolist()), *missing],
        "latest_height": [*found.latest.tolist(), *missing],
    }


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, _sample: Sample) -> Iterator[Check]:
    """Check rows, boxes by the solver of finite boards, and a shorter scan."""
    largest = int(limit)
    stored: Columns = snapshot.read_table("frontier", game.text, check=False).to_pydict()
    if stored["a"] != list(range(largest + 1)):
        raise CorruptTableError(f"frontier has not the rows a = 0 to {largest}")
    yield _boards(stored["box_value"])
    yield _shorter_scan(stored)


def _boards(values: list[int | None]) -> Check:
    """Check the values of boxes: 1 + the Grundy value of the board whose poison cannot be eaten."""
    from position_oracle.engine.solvers.frontier import MAX_VALUE

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
    from position_oracle.engine.solvers.frontier import solve

    short = columns_of(solve(min(_SCAN, len(stored["a"]))))
    tops = [value for value in short["side_top_value"] if value is not None]
    failures = (
        f"a = {a} differs in a shorter scan"
        for a, (value, longer) in enumerate(zip(tops, stored["side_top_value"], strict=False))
        if value != longer and stored["latest_height"][a] < _SCAN
    )
    return check("values beside w are those of a shorter scan", len(tops), failures)


FRONTIER: Final = Job(
    family="transfinite",
    kind="frontier",
    tables=("frontier",),
    usual_limit=always("400"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=_checks,
)
