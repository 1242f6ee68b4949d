"""Transfinite Chomp: every position on grids of ordinals, with its outcome.

Limits are texts: `2x3x2` means coefficients up to 2 in two columns (of ordinals with exponents
w+1, w, 2, 1 and 0), up to 3 in three columns and up to 2 over bases within 2 x 2 (with exponents
2, 1 and 0); `2` means `2x2x2`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always, lazily
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.schema import tables
from position_oracle.schema.errors import NotationError, ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.jobs.transfinite.grids import FragmentPlan

MAX_COEFFICIENT: Final = 12
"""Largest coefficient of a grid."""
MAX_ROWS: Final = 20_000_000
"""Maximum number of positions of one build."""

TABLE: Final = tables.transfinite_position
_USUAL_LIMIT: Final = "2x3x2"
_BLOCK_ROWS: Final = 4096
"""Number of rows written at a time; between two blocks the build can be stopped."""
_ROW_BYTES: Final = 30


def check_plain(game: GameSpec) -> None:
    """Raise NotationError for passes and misere play, which the theorems do not cover."""
    if game.passes or not game.is_plain:
        raise NotationError(f"{game.text} has no tables; finite positions are searched on demand")


def _read_limit(game: GameSpec, limit: str) -> str:
    check_plain(game)
    form = (
        f"the largest coefficients in two columns, three columns and 2 x 2 bases, as {_USUAL_LIMIT}"
    )
    numbers = sides_within(game, limit, 3, form, 1, MAX_COEFFICIENT)
    text = "x".join(map(str, numbers))
    if (rows := len(plan_of(text))) > MAX_ROWS:
        raise ResourceLimitError(
            f"{game.text}: coefficients up to {text} make {rows:,} positions; at most"
            f" {MAX_ROWS:,} are computed"
        )
    return text


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    rows = len(plan_of(limit))
    disk = EMPTY_FILE_BYTES + _ROW_BYTES * rows
    return ResourceEstimate(rows, 3.0 + 330e-6 * rows, 500 << 20, disk)


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    """Yield blocks of rows; memory holds one block."""
    from position_oracle.engine.jobs.transfinite.grids import fragment_rows

    plan = plan_of(limit)
    rows, total, report = fragment_rows(plan), len(plan), reporter.part("solve")
    done, found = 0, 0
    while block := list(islice(rows, _BLOCK_ROWS)):
        yield {TABLE.name: pa.Table.from_pylist(block, schema=tables.arrow_schema(TABLE))}
        done += len(block)
        found += sum(row["outcome"] == "P" for row in block)
        report(done, total, found)
        current().check()


def plan_of(limit: str) -> "FragmentPlan":
    """Return the grids of a canonical limit."""
    from position_oracle.engine.jobs.transfinite.grids import FragmentPlan

    return FragmentPlan.of(limit)


FRAGMENTS: Final = Job(
    family="transfinite",
    kind="fragments",
    tables=(TABLE.name,),
    usual_limit=always(_USUAL_LIMIT),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=lazily("position_oracle.engine.jobs.transfinite.fragments_checks", "fragment_checks"),
)
