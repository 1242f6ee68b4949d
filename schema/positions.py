"""Positions as callers give them: text, or a typed position that prints as its text."""

from collections.abc import Iterable
from typing import Protocol, TypeAlias, runtime_checkable

from position_oracle.schema.errors import ArrayTypeError


@runtime_checkable
class TypedPosition(Protocol):
    """A position with its numbers: a `rules.State`, or the `Position` of an oracle.

    `str()` gives its canonical text.
    """

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The numbers of the position, as batches take them."""


PositionLike: TypeAlias = str | TypedPosition
"""A position as questions take it."""


def position_text(position: PositionLike) -> str:
    """The text of a position.

    Raises:
        ArrayTypeError: it is neither text nor a typed position.
    """
    if isinstance(position, str):
        return position
    if isinstance(position, TypedPosition):
        return str(position)
    raise ArrayTypeError(
        f"position is a {type(position).__name__}; it is given as text (str) or as a rules.State"
    )


def positions_list(positions: Iterable[PositionLike]) -> tuple[PositionLike, ...]:
    """Positions of a list, which is not the text of one.

    Raises:
        ArrayTypeError: they are no list.
    """
    if isinstance(positions, Iterable) and not isinstance(positions, str | bytes):
        return tuple(positions)
    raise ArrayTypeError(f"positions are a {type(positions).__name__}; give a list of positions")


def argument_text(text: str, name: str) -> str:
    """The text of a game or a model.

    Raises:
        ArrayTypeError: it is no text.
    """
    if isinstance(text, str):
        return text
    raise ArrayTypeError(f"{name} is a {type(text).__name__}; it is given as text (str)")
