"""Checks of stored outcomes of Chomp boards.

They use the solver's numbering of boards and its list of bites.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.report import Check, Sample, check, check_equal
from position_oracle.engine.solvers.boards.outcomes import OutcomeTable
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.shape import under
from position_oracle.schema.boards import (
    OuterBoard,
    read_board_counts,
    read_boards,
    read_p_boards,
)
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot


def board_checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check sizes, counts, and the rules of the game.

    Raises:
        CorruptTableError: the tables cannot be read or do not fit together.
    """
    stored = [
        (each.outer, _table(each.outer, each.p_ranks))
        for each in read_boards(snapshot, game.text, check=False)
    ]
    found = "+".join(outer.name for outer, _ in stored)
    yield check_equal("there is a table for every bounding board of the limit", 1, found, limit)
    yield _row_lengths(snapshot, game, [table for _, table in stored])
    for number, (outer, table) in enumerate(stored):
        yield _counts(snapshot, game, number, outer)
        yield from _rule_checks(outer.name, table, sample)


def _table(outer: OuterBoard, ranks: "np.typing.NDArray[np.int64]") -> OutcomeTable:
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
    drawn = random.integers(1, table.shape.count, sample.draws)
    yield check(
        f"every N-position inside {name} reaches a P-position: a sample",
        len(drawn),
        stuck(table, drawn.tolist()),
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


def _counts(snapshot: Snapshot, game: GameSpec, number: int, outer: OuterBoard) -> Check:
    """Check that the counts add up, and that every nonempty N-position has a winning bite."""
    counts = read_board_counts(snapshot, game.text, number)
    sums = {name: int(column.sum()) for name, column in counts.items()}
    expected = {"boards": outer.boards, "p_positions": outer.p_positions}
    won = sums["one_winning_bite"] + sums["more_winning_bites"]
    detail = next((f"{sums[n]} {n}, not {k}" for n, k in expected.items() if sums[n] != k), "")
    if not detail and won != outer.boards - outer.p_positions - 1:
        detail = f"{won} N-positions have winning bites"
    name = f"the counts of boards inside {outer.name} add up; every N-position can be won"
    return Check(name, len(counts["boards"]), detail)
