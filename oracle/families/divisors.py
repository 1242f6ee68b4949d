"""Schuh's game of divisors: boards of Chomp for up to two primes, searches for more."""

from collections import OrderedDict
from threading import Lock
from typing import Final, NoReturn

from engine.games import chomp, divisors
from engine.games.position import Move, Outcome, Position
from engine.games.spec import GameSpec
from engine.solvers.divisors import MAX_DIVISORS, DivisorTable, solve_divisors
from engine.theory import divisors as schuh
from engine.theory.divisors import DivisorPosition, Factors
from oracle.answers import Answer, Certainty, GameInfo
from oracle.probers.base import Coordinates as CoordinateArray
from oracle.probers.base import Moves, Outcomes, Prober, unknown
from oracle.probers.boards import BoardProber
from schema.errors import InvalidPositionError, ResourceLimitError

MAX_POSITIONS: Final = 2**17
"""Most positions that a game may become if it is to be solved when asked: 0.3 s."""

KEPT: Final = 32
"""Games kept; the least recently used go first. One takes at most 1.3 MB."""

_BOARD: Final = GameSpec("chomp")


class DivisorProber(Prober):
    """Answers games of divisors."""

    family = "divisors"

    def __init__(self, boards: BoardProber) -> None:
        self._boards = boards
        self._searches = DivisorSearches()

    def games(self) -> tuple[GameInfo, ...]:
        """One entry: most of it is what Chomp boards answer."""
        return (
            GameInfo(
                game=GameSpec("divisors"),
                questions=("outcome", "winning_moves"),
                range="one or two primes: as the boards of chomp; more primes: at most"
                f" {MAX_DIVISORS} numbers left and {MAX_POSITIONS:,} positions to come; by theorem"
                " the outcome of every single number",
                limit=None,
                certainty=Certainty.EXACT_SEARCH,
                build=None,
            ),
        )

    def outcome(self, position: Position) -> Answer:
        """Outcome of a game of divisors."""
        return self._answer(position, with_moves=False)

    def winning_moves(self, position: Position) -> Answer:
        """Outcome and winning moves, by ascending exponents of the numbers to name."""
        return self._answer(position, with_moves=True)

    def outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Refuses: batches are of boards."""
        _refuse_batch()

    def winning_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """Refuses: batches are of boards."""
        _refuse_batch()

    def _answer(self, position: Position, *, with_moves: bool) -> Answer:
        left = divisors.decode(position.coordinates)
        if len(left.primes) <= 2:
            return self._by_board(position, left, with_moves=with_moves)
        try:
            table = self._searches.find(left)
        except ResourceLimitError as error:
            return _without_search(position, left, str(error))
        numbers = table.winning_numbers(left) if with_moves else None
        moves = None if numbers is None else _moves(position, left, numbers)
        reason = f"solved with all {len(table.words):,} positions that it can become"
        return Answer(position, table.outcome(left), Certainty.EXACT_SEARCH, reason, moves)

    def _by_board(self, position: Position, left: DivisorPosition, *, with_moves: bool) -> Answer:
        board = Position(_BOARD, schuh.to_board(left))
        ask = self._boards.winning_moves if with_moves else self._boards.outcome
        answer = ask(board)
        moves = None
        if answer.winning_moves is not None:
            bites = [
                chomp.bite_between(board.coordinates, move.child.coordinates)
                for move in answer.winning_moves
            ]
            # Ascending exponents of the smallest prime first: column by column.
            bites.sort(key=lambda bite: bite[::-1])
            moves = _moves(position, left, [schuh.number_of(left, bite) for bite in bites])
        return Answer(position, answer.outcome, answer.certainty, answer.reason, moves)


class DivisorSearches:
    """Solves games of divisors once and keeps some; safe to use from many threads."""

    def __init__(self) -> None:
        self._tables: OrderedDict[DivisorPosition, DivisorTable] = OrderedDict()
        self._lock = Lock()

    def find(self, position: DivisorPosition) -> DivisorTable:
        """A table of the position, or of one that it arises from.

        Raises:
            ResourceLimitError: the position would be too large.
        """
        # The lock is held while solving: whoever asks meanwhile for the same game needs it too.
        with self._lock:
            for start in reversed(self._tables):
                if all(map(start.has, position.numbers)):
                    self._tables.move_to_end(start)
                    return self._tables[start]
            table = solve_divisors(position, limit=MAX_POSITIONS)
            self._tables[position] = table
            if len(self._tables) > KEPT:
                self._tables.popitem(last=False)
            return table


def _without_search(position: Position, left: DivisorPosition, limit: str) -> Answer:
    if len(left.maximal) == 1:
        return Answer(
            position,
            Outcome.N,
            Certainty.THEOREM,
            "strategy stealing: if naming the number itself does not win, then the answer to it"
            " does; which number wins is not known from this",
        )
    return unknown(position, f"{limit}; games of more than two primes have no tables")


def _moves(position: Position, left: DivisorPosition, numbers: list[Factors]) -> tuple[Move, ...]:
    return tuple(Move(position.child(divisors.encode(schuh.name(left, n)))) for n in numbers)


def _refuse_batch() -> NoReturn:
    raise InvalidPositionError(
        "divisors: batches are of boards; ask for chomp, with row lengths in place of exponents"
    )
