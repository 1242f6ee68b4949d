"""Positions and games in the typed forms of the contract, and as text.

Messages that are part of a response are filled in place, which saves copying them on the path of
every call.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from position_oracle.schema.answers import NamedGame
from position_oracle.schema.proto.position_oracle.v1 import game_pb2


class Noise(Protocol):
    """A random perturbation, whose text names its distribution."""

    @property
    def seed(self) -> int:
        """The seed."""


class GameLike(NamedGame, Protocol):
    """A game as the engine specifies it."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str:
        """Name of the family in the contract."""

    @property
    def heaps(self) -> int | None:
        """Number of heaps."""

    @property
    def passes(self) -> int:
        """Passes left."""

    @property
    def misere(self) -> bool:
        """Whether the last move loses."""

    @property
    def declared(self) -> tuple[tuple[int, ...], ...]:
        """Positions declared N."""

    @property
    def noise(self) -> Noise | None:
        """Positions declared N at random."""

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The family's own options: names and values."""


class PositionLike(Protocol):
    """A position as the engine holds it; `str()` gives its canonical text."""

    @property
    def game(self) -> GameLike:
        """The game, with the passes left."""

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The numbers of the typed form."""

    @property
    def typed_form(self) -> str:
        """Name of a form of `TYPED_FORMS`, or `text` for a family without one."""


@dataclass(frozen=True, slots=True)
class TypedForm:
    """A message type for positions of some families, besides their text.

    Attributes:
        family: the family of a position without a game; None if the message must have a game.
        read: returns the numbers of a message.
        fill: writes numbers into a message.
        path: returns the end of the path to a number, by its index.
    """

    family: str | None
    read: Callable[[game_pb2.Position], tuple[int, ...]]
    fill: Callable[[game_pb2.Position, tuple[int, ...]], None]
    path: Callable[[int], str]


def _fill_three_row(message: game_pb2.Position, coordinates: tuple[int, ...]) -> None:
    board = message.three_row_chomp
    board.SetInParent()
    board.x, board.y, board.z = coordinates


def _fill_heaps(message: game_pb2.Position, coordinates: tuple[int, ...]) -> None:
    message.heaps.SetInParent()
    message.heaps.sizes.extend(coordinates)


def _fill_board(message: game_pb2.Position, coordinates: tuple[int, ...]) -> None:
    message.chomp_board.SetInParent()
    message.chomp_board.rows.extend(coordinates)


def _three_row(message: game_pb2.Position) -> tuple[int, ...]:
    board = message.three_row_chomp
    return board.x, board.y, board.z


TYPED_FORMS: Final[Mapping[str, TypedForm]] = {
    "three_row_chomp": TypedForm("chomp3", _three_row, _fill_three_row, lambda i: f".{'xyz'[i]}"),
    "heaps": TypedForm(
        None, lambda message: tuple(message.heaps.sizes), _fill_heaps, lambda i: f".sizes[{i}]"
    ),
    "chomp_board": TypedForm(
        "chomp",
        lambda message: tuple(message.chomp_board.rows),
        _fill_board,
        lambda i: f".rows[{i}]",
    ),
}
"""The typed forms of the contract; a family names its form in its rules (`Rules.typed_form`)."""


def fill_position(message: game_pb2.Position, position: PositionLike) -> None:
    """Write a position: its text, its game, and its typed form, if there is one."""
    message.text = str(position)
    message.game.CopyFrom(write_game(position.game))
    form = TYPED_FORMS.get(position.typed_form)
    if form is not None:
        form.fill(message, position.coordinates)


@lru_cache(maxsize=256)
def write_game(game: GameLike) -> game_pb2.Game:
    """Return a message of a game, as text and typed. The message is shared, so do not change it."""
    spec = game_pb2.GameSpec(
        family=game.name,
        heaps=game.heaps,
        passes=game.passes,
        misere=game.misere,
        declared=[game_pb2.Coordinates(values=position) for position in game.declared],
        options=dict(game.options),
    )
    if game.noise is not None:
        spec.noise.distribution = str(game.noise)
        spec.noise.seed = game.noise.seed
    return game_pb2.Game(text=game.text, spec=spec)
