"""The frontier of transfinite Chomp: G(4 x a) and G((4 x a) + (2 x w)), solved, stored, checked."""

import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from engine.games.spec import GameSpec
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, stopped_by
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.errors import NotationError
from schema.snapshot import Snapshot, TableWriter

if TYPE_CHECKING:
    from engine.solvers.frontier import Frontier

MAX_LIMIT: Final = 1_500
_LIMIT: Final = re.compile(r"[0-9]{1,6}")
_LOOK_SECONDS: Final = 0.2
"""Time between two looks at the stop flag."""

# A model fitted to runs on one core; `python bench/transfinite.py` prints what it stands for.
_START_SECONDS: Final = 3.0
_STEP_NANOSECONDS: Final = 0.25
_BASE_BYTES: Final = 500 << 20
_ROW_BYTES: Final = 8
_EMPTY_FILE_BYTES: Final = 3 << 20


class TransfiniteFrontier:
    """Builds the table `frontier`.

    Limits are texts: `400` means columns of heights up to 400: G(4 x a) for every a <= 400, and
    for a < 100, a quarter, G((4 x a) + (2 x w)) as far as a scan to that height tells.
    """

    family = "transfinite"
    kind = "frontier"
    table_names = ("frontier",)
    usual_limit = "400"

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`."""
        return (game,)

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`."""
        text = limit.strip()
        if not _LIMIT.fullmatch(text) or not 1 <= int(text) <= MAX_LIMIT:
            raise NotationError(
                f"limit {limit[:40]!r} of {game.text} {self.kind}: write the largest a, 1 to"
                f" {MAX_LIMIT}"
            )
        return str(int(text))

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`; rows are values of a."""
        from engine.solvers.frontier import estimate_bytes

        largest = int(limit)
        return Estimate(
            rows=largest + 1,
            seconds=_START_SECONDS + largest**4 * _STEP_NANOSECONDS * 1e-9,
            memory_bytes=_BASE_BYTES + estimate_bytes(largest + 1),
            disk_bytes=_EMPTY_FILE_BYTES + _ROW_BYTES * largest,
        )

    def run(
        self,
        game: GameSpec,
        limit: str,
        writer: TableWriter,
        progress: ProgressCallback,
        stop: StopFlag,
    ) -> None:
        """See `Builder.run`; stopped, the solver's thread ends with its process, or when done."""
        progress(Progress("solve", 0, int(limit) + 1))
        found = _solve_in_thread(int(limit) + 1, stop)
        writer.append("frontier", columns_of(found))
        progress(Progress("solve", found.limit, found.limit))

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.frontier import frontier_checks

        yield from frontier_checks(snapshot, game, limit, sample)


def columns_of(found: "Frontier") -> dict[str, list[int | None]]:
    """The columns of the table, by name; a is ascending from 0."""
    from engine.solvers.frontier import MAX_VALUE

    missing: list[int | None] = [None] * (found.limit - len(found.side_tops))

    def known(values: list[int]) -> list[int | None]:
        return [value if value <= MAX_VALUE else None for value in values]

    return {
        "a": list(range(found.limit)),
        "box_value": known(found.boxes.tolist()),
        "side_top_value": [*known(found.side_tops.tolist()), *missing],
        "latest_height": [*found.latest.tolist(), *missing],
    }


def _solve_in_thread(count: int, stop: StopFlag) -> "Frontier":
    """The values for a < count; the solver runs by itself, so that the job can be stopped.

    Raises:
        BuildInterruptedError: `stop` was set.
    """
    from engine.solvers.frontier import solve

    results: list[Frontier] = []
    errors: list[BaseException] = []

    with stopped_by(stop) as budget:

        def work() -> None:
            try:
                with budget.active():
                    results.append(solve(count))
            except BaseException as error:
                errors.append(error)

        worker = threading.Thread(target=work, name="solver", daemon=True)
        worker.start()
        while worker.is_alive():
            budget.check()
            worker.join(_LOOK_SECONDS)
        if errors:
            raise errors[0]
        return results[0]
