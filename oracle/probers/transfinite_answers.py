"""What an answer about transfinite Chomp says besides: size, rule, bite and values as ordinals."""

from dataclasses import dataclass

from oracle.answers import Answer


@dataclass(frozen=True, slots=True)
class TransfiniteAnswer(Answer):
    """An answer about one position of transfinite Chomp; ordinals are texts.

    `winning_moves` holds the winning moves that are known, which need not be all: one for an
    N-position decided by a theorem. It is empty for a P-position and the empty position, and None
    where no winning move is known (then `reason` says why) or where they were not asked for.

    Attributes:
        size: how many cookies there are, by natural sums and products (Huddleston & Shurman,
            section 2); None where that takes too long to add up.
        rule: the theorem by its name in the paper; None where none applies.
        bite: coordinates of the cookie whose bite wins; None where there is or is known none.
        ordinal_grundy: Grundy value with the poison not to be eaten; None where not known.
        ordinal_grundy_unrestricted: the value of the paper, with every bite allowed: one more where
            it is finite, equal from w on.
    """

    size: str | None = None
    rule: str | None = None
    bite: tuple[str, ...] | None = None
    ordinal_grundy: str | None = None
    ordinal_grundy_unrestricted: str | None = None

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs, those of every answer and some more."""
        return {
            **super(TransfiniteAnswer, self).as_json(),
            "grundy": self.ordinal_grundy,
            "grundy_unrestricted": self.ordinal_grundy_unrestricted,
            "size": self.size,
            "rule": self.rule,
            "bite": None if self.bite is None else list(self.bite),
        }
