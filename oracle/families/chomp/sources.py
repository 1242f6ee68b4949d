"""Sources of Chomp boards: closed forms, tables, three rows, searches, strategy stealing.

Each source answers questions about one board, and about arrays of boards, int64 (n, width): row
lengths, poison row first, with zeros for empty rows.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games import chomp, chomp3
from position_oracle.engine.games.board_rules import bite, bite_between
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.boards import Bite, BoardTheorem, closed_form, rectangle
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.chomp.tables import (
    MAX_SEARCH,
    SEARCH_SECONDS,
    BoardSearches,
    BoardTable,
    search_count,
)
from position_oracle.oracle.families.rows import ROW_SECONDS, distinct_rows
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    Found,
    KnownRows,
    Moves,
    Outcomes,
    Rows,
    Source,
)
from position_oracle.schema.arrays import NO_MOVE

PLAIN: Final = GameSpec("chomp")
THREE_ROW: Final = GameSpec("chomp3")
THREE: Final = 3

Boards = npt.NDArray[np.int64]

_ROW_SECONDS: Final = 1e-6
"""Seconds for a row of a batch whose answer is available."""


class ClosedForms(Source):
    """Source for two rows or columns, and hooks; see `engine.theory.boards.closed_form`."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan by the theorem."""
        theorem = closed_form(position.coordinates)
        if theorem is None:
            return None
        return Plan(LOOK_UP, lambda: _by_theorem(position, theorem, with_moves=with_moves))

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan by array operations."""
        boards = padded(rows)
        known = (boards[:, 1] <= 1) | (heights(boards) == 2) | (boards[:, 0] == 2)

        def run() -> Found:
            outcomes, bites = _by_closed_forms(boards[known])
            return outcomes, _bitten(rows[known], bites) if with_moves else None

        return known, Plan(Cost(_ROW_SECONDS * len(rows), 64 * rows.size), run)


class StoredBoardSource(Source):
    """Source with a stored table of the boards inside a bounding board."""

    def __init__(self, table: BoardTable) -> None:
        self._table = table

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan by a look-up."""
        if not self._table.holds(position.coordinates):
            return None
        return Plan(LOOK_UP, lambda: _by_table(position, self._table, with_moves=with_moves))

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan by look-ups."""
        outcomes = self._table.table.outcomes(padded(rows))
        known = outcomes != Outcome.UNKNOWN
        cost = Cost(_ROW_SECONDS * len(rows), 64 * rows.size)
        found = rows[known], outcomes[known]
        return known, Plan(cost, lambda: _of_table(self._table, *found, with_moves=with_moves))


class ThreeRows(Source):
    """Source for boards of at most three rows or columns, by three-row Chomp."""

    def __init__(self, three_row: Prober, limit: float) -> None:
        """Make the source for boards up to a limit.

        Args:
            three_row: the prober of three-row Chomp.
            limit: maximum number of columns of height three, or of rows of length three.
        """
        self._three_row = three_row
        self._limit = limit

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the answer to the same board, perhaps transposed, in three coordinates."""
        board = position.coordinates
        is_thin = not board or min(len(board), board[0]) <= THREE
        if not is_thin or (board and _columns_of_three(board) > self._limit):
            return None
        turned = len(board) > THREE
        rows = chomp.transpose(board) if turned else board
        three = chomp3.from_rows(rows + (0,) * (THREE - len(rows)))
        game = THREE_ROW.with_passes(position.game.passes)
        plan = self._three_row.plan_known(Position(game, three), with_moves=with_moves)

        def run() -> Answer:
            answer = plan.run()
            moves = answer.winning_moves
            if moves is not None:
                children = (chomp3.to_rows(m.child.coordinates) for m in moves if not m.is_pass)
                bites = [bite_between(rows, tuple(filter(None, each))) for each in children]
                passes = (Move(position.passed(), is_pass=True) for m in moves if m.is_pass)
                turned_bites = [bite[::-1] for bite in bites] if turned else bites
                moves = (*_moves(position, turned_bites), *passes)
            return Answer(position, answer.outcome, answer.certainty, answer.reason, moves)

        return Plan(plan.cost, run, is_sure=plan.is_sure)

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Return which rows three-row Chomp answers by arrays, and a plan for these rows."""
        boards = padded(rows)
        high = heights(boards)
        thin = (high <= THREE) | (boards[:, 0] <= THREE)
        three = np.zeros((len(boards), THREE), np.int64)
        three[thin] = _zeilberger(boards[thin])
        lines = np.flatnonzero(thin & (three[:, 0] <= self._limit))
        of_three = THREE_ROW.with_passes(game.passes)
        known, plan = self._three_row.plan_known_rows(of_three, three[lines], with_moves=with_moves)
        lines = lines[known]
        mask = np.zeros(len(rows), np.bool_)
        mask[lines] = True
        tall = high[lines] > THREE if with_moves else np.zeros(0, np.bool_)
        looking = Cost(10 * ROW_SECONDS * np.count_nonzero(tall))

        def run() -> Found:
            outcomes, children = plan.run()
            if children is None:
                return outcomes, None
            moves = np.where(children[:, :1] < 0, children[:, :1], NO_MOVE).repeat(
                rows.shape[1], axis=1
            )
            flat = np.flatnonzero(~tall & (children[:, 0] >= 0))
            bites = _flat_bites(boards[lines[flat]], children[flat].astype(np.int64))
            moves[flat] = _bitten(rows[lines[flat]], bites)
            for line in np.flatnonzero(tall & (children[:, 0] >= 0)).tolist():
                current().check()
                first = self._first_bite_of_tall(of_three, three[lines[line]])
                moves[line] = _bitten(rows[lines[line]][None], np.array([first]))[0]
            return outcomes, moves

        return mask, Plan(plan.cost + looking, run, is_sure=plan.is_sure)

    def _first_bite_of_tall(self, game: GameSpec, three: Boards) -> tuple[int, int]:
        """Return the first winning bite of a board of three columns, by its own moves."""
        x, y, z = three.tolist()
        answer = self._three_row.answer(Position(game, (x, y, z)), with_moves=True)
        before = (x + y + z, x + y, x)
        bites = []
        for move in answer.winning_moves or ():
            if not move.is_pass:
                after = chomp3.to_rows(move.child.coordinates)
                row = next(row for row in range(THREE) if before[row] != after[row])
                bites.append((after[row] + 1, row + 1))
        return min(bites, default=(0, 0))


class SearchedBoards(Source):
    """Source for boards with few enough boards inside to solve all of them on demand."""

    def __init__(self, searches: BoardSearches) -> None:
        self._searches = searches

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan by a table of all boards inside, perhaps a cached one."""
        count = search_count(position.coordinates)
        if count > MAX_SEARCH:
            return None

        def run() -> Answer:
            table = self._searches.find(position.coordinates)
            return _by_table(position, table, with_moves=with_moves)

        return Plan(search_cost(count), run)

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan most rows by common searches."""
        boards = padded(rows)
        first, place = distinct_rows(boards)
        known, outers = self._searches.outer_boards(boards[first])
        known = known[place]
        seconds = _ROW_SECONDS * len(rows) + ROW_SECONDS * len(first)
        total = Cost(seconds, 64 * rows.size)
        for outer in outers:
            total += search_cost(search_count(outer))
        wanted = rows[known]

        def run() -> Found:
            outcomes = np.zeros(len(wanted), np.uint8)
            moves = np.full(wanted.shape, NO_MOVE, np.int32) if with_moves else None
            for outer in outers:
                current().check()
                table = self._searches.find(outer)
                left = np.flatnonzero(outcomes == Outcome.UNKNOWN)
                found = table.table.outcomes(padded(wanted[left]))
                inside = found != Outcome.UNKNOWN
                lines = left[inside]
                part = _of_table(table, wanted[lines], found[inside], with_moves=with_moves)
                outcomes[lines] = part[0]
                if moves is not None and part[1] is not None:
                    moves[lines] = part[1]
            return outcomes, moves

        return known, Plan(total, run)


class Rectangles(Source):
    """Source for rectangles by strategy stealing; see `engine.theory.boards.rectangle`."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan N, with one winning move for a square and none for another rectangle."""
        theorem = rectangle(position.coordinates)
        if theorem is None:
            return None
        named = not with_moves or theorem.winning_bites is not None
        return Plan(
            LOOK_UP, lambda: _by_theorem(position, theorem, with_moves=with_moves), is_sure=named
        )

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows:
        """Plan by array operations."""
        high, width = heights(rows), rows[:, 0]
        known = (rows == np.where(np.arange(rows.shape[1]) < high[:, None], width[:, None], 0)).all(
            axis=1
        )
        bites = np.where((high == width)[known, None], 2, 0).repeat(2, axis=1)

        def run() -> Found:
            outcomes = np.full(len(bites), Outcome.N, np.uint8)
            return outcomes, _bitten(rows[known], bites) if with_moves else None

        return known, Plan(Cost(1e-7 * rows.size), run)


def search_cost(count: float) -> Cost:
    """Return the cost of solving the boards inside a board."""
    share = count / MAX_SEARCH
    return Cost(0.002 + SEARCH_SECONDS * share, int(MAX_SEARCH * share))


def padded(rows: Rows) -> Boards:
    """Return boards with at least three numbers."""
    return np.pad(rows, ((0, 0), (0, max(THREE - rows.shape[1], 0)))).astype(np.int64, copy=False)


def heights(boards: Rows) -> npt.NDArray[np.intp]:
    """Return the number of rows of each board."""
    high: npt.NDArray[np.intp] = np.count_nonzero(boards, axis=1)
    return high


def _by_closed_forms(boards: Boards) -> tuple[Outcomes, Boards]:
    """Return outcomes and first winning bites, (0, 0) for none."""
    first, second, height = boards[:, 0], boards[:, 1], heights(boards)
    outcomes = np.full(len(boards), Outcome.N, np.uint8)
    bites = np.zeros((len(boards), 2), np.int64)
    hook = second <= 1
    outcomes[hook & (first == height) & (first > 0)] = Outcome.P
    wide, tall = hook & (first > height), hook & (first < height)
    bites[wide] = np.stack((np.ones_like(first), height + 1), axis=1)[wide]
    bites[tall] = np.stack((first + 1, np.ones_like(first)), axis=1)[tall]
    two_rows = ~hook & (height == 2)
    pairs = np.count_nonzero(boards == 2, axis=1)
    for where, longer, shorter, turned in (
        (two_rows, first, second, 0),
        (~hook & ~two_rows, height, pairs, 1),
    ):
        outcomes[where & (longer == shorter + 1)] = Outcome.P
        for chosen, row, column in (
            (where & (longer == shorter), 2, shorter),
            (where & (longer > shorter + 1), 1, shorter + 2),
        ):
            bites[chosen, turned] = row
            bites[chosen, 1 - turned] = column[chosen]
    return outcomes, bites


def _flat_bites(boards: Boards, children: Boards) -> Boards:
    """Return the bites that lead from boards of at most three rows to positions [x, y, z]."""
    x, y, z = children.T
    after = np.stack((x + y + z, x + y, x), axis=1)
    row = (after != boards[:, :THREE]).argmax(axis=1)
    return np.stack((row + 1, after[np.arange(len(row)), row] + 1), axis=1)


def _zeilberger(boards: Boards) -> Boards:
    """Return [x, y, z] of boards of at most three rows, or of the transposes of other boards."""
    rows = boards[:, :THREE].copy()
    tall = heights(boards) > THREE
    for length in range(THREE):
        rows[tall, length] = np.count_nonzero(boards[tall] > length, axis=1)
    a, b, c = rows.T
    return np.asarray(np.stack((c, b - c, a - b), axis=1))


def _bitten(rows: Rows, bites: Boards) -> Moves:
    """Return the boards after bites; `NO_MOVE` if there is none."""
    row, column = bites[:, :1], bites[:, 1:]
    is_bitten = np.arange(1, rows.shape[1] + 1) >= row
    children = np.where(is_bitten, np.minimum(rows, column - 1), rows)
    return np.where(row > 0, children, NO_MOVE).astype(np.int32)


def _of_table(table: BoardTable, rows: Rows, outcomes: Outcomes, *, with_moves: bool) -> Found:
    if not with_moves:
        return outcomes, None
    bites = table.table.first_winning_bites(padded(rows), outcomes).astype(np.int64)
    return outcomes, _bitten(rows, bites)


def _columns_of_three(board: Coordinates) -> int:
    """Return the x of a thin board: its columns of height three, or rows of length three."""
    if len(board) <= THREE:
        return board[2] if len(board) == THREE else 0
    return sum(length == THREE for length in board)


def _by_theorem(position: Position, theorem: BoardTheorem, *, with_moves: bool) -> Answer:
    outcome = Outcome.P if theorem.is_p else Outcome.N
    bites = theorem.winning_bites if with_moves else None
    moves = None if bites is None else _moves(position, bites)
    return Answer(position, outcome, Certainty.THEOREM, theorem.statement, moves)


def _by_table(position: Position, table: BoardTable, *, with_moves: bool) -> Answer:
    board = position.coordinates
    moves = _moves(position, table.winning_bites(board)) if with_moves else None
    return Answer(position, table.outcome(board), table.certainty, table.reason, moves)


def _moves(position: Position, bites: Iterable[Bite]) -> tuple[Move, ...]:
    """Return moves in the order of the rules: row by row from the poison row."""
    board = position.coordinates
    return tuple(Move(position.child(bite(board, *place))) for place in sorted(bites))
