"""What clients return: frozen records that know nothing of gRPC."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, IntFlag, StrEnum
from fractions import Fraction


class Outcome(IntEnum):
    """Who wins with best play; the numbers are those in arrays of outcomes."""

    UNKNOWN = 0
    P = 1
    """The previous player: whoever has just moved."""
    N = 2
    """The next player: whoever is to move."""


class Certainty(StrEnum):
    """How an outcome is known."""

    EXACT_TABLE = "EXACT_TABLE"
    EXACT_SEARCH = "EXACT_SEARCH"
    THEOREM = "THEOREM"
    ESTIMATE = "ESTIMATE"
    UNKNOWN = "UNKNOWN"


class Origin(IntFlag):
    """What a cell of an instant-winner sheet comes from."""

    LOWER = 1
    """Lower loser lines of smaller sheets."""
    UPPER = 2
    """Upper loser lines of smaller sheets."""
    FLAT = 4
    """Flat lines: tails of smaller sheets."""
    DIAGONAL = 8
    """Deadly diagonals."""
    RECTANGLE = 16
    """A rectangle that is a P-position, in variants."""
    HEAPS = 32
    """Smaller sheets of a heap game."""


@dataclass(frozen=True, slots=True)
class Move:
    """A legal move, named by the position it leads to.

    Attributes:
        position: canonical text of the position after the move.
        is_pass: whether the move is a pass.
    """

    position: str
    is_pass: bool = False


@dataclass(frozen=True, slots=True)
class TransfiniteFacts:
    """Facts about a position of transfinite Chomp; ordinals are texts, None where not known.

    Attributes:
        size: how many cookies there are, by natural sums and products.
        rule: the theorem that the outcome rests on.
        bite: coordinates of a cookie whose bite wins; None also where the winning moves were not
            asked for.
        grundy: Grundy value with the poison not to be eaten.
        grundy_unrestricted: the same with every bite allowed: one more where it is finite, equal
            from w on.
    """

    size: str | None
    rule: str | None
    bite: tuple[str, ...] | None
    grundy: str | None
    grundy_unrestricted: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about one position.

    Attributes:
        position: canonical text of the position asked about.
        outcome: `Outcome.UNKNOWN` exactly where the certainty is `UNKNOWN`.
        certainty: how the outcome is known.
        reason: the table, search or theorem it rests on; where it is not known, what would decide.
        winning_moves: all moves that win, in the order of the game's rules (in transfinite Chomp
            those that are known); empty where none does, None where they were not asked for or are
            not known.
        transfinite: what the theory of transfinite Chomp says besides; None in other games.
    """

    position: str
    outcome: Outcome
    certainty: Certainty
    reason: str
    winning_moves: tuple[Move, ...] | None = None
    transfinite: TransfiniteFacts | None = None


@dataclass(frozen=True, slots=True)
class PositionValues:
    """Numbers of one position; None where not known, or where there is none.

    Attributes:
        grundy: Grundy value in normal play; in Chomp where the poison cannot be eaten, so that it
            is 0 exactly at P-positions.
        grundy_unrestricted: Chomp only: the value with every bite allowed, 0 for the empty board.
        remoteness: plies to the end when the winner hurries and the loser delays.
    """

    grundy: int | None = None
    grundy_unrestricted: int | None = None
    remoteness: int | None = None


@dataclass(frozen=True, slots=True)
class AnalyzedMove:
    """A legal move and what it leads to.

    Attributes:
        move: the move.
        outcome: outcome of the position after it: the move wins if that is P.
        values: numbers of the position after it.
        component: in a sum, the component moved in, from 0; None elsewhere.
    """

    move: Move
    outcome: Outcome
    values: PositionValues
    component: int | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything known about one position.

    Attributes:
        answer: outcome, how it is known, and the winning moves.
        values: numbers of the position.
        moves: the legal moves, best first; None where they were not asked for.
        complete: whether `moves` are all of them; of a position with more than 10,000 only the
            winning ones are listed.
    """

    answer: Answer
    values: PositionValues
    moves: tuple[AnalyzedMove, ...] | None
    complete: bool


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
    """How likely the player to move is to win, where one player or both play at random.

    Attributes:
        position: canonical text of the position asked about.
        model: canonical text of the model: how both players choose their moves.
        value: the probability; None exactly where the certainty is `UNKNOWN`.
        exact: the probability as a fraction; None where only `value` is known.
        error_bound: bound on the error of `value`; for a simulation, half the width of its 99 %
            interval. None where `value` is.
        certainty: how the probability is known.
        method: how it was computed.
        reason: the theorem, search or table it rests on; where it is not known, what would decide.
        best_moves: where the player to move is perfect, the moves that give him this probability,
            in the order of the game's rules; None in other models, or where they are not known.
    """

    position: str
    model: str
    value: float | None
    exact: Fraction | None
    error_bound: float | None
    certainty: Certainty
    method: Method
    reason: str
    best_moves: tuple[Move, ...] | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """Where a table comes from.

    Attributes:
        build_id: number of the build in its table file, from 1.
        kind: what was computed, e.g. `sheets`.
        limit: the limit asked for, as text.
        start_time: when the computation began (UTC).
        seconds: wall-clock time of computing and writing.
        rows: rows of the largest table written.
        checksum: of the values, 16 hexadecimal digits.
        program: name and version of the program.
        environment: versions of what it ran on, as JSON text.
    """

    build_id: int
    kind: str
    limit: str
    start_time: datetime
    seconds: float
    rows: int
    checksum: str
    program: str
    environment: str


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What the server answers about one game.

    Attributes:
        game: canonical text of the game, e.g. `chomp3{passes=1}`; batches take it.
        questions: names of the questions answered.
        range: the positions answered, in words.
        limit: largest x of the table; None where the range is not one number.
        certainty: how answers inside the range are known.
        build: where the table comes from; None for closed forms.
    """

    game: str
    questions: tuple[str, ...]
    range: str
    limit: int | None
    certainty: Certainty
    build: Build | None
