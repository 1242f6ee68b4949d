"""Chomp boards of any shape: the outcomes inside bounding boards.

Limits are texts of bounding boards joined by `+`: `13x13` means all boards inside a box of 13 rows
and 13 columns, `25` all boards of at most 25 cookies, `13x13+4x100` two tables.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.solvers.boards.census import SIZES, cells_of, take_census
from position_oracle.engine.solvers.boards.outcomes import OutcomeTable, solve_shape
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.shape import under
from position_oracle.schema.boards import (
    OuterBoard,
    read_board_counts,
    read_boards,
    read_p_boards,
    rows_of_outer_boards,
    rows_of_p_positions,
)
from position_oracle.schema.errors import CorruptTableError, NotationError
from position_oracle.schema.snapshot import Snapshot

_SOLVE_SHARE: Final = 0.25
"""Fraction of the work on a bounding board that is done when its outcomes are known."""
_BYTES_A_BOARD: Final = 1.2
_BYTES_A_SIZE: Final = 20.0
_ROW_BYTES: Final = 12


def outer_boards(limit: str) -> list[Outer]:
    """Return the bounding boards that a limit names.

    Raises:
        NotationError: the text names no bounding board.
        ResourceLimitError: one of them holds more than 2^34 boards.
    """
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


def _p_positions(outer_id: int, table: OutcomeTable) -> Iterator[Block]:
    for ranks, boards in table.p_blocks():
        current().check()
        yield {"board_p_position": rows_of_p_positions(outer_id, ranks, boards)}


def _record(outer: Outer, table: OutcomeTable) -> OuterBoard:
    return OuterBoard(
        name=outer.text,
        row_lengths=outer.board,
        boards=table.shape.count,
        p_positions=table.count_p(),
        complete_cookies=outer.complete_cookies,
    )


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check sizes, counts, and the rules of the game, with the solver's list of bites."""
    stored = [
        (each.outer, _table(each.outer, each.p_ranks))
        for each in read_boards(snapshot, game.text, check=False)
    ]
    found = "+".join(outer.name for outer, _ in stored)
    yield check_equal("there is a table for every bounding board of the limit", 1, found, limit)
    yield _row_lengths(snapshot, game, [table for _, table in stored])
    for number, (outer, table) in enumerate(stored):
        counts = read_board_counts(snapshot, game.text, number)
        yield _counts(counts, outer)
        yield _sizes(counts, outer, table)
        yield from _rule_checks(outer.name, table, sample)


def _table(outer: OuterBoard, ranks: NDArray[np.int64]) -> OutcomeTable:
    shape = under(outer.row_lengths)
    if shape.lengths != Outer.parse(outer.name).board or shape.count != outer.boards:
        raise CorruptTableError(f"the bounding board {outer.name} is not what it is called")
    return OutcomeTable.of_p_ranks(shape, ranks)


def _row_lengths(snapshot: Snapshot, game: GameSpec, tables: Sequence[OutcomeTable]) -> Check:
    """Check that every stored P-position has the rank of its row lengths."""
    count, detail = 0, ""
    for outer_id, rank, lengths in read_p_boards(snapshot, game.text):
        shape = tables[outer_id].shape
        if not shape.contains(lengths) or shape.rank(lengths) != rank:
            detail = f"{lengths} inside {shape.name} has not rank {rank}"
            break
        count += 1
    return Check("every P-position has the rank of its row lengths", count, detail)


def _rule_checks(name: str, table: OutcomeTable, sample: Sample) -> Iterator[Check]:
    random = np.random.default_rng(sample.seed)
    ranks = table.p_ranks()
    if not sample.whole:
        ranks = np.sort(random.choice(ranks, min(sample.draws, len(ranks)), replace=False))
    yield check(
        f"no P-position inside {name} reaches another:"
        f" {'all of them' if sample.whole else 'a sample'}",
        len(ranks),
        reaching(table, ranks.tolist()),
    )
    count = table.shape.count
    few = count <= sample.draws
    boards = np.arange(1, count) if few else random.integers(1, count, sample.draws)
    yield check(
        f"every N-position inside {name} reaches a P-position:"
        f" {'all of them' if few else 'a sample'}",
        len(boards),
        stuck(table, boards.tolist()),
    )


def reaching(table: OutcomeTable, ranks: Iterable[int]) -> Iterator[str]:
    """Describe P-positions, given by rank, that reach another P-position."""
    for rank in ranks:
        board = table.shape.unrank(rank)
        if bites := table.winning_bites(board):
            yield f"the P-position {board} reaches another by the bite {bites[0]}"


def stuck(table: OutcomeTable, ranks: Iterable[int]) -> Iterator[str]:
    """Describe N-positions of these ranks that reach no P-position."""
    for rank in ranks:
        board = table.shape.unrank(rank)
        if table.outcome(board) is Outcome.N and not table.winning_bites(board):
            yield f"the N-position {board} reaches no P-position"


def _sizes(counts: dict[str, NDArray[np.int64]], outer: OuterBoard, table: OutcomeTable) -> Check:
    """Check the number of P-positions of each size against the P-positions themselves."""
    boards = table.shape.positions_of(table.p_ranks()).astype(np.int64)
    sizes = np.count_nonzero(boards, axis=1), boards.max(axis=1, initial=0), boards.sum(axis=1)
    found, of_each = np.unique(np.stack(sizes, axis=1), axis=0, return_counts=True)
    has_some = counts["p_positions"] > 0
    stored = np.stack([counts[name][has_some] for name in (*SIZES, "p_positions")], axis=1)
    is_right = np.array_equal(stored, np.column_stack((found, of_each)))
    detail = "" if is_right else "other numbers are stored"
    return Check(f"P-positions inside {outer.name} are counted by size", len(stored), detail)


def _counts(counts: dict[str, NDArray[np.int64]], outer: OuterBoard) -> Check:
    """Check that the counts add up, and that every nonempty N-position has a winning bite."""
    sums = {name: int(column.sum()) for name, column in counts.items()}
    expected = {"boards": outer.boards, "p_positions": outer.p_positions}
    won = sums["one_winning_bite"] + sums["more_winning_bites"]
    detail = next((f"{sums[n]} {n}, not {k}" for n, k in expected.items() if sums[n] != k), "")
    if not detail and won != outer.boards - outer.p_positions - 1:
        detail = f"{won} N-positions have winning bites"
    name = f"the counts of boards inside {outer.name} add up; every N-position can be won"
    return Check(name, len(counts["boards"]), detail)


OUTCOMES: Final = Job(
    family="chomp",
    kind="outcomes",
    tables=("outer_board", "board_p_position", "board_count"),
    usual_limit=always("13x13"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=_checks,
    covers=_covers,
    check_row_bytes=115,
)
