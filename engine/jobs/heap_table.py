"""A stored table of three heaps, compared with the rules of its game.

A variant with one pass fewer is solved if no stored one is large enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.heaps import HeapRules, Line
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory import nim
from position_oracle.schema.errors import CorruptTableError, UnknownGameError
from position_oracle.schema.snapshot import Snapshot

Z = NDArray[np.integer]

_TERMINAL: Final = (0, 0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class StoredHeaps:
    """The P-positions of a game with three heaps, and the moves between them.

    Attributes:
        game: the game.
        z: integers (X, Y); [x, y, z[x, y]] is the P-position in column y of sheet x.
        fewer: the same table with one pass fewer; None without passes.
    """

    game: GameSpec
    z: Z
    fewer: Z | None

    @classmethod
    def read(cls, snapshot: Snapshot, game: GameSpec) -> Self:
        """Read the stored table; one with fewer passes is read, computed in closed form, or solved.

        Raises:
            CorruptTableError: the rows do not form a table.
        """
        z = read_z(snapshot, game)
        fewer = _fewer_passes(snapshot, game, z.shape) if game.passes else None
        return cls(game, z, fewer)

    @property
    def moves(self) -> tuple[Line, ...]:
        """The sets of heaps from which a move takes equal numbers."""
        rules = rules_of(self.game.family)
        return rules.lines(self.game, 3) if isinstance(rules, HeapRules) else ()

    def lines(self) -> Iterator[tuple[Line, int]]:
        """Yield the lines along which moves lead within the table: the heaps, and a number."""
        rows, columns = self.z.shape
        numbers = {(1,): range(rows), (0,): range(columns), (0, 1): range(1 - rows, columns)}
        for heaps in self.moves:
            for number in numbers.get(_within(heaps), ()):
                yield heaps, number

    def repeated(self, heaps: Line, number: int) -> bool:
        """Return whether a move joins two P-positions of a line."""
        within = _within(heaps)
        if within == (0, 1):
            line = self.z.diagonal(number)
        else:
            line = self.z[number] if within == (1,) else self.z[:, number]
        keys = line.astype(np.int64) - np.arange(len(line)) * (2 in heaps)
        keys.sort()
        return bool((keys[1:] == keys[:-1]).any())

    def reaches_p(self, x: int, y: int, z: int) -> bool:
        """Return whether a move or the pass leads from [x, y, z] to a P-position of the table."""
        if self.passes_to_p(x, y, z) or self.z[x, y] < z:
            return True
        for heaps in filter(_within, self.moves):  # all but the third heap alone
            taken = np.arange(1, 1 + min((x, y, z)[heap] for heap in heaps))
            column = self.z[x - taken * (0 in heaps), y - taken * (1 in heaps)]
            if (column == z - taken * (2 in heaps)).any():
                return True
        return False

    def passes_to_p(self, x: int, y: int, z: int) -> bool:
        """Return whether the pass leads from [x, y, z] to a P-position; not from terminal ones."""
        if self.fewer is None or (x, y, z) == _TERMINAL or self.game.declares((x, y, z)):
            return False
        return int(self.fewer[x, y]) == z

    def wrong_p_positions(self) -> Iterator[str]:
        """Describe P-positions that are declared N, or have a pass to a P-position."""
        rows, columns = self.z.shape
        for x, y, z in self.game.declared:
            if x < rows and y < columns and int(self.z[x, y]) == z:
                yield f"[{x},{y},{z}] is a P-position and declared N"
        if self.game.noise is not None:
            for x in range(rows):
                declared = self.z[x] == self.game.noise.columns(x, columns - 1)
                for y in np.flatnonzero(declared).tolist():
                    yield f"{[x, y, int(self.z[x, y])]} is a P-position and declared N"
        if self.fewer is not None:
            for x, y in np.argwhere(self.z == self.fewer).tolist():
                position: Coordinates = (x, y, int(self.z[x, y]))
                if position != _TERMINAL:
                    yield f"{list(position)} is a P-position and can be passed to one"


def _within(heaps: Line) -> Line:
    """Return the heaps that number the columns of the table: the first two."""
    return tuple(heap for heap in heaps if heap < 2)


def read_z(snapshot: Snapshot, game: GameSpec) -> Z:
    """Return the stored z of a game with three heaps; int32 (X, Y).

    Raises:
        CorruptTableError: the rows do not form a table.
        UnknownGameError: the file has no sheets of the game.
    """
    arrays = snapshot.read_sheets(game.text, check=False)
    columns = int(arrays.prefix_length[0])
    if (arrays.prefix_length != columns).any():
        raise CorruptTableError(f"{snapshot.path}: sheets of {game.text} differ in length")
    return arrays.prefix_z.reshape(len(arrays), columns)


def _fewer_passes(snapshot: Snapshot, game: GameSpec, shape: tuple[int, ...]) -> Z:
    from position_oracle.engine.solvers.heap_games import solve_sheets

    rows, columns = shape
    fewer = replace(game, passes=game.passes - 1)
    if not fewer.declared and fewer.noise is None:
        return nim.third_heap_table(rows, columns, misere=game.misere)
    try:
        z = read_z(snapshot, fewer)
    except UnknownGameError:
        z = np.empty((0, 0), np.int32)
    if z.shape[0] < rows or z.shape[1] < columns:
        z = solve_sheets(fewer, rows - 1, columns - 1)
    return z[:rows, :columns]
