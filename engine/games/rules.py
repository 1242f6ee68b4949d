"""The interface of a family of games."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from position_oracle.engine.budget import watched
from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.choices import Choices
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import (
    MAX_COORDINATE,
    Coordinates,
    GameSpec,
    Options,
)
from position_oracle.schema.errors import (
    IllegalMoveError,
    InvalidPositionError,
    NotationError,
    ResourceLimitError,
)
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action

if TYPE_CHECKING:
    from position_oracle.engine.games.tree import Tree

MAX_SCANNED: Final = 100_000
"""Most moves of a position that are looked through for one of them."""

TypedMoves = tuple[tuple[str, str], ...]
"""Texts that a player may type for a move, and their meaning."""

Regular = Iterator[tuple[Any, Any]]
"""Regular moves: what a family calls each action, and the value of the position it leads to."""


class EndlessError(InvalidPositionError):
    """A position has infinitely many moves."""


class Rules(ABC):
    """The rules of one family: positions, legal moves, and the text of both.

    A subclass describes the plain game. Passes, declared N-positions, misere play and sums are the
    same for every family and are added elsewhere: `engine.games.moves` and `engine.games.tree`.
    """

    family: ClassVar[str]
    name: ClassVar[str] = ""
    """The name of the family in texts, where that is not `family`."""

    introductions: ClassVar[tuple[Introduction, ...]] = ()
    """The family for people who do not know it, the most general game first; see
    `engine.games.introductions`."""

    form: ClassVar[str]
    """The form of positions, for messages, e.g. `chomp3:[4,3,2]`."""

    typed_form: ClassVar[str] = "text"
    """The form in which positions travel: one of `schema.messages.forms.TYPED_FORMS`, or text."""

    allows: ClassVar[frozenset[str]] = frozenset({"passes", "misere", "declared"})
    """The shared options that the family allows, out of passes, misere, declared and noise."""

    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({})
    """The family's own options: each reads a text and gives it in canonical form, or raises
    NotationError; the text is empty for an option that is a word by itself."""

    heap_numbers: ClassVar[range] = range(0)
    """The numbers of heaps that a game may say, `heaps=3`, where nothing implies one; none where
    the family has no such option. Variants, and games with a rule, have three."""

    heap_counts: ClassVar[str] = ""
    """The same in words."""

    hides: ClassVar[frozenset[str]] = frozenset()
    """Own options that a position shows, so that its text leaves them out if none is declared."""

    typed_moves: ClassVar[TypedMoves] = ()
    """Texts that a player may type for a move, and their meaning; see `read_action`."""

    has_poison: ClassVar[bool] = False
    """Whether there is a cookie or number that loses: in normal play the player who takes it, which
    leaves nothing, has lost."""

    tells_moves: ClassVar[bool] = False
    """True if answers say moves in words, because a position does not show its move well."""

    def canonical_options(self, options: Options) -> Options:
        """The family's own options in their order, each in canonical form.

        Raises:
            NotationError: an option that the family does not have, or no value for it.
        """
        given = dict(options)
        if unknown := given.keys() - self.options.keys():
            raise NotationError(f"{self.family}: no option {', '.join(sorted(unknown))}")
        return tuple(
            (name, read(given[name])) for name, read in self.options.items() if name in given
        )

    @abstractmethod
    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The position with these numbers, in its one form.

        Raises:
            InvalidPositionError: there is none.
        """

    def numbers(self, value: Any) -> Coordinates:
        """The numbers of a position, from which `position` makes it again."""
        coordinates: Coordinates = value
        return coordinates

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read what stands behind the colon, numbers and passes: `[3,5,7;2]`.

        Args:
            body: the text.
            options: the game by the text before the colon.

        Raises:
            NotationError: the text has no such form.
            InvalidPositionError: it is not a position of the game.
        """
        coordinates, passes = parse_bracket_body(body, self.form)
        return self.position(options.with_passes(passes), coordinates)

    def format_body(self, position: Position) -> str:
        """Write what stands behind the colon; `parse_body` reads it back."""
        return format_bracket_body(position.coordinates, position.game.passes)

    @abstractmethod
    def actions(self, value: Any, game: GameSpec) -> Regular:
        """Each distinct regular action once, in the documented order; lazily.

        Two equal heaps are two heaps; the parts of a split heap have no order. What an action is
        called is an `Action`, or something made faster of which `action` makes one: searches ask
        for millions of moves, and only for what they lead to.

        Args:
            value: that of a position.
            game: its game.

        Raises:
            EndlessError: there are infinitely many; at the call, before the first is made.
        """

    def action(self, position: Position, called: Any) -> Action:
        """An action by what `actions` calls it."""
        action: Action = called
        return action

    def matching(self, position: Position, aim: "Action | Position") -> Regular:
        """The legal regular moves that an action, or the position after it, stands for.

        By default all are looked through. A family overrides this where there may be more moves
        than can be looked through.

        Args:
            position: before the move; the game goes on.
            aim: an action, or a position of the same game with as many passes.

        Raises:
            IllegalMoveError: the action is none, for a reason to be told.
            ResourceLimitError: there are too many moves.
        """
        listed = _listed(self, position)
        return iter(listed.get(aim if isinstance(aim, Action) else aim.value, ()))

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The regular action that somebody means, e.g. by `2 3`; None where it is no such text.

        Whether it is allowed says `matching`. Words are parted by single spaces; words as in
        answers, `take 3 from heap 2`, are read as well.
        """
        plain = _plain(typed)
        for action in _listed(self, position):
            if isinstance(action, Action):
                texts = (action.words, actions.typed(action))
                if plain in map(_plain, texts):
                    return action
        return None

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Regular actions that take the most or the least; those not allowed are left out.

        These are few also where all are too many to be listed.
        """
        called = (called for called, _ in self.actions(position.value, position.game))
        return (self.action(position, each) for each in called)

    def choices(self, value: Any, game: GameSpec) -> Choices[tuple[Any, Any]] | None:
        """The actions by number, where they can be counted without a list; else None.

        Of infinitely many actions, some.
        """
        return None

    def amount(self, position: Position) -> int:
        """The amount left: cookies, tokens, numbers; only to be compared within a game."""
        return sum(position.coordinates)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Lines that show a position at a terminal; none where it cannot be drawn, or is too large.

        Args:
            position: what to draw.
            wins: winning actions, to be marked where there is a place to mark.
        """
        return []

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """A position from which play comes to all the given ones of one game, if there is one."""
        return None

    @abstractmethod
    def tree(self, position: Position, *, misere: bool) -> "Tree[Any]":
        """The moves of the plain game that begins at a position, as a search plays them.

        Passes are added by `tree_of`, which also has a tree for declared positions.

        Args:
            position: where play begins.
            misere: the kind of play; that of the game, or of a sum that it is a component of.

        Raises:
            ResourceLimitError: the game is too large to be searched at all.
        """


def _plain(text: str) -> str:
    """A text without commas, which the user may leave out."""
    return " ".join(text.replace(",", " ").split())


@lru_cache(maxsize=4)
def _listed(rules: Rules, position: Position) -> dict[Any, list[tuple[Any, Any]]]:
    """The moves by their actions and by what they lead to; kept for those who ask again and again.

    Raises:
        ResourceLimitError: more than `MAX_SCANNED`.
    """
    found: dict[Any, list[tuple[Any, Any]]] = {}
    listed = watched(rules.actions(position.value, position.game), every=1)
    for move in islice(listed, MAX_SCANNED):
        found.setdefault(rules.action(position, move[0]), []).append(move)
        found.setdefault(move[1], []).append(move)
    if next(listed, None) is not None:
        raise ResourceLimitError(
            f"{position.brief} has more than {MAX_SCANNED:,} actions, which are not looked through"
        )
    return found


def refused(position: Position, action: Action, reason: str) -> IllegalMoveError:
    """The error for an action that the rules do not allow."""
    words = action.words or "this action"
    return IllegalMoveError(f"{words} is not a move from {position.brief}: {reason}")


def check_coordinates(what: str, names: str, coordinates: Coordinates) -> None:
    """Raise InvalidPositionError unless every coordinate is in 0 .. MAX_COORDINATE.

    Args:
        what: the game, or how its positions are written, for the message.
        names: one letter a coordinate, for the message; numbered where there are more of them.
        coordinates: the numbers to check.
    """
    for index, value in enumerate(coordinates):
        if not 0 <= value <= MAX_COORDINATE:
            name = names[index] if index < len(names) else f"number {index + 1}"
            raise InvalidPositionError(
                f"{what}: {name} = {value}; allowed are 0 to {MAX_COORDINATE} (2^63 - 1)"
            )
