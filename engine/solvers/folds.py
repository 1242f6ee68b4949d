"""What a graph of positions answers: a fold over it for each question.

A fold computes one number for every position from those of its children, in the order of their
numbers. The loops at the end of this module run as plain Python on small graphs, and compiled on
large ones; the size of the graph decides.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.graph import Graph

MAX_PLAIN: Final = 40_000
"""Most moves of a graph that is folded as plain Python: 0.02 s for each question."""

MAX_EXACT: Final = 100_000
"""Most moves of a graph whose chances are computed as fractions."""

MAX_BITS: Final = 13_000
"""Longest denominator of an exact chance: about 4,000 digits."""

_STEP: Final = 200_000
"""Moves between two looks at the budget in compiled code: some milliseconds."""

_PLAIN_STEP: Final = 20_000

Bools = NDArray[np.bool_]
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def wins(graph: Graph[Any]) -> Bools:
    """Whether the player to move wins at each position; bool (n,)."""
    out = np.zeros(graph.positions, np.bool_)
    _fold(_wins, graph, (out,), graph.gives_up, graph.won)
    return out


def grundy(graph: Graph[Any]) -> Ints:
    """Grundy values in normal play, without moves that lose by rule; int32 (n,)."""
    seen = np.full(graph.degree + 2, -1, np.int64)
    out = np.zeros(graph.positions, np.int32)
    _fold(_grundy, graph, (out,), graph.gives_up, seen)
    return out


def remoteness(graph: Graph[Any], winning: Bools) -> Ints:
    """Plies to the end if the winner hurries and the loser delays; int32 (n,).

    Args:
        graph: the graph.
        winning: what `wins` gives.
    """
    out = np.zeros(graph.positions, np.int32)
    _fold(_remoteness, graph, (out,), graph.gives_up, winning)
    return out


def random_chance(graph: Graph[Any]) -> Floats:
    """The chance that the player to move wins if both move at random; float64 (n,)."""
    out = np.zeros(graph.positions, np.float64)
    _fold(_random_chance, graph, (out,), graph.won)
    return out


def perfect_chances(graph: Graph[Any], epsilon: float) -> tuple[Floats, Floats]:
    """The chances of a perfect player against one who errs; float64 (n,) twice.

    Args:
        graph: the graph.
        epsilon: probability that the other errs, in each turn; he then moves at random.

    Returns:
        The chance that the perfect player loses where he is to move, and that the other wins where
        the other is.
    """
    loss, risk = np.zeros(graph.positions), np.zeros(graph.positions)
    _fold(_perfect_chances, graph, (loss, risk), graph.won, epsilon)
    return loss, risk


def expected_turns(graph: Graph[Any]) -> Floats:
    """The mean number of turns to the end if both move at random; float64 (n,)."""
    out = np.zeros(graph.positions, np.float64)
    _fold(_expected_turns, graph, (out,))
    return out


def longest(graph: Graph[Any]) -> Ints:
    """The most turns to the end; int32 (n,)."""
    out = np.zeros(graph.positions, np.int32)
    _fold(_longest, graph, (out,))
    return out


def error_bound(graph: Graph[Any]) -> float:
    """Bound on the rounding error of every chance in double precision.

    A mean of m numbers errs by at most (m + 2) 2^-53 more than they do, as all are at most 1.
    """
    return float(longest(graph)[-1]) * (graph.degree + 4) * 2.0**-53


def turn_distribution(graph: Graph[Any]) -> Floats:
    """The chance of each number of turns if both move at random; float64 (most turns + 1,)."""
    turns = int(longest(graph)[-1])
    reached = np.zeros((graph.positions, turns + 1))
    reached[-1, 0] = 1.0
    ended = np.zeros(turns + 1)
    budget = current()
    for number in range(graph.positions - 1, -1, -1):
        if number % 64 == 0:
            budget.check()
        children = graph.children(number)
        if not children:
            ended += reached[number]
            continue
        share = reached[number, :-1] / len(children)
        for child in children:
            reached[child, 1:] += share
    return ended


Exact = tuple[int, int]
"""A fraction: numerator and denominator, in lowest terms."""


def exact_random_chance(graph: Graph[Any]) -> list[Fraction] | None:
    """`random_chance` of every position as a fraction; None where fractions grow too long."""
    found: list[Exact] = []
    for children, won in _exactly(graph):
        if not children:
            found.append((int(won), 1))
            continue
        total, unit = _sum([found[child] for child in children])
        found.append(_reduced(len(children) * unit - total, len(children) * unit))
        if found[-1][1].bit_length() > MAX_BITS:
            return None
    return [Fraction(*each) for each in found]


def exact_perfect_chances(
    graph: Graph[Any], epsilon: Fraction
) -> tuple[list[Fraction], list[Fraction]] | None:
    """`perfect_chances` as fractions; None where they grow too long."""
    loss: list[Fraction] = []
    risk: list[Fraction] = []
    for children, won in _exactly(graph):
        if not children:
            loss.append(Fraction(not won))
            risk.append(Fraction(bool(won)))
            continue
        losses = [loss[child] for child in children]
        total, unit = _sum([(each.numerator, each.denominator) for each in losses])
        loss.append(min(risk[child] for child in children))
        mean = Fraction(total, unit * len(children))
        risk.append(epsilon * mean + (1 - epsilon) * max(losses) if epsilon != 1 else mean)
        if risk[-1].denominator.bit_length() > MAX_BITS:
            return None
    return loss, risk


def exact_expected_turns(graph: Graph[Any]) -> Fraction | None:
    """The mean number of turns from the last position; None where fractions grow too long."""
    found: list[Exact] = []
    for children, _ in _exactly(graph):
        if not children:
            found.append((0, 1))
            continue
        total, unit = _sum([found[child] for child in children])
        found.append(_reduced(len(children) * unit + total, len(children) * unit))
        if found[-1][1].bit_length() > MAX_BITS:
            return None
    return Fraction(*found[-1])


def _exactly(graph: Graph[Any]) -> "zip[tuple[list[int], bool]]":
    first, child = graph.first.tolist(), graph.child.tolist()
    budget = current()

    def children() -> Any:
        for number in range(graph.positions):
            if number % 16 == 0:
                budget.check()
            yield child[first[number] : first[number + 1]]

    return zip(children(), graph.won.tolist(), strict=True)


def _sum(fractions: Sequence[Exact]) -> Exact:
    """The sum as a multiple of 1 over the least common denominator."""
    unit = lcm(*{denominator for _, denominator in fractions})
    return sum(numerator * (unit // denominator) for numerator, denominator in fractions), unit


def _reduced(numerator: int, denominator: int) -> Exact:
    reduced = Fraction(numerator, denominator)
    return reduced.numerator, reduced.denominator


def _fold(
    loop: Callable[..., None], graph: Graph[Any], outs: tuple[NDArray[Any], ...], *given: object
) -> None:
    """Run a loop over a graph in steps; it fills `outs`, arrays with an entry for each position."""
    budget = current()
    if graph.moves > MAX_PLAIN:
        run, step = _compiled(loop.__name__), _STEP
        arrays: tuple[Any, ...] = (graph.first, graph.child, *outs, *given)
    else:
        run, step = loop, _PLAIN_STEP
        plain = [each.tolist() if isinstance(each, np.ndarray) else each for each in given]
        filled = [out.tolist() for out in outs]
        arrays = (graph.first.tolist(), graph.child.tolist(), *filled, *plain)
    begin = 0
    while begin < graph.positions:
        budget.check()
        end = int(np.searchsorted(graph.first, graph.first[begin] + step, "right")) - 1
        end = min(max(end, begin + 1), begin + step, graph.positions)
        run(*arrays, begin, end)
        begin = end
    if run is loop:
        for out, values in zip(outs, arrays[2:], strict=False):
            out[:] = values


@cache
def _compiled(name: str) -> Callable[..., None]:
    from position_oracle.engine.solvers import fold_kernels

    kernel: Callable[..., None] = getattr(fold_kernels, name)
    return kernel


def _wins(first, child, out, gives_up, won, begin, end):
    for i in range(begin, end):
        has_move = False
        wins_here = False
        for k in range(first[i], first[i + 1]):
            c = child[k]
            if not gives_up[c]:
                has_move = True
                if not out[c]:
                    wins_here = True
                    break
        out[i] = wins_here if has_move else won[i]


def _grundy(first, child, out, gives_up, seen, begin, end):
    for i in range(begin, end):
        for k in range(first[i], first[i + 1]):
            c = child[k]
            if not gives_up[c]:
                seen[out[c]] = i
        value = 0
        while seen[value] == i:
            value += 1
        out[i] = value


def _remoteness(first, child, out, gives_up, wins, begin, end):
    for i in range(begin, end):
        soonest = -1
        latest = -1
        for k in range(first[i], first[i + 1]):
            c = child[k]
            if not gives_up[c]:
                latest = max(latest, out[c])
                if not wins[c] and (soonest < 0 or out[c] < soonest):
                    soonest = out[c]
        out[i] = 1 + (soonest if soonest >= 0 else latest)


def _random_chance(first, child, out, won, begin, end):
    for i in range(begin, end):
        moves = first[i + 1] - first[i]
        if moves == 0:
            out[i] = 1.0 if won[i] else 0.0
            continue
        total = 0.0
        for k in range(first[i], first[i + 1]):
            total += out[child[k]]
        out[i] = 1.0 - total / moves


def _perfect_chances(first, child, loss, risk, won, epsilon, begin, end):
    for i in range(begin, end):
        moves = first[i + 1] - first[i]
        if moves == 0:
            risk[i] = 1.0 if won[i] else 0.0
            loss[i] = 1.0 - risk[i]
            continue
        total = 0.0
        most = 0.0
        least = 1.0
        for k in range(first[i], first[i + 1]):
            c = child[k]
            total += loss[c]
            most = max(most, loss[c])
            least = min(least, risk[c])
        loss[i] = least
        risk[i] = epsilon * (total / moves) + (1.0 - epsilon) * most


def _expected_turns(first, child, out, begin, end):
    for i in range(begin, end):
        moves = first[i + 1] - first[i]
        total = 0.0
        for k in range(first[i], first[i + 1]):
            total += out[child[k]]
        out[i] = 1.0 + total / moves if moves else 0.0


def _longest(first, child, out, begin, end):
    for i in range(begin, end):
        most = -1
        for k in range(first[i], first[i + 1]):
            most = max(most, out[child[k]])
        out[i] = most + 1
