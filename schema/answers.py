"""The vocabulary of answers: one set of records for oracle, server, clients and command line.

Here is what every answer says of a position; `schema.moves` has its moves, `schema.analyses` what
is said of it besides, and `schema.games` what games are answered at all. `schema.messages`
translates all of them to and from the contract.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, IntFlag, StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Generic, Protocol, runtime_checkable

from position_oracle.schema.estimates import Estimate
from position_oracle.schema.moves import Move, P, action_records, move_texts

if TYPE_CHECKING:
    from position_oracle.schema.games import Build


class Outcome(IntEnum):
    """The outcome with best play. The numbers are the bytes of packed batches.

    An outcome prints as its letter, and `Outcome["P"]` is the outcome of a letter:

    >>> print(Outcome.P, Outcome["P"] is Outcome.P, Outcome.P == 1)
    P True True
    """

    UNKNOWN = 0
    P = 1
    """The previous player: the player who has just moved."""
    N = 2
    """The next player: the player who is to move."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec.endswith(("d", "x", "b")) else self.name, spec)

    @property
    def as_json(self) -> str | None:
        """The letter; None where it is not known."""
        return self.name if self else None

    @property
    def wins(self) -> bool | None:
        """Whether the player to move wins; None where it is not known."""
        return self is Outcome.N if self else None


class Certainty(StrEnum):
    """The certainty of an answer. An estimate is never passed off as exact."""

    EXACT_TABLE = "EXACT_TABLE"
    """Read from a computed table."""
    EXACT_SEARCH = "EXACT_SEARCH"
    """Found by a complete search on demand."""
    THEOREM = "THEOREM"
    """Follows from a theorem or closed form, named in the reason."""
    ESTIMATE = "ESTIMATE"
    """Not exact."""
    UNKNOWN = "UNKNOWN"
    OTHER = "OTHER"
    """Known, in a way of a newer server that has no name here."""


class Origin(IntFlag):
    """The origins of a cell of an instant-winner sheet."""

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
        """Return the keys that other answers lack, or have with another type."""
        return {
            "grundy": self.grundy,
            "grundy_unrestricted": self.grundy_unrestricted,
            "size": self.size,
            "rule": self.rule,
            "bite": None if self.bite is None else list(self.bite),
        }


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables an answer rests on, and all others of the same version.

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
class Answer(Generic[P]):
    """The answer to a question about one position.

    Attributes:
        position: the position asked about.
        outcome: `Outcome.UNKNOWN` exactly where the certainty is `UNKNOWN`.
        certainty: how the outcome is known.
        reason: the table, search or theorem it rests on; where it is not known, what would decide.
        winning_moves: all moves that win, in the order of the game's rules (in transfinite Chomp
            those that are known); empty where none does, None where they were not asked for or are
            not known. Where it is only known of some moves that they win, the reason says so.
        transfinite: what the theory of transfinite Chomp says besides; None in other games.
        certificate: what a proof by periodicity rests on, with its range; None in other answers.
        game: canonical text of the game; empty where the position says it itself.
        tables: the tables that were available; None if not reported.
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

    def __str__(self) -> str:
        """One line: `nim:[3,5,7]: N, by nim:[2,5,7] and 2 more moves (THEOREM: ...)`."""
        by = ""
        if self.winning_moves:
            first, *others = self.winning_moves
            more = f" and {len(others)} more move{'s' * (len(others) > 1)}" if others else ""
            by = f", by {first}{more}"
        known = f"{self.certainty}: " if self.outcome else ""
        return f"{self.position}: {self.outcome}{by} ({known}{self.reason})"

    @property
    def wins(self) -> bool | None:
        """Whether the player to move wins; None where it is not known."""
        return self.outcome.wins

    def with_moves(self, moves: tuple[Move[P], ...]) -> "Answer[P]":
        """The same answer with other winning moves."""
        return self._changed(moves, self.tables)

    def from_tables(self, tables: Tables) -> "Answer[P]":
        """The same answer with the tables that were available."""
        return self._changed(self.winning_moves, tables)

    def _changed(self, moves: tuple[Move[P], ...] | None, tables: Tables | None) -> "Answer[P]":
        """Replace fields like `dataclasses.replace`, four times as fast; every call does this."""
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
            "winning_moves": move_texts(self.winning_moves),
            "winning_actions": action_records(self.winning_moves),
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
