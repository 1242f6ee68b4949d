"""Schuh's game of divisors: boards of Chomp for up to two primes, searches for more."""

from functools import cached_property
from typing import Final, NoReturn

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.board_rules import bite_between
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import divisors as schuh
from position_oracle.engine.theory.divisors import DivisorPosition, Factors
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import Coordinates as CoordinateArray
from position_oracle.oracle.families.base import (
    Family,
    Moves,
    Outcomes,
    Prober,
    questions_of,
    unknown,
)
from position_oracle.oracle.families.search import TOO_LARGE, answer_even_passes
from position_oracle.oracle.families.values import NOTHING, Value, ValueTable
from position_oracle.schema.errors import InvalidPositionError

MAX_DIVISORS: Final = 64
"""Most numbers left in a game that is solved when asked: the bits of a word."""

MAX_POSITIONS: Final = 2**17
"""Most positions that a game may become if it is to be solved when asked: 0.3 s."""

_BOARD: Final = GameSpec("chomp")


class DivisorProber(Prober):
    """Answers games of divisors."""

    family = "divisors"

    @cached_property
    def _boards(self) -> Prober:
        return self.shelf.prober("chomp")

    def games(self) -> tuple[GameInfo, ...]:
        """One entry: most of it is what Chomp boards answer."""
        return (
            GameInfo(
                game=GameSpec("divisors"),
                questions=questions_of(GameSpec("divisors")),
                range="one or two primes: as the boards of chomp; more primes: at most"
                f" {MAX_DIVISORS} numbers left and {MAX_POSITIONS:,} positions to come; by theorem"
                " the outcome of every single number",
                limit=None,
                certainty=Certainty.EXACT_SEARCH,
                build=None,
                limits=Limits(divisors=MAX_DIVISORS, positions=MAX_POSITIONS),
            ),
        )

    def known_outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Refuses: batches are of boards."""
        _refuse_batch()

    def known_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """Refuses: batches are of boards."""
        _refuse_batch()

    def known_values(self, position: Position) -> ValueTable:
        """Of games of at most two primes, which are boards."""
        left = position.value
        if position.game.misere or len(left.primes) > 2:
            return NOTHING
        game = _BOARD.with_passes(position.game.passes)
        found = self._boards.values(Position(game, schuh.to_board(left)))
        return ValueTable(
            _of_divisors(found.grundy),
            _of_divisors(found.remoteness),
            found.certainty,
            found.reason,
        )

    def price_of_values(self, position: Position) -> Cost:
        """That of the board, or of a search."""
        left, game = position.value, position.game
        if len(left.primes) <= 2:
            board = GameSpec("chomp", passes=game.passes, misere=game.misere)
            return self._boards.price_of_values(Position(board, schuh.to_board(left)))
        return Cost(0.8 if game.passes and not game.misere else 1e-5, 1 << 26)

    def price(self, position: Position) -> Cost:
        """That of the board, or of a search."""
        left, game = position.value, position.game
        if len(left.primes) <= 2:
            board = GameSpec("chomp", passes=game.passes, misere=game.misere)
            return self._boards.price(Position(board, schuh.to_board(left)))
        return Cost(4.0 if game.passes and not game.misere else 0.3, 1 << 26)

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """As a board of Chomp, by a search, or by strategy stealing."""
        left = position.value
        if len(left.primes) <= 2:
            return self._by_board(position, left, with_moves=with_moves)
        if position.game.misere:
            return _by_naming_one(position, with_moves=with_moves)
        if position.game.passes:
            if position.game.passes % 2 == 0:
                return answer_even_passes(self, position, with_moves=with_moves)
            return unknown(position, TOO_LARGE)
        return _without_search(position, left)

    def _by_board(self, position: Position, left: DivisorPosition, *, with_moves: bool) -> Answer:
        game = GameSpec("chomp", passes=position.game.passes, misere=position.game.misere)
        board = Position(game, schuh.to_board(left))
        answer = self._boards.answer(board, with_moves=with_moves)
        moves = None
        if answer.winning_moves is not None:
            bites = [
                bite_between(board.coordinates, move.child.coordinates)
                for move in answer.winning_moves
                if not move.is_pass
            ]
            # Ascending exponents of the smallest prime first: column by column.
            bites.sort(key=lambda bite: bite[::-1])
            passes = (move for move in answer.winning_moves if move.is_pass)
            moves = (
                *_moves(position, left, [schuh.number_of(left, bite) for bite in bites]),
                *(Move(position.passed(), is_pass=True) for _ in passes),
            )
        return Answer(position, answer.outcome, answer.certainty, answer.reason, moves)


def _by_naming_one(position: Position, *, with_moves: bool) -> Answer:
    """Misere play, in which naming 1 wins: it can always be named."""
    reason = "in misere play naming 1 wins, and it can always be named"
    wins = (Move(position.child(DivisorPosition((), ()))),)
    return Answer(position, Outcome.N, Certainty.THEOREM, reason, wins if with_moves else None)


def _of_divisors(value: Value | None) -> Value | None:
    """The look-up for games of divisors that one for boards amounts to."""
    if value is None:
        return None

    def look_up(position: Position) -> int | None:
        board = schuh.to_board(position.value)
        return value(Position(_BOARD.with_passes(position.game.passes), board))

    return look_up


def _without_search(position: Position, left: DivisorPosition) -> Answer:
    if len(left.maximal) == 1:
        return Answer(
            position,
            Outcome.N,
            Certainty.THEOREM,
            "strategy stealing: if naming the number itself does not win, then the answer to it"
            " does; which number wins is not known from this",
        )
    return unknown(position, TOO_LARGE)


def _moves(position: Position, left: DivisorPosition, numbers: list[Factors]) -> tuple[Move, ...]:
    return tuple(Move(position.child(schuh.name(left, n))) for n in numbers)


def _refuse_batch() -> NoReturn:
    raise InvalidPositionError(
        "divisors: batches are of boards; ask for chomp, with row lengths in place of exponents"
    )


FAMILY = Family(DivisorProber)
