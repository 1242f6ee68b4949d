"""The decision of a theorem on a position: outcome, rule, winning bite, Grundy value, size."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from position_oracle.engine.theory.transfinite.ordinal import ONE, Ordinal, left_sub
from position_oracle.engine.theory.transfinite.position import Bite
from position_oracle.schema.answers import Outcome


class Rule(StrEnum):
    """The theorem a verdict rests on, by its name in Huddleston & Shurman, Transfinite Chomp."""

    EMPTY = "the empty position"
    COLUMN = "a column of single cookies (section 3)"
    STALKS = "orthogonal parts are a Nim sum (section 4)"
    P_ORDERED = "P-ordered positions (section 7)"
    EQUAL_ARMS = "bite to equal arms (section 7)"
    PRODUCT = "product with P-ordered P-positions (Theorem 7.1)"
    TWO_WIDE = "two-wide Grundy values (9-1)-(9-6)"
    SIDE_TOP = "Side-Top Theorem 8.1"
    THREE_WIDE = "three-wide criterion (10-1)"
    TALL_BOX = "the tall box 3 x w^w (section 10)"
    BEANSTALK = "Beanstalk Lemma 6.1"
    SIZE_LEMMA = "Size Lemma (Corollary 5.2)"
    FINITE = "finite computation (Theorem 5.1)"
    STEALING = "strategy stealing"
    PA1 = "PA1, finite type A"
    PA2 = "PA2, front-top type A"
    PB1 = "PB1, type B"
    PC1 = "PC1, type C"
    PC2 = "PC2, type C with u and v at one level"
    PC4 = "PC1 and PC4, type C with a top outside the family"
    PD1 = "PD1, type D"
    PE1 = "PE1, type E"
    PF1 = "PF1, type F"
    NONE = "no theorem applies"


@dataclass(frozen=True, slots=True)
class Decision:
    """Outcome of a position and how it is known.

    `grundy` is the unrestricted Grundy value (P exactly at 1; 0 only for the empty position), None
    if unknown. `bite` is a winning bite of an N-position; if none is known, or if the outcome is
    unknown, `reason` says why. `size` is filled in by `decide`.
    """

    outcome: Outcome
    rule: Rule
    grundy: Ordinal | None = None
    bite: Bite | None = None
    reason: str = ""
    size: Ordinal | None = None

    @classmethod
    def p(cls, rule: Rule) -> Decision:
        """Make a P verdict, with Grundy value 1."""
        return cls(Outcome.P, rule, grundy=ONE)

    @classmethod
    def n(cls, rule: Rule, *bite: Ordinal | int, grundy: Ordinal | None = None) -> Decision:
        """Make an N verdict with its winning bite."""
        return cls(Outcome.N, rule, grundy, tuple(Ordinal.of(x) for x in bite))

    @classmethod
    def n_without_bite(cls, rule: Rule, reason: str, grundy: Ordinal | None = None) -> Decision:
        """Make an N verdict whose winning bite is not known."""
        return cls(Outcome.N, rule, grundy, None, reason)

    @classmethod
    def unknown(cls, reason: str, rule: Rule = Rule.NONE) -> Decision:
        """Make an unknown verdict, with the condition that would decide it."""
        return cls(Outcome.UNKNOWN, rule, reason=reason)

    @property
    def restricted_grundy(self) -> Ordinal | None:
        """The Grundy value if the poison cannot be eaten: one less if finite (section 4)."""
        return left_sub(ONE, self.grundy) if self.grundy else None
