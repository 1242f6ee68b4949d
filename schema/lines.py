"""The best line of a game, if the winner hurries and the loser delays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic

from position_oracle.schema.analyses import AnalyzedMove
from position_oracle.schema.answers import Answer
from position_oracle.schema.moves import P

DEFAULT_PLIES: Final = 100
"""Default maximum number of plies of a line."""

MAX_PLIES: Final = 10_000
"""Maximum number of plies that a line may have."""


@dataclass(frozen=True, slots=True)
class BestLine(Generic[P]):
    """A line of play that neither player can improve.

    The values along the line prove its length. The remoteness falls by one with each ply. No move
    from a P-position leads to a position of greater remoteness than the line does. No move from an
    N-position leads to a P-position of smaller remoteness.

    Attributes:
        answer: the outcome of the first position, and its certainty.
        remoteness: plies to the end from the first position; None if unknown.
        plies: the moves in order, each with the outcome and the values of the position after it.
        complete: whether the line reaches the end of the game; in Chomp, the poison alone.
        reason: the basis of the line; for an incomplete line, the reason for its end.
    """

    answer: Answer[P]
    remoteness: int | None
    plies: tuple[AnalyzedMove[P], ...]
    complete: bool
    reason: str

    def __str__(self) -> str:
        """Return the position, and a line for each ply."""
        return "\n".join([str(self.answer.position), *(f"  {ply}" for ply in self.plies)])

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys; unknown values are None."""
        answer = self.answer
        return {
            "position": str(answer.position),
            "game": answer.as_json()["game"],
            "outcome": answer.outcome.as_json,
            "certainty": answer.certainty.value,
            "remoteness": self.remoteness,
            "complete": self.complete,
            "reason": self.reason,
            "plies": [ply.as_json() for ply in self.plies],
        }


if not TYPE_CHECKING:
    __all__ = ["DEFAULT_PLIES", "MAX_PLIES", "BestLine"]
