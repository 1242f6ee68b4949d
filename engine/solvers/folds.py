"""Folds over a graph of positions, one for each question.

A fold computes one number for every position from those of its children, in the order of their
numbers. The loops at the end of this module run as plain Python on small graphs, and compiled on
large ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import lcm
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.graph import Graph
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.steps import StepCallback
from position_oracle.schema.errors import ResourceLimitError

_LISTED: Final = 64
"""Positions whose moves are made a list at a time."""

_SORTED: Final = 1 << 16
"""Number of positions that are sorted by length and number of moves between two checks of the
budget."""

MAX_BYTES: Final = 2**28
"""Maximum number of bytes for the exact numbers of all positions."""

Bools = NDArray[np.bool_]
Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Folded = Graph[Any] | Ranked
"""A game that can be folded: a graph, or a game that lists its moves on demand."""


def wins(graph: Folded, *, progress: StepCallback | None = None) -> Bools:
    """Return whether the player to move wins at each position; bool (n,)."""
    out = np.zeros(graph.positions, np.bool_)
    _fold(_wins, graph, (out,), graph.gives_up, graph.won, progress=progress)
    return out


def grundy(graph: Folded, *, progress: StepCallback | None = None) -> Ints:
    """Return Grundy values in normal play, without moves that lose by rule; unsigned (n,)."""
    seen = np.full(graph.degree + 2, -1, np.int64)
    out = np.zeros(graph.positions, np.min_scalar_type(graph.largest))
    _fold(_grundy, graph, (out,), graph.gives_up, seen, progress=progress)
    return out


def remoteness(graph: Folded, *, progress: StepCallback | None = None) -> Ints:
    """Return the remoteness of each position; unsigned (n,).

    Remoteness is the number of moves to the end if the winner hurries and the loser delays.
    """
    out = np.zeros(graph.positions, np.min_scalar_type(2 * graph.largest + 1))
    _fold(_remoteness, graph, (out,), graph.gives_up, graph.won, progress=progress)
    return np.right_shift(out, 1, out=out)


def random_chance(graph: Folded) -> Floats:
    """Return the chance that the player to move wins if both move at random; float64 (n,)."""
    out = np.zeros(graph.positions, np.float64)
    _fold(_random_chance, graph, (out,), graph.won)
    return out


def perfect_chances(graph: Folded, epsilon: float) -> tuple[Floats, Floats]:
    """Return the chances of a perfect player against a fallible one; float64 (n,) twice.

    Args:
        graph: the graph.
        epsilon: probability that the fallible player errs in a turn, that is, moves at random.

    Returns:
        The chance that the perfect player loses if to move, and the chance that the fallible player
        wins if to move.
    """
    loss, risk = np.zeros(graph.positions), np.zeros(graph.positions)
    _fold(_perfect_chances, graph, (loss, risk), graph.won, epsilon)
    return loss, risk


def expected_turns(graph: Folded) -> Floats:
    """Return the mean number of turns to the end if both move at random; float64 (n,)."""
    out = np.zeros(graph.positions, np.float64)
    _fold(_expected_turns, graph, (out,))
    return out


def longest(graph: Folded) -> Ints:
    """Return the maximum number of turns to the end; int32 (n,)."""
    out = np.zeros(graph.positions, np.int32)
    _fold(_longest, graph, (out,))
    return out


def error_bound(graph: Folded) -> float:
    """Bound the rounding error of every chance in double precision.

    All numbers are at most 1, so taking the mean of m numbers adds an error of at most (m + 2)
    2^-53 to the errors of the numbers.
    """
    return float(longest(graph)[-1]) * (graph.degree + 4) * 2.0**-53


def turn_distribution(graph: Graph[Any]) -> Floats:
    """Return the chance of each number of turns if both move at random; float64."""
    turns, degrees = int(longest(graph)[-1]), np.diff(graph.first)
    reached = np.zeros(graph.positions)
    reached[-1] = 1.0
    ended = np.zeros(turns + 1)
    budget = current()
    for turn in range(turns + 1):
        budget.check()
        ended[turn] = reached[degrees == 0].sum()
        shares = np.repeat(reached / np.maximum(degrees, 1), degrees)
        reached = np.bincount(graph.child, shares, graph.positions).astype(np.float64, copy=False)
    return ended


@dataclass(frozen=True, slots=True)
class Exact:
    """A number for every position as an integer multiple of one unit.

    Attributes:
        values: the numbers, in units of 1 / unit.
        unit: the number of units in 1.
    """

    values: list[int]
    unit: int

    def __getitem__(self, position: int) -> Fraction:
        return Fraction(self.values[position], self.unit)


def exact_random_chance(graph: Graph[Any]) -> Exact:
    """Return `random_chance` in integers.

    Raises:
        ResourceLimitError: the integers would be too long.
    """
    unit = _unit(graph)
    values: list[int] = []
    for children, won in _exactly(graph):
        if children:
            values.append(unit - sum([values[child] for child in children]) // len(children))
        else:
            values.append(unit if won else 0)
    return Exact(values, unit)


def exact_expected_turns(graph: Graph[Any]) -> Exact:
    """Return `expected_turns` in integers.

    Raises:
        ResourceLimitError: the integers would be too long.
    """
    unit = _unit(graph)
    values: list[int] = []
    for children, _ in _exactly(graph):
        mean = sum([values[child] for child in children]) // len(children) if children else -unit
        values.append(unit + mean)
    return Exact(values, unit)


def exact_perfect_chances(graph: Graph[Any], epsilon: Fraction) -> tuple[Exact, Exact]:
    """Return `perfect_chances` in integers.

    Raises:
        ResourceLimitError: the integers would be too long.
    """
    p, q = epsilon.as_integer_ratio()
    unit = _unit(graph, q)
    loss: list[int] = []
    risk: list[int] = []
    for children, won in _exactly(graph):
        if not children:
            loss.append(0 if won else unit)
            risk.append(unit if won else 0)
            continue
        losses = [loss[child] for child in children]
        count = len(children)
        risk.append((p * sum(losses) + (q - p) * count * max(losses)) // (count * q))
        loss.append(min([risk[child] for child in children]))
    return Exact(loss, unit), Exact(risk, unit)


def exact_turn_distribution(graph: Graph[Any]) -> list[Fraction]:
    """Return the exact chance of each number of turns if both move at random.

    The chances are those of the last position. Let F(x) be the generating function of the number of
    turns. F of a position is x times the mean of F over its children (Devlin & Trifonova, equations
    2.1 and 2.2 at x = 1 and -1). If x is a power of two above the unit, the base-x digits of F(x)
    are the coefficients of F.

    Raises:
        ResourceLimitError: the integers would be too long.
    """
    turns = int(longest(graph)[-1])
    width = _unit(graph).bit_length()
    unit = _unit(graph, extra_bits=width * (turns + 1))
    values: list[int] = []
    for children, _ in _exactly(graph):
        if children:
            values.append((sum([values[child] for child in children]) << width) // len(children))
        else:
            values.append(unit)
    mask = (1 << width) - 1
    return [Fraction(values[-1] >> width * turn & mask, unit) for turn in range(turns + 1)]


def _unit(graph: Graph[Any], factor: int = 1, extra_bits: int = 0) -> int:
    """Return a common denominator of all chances.

    The chance of a position is the sum over its children divided by its number of moves. For each
    number of remaining turns, take the least common multiple of the numbers of moves of positions
    with that many turns left. The product of these is a common denominator.

    Args:
        graph: the graph.
        factor: an additional divisor for each turn.
        extra_bits: the number of bits that the integers have beyond the denominator.

    Raises:
        ResourceLimitError: the numbers of all positions would take more than `MAX_BYTES`.
    """
    lengths, degrees = longest(graph), np.diff(graph.first)
    unit, base = 1, int(degrees.max(initial=0)) + 1
    moves: dict[int, int] = {}
    pairs = set[int]()
    for begin in range(0, graph.positions, _SORTED):
        current().check()
        part = slice(begin, begin + _SORTED)
        pairs |= set(np.unique(lengths[part].astype(np.int64) * base + degrees[part]).tolist())
    for both in pairs:
        length, degree = divmod(both, base)
        if length:
            moves[length] = lcm(moves.get(length, 1), degree)
    for each in moves.values():
        unit *= each * factor
        if (unit.bit_length() + extra_bits) // 8 * graph.positions > MAX_BYTES:
            raise ResourceLimitError(
                f"exact chances of {graph.positions:,} positions take more than {MAX_BYTES:,} bytes"
            )
    return unit


def _exactly(graph: Graph[Any]) -> Iterator[tuple[list[int], bool]]:
    """Return the children of each position, and whether it has been won."""
    budget = current()
    for begin in range(0, graph.positions, _LISTED):
        first = graph.first[begin : begin + _LISTED + 1]
        child = graph.child[first[0] : first[-1]].tolist()
        ends = pairwise((first - first[0]).tolist())
        for (start, end), won in zip(
            ends, graph.won[begin : begin + _LISTED].tolist(), strict=True
        ):
            budget.check()
            yield child[start:end], won


def _fold(
    loop: Callable[..., None],
    graph: Folded,
    outs: tuple[NDArray[Any], ...],
    *given: object,
    progress: StepCallback | None = None,
) -> None:
    """Run a loop over a graph in steps; it fills `outs`, arrays with an entry for each position."""
    budget = current()
    run, arrays = loop, [*outs, *given]
    if graph.is_plain:
        arrays = [each.tolist() if isinstance(each, np.ndarray) else each for each in arrays]
    else:
        run = _compiled(loop.__name__)
    for begin, end, first, child in graph.blocks():
        budget.check()
        run(first, child, *arrays, begin, end)
        if progress is not None:
            progress(end, graph.positions)
    if run is loop:
        for out, values in zip(outs, arrays, strict=False):
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
        for k in range(first[i - begin], first[i - begin + 1]):
            c = child[index(k)]
            if c >= len(gives_up) or not gives_up[index(c)]:
                has_move = True
                if not out[index(c)]:
                    wins_here = True
                    break
        out[i] = wins_here if has_move else i < len(won) and won[i]


def _grundy(first, child, out, gives_up, seen, begin, end):
    for i in range(begin, end):
        for k in range(first[i - begin], first[i - begin + 1]):
            c = child[index(k)]
            if c >= len(gives_up) or not gives_up[index(c)]:
                seen[index(out[index(c)])] = i
        value = 0
        while seen[index(value)] == i:
            value += 1
        out[i] = value


def _remoteness(first, child, out, gives_up, won, begin, end):
    # Twice the plies, plus one if the player to move wins.
    for i in range(begin, end):
        soonest = -1
        latest = -1
        for k in range(first[i - begin], first[i - begin + 1]):
            c = child[index(k)]
            if c >= len(gives_up) or not gives_up[index(c)]:
                plies = int(out[index(c)])
                if plies & 1:
                    latest = max(latest, plies)
                elif soonest < 0 or plies < soonest:
                    soonest = plies
        if soonest >= 0:
            out[i] = soonest + 3
        elif latest >= 0:
            out[i] = latest + 1
        else:
            out[i] = i < len(won) and won[i]


def _random_chance(first, child, out, won, begin, end):
    for i in range(begin, end):
        begins = first[i - begin]
        moves = first[i - begin + 1] - begins
        if moves == 0:
            out[i] = 1.0 if i < len(won) and won[i] else 0.0
            continue
        total = 0.0
        for k in range(begins, begins + moves):
            total += out[index(child[index(k)])]
        out[i] = 1.0 - total / moves


def _perfect_chances(first, child, loss, risk, won, epsilon, begin, end):
    for i in range(begin, end):
        begins = first[i - begin]
        moves = first[i - begin + 1] - begins
        if moves == 0:
            risk[i] = 1.0 if i < len(won) and won[i] else 0.0
            loss[i] = 1.0 - risk[i]
            continue
        total = 0.0
        most = 0.0
        least = 1.0
        for k in range(begins, begins + moves):
            c = child[index(k)]
            total += loss[index(c)]
            most = max(most, loss[index(c)])
            least = min(least, risk[index(c)])
        loss[i] = least
        risk[i] = epsilon * (total / moves) + (1.0 - epsilon) * most


def _expected_turns(first, child, out, begin, end):
    for i in range(begin, end):
        begins = first[i - begin]
        moves = first[i - begin + 1] - begins
        total = 0.0
        for k in range(begins, begins + moves):
            total += out[index(child[index(k)])]
        out[i] = 1.0 + total / moves if moves else 0.0


def _longest(first, child, out, begin, end):
    for i in range(begin, end):
        most = -1
        for k in range(first[i - begin], first[i - begin + 1]):
            most = max(most, out[index(child[index(k)])])
        out[i] = most + 1
