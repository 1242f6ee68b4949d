"""Positions from callers: texts, or typed positions, which print as their text."""

from collections.abc import Iterable
from itertools import islice
from typing import Final, Protocol, TypeAlias, runtime_checkable

from position_oracle.schema.errors import ArrayTypeError, ResourceLimitError

MAX_MIXED_POSITIONS: Final = 10_000
"""Maximum number of positions of a list."""


@runtime_checkable
class TypedPosition(Protocol):
    """A position with its numbers: a `rules.State`, or the `Position` of an oracle.

    `str()` gives its canonical text.
    """

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The numbers of the position, for batches."""


PositionLike: TypeAlias = str | TypedPosition
"""A position in a form that questions accept."""


def position_text(position: PositionLike) -> str:
    """Return the text of a position.

    Raises:
        ArrayTypeError: the argument is neither text nor a typed position.
    """
    if isinstance(position, str):
        return position
    if isinstance(position, TypedPosition):
        return str(position)
    raise ArrayTypeError(
        f"position is a {type(position).__name__}; it is given as text (str) or as a rules.State"
    )


def positions_list(positions: Iterable[PositionLike]) -> tuple[PositionLike, ...]:
    """Return the positions of a list; a single text is refused.

    Raises:
        ArrayTypeError: the argument is not a list.
        ResourceLimitError: there are more than `MAX_MIXED_POSITIONS`, perhaps without an end.
    """
    if not isinstance(positions, Iterable) or isinstance(positions, str | bytes):
        kind = type(positions).__name__
        raise ArrayTypeError(f"positions are a {kind}; give a list of positions")
    listed = tuple(islice(positions, MAX_MIXED_POSITIONS + 1))
    if len(listed) > MAX_MIXED_POSITIONS:
        raise ResourceLimitError(f"a list has at most {MAX_MIXED_POSITIONS:,} positions")
    return listed


def argument_text(text: str, name: str) -> str:
    """Return the text of a game or a model.

    Raises:
        ArrayTypeError: the argument is not a text.
    """
    if isinstance(text, str):
        return text
    raise ArrayTypeError(f"{name} is a {type(text).__name__}; it is given as text (str)")
