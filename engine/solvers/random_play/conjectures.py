"""Conjectures 1.5 and 1.6 of Devlin & Trifonova, tested on every board of a finite family.

Conjecture 1.5: from a board with more than one row and more than one column, the player who moves
first wins random Chomp with probability P < 1/2.

Conjecture 1.6: there are functions 0 < g(n) < h(n), h(n) -> 0, with g(n) < 1/2 - P < h(n) on all
such boards of n cookies. On finitely many boards it can fail only where 1/2 - P <= 0; what can be
shown besides is the envelope, the least and the greatest 1/2 - P for each n. (In the conjecture the
inequalities are strict; any g below and h above the envelope will do.)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.graph import Graph
from position_oracle.engine.solvers.random_play.exact import (
    MAX_MOVES,
    chomp_graph,
    chomp_graph_up_to,
    chomp_win_probability,
)
from position_oracle.engine.solvers.random_play.three_row import (
    RandomTable,
    rows_of_rank,
    table_rows,
)
from position_oracle.engine.solvers.shape import Board, box
from position_oracle.engine.theory.random_play.two_row_bounds import Envelope
from position_oracle.engine.theory.random_play.two_rows import two_rows_of, win_probability
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_RECHECKED: Final = 64
"""How many boards that double precision cannot decide are looked at again exactly."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a family of boards says about Conjecture 1.5.

    Attributes:
        boards: boards tested, all with more than one row and more than one column.
        closest: the board with the greatest P.
        closest_gap: its 1/2 - P; exact, or a float within the error bound of the table.
        counterexample: a board with P >= 1/2, or None.
        probability: the exact P of the counterexample, or None.
        rechecked: boards that double precision did not decide and exact arithmetic did.
        undecided: boards that neither did: exact arithmetic would take too long. Empty for a
            verdict that stands.
    """

    boards: int
    closest: Board
    closest_gap: Fraction | float
    counterexample: Board | None = None
    probability: Fraction | None = None
    rechecked: int = 0
    undecided: tuple[Board, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether P < 1/2 on all boards tested; None if some are undecided and no other fails."""
        if self.counterexample is not None:
            return False
        return None if self.undecided else True


@dataclass(frozen=True, slots=True)
class EnvelopeVerdict:
    """What envelopes say about Conjecture 1.6.

    Attributes:
        counterexample: the first number of cookies with g(n) <= 0, or None.
        decreasing_from: the least number of cookies from which on h(n) strictly decreases.
        decay: the exponent d of h(n) ~ n^-d between the middle and the end of the range.
    """

    counterexample: int | None
    decreasing_from: int
    decay: float

    @property
    def holds(self) -> bool:
        """Whether 0 < g(n) throughout; that h tends to 0 is beyond any finite test."""
        return self.counterexample is None


def check_three_rows(table: RandomTable, error_bound: float | None = None) -> Verdict:
    """Conjecture 1.5 on every board of a three-row table.

    A board whose computed 1/2 - P exceeds the error bound is decided; the others are computed
    exactly.

    Args:
        table: win probabilities of both players random.
        error_bound: trust the table only so far; by default as far as its own error bound.

    Raises:
        InvalidPositionError: no board of the table has two rows and two columns.
    """
    bound = table.error_bound if error_bound is None else error_bound
    tested = _two_by_two(table)
    gaps = np.where(tested, -table.excess, np.inf)
    close = np.flatnonzero(gaps <= bound)
    closest = int(gaps.argmin())
    found = _recheck(rows_of_rank(int(number)) for number in close[:MAX_RECHECKED])
    undecided = (*found.undecided, *(rows_of_rank(int(n)) for n in close[MAX_RECHECKED:]))
    return Verdict(
        boards=int(np.count_nonzero(tested)),
        closest=rows_of_rank(closest),
        closest_gap=float(gaps[closest]),
        counterexample=found.counterexample,
        probability=found.probability,
        rechecked=found.rechecked,
        undecided=undecided,
    )


def check_box(rows: int, columns: int, max_moves: int = MAX_MOVES) -> Verdict:
    """Conjecture 1.5 on every board inside a rectangle, exactly.

    Raises:
        InvalidPositionError: a side is less than 2.
        ResourceLimitError: boards times cookies exceed the limit.
    """
    if min(rows, columns) < 2:
        raise InvalidPositionError(f"a box of {rows} x {columns}; both sides have to be 2 or more")
    return _exact_verdict(chomp_graph(box(rows, columns, max_moves).lengths, max_moves))


def check_up_to(cookies: int, max_moves: int = MAX_MOVES) -> Verdict:
    """Conjecture 1.5 on every board of at most so many cookies, exactly.

    Raises:
        InvalidPositionError: fewer than 3 cookies.
        ResourceLimitError: boards times cookies exceed the limit.
    """
    _check_cookies(cookies)
    return _exact_verdict(chomp_graph_up_to(cookies, max_moves))


def envelopes_up_to(cookies: int, max_moves: int = MAX_MOVES) -> list[Envelope]:
    """The exact envelopes of 3, 4, ... cookies over boards of every shape.

    Raises:
        InvalidPositionError: fewer than 3 cookies.
        ResourceLimitError: boards times cookies exceed the limit.
    """
    _check_cookies(cookies)
    graph = chomp_graph_up_to(cookies, max_moves)
    gaps, unit = _exact_gaps(graph)
    groups: dict[int, list[tuple[int, Board]]] = {n: [] for n in range(3, cookies + 1)}
    for board, gap in gaps:
        groups[sum(board)].append((gap, board))
    envelopes = []
    for n, group in groups.items():
        (least, thin), (greatest, thick) = min(group), max(group)
        envelopes.append(Envelope(n, Fraction(least, unit), thin, Fraction(greatest, unit), thick))
    return envelopes


def check_envelope(
    cookies: Sequence[int],
    least: Sequence[Fraction | float],
    greatest: Sequence[Fraction | float],
) -> EnvelopeVerdict:
    """Conjecture 1.6 on an envelope.

    Args:
        cookies: n in ascending order.
        least: g(n), less the error bound where it has one.
        greatest: h(n).

    Raises:
        InvalidPositionError: the three are not of one length, or of fewer than four values.
    """
    if not len(cookies) == len(least) == len(greatest) >= 4:
        raise InvalidPositionError(
            f"an envelope of {len(cookies)} numbers of cookies, {len(least)} and {len(greatest)}"
            " values; all three have the same length, at least 4"
        )
    fails = [n for n, value in zip(cookies, least, strict=True) if value <= 0]
    start = len(cookies) - 1
    while start > 0 and greatest[start - 1] > greatest[start]:
        start -= 1
    middle = len(cookies) // 2
    decay = log(greatest[middle] / greatest[-1]) / log(cookies[-1] / cookies[middle])
    return EnvelopeVerdict(fails[0] if fails else None, int(cookies[start]), decay)


@dataclass(frozen=True, slots=True)
class _Rechecked:
    counterexample: Board | None
    probability: Fraction | None
    rechecked: int
    undecided: tuple[Board, ...]


def _recheck(boards: Iterable[Board]) -> _Rechecked:
    rechecked, undecided = 0, []
    for board in boards:
        pair = two_rows_of(board)
        try:
            value = win_probability(*pair) if pair else chomp_win_probability(board)
        except ResourceLimitError:
            undecided.append(board)
            continue
        rechecked += 1
        if value >= Fraction(1, 2):
            return _Rechecked(board, value, rechecked, tuple(undecided))
    return _Rechecked(None, None, rechecked, tuple(undecided))


def _two_by_two(table: RandomTable) -> NDArray[np.bool_]:
    """Which boards have more than one row and more than one column, by rank."""
    rows = table_rows(table.limit)
    tested = (rows[:, 0] >= 2) & (rows[:, 1] >= 1)
    if not tested.any():
        raise InvalidPositionError(
            f"a three-row table with a first row of {table.limit}; from 2 on it has boards with"
            " two rows and two columns"
        )
    return tested


def _exact_gaps(graph: Graph[Board]) -> tuple[list[tuple[Board, int]], int]:
    """1/2 - P of boards with two rows and two columns in units, and how many units are 1."""
    chances = folds.exact_random_chance(graph)
    gaps = [
        (board, chances.unit - 2 * chances.values[number])
        for board, number in graph.number.items()
        if len(board) > 1 and board[0] > 1
    ]
    return gaps, 2 * chances.unit


def _exact_verdict(graph: Graph[Board]) -> Verdict:
    gaps, unit = _exact_gaps(graph)
    closest, least = min(gaps, key=lambda pair: pair[1])
    gap = Fraction(least, unit)
    if gap > 0:
        return Verdict(len(gaps), closest, gap)
    return Verdict(len(gaps), closest, gap, closest, Fraction(1, 2) - gap)


def _check_cookies(cookies: int) -> None:
    if cookies < 3:
        raise InvalidPositionError(
            f"boards of up to {cookies} cookies; from 3 on some have two rows and two columns"
        )
