"""Certificates of verdicts, and brute force on finite positions.

A verdict N is certified by its bite, which must leave a P-position. A verdict P is certified by
many kinds of bites, none of which may leave a P-position. Finite positions are solved from the
definition alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from random import Random

from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.decision import Decision
from position_oracle.engine.theory.transfinite.ordinal import Ordinal, natural
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.position_text import parse_position
from position_oracle.schema.answers import Outcome

MOST_BITES = 60
"""Maximum number of bites tried at each P-position."""


def verdict(text: str) -> Decision:
    """Return the verdict on a position given as text."""
    return decide(parse_position(text))


def outcome(text: str) -> str:
    """Return P, N or unknown."""
    return str(verdict(text).outcome)


def outcomes(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the outcomes of several positions."""
    return tuple(outcome(text) for text in texts)


@dataclass(slots=True)
class Certificate:
    """The result of checking many verdicts.

    Attributes:
        positions: the number of decided positions.
        bites: the number of bites tried.
        wrong: the positions whose verdict a bite contradicts, as texts.
        unknown: positions that no theorem decides.
    """

    positions: int = 0
    bites: int = 0
    unknown: int = 0
    wrong: list[str] | None = None

    def add(self, position: OrdinalPosition, found: Decision) -> None:
        """Check one verdict."""
        if found.outcome is Outcome.UNKNOWN:
            self.unknown += 1
            return
        self.positions += 1
        if found.outcome is Outcome.N:
            if found.bite is not None and not position.is_empty:
                self.bites += 1
                if decide(position.bite(found.bite)).outcome is not Outcome.P:
                    self._contradicted(position)
            return
        for at in islice(_bites(position), MOST_BITES):
            self.bites += 1
            if decide(position.bite(at)).outcome is Outcome.P:
                self._contradicted(position)

    def _contradicted(self, position: OrdinalPosition) -> None:
        self.wrong = [*(self.wrong or []), str(position)]

    @property
    def contradictions(self) -> int:
        """Number of wrong verdicts."""
        return len(self.wrong or [])


def certify(positions: Iterable[OrdinalPosition]) -> Certificate:
    """Decide positions and check every verdict."""
    certificate = Certificate()
    for position in positions:
        certificate.add(position, decide(position))
    return certificate


def _bites(position: OrdinalPosition) -> Iterator[tuple[Ordinal, ...]]:
    """Yield bites at corners of the position: sides cut in all ways, and small numbers."""
    axes = []
    for axis in range(position.dimension):
        cut = {natural(0), natural(1), natural(2)}
        for box in position.boxes:
            terms = box[axis].terms
            for length, (exponent, coefficient) in enumerate(terms):
                cut.add(Ordinal(terms[:length]))
                if coefficient > 1:
                    cut.add(Ordinal((*terms[:length], (exponent, coefficient - 1))))
                if exponent.terms:
                    cut.add(Ordinal(terms[:length]) + 1)
        axes.append(sorted(cut, reverse=True))
    points = [p for p in product(*axes) if p in position and any(x.terms for x in p)]
    Random(len(points)).shuffle(points)
    yield from points


def random_ordinal(random: Random, exponents: list[Ordinal], coefficient: int) -> Ordinal:
    """Return an ordinal with some of these exponents and small coefficients."""
    chosen = sorted((e for e in exponents if random.random() < 0.5), reverse=True)
    return Ordinal(tuple((e, random.randint(1, coefficient)) for e in chosen))


@cache
def finite_grundy(columns: tuple[int, ...]) -> int:
    """Return the unrestricted Grundy value of finite columns, by the mex of all bites."""
    columns = tuple(height for height in columns if height)
    if not columns:
        return 0
    reached = {
        finite_grundy((*columns[:place], *(min(height, h) for height in columns[place:])))
        for place in range(len(columns))
        for h in range(columns[place])
    }
    return next(value for value in range(len(reached) + 1) if value not in reached)
