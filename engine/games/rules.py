"""The interface of a family of games."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Final

from position_oracle.engine.budget import watched
from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.choices import Choices, at_most
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import (
    MAX_COORDINATE,
    Coordinates,
    GameSpec,
    Options,
)
from position_oracle.engine.games.tree import Tree
from position_oracle.schema.errors import (
    IllegalMoveError,
    InvalidPositionError,
    NotationError,
    ResourceLimitError,
)
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action

MAX_SCANNED: Final = 100_000
"""Maximum number of moves that are scanned to find one move."""

TypedMoves = tuple[tuple[str, str], ...]
"""Texts that a player may type for a move, and their meaning."""

OptionReaders = Mapping[str, Callable[[str], str]]
"""Functions by the names of options. Each function reads the text of a value and returns its
canonical form, or raises NotationError. The text is empty for an option without a value, such as
`heappass`."""

Regular = Iterator[tuple[Any, Any]]
"""Moves other than passes, as pairs. The first part is the family's own name of the action, of any
type. The second part is the `Position.value` of the position after the action."""


class EndlessError(InvalidPositionError):
    """Raised when a position has infinitely many moves."""


class Rules(ABC):
    """The rules of one family: positions, legal moves, and the texts of both.

    A subclass describes the plain game. `engine.games.moves` and `engine.games.tree` add passes,
    declared N-positions (positions that a game counts as won for the player to move), misere play
    and sums for every family.
    """

    family: ClassVar[str]
    name: ClassVar[str] = ""
    """The family's name in texts, if it is not its name in the list of families (the registry)."""

    introductions: ClassVar[tuple[Introduction, ...]] = ()
    """Descriptions of the family's games for people who do not know them. The most general game
    comes first; see `engine.games.introductions`."""

    form: ClassVar[str]
    """An example position for messages, e.g. `chomp3:[4,3,2]`."""

    typed_form: ClassVar[str] = "text"
    """The kind of message that carries a position over the network: an entry of
    `schema.messages.forms.TYPED_FORMS`, or `text`."""

    allows: ClassVar[frozenset[str]] = frozenset({"passes", "misere", "declared"})
    """The shared options that the family allows: a subset of `passes`, `misere`, `declared` and
    `noise`. With `noise`, positions are chosen at random and declared."""

    options: ClassVar[OptionReaders] = {}
    """The family's own options."""

    heap_numbers: ClassVar[range] = range(0)
    """The values that the option `heaps=` may have, e.g. `heaps=3`. Empty if the family has no such
    option. A game with declared positions, or with a rule in the option `rule`, has three heaps."""

    heap_counts: ClassVar[str] = ""
    """The values of the option `heaps=` in words, for messages."""

    hides: ClassVar[frozenset[str]] = frozenset()
    """The family's options that the text of a position leaves out, because the numbers of the
    position show them. The text of a game with declared positions has these options."""

    typed_moves: ClassVar[TypedMoves] = ()
    """The texts that a player may type for a move. Each entry is a text and its meaning; see
    `read_action`."""

    has_poison: ClassVar[bool] = False
    """Whether the game has a poison: in normal play, the player who takes this cookie or number
    loses."""

    tells_moves: ClassVar[bool] = False
    """True if answers describe winning moves in words, because the position after a move does not
    show the move."""

    def canonical_options(self, options: Options) -> Options:
        """Return the family's own options in order, with values in canonical form.

        Raises:
            NotationError: the family has no such option, or the value is not valid.
        """
        given = dict(options)
        if unknown := given.keys() - self.options.keys():
            raise NotationError(f"{self.family}: no option {', '.join(sorted(unknown))}")
        return tuple(
            (name, read(given[name])) for name, read in self.options.items() if name in given
        )

    @abstractmethod
    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Return the canonical position with these coordinates.

        Raises:
            InvalidPositionError: no position has these coordinates.
        """

    def numbers(self, value: Any) -> Coordinates:
        """Return the coordinates of a value; the method `position` is the inverse."""
        coordinates: Coordinates = value
        return coordinates

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read the text after the colon, a body with numbers and passes: `[3,5,7;2]`.

        Args:
            body: the text.
            options: the game that the text before the colon names.

        Raises:
            NotationError: the text has no such form.
            InvalidPositionError: it is not a position of the game.
        """
        coordinates, passes = parse_bracket_body(body, self.form)
        return self.position(options.with_passes(passes), coordinates)

    def format_body(self, position: Position) -> str:
        """Write the text after the colon; `parse_body` reads it back."""
        return format_bracket_body(self.numbers(position.value), position.game.passes)

    @abstractmethod
    def actions(self, value: Any, game: GameSpec) -> Regular:
        """Yield each distinct regular action once, in the documented order, lazily.

        Equal heaps count as different; the parts of a split heap have no order. A family names an
        action by an `Action`, or by something quicker to make that `action` converts. Searches make
        millions of moves and use only the values.

        Args:
            value: the value of a position.
            game: its game.

        Raises:
            EndlessError: the position has infinitely many actions; raised by the call itself,
                before the first action is made.
        """

    def action(self, position: Position, called: Any) -> Action:
        """Return the Action that the family's own name of an action stands for."""
        action: Action = called
        return action

    def matching(self, position: Position, aim: "Action | Position") -> Regular:
        """Yield the legal regular moves that an action, or the position after it, describes.

        By default all moves are scanned. A family overrides this method if its positions may have
        too many moves to scan.

        Args:
            position: the position before the move; the game is not over.
            aim: an action, or a position of the same game with as many passes.

        Raises:
            IllegalMoveError: the action is not legal, for a reason that the message gives.
            ResourceLimitError: there are too many moves.
        """
        listed = _listed(self, position)
        return iter(listed.get(aim if isinstance(aim, Action) else aim.value, ()))

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read a regular action that a player typed, e.g. `2 3`; None for other texts.

        `matching` checks whether the action is legal. Single spaces separate the words of the text.
        Actions in words, as in answers, are read, too: `take 3 from heap 2`.
        """
        plain = _plain(typed)
        for action in _listed(self, position):
            if isinstance(action, Action):
                texts = (action.words, actions.typed(action))
                if plain in map(_plain, texts):
                    return action
        return None

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield regular actions that take the most or the least, without illegal ones.

        There are few of them even if the position has too many actions to list.
        """
        called = (called for called, _ in self.actions(position.value, position.game))
        return (self.action(position, each) for each in called)

    def choices(self, value: Any, game: GameSpec) -> Choices[tuple[Any, Any]] | None:
        """Return the numbered actions, if they can be counted without a list; else None.

        If there are infinitely many actions, the result has some of them.
        """
        return None

    def count(self, value: Any, game: GameSpec, most: int) -> int:
        """Return an upper bound of the number of regular actions, at most `most`.

        The bound is exact for few actions. A family overrides this method if it can count actions
        without making the positions after them, and has no `choices`.
        """
        numbered = self.choices(value, game)
        if numbered is not None:
            return min(most, numbered.number)
        return at_most(self.actions(value, game), most)

    def amount(self, position: Position) -> int:
        """Return the amount left (cookies, tokens, numbers), to compare positions of one game."""
        return sum(position.coordinates)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Draw a position as lines of text; no lines if it cannot be drawn or is too large.

        Args:
            position: the position to draw.
            wins: winning actions, which are marked if the drawing has a place for them.
        """
        return []

    @abstractmethod
    def tree(self, position: Position, *, misere: bool) -> Tree[Any]:
        """Return the moves of the plain game from a position on, in the form that searches use.

        `tree_of` adds passes and declared positions.

        Args:
            position: the first position of play.
            misere: the kind of play of the game, or of the sum that has it as a component.

        Raises:
            ResourceLimitError: the game is too large to search.
        """


class HullRules(Rules):
    """Rules of a family in which one position leads to several others."""

    @abstractmethod
    def hull(self, positions: Sequence[Position]) -> Position | None:
        """Return a position from which play reaches all the given ones; None if none is known."""


def _plain(text: str) -> str:
    """Return a text without commas, which players may leave out."""
    return " ".join(text.replace(",", " ").split())


@lru_cache(maxsize=4)
def _listed(rules: Rules, position: Position) -> dict[Any, list[tuple[Any, Any]]]:
    """Map actions, and the positions after them, to moves; cached for repeated calls.

    Raises:
        ResourceLimitError: there are more than `MAX_SCANNED` moves.
    """
    found: dict[Any, list[tuple[Any, Any]]] = {}
    listed = watched(rules.actions(position.value, position.game))
    for move in islice(listed, MAX_SCANNED):
        found.setdefault(rules.action(position, move[0]), []).append(move)
        found.setdefault(move[1], []).append(move)
    if next(listed, None) is not None:
        raise ResourceLimitError(
            f"{position.brief} has more than {MAX_SCANNED:,} actions, too many to search"
        )
    return found


def refused(position: Position, action: Action, reason: str) -> IllegalMoveError:
    """Return the error for an action that the rules do not allow."""
    words = action.words or "this action"
    return IllegalMoveError(f"{words} is not a move from {position.brief}: {reason}")


def check_coordinates(what: str, names: str, coordinates: Coordinates) -> None:
    """Raise InvalidPositionError unless every coordinate is in 0 .. MAX_COORDINATE.

    Args:
        what: the game, or an example of its positions, for the message.
        names: one letter for each coordinate, for the message; further coordinates are numbered.
        coordinates: the numbers to check.
    """
    for index, value in enumerate(coordinates):
        if not 0 <= value <= MAX_COORDINATE:
            name = names[index] if index < len(names) else f"number {index + 1}"
            raise InvalidPositionError(
                f"{what}: {name} = {value}; allowed are 0 to {MAX_COORDINATE} (2^63 - 1)"
            )
