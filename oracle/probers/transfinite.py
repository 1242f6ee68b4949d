"""Transfinite Chomp: by theorems; small finite positions by search; finite boards as Chomp."""

from dataclasses import replace
from typing import Final, NoReturn

from engine.games import transfinite
from engine.games.position import Move, Outcome, Position
from engine.games.spec import GameSpec
from engine.theory.transfinite import verdict as theory
from engine.theory.transfinite.decide import decide
from engine.theory.transfinite.finite import FiniteSearch
from engine.theory.transfinite.ordinal import Ordinal
from engine.theory.transfinite.position import Position as Shape
from engine.theory.transfinite.verdict import Rule, Verdict
from oracle.answers import Answer, Certainty, GameInfo
from oracle.probers.base import Coordinates as CoordinateArray
from oracle.probers.base import Moves, Outcomes, Prober
from oracle.probers.boards import BoardProber
from oracle.probers.transfinite_answers import TransfiniteAnswer
from oracle.probers.transfinite_boards import ask_board, bite_of, moves_of
from schema.errors import InvalidPositionError, ResourceLimitError
from schema.sheets import LoserSheets

MAX_VALUED: Final = 36
"""Most cookies of a position whose Grundy value is searched: at most 0.1 s."""

_OUTCOMES: Final = {
    theory.Outcome.P: Outcome.P,
    theory.Outcome.N: Outcome.N,
    theory.Outcome.UNKNOWN: Outcome.UNKNOWN,
}


class TransfiniteProber(Prober):
    """Answers transfinite Chomp."""

    family = "transfinite"

    def __init__(self, boards: BoardProber, sheets: LoserSheets) -> None:
        """Answer from theorems.

        Args:
            boards: answers finite boards that no theorem decides.
            sheets: loser sheets of three-row Chomp, which three columns ask for.
        """
        self._boards = boards
        self._sheets = sheets

    def games(self) -> tuple[GameInfo, ...]:
        """One entry, saying what is decided."""
        return (
            GameInfo(
                game=transfinite.TRANSFINITE,
                questions=("outcome", "winning_moves", "grundy"),
                range="sides below epsilon_0: two columns; three columns, of which a finite third"
                f" one below {self._sheets.end_x}; bases within 2 x 2 (types A to F); products with"
                " P-ordered P-positions; small finite positions; finite boards as chomp; of others"
                " those that a bound or one cut decides",
                limit=None,
                certainty=Certainty.THEOREM,
                build=None,
            ),
        )

    def outcome(self, position: Position) -> Answer:
        """Outcome of a position."""
        return self._answer(position, with_moves=False)

    def winning_moves(self, position: Position) -> Answer:
        """Outcome, and the winning moves that are known; see `TransfiniteAnswer`."""
        return self._answer(position, with_moves=True)

    def outcomes(self, game: GameSpec, coordinates: CoordinateArray) -> Outcomes:
        """Refuses: batches are of numbers."""
        _refuse_batch()

    def winning_move_batch(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> tuple[Outcomes, Moves]:
        """Refuses: batches are of numbers."""
        _refuse_batch()

    def _answer(self, position: Position, *, with_moves: bool) -> TransfiniteAnswer:
        shape = transfinite.shape_of(position)
        verdict = decide(shape, self._sheets)
        certainty, reason = _certainty(verdict), _reason(shape, verdict)
        moves, bite = _moves(shape, verdict), verdict.bite
        if moves is None and (board := ask_board(self._boards, shape)) is not None:
            verdict = _with_outcome_of(board, verdict)
            certainty, reason, moves = board.certainty, board.reason, moves_of(board)
            numbers = bite_of(board)
            bite = None if numbers is None else tuple(map(Ordinal.of, numbers))
        elif moves is not None and not all(map(_is_readable, moves)):
            reason += "; the position after the bite is too long to be written as a text"
            moves = None
        grundy = verdict.grundy
        if grundy is None and with_moves:
            grundy = _searched_value(shape, verdict.size)
        return TransfiniteAnswer(
            position=position,
            outcome=_OUTCOMES[verdict.outcome],
            certainty=certainty,
            reason=reason,
            winning_moves=moves if with_moves else None,
            size=_text(verdict.size),
            rule=None if verdict.rule is Rule.NONE else verdict.rule.value,
            bite=None if bite is None or not with_moves else tuple(map(str, bite)),
            ordinal_grundy=_text(replace(verdict, grundy=grundy).restricted_grundy),
            ordinal_grundy_unrestricted=_text(grundy),
        )


def _certainty(verdict: Verdict) -> Certainty:
    if verdict.outcome is theory.Outcome.UNKNOWN:
        return Certainty.UNKNOWN
    return Certainty.EXACT_SEARCH if verdict.rule is Rule.FINITE else Certainty.THEOREM


def _reason(shape: Shape, verdict: Verdict) -> str:
    """The rule by its name; what would decide an unknown outcome; why no winning bite is given."""
    if verdict.outcome is theory.Outcome.UNKNOWN:
        return verdict.reason
    if shape.is_empty:
        return f"{verdict.rule}: {verdict.reason}"
    if verdict.outcome is theory.Outcome.N and verdict.bite is None:
        return f"{verdict.rule}; no winning bite is known: {verdict.reason}"
    return verdict.rule.value


def _moves(shape: Shape, verdict: Verdict) -> tuple[Move, ...] | None:
    """The winning move that the verdict names; empty where none wins, None where none is known."""
    if verdict.outcome is theory.Outcome.P or shape.is_empty:
        return ()
    if verdict.bite is None:
        return None
    return (Move(transfinite.position_of(shape.bite(verdict.bite))),)


def _is_readable(move: Move) -> bool:
    return transfinite.can_be_read_back(transfinite.shape_of(move.child))


def _with_outcome_of(board: Answer, verdict: Verdict) -> Verdict:
    """A verdict on a board as Chomp gives it: no theorem of the paper."""
    if board.outcome is Outcome.P:
        return replace(theory.p_position(Rule.NONE), size=verdict.size)
    return replace(verdict, outcome=theory.Outcome.N, rule=Rule.NONE)


def _searched_value(shape: Shape, size: Ordinal | None) -> Ordinal | None:
    """The Grundy value of a small finite position."""
    if size is None or size > MAX_VALUED:
        return None
    search = FiniteSearch(shape)
    try:
        return Ordinal.of(search.grundy(search.whole))
    except ResourceLimitError:
        return None


def _text(value: Ordinal | None) -> str | None:
    return None if value is None else str(value)


def _refuse_batch() -> NoReturn:
    raise InvalidPositionError(
        "transfinite: batches are of numbers, and sides are ordinals; ask one position at a time,"
        " as text"
    )
