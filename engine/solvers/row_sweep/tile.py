"""A tile: bit sets of the values taken in some consecutive rows, for passing columns.

Word w of row i is ``words[w * TILE + i]``, so that word w of eight rows makes a vector. Word 0 has
the values from 64 * first_word on, two words below the first row; the values below b count as taken
in row b.

Eight rows are a *strip*. For the blocks of columns a strip has two windows of 64 values, one at the
lower loser line and one at the upper (see ``block``), whose positions pass from block to block.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import bare_inlined, bare_kernel
from position_oracle.engine.solvers.row_sweep.bits import trailing_ones, window
from position_oracle.engine.solvers.row_sweep.lanes import (
    LANES,
    counting_from,
    join_up,
    load_twice,
    splat,
    store_lanes,
)

STRIP: Final = np.dtype(
    [
        ("low", np.int64),  # below this value all rows of the strip are solid
        ("high", np.int64),  # where the next block may have its upper window
        ("low_now", np.int64),  # the windows of the block that is being walked
        ("high_now", np.int64),
        ("turn", np.int64),  # high_now less that of the strip before
        ("filled", np.int64),  # solid values from high_now on, in the last column of the block
        ("last_high", np.int64),  # upper end of the last plain column, at the strip's first row
    ]
)
_HEAD: Final = np.dtype(
    [
        ("row", np.int64),
        ("first_word", np.int64),
        ("strips", np.int64),
        ("end", np.int64),
    ]
)

BEFORE: Final = np.dtype([("low", np.int64), ("high", np.int64), ("above", np.uint64)])
"""The state of a plain column before a row, without its lower window; its upper end may not be
normal."""

TILE: Final = 128
"""Number of rows of a tile."""

FAR: Final = 1 << 60
_MARGIN_WORDS: Final = 2
_SPARE_WORDS: Final = 24
_LARGEST_FRINGE: Final = 1500
_UPPER_SLOPE: Final = 0.7072
_U0: Final = np.uint64(0)
_U1: Final = np.uint64(1)
_U63: Final = np.uint64(63)
_FULL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class Tile(NamedTuple):
    """The arrays of one tile.

    ``words`` uint64; ``solid`` int64, one for each row: all values from b up to it are taken or
    deadly diagonals; ``strips`` STRIP, one more than there are; ``head`` one record: the first
    row, ``first_word``, the number of strips in use, and the end of the values in use. For a plain
    column: its values ``found``, int64, and its states ``before`` each row, BEFORE. For a block:
    the windows of the rows that ``enter`` and ``leave`` the lanes, ``below`` and ``above`` its
    columns afterwards.
    """

    words: NDArray[np.uint64]
    solid: NDArray[np.int64]
    strips: NDArray[np.void]
    head: NDArray[np.void]
    found: NDArray[np.int64]
    before: NDArray[np.void]
    enter_low: NDArray[np.uint64]
    enter_high: NDArray[np.uint64]
    leave_low: NDArray[np.uint64]
    leave_high: NDArray[np.uint64]
    below: NDArray[np.uint64]
    above: NDArray[np.uint64]


def tile_words(limit: int) -> int:
    """Return the number of words of a row, for columns up to ``limit``.

    The largest value of row b is about c + b / sqrt 2 in its last column c; it exceeds b the most
    in row b = limit.
    """
    reach = int(_UPPER_SLOPE * (limit + TILE)) + 2 * TILE + _LARGEST_FRINGE
    return reach // 64 + _SPARE_WORDS + 1


def _aligned_words(count: int) -> NDArray[np.uint64]:
    """Return zeros whose memory is aligned to 64 bytes, so that no vector spans two cache lines."""
    words = np.zeros(count + LANES, np.uint64)
    skipped = -(words.ctypes.data // words.itemsize) % LANES
    return words[skipped : skipped + count]


def allocate_tile(limit: int) -> Tile:
    """Allocate an empty tile for columns up to ``limit``."""
    strips = TILE // LANES
    buffers = [_aligned_words(LANES * (strips + 3)) for _ in range(4)]
    return Tile(
        _aligned_words(tile_words(limit) * TILE),
        np.zeros(TILE, np.int64),
        np.zeros(strips + 2, STRIP),
        np.zeros(1, _HEAD),
        np.zeros(TILE, np.int64),
        np.zeros(TILE, BEFORE),
        buffers[0],
        buffers[1],
        buffers[2],
        buffers[3],
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
    )


@bare_inlined
def row_window(tile, i, value):
    """Return the 64 bits of row i of the tile for ``value``, ``value`` + 1, ..."""
    place = np.uint64(((value >> 6) - tile.head[0].first_word) * TILE + i)
    shift = np.uint64(value & 63)
    above = tile.words[place + np.uint64(TILE)]
    return (tile.words[place] >> shift) | ((above << _U1) << (_U63 - shift))


@bare_inlined
def take(tile, i, value):
    """Mark ``value`` as taken in row i."""
    place = np.uint64(((value >> 6) - tile.head[0].first_word) * TILE + i)
    tile.words[place] |= _U1 << np.uint64(value & 63)


@bare_kernel
def clear_tile(tile, row, strips, last, tail_bits, tail_words):
    """Begin the rows from ``row``, a multiple of 64, on, with the tails of finished columns.

    ``last`` is the last column that will pass through the tile. ``tail_bits[4 * w + r]`` is word w
    of the set of all z of the rows b with b mod 4 = r; ``tail_words`` words of each set are in use.
    Row b holds z + b.
    """
    head = tile.head[0]
    head.row = row
    head.first_word = (row >> 6) - _MARGIN_WORDS
    head.strips = strips
    groups = TILE >> 6
    largest = min(row + TILE, last) + np.int64(_UPPER_SLOPE * (row + TILE))
    used = ((largest - row + 2 * TILE + _LARGEST_FRINGE) >> 6) + _SPARE_WORDS
    used = min(tile.words.size // TILE, max(used, _MARGIN_WORDS + groups + tail_words + 2))
    head.end = 64 * (head.first_word + used - 1)
    for group in range(groups):
        bottom = _MARGIN_WORDS + group
        for word in range(bottom):
            for i in range(64):
                tile.words[word * TILE + 64 * group + i] = _FULL
        last = splat(_U0)
        for word in range(tail_words + 1):
            now = load_twice(tail_bits, 4 * word)
            place = (bottom + word) * TILE + 64 * group
            for i in range(0, 64, 8):
                store_lanes(tile.words, place + i, join_up(last, now, counting_from(np.uint64(i))))
            last = now
        for i in range(64):
            tile.words[bottom * TILE + 64 * group + i] |= (_U1 << np.uint64(i)) - _U1
        for place in range((bottom + tail_words + 1) * TILE, used * TILE, TILE):
            for i in range(64):
                tile.words[place + 64 * group + i] = _U0
    for i in range(TILE):
        tile.solid[i] = row + i
    for g in range(strips):
        tile.strips[g].last_high = 0
    if row == 0:
        tile.words[_MARGIN_WORDS * TILE] |= _U1


@bare_inlined
def raise_solid(tile, dd, i, goal):
    """Move the solid end of row i up as far as possible, or beyond ``goal``."""
    solid = tile.solid[i]
    while solid < goal:
        count = trailing_ones(row_window(tile, i, solid) | window(dd, solid))
        solid += count
        if count < 64:
            break
    tile.solid[i] = solid


@bare_kernel
def raise_bases(tile, dd, first):
    """Place the windows for the next block, from the rows and from the last plain column.

    The windows of the strips before ``first`` stay.
    """
    strips = tile.strips
    count = tile.head[0].strips
    for g in range(first, count):
        low = np.int64(FAR)
        for i in range(8 * g, 8 * g + 8):
            raise_solid(tile, dd, i, FAR)
            low = min(low, tile.solid[i])
        strips[g].low = low
        strips[g].high = max(tile.head[0].row, strips[g].last_high - 6)
    strips[count].high = max(tile.head[0].row, strips[count - 1].last_high - 4)


@bare_kernel
def solid_from_bases(tile):
    """Tell plain columns which values the blocks have made solid."""
    for g in range(tile.head[0].strips):
        for i in range(8 * g, 8 * g + 8):
            tile.solid[i] = max(tile.solid[i], tile.strips[g].low)
