"""What every family of games has to say about itself."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import (
    MAX_COORDINATE,
    Coordinates,
    GameSpec,
    Options,
    check_common_options,
)
from position_oracle.engine.theory.sums import Convention, Play
from position_oracle.schema.errors import IllegalMoveError, InvalidPositionError, NotationError
from position_oracle.schema.moves import Action

if TYPE_CHECKING:
    from position_oracle.engine.games.tree import Tree

MAX_LISTED: Final = 20_000
"""Most moves of a position that are gone through to choose one of them."""


TypedMoves = tuple[tuple[str, str], ...]
"""What a player may type for a move, and what it means."""


class Rules(ABC):
    """The rules of one family: positions, legal moves, the end, and the text of a position.

    A subclass describes the plain game. Passes and declared N-positions are the same for every
    family and are added here.
    """

    family: ClassVar[str]
    name: ClassVar[str] = ""
    """How the family is called in texts, where that is not `family`."""

    form: ClassVar[str]
    """How a position is written, for messages, e.g. `chomp3:[4,3,2]`."""

    typed_form: ClassVar[str] = "text"
    """The form in which positions travel: one of `schema.messages.forms.TYPED_FORMS`, or text."""

    allows: ClassVar[frozenset[str]] = frozenset()
    """Which of the options that are the same for every family there are: `passes`, `misere`,
    `variants`."""

    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({})
    """The family's own options: each reads a text and gives it in canonical form, or raises
    NotationError; the text is empty for an option that is a word by itself."""

    typed_moves: ClassVar[TypedMoves] = ()
    """What a player may type for a move, and what it means; see `read_action`."""

    has_poison: ClassVar[bool] = False
    """Whether there is a cookie or number that loses: then `is_won` where it has been taken."""

    tells_moves: ClassVar[bool] = False
    """Whether answers say moves in words, as the position they lead to does not show them well."""

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

    def implied_heaps(self, game: GameSpec) -> int | None:
        """The number of heaps that follows from other options; None where none does."""
        return None

    def check_game(self, game: GameSpec) -> None:
        """Raise NotationError unless the options of a game go together."""
        if game.heaps is not None:
            raise NotationError(
                f"{game.family}: heaps={game.heaps}; this family has no such option"
            )
        check_common_options(game, self.allows)

    def convention(self, component: Position, play: Play) -> Convention:
        """What the Grundy value of a component of a sum counts."""
        if not self.has_poison or component.game.passes:
            return Convention.OTHER
        misere = play is Play.MISERE
        return Convention.CHOMP_UNRESTRICTED if misere else Convention.CHOMP_RESTRICTED

    def children_worth(
        self, position: Position, values: tuple[int, ...]
    ) -> Iterator[tuple[Position, int]] | None:
        """The children with some Grundy values, and their values; None: moves are to be listed."""
        return None

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The position with these coordinates, in canonical form.

        Raises:
            InvalidPositionError: there is none.
        """
        self.check(game, coordinates)
        return Position(game, coordinates)

    @abstractmethod
    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Raise InvalidPositionError unless the coordinates are a position of the game."""

    @abstractmethod
    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Children by every regular move; each child once, in the documented order."""

    @abstractmethod
    def tree(self, position: Position, *, misere: bool) -> "Tree[Any]":
        """The moves of the plain game that begins at a position, as a search plays them.

        Passes and declared positions are added by `tree_of`; where positions are declared, nodes
        are coordinates.

        Args:
            position: where play begins.
            misere: the kind of play; that of the game, or of a sum that it is a component of.

        Raises:
            ResourceLimitError: the game is too large to be searched at all.
        """

    @abstractmethod
    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Whether the player to move has lost here: no move is left, or only the poison."""

    @abstractmethod
    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read what stands behind the colon; `options` are those of the text before it."""

    @abstractmethod
    def format_body(self, position: Position) -> str:
        """Write what stands behind the colon; `parse_body` reads it back."""

    def format_position(self, position: Position) -> str:
        """The canonical text of a position."""
        return f"{position.game.position_prefix}:{self.format_body(position)}"

    def moves(self, position: Position) -> Iterator[Move]:
        """All legal moves: regular ones first, then the pass where there is one.

        No move leads out of a declared N-position: it is won on arrival. A pass is not available
        at a terminal position (Morrison, Friedman & Landsberg, section 1.2).
        """
        if self._is_closed(position):
            return
        for child in self.regular_moves(position.coordinates, position.game):
            yield Move(position.child(child))
        if self._can_pass(position):
            yield Move(position.passed(), is_pass=True)

    def has_finite_moves(self, position: Position) -> bool:
        """Whether the moves can be listed at all."""
        return True

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """A position from which play comes to all the given ones of one game, if there is one."""
        return None

    def is_empty(self, position: Position) -> bool:
        """Whether nothing is left, not even the poison."""
        return not any(position.coordinates)

    def winner(self, position: Position) -> Outcome | None:
        """Who has won where no move is left: N if the player who would move; None before."""
        if self._is_closed(position):
            return Outcome.N
        return Outcome.P if next(self.moves(position), None) is None else None

    def random_move(self, position: Position, chance: random.Random) -> Move:
        """A legal move at random, each with equal probability.

        In a position with more than `MAX_LISTED` moves that cannot be counted, one of
        `notable_moves`.
        """
        moves = list(islice(self.moves(position), MAX_LISTED + 1))
        if len(moves) > MAX_LISTED:
            moves = list(self.notable_moves(position))
        return chance.choice(moves)

    def notable_moves(self, position: Position) -> Iterator[Move]:
        """Some legal moves: among them those that take the most and the least, and the pass.

        These are few also where all are too many to be listed.
        """
        if not self._is_closed(position):
            tried = dict.fromkeys(self.notable_actions(position))
            yield from self._allowed(position, tried)
            if self._can_pass(position):
                yield Move(position.passed(), is_pass=True, action=actions.THE_PASS)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Regular actions that take the most or the least; those not allowed are left out."""
        moves = islice(self.moves(position), MAX_LISTED)
        return (self.action(position, move) for move in moves if not move.is_pass)

    def amount(self, position: Position) -> int:
        """How much is left: cookies, tokens, numbers; only to be compared within a game."""
        return sum(position.coordinates)

    def _allowed(self, position: Position, tried: Iterable[Action]) -> Iterator[Move]:
        for action in tried:
            try:
                yield Move(self.after(position, action), action=action)
            except IllegalMoveError:
                continue

    def ends_at(self, position: Position) -> bool:
        """Whether the game is over at a position, for whichever player."""
        game, coordinates = position.game, position.coordinates
        is_over = self.is_terminal(coordinates, game) or self.is_won(coordinates, game)
        return is_over or game.declares(coordinates)

    def outcome_at_end(self, position: Position) -> Outcome | None:
        """Who wins by rule where the game is over; None where it goes on."""
        if not self.ends_at(position):
            return None
        return self.winner(position) or Outcome.P  # the poison alone: whoever must eat it loses

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Whether the game is over here with the player to move the winner."""
        return False

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """Lines that show a position at a terminal; none where it cannot be drawn, or is too large.

        Args:
            position: what to draw.
            wins: winning moves, to be marked where there is a place to mark.
        """
        return []

    @abstractmethod
    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """Every regular action that leads to a child, the usual one first.

        There are several where heaps are equal. If no move leads to the child, there are none, or
        some that lead elsewhere: `act` tells.
        """

    @abstractmethod
    def after(self, position: Position, action: Action) -> Position:
        """The position after a regular action, where the game is not over.

        Raises:
            IllegalMoveError: the rules do not allow it.
        """

    def action(self, position: Position, move: Move) -> Action:
        """How a legal move is made; `act` leads back to its child.

        Raises:
            IllegalMoveError: it is no move from the position.
        """
        if move.is_pass:
            return actions.THE_PASS
        action = next(self.ways(position, move.child), None)
        if action is None:
            raise IllegalMoveError(f"{move} is no move from {position}")
        return action

    def act(self, position: Position, action: Action) -> Position:
        """The position after an action, without listing moves.

        Raises:
            IllegalMoveError: the rules do not allow it.
        """
        if action.component is not None:
            raise refused(position, action, "only sums have components")
        if self._is_closed(position):
            raise refused(position, action, "the game is over")
        if not action.is_pass:
            return self.after(position, action)
        if not self._can_pass(position):
            raise refused(position, action, "there is no pass here")
        return position.passed()

    def move_to(self, position: Position, child: Position) -> Move:
        """The legal move that leads to a child, with its action; moves are not listed.

        Raises:
            IllegalMoveError: no move does.
        """
        if not self._is_closed(position):
            if self._can_pass(position) and child == position.passed():
                return Move(child, is_pass=True, action=actions.THE_PASS)
            ways = self.ways(position, child) if child.game == position.game else ()
            for action in ways:
                if self._leads_to(position, action, child):
                    return Move(child, action=action)
        raise IllegalMoveError(f"{child} is no move from {position}")

    @abstractmethod
    def read_action(self, position: Position, typed: str) -> Action | None:
        """The regular action that somebody means, e.g. by `2 3`; None where it is no such text.

        Whether it is allowed says `act`. Words are parted by single spaces; words as in answers,
        `take 3 from heap 2`, are read as well.
        """

    def texts(self, position: Position, action: Action) -> tuple[str, ...]:
        """What a player may type for a regular action, e.g. `2 3`, parted by single spaces."""
        text = actions.typed(action)
        return (text,) if text else ()

    def tell(self, position: Position, move: Move) -> str:
        """A legal move in words, e.g. `take 3 from heap 2`."""
        return self.action(position, move).words

    def typed(self, position: Position, move: Move) -> tuple[str, ...]:
        """What a player may type for a regular move, in every way in which it can be made."""
        if move.is_pass:
            return ()
        ways = self.ways(position, move.child)
        return tuple(text for action in ways for text in self.texts(position, action))

    def _is_closed(self, position: Position) -> bool:
        """Whether no move, and no pass either, leads out of a position."""
        game, coordinates = position.game, position.coordinates
        return game.declares(coordinates) or self.is_won(coordinates, game)

    def _can_pass(self, position: Position) -> bool:
        """Whether the pass of the game is allowed, where the game is not over."""
        game = position.game
        return game.passes > 0 and not self.is_terminal(position.coordinates, game)

    def _leads_to(self, position: Position, action: Action, child: Position) -> bool:
        try:
            return self.after(position, action) == child
        except IllegalMoveError:
            return False


def refused(position: Position, action: Action, reason: str) -> IllegalMoveError:
    """The error for an action that the rules do not allow."""
    words = action.words or "this action"
    return IllegalMoveError(f"{words} is no move from {position}: {reason}")


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
