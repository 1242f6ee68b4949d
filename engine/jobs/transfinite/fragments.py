"""Transfinite Chomp on grids of ordinals: every position decided.

Limits are texts: `2x3x2` means coefficients up to 2 in two columns (of ordinals with exponents
w+1, w, 2, 1 and 0), up to 3 in three columns and up to 2 over bases within 2 x 2 (with exponents
2, 1 and 0); `2` means `2x2x2`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, CostModel, Job, Work, always, lazily
from position_oracle.engine.jobs.limits import read_sides
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.schema.errors import NotationError, ResourceLimitError
from position_oracle.schema.numbers import shown

if TYPE_CHECKING:
    from position_oracle.engine.theory.transfinite.fragments import FragmentPlan, FragmentRow

MAX_COEFFICIENT: Final = 12
"""Largest coefficient in a grid."""
MAX_ROWS: Final = 20_000_000
"""Most positions of one build."""

_USUAL_LIMIT: Final = "2x3x2"
_BLOCK_ROWS: Final = 4096
"""Rows written at a time; between two blocks the build can be stopped."""
_ROW_BYTES: Final = 30


def _read_limit(game: GameSpec, limit: str) -> str:
    numbers = read_sides(limit, 3)
    if numbers is None or not 1 <= min(numbers) <= max(numbers) <= MAX_COEFFICIENT:
        raise NotationError(
            f"limit {shown(limit)} of {game.text}: write the largest coefficients in two columns,"
            f" three columns and 2 x 2 bases, 1 to {MAX_COEFFICIENT}, as {_USUAL_LIMIT}"
        )
    text = "x".join(map(str, numbers))
    if (rows := len(plan_of(text))) > MAX_ROWS:
        raise ResourceLimitError(
            f"{game.text}: coefficients up to {text} make {rows:,} positions; at most"
            f" {MAX_ROWS:,} are computed"
        )
    return text


def _work(_game: GameSpec, limit: str) -> Work:
    rows = len(plan_of(limit))
    return Work(rows=rows, steps=rows, memory_bytes=0, disk_bytes=_ROW_BYTES * rows)


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    """Memory holds a block of rows."""
    from position_oracle.engine.theory.transfinite.fragments import fragment_rows

    plan = plan_of(limit)
    rows, total, report = fragment_rows(plan), len(plan), reporter.part("solve")
    done, found = 0, 0
    while block := list(islice(rows, _BLOCK_ROWS)):
        yield {"transfinite_position": columns_of(block)}
        done += len(block)
        found += sum(row.outcome == "P" for row in block)
        report(done, total, found)
        current().check()


def plan_of(limit: str) -> "FragmentPlan":
    """The grids that a canonical limit names."""
    from position_oracle.engine.theory.transfinite.fragments import FragmentPlan, Grid

    usual = FragmentPlan()
    two, three, square = (int(number) for number in limit.split("x"))
    return FragmentPlan(
        two_wide=Grid(usual.two_wide.exponents, two),
        three_wide=Grid(usual.three_wide.exponents, three),
        two_by_two=Grid(usual.two_by_two.exponents, square),
    )


def columns_of(rows: "list[FragmentRow]") -> dict[str, list[object]]:
    """The columns of the table for some positions."""
    from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
    from position_oracle.engine.theory.transfinite.verdict import Outcome

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


FRAGMENTS: Final = Job(
    family="transfinite",
    kind="fragments",
    tables=("transfinite_position",),
    usual_limit=always(_USUAL_LIMIT),
    cost=CostModel(
        start_seconds=3.0, step_nanoseconds=330_000.0, row_nanoseconds=0.0, base_bytes=500 << 20
    ),
    read_limit=_read_limit,
    work=_work,
    blocks=_blocks,
    checks=lazily("position_oracle.engine.jobs.transfinite.fragments_checks", "fragment_checks"),
)
