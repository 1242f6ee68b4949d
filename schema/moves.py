"""Moves in answers: the position after a move, and the action.

Records of a position or a move are generic over the type `P` of positions: a position of the engine
inside the oracle, and its canonical text in the clients. `P` must only give the canonical text by
`str()`.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic

if TYPE_CHECKING:
    # With a default `Move` alone means `Move[str]`; Python knows defaults from 3.13 on.
    from typing_extensions import TypeVar

    P = TypeVar("P", default=str)
else:
    from typing import TypeVar

    P = TypeVar("P")

PASS: Final = "pass"  # noqa: S105
"""The text of the pass as a move."""


@dataclass(frozen=True, slots=True)
class Bite:
    """A cookie of a board of Chomp.

    Attributes:
        row: the row, from 1; the poison row is the first.
        column: the column, from 1; the first has the poison.
    """

    row: int
    column: int

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys."""
        return {"row": self.row, "column": self.column}


@dataclass(frozen=True, slots=True)
class HeapChange:
    """The change of one heap by a move.

    Attributes:
        heap: number of the heap, from 1, in the order of the position.
        tokens: number of tokens taken.
        left: the heaps left of a split heap, else empty; if the heap has a pass of its own, the
            first heap left keeps it.
        is_pass: whether the move is the heap's own pass.
    """

    heap: int
    tokens: int = 0
    left: tuple[int, ...] = ()
    is_pass: bool = False

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys; `left` and `pass` only if they apply."""
        record: dict[str, object] = {"heap": self.heap, "tokens": self.tokens}
        if self.left:
            record["left"] = list(self.left)
        return {**record, PASS: True} if self.is_pass else record


@dataclass(frozen=True, slots=True)
class Action:
    """The action that makes a move; exactly one kind is given.

    >>> Action(bite=Bite(2, 3), words="bite row 2, column 3").as_json()
    {'bite': {'row': 2, 'column': 3}, 'words': 'bite row 2, column 3'}

    Attributes:
        is_pass: whether it is the pass of the game.
        bite: the cookie bitten on a board of Chomp.
        taking: the change of each changed heap; empty in games without heaps.
        divisor: the number named in the game of divisors, up to 2^63 - 1.
        power_product: a larger number named, as prime powers: `2^70*3`.
        cell: the cell, from 1, of the animal that moves, in Toads and Frogs.
        ordinal_bite: the cookie bitten in transfinite Chomp, ordinals as texts, counted from 0.
        component: the component of the move in a sum, from 0; None in other games.
        words: the move in words, e.g. `take 3 from heap 2`; actions that differ only in words are
            equal.
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
        """Return the kind by its name in the contract, the component in sums, and the words."""
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
    """A legal move, identified by the position after it.

    >>> print(Move("chomp3:[4,3,1]"), Move("chomp3:[4,3,2]", is_pass=True))
    chomp3:[4,3,1] pass

    Attributes:
        child: the position after the move.
        is_pass: whether the move is a pass: the same coordinates, one pass fewer.
        action: the action of the move; None if it was not requested. The two positions determine
            it, so moves with and without it are equal.
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


def move_texts(moves: tuple[Move[Any], ...] | None) -> list[str] | None:
    """Return the moves as text; None if unknown."""
    return None if moves is None else [str(move) for move in moves]


def action_record(move: Move[Any]) -> dict[str, object] | None:
    """Return the action of a move for JSON; None if not given."""
    return None if move.action is None else move.action.as_json()


def action_records(moves: tuple[Move[Any], ...] | None) -> list[dict[str, object] | None] | None:
    """Return the actions of many moves for JSON; None if unknown."""
    return None if moves is None else [action_record(move) for move in moves]
