"""The frontier of transfinite Chomp: G(4 x a) and G((4 x a) + (2 x w)).

Limits are texts: `400` means columns of heights up to 400: G(4 x a) for every a <= 400, and G((4 x
a) + (2 x w)) for every a < 100, a quarter, as far as a scan to that height shows.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always, lazily
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.jobs.transfinite.fragments import check_plain

if TYPE_CHECKING:
    from position_oracle.engine.solvers.frontier import Frontier

MAX_LIMIT: Final = 1_500
_ROW_BYTES: Final = 8


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


FRONTIER: Final = Job(
    family="transfinite",
    kind="frontier",
    tables=("frontier",),
    usual_limit=always("400"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=lazily("position_oracle.engine.jobs.transfinite.frontier_checks", "frontier_checks"),
)
