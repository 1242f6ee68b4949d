"""Hooks (one row and one column) with both players moving at random, in closed form.

A hook has the poison, p cookies to its right and q above it, n = p + q + 1 in all. With s = 1/2 - P
for the win probability P of the player to move,

    s(p, q) = p q / (n (n - 1)(n - 2))    for p, q >= 1.

Proof: docs/random-play.md, by induction on n from equation (2.2) of Devlin & Trifonova.
"""

from fractions import Fraction


def hook_of(rows: tuple[int, ...]) -> tuple[int, int] | None:
    """Return the arms (p, q) of a board that is a hook with p, q >= 1; else None.

    Args:
        rows: row lengths without empty rows, poison row first.
    """
    if len(rows) >= 2 and rows[0] >= 2 and rows[1] == 1:
        return rows[0] - 1, len(rows) - 1
    return None


def hook_win_probability(p: int, q: int) -> Fraction:
    """Probability that the player to move wins from a hook.

    Args:
        p: cookies beside the poison, at least 1, of any size.
        q: cookies above the poison, at least 1, of any size.
    """
    n = p + q + 1
    return Fraction(1, 2) - Fraction(p * q, n * (n - 1) * (n - 2))
