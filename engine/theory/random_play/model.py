"""Models of chance: the perfect player, and the moves of the other player.

A model says how each player chooses moves; the probability is always that of the player to move at
the first position. The texts of models are

    random                     both move at random, each legal move equally likely
    perfect-vs-random          the mover plays for the greatest chance, the other at random
    random-vs-perfect          the mover plays at random, the other for the greatest chance
    perfect-vs-sloppy(0.1)     the other errs in one turn out of ten, see `Model.epsilon`
    sloppy(0.1)-vs-perfect     the mover errs in one turn out of ten

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, for both at
random; `docs/random-play.md` defines the others.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Self

from position_oracle.schema.errors import NotationError

MAX_DENOMINATOR: Final = 10**6
"""Largest denominator of an epsilon in lowest terms."""

FORMS: Final = (
    "random",
    "perfect-vs-random",
    "random-vs-perfect",
    "perfect-vs-sloppy(0.1)",
    "sloppy(0.1)-vs-perfect",
)
"""One text of each form, for messages and documentation."""


class Perfect(StrEnum):
    """The perfect player, who plays for the greatest probability of winning."""

    NOBODY = "nobody"
    MOVER = "mover"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Model:
    """A model of how both players choose their moves.

    Attributes:
        perfect: the player who plays for the greatest chance; the mover is the player to move at
            the first position.
        epsilon: probability that the other player errs in a turn, that is, makes a random legal
            move. Otherwise that player makes the move that leaves the perfect player the least
            chance. 1 is the random player, and the value if nobody is perfect.
    """

    perfect: Perfect = Perfect.NOBODY
    epsilon: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        """Refuse an invalid model.

        Raises:
            NotationError: epsilon is not above 0 and at most 1, has too large a denominator, or is
                not 1 although nobody is perfect.
        """
        if not 0 < self.epsilon <= 1:
            raise NotationError(
                f"sloppy({_epsilon_text(self.epsilon)}): the probability of an error is above 0"
                " and at most 1; between two perfect players the outcome decides"
            )
        if self.epsilon.denominator > MAX_DENOMINATOR:
            raise NotationError(
                f"sloppy({self.epsilon}): in lowest terms the denominator is at most"
                f" {MAX_DENOMINATOR}, six decimals"
            )
        if self.perfect is Perfect.NOBODY and self.epsilon != 1:
            raise NotationError("where nobody is perfect both players move at random: epsilon is 1")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a model; epsilon is a decimal number or a fraction such as 1/3.

        Raises:
            NotationError: the text is not a model.
        """
        match = _MODEL.fullmatch(text.strip()) if len(text) <= _MAX_TEXT else None
        if match is None:
            raise NotationError(
                f"{text[:40]!r} is not a model; models are {', '.join(FORMS[:-1])} and {FORMS[-1]}"
            )
        if match["other"]:
            return cls(Perfect.MOVER, _read_epsilon(match["other"]))
        if match["mover"]:
            return cls(Perfect.OTHER, _read_epsilon(match["mover"]))
        return cls()

    @property
    def text(self) -> str:
        """The canonical text; `parse` reads it back."""
        if self.perfect is Perfect.NOBODY:
            return "random"
        other = "random" if self.epsilon == 1 else f"sloppy({_epsilon_text(self.epsilon)})"
        return f"perfect-vs-{other}" if self.perfect is Perfect.MOVER else f"{other}-vs-perfect"

    @property
    def mover_chooses(self) -> bool:
        """Whether the player to move plays for the greatest chance, and so has best moves."""
        return self.perfect is Perfect.MOVER


_MAX_TEXT: Final = 64
_FALLIBLE: Final = r"random|sloppy\([0-9./ ]+\)"
_MODEL: Final = re.compile(
    rf"random|perfect-vs-(?P<other>{_FALLIBLE})|(?P<mover>{_FALLIBLE})-vs-perfect"
)
_NUMBER: Final = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20}|\s*/\s*[0-9]{1,20})?")


def _read_epsilon(fallible: str) -> Fraction:
    if fallible == "random":
        return Fraction(1)
    number = fallible.removeprefix("sloppy(").removesuffix(")").strip()
    if not _NUMBER.fullmatch(number):
        raise NotationError(f"{fallible}: write the probability of an error as 0.1 or 1/10")
    try:
        return Fraction(number.replace(" ", ""))
    except ZeroDivisionError:
        raise NotationError(f"{fallible}: the denominator is 0") from None


def _epsilon_text(epsilon: Fraction) -> str:
    """Format a decimal number if six decimals suffice, else a fraction."""
    millionths, rest = divmod(epsilon.numerator * 10**6, epsilon.denominator)
    if rest:
        return str(epsilon)
    whole, decimals = divmod(millionths, 10**6)
    return f"{whole}.{decimals:06}".rstrip("0").rstrip(".")
