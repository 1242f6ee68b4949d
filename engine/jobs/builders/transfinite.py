"""Transfinite Chomp on grids of ordinals: every position decided, stored, checked."""

import re
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from engine.games.spec import GameSpec
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, time_left
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.errors import BuildInterruptedError, NotationError, ResourceLimitError
from schema.snapshot import Snapshot, TableWriter

if TYPE_CHECKING:
    from engine.theory.transfinite.fragments import FragmentPlan, FragmentRow

MAX_COEFFICIENT: Final = 12
"""Largest coefficient in a grid."""
MAX_ROWS: Final = 20_000_000
"""Most positions of one build."""

_LIMIT: Final = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3})x([0-9]{1,3}))?")
_BLOCK_ROWS: Final = 4096
"""Rows written at a time; between two blocks the build can be stopped."""

# Models fitted to runs on two cores; `make bench` prints what they are compared with.
_START_SECONDS: Final = 3.0
_ROW_MICROSECONDS: Final = 330.0
_BASE_BYTES: Final = 500 << 20
_ROW_BYTES: Final = 30.0
_EMPTY_FILE_BYTES: Final = 3 << 20


class TransfiniteFragments:
    """Builds the table `transfinite_position`.

    Limits are texts: `2x3x2` means coefficients up to 2 in two columns (of ordinals with exponents
    w+1, w, 2, 1 and 0), up to 3 in three columns and up to 2 over bases within 2 x 2 (with
    exponents 2, 1 and 0); `2` means `2x2x2`.
    """

    family = "transfinite"
    kind = "fragments"
    table_names = ("transfinite_position",)
    usual_limit = "2x3x2"

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`."""
        return (game,)

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`."""
        match = _LIMIT.fullmatch(limit.strip())
        numbers = [int(match[i] or match[1]) for i in (1, 2, 3)] if match else [0]
        if not 1 <= min(numbers) <= max(numbers) <= MAX_COEFFICIENT:
            raise NotationError(
                f"limit {limit[:40]!r} of {game.text}: write the largest coefficients in two"
                f" columns, three columns and 2 x 2 bases, 1 to {MAX_COEFFICIENT}, as"
                f" {self.usual_limit}"
            )
        text = "x".join(map(str, numbers))
        if (rows := len(plan_of(text))) > MAX_ROWS:
            raise ResourceLimitError(
                f"{game.text}: coefficients up to {text} make {rows:,} positions; at most"
                f" {MAX_ROWS:,} are computed"
            )
        return text

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`; rows are positions."""
        rows = len(plan_of(limit))
        return Estimate(
            rows=rows,
            seconds=_START_SECONDS + rows * _ROW_MICROSECONDS * 1e-6,
            memory_bytes=_BASE_BYTES,
            disk_bytes=_EMPTY_FILE_BYTES + int(_ROW_BYTES * rows),
        )

    def run(
        self,
        game: GameSpec,
        limit: str,
        writer: TableWriter,
        progress: ProgressCallback,
        stop: StopFlag,
    ) -> None:
        """See `Builder.run`; memory holds a block of rows."""
        from engine.theory.transfinite.fragments import fragment_rows

        plan = plan_of(limit)
        rows, total = fragment_rows(plan), len(plan)
        begun, done, found = time.monotonic(), 0, 0
        while block := list(islice(rows, _BLOCK_ROWS)):
            writer.append("transfinite_position", columns_of(block))
            done += len(block)
            found += sum(row.outcome == "P" for row in block)
            left = time_left(time.monotonic() - begun, done / total)
            progress(Progress("solve", done, total, found, left))
            if stop.is_set():
                raise BuildInterruptedError(f"stopped after {done} of {total} positions")

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.transfinite import fragment_checks

        yield from fragment_checks(snapshot, game, plan_of(limit), sample)


def plan_of(limit: str) -> "FragmentPlan":
    """The grids that a canonical limit names."""
    from engine.theory.transfinite.fragments import FragmentPlan, Grid

    usual = FragmentPlan()
    two, three, square = (int(number) for number in limit.split("x"))
    return FragmentPlan(
        two_wide=Grid(usual.two_wide.exponents, two),
        three_wide=Grid(usual.three_wide.exponents, three),
        two_by_two=Grid(usual.two_by_two.exponents, square),
    )


def columns_of(rows: "list[FragmentRow]") -> dict[str, list[object]]:
    """The columns of the table for some positions."""
    from engine.theory.transfinite.ordinal_text import parse_ordinal
    from engine.theory.transfinite.verdict import Outcome

    def grundy(row: "FragmentRow") -> str | None:
        if row.grundy is None:
            return None
        value = parse_ordinal(row.grundy)
        return str(int(value) - 1) if value.is_finite else row.grundy

    return {
        "base": [row.kind for row in rows],
        "block_type": [row.block_type for row in rows],
        "position": [f"transfinite:{row.position}" for row in rows],
        "heights": [row.heights for row in rows],
        "height_keys": [row.height_keys for row in rows],
        "outcome": [None if row.outcome == Outcome.UNKNOWN else row.outcome for row in rows],
        "grundy": [grundy(row) for row in rows],
        "grundy_unrestricted": [row.grundy for row in rows],
        "grundy_key": [row.grundy_key for row in rows],
        "size": [row.size for row in rows],
        "size_key": [row.size_key for row in rows],
        "rule": [row.rule for row in rows],
        "bite": [row.winning_bite and row.winning_bite[1:-1].split(", ") for row in rows],
        "reason": [row.reason or None for row in rows],
    }
