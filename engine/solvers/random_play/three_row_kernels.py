"""The loops over three-row boards; this file has all compiled code of the tables.

Boards (a, b, c) with limit >= a >= b >= c >= 0, poison row first, are numbered by `rank`, in
lexicographic order. The children of a board lie on six lines, and each line begins at an end of the
range of its coordinate. So sums over lines grow by one term at a time, and no sum is a difference
of others:

    M6 (j, j, j), j < c    M2 (j, j, c), c <= j < b    M3 (j, b, c), b <= j < a
    M5 (a, j, j), j < c    M1 (a, j, c), c <= j < b    M4 (a, b, j), j < c

Each board thus costs a constant number of operations.
"""

from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.instructions import is_stopped

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ExponentArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]


@kernel
def rank(a: int, b: int, c: int) -> int:
    """Return the rank of a board: C(a + 2, 3) + C(b + 1, 2) + c."""
    return a * (a + 1) * (a + 2) // 6 + b * (b + 1) // 2 + c


@kernel
def fill_excess(limit: int, excess: FloatArray, flag: IntArray) -> None:
    """Write P - 1/2 of every board by rank.

    P is the win probability of the player to move, both players random. With q = P - 1/2,
    equation (2.2) of Devlin & Trifonova is q(B) = -mean q(D).
    """
    m6, m2 = np.zeros(limit + 2), np.zeros((limit + 2, limit + 1))
    m3 = np.zeros((limit + 1, limit + 1))
    number = 0
    for a in range(limit + 1):
        m5, m1 = np.zeros(limit + 2), np.zeros(limit + 1)
        for b in range(a + 1):
            if is_stopped(flag):
                return
            m4 = 0.0
            for c in range(b + 1):
                if number == 0:
                    value = 0.5
                else:
                    total = m6[c] + m2[b, c] + m3[b, c] + m5[c] + m1[c] + m4
                    value = -total / (a + b + c)
                excess[number] = value
                number += 1
                m4 += value
                m1[c] += value
                m3[b, c] += value
                if b == c:
                    m5[c + 1] = m5[c] + value
                if a == b:
                    m2[b + 1, c] = m2[b, c] + value
                    if b == c:
                        m6[c + 1] = m6[c] + value


@kernel
def fill_chances(
    limit: int,
    epsilon: float,
    mantissas: FloatArray,
    exponents: ExponentArray,
    is_p: BoolArray,
    flag: IntArray,
) -> None:
    """Write by rank, as mantissa * 2**exponent: at P-positions ℓ, at N-positions ρ.

    `three_row_chances` defines ℓ and ρ; the other probability of a position is 0. Exponents are
    stored separately, because ρ is as small as 1 / (2 · 4 · 6 ···), far below the least double.

    Any two boards on one of the six lines are a move apart, so a line has at most one P-position.
    Therefore a line stores the rank of that board (-1 for none) instead of a sum and a maximum of
    ℓ.
    """
    m6, m2 = np.full(limit + 2, -1), np.full((limit + 2, limit + 1), -1)
    m3 = np.full((limit + 1, limit + 1), -1)
    number = 0
    for a in range(limit + 1):
        m5, m1 = np.full(limit + 2, -1), np.full(limit + 1, -1)
        for b in range(a + 1):
            if is_stopped(flag):
                return
            m4 = -1
            for c in range(b + 1):
                found = (m6[c], m2[b, c], m3[b, c], m5[c], m1[c], m4)
                wins = _chance_of_opponent(
                    found, a + b + c, epsilon, mantissas, exponents, is_p, number
                )
                if not wins and number > 0:
                    _least_chance_after(a, b, c, mantissas, exponents, is_p)
                    m4 = m1[c] = m3[b, c] = number
                if b == c:
                    m5[c + 1] = number if is_p[number] else m5[c]
                if a == b:
                    m2[b + 1, c] = number if is_p[number] else m2[b, c]
                    if b == c:
                        m6[c + 1] = number if is_p[number] else m6[c]
                number += 1


@kernel
def _chance_of_opponent(
    found: tuple[int, ...],
    cookies: int,
    epsilon: float,
    mantissas: FloatArray,
    exponents: ExponentArray,
    is_p: BoolArray,
    number: int,
) -> bool:
    """Write ρ of a board if it is N, from its P-children; return whether it is N."""
    is_p[number] = False
    if cookies == 0:
        mantissas[number], exponents[number] = 0.5, 1
        return True
    top = -(2**31)
    for child in found:
        if child >= 0:
            top = max(top, exponents[child])
    if top == -(2**31):
        return False
    total, largest = 0.0, 0.0
    for child in found:
        if child >= 0:
            value = ldexp(mantissas[child], int(exponents[child] - top))
            total += value
            largest = max(largest, value)
    value = (epsilon * total + (1.0 - epsilon) * cookies * largest) / cookies
    mantissas[number], shift = frexp(value)
    exponents[number] = top + shift
    return True


@kernel
def _least_chance_after(
    a: int, b: int, c: int, mantissas: FloatArray, exponents: ExponentArray, is_p: BoolArray
) -> None:
    """Write ℓ of a P-position: the minimum of ρ over its children, all of which are N."""
    children = children_of(a, b, c)
    best = children[0]
    for child in children[1:]:
        if exponents[child] < exponents[best] or (
            exponents[child] == exponents[best] and mantissas[child] < mantissas[best]
        ):
            best = child
    number = rank(a, b, c)
    is_p[number] = True
    mantissas[number] = mantissas[best]
    exponents[number] = exponents[best]


@kernel
def children_of(a: int, b: int, c: int) -> IntArray:
    """Return the ranks of the children by cookie, row by row from the poison row."""
    children = np.empty(a + b + c, np.int64)
    for j in range(a):
        children[j] = rank(j, min(b, j), min(c, j))
    for j in range(b):
        children[a + j] = rank(a, j, min(c, j))
    for j in range(c):
        children[a + b + j] = rank(a, b, j)
    return children


@kernel
def ranks_of(rows: IntArray) -> IntArray:
    """Return the ranks (m,) of boards (m, 3)."""
    ranks = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        ranks[i] = rank(rows[i, 0], rows[i, 1], rows[i, 2])
    return ranks
