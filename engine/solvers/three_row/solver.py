"""The loser sheets of three-row Chomp and its variants, x < count."""

import math
import os
from collections.abc import Iterable, Iterator

import numpy as np

from engine.solvers.three_row.driver import (
    Build,
    ProgressCallback,
    TooSmallError,
    sizes_for,
)
from engine.solvers.three_row.exclusions import Excluded, Triple, gather
from engine.solvers.three_row.memory import GROUP, Exclusions
from schema.errors import BuildError
from schema.sheets import LoserSheets

__all__ = ["BLOCK_POSITIONS", "MAX_LIMIT", "estimate", "iter_blocks", "solve"]

BLOCK_POSITIONS = 4_000_000
"""P-positions in a block of ``iter_blocks``, about."""

MAX_LIMIT = 1_000_000
"""Largest number of sheets, and largest y_limit."""

_MAX_THREADS = 16
_PAIR = 2 * GROUP  # two threads finish a block of so many sheets together
_SLACKS = (4096, 1 << 15, 1 << 18)
_MAX_RETRY_BYTES = 1 << 32
_PER_SQUARE = (math.sqrt(2) - 1) / 2


def estimate(count: int) -> tuple[int, int]:
    """P-positions in the prefixes of the sheets x < count, and bytes that ``solve`` needs.

    A sheet has (sqrt 2 - 1) x positions before its stop or tail (Friedman and Landsberg 2007,
    equation 5); the smaller term is fitted to counts up to 20,000.
    """
    _check_limit("count", count)
    positions = int(_PER_SQUARE * count * count + 0.9 * count)
    board = sizes_for(count, None, 0, _SLACKS[0]).board_bytes
    return positions, 4 * positions + board + 1024 * count


def solve(
    count: int,
    *,
    exclusions: Excluded = None,
    declared: Iterable[Triple] = (),
    y_limit: int | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> LoserSheets:
    """All loser sheets with x < count, in memory. See ``iter_blocks`` for the arguments."""
    blocks = iter_blocks(
        count,
        exclusions=exclusions,
        declared=declared,
        y_limit=y_limit,
        threads=threads,
        progress=progress,
        block_positions=2**62,
    )
    return LoserSheets.concatenate(blocks)


def iter_blocks(
    count: int,
    *,
    exclusions: Excluded = None,
    declared: Iterable[Triple] = (),
    y_limit: int | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    block_positions: int = BLOCK_POSITIONS,
) -> Iterator[LoserSheets]:
    """The loser sheets with x < count, in blocks of consecutive sheets, in bounded memory.

    Position [x, y, z] has row lengths c = x, b = x + y, a = x + y + z. [0, 0, 1] is a P-position;
    the empty board counts as N. Sheet 0 of the plain game has z = 1 for all y.

    Args:
        count: Number of sheets, 0..MAX_LIMIT.
        exclusions: What a variant excludes. None: the plain game. ``LoserSheets``: those of the
            same game with one pass fewer, at least ``count`` of them, not cut (a pass leads from
            [x, y, z; k] to [x, y, z; k - 1]; there is none from [0, 0, 1]). Triples [x, y, z]:
            declared N-positions, terminal and won by the player to move there. A callable: for
            each x an array with one more excluded z for every y < y_limit + count - 1 - x
            (negative: none); needs ``y_limit``.
        declared: Declared N-positions besides ``exclusions``.
        y_limit: Compute columns y < y_limit only. A sheet that has neither stopped nor proven its
            tail by then is cut (period -1).
        threads: 1 or more; None: 2, or 1 where only one core is available.
        progress: Called from this thread with a ``Progress``, some times a second.
        block_positions: P-positions in a block, about; a block has one sheet at least.

    Yields:
        Blocks in order; together they hold every sheet x < count.

    Raises:
        StoppedError: The current budget is spent.
        BuildError: The tail of some sheet could not be proven within reasonable bounds.
        ResourceLimitError: Not enough memory.
        InvalidPositionError: A declared triple is no position.
        ValueError: Arguments out of range, or exclusions that do not cover the sheets.
    """
    _check_limit("count", count)
    if y_limit is not None:
        _check_limit("y_limit", y_limit)
    if block_positions < 1:
        raise ValueError(f"block_positions = {block_positions} is not positive")
    workers = _thread_count(threads)
    row_end = None if y_limit is None else max(count - 1, 0) + y_limit
    gathered = gather(exclusions, declared, count, row_end)
    return _attempts(count, gathered, row_end, y_limit, workers, progress, block_positions)


def _attempts(
    count: int,
    exclusions: Exclusions,
    row_end: int | None,
    y_limit: int | None,
    threads: int,
    progress: ProgressCallback | None,
    block_positions: int,
) -> Iterator[LoserSheets]:
    """Blocks of a build; begun anew with larger arrays where a game outgrows them."""
    if count == 0:
        yield _empty()
        return
    done = 0
    rows = 0
    for slack in _SLACKS:
        sizes = sizes_for(count, row_end, len(exclusions.declared_b), slack)
        if slack > _SLACKS[0] and sizes.board_bytes > _MAX_RETRY_BYTES:
            break
        rows = sizes.row_count
        build = Build(count, exclusions, row_end, y_limit, sizes, threads, progress)
        try:
            for begin, end in _bounds(count, block_positions):
                block = build.block(begin, end)
                if begin >= done:
                    done = end
                    yield block
        except TooSmallError:
            continue
        return
    raise BuildError(
        f"sheet {done} or later: no proof of its tail within {rows} rows, or too many values are"
        " excluded there"
    )


def _bounds(count: int, block_positions: int) -> Iterator[tuple[int, int]]:
    begin = 0
    while begin < count:
        square = begin * begin + int(block_positions / _PER_SQUARE)
        end = min(count, max(math.isqrt(square), begin + 1))
        if end < count:
            end -= (end - begin) % _PAIR if end - begin > _PAIR else 0
        yield begin, end
        begin = end


def _check_limit(name: str, value: int) -> None:
    if not 0 <= value <= MAX_LIMIT:
        raise ValueError(f"{name} = {value} is not in 0..{MAX_LIMIT}")


def _thread_count(threads: int | None) -> int:
    if threads is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        return max(1, min(2, cores))
    if not 1 <= threads <= _MAX_THREADS:
        raise ValueError(f"threads = {threads} is not in 1..{_MAX_THREADS}")
    return threads


def _empty() -> LoserSheets:
    offset = np.zeros(1, np.int64)
    none = np.zeros(0, np.int32)
    return LoserSheets(0, offset, none, none, offset, none)
