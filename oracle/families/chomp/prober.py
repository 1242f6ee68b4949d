"""Chomp boards of any shape by row lengths: from theorems, tables and searches."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import Cost
from position_oracle.engine.games import chomp, chomp3
from position_oracle.engine.games.board_rules import bite, bite_between
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.boards import Bite, Theorem, closed_form, rectangle
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import (
    LOOK_UP,
    ROW_SECONDS,
    VALUES,
    Moves,
    Outcomes,
    Prober,
    Shelf,
    questions_of,
    unknown,
)
from position_oracle.oracle.families.base import Coordinates as CoordinateArray
from position_oracle.oracle.families.chance.chomp import ChompChances
from position_oracle.oracle.families.chance.prober import ChanceProber
from position_oracle.oracle.families.chomp.batches import BoardBatch, checked, searched_boards
from position_oracle.oracle.families.chomp.tables import (
    MAX_SEARCH,
    SEARCH_SECONDS,
    BoardSearches,
    BoardTable,
    is_searchable,
    search_count,
    stored_tables,
)
from position_oracle.oracle.families.chomp.values import BoardValues
from position_oracle.oracle.families.search import TOO_LARGE, answer_even_passes
from position_oracle.oracle.families.values import NOTHING, ValueTable
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.boards import Outer

_GAME: Final = GameSpec("chomp")
_THREE_ROW: Final = GameSpec("chomp3")
_THREE: Final = 3


class BoardProber(ChanceProber):
    """Answers Chomp boards.

    In this order: closed forms (two rows or columns, hooks), stored tables of boards, those of
    three-row Chomp for three rows or columns, a search where the board is small enough, three-row
    Chomp solved when asked, and strategy stealing for rectangles.
    """

    family = "chomp"

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf)
        builds = shelf.tables("chomp", "outcomes")
        stored = (table for build in builds for table in stored_tables(build))
        self._tables = sorted(stored, key=lambda table: table.table.shape.count)
        self._searches = BoardSearches(shelf)

    @cached_property
    def _three_row(self) -> Prober:
        return self.shelf.prober("chomp3")

    @cached_property
    def _thin_limit(self) -> int:
        """Largest x of the stored table of three-row Chomp; -1 if there is none."""
        tables = self.shelf.tables("chomp3", "sheets")
        return max((int(t.arrays["limit"]) for t in tables if t.game == _THREE_ROW), default=-1)

    @cached_property
    def chances(self) -> ChompChances:
        """Games against chance."""
        return ChompChances(self.shelf)

    @cached_property
    def _values(self) -> BoardValues:
        return BoardValues(self.shelf)

    def warm_up(self) -> None:
        """Ask one question of each kind, so that kernels are compiled or loaded beforehand."""
        self.answer(Position(_GAME, (4, 4, 4, 3)), with_moves=True)
        for board in ((4, 4, 4, 3), (254, 1, 1, 1)):  # values of 8 and of 16 bits
            self.values(Position(_GAME, board))
        self.winning_move_batch(_GAME, np.array([[4, 4, 4, 3]], np.int32))

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a source of answers."""
        tables = [
            GameInfo(
                game=_GAME,
                questions=questions_of(_GAME),
                range=str(table.outer),
                limit=None,
                certainty=table.certainty,
                build=table.build,
                limits=table.limits,
            )
            for table in self._tables
        ]
        thin = [
            GameInfo(
                game=_GAME,
                questions=questions_of(_GAME),
                range=f"boards of at most three rows or columns, as chomp3: {info.range}",
                limit=info.limit,
                certainty=info.certainty,
                build=info.build,
                limits=None if info.limits is None else replace(info.limits, rows=3),
            )
            for info in self._three_row.games()
            if info.game == _THREE_ROW and info.limit is not None
        ]
        searched = GameInfo(
            game=_GAME,
            questions=questions_of(_GAME),
            range=f"boards with at most {MAX_SEARCH:,} boards inside, e.g. 13 x 13; by theorem two"
            " rows or columns and hooks of any size, and the outcome of rectangles",
            limit=None,
            certainty=Certainty.EXACT_SEARCH,
            build=None,
            limits=Limits(positions=MAX_SEARCH),
        )
        return (*tables, *thin, searched, *self._values.games())

    def known_outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Outcomes of many boards by row lengths, poison row first, zeros for empty rows."""
        if game != _GAME:
            return super().known_outcomes(game, coordinates)
        return self._batch(coordinates).outcomes

    def known_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """First winning moves of many boards by row lengths; see `outcomes`."""
        if game != _GAME:
            return super().known_move_batch(game, coordinates)
        batch = self._batch(coordinates)
        return batch.outcomes, batch.moves()

    def known_values(self, position: Position) -> ValueTable:
        """From stored boxes, as three-row Chomp, or by a search."""
        if position.game.misere or position.game.passes:
            return NOTHING
        return self._values.around(position.coordinates)

    def price_of_values(self, position: Position) -> Cost:
        """Tables of boxes, or a search."""
        game = position.game
        return self.search.price(position) if game.passes or game.misere else VALUES

    def price(self, position: Position) -> Cost:
        """A look-up, or that of the search."""
        board = position.coordinates
        if position.game.misere:
            return LOOK_UP
        if position.game.passes:
            return self._price_of_passes(position)
        if closed_form(board) is not None or self._stored(board):
            return LOOK_UP
        if min(len(board), board[0]) <= _THREE and _columns_of_three(board) <= self._thin_limit:
            return LOOK_UP
        if is_searchable(board):
            share = search_count(board) / MAX_SEARCH
            return Cost(0.002 + SEARCH_SECONDS * share, int(MAX_SEARCH * share))
        return Cost(0.5, 1 << 26)

    def price_of_rows(
        self, game: GameSpec, coordinates: CoordinateArray, *, with_moves: bool = True
    ) -> Cost:
        """Row by row with passes; else what `BoardBatch` solves."""
        if game.misere:
            return super().price_of_rows(game, coordinates)
        if game.passes:
            return self._price_with_passes(game, coordinates)
        boards, columns = searched_boards(coordinates, self._tables, self._thin_limit)
        outers = self._searches.outer_boards(boards)
        searches = float(sum(map(search_count, outers))) / MAX_SEARCH
        price = Cost(ROW_SECONDS * len(coordinates) + SEARCH_SECONDS * searches, MAX_SEARCH)
        if not len(columns):
            return price
        return price + self._three_row.price_of_rows(_THREE_ROW, columns, with_moves=with_moves)

    def _price_of_passes(self, position: Position) -> Cost:
        """That of three rows, or of a search; and of the plain game for an even number."""
        board, passes = position.coordinates, position.game.passes
        if not board:
            return LOOK_UP
        price = Cost()
        if min(len(board), board[0]) <= _THREE:
            game = _THREE_ROW.with_passes(passes)
            price = self._three_row.price(Position(game, (_columns_of_three(board), 0, 0)))
        if passes % 2 == 0:
            price += self.price(Position(_GAME, board))
        return price + self.search.price(position)

    def _price_with_passes(self, game: GameSpec, coordinates: CoordinateArray) -> Cost:
        """Three rows or columns in common, the others row by row."""
        boards = checked(coordinates)
        heights, second = np.count_nonzero(boards, axis=1), boards[:, 0]
        thin = (heights <= _THREE) | (second <= _THREE)
        third = boards[:, 2] if boards.shape[1] >= _THREE else np.zeros(len(boards), np.int64)
        columns = np.zeros((np.count_nonzero(thin), _THREE), np.int64)
        tall = np.count_nonzero(boards >= _THREE, axis=1)
        columns[:, 0] = np.where(heights <= _THREE, third, tall)[thin]
        three = self._three_row.price_of_rows(_THREE_ROW.with_passes(game.passes), columns)
        row_by_row = Cost(10 * ROW_SECONDS * len(boards))
        return super().price_of_rows(game, boards[~thin]) + three + row_by_row

    def _with_passes(self, position: Position, *, with_moves: bool) -> Answer:
        """Three rows or columns from their sheets; else by the plain game or a search."""
        board = position.coordinates
        if not board or min(len(board), board[0]) <= _THREE:
            found = self._by_three_rows(position, with_moves=with_moves)
            if found.outcome or board == (1,):
                return found
        if position.game.passes % 2 == 0:
            return answer_even_passes(self, position, with_moves=with_moves)
        return unknown(position, TOO_LARGE)

    def _batch(self, coordinates: CoordinateArray) -> BoardBatch:
        return BoardBatch(
            coordinates, self._tables, self._three_row, self._thin_limit, self._searches
        )

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """The outcome; winning moves of large squares are one, of other large rectangles none."""
        if position.game.misere:
            return _by_eating_the_poison(position, with_moves=with_moves)
        if position.game.passes:
            return self._with_passes(position, with_moves=with_moves)
        board = position.coordinates
        if (theorem := closed_form(board)) is not None:
            return _by_theorem(position, theorem, with_moves=with_moves)
        if (table := self._stored(board)) is not None:
            return _by_table(position, table, with_moves=with_moves)
        return self._searched(position, with_moves=with_moves)

    def _searched(self, position: Position, *, with_moves: bool) -> Answer:
        """Where neither a closed form nor a stored table of boards tells."""
        board = position.coordinates
        is_thin = min(len(board), board[0]) <= _THREE
        if is_thin and _columns_of_three(board) <= self._thin_limit:
            return self._by_three_rows(position, with_moves=with_moves)
        if (found := self._searches.find(board)) is not None:
            return _by_table(position, found, with_moves=with_moves)
        if is_thin:
            answer = self._by_three_rows(position, with_moves=with_moves)
            if answer.outcome:
                return answer
        if (theorem := rectangle(board)) is not None:
            return _by_theorem(position, theorem, with_moves=with_moves)
        return unknown(position, self._what_would_decide(position))

    def _stored(self, board: Coordinates) -> BoardTable | None:
        return next((table for table in self._tables if table.holds(board)), None)

    def _by_three_rows(self, position: Position, *, with_moves: bool) -> Answer:
        board = position.coordinates
        turned = len(board) > _THREE
        rows = chomp.transpose(board) if turned else board
        game = _THREE_ROW.with_passes(position.game.passes)
        three = Position(game, chomp3.from_rows(rows + (0,) * (_THREE - len(rows))))
        answer = self._three_row.answer(three, with_moves=with_moves)
        moves = answer.winning_moves
        if moves is not None:
            children = [
                chomp3.to_rows(move.child.coordinates) for move in moves if not move.is_pass
            ]
            bites = [bite_between(rows, tuple(filter(None, each))) for each in children]
            passes = (Move(position.passed(), is_pass=True) for move in moves if move.is_pass)
            turned_bites = [bite[::-1] for bite in bites] if turned else bites
            moves = (*_moves(position, turned_bites), *passes)
        return Answer(position, answer.outcome, answer.certainty, answer.reason, moves)

    def _what_would_decide(self, position: Position) -> str:
        board = position.coordinates
        if min(len(board), board[0]) <= _THREE:
            return self._by_three_rows(position, with_moves=False).reason
        stored = tuple(table.outer for table in self._tables if table.outer is not None)
        return _build_advice(stored, len(board), board[0])


def _by_eating_the_poison(position: Position, *, with_moves: bool) -> Answer:
    """Misere Chomp, in which eating the poison wins: whoever can eat anything eats all."""
    board = position.coordinates
    reason = "in misere play eating the poison wins, and it can always be eaten"
    outcome = Outcome.N if board else Outcome.P
    wins = (Move(position.child(())),) if board else ()
    return Answer(position, outcome, Certainty.THEOREM, reason, wins if with_moves else None)


def _columns_of_three(board: Coordinates) -> int:
    """The x of a thin board: its columns of height three, or its rows of length three."""
    if len(board) <= _THREE:
        return board[2] if len(board) == _THREE else 0
    return sum(length == _THREE for length in board)


def _by_theorem(position: Position, theorem: Theorem, *, with_moves: bool) -> Answer:
    outcome = Outcome.P if theorem.is_p else Outcome.N
    bites = theorem.winning_bites if with_moves else None
    moves = None if bites is None else _moves(position, bites)
    return Answer(position, outcome, Certainty.THEOREM, theorem.statement, moves)


def _by_table(position: Position, table: BoardTable, *, with_moves: bool) -> Answer:
    board = position.coordinates
    moves = _moves(position, table.winning_bites(board)) if with_moves else None
    return Answer(position, table.outcome(board), table.certainty, table.reason, moves)


def _moves(position: Position, bites: Iterable[Bite]) -> tuple[Move, ...]:
    """Moves in the order of the rules: row by row from the poison row, left to right."""
    board = position.coordinates
    return tuple(Move(position.child(bite(board, *place))) for place in sorted(bites))


@lru_cache(maxsize=1024)
def _build_advice(stored: "tuple[Outer, ...]", rows: int, columns: int) -> str:
    from position_oracle.engine.solvers.boards import Outer
    from position_oracle.engine.solvers.boards.outer import box_count_text, solve_seconds

    known = ", ".join(map(str, stored)) or "no boards"
    try:
        needed = Outer.box(rows, columns)
    except ResourceLimitError:
        count = box_count_text(rows, columns)
        return (
            f"stored are {known}; a table of its box of {rows} x {columns} would hold {count}"
            " boards and is beyond any that could be computed"
        )
    # A build replaces the tables of the game: what is stored now stays only if it is named.
    limit = "+".join([o.text for o in stored if not needed.holds(o)] + [needed.text])
    return (
        f"stored are {known}; oracle build chomp --limit {limit} would decide it"
        f" ({needed.count:,} boards, about {1 + 4 * solve_seconds(needed.count):.0f} s,"
        f" {needed.count / 8e6:.0f} MB of memory when served)"
    )
