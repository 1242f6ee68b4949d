"""The vocabulary of answers: one set of records for oracle, server, clients and command line.

The records are generic over how a position is held, `P`: a position of the engine inside the
oracle, its canonical text in the clients. All that is asked of `P` is that `str()` gives that text.
`schema.messages` translates the records to and from the contract.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, IntFlag, StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, runtime_checkable

from schema.estimates import Estimate

if TYPE_CHECKING:
    # With a default `Answer` alone means `Answer[str]`; Python knows defaults from 3.13 on.
    from typing_extensions import TypeVar

    P = TypeVar("P", default=str)
    G = TypeVar("G", default=str)
else:
    from typing import TypeVar

    P = TypeVar("P")
    G = TypeVar("G")

MAX_MOVES: Final = 10_000
"""Most moves that an analysis lists; of a position with more, only the winning ones are."""

PASS: Final = "pass"  # noqa: S105
"""How the pass is written as a move."""


class Outcome(IntEnum):
    """Who wins with best play. The numbers are the bytes of packed batches.

    An outcome prints and compares as its letter:

    >>> print(Outcome.P, Outcome.P == "P", Outcome.P == 1)
    P True True
    """

    UNKNOWN = 0
    P = 1
    """The previous player: whoever has just moved."""
    N = 2
    """The next player: whoever is to move."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec.endswith(("d", "x", "b")) else self.name, spec)

    def __eq__(self, other: object) -> bool:
        return self.name == other if isinstance(other, str) else int.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return self.name != other if isinstance(other, str) else int.__ne__(self, other)

    __hash__ = int.__hash__

    @property
    def as_json(self) -> str | None:
        """The letter; None where it is not known."""
        return self.name if self else None


class Certainty(StrEnum):
    """How an answer is known. An estimate is never passed off as exact."""

    EXACT_TABLE = "EXACT_TABLE"
    """Read from a computed table."""
    EXACT_SEARCH = "EXACT_SEARCH"
    """Found by a complete search when asked."""
    THEOREM = "THEOREM"
    """Follows from a theorem or closed form, named in the reason."""
    ESTIMATE = "ESTIMATE"
    """Not exact."""
    UNKNOWN = "UNKNOWN"


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
    LINE = 64
    """Either loser line of a smaller sheet: a census does not tell them apart."""


@dataclass(frozen=True, slots=True)
class Bite:
    """A cookie of a board of Chomp.

    Attributes:
        row: its row, from 1; the poison row is the first.
        column: its column, from 1; the first holds the poison.
    """

    row: int
    column: int

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs."""
        return {"row": self.row, "column": self.column}


@dataclass(frozen=True, slots=True)
class HeapChange:
    """What a move does to one heap.

    Attributes:
        heap: number of the heap, from 1, in the order of the position asked about.
        tokens: how many are taken.
        left: the heaps left of it where it is split, else empty; where the heap has a pass of its
            own, the first of them keeps it.
        is_pass: whether the move is the pass that the heap has of its own.
    """

    heap: int
    tokens: int = 0
    left: tuple[int, ...] = ()
    is_pass: bool = False

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; `left` and `pass` only where there is something to say."""
        record: dict[str, object] = {"heap": self.heap, "tokens": self.tokens}
        if self.left:
            record["left"] = list(self.left)
        return {**record, PASS: True} if self.is_pass else record


@dataclass(frozen=True, slots=True)
class Action:
    """How a move is made, as a player does it; exactly one kind of it is given.

    >>> Action(bite=Bite(2, 3), words="bite row 2, column 3").as_json()
    {'bite': {'row': 2, 'column': 3}, 'words': 'bite row 2, column 3'}

    Attributes:
        is_pass: whether it is the pass of the game.
        bite: the cookie bitten on a board of Chomp.
        taking: what is done to each heap that changes; empty in games without heaps.
        divisor: the number named in the game of divisors, up to 2^63 - 1.
        power_product: the number named where it is larger, as prime powers: `2^70*3`.
        cell: the cell, from 1, of the animal that moves, in Toads and Frogs.
        ordinal_bite: the cookie bitten in transfinite Chomp, ordinals as texts, counted from 0.
        component: in a sum, the component that the move is made in, from 0; None elsewhere.
        words: the move as a person says it, e.g. `take 3 from heap 2`; two actions that differ in
            words alone are equal.
    """

    is_pass: bool = False
    bite: Bite | None = None
    taking: tuple[HeapChange, ...] = ()
    divisor: int | None = None
    power_product: str | None = None
    cell: int | None = None
    ordinal_bite: tuple[str, ...] | None = None
    component: int | None = None
    words: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.words

    def as_json(self) -> dict[str, object]:
        """The kind by its name in the contract, the component in sums, and the words."""
        record: dict[str, object] = {}
        if self.is_pass:
            record[PASS] = {}
        if self.bite is not None:
            record["bite"] = self.bite.as_json()
        if self.taking:
            record["taking"] = {"heaps": [change.as_json() for change in self.taking]}
        if self.ordinal_bite is not None:
            record["ordinal_bite"] = {"coordinates": list(self.ordinal_bite)}
        for name in ("divisor", "power_product", "cell", "component"):
            if (value := getattr(self, name)) is not None:
                record[name] = value
        return {**record, "words": self.words}


@dataclass(frozen=True, slots=True)
class Move(Generic[P]):
    """A legal move, named by the position it leads to.

    >>> print(Move("chomp3:[4,3,1]"), Move("chomp3:[4,3,2]", is_pass=True))
    chomp3:[4,3,1] pass

    Attributes:
        child: the position after the move.
        is_pass: whether the move is a pass: the same coordinates, one pass fewer.
        action: how the move is made; None where nobody has asked. It follows from the two
            positions, so that moves with and without it are equal.
    """

    child: P
    is_pass: bool = False
    action: Action | None = field(default=None, compare=False)

    @property
    def position(self) -> P:
        """The position after the move: `child`."""
        return self.child

    def __str__(self) -> str:
        return PASS if self.is_pass else str(self.child)


@dataclass(frozen=True, slots=True)
class TransfiniteFacts:
    """Facts about a position of transfinite Chomp; ordinals are texts, None where not known.

    Attributes:
        size: how many cookies there are, by natural sums and products (Huddleston & Shurman,
            section 2); None also where that takes too long to add up.
        rule: the theorem that the outcome rests on, by its name in the paper.
        bite: coordinates of a cookie whose bite wins; None also where the winning moves were not
            asked for.
        grundy: Grundy value with the poison not to be eaten.
        grundy_unrestricted: the value of the paper, with every bite allowed: one more where it is
            finite, equal from w on.
    """

    size: str | None = None
    rule: str | None = None
    bite: tuple[str, ...] | None = None
    grundy: str | None = None
    grundy_unrestricted: str | None = None

    def as_json(self) -> dict[str, object]:
        """The keys that an answer has more, or of another type."""
        return {
            "grundy": self.grundy,
            "grundy_unrestricted": self.grundy_unrestricted,
            "size": self.size,
            "rule": self.rule,
            "bite": None if self.bite is None else list(self.bite),
        }


@dataclass(frozen=True, slots=True)
class Tables:
    """Which tables an answer rests on, and all others of the same version.

    Attributes:
        version: 16 hexadecimal digits, the same exactly where all tables are: game, kind, limit and
            values.
        build_ids: numbers of the builds in the table file, ascending.
    """

    version: str
    build_ids: tuple[int, ...] = ()

    @classmethod
    def of(cls, builds: Iterable["Build"]) -> "Tables":
        """The identity of the tables of some builds."""
        builds = tuple(builds)
        each = sorted(
            f"{build.game} {build.kind} {build.limit} {build.checksum}" for build in builds
        )
        digest = sha256("\n".join(each).encode()).hexdigest()
        return cls(digest[:16], tuple(sorted(build.build_id for build in builds)))


@dataclass(frozen=True, slots=True)
class Answer(Generic[P]):
    """The answer to a question about one position.

    Attributes:
        position: the position asked about.
        outcome: `Outcome.UNKNOWN` exactly where the certainty is `UNKNOWN`.
        certainty: how the outcome is known.
        reason: the table, search or theorem it rests on; where it is not known, what would decide.
        winning_moves: all moves that win, in the order of the game's rules (in transfinite Chomp
            those that are known); empty where none does, None where they were not asked for or are
            not known. A theorem that names one move only says so in its reason.
        transfinite: what the theory of transfinite Chomp says besides; None in other games.
        certificate: what a proof by periodicity rests on, with its range; None in other answers.
        game: canonical text of the game; empty where the position says it itself.
        tables: the tables that were at hand; None where that is not told.
        estimate: where nothing decides the outcome, the chance that the position is P; None where
            that is not known either. The outcome stays `Outcome.UNKNOWN`.
    """

    position: P
    outcome: Outcome
    certainty: Certainty
    reason: str
    winning_moves: tuple[Move[P], ...] | None = None
    transfinite: TransfiniteFacts | None = None
    certificate: str | None = None
    game: str = ""
    tables: Tables | None = None
    estimate: Estimate | None = None

    def with_moves(self, moves: tuple[Move[P], ...]) -> "Answer[P]":
        """The same answer with other winning moves."""
        return self._changed(moves, self.tables)

    def from_tables(self, tables: Tables) -> "Answer[P]":
        """The same answer with the tables that were at hand."""
        return self._changed(self.winning_moves, tables)

    def _changed(self, moves: tuple[Move[P], ...] | None, tables: Tables | None) -> "Answer[P]":
        """As `dataclasses.replace`, in a quarter of the time: every call takes this way."""
        return Answer(
            self.position,
            self.outcome,
            self.certainty,
            self.reason,
            moves,
            self.transfinite,
            self.certificate,
            self.game,
            tables,
            self.estimate,
        )

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; a value that is not known is None."""
        record: dict[str, object] = {
            "position": str(self.position),
            "game": self.game or _game_text(self.position),
            "outcome": self.outcome.as_json,
            "certainty": self.certainty.value,
            "reason": self.reason,
            "winning_moves": _move_texts(self.winning_moves),
            "winning_actions": _action_records(self.winning_moves),
            **PositionValues().as_json(),
        }
        if self.transfinite is not None:
            record |= self.transfinite.as_json()
        if self.certificate is not None:
            record["certificate"] = self.certificate
        if self.tables is not None:
            record["tables"] = self.tables.version
        if self.estimate is not None:
            record["estimate"] = self.estimate.as_json()
        return record


@dataclass(frozen=True, slots=True)
class PositionValues:
    """Numbers of one position; None where not known, or where there is none.

    Attributes:
        grundy: Grundy value in normal play; in Chomp with the poison not to be eaten, so that the
            value is 0 exactly at P-positions and the empty board has none. Games that end by rules
            of their own (misere, declared positions) have none.
        grundy_unrestricted: in Chomp, the value with every bite allowed: 0 for the empty board, one
            more than `grundy` elsewhere. Other games have none.
        remoteness: plies to the end when the winner hurries and the loser delays; 0 where the game
            is over, and for the poison cookie alone. The empty board has none.
    """

    grundy: int | None = None
    grundy_unrestricted: int | None = None
    remoteness: int | None = None

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs."""
        return {
            "grundy": self.grundy,
            "grundy_unrestricted": self.grundy_unrestricted,
            "remoteness": self.remoteness,
        }


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

    @property
    def action(self) -> Action | None:
        """How the move is made: that of `move`."""
        return self.move.action

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; what is not known is None."""
        record: dict[str, object] = {
            "move": str(self.move),
            "action": _action_record(self.move),
            "outcome": self.outcome.as_json,
            **self.values.as_json(),
        }
        return record if self.component is None else {**record, "component": self.component}


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
    """

    answer: Answer[P]
    values: PositionValues
    moves: tuple[AnalyzedMove[P], ...] | None = None
    complete: bool = False
    following: int | None = None

    def as_json(self, most_moves: int | None = None) -> dict[str, object]:
        """Stable keys for programs: those of the answer, the numbers, and moves if asked for.

        Args:
            most_moves: write the best moves, up to this many; None leaves the key `moves` out.
        """
        record = self.answer.as_json()
        if self.answer.transfinite is None:  # which has ordinals as values
            record |= self.values.as_json()
        if most_moves is not None:
            record["moves"] = [move.as_json() for move in (self.moves or ())[:most_moves]]
        return record


@dataclass(frozen=True, slots=True)
class WinProbability(Generic[P]):
    """How likely the player to move is to win, where one player or both play at random.

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
        best_moves: where the player to move is perfect, the moves that give him this probability,
            in the order of the game's rules; None in other models, or where they are not known.
        tables: the tables that were at hand; None where that is not told.
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

    @property
    def exact_text(self) -> str | None:
        """The fraction as text, e.g. `9/20` or `1/1`."""
        return None if self.exact is None else f"{self.exact.numerator}/{self.exact.denominator}"

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
            "best_moves": _move_texts(self.best_moves),
            "best_actions": _action_records(self.best_moves),
        }


@dataclass(frozen=True, slots=True)
class Build:
    """Where a table comes from: one row of the table `build`.

    Attributes:
        build_id: number of the build in its table file, from 1.
        game: canonical text of the game, e.g. `chomp3{passes=1}`.
        kind: what was computed, e.g. `sheets`.
        limit: the limit asked for, as text, e.g. `10000`.
        started_at: when the computation began (UTC).
        seconds: wall-clock time of computing and writing.
        rows: rows of the largest table written.
        checksum: of the values computed, 16 hexadecimal digits; equal tables have equal ones.
        program: name and version of the program.
        environment: versions of Python, numpy, numba and duckdb, and the platform, as JSON text.
    """

    build_id: int
    game: str
    kind: str
    limit: str
    started_at: datetime
    seconds: float
    rows: int
    checksum: str
    program: str
    environment: str

    @property
    def start_time(self) -> datetime:
        """When the computation began, by its name in the contract: `started_at`."""
        return self.started_at

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs, those of the attributes; the time in ISO 8601."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "started_at": self.started_at.isoformat()}


@dataclass(frozen=True, slots=True)
class Limits:
    """A range in numbers: where each number of a position is at most the one here, it is answered.

    None is no limit. The price of a search may still be above what a server allows.

    Attributes:
        x: three-row Chomp: the largest x.
        y: three-row Chomp: the largest y.
        z: three-row Chomp: the largest z.
        heaps: the most heaps.
        heap: the largest heap.
        other_heaps: the largest of the heaps but for the largest one.
        rows: the most rows of a Chomp board.
        columns: the longest row of a Chomp board, of one of three rows, too.
        cells: the most cookies of a Chomp board, or cells of a strip.
        positions: the most positions that a search may come to, the one asked included.
        divisors: the most numbers left in the game of divisors.
    """

    x: int | None = None
    y: int | None = None
    z: int | None = None
    heaps: int | None = None
    heap: int | None = None
    other_heaps: int | None = None
    rows: int | None = None
    columns: int | None = None
    cells: int | None = None
    positions: int | None = None
    divisors: int | None = None

    def as_json(self) -> dict[str, int]:
        """Those that there are, by name."""
        values = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in values if value is not None}


@dataclass(frozen=True, slots=True)
class GameInfo(Generic[G]):
    """What the oracle answers about one game, and where that comes from.

    Attributes:
        game: the game; in the clients its canonical text, e.g. `chomp3{passes=1}`, which batches
            take.
        questions: names of the questions answered: `outcome`, `winning_moves`, ...
        range: the positions answered, in words, e.g. `x <= 10000, any y and z`.
        limit: the largest x of the table; None where the range is not one number.
        certainty: how answers inside the range are known.
        build: where the table comes from; None for closed forms.
        limits: the range in numbers that can be compared; None where it has none.
    """

    game: G
    questions: tuple[str, ...]
    range: str
    limit: int | None
    certainty: Certainty
    build: Build | None
    limits: Limits | None = None


class NamedGame(Protocol):
    """A game with a canonical text."""

    @property
    def text(self) -> str:
        """The canonical text, e.g. `chomp3{passes=1}`."""


@runtime_checkable
class OfGame(Protocol):
    """A position that knows its game, as those of the engine do."""

    @property
    def game(self) -> NamedGame:
        """The game."""


def _game_text(position: object) -> str | None:
    return position.game.text if isinstance(position, OfGame) else None


def _move_texts(moves: tuple[Move[Any], ...] | None) -> list[str] | None:
    return None if moves is None else [str(move) for move in moves]


def _action_record(move: Move[Any]) -> dict[str, object] | None:
    return None if move.action is None else move.action.as_json()


def _action_records(moves: tuple[Move[Any], ...] | None) -> list[dict[str, object] | None] | None:
    return None if moves is None else [_action_record(move) for move in moves]
