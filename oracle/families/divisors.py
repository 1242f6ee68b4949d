"""Schuh's game of divisors: boards of Chomp for up to two primes, else the graph."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.board_rules import bite_between
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import divisors as schuh
from position_oracle.engine.theory.divisors import DivisorPosition, Factors
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.even_passes import EvenPasses
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    Source,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind

MAX_DIVISORS: Final = 64
"""Maximum count of numbers left in a game that is solved on demand: the bits of a word."""

MAX_POSITIONS: Final = 2**17
"""Maximum number of positions that play reaches in a game that is solved on demand: 0.3 s."""

_BOARD: Final = GameSpec("chomp")


class DivisorProber(Prober):
    """Answers questions about games of divisors."""

    family = "divisors"

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The sources: boards, an even number of passes, strategy stealing."""
        return _Boards(self.resources.prober("chomp")), EvenPasses(self), _Stealing()

    def games(self) -> tuple[Covered, ...]:
        """Return one entry; Chomp boards answer most of it."""
        return (
            covered(
                GameSpec("divisors"),
                "one or two primes: as the boards of chomp; more primes: at most"
                f" {MAX_DIVISORS} numbers left and {MAX_POSITIONS:,} positions to come; by theorem"
                " the outcome of every single number",
                Certainty.EXACT_SEARCH,
                limits={"divisors": MAX_DIVISORS, "positions": MAX_POSITIONS},
            ),
        )


class _Boards(Source):
    """Source for games of at most two primes, which are boards of Chomp."""

    def __init__(self, boards: Prober) -> None:
        self._boards = boards

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the answer to the board."""
        left = position.value
        if len(left.primes) > 2:
            return None
        board = Position(_board_game(position.game), schuh.to_board(left))
        plan = self._boards.plan(board, with_moves=with_moves)
        return Plan(plan.cost, lambda: _of_board(position, left, plan.run()))

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan the values of the board."""
        left = position.value
        if len(left.primes) > 2:
            return None
        game = _board_game(position.game)
        plan = self._boards.plan_values(kind, Position(game, schuh.to_board(left)))

        def run() -> Values | None:
            found = plan.run()
            return None if found is None else _of_divisors(found)

        return Plan(plan.cost, run, is_sure=plan.is_sure)


class _Stealing(Source):
    """Source for a single number with all its divisors, without passes."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan N, without a winning move."""
        left = position.value
        if position.game.passes or len(left.boxes) != 1:
            return None
        reason = (
            "strategy stealing: if naming the number itself does not win, then the opponent's"
            " winning reply could have been the first move; this names no winning number"
        )
        answer = Answer(position, Outcome.N, Certainty.THEOREM, reason)
        return Plan(LOOK_UP, lambda: answer, is_sure=not with_moves)


def _board_game(game: GameSpec) -> GameSpec:
    return GameSpec("chomp", passes=game.passes)


def _of_board(position: Position, left: DivisorPosition, answer: Answer) -> Answer:
    """Convert an answer about a board to one about a game of divisors."""
    moves = None
    if answer.winning_moves is not None:
        board = answer.position.coordinates
        bites = [
            bite_between(board, move.child.coordinates)
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


def _of_divisors(values: Values) -> Values:
    """Convert a look-up for boards to one for games of divisors."""

    def look_up(position: Position) -> int | None:
        board = schuh.to_board(position.value)
        return values.at(Position(_BOARD.with_passes(position.game.passes), board))

    return Values(look_up, values.certainty, values.reason)


def _moves(position: Position, left: DivisorPosition, numbers: list[Factors]) -> tuple[Move, ...]:
    return tuple(Move(position.child(schuh.name(left, n))) for n in numbers)


PROBER = DivisorProber
