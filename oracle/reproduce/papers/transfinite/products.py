"""Products of the paper: of ordinals, and of positions with the pairing strategy."""

from collections.abc import Sequence
from itertools import pairwise

from position_oracle.engine.theory.transfinite.ordinal import ZERO, Ordinal, Term, ordinal_add
from position_oracle.engine.theory.transfinite.p_ordered import is_p_ordered_p, restoring_bite
from position_oracle.engine.theory.transfinite.position import Bite, OrdinalPosition
from position_oracle.schema.errors import InvalidPositionError


def ordinal_mul(left: Ordinal | int, right: Ordinal | int) -> Ordinal:
    """Return the ordinary product, `right` copies of left: 2 * w = w but w * 2 = w + w."""
    a, b = Ordinal.of(left), Ordinal.of(right)
    if not a.terms or not b.terms:
        return ZERO
    (exponent, coefficient), rest = a.terms[0], a.terms[1:]
    out: list[Term] = []
    for e, c in b.terms:
        if e.terms:
            out.append((ordinal_add(exponent, e), c))
        else:
            out += [(exponent, coefficient * c), *rest]
    return Ordinal(tuple(out))


def product_of(x: OrdinalPosition, *factors: OrdinalPosition) -> OrdinalPosition:
    """Return X x P_1 x ... x P_k, with concatenated axes."""
    for factor in factors:
        boxes = (a + b for a in x.boxes for b in factor.boxes)
        x = OrdinalPosition(tuple(sorted(boxes)))
    return x


def pairing_reply(factors: Sequence[OrdinalPosition], bite: Bite) -> Bite:
    """Return the reply to a bite into the full product of P-ordered P-positions.

    The reply restores the section of the last factor whose coordinate in the bite is not the
    origin.

    Raises:
        InvalidPositionError: a factor is not a P-ordered P-position, the bite is not a cookie of
            the product, or it is the poison, after which there is no reply.
    """
    for factor in factors:
        if not is_p_ordered_p(factor):
            raise InvalidPositionError(f"{factor} is not a P-ordered P-position")
    ends = [0]
    for factor in factors:
        ends.append(ends[-1] + factor.dimension)
    parts = [bite[a:b] for a, b in pairwise(ends)]
    if len(bite) != ends[-1] or any(p not in f for p, f in zip(parts, factors, strict=True)):
        raise InvalidPositionError(f"no cookie at ({', '.join(map(str, bite))})")
    for index in reversed(range(len(factors))):
        if any(parts[index]):
            answer = restoring_bite(factors[index].bite(parts[index]))
            if answer is None:
                break
            return (*bite[: ends[index]], *answer, *bite[ends[index + 1] :])
    raise InvalidPositionError("the poison cookie is eaten: there is no answer")
