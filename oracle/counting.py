"""Counts of P-positions within bounds: by the values of heaps, or batch by batch."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, islice, product
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.heap_pass import HeapPassRules
from position_oracle.engine.games.heaps import HeapRules
from position_oracle.engine.games.nim import Nim
from position_oracle.engine.games.partition import Partition
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import TakingRules
from position_oracle.engine.games.unordered import UnorderedHeaps
from position_oracle.engine.solvers.steps import StepCallback
from position_oracle.oracle.answers import Outcome
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.heap_sums import HeapSumProber
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_COUNTED: Final = 100_000_000
"""Maximum number of positions that are asked one after the other."""

MAX_VALUES: Final = 10_000_000
"""Largest heap for counts by the values of heaps."""

BATCH: Final = 16_384


@dataclass(frozen=True, slots=True)
class Count:
    """A count of the P-positions within bounds.

    Attributes:
        positions: the number of positions.
        p_positions: the number of P-positions.
        unknown: the number of positions that no available source decides.
        by: the method of the count.
    """

    positions: int
    p_positions: int
    unknown: int
    by: str

    def as_json(self) -> dict[str, object]:
        """Return the count as JSON values with stable keys."""
        return {
            "positions": self.positions,
            "p_positions": self.p_positions,
            "unknown": self.unknown,
            "by": self.by,
        }


def count(oracle: Oracle, game: GameSpec, bounds: Coordinates, progress: StepCallback) -> Count:
    """Count the P-positions of a game.

    Args:
        oracle: the oracle that answers.
        game: the game, with the passes left in it.
        bounds: the largest value of each coordinate; for boards of Chomp, of each row.
        progress: callback with (rows done, rows), after every batch from the first position on.

    Raises:
        ResourceLimitError: there are too many positions.
        InvalidPositionError: the game has no positions with such coordinates.
    """
    found = _by_values(oracle, game, bounds)
    return found or _by_batches(oracle, game, bounds, progress)


def _by_values(oracle: Oracle, game: GameSpec, bounds: Coordinates) -> Count | None:
    """Count heaps of a sum in normal play; None if their values do not decide."""
    prober = oracle.prober(game)
    rules = prober.rules
    if game.misere or game.passes or game.is_variant or len(set(bounds)) != 1:
        return None
    largest, heaps = bounds[0], len(bounds)
    if isinstance(rules, Nim):
        values: Sequence[int] = range(largest + 1)
    elif isinstance(prober, HeapSumProber) and _is_of_sizes(rules):
        if largest > MAX_VALUES:
            raise ResourceLimitError(f"heaps up to {largest:,}; at most {MAX_VALUES:,} are counted")
        plan = prober.plan_heaps(game, (largest,))
        if plan is None:
            return None
        sizes = np.arange(largest + 1, dtype=np.int64)[:, None]
        values = plan.run().values(sizes)[:, 0].tolist()
    else:
        return None
    if largest > MAX_VALUES:
        raise ResourceLimitError(f"heaps up to {largest:,}; at most {MAX_VALUES:,} are counted")
    ordered = isinstance(rules, Nim)
    return Count(
        count_choices(largest + 1, heaps, ordered=ordered),
        count_p_positions(values, heaps, ordered=ordered),
        0,
        "the values of the heaps",
    )


def _by_batches(
    oracle: Oracle, game: GameSpec, bounds: Coordinates, progress: StepCallback
) -> Count:
    rules = oracle.prober(game).rules
    rows, total = _rows(rules, _in_order(rules, game, bounds))
    if total > MAX_COUNTED:
        raise ResourceLimitError(f"{total:,} rows of numbers; at most {MAX_COUNTED:,} are counted")
    positions = p_positions = unknown = done = 0
    while batch := list(islice(rows, BATCH)):
        current().check()
        done += len(batch)
        batch = [row for row in batch if _is_canonical(rules, game, row)]
        if batch:
            outcomes = oracle.outcomes(game, np.array(batch, np.int64))
            positions += len(batch)
            p_positions += int((outcomes == Outcome.P).sum())
            unknown += int((outcomes == Outcome.UNKNOWN).sum())
        if positions:
            progress(done, total)
    if not positions:
        raise InvalidPositionError(f"{rules.form}: there is no position with {len(bounds)} numbers")
    return Count(positions, p_positions, unknown, "the outcome of every position")


def _is_of_sizes(rules: Rules) -> bool:
    """Return whether positions are sizes of heaps without order."""
    return isinstance(rules, UnorderedHeaps) and type(rules).position is UnorderedHeaps.position


def has_heaps(rules: Rules) -> bool:
    """Return whether the numbers of a position are heaps."""
    return isinstance(rules, HeapRules | Partition | TakingRules | UnorderedHeaps)


def _in_order(rules: Rules, game: GameSpec, bounds: Coordinates) -> Coordinates:
    """Return the bounds in ascending order if positions have their heaps in ascending order.

    Raises:
        InvalidPositionError: only some heaps may have passes of their own. Then no order of the
            bounds includes all positions.
    """
    if not has_heaps(rules):
        return bounds
    numbers = 2 if isinstance(rules, HeapPassRules) else 1  # of each heap
    if numbers == 2 and len(set(bounds[1::2])) > 1:
        raise InvalidPositionError(
            "bounds of heaps with passes: give all heaps 1, or all 0, as their second number"
        )
    heaps = [bounds[begin : begin + numbers] for begin in range(0, len(bounds), numbers)]
    ascending = tuple(chain.from_iterable(sorted(heaps)))
    with suppress(InvalidPositionError):
        if rules.position(game, bounds) == rules.position(game, ascending):
            return ascending
    return bounds


def _rows(rules: Rules, bounds: Coordinates) -> tuple[Iterator[Coordinates], int]:
    """Return rows of numbers that include all positions, and the number of rows."""
    largest, length = max(bounds), len(bounds)
    if len(set(bounds)) == 1 and (_is_of_sizes(rules) or rules.family == "chomp"):
        numbers = range(largest + 1) if _is_of_sizes(rules) else range(largest, -1, -1)
        return combinations_with_replacement(numbers, length), comb(largest + length, length)
    total = prod(each + 1 for each in bounds)
    return (product(*(range(min(each, MAX_COUNTED) + 1) for each in bounds)), total)


def _is_canonical(rules: Rules, game: GameSpec, row: Coordinates) -> bool:
    """Return whether a row is a position in its canonical form, up to the zeros of empty heaps."""
    try:
        coordinates = rules.position(game, row).coordinates
    except InvalidPositionError:
        return False
    zeros = (0,) * (len(row) - len(coordinates))
    is_ascending = isinstance(rules, UnorderedHeaps | Partition)
    return row == (zeros + coordinates if is_ascending else coordinates + zeros)


def count_p_positions(values: Sequence[int], heaps: int, *, ordered: bool) -> int:
    """Count the choices of heaps whose values have nim-sum 0.

    The function uses the Walsh transform. For each character u, a heap of value v counts as 1 or
    -1: (-1)^popcount(u & v). Let a heaps count as 1 and b as -1. Then choices in order sum to (a -
    b)^heaps, and choices without order to the coefficient of t^heaps in 1 / ((1 - t)^a (1 + t)^b).
    The mean of these sums over all characters is the number of choices with nim-sum 0.

    Args:
        values: the Grundy value of each heap that may be chosen, including the empty heap.
        heaps: the number of chosen heaps; a heap may be chosen several times.
        ordered: whether the order of the heaps counts.

    >>> count_p_positions(range(4), 2, ordered=True), count_p_positions(range(4), 2, ordered=False)
    (4, 4)
    """
    size = 1 << max(values, default=0).bit_length()
    counts = np.bincount(np.asarray(values, np.int64), minlength=size)
    total = 0
    for character, times in Counter(_walsh(counts).tolist()).items():
        ones = (len(values) + character) // 2
        term = character**heaps if ordered else _unordered(ones, len(values) - ones, heaps)
        total += times * term
    return total // size


def count_choices(kinds: int, heaps: int, *, ordered: bool) -> int:
    """Return the number of ways to choose heaps of some kinds."""
    return kinds**heaps if ordered else comb(kinds + heaps - 1, heaps)


def _unordered(ones: int, others: int, heaps: int) -> int:
    """Return the coefficient of t^heaps in 1 / ((1 - t)^ones (1 + t)^others)."""
    return sum(
        _multisets(ones, heaps - taken) * _multisets(others, taken) * (-1) ** taken
        for taken in range(heaps + 1)
    )


def _multisets(kinds: int, size: int) -> int:
    return comb(kinds + size - 1, size) if size else 1


def _walsh(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of the counts with the signs of each character; the size is a power of 2."""
    found = counts.copy()
    step = 1
    while step < len(found):
        pairs = found.reshape(-1, 2, step)
        found = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), 1).reshape(-1)
        step *= 2
    return found
