"""Analyses of a position: moves with their values, win probabilities, length of the game."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Generic

from position_oracle.schema.answers import Answer, Certainty, Outcome, PositionValues, Tables
from position_oracle.schema.moves import Action, Move, P, action_record, action_records, move_texts

MAX_MOVES: Final = 10_000
"""Most moves that an analysis lists; of a position with more, only the winning ones are."""


@dataclass(frozen=True, slots=True)
class AnalyzedMove(Generic[P]):
    """A legal move and what it leads to.

    Attributes:
        move: the move.
        outcome: outcome of the position after it: the move wins if that is P.
        values: numbers of the position after it.
        component: in a sum, the component moved in, from 0; None elsewhere.
    """

    move: Move[P]
    outcome: Outcome
    values: PositionValues
    component: int | None = None

    def __str__(self) -> str:
        """One line: the move, how it is made, whether it wins, and the plies left."""
        how = f" ({self.action})" if self.action is not None else ""
        what = {True: "wins", False: "loses", None: "not known"}[self.wins]
        plies = self.values.remoteness
        left = "" if plies is None else f", {plies} {'ply' if plies == 1 else 'plies'} to the end"
        return f"{self.move}{how}: {what}{left}"

    @property
    def wins(self) -> bool | None:
        """Whether the move wins for the player who makes it; None where it is not known."""
        return None if self.outcome.wins is None else not self.outcome.wins

    @property
    def action(self) -> Action | None:
        """The action of `move`."""
        return self.move.action

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; what is not known is None."""
        record: dict[str, object] = {
            "move": str(self.move),
            "action": action_record(self.move),
            "outcome": self.outcome.as_json,
            **self.values.as_json(),
        }
        return record if self.component is None else {**record, "component": self.component}


class Listing(StrEnum):
    """The moves that the pages of an analysis list."""

    NONE = "NONE"
    """None: they were not asked for."""
    WINNING_MOVES = "WINNING_MOVES"
    """The winning moves that are known, in the order of the game's rules."""
    BEST_FIRST = "BEST_FIRST"
    """All, best first."""
    WINNING_FIRST = "WINNING_FIRST"
    """All of a position with too many to put in order: the winning ones, then the others."""


@dataclass(frozen=True, slots=True)
class Analysis(Generic[P]):
    """Everything known about one position.

    Attributes:
        answer: outcome, how it is known, and the winning moves.
        values: numbers of the position.
        moves: the legal moves, best first (docs/grundy.md has the order); None where they were not
            asked for.
        complete: whether `moves` are all of them; a position with more than `MAX_MOVES`, or with
            very long ones, lists only the winning ones, and one of transfinite Chomp those known
            to win.
        following: where the moves begin that follow on another page; None where none do.
        listing: which moves the pages list together, and in which order.
    """

    answer: Answer[P]
    values: PositionValues
    moves: tuple[AnalyzedMove[P], ...] | None = None
    complete: bool = False
    following: int | None = None
    listing: Listing = Listing.NONE

    def __str__(self) -> str:
        """The answer, and a line for each move that is listed."""
        return "\n".join([str(self.answer), *(f"  {move}" for move in self.moves or ())])

    def as_json(self, most_moves: int | None = None) -> dict[str, object]:
        """Stable keys for programs: those of the answer, the numbers, and moves if asked for.

        Args:
            most_moves: write the best moves, up to this many; None leaves the key `moves` out.
        """
        record = self.answer.as_json()
        values = self.values.as_json()
        if self.answer.transfinite is not None:  # which has ordinals as values
            values = {"remoteness": values["remoteness"]}
        record |= values
        if most_moves is not None:
            record["moves"] = [move.as_json() for move in (self.moves or ())[:most_moves]]
        return record


class Method(StrEnum):
    """The method that computed a probability or a mean number of turns."""

    EXACT = "EXACT"
    """By recursion in whole numbers, or from the outcome."""
    CLOSED_FORM = "CLOSED_FORM"
    """By a theorem, in whole numbers."""
    FLOATING_POINT = "FLOATING_POINT"
    """In double precision, with a proven error bound."""
    SIMULATION = "SIMULATION"
    """By playing games at random; an estimate."""
    BOUND = "BOUND"
    """Between two proved bounds: in the middle, with half their distance as the error bound."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class WinProbability(Generic[P]):
    """The probability that the player to move wins, where one player or both play at random.

    Attributes:
        position: the position asked about.
        model: canonical text of the model: how both players choose their moves.
        value: the probability; None exactly where the certainty is `UNKNOWN`.
        exact: the probability as a fraction; None where only `value` is known, or where the
            fraction is too long to be of use (about 4,000 digits).
        error_bound: bound on the error of `value`, from rounding alone where `method` is exact or
            a closed form; for a simulation, half the width of its 99 % interval. None where
            `value` is.
        certainty: how the probability is known.
        method: how it was computed.
        reason: the theorem, search or table it rests on; where it is not known, what would decide.
        best_moves: where the player to move is perfect, the moves that give this probability,
            in the order of the game's rules; None in other models, or where they are not known.
        tables: the tables that were available; None if not reported.
    """

    position: P
    model: str
    value: float | None
    exact: Fraction | None
    error_bound: float | None
    certainty: Certainty
    method: Method
    reason: str
    best_moves: tuple[Move[P], ...] | None = None
    tables: Tables | None = None

    def __str__(self) -> str:
        """One line: `nim:[3]: 11/18 in the model random (EXACT_SEARCH: ...)`."""
        value = (
            self.exact_text if self.exact is not None and len(str(self.exact)) <= 40 else self.value
        )
        text = "not known" if value is None else value
        return (
            f"{self.position}: {text} in the model {self.model} ({self.certainty}: {self.reason})"
        )

    @property
    def exact_text(self) -> str | None:
        """The fraction as text, e.g. `9/20` or `1/1`."""
        return _text_of(self.exact)

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; a value that is not known is None."""
        return {
            "model": self.model,
            "value": self.value,
            "exact": self.exact_text,
            "error_bound": self.error_bound,
            "certainty": self.certainty.value,
            "method": self.method.value,
            "reason": self.reason,
            "best_moves": move_texts(self.best_moves),
            "best_actions": action_records(self.best_moves),
        }


@dataclass(frozen=True, slots=True)
class Turns(Generic[P]):
    """The length of a game if both players move at random, every move equally likely.

    Attributes:
        position: the position asked about.
        mean: the expected number of turns; None exactly where the certainty is `UNKNOWN`.
        mean_exact: the same as a fraction; None where only `mean` is known, or where the fraction
            is too long to be of use (about 4,000 digits).
        distribution: the chances of 0, 1, 2, ... turns in double precision, up to the most turns
            that there can be; None where they are not known.
        certainty: how the mean is known.
        method: how the mean was computed.
        reason: the theorem or search it rests on; where it is not known, what would decide.
        tables: the tables that were available; None if not reported.
    """

    position: P
    mean: float | None
    mean_exact: Fraction | None
    distribution: tuple[float, ...] | None
    certainty: Certainty
    method: Method
    reason: str
    tables: Tables | None = None

    def __str__(self) -> str:
        """One line: `nim:[3]: 1.8333 turns on average (EXACT_SEARCH: ...)`."""
        mean = "not known" if self.mean is None else f"{self.mean:.6g} turns on average"
        return f"{self.position}: {mean} ({self.certainty}: {self.reason})"

    @property
    def mean_text(self) -> str | None:
        """The mean as the text of a fraction, e.g. `11/6` or `1/1`."""
        return _text_of(self.mean_exact)

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; a value that is not known is None."""
        return {
            "mean": self.mean,
            "mean_exact": self.mean_text,
            "distribution": None if self.distribution is None else list(self.distribution),
            "certainty": self.certainty.value,
            "method": self.method.value,
            "reason": self.reason,
        }


def _text_of(fraction: Fraction | None) -> str | None:
    return None if fraction is None else f"{fraction.numerator}/{fraction.denominator}"
