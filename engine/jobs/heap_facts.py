"""Proved or published facts about games with three heaps, for checks of stored tables."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from position_oracle.engine.games.heaps import HeapRules, is_symmetric
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.jobs.heap_table import StoredHeaps, Z
from position_oracle.engine.jobs.report import Check, check, check_equal
from position_oracle.engine.theory import nim, wythoff

ONE_PASS_COUNTS: Final = {3: 3, 4: 4, 7: 10, 8: 13, 15: 37}
"""Nim with one pass: numbers of P-positions with heaps 1 <= x <= y <= z <= n, by n (from game
trees)."""


def fact_checks(table: StoredHeaps) -> Iterator[Check]:
    """Yield checks of the facts that a table of this game and size contains."""
    game, z = table.game, table.z
    if is_symmetric(game):
        side = min(z.shape)
        square = z[:side, :side]
        yield _equal("heaps may be permuted", square, square.T)
    rules = rules_of(game.family)
    if isinstance(rules, HeapRules) and rules.has_nim_sums(game):
        expected = nim.third_heap_table(z.shape[0], z.shape[1], misere=game.misere)
        yield _equal("the P-positions are those of Bouton's theorem", z, expected)
    if game.rule in {"pairs", "both"}:
        partners = np.array([[wythoff.partner(y) for y in range(z.shape[1])]])
        yield _equal("with an empty heap the game is Wythoff's with two heaps", z[:1], partners)
    if game.family == "nim" and game.passes and game.is_plain:
        yield from _one_pass(z)


def _one_pass(z: Z) -> Iterator[Check]:
    """Check Theorem 5 and the bound of docs/nim-passes.md, and counts."""
    y = np.arange(z.shape[1])
    two_heaps = np.where(y == 0, 0, ((y - 1) ^ 1) + 1)
    yield _equal("two heaps with one pass: [0, 0] and [2m - 1, 2m]", z[:1], two_heaps[np.newaxis])
    if z.shape[0] > 1:
        heap_of_one = np.where(y % 2 == 0, np.where(y <= 2, 2 - y, y), y)
        name = "a heap of 1 with one pass: [1, 0, 2] and [1, n, n] but for n = 2"
        yield _equal(name, z[1:2], heap_of_one[np.newaxis])
    bound = np.arange(z.shape[0])[:, np.newaxis] + y + 1
    above = (f"not at {place.tolist()}" for place in np.argwhere(z > bound))
    yield check("z <= x + y + 1 with one pass", z.size, above)
    counts = {n: number for n, number in ONE_PASS_COUNTS.items() if n < min(z.shape)}
    found = {n: _count(z, n) for n in counts}
    name = "numbers of P-positions of three heaps 1 to n"
    yield check_equal(name, len(counts), found, counts)


def _count(z: Z, n: int) -> int:
    x, y = np.triu_indices(n)
    third = z[x + 1, y + 1]
    return int(np.count_nonzero((third >= y + 1) & (third <= n)))


def _equal(name: str, found: Z, expected: Z) -> Check:
    failures = (
        f"at {[x, y]} the third heap is {found[x, y]} instead of {expected[x, y]}"
        for x, y in np.argwhere(found != expected).tolist()
    )
    return check(name, found.size, failures)
