"""All positions that a small game can come to, with every legal move, children before parents.

Chomp boards and sorted Nim heaps are both partitions, and the partitions that play from one of
them can reach are those inside it: shorter in no row, in Nim after sorting. In both games a
position of n cookies or tokens has n legal moves, each of which takes at least one of them.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.boards.shape import Board, check_board
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_MOVES: Final = 2**22
"""Default limit on positions times moves of the first one: some seconds of exact arithmetic."""

MAX_BYTES: Final = 2**28
"""Limit on the memory of the exact values of all positions, in bytes."""


@dataclass(frozen=True, slots=True)
class GameGraph:
    """Positions and moves.

    Attributes:
        positions: partitions, every child before its parents; the first one is the empty one.
        moves: for each position the numbers of its children, one entry for every legal move, so
            that a child that several moves lead to is listed as often.
        size: cookies or tokens of the largest position.
        numbers: the number of each position.
    """

    positions: tuple[Board, ...]
    moves: tuple[tuple[int, ...], ...] = field(repr=False)
    size: int
    numbers: dict[Board, int] = field(repr=False, compare=False)


def chomp_graph(rows: Iterable[int], max_moves: int = MAX_MOVES) -> GameGraph:
    """Every board that random play can reach from a board; that board is the last one.

    Args:
        rows: row lengths, poison row first.
        max_moves: limit on boards inside times cookies.

    Raises:
        InvalidPositionError: the lengths are no board.
        ResourceLimitError: the estimate exceeds the limit.
    """
    board = check_board(rows)
    _check_cost("board", board, max_moves)
    return _build(_inside(board), bites)


def chomp_graph_up_to(cookies: int, max_moves: int = MAX_MOVES) -> GameGraph:
    """Every board of at most so many cookies.

    Raises:
        InvalidPositionError: the number is negative.
        ResourceLimitError: boards times cookies exceed the limit.
    """
    if cookies < 0:
        raise InvalidPositionError(f"boards of up to {cookies} cookies; allowed are 0 and more")
    count = _count_partitions(cookies, max_moves)
    if count * cookies > max_moves:
        raise ResourceLimitError(
            f"boards of up to {cookies} cookies: {count} boards or more, times {cookies} cookies;"
            f" the limit is {max_moves}"
        )
    return _build(_up_to(cookies, cookies), bites)


def nim_graph(heaps: Iterable[int], max_moves: int = MAX_MOVES) -> GameGraph:
    """Every position that play can reach from heaps, heaps in descending order, none empty.

    Raises:
        InvalidPositionError: a heap is negative.
        ResourceLimitError: the estimate exceeds the limit.
    """
    position = sort_heaps(heaps)
    _check_cost("heaps", position, max_moves)
    return _build(_inside(position), takes)


def sort_heaps(heaps: Iterable[int]) -> Board:
    """The heaps in descending order, empty ones left out.

    Raises:
        InvalidPositionError: a heap is negative.
    """
    ordered = sorted(heaps, reverse=True)
    if ordered and ordered[-1] < 0:
        raise InvalidPositionError(f"heap {ordered[-1]} is negative; allowed are 0 and more")
    return tuple(heap for heap in ordered if heap)


def bites(board: Board) -> Iterator[Board]:
    """The board left by each bite: row by row from the poison row, left to right."""
    for row, length in enumerate(board):
        before = board[:row]
        yield before
        last = len(board)
        for column in range(1, length):
            while board[last - 1] <= column and last > row + 1:
                last -= 1
            yield before + (column,) * (last - row) + board[last:]


def takes(heaps: Board) -> Iterator[Board]:
    """The sorted heaps left by each move of Nim, heap by heap."""
    for index, heap in enumerate(heaps):
        others = heaps[:index] + heaps[index + 1 :]
        yield others
        for left in range(1, heap):
            ordered = list(others)
            insort(ordered, left, key=int.__neg__)
            yield tuple(ordered)


def check_bytes(graph: GameGraph, bits: int) -> None:
    """Refuse values of so many bits each where they would not fit into `MAX_BYTES`.

    Raises:
        ResourceLimitError: they would not.
    """
    estimate = len(graph.positions) * (bits // 8 + 1)
    if estimate > MAX_BYTES:
        raise ResourceLimitError(
            f"exact values of {len(graph.positions)} positions of {bits} bits take {estimate}"
            f" bytes; the limit is {MAX_BYTES}"
        )


def _build(positions: Iterable[Board], children: Callable[[Board], Iterator[Board]]) -> GameGraph:
    numbers = {position: number for number, position in enumerate(watched(positions))}
    moves = tuple(
        tuple(numbers[child] for child in children(position))
        for position in watched(numbers, every=1)
    )
    return GameGraph(tuple(numbers), moves, max(map(len, moves)), numbers)


def _inside(board: Board) -> Iterator[Board]:
    """All partitions inside one, in lexicographic order; a stack of rows, so no depth limit."""
    if not board:
        yield ()
        return
    rows: list[int] = []
    while True:
        yield tuple(rows)
        if len(rows) < len(board):
            # The next one in order appends a row of 1; all lengths of `board` are at least 1.
            rows.append(1)
            continue
        while rows and rows[-1] >= min(
            board[len(rows) - 1], rows[-2] if len(rows) > 1 else board[0]
        ):
            rows.pop()
        if not rows:
            return
        rows[-1] += 1


def _up_to(cookies: int, longest: int) -> Iterator[Board]:
    """All partitions of at most so many, in lexicographic order."""
    yield ()
    for first in range(1, min(cookies, longest) + 1):
        for rest in _up_to(cookies - first, first):
            yield (first, *rest)


def _check_cost(what: str, board: Board, max_moves: int) -> None:
    cookies = sum(board)
    # One row and one column, each cut anywhere, alone give rows times columns positions.
    positions: float = max(cookies, len(board) * board[0]) if board else 1
    if positions * cookies <= max_moves:
        positions = estimate_ideals(board)
    if positions * cookies > max_moves:
        shown = "/".join(map(str, board[:8])) + "/..." * (len(board) > 8)
        raise ResourceLimitError(
            f"{what} {shown}: the positions inside times {cookies} moves are more than the limit"
            f" {max_moves}"
        )


def _count_partitions(cookies: int, limit: int) -> int:
    """Partitions of 0 .. cookies, counted until they pass the limit."""
    counts = [1]
    total = 1
    while len(counts) <= cookies and total <= limit:
        n = len(counts)
        counts.append(sum(_pentagonal_terms(counts, n)))
        total += counts[n]
    return total


def _pentagonal_terms(counts: list[int], n: int) -> Iterator[int]:
    """Euler: p(n) = Σ (-1)^(k+1) (p(n - k(3k-1)/2) + p(n - k(3k+1)/2)) over k >= 1."""
    k = 1
    while (first := k * (3 * k - 1) // 2) <= n:
        sign = 1 if k % 2 else -1
        yield sign * counts[n - first]
        if first + k <= n:
            yield sign * counts[n - first - k]
        k += 1
