"""What an answer is: the outcome, how it is known, and the moves that win."""

from dataclasses import dataclass
from enum import StrEnum

from engine.games.notation import format_move, format_position
from engine.games.position import Move, Outcome, Position
from engine.games.spec import GameSpec
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
            they were not asked for or are not known.
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
            "remoteness": None,
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
