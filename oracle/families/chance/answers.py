"""Answers about random play, made in one place."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.moves import moves as legal_moves
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.solvers.simulate import Interval, Simulation
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.answers import Answer, Certainty, Method, Turns, WinProbability
from position_oracle.oracle.families.sources import names_all_wins
from position_oracle.schema.errors import ResourceLimitError

MAX_EXACT_BITS: Final = 13_000
"""Maximum length in bits of numerators and denominators in answers: about 4,000 digits."""

CONFIDENCE: Final = 0.99
"""Confidence level of the interval of an estimate."""

_TURNS: Final = Cost(0.08, 24 << 20)
"""Maximum cost of the mean number of turns by a theorem."""

ROUNDED_ONCE: Final = 2.0**-54
"""Bound on the error of a probability that was rounded to a double once."""


def exactly(
    position: Position,
    model: Model,
    chance: Fraction | int,
    certainty: Certainty,
    method: Method,
    reason: str,
    best_moves: tuple[Move, ...] | None = None,
) -> WinProbability:
    """Make an answer known as a fraction; a fraction that is too long is left out."""
    fraction = Fraction(chance)
    return WinProbability(
        position=position,
        model=model.text,
        value=float(fraction),
        exact=short_enough(fraction),
        error_bound=0.0 if fraction.denominator == 1 else ROUNDED_ONCE,
        certainty=certainty,
        method=method,
        reason=reason,
        best_moves=best_moves,
    )


def decided(answer: Answer, model: Model) -> WinProbability | None:
    """Return the chance that follows from the outcome, or None if the outcome does not decide.

    If a perfect player can force a win, the player wins for certain.
    """
    decides = Outcome.N if model.mover_chooses else Outcome.P
    if answer.outcome is not decides or answer.certainty is Certainty.ESTIMATE:
        return None
    name = answer.outcome.name
    reason = f"{name}-position: the perfect player wins for certain; {answer.reason}"
    moves = answer.winning_moves if model.mover_chooses and names_all_wins(answer) else None
    chance = int(model.mover_chooses)
    known, method = answer.certainty, Method.EXACT
    return exactly(answer.position, model, chance, known, method, reason, moves)


def approximately(
    position: Position,
    model: Model,
    value: float | None,
    error_bound: float | None,
    certainty: Certainty,
    method: Method,
    reason: str,
    best_moves: tuple[Move, ...] | None = None,
) -> WinProbability:
    """Make an answer known as a double with a bound on its error, or not known."""
    text = model.text
    return WinProbability(
        position, text, value, None, error_bound, certainty, method, reason, best_moves
    )


def unknown(position: Position, model: Model, reason: str) -> WinProbability:
    """Make the answer for a chance that no source decides; `reason` names a build that would."""
    return approximately(position, model, None, None, Certainty.UNKNOWN, Method.UNKNOWN, reason)


def lasting(
    position: Position, mean: Fraction | float, certainty: Certainty, method: Method, reason: str
) -> Turns:
    """Make an answer about the length of a game, without the distribution."""
    exact = None if isinstance(mean, float) else short_enough(mean)
    return Turns(position, float(mean), exact, None, certainty, method, reason)


Means = tuple[Callable[[Coordinates, int], Fraction], Callable[[Coordinates, int], float]]
"""Functions of numbers and passes for the mean number of turns, exact and in double precision."""


def plan_turns_by_theorem(
    position: Position, numbers: Coordinates, means: Means, reason: str
) -> Plan[Turns]:
    """Plan the mean number of turns by a theorem, exact if its fraction is not too long."""

    def run() -> Turns:
        exact, rounded = means
        mean: Fraction | float
        try:
            mean = exact(numbers, position.game.passes)
        except ResourceLimitError:
            mean = rounded(numbers, position.game.passes)
        return lasting(position, mean, Certainty.THEOREM, Method.CLOSED_FORM, reason)

    return Plan(_TURNS, run)


def short_enough(exact: Fraction) -> Fraction | None:
    """Return a fraction; None if it is too long."""
    return exact if exact.denominator.bit_length() <= MAX_EXACT_BITS else None


def simulated(position: Position, model: Model, simulation: Simulation) -> WinProbability:
    """Make an estimate from simulated games."""
    value, interval = simulation.win_probability, simulation.win_interval(CONFIDENCE)
    bound = max(interval.high - value, value - interval.low)
    reason = f"{_games(simulation)} {_interval(interval)}"
    known, method = Certainty.ESTIMATE, Method.SIMULATION
    return approximately(position, model, value, bound, known, method, reason)


def simulated_turns(position: Position, simulation: Simulation) -> Turns:
    """Make an estimate of the mean number of turns, without a distribution."""
    reason = f"{_games(simulation)} {_interval(simulation.turns_interval(CONFIDENCE))}"
    mean = simulation.mean_turns
    return lasting(position, mean, Certainty.ESTIMATE, Method.SIMULATION, reason)


def _games(simulation: Simulation) -> str:
    return f"{simulation.games} simulated games, seed {simulation.seed}; {CONFIDENCE:.0%} interval"


def _interval(interval: Interval) -> str:
    return f"{interval.low:.6f} to {interval.high:.6f}"


def moves_to(position: Position, children: Iterable[Coordinates]) -> tuple[Move, ...]:
    """Return the moves to some children, in the order of the rules."""
    wanted = set(children)
    return tuple(legal_moves(position, lambda child: child.coordinates in wanted))
