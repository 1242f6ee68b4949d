"""Builds of loser sheets: arguments, array sizes, blocks of sheets, progress."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.three_row.exclusions import Excluded, Triple, gather
from position_oracle.engine.solvers.three_row.memory import (
    PATTERN_WORDS,
    STATE,
    Exclusions,
    Output,
    Shared,
    Sizes,
    Workspace,
    allocate_shared,
    sizes_for,
)
from position_oracle.schema.errors import BuildError, ResourceLimitError
from position_oracle.schema.sheets import LoserSheets, offsets_of

BLOCK_POSITIONS = 4_000_000
"""Approximate number of P-positions in a block of ``iter_blocks``."""

_STEP_POSITIONS = 500_000  # some milliseconds of work between two checks of the budget

MAX_LIMIT = 1_000_000
"""Largest number of sheets, and largest y_limit."""

_LEAST_SHEETS = 8
"""Fewest sheets of a block."""

_SLACKS = (1 << 12, 1 << 15, 1 << 17)
_MAX_BYTES = 1 << 32  # of the arrays beyond those of the plain game
_PER_SQUARE = (math.sqrt(2) - 1) / 2
_NEVER = 1 << 40


SheetProgressCallback = Callable[[int, int, int], None]
"""Called with (sheets done, sheets, P-positions found)."""


def estimate(count: int) -> tuple[int, int]:
    """Estimate the P-positions in the prefixes of the sheets x < count, and the bytes of ``solve``.

    A sheet has (sqrt 2 - 1) x positions before its stop or tail (Friedman and Landsberg 2007,
    equation 5); the smaller term is fitted to counts up to 20,000.
    """
    _check_limit("count", count)
    positions = int(_PER_SQUARE * count * count + 0.9 * count)
    shared = sizes_for(count, None, np.zeros(0, np.int64), _SLACKS[0]).shared_bytes
    return positions, 4 * positions + shared + 1024 * count


def solve(
    count: int,
    *,
    exclusions: Excluded = None,
    declared: Iterable[Triple] = (),
    y_limit: int | None = None,
    progress: SheetProgressCallback | None = None,
) -> LoserSheets:
    """Compute all loser sheets with x < count; ``iter_blocks`` describes the arguments."""
    return LoserSheets.concatenate(
        iter_blocks(
            count,
            exclusions=exclusions,
            declared=declared,
            y_limit=y_limit,
            progress=progress,
            block_positions=2**62,
        )
    )


def iter_blocks(
    count: int,
    *,
    exclusions: Excluded = None,
    declared: Iterable[Triple] = (),
    y_limit: int | None = None,
    progress: SheetProgressCallback | None = None,
    block_positions: int = BLOCK_POSITIONS,
) -> Iterator[LoserSheets]:
    """Yield the loser sheets with x < count in blocks of consecutive sheets, in bounded memory.

    The position [x, y, z] has row lengths c = x, b = x + y, a = x + y + z. [0, 0, 1] is a
    P-position; the empty board counts as N. Sheet 0 of the plain game has z = 1 for all y.

    Args:
        count: Number of sheets, 0..MAX_LIMIT.
        exclusions: Exclusions of a variant. None: the plain game. ``LoserSheets``: the sheets of
            the same game with one pass fewer, at least ``count`` of them, not cut (a pass leads
            from [x, y, z; k] to [x, y, z; k - 1]; there is no pass from [0, 0, 1]). A callable:
            one more excluded z in every column; it needs ``y_limit``.
        declared: Triples [x, y, z]: declared N-positions, which are terminal and won by the player
            to move.
        y_limit: Limit of the columns: only y < y_limit is computed. A sheet that has neither
            stopped nor proven its tail by then is cut (period -1).
        progress: Called after some milliseconds of work each.
        block_positions: Approximate number of P-positions in a block; a block has at least 8
            sheets.

    Yields:
        Blocks in order, which together hold every sheet x < count.

    Raises:
        BuildError: The tail of some sheet could not be proven within reasonable bounds.
        ResourceLimitError: There is not enough memory.
        InvalidPositionError: A declared triple is not a position.
        ValueError: An argument is out of range, or a callable has no ``y_limit``.
    """
    _check_limit("count", count)
    if y_limit is not None:
        _check_limit("y_limit", y_limit)
    row_end = None if y_limit is None else max(count - 1, 0) + y_limit
    gathered = gather(exclusions, declared, count, row_end)
    return _Build(count, gathered, row_end, y_limit, progress).blocks(block_positions)


class _TooSmallError(Exception):
    """Raised if the working arrays are too small; the caller tries again with larger ones."""


@dataclass(frozen=True, slots=True)
class _Build:
    """One pass through the sheets of a game, from x = 0 on; see ``iter_blocks``.

    ``row_end``: the end of the computed rows; None for as many as tails need.
    """

    count: int
    exclusions: Exclusions
    row_end: int | None
    y_limit: int | None
    progress: SheetProgressCallback | None

    def blocks(self, block_positions: int) -> Iterator[LoserSheets]:
        """Yield the blocks in order; start again with larger arrays if the game needs them."""
        if self.count == 0:
            yield _empty()
            return
        done = 0
        for slack in _SLACKS:
            sizes = sizes_for(self.count, self.row_end, self.exclusions.declared_b, slack)
            needs_more = slack > _SLACKS[0] or sizes.declared_end > self.count
            if needs_more and sizes.shared_bytes > _MAX_BYTES:
                raise ResourceLimitError(
                    f"{self.count} sheets: what is excluded or declared needs arrays of"
                    f" {sizes.shared_bytes} bytes; the limit is {_MAX_BYTES}"
                )
            try:
                for block in self._tried(sizes, block_positions):
                    if block.first_x >= done:
                        done = block.end_x
                        yield block
            except _TooSmallError:
                continue
            except MemoryError as error:
                raise ResourceLimitError(
                    f"not enough memory for {self.count} sheets: use iter_blocks or fewer"
                ) from error
            return
        raise BuildError(
            f"sheet {done} or later: what is excluded or declared there keeps its tail from being"
            f" proven within {sizes.row_count} rows, or leaves no room in {64 * sizes.word_count}"
            " values of a row"
        )

    def _tried(self, sizes: Sizes, block_positions: int) -> Iterator[LoserSheets]:
        """Yield the blocks in order.

        Raises:
            _TooSmallError: The arrays are too small for this game.
            MemoryError: They are too large for the memory.
        """
        from position_oracle.engine.solvers.three_row.sheet import STOPPED, TOO_SMALL, run_sheets

        row_end = _NEVER if self.row_end is None else self.row_end
        shared = allocate_shared(sizes, row_end, _NEVER if self.y_limit is None else self.y_limit)
        workspace = Workspace(
            used=np.zeros(len(shared.dd), np.uint64),
            z=np.empty(shared.row_count, np.int32),
            excluded=np.empty(shared.row_count, np.uint64),
            state=np.zeros(1, STATE),
            pattern=np.zeros(PATTERN_WORDS, np.uint64),
            declared=np.empty(len(self.exclusions.declared_b), np.uint64),
        )
        head, budget, found = shared.head[0], current(), 0
        for begin, end in _parts(0, self.count, block_positions):
            head["positions"] = head["tail_positions"] = 0
            output = self._allocate_output(sizes, begin, end)
            arrays = shared, self.exclusions, output, workspace
            for first, last in _parts(begin, end, _STEP_POSITIONS):
                budget.check()
                result = run_sheets(*arrays, begin, first, last, budget.flag)
                if result == TOO_SMALL:
                    raise _TooSmallError
                if result == STOPPED:
                    budget.check()
                if self.progress is not None:
                    self.progress(last, self.count, found + int(head["positions"]))
            found += int(head["positions"])
            yield _sheets(shared, output, begin)

    def _allocate_output(self, sizes: Sizes, begin: int, end: int) -> Output:
        """Allocate 0.425 x + slack positions for sheet x; the plain game has 0.4142 x.

        Memory pages are used only when written.
        If an N-position is declared, sheets may begin their tails only after its row.
        """
        count = end - begin
        widest = min(sizes.row_count, _NEVER if self.y_limit is None else self.y_limit)
        usual = int(0.2125 * (end * end - begin * begin)) + sizes.slack // 16 * count
        usual += sizes.declared_end * count
        return Output(
            z=np.empty(min(usual, widest * count), np.int32),
            prefix_length=np.zeros(count, np.int64),
            period=np.zeros(count, np.int32),
            tail_z=np.empty(64 * count + sizes.slack, np.int32),
        )


def _sheets(shared: Shared, output: Output, begin: int) -> LoserSheets:
    head = shared.head[0]
    return LoserSheets(
        first_x=begin,
        prefix_offset=offsets_of(output.prefix_length),
        prefix_z=output.z[: head["positions"]],
        tail_period=output.period,
        tail_offset=offsets_of(np.maximum(output.period, 0).astype(np.int64)),
        tail_z=output.tail_z[: head["tail_positions"]].copy(),
        closed_by=int(head["closed"]) if head["closed"] >= 0 else None,
    )


def _parts(begin: int, end: int, positions: int) -> Iterator[tuple[int, int]]:
    """Cut the sheets begin .. end - 1 into groups of about this number of P-positions."""
    while begin < end:
        last = math.isqrt(begin * begin + int(positions / _PER_SQUARE))
        last = min(end, max(last - (last - begin) % _LEAST_SHEETS, begin + _LEAST_SHEETS))
        yield begin, last
        begin = last


def _check_limit(name: str, value: int) -> None:
    if not 0 <= value <= MAX_LIMIT:
        raise ValueError(f"{name} = {value} is not in 0..{MAX_LIMIT}")


def _empty() -> LoserSheets:
    offset = np.zeros(1, np.int64)
    none = np.zeros(0, np.int32)
    return LoserSheets(0, offset, none, none, offset, none)
