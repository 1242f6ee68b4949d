"""What is known of a position besides its outcome, and where that is looked up."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games.position import Position
from engine.games.spec import GameSpec
from engine.solvers.value_layouts import Layout
from oracle.answers import Certainty, PositionValues
from schema.provenance import BuildRecord

Value = Callable[[Position], int | None]
"""Looks up one number; None where it is not known or there is none."""

CHOMP: Final = frozenset({"chomp3", "chomp", "divisors"})


@dataclass(frozen=True, slots=True)
class ValueTable:
    """Looks up the numbers of a position and of all that one move leads to.

    Attributes:
        grundy: looks up Grundy values; None where they are not known.
        remoteness: looks up remoteness; None where it is not known.
        certainty: how the Grundy values are known.
        reason: what they rest on.
    """

    grundy: Value | None = None
    remoteness: Value | None = None
    certainty: Certainty = Certainty.UNKNOWN
    reason: str = ""

    def at(self, position: Position) -> PositionValues:
        """The numbers of a position."""
        if position.game.family in CHOMP and not any(position.coordinates):
            return PositionValues(grundy_unrestricted=0)
        grundy = None if self.grundy is None else self.grundy(position)
        one_more = None
        if grundy is not None and position.game.family in CHOMP:
            one_more = grundy + 1
        plies = None if self.remoteness is None else self.remoteness(position)
        return PositionValues(grundy, one_more, plies)


NOTHING: Final = ValueTable()


@dataclass(frozen=True, slots=True)
class StoredValues:
    """A stored table of values.

    Attributes:
        kind: `grundy` or `remoteness`.
        layout: the positions in it and their order.
        values: int32 (layout.count,).
        build: provenance.
    """

    kind: str
    layout: Layout
    values: npt.NDArray[np.int32]
    build: BuildRecord

    @property
    def game(self) -> GameSpec:
        """The game."""
        return self.layout.game

    @property
    def reason(self) -> str:
        """What its values rest on."""
        return f"table of {self.kind} of {self.game.text}, {self.layout.range}"
