"""The rules of every family of games: legal moves, play, the end, notation, drawings.

These functions need neither an oracle nor a server. Each takes a position as a text
(docs/notation.md) or as a `State`, and returns positions as canonical texts:

>>> [str(move.action) for move in legal_moves("nim:[1,2]")]
['take 1 from heap 1', 'take 2 from heap 2', 'take 1 from heap 2']
>>> play("chomp:4/4", "2 3")
'chomp:4/2'
>>> play("nim:[3,5] + toads:TF.", Action(cell=1, component=1))
'nim:[3,5] + toads:.FT'
>>> is_over("chomp:0"), winner("chomp:0"), winner("nim:[0]")
(True, <Outcome.N: 2>, <Outcome.P: 1>)

The oracle uses the same rules. To learn who wins a position, ask the oracle or a client.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from position_oracle.clients.errors import (
    ClientIllegalMoveError,
    ClientTypeError,
    InvalidQuestionError,
    integer,
)
from position_oracle.schema import errors
from position_oracle.schema.answers import Outcome
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import PASS, Action, Move
from position_oracle.schema.numbers import whole
from position_oracle.schema.positions import PositionLike, position_text

if TYPE_CHECKING:
    from position_oracle.engine.games.position import Position
    from position_oracle.engine.games.rules import Rules

DEFAULT_MOVES: Final = 100_000
"""Default maximum number of moves that `legal_moves` lists."""

MAX_TYPED: Final = 4096
"""Maximum length of the text of a move."""


MoveLike: TypeAlias = str | Move[Any] | Action
"""The forms in which functions accept a move: a text, a `Move` or an `Action`."""


@dataclass(frozen=True, slots=True)
class State:
    """A position that has been read from its text.

    Functions of this module and methods of clients accept a State in place of its text.

    Attributes:
        text: the canonical text.
        game: canonical text of the game, for batches, e.g. `chomp3{passes=1}`.
        family: name of the family in texts, e.g. `nim`; `sum` for sums of games.
        coordinates: the numbers of the position, for batches; empty for sums of games and for
            transfinite Chomp.
        passes: number of passes left.
        rows: row lengths of a board of Chomp, poison row first; None for other positions.
        components: the positions that a sum of games consists of; empty for other positions.
    """

    text: str
    game: str
    family: str
    coordinates: tuple[int, ...]
    passes: int
    rows: tuple[int, ...] | None = None
    components: tuple["State", ...] = ()

    def __str__(self) -> str:
        return self.text


def read(text: PositionLike) -> State:
    """Read a position.

    Raises:
        InvalidQuestionError: the text is not a position; the message suggests the position that was
            probably meant.
    """
    return _state(_parsed(text))


def position(game: str, coordinates: Sequence[int]) -> State:
    """Return the position of a game with the given coordinates.

    >>> print(position("chomp3{passes=1}", (4, 3, 2)))
    chomp3:[4,3,2;1]

    Args:
        game: text of the game, with the number of passes left.
        coordinates: the coordinates.

    Raises:
        InvalidQuestionError: the game or the position does not exist.
    """
    from position_oracle.engine.games.game_text import parse_game
    from position_oracle.engine.games.registry import rules_of

    with _refusals("position"):
        spec = parse_game(game)
        return _state(
            rules_of(spec.family).position(
                spec, tuple(whole(each, "a coordinate") for each in coordinates)
            )
        )


def canonical(text: PositionLike) -> str:
    """Return the canonical text of a position.

    Raises:
        InvalidQuestionError: the text is not a position.
    """
    return str(_parsed(text))


def legal_moves(text: PositionLike, most: int = DEFAULT_MOVES) -> Iterator[Move]:
    """Yield the legal moves in the documented order, each with its action; a pass comes last.

    Args:
        text: a position.
        most: the maximum number of moves; if there are more, an error is raised after the last.

    Raises:
        InvalidQuestionError: the text is not a position, or the position has more than `most`
            moves, or infinitely many (transfinite Chomp).
    """
    from position_oracle.engine.games.moves import moves

    position = _parsed(text)
    with _refusals():
        for number, move in enumerate(moves(position)):
            if number >= most:
                raise InvalidQuestionError(
                    f"{position.brief} has more than {most:,} moves", "position"
                )
            yield _as_text(move)


def play(text: PositionLike, move: MoveLike) -> str:
    """Return the position after a move; large positions are as fast, because no moves are listed.

    Args:
        text: a position.
        move: the move or its action; or a text, which is the position that it leads to, `pass`,
            what a player types (`2 3`), or the words of the action (`take 3 from heap 2`).

    Returns:
        The canonical text of the position after the move.

    Raises:
        IllegalMoveError: the rules do not allow the move.
        InvalidQuestionError: a text is not a position.
    """
    position = _parsed(text)
    with _refusals():
        return str(_found(position, move).child)


def move_of(text: PositionLike, move: MoveLike) -> Move:
    """Return a legal move with its action, from any form that `play` takes.

    Raises:
        IllegalMoveError: the rules do not allow the move.
        InvalidQuestionError: a text is not a position.
    """
    from position_oracle.engine.games.moves import move_to

    position = _parsed(text)
    with _refusals():
        return _as_text(move_to(position, _found(position, move).child))


def is_over(text: PositionLike) -> bool:
    """Return whether no move is left; in Chomp, whether the poison has been eaten.

    Raises:
        InvalidQuestionError: the text is not a position.
    """
    return winner(text) is not None


def winner(text: PositionLike) -> Outcome | None:
    """Return the winner of a finished game, or None if a move is left.

    Returns:
        `Outcome.P` if the player who moved last has won, `Outcome.N` if the player to move has won,
        because the opponent has eaten the poison or has taken the last token in misere play.

    Raises:
        InvalidQuestionError: the text is not a position.
    """
    from position_oracle.engine.games import moves

    return moves.winner(_parsed(text))


def draw(text: PositionLike, winning: "tuple[Move[Any], ...]" = ()) -> str:
    """Draw the position as lines of text; empty if it cannot be drawn or is too large.

    Args:
        text: a position.
        winning: moves to mark with `*`, if the drawing has a place for them.

    Raises:
        InvalidQuestionError: a text is not a position.
    """
    position = _parsed(text)
    with _refusals():
        wins = [_found(position, move).action for move in winning]
    rules = _rules_of(position)
    return "\n".join(rules.draw(position, [win for win in wins if win is not None]))


def introduction(text: PositionLike) -> Introduction:
    """Describe the rules of a position's game, for people who do not know the game.

    >>> introduction("nim:[3,5]").loses
    'no token is left for you'

    Raises:
        InvalidQuestionError: the text is not a position.
    """
    from position_oracle.engine.games.introductions import introduction_of

    return introduction_of(_parsed(text))


def how_to_move(text: PositionLike) -> tuple[tuple[str, str], ...]:
    """Return the texts that a player may type for a move in a position, with their meanings.

    >>> how_to_move("nim:[3]")
    (('2 3', 'take 3 tokens from heap 2'),)

    Raises:
        InvalidQuestionError: the text is not a position.
    """
    from position_oracle.engine.games.sum import components_of

    position = _parsed(text)
    rules = map(_rules_of, (position, *components_of(position)))
    return tuple(dict.fromkeys(line for each in rules for line in each.typed_moves))


def random_move(text: PositionLike, chance: random.Random) -> str:
    """Return the text of a random legal move; each action has equal probability.

    If there are more than 20,000 moves that cannot be counted, or infinitely many (transfinite
    Chomp), some moves never occur.

    Raises:
        InvalidQuestionError: the text is not a position, or the game is over.
    """
    from position_oracle.engine.games.choice import random_move

    return str(random_move(_to_play(text), chance))


def small_move(text: PositionLike) -> str:
    """Return the move that takes the least, avoiding moves that lose at once.

    Such a move leaves the opponent the most ways to err.

    Raises:
        InvalidQuestionError: the text is not a position, or the game is over.
    """
    from position_oracle.engine.games.choice import small_move

    return str(small_move(_to_play(text)))


def greedy_move(text: PositionLike) -> str:
    """Return the move that takes the most, avoiding moves that lose at once.

    Raises:
        InvalidQuestionError: the text is not a position, or the game is over.
    """
    from position_oracle.engine.games.choice import greedy_move

    return str(greedy_move(_to_play(text)))


def some_moves(text: PositionLike, most: int) -> tuple[str, ...]:
    """Return legal moves up to a number: all if there are few, else a selection.

    Raises:
        InvalidQuestionError: the text is not a position.
    """
    from position_oracle.engine.games.choice import some_moves

    return tuple(map(str, some_moves(_parsed(text), max(0, integer(most, "most")))))


def _parsed(text: PositionLike) -> "Position":
    from position_oracle.engine.games.notation import parse

    with _refusals("position"):
        return parse(position_text(text))


def _to_play(text: PositionLike) -> "Position":
    from position_oracle.engine.games.moves import winner

    position = _parsed(text)
    if winner(position) is not None:
        raise InvalidQuestionError(f"{position.brief}: the game is over", "position")
    return position


def _rules_of(position: "Position") -> "Rules":
    from position_oracle.engine.games.registry import rules_of

    return rules_of(position.game.family)


def _found(position: "Position", move: MoveLike) -> "Move[Position]":
    """Return the move that an action, a move or a text means."""
    from position_oracle.engine.games.moves import act, move_to
    from position_oracle.engine.games.notation import parse
    from position_oracle.engine.games.position import Move as HeldMove

    action = move if isinstance(move, Action) else None
    if not isinstance(move, str | Move | Action):
        raise TypeError(f"the move is a {type(move).__name__}; it is given as text, Move or Action")
    move = str(move)
    typed = " ".join(move.replace(",", " ").split()) if len(move) <= MAX_TYPED else ""
    if action is None and typed == PASS:
        action = Action(is_pass=True, words=PASS)
    if action is None and typed and not _is_position(move):
        action = _rules_of(position).read_action(position, typed)
    if action is not None:
        is_pass = action.is_pass and action.component is None
        return HeldMove(act(position, action), is_pass, action)
    try:
        child = parse(move)
    except errors.InvalidPositionError as error:
        raise errors.IllegalMoveError(f"{move[:60]!r} is not a move: {error}") from None
    except (errors.NotationError, errors.UnknownGameError):
        raise errors.IllegalMoveError(
            f"{move[:60]!r} is not a move from {position.brief}"
        ) from None
    return move_to(position, child)


def _is_position(text: str) -> bool:
    """Return whether a text is that of a position, so that no moves must be scanned."""
    from position_oracle.engine.games.notation import parse

    head, colon, _ = text.partition(":")
    if not colon or head.strip().isdecimal():  # `2: 3 1` is a move in the second component
        return False
    try:
        parse(text)
    except errors.PositionOracleError:
        return False
    return True


def _as_text(move: "Move[Position]") -> Move:
    return Move(str(move.child), move.is_pass, move.action)


def _state(position: "Position") -> State:
    from position_oracle.engine.games.board_rules import BoardRules
    from position_oracle.engine.games.sum import components_of

    rules = _rules_of(position)
    return State(
        text=str(position),
        game=position.game.text,
        family=position.game.name,
        coordinates=position.coordinates,
        passes=position.game.passes,
        rows=rules.rows_of(position) if isinstance(rules, BoardRules) else None,
        components=tuple(map(_state, components_of(position))),
    )


@contextmanager
def _refusals(field: str = "move") -> Iterator[None]:
    """Raise errors of the rules as errors of the clients."""
    try:
        yield
    except errors.IllegalMoveError as error:
        raise ClientIllegalMoveError(str(error), field) from None
    except TypeError as error:
        raise ClientTypeError(str(error)) from None
    except (errors.NotationError, errors.InvalidPositionError, errors.UnknownGameError) as error:
        raise InvalidQuestionError(str(error), field) from None
