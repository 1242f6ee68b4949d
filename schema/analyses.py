"""Analyses of a position: moves with their values, win probabilities, length of the game."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Generic

from position_oracle.schema.answers import Answer, Certainty, Outcome, PositionValues, Tables
from position_oracle.schema.moves import Action, Move, P, action_record, action_records, move_texts

MAX_LISTED_MOVES: Final = 10_000
"""Maximum number of moves that an analysis lists. Of a position with more moves, only the winning
ones are listed."""


@dataclass(frozen=True, slots=True)
class AnalyzedMove(Generic[P]):
    """A legal move, and the position after it.

    Attributes:
        move: the move.
        outcome: outcome of the position after the move; the move wins if it is P.
        values: values of the position after the move.
        component: the component of the move in a sum, from 0; None in other games.
    """

    move: Move[P]
    outcome: Outcome
    values: PositionValues
    component: int | None = None

    def __str__(self) -> str:
        """Return one line: the move, its action, whether it wins, and the plies left."""
        how = f" ({self.action})" if self.action is not None else ""
        what = {True: "wins", False: "loses", None: "not known"}[self.wins]
        plies = self.values.remoteness
        left = "" if plies is None else f", {plies} {'ply' if plies == 1 else 'plies'} to the end"
        return f"{self.move}{how}: {what}{left}"

    @property
    def wins(self) -> bool | None:
        """Whether the move wins for the player who makes it; None if unknown."""
        return None if self.outcome.wins is None else not self.outcome.wins

    @property
    def action(self) -> Action | None:
        """The action of `move`."""
        return self.move.action

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys; unknown values are None."""
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
    """No moves, because they were not requested."""
    WINNING_MOVES = "WINNING_MOVES"
    """The known winning moves, in the order of the game's rules."""
    BEST_FIRST = "BEST_FIRST"
    """All moves, the best first."""
    WINNING_FIRST = "WINNING_FIRST"
    """All moves, the winning ones first, if there are too many to sort."""


@dataclass(frozen=True, slots=True)
class Analysis(Generic[P]):
    """Everything known about one position.

    Attributes:
        answer: outcome, certainty, and the winning moves.
        values: values of the position.
        moves: the legal moves, best first (docs/grundy.md has the order); None if not requested.
        complete: whether `moves` has all moves. If there are more than `MAX_LISTED_MOVES`, or
            very long ones, only the winning moves are listed. Transfinite Chomp lists the moves
            known to win.
        following: the index of the first move of the next page; None after the last page.
        listing: the moves of all pages together, and their order.
    """

    answer: Answer[P]
    values: PositionValues
    moves: tuple[AnalyzedMove[P], ...] | None = None
    complete: bool = False
    following: int | None = None
    listing: Listing = Listing.NONE

    def __str__(self) -> str:
        """Return the answer, and a line for each listed move."""
        return "\n".join([str(self.answer), *(f"  {move}" for move in self.moves or ())])

    def as_json(self, most_moves: int | None = None) -> dict[str, object]:
        """Return JSON values with stable keys: those of the answer, the values, and moves.

        Args:
            most_moves: maximum number of best moves; None leaves the key `moves` out.
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
    """Exact: recursion in integers, or the outcome."""
    CLOSED_FORM = "CLOSED_FORM"
    """Exact: a theorem, in integers."""
    FLOATING_POINT = "FLOATING_POINT"
    """Double precision with a proven error bound."""
    SIMULATION = "SIMULATION"
    """Simulation of random games: an estimate."""
    BOUND = "BOUND"
    """The midpoint of two proved bounds; the error bound is half their distance."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class WinProbability(Generic[P]):
    """The probability that the player to move wins, if one or both players move at random.

    Attributes:
        position: the position asked about.
        model: canonical text of the model, which says how each player chooses moves.
        value: the probability; None exactly if the certainty is `UNKNOWN`.
        exact: the probability as a fraction; None if only `value` is known, or if the fraction is
            too long (about 4,000 digits).
        error_bound: bound on the error of `value`. If `method` is exact or a closed form, only
            rounding contributes; for a simulation it is half the width of the 99 % interval. None
            if `value` is None.
        certainty: the certainty of the probability.
        method: the method of the computation.
        reason: the theorem, search or table behind it; for an unknown value, a build that would
            decide it.
        best_moves: if the player to move is perfect, the moves that give this probability, in the
            order of the game's rules; None in other models, or if unknown.
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
        """Return one line: `nim:[3]: 11/18 in the model random (EXACT_SEARCH: ...)`."""
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
        """Return JSON values with stable keys; unknown values are None."""
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
    """The number of turns of a game if both players move at random, with equal probabilities.

    Attributes:
        position: the position asked about.
        mean: the expected number of turns; None exactly if the certainty is `UNKNOWN`.
        mean_exact: the mean as a fraction; None if only `mean` is known, or if the fraction is too
            long (about 4,000 digits).
        distribution: the chances of 0, 1, 2, ... turns in double precision, up to the maximum
            number of turns; None if unknown.
        certainty: the certainty of the mean.
        method: the method of the computation.
        reason: the theorem or search behind it; for an unknown mean, a build that would decide it.
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
        """Return one line: `nim:[3]: 1.8333 turns on average (EXACT_SEARCH: ...)`."""
        mean = "not known" if self.mean is None else f"{self.mean:.6g} turns on average"
        return f"{self.position}: {mean} ({self.certainty}: {self.reason})"

    @property
    def mean_text(self) -> str | None:
        """The mean as the text of a fraction, e.g. `11/6` or `1/1`."""
        return _text_of(self.mean_exact)

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys; unknown values are None."""
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
