"""Shapes of instant-winner sheets of three-heap games, and their distances."""

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.oracle.reproduce.operators import difference, sheets_of_heaps, window_density
from position_oracle.oracle.reproduce.tables import ReportTables

PLAIN = "nim{heaps=3}"
PASSING = "nim{heaps=3,passes=1}"
CHOMP_PASSING = "chomp3{passes=1}"
GENERIC = "nim{heaps=3,declared=[9,13,4]}"
OTHER = "nim{heaps=3,declared=[7,4,3]}"
NOISE = "nim{heaps=3,noise=normal(8),seed=1}"

BOXES: Final = 16
SAME = 0.035
"""Densities whose mean difference over the boxes is at most this count as one shape."""
APART = 0.1
"""Densities whose mean difference is at least this count as different shapes."""


def window(tables: ReportTables, game: str, x: int) -> NDArray[np.bool_]:
    """Return W_x of a game of three heaps, 2 x columns and 2 x cells high."""
    z = tables.heaps(game, 2 * x)
    return sheets_of_heaps(z, x, 2 * x)[: 2 * x]


def shape(tables: ReportTables, game: str, x: int) -> NDArray[np.float64]:
    """Return the density of that window in 16 x 16 boxes."""
    return tables.once(("shape", game, x), lambda: window_density(window(tables, game, x), BOXES))


def apart(tables: ReportTables, one: tuple[str, int], other: tuple[str, int]) -> float:
    """Return the mean difference of two shapes, each of a game at an x."""
    return difference(shape(tables, *one), shape(tables, *other))


def nearest_phase(tables: ReportTables, game: str, other: str, x: int) -> float:
    """Return the least distance of the shapes at x, ..., 2 x from that of another game at x.

    Shapes repeat by factors of two, and games may be at different places of that cycle.
    """
    step = max(1, x // 20)
    return min(apart(tables, (game, k), (other, x)) for k in range(x, 2 * x, step))


@dataclass(frozen=True, slots=True)
class DeclaredEffects:
    """The effects of declaring single P-positions [x, y, x xor y] of Nim, x and y below a number.

    Attributes:
        generic: the (x, y) whose declaration gives W_85 the shape of generic Nim.
        plain: the (x, y) whose declaration leaves W_85 the shape of Nim.
    """

    generic: frozenset[tuple[int, int]]
    plain: frozenset[tuple[int, int]]


def declared_once(tables: ReportTables, side: int) -> DeclaredEffects:
    """Declare every P-position of Nim with x, y < side, one at a time, and classify W_85."""

    def make() -> DeclaredEffects:
        generic, plain = set(), set()
        for x, y in product(range(side), repeat=2):
            if x == y == 0:
                continue
            game = f"nim{{heaps=3,declared=[{x},{y},{x ^ y}]}}"
            if apart(tables, (game, 85), (GENERIC, 85)) < 2 * SAME:
                generic.add((x, y))
            elif apart(tables, (game, 85), (PLAIN, 85)) < SAME:
                plain.add((x, y))
        return DeclaredEffects(frozenset(generic), frozenset(plain))

    return tables.once(("declared once", side), make)


NEARLY_ALL: Final = 0.9
"""The threshold for `nearly all`: nine of ten."""

EVEN_HEAPS: Final = (
    "Three quarters do. A P-position with three even heaps, a quarter of all, changes nothing but"
    " the block of eight positions that it begins: there the other four take the place of the four"
    " P-positions, every line through the block has one of them as before, and all else stays."
)
"""The reason why not nearly all variants share the generic geometry."""
