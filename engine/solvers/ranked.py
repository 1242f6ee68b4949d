"""Games whose positions are rows that never increase, with ranks: boards and heaps.

Boards of Chomp are partitions, and so are heaps in descending order; the positions inside a
bounding board, or up to the largest heaps, have consecutive ranks (`engine.solvers.shape`). Every
move leads to a smaller rank. A `Ranked` lists the moves of consecutive positions when a fold needs
them. So a table of many millions of positions needs memory only for its values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.shape import Bounds

MAX_PLAIN: Final = 2**16
"""Maximum of positions times moves that are listed and folded as plain Python: some hundredths of a
second. Loading compiled code takes some tenths of a second."""

_STEP: Final = 2**16
"""Number of moves listed at a time; they fit into the cache of a processor."""

Lines = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Ranked:
    """A game on the positions inside a shape; it can be folded like a graph.

    Number rank * (passes + 1) + p is the position of a rank with p passes left.

    Attributes:
        shape: the positions and their ranks.
        lines: the sets of rows from which a move takes equal numbers, at least one, in the order of
            the rules; None for the bites of Chomp, row by row from the poison row, left to right.
        passes: the maximum number of passes left.
        misere: whether the player who cannot move wins; in Chomp, the player who eats the poison.
        declared: further positions at which the player to move has won, in the order of the shape.
    """

    shape: Bounds
    lines: Lines | None = None
    passes: int = 0
    misere: bool = False
    declared: frozenset[tuple[int, ...]] = frozenset()

    @property
    def positions(self) -> int:
        """Number of positions, counting each with every number of passes left."""
        return self.shape.count * (self.passes + 1)

    @cached_property
    def degree(self) -> int:
        """Maximum number of moves of a position."""
        lengths = self.shape.lengths
        if self.lines is None:
            return sum(lengths) + bool(self.passes)
        taking = sum(min((lengths[place] for place in line), default=0) for line in self.lines)
        return taking + bool(self.passes)

    @property
    def is_plain(self) -> bool:
        """Whether folds run as plain Python."""
        return self.positions * self.degree <= MAX_PLAIN

    @property
    def largest(self) -> int:
        """An upper bound of every Grundy value and of the length of every game."""
        return max(self.degree, sum(self.shape.lengths) + self.passes)

    @cached_property
    def gives_up(self) -> NDArray[np.bool_]:
        """Whether each of the first positions loses by rule for its mover; later ones do not."""
        return np.full(self.passes + 1, self.lines is None and not self.misere)

    @cached_property
    def won(self) -> NDArray[np.bool_]:
        """Whether each of the first positions without moves is won; no later position is."""
        levels = self.passes + 1
        ranks = self._ended.tolist()[:-1]
        if self.misere != (self.lines is None):
            ranks.append(0)
        found = np.zeros((max(ranks, default=0) + 1, levels), np.bool_)
        found[ranks] = True
        return found.reshape(-1)

    def blocks(self) -> Iterator[tuple[int, int, Any, Any]]:
        """Yield the moves of consecutive positions.

        Yields:
            The first position; one more than the last; the index in the list of children at which
            the moves of each position begin; and the list of children. The next block overwrites
            the last two.
        """
        shape, levels = self.shape, self.passes + 1
        step = max(1, _STEP // max(1, self.degree * levels))
        step = min(step, shape.count)
        arrays: list[Any] = [
            shape.weights.reshape(-1),
            _row_sums(shape.weights),
            np.array(shape.lengths, np.int64),
            *_flat(self.lines or ()),
            self._ended,
            np.zeros(shape.rows, np.int64),
            np.zeros(max(shape.columns, shape.rows) + 1, np.int64),
            np.zeros(step * levels + 1, np.int64),
            np.zeros(max(1, step * levels * self.degree), np.int32),
        ]
        run = _moves
        if self.is_plain:
            arrays = [array.tolist() for array in arrays]
        else:
            from position_oracle.engine.solvers.fold_kernels import _moves as run
        rules = (levels, self.lines is None, shape.is_ordered, self._passing_from)
        for begin in range(0, shape.count, step):
            end = min(begin + step, shape.count)
            run(begin, end, *rules, *arrays)
            yield begin * levels, end * levels, arrays[-2], arrays[-1]

    @property
    def _passing_from(self) -> int:
        """The least rank with a usable pass: not the end of the game, nor the poison alone."""
        return 2 if self.lines is None and not self.misere else 1

    @cached_property
    def _ended(self) -> NDArray[np.int64]:
        """The ascending ranks of declared positions, then -1."""
        inside = filter(self.shape.contains, self.declared)
        return np.array([*sorted(map(self.shape.rank, inside)), -1], np.int64)


def _row_sums(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return sums[k, c]: the rank of k rows of length c, limited to these rows; flat."""
    sums = np.zeros((len(weights) + 1, weights.shape[1]), np.int64)
    np.cumsum(weights, axis=0, out=sums[1:])
    return sums.reshape(-1)


def _flat(lines: Sequence[tuple[int, ...]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of all lines in sequence, and the beginning of each line."""
    begins = np.cumsum([0, *map(len, lines)])
    return np.array([place for line in lines for place in line], np.int64), begins


def _moves(
    begin,
    end,
    levels,
    bites,
    ordered,
    passing_from,
    weights,
    sums,
    lengths,
    places,
    begins,
    ended,
    rows,
    scratch,
    first,
    child,
):
    """List the moves of the ranks begin .. end - 1; `rows` is the position of rank `begin`.

    The bite in row i that leaves c cookies keeps the rows before i, gives the rows i .. h - 1 the
    length c, where h is the height of the column, and keeps the rows from h on. The rank is the sum
    of the weights of these three parts. The last two depend on i only through a difference of
    `sums`.
    """
    count = len(lengths)
    width = len(weights) // count
    moves = 0
    entry = 0
    next_ended = 0
    while 0 <= ended[next_ended] < begin:
        next_ended += 1
    first[0] = 0
    for rank in range(begin, end):
        here = moves
        passing = 0
        if ended[next_ended] == rank:
            next_ended += 1
        elif bites:
            passing = int(rank >= passing_from)
            used = 0
            while used < count and rows[used] > 0:
                used += 1
            below = 0
            left = 0
            for row in range(used - 1, -1, -1):
                for column in range(left, rows[row]):
                    scratch[index(column)] = sums[index((row + 1) * width + column)] + below
                left = rows[row]
                below += weights[row * width + left]
            before = 0
            for row in range(used):
                for column in range(rows[row]):
                    cut = sums[index(row * width + column)] - scratch[index(column)]
                    child[index(moves + column)] = before - cut
                moves += rows[row]
                before += weights[row * width + rows[row]]
        else:
            passing = int(rank >= passing_from)
            for line in range(len(begins) - 1):
                place = places[begins[line]]
                if begins[line + 1] - begins[line] == 1:
                    # Rows that a shortened row passes on its way down each move up one place.
                    slot = place
                    others = rank - weights[place * width + rows[place]]
                    while ordered and slot + 1 < count and rows[slot + 1] > 0:
                        slot += 1
                        others += weights[(slot - 1) * width + rows[slot]]
                        others -= weights[slot * width + rows[slot]]
                    for length in range(rows[place]):
                        while slot > place and rows[slot] <= length:
                            others -= weights[(slot - 1) * width + rows[slot]]
                            others += weights[slot * width + rows[slot]]
                            slot -= 1
                        to = others + weights[index(slot * width + length)]
                        child[index(moves + length)] = to
                    moves += rows[place]
                    continue
                most = rows[place]
                for member in range(begins[line], begins[line + 1]):
                    most = min(most, rows[places[member]])
                for taken in range(most, 0, -1):
                    member = begins[line]
                    for place in range(count):
                        length = rows[place]
                        if member < begins[line + 1] and places[member] == place:
                            length -= taken
                            member += 1
                        slot = place
                        while ordered and slot > 0 and scratch[slot - 1] < length:
                            scratch[slot] = scratch[slot - 1]
                            slot -= 1
                        scratch[slot] = length
                    number = 0
                    for place in range(count):
                        number += weights[place * width + scratch[place]]
                    child[moves] = number
                    moves += 1
        kept = moves - here
        if levels > 1:
            # The same moves with every number of passes left, and the pass.
            for level in range(levels - 1, -1, -1):
                start = here + level * (kept + passing) - passing * (level > 0)
                for move in range(kept):
                    child[index(start + move)] = child[index(here + move)] * levels + level
                if level > 0 and passing > 0:
                    child[start + kept] = rank * levels + level - 1
        for level in range(levels):
            if level > 0:
                moves += kept + passing
            entry += 1
            first[entry] = moves
        # The position of the next rank.
        row = count - 1
        while row >= 0:
            top = lengths[row]
            if ordered and row > 0:
                top = min(top, rows[row - 1])
            if rows[row] < top:
                rows[row] += 1
                break
            rows[row] = 0
            row -= 1
