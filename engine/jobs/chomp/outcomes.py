"""Chomp boards of any shape: the outcomes inside bounding boards.

Limits are texts of bounding boards joined by `+`: `13x13` means all boards inside a box of 13 rows
and 13 columns, `25` all boards of at most 25 cookies, `13x13+4x100` two tables.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always, lazily
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.schema.boards import OuterBoard, rows_of_outer_boards, rows_of_p_positions
from position_oracle.schema.errors import NotationError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.boards.outcomes import OutcomeTable
    from position_oracle.engine.solvers.boards.outer import Outer

_SOLVE_SHARE: Final = 0.25
"""Fraction of the work on a bounding board that is done when its outcomes are known."""
_BYTES_A_BOARD: Final = 1.2
_BYTES_A_SIZE: Final = 20.0
_ROW_BYTES: Final = 12


def outer_boards(limit: str) -> "list[Outer]":
    """Return the bounding boards that a limit names.

    Raises:
        NotationError: the text names no bounding board.
        ResourceLimitError: one of them holds more than 2^34 boards.
    """
    from position_oracle.engine.solvers.boards.outer import Outer

    return [Outer.parse(part) for part in limit.split("+")]


def _read_limit(game: GameSpec, limit: str) -> str:
    if game.passes or not game.is_plain:
        raise NotationError(f"{game.text} has no tables; small boards are searched on demand")
    return "+".join(dict.fromkeys(outer.text for outer in outer_boards(limit)))


def _covers(limit: str, other: str) -> bool:
    """Return whether every bounding board of another limit is inside a board of this limit."""
    outers = outer_boards(limit)
    return all(any(outer.holds(each) for outer in outers) for each in outer_boards(other))


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    from position_oracle.engine.solvers.boards.census import cells_of

    outers = outer_boards(limit)
    rows = sum(outer.expected_p_positions for outer in outers)
    largest = max(
        outer.count * _BYTES_A_BOARD + cells_of(outer.shape) * _BYTES_A_SIZE for outer in outers
    )
    return ResourceEstimate(
        rows=rows,
        seconds=2.0 + 34e-9 * sum(outer.count for outer in outers) + 4e-6 * rows,
        memory_bytes=(500 << 20) + int(largest),
        disk_bytes=EMPTY_FILE_BYTES + _ROW_BYTES * rows,
    )


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    """Yield one block for each bounding board."""
    from position_oracle.engine.solvers.boards.census import take_census
    from position_oracle.engine.solvers.boards.outcomes import solve_shape

    outers = outer_boards(limit)
    total = sum(outer.count for outer in outers)
    done, written = 0, []
    for outer_id, outer in enumerate(outers):
        shape = outer.shape
        first, middle, last = (
            (done + share * shape.count) / total for share in (0.0, _SOLVE_SHARE, 1.0)
        )
        solving = reporter.part("solve", total, first, middle)
        table = solve_shape(shape, progress=solving)
        counting = reporter.part("count", total, middle, last)
        census = take_census(table, progress=counting)
        done += shape.count
        reporter.p_positions += table.count_p()
        same = np.full(len(census["boards"]), outer_id, np.int32)
        yield {"board_count": {"outer_id": same, **census}}
        yield from _p_positions(outer_id, table)
        written.append(_record(outer, table))
    yield {"outer_board": rows_of_outer_boards(written)}


def _p_positions(outer_id: int, table: "OutcomeTable") -> Iterator[Block]:
    for ranks, boards in table.p_blocks():
        current().check()
        yield {"board_p_position": rows_of_p_positions(outer_id, ranks, boards)}


def _record(outer: "Outer", table: "OutcomeTable") -> OuterBoard:
    return OuterBoard(
        name=outer.text,
        row_lengths=outer.board,
        boards=table.shape.count,
        p_positions=table.count_p(),
        complete_cookies=outer.complete_cookies,
    )


OUTCOMES: Final = Job(
    family="chomp",
    kind="outcomes",
    tables=("outer_board", "board_p_position", "board_count"),
    usual_limit=always("13x13"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=lazily("position_oracle.engine.jobs.chomp.outcomes_checks", "board_checks"),
    covers=_covers,
    check_row_bytes=115,
)
