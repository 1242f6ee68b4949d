"""Boards inside a small outer board: folds over the graph of the rules, without compiled kernels.

Loading numba and compiling the kernels takes seconds, where these take hundredths of one. The size
of the outer board decides.
"""

from collections.abc import Iterator
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games import chomp
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.boards.shape import Board, Shape
from position_oracle.engine.solvers.graph import Graph, build

MAX_BOARDS: Final = 2_000
"""Most boards whose outcomes are found here: some hundredths of a second."""

MAX_MOVES: Final = 2**16
"""Most boards times cookies whose values are found here: the same."""

Bite = tuple[int, int]


def outcome_bits(shape: Shape) -> NDArray[np.uint64]:
    """The bits of an `OutcomeTable`."""
    graph, ranks = _graph(shape)
    padded = np.zeros(-(-shape.count // 64) * 64, np.bool_)
    padded[ranks] = ~folds.wins(graph)
    bits = np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
    bits.flags.writeable = False
    return bits


def winning_bites(shape: Shape, bits: NDArray[np.uint64], board: Board, turned: bool) -> list[Bite]:
    """The bites, row and column from 1, that leave a P-position; in order, transposed if turned."""
    found = []
    for bite, child in bites(board):
        number = shape.rank(child)
        if child and int(bits[number >> 6]) >> (number & 63) & 1:
            found.append(bite)
    return sorted((column, row) if turned else (row, column) for row, column in found)


def values(shape: Shape, kind: Literal["grundy", "remoteness"]) -> NDArray[np.int64]:
    """Grundy values where the poison cannot be eaten, or remoteness; int64 (count,) by rank.

    The empty board has 0.
    """
    graph, ranks = _graph(shape)
    found = np.zeros(shape.count, np.int64)
    of = folds.grundy(graph) if kind == "grundy" else folds.remoteness(graph, folds.wins(graph))
    found[ranks] = of
    found[0] = 0
    return found


def bites(board: Board) -> Iterator[tuple[Bite, Board]]:
    """Every bite, row by row from the poison row, left to right, and the board that it leaves."""
    places = ((row + 1, column + 1) for row, length in enumerate(board) for column in range(length))
    yield from zip(places, chomp.bites(board), strict=True)


def _graph(shape: Shape) -> tuple[Graph[Board], NDArray[np.int64]]:
    """All boards inside an outer board, and the rank of each by its number."""
    position = Position(GameSpec("chomp"), shape.lengths)
    tree = tree_of(position)
    graph = build(tree, tree.node(position), max_bound=float("inf"))
    ranks = np.zeros(graph.positions, np.int64)
    for board, number in graph.number.items():
        ranks[number] = shape.rank(board)
    return graph, ranks
