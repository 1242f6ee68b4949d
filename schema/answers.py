"""The records of answers for oracle, server, clients and command line.

This module has the answer about a position, `schema.moves` its moves, `schema.analyses` further
values, and `schema.games` the answered games. `schema.messages` converts all of them to and from
messages of the contract.
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
    """The outcome with best play. Packed batches use its numbers as bytes.

    An outcome prints as its letter, and `Outcome["P"]` is the outcome of a letter:

    >>> print(Outcome.P, Outcome["P"] is Outcome.P, Outcome.P == 1)
    P True True
    """

    UNKNOWN = 0
    P = 1
    """The previous player wins: the player who has just moved."""
    N = 2
    """The next player wins: the player who is to move."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec.endswith(("d", "x", "b")) else self.name, spec)

    @property
    def as_json(self) -> str | None:
        """The letter; None if unknown."""
        return self.name if self else None

    @property
    def wins(self) -> bool | None:
        """Whether the player to move wins; None if unknown."""
        return self is Outcome.N if self else None


class Certainty(StrEnum):
    """The certainty of an answer; an estimate never counts as exact."""

    EXACT_TABLE = "EXACT_TABLE"
    """A look-up in a computed table."""
    EXACT_SEARCH = "EXACT_SEARCH"
    """A complete search on demand."""
    THEOREM = "THEOREM"
    """A theorem or closed form, named in the reason."""
    ESTIMATE = "ESTIMATE"
    """An estimate, which is not exact."""
    UNKNOWN = "UNKNOWN"
    OTHER = "OTHER"
    """Known with a certainty of a newer server that has no name here."""


class Origin(IntFlag):
    """The origins of an instant winner: the parts of sheets with P-positions that it reaches.

    A P-position of a prefix belongs to the lower or upper loser line, depending on its side of
    their bisector z = x / sqrt(2) - y. A P-position of a tail belongs to a flat line. Heap games
    have no such parts; all their cells are `HEAPS`.
    """

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
    """Either loser line of a smaller sheet, because a census does not distinguish them."""


@dataclass(frozen=True, slots=True)
class TransfiniteFacts:
    """Facts about a position of transfinite Chomp; ordinals are texts, None if unknown.

    Attributes:
        size: the number of cookies, by natural sums and products (Huddleston & Shurman, section 2);
            None also if the computation takes too long.
        rule: the theorem behind the outcome, by its name in the paper.
        bite: coordinates of a winning bite; None also if the winning moves were not requested.
        grundy: Grundy value if the poison may not be eaten.
        grundy_unrestricted: the value of the paper, with every bite allowed: one more if finite,
            equal from w on.
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
    """The tables behind an answer, and all others of the same version.

    Attributes:
        version: 16 hexadecimal digits, equal exactly if game, kind, limit and values of all tables
            are equal.
        build_ids: numbers of the builds in the table file, ascending.
    """

    version: str
    build_ids: tuple[int, ...] = ()

    @classmethod
    def of(cls, builds: Iterable["Build"]) -> "Tables":
        """Return the identity of the tables of some builds."""
        builds = tuple(builds)
        each = sorted(
            f"{build.game} {build.kind} {build.limit} {build.checksum}" for build in builds
        )
        digest = sha256("\n".join(each).encode()).hexdigest()
        return cls(digest[:16], tuple(sorted(build.build_id for build in builds)))


@dataclass(frozen=True, slots=True)
class PositionValues:
    """Values of one position; None if unknown or not defined.

    Attributes:
        grundy: Grundy value in normal play; in Chomp without eating the poison, so that the value
            is 0 exactly at P-positions and the empty board has none. Games that end by rules of
            their own (misere, declared positions) have none.
        grundy_unrestricted: in Chomp, the value with every bite allowed: 0 for the empty board, one
            more than `grundy` for other boards. Other games have none.
        remoteness: plies to the end if the winner hurries and the loser delays; 0 if the game is
            over, and for the poison alone. The empty board has none.
    """

    grundy: int | None = None
    grundy_unrestricted: int | None = None
    remoteness: int | None = None

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys."""
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
        outcome: the outcome; `Outcome.UNKNOWN` exactly if the certainty is `UNKNOWN`.
        certainty: the certainty of the outcome.
        reason: the table, search or theorem behind the outcome; for an unknown outcome, a build
            that would decide it.
        winning_moves: all winning moves in the order of the game's rules (in transfinite Chomp, the
            known ones); empty if no move wins; None if they were not requested or are not known. If
            only some winning moves are known, the reason says so.
        transfinite: further facts of transfinite Chomp; None in other games.
        certificate: the certificate of a proof by periodicity, with its range; None in other
            answers.
        game: canonical text of the game; empty if the position includes it.
        tables: the tables that were available; None if not reported.
        estimate: for an unknown outcome, the estimated chance that the position is P, or None. The
            outcome stays `Outcome.UNKNOWN`.
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
        """Return one line: `nim:[3,5,7]: N, by nim:[2,5,7] and 2 more moves (THEOREM: ...)`."""
        by = ""
        if self.winning_moves:
            first, *others = self.winning_moves
            more = f" and {len(others)} more move{'s' * (len(others) > 1)}" if others else ""
            by = f", by {first}{more}"
        known = f"{self.certainty}: " if self.outcome else ""
        return f"{self.position}: {self.outcome}{by} ({known}{self.reason})"

    @property
    def wins(self) -> bool | None:
        """Whether the player to move wins; None if unknown."""
        return self.outcome.wins

    def from_tables(self, tables: Tables | None) -> "Answer[P]":
        """Return the answer with the tables that were available."""
        return self.with_moves(self.winning_moves, tables)

    def with_moves(self, moves: tuple[Move[P], ...] | None, tables: Tables | None) -> "Answer[P]":
        """Return the answer with other winning moves and tables.

        This is four times as fast as `dataclasses.replace`; every call does it.
        """
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
        """Return JSON values with stable keys; unknown values are None."""
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
    """A position that includes its game, as those of the engine do."""

    @property
    def game(self) -> NamedGame:
        """The game."""


def _game_text(position: object) -> str | None:
    return position.game.text if isinstance(position, OfGame) else None
