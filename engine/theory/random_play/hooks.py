"""Hooks (one row and one column) with both players moving at random, in closed form.

A hook has the poison, p cookies to its right and q above it, n = p + q + 1 in all. With s = 1/2 - P
for the win probability P of the player to move,

    s(p, q) = p q / (n (n - 1)(n - 2))    for p, q >= 1.

Proof, by induction on n. Eating the poison leaves the empty board with s = -1/2, and s(p, 0) = 0
for p >= 1 (Devlin & Trifonova, Theorem 1.3), so their equation (2.2) reads

    n s(p, q) = 1/2 - Σ_(i < p) s(i, q) - Σ_(j < q) s(p, j).

With t = p + q the first sum is p(p - 1) / (2t(t - 1)): it is 0 at p = 1, and grows by
p q / ((t + 1) t (t - 1)) = s(p, q) from p to p + 1. The second is q(q - 1) / (2t(t - 1)) likewise,
and p(p - 1) + q(q - 1) = t(t - 1) - 2pq leaves n s(p, q) = p q / (t (t - 1)).

Among hooks of n cookies, s is greatest if the arms are as equal as possible, and least if one arm
has one cookie. `docs/random-play.md` says for which n these are the extremes among all boards.
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
