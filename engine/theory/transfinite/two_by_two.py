"""Positions [v z; u y] with a base within 2 x 2: types A to F, and the verdict of each.

Huddleston & Shurman, Transfinite Chomp, section 11. u stands over (0,0), v over (0,1), y over (1,0)
and z over (1,1); bites are (x, y, height). Types are taken after exchanging v and y if v < y.
"""

from collections.abc import Iterator
from dataclasses import replace

from position_oracle.engine.theory.transfinite import type_c, type_d, type_e
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import OMEGA_3, OMEGA_OMEGA, ONE, Ordinal
from position_oracle.engine.theory.transfinite.side_top import bite_top, top_value
from position_oracle.engine.theory.transfinite.type_d import BlockBite, Columns, after
from position_oracle.schema.answers import Outcome


def type_of(v: Ordinal, y: Ordinal, z: Ordinal) -> str:
    """Return the type, "A" to "F", of a position with v >= y (section 11)."""
    if z.is_finite:
        return "A" if z == y else "B"
    if z >= OMEGA_3:
        return "F"
    if y >= OMEGA_OMEGA:
        return "E"
    return "C" if z.above(ONE) == v.above(ONE) else "D"


def verdict(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> Decision:
    """Return the verdict on [v z; u y], u > 0, u >= v >= z and u >= y >= z."""
    if v >= y:
        return _by_type(u, v, y, z)
    found = _by_type(u, y, v, z)
    if found.bite is None:
        return found
    i, j, height = found.bite
    return replace(found, bite=(j, i, height))


def _by_type(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> Decision:
    match type_of(v, y, z):
        case "A":
            return _type_a(u, v, z)
        case "B":
            return _type_b(u, z)
        case "C":
            return type_c.verdict(u, v, y, z)
        case "D":
            return type_d.verdict(u, v, y, z, _is_p)
        case "E":
            return type_e.verdict(u, v, y, z)
        case _:
            return Decision.p(Rule.PF1) if u == OMEGA_3 else Decision.n(Rule.PF1, 0, 0, OMEGA_3)


def _is_p(columns: Columns) -> bool:
    u, v, y, z = columns
    if v < y:
        v, y = y, v
    if type_of(v, y, z) == "D":
        return type_d.is_p(u, v, y, z)
    return bool(u) and _by_type(u, v, y, z).outcome is Outcome.P


def _type_a(u: Ordinal, v: Ordinal, z: Ordinal) -> Decision:
    """PA1 and PA2: [v z; u z] with z finite."""
    if not v.is_finite:
        # Front-Top Theorem 11.1, for a brick 1 x 2 x w with the front (z, z), whose restricted
        # value is z.
        found = bite_top(u, v, int(z), Rule.PA2, lambda column: (0, column))
        return found or Decision.n(Rule.PA2, 1, 0, top_value(u, v))
    balance = v + z + 1
    if u == balance:
        return Decision.p(Rule.PA1)
    if u > balance:
        return Decision.n(Rule.PA1, 0, 0, balance)
    columns = (u, v, z, z)
    for bite in _finite_bites(int(u), int(v), int(z)):
        left = after(columns, bite)
        if left is not None and _is_p(left):
            return Decision.n(Rule.PA1, *bite)
    raise AssertionError(columns)  # the bites listed answer every finite type A position


def _finite_bites(u: int, v: int, z: int) -> Iterator[BlockBite]:
    """Replies when u <= v + z: lower the front, turn v into the front, or leave type B."""
    if u > v:
        yield 1, 0, Ordinal.of(u - v - 1)
    if u > z:
        yield 0, 1, Ordinal.of(u - z - 1)
    if z:
        yield 1, 1, Ordinal.of(z - 1)


def _type_b(u: Ordinal, z: Ordinal) -> Decision:
    """PB1: [z+1 z; z+1 z+1] for finite z, which every other type B position contains."""
    balance = z + 1
    return Decision.p(Rule.PB1) if u == balance else Decision.n(Rule.PB1, 0, 0, balance)
