"""What an answer is: the outcome, how it is known, and the moves that win."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from engine.games.notation import format_move, format_position
from engine.games.position import Move, Outcome, Position
from engine.games.spec import GameSpec
from engine.theory.random_play import Model
from schema.provenance import BuildRecord


class Certainty(StrEnum):
    """How an answer is known. An estimate is never passed off as exact."""

    EXACT_TABLE = "EXACT_TABLE"
    EXACT_SEARCH = "EXACT_SEARCH"
    THEOREM = "THEOREM"
    ESTIMATE = "ESTIMATE"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about one position.

    Attributes:
        position: the position asked about.
        outcome: `Outcome.UNKNOWN` exactly when the certainty is `UNKNOWN`.
        certainty: how the outcome is known.
        reason: the table, search or theorem it rests on; for `UNKNOWN`, what would decide it.
        winning_moves: all moves to P-positions, in the order of `Rules.moves`; empty for a
            P-position (and for the empty Chomp board, which is N without a move); None where
            they were not asked for or are not known. A theorem that names one move only says so
            in its reason.
    """

    position: Position
    outcome: Outcome
    certainty: Certainty
    reason: str
    winning_moves: tuple[Move, ...] | None = None

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; a value that is not known is None."""
        moves = self.winning_moves
        return {
            "position": format_position(self.position),
            "game": self.position.game.text,
            "outcome": self.outcome.name if self.outcome else None,
            "certainty": self.certainty.value,
            "reason": self.reason,
            "winning_moves": None if moves is None else [format_move(move) for move in moves],
            "grundy": None,
            "grundy_unrestricted": None,
            "remoteness": None,
        }


class Method(StrEnum):
    """How a probability was computed."""

    EXACT = "EXACT"
    """By recursion in whole numbers, or from the outcome."""
    CLOSED_FORM = "CLOSED_FORM"
    """By a theorem, in whole numbers."""
    FLOATING_POINT = "FLOATING_POINT"
    """In double precision, with a proven error bound."""
    SIMULATION = "SIMULATION"
    """By playing games at random; an estimate."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class WinProbability:
    """How likely the player to move is to win, in a model of chance.

    Attributes:
        position: the position asked about.
        model: how both players choose their moves.
        value: the probability; None exactly when the certainty is `UNKNOWN`.
        exact: the probability as a fraction; None where only `value` is known, or where the
            fraction is too long to be of use (about 4,000 digits).
        error_bound: bound on the error of `value`, from rounding alone where `method` is exact or
            a closed form; for a simulation, half the width of its 99 % interval.
        certainty: how the probability is known.
        method: how it was computed.
        reason: the theorem, search or table it rests on; for `UNKNOWN`, what would decide it.
        best_moves: where the player to move is perfect, the moves that give him this probability,
            in the order of `Rules.moves`; None in other models, or where they are not known.
    """

    position: Position
    model: Model
    value: float | None
    exact: Fraction | None
    error_bound: float | None
    certainty: Certainty
    method: Method
    reason: str
    best_moves: tuple[Move, ...] | None = None

    @property
    def exact_text(self) -> str | None:
        """The fraction as text, e.g. `9/20` or `1/1`."""
        return None if self.exact is None else f"{self.exact.numerator}/{self.exact.denominator}"

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; a value that is not known is None."""
        moves = self.best_moves
        return {
            "model": self.model.text,
            "value": self.value,
            "exact": self.exact_text,
            "error_bound": self.error_bound,
            "certainty": self.certainty.value,
            "method": self.method.value,
            "reason": self.reason,
            "best_moves": None if moves is None else [format_move(move) for move in moves],
        }


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What the oracle can answer about one game, and where that comes from.

    Attributes:
        game: the game.
        questions: names of the questions answered: `outcome`, `winning_moves`, ...
        range: the positions answered, in words, e.g. `x <= 10000, any y and z`.
        limit: the largest x of the table; None where the range is not one number.
        certainty: how answers inside the range are known.
        build: provenance of the table, None for closed forms.
    """

    game: GameSpec
    questions: tuple[str, ...]
    range: str
    limit: int | None
    certainty: Certainty
    build: BuildRecord | None
