"""The best line: how a game goes on if the winner hurries and the loser delays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic

from position_oracle.schema.analyses import AnalyzedMove
from position_oracle.schema.answers import Answer
from position_oracle.schema.moves import P

DEFAULT_PLIES: Final = 100
"""Most plies of a line unless more are asked for."""

MAX_PLIES: Final = 10_000
"""Most plies of a line at all."""


@dataclass(frozen=True, slots=True)
class BestLine(Generic[P]):
    """A line that nobody can improve on.

    Its length is proved position by position: from one to the next the remoteness falls by one,
    and no move does better for the player who makes it. From a P-position none leads to a greater
    remoteness, from an N-position none to a P-position of a smaller one.

    Attributes:
        answer: who wins at the position asked about, and how that is known.
        remoteness: plies to the end from there; None where that is not known.
        plies: the moves one after another, each with the outcome and the numbers of the position
            after it.
        complete: whether the line goes to the end of the game; in Chomp, to the poison alone.
        reason: what the line rests on; where it is not complete, why it ends where it does.
    """

    answer: Answer[P]
    remoteness: int | None
    plies: tuple[AnalyzedMove[P], ...]
    complete: bool
    reason: str

    def __str__(self) -> str:
        """The position, and a line for each ply."""
        return "\n".join([str(self.answer.position), *(f"  {ply}" for ply in self.plies)])

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; what is not known is None."""
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
