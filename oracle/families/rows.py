"""Rows of a batch that are answered one by one; equal rows are answered once."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan, current, watched
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer
from position_oracle.oracle.families.sources import (
    INT32_MAX,
    Mask,
    Moves,
    Outcomes,
    RowIndices,
    Rows,
)
from position_oracle.schema.arrays import PASS_ONLY
from position_oracle.schema.errors import InvalidPositionError, InvalidRowError, ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.oracle.families.base import Prober

ROW_SECONDS: Final = 3e-5
"""Seconds for a row of a batch that is answered singly, besides the work for its answer."""

_NUMBER_SECONDS: Final = 1e-6
"""Seconds to read a number of a row."""

MAX_OPEN_ROWS: Final = 256
"""Maximum number of different rows of a batch that are searched one by one if sources answer
arrays."""

SAMPLE: Final = 256
"""Number of different rows of a batch that are planned first; the cost of the others is
extrapolated."""

_SAMPLED: Final = 1 << 15
"""Maximum number of numbers in the sample; wide rows take longer to read."""

_LEAST_SAMPLE: Final = 32

_TIMES: Final = 3
"""Maximum actual cost of the rows of a batch, as a multiple of the estimate."""

_LOOKED_AT: Final = 4096
"""Number of rows of a batch that are checked first to see whether many differ."""

_BLOCK: Final = 1 << 18
"""Number of numbers that are hashed between two checks of the budget."""

_MULTIPLIERS: Final = np.random.default_rng()
"""Factors of the hash; they differ in every process, so that nobody can choose rows with equal
hashes."""


def distinct_rows(rows: Rows) -> tuple[RowIndices, RowIndices]:
    """Return the first of each kind of equal rows, ascending, and the kind of each row."""
    multipliers = _MULTIPLIERS.integers(2**63, size=rows.shape[1], dtype=np.uint64) * 2 + 1
    mixed = np.empty(len(rows), np.uint64)
    step = max(1, _BLOCK // max(rows.shape[1], 1))
    for start in range(0, len(rows), step):
        current().check()
        block = rows[start : start + step].astype(np.uint64)
        mixed[start : start + step] = (block * multipliers).sum(axis=1)
    _, first, place = np.unique(mixed, return_index=True, return_inverse=True)
    for start in range(0, len(rows), step):
        current().check()
        part = slice(start, start + step)
        if not np.array_equal(
            rows[part], rows[first[place[part]]]
        ):  # equal hashes of different rows
            _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            break
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[place.ravel()]


class NarrowRowsError(InvalidPositionError):
    """Raised if a winning move leads to a position with more numbers than a row has.

    Attributes:
        width: the number of numbers.
    """

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.width = width


class DifferentRows:
    """The different rows among some rows of a batch.

    Attributes:
        count: the number of different rows.
        place: the index of the different row that equals each row.
        width: the numbers of a row.
        reading: seconds to read one as a position.
    """

    def __init__(
        self,
        prober: "Prober",
        game: GameSpec,
        rows: Rows,
        lines: RowIndices,
        most: int | None = None,
    ) -> None:
        """Compare rows.

        Args:
            prober: the prober of the game.
            game: the game of the batch.
            rows: all rows of the batch.
            lines: the indices of the rows to compare.
            most: the maximum number of different rows, None for no maximum; if there are more, none
                is used.
        """
        few = rows[lines[:_LOOKED_AT]]
        if most is not None and len(distinct_rows(few)[0]) > most:
            lines = lines[:0]
        first, self.place = distinct_rows(rows[lines])
        self._first = lines[first]
        if most is not None and len(first) > most:
            self._first, self.place, lines = lines[:0], lines[:0], lines[:0]
        self._position, self._game, self._rows = prober.rules.position, game, rows
        self.lines, self.count = lines, len(self._first)
        self.width = rows.shape[1]
        self.reading = _NUMBER_SECONDS * self.width

    @property
    def sample(self) -> range:
        """The numbers of some rows, evenly spread."""
        most = max(_LEAST_SAMPLE, min(SAMPLE, _SAMPLED // max(self.width, 1)))
        return range(0, self.count, -(-self.count // most) or 1)

    def position(self, number: int) -> Position:
        """Return the position of one row.

        Raises:
            InvalidPositionError: the row is not a position; the message names it.
        """
        line = self._first[number]
        try:
            return self._position(self._game, tuple(self._rows[line].tolist()))
        except InvalidPositionError as error:
            raise InvalidRowError(int(line), str(error)) from error


class Spending:
    """The actual cost of rows planned one by one, against the cost estimated from a sample."""

    def __init__(self, promised: Cost) -> None:
        self._left = _TIMES * promised.seconds

    def spend(self, cost: Cost) -> None:
        """Record the cost of another row.

        Raises:
            ResourceLimitError: the rows cost far more than estimated.
        """
        self._left -= cost.seconds
        if self._left < 0:
            raise ResourceLimitError(
                "the rows of the batch differ too much in what they cost; ask about fewer at a time"
            )


class SingleRows:
    """Rows of a batch that are answered one by one.

    Attributes:
        cost: the cost of all rows, extrapolated from a sample.
    """

    def __init__(
        self,
        prober: "Prober",
        game: GameSpec,
        rows: Rows,
        is_open: Mask,
        *,
        with_moves: bool,
        again: bool,
    ) -> None:
        """Plan the rows without a known answer.

        Args:
            prober: makes the plans.
            game: the game.
            rows: all rows of the batch.
            is_open: which rows are planned.
            with_moves: whether to find moves.
            again: whether to plan all sources. If not, they were planned before, and only the graph
                is tried, for few rows and a quarter of the budget.
        """
        most, limit = prober.max_singles(game), current().limit.seconds
        if not again:
            most, limit = MAX_OPEN_ROWS, limit / 4
        plan = prober.plan if again else prober.graph.plan_last
        self._form = prober.rules.form
        self._plan: Callable[[Position], Plan[Answer]] = partial(plan, with_moves=with_moves)
        self._different = DifferentRows(prober, game, rows, np.flatnonzero(is_open), most)
        self._plans: dict[int, Plan[Answer]] = {}
        seconds, memory = 0.0, 0
        planned: dict[Position, Plan[Answer]] = {}
        for number in watched(self._different.sample if again else range(self._different.count)):
            position = self._different.position(number)
            each = planned.get(position)
            if each is None:
                each = planned[position] = self._plan(position)
                seconds += each.cost.seconds
                memory = max(memory, each.cost.memory_bytes)
            seconds += ROW_SECONDS + self._different.reading
            if seconds > limit:
                break
            self._plans[number] = each
        self._is_whole = not again or self._different.count == len(self._plans)
        if again and seconds:  # assuming equal costs of the other rows
            seconds *= self._different.count / max(len(self._plans), 1)
        self.cost = Cost(
            1e-6 * int(np.count_nonzero(is_open)) + seconds,
            memory + 1000 * self._different.count + 8 * rows.size,
        )

    def fill(self, outcomes: Outcomes, children: Moves | None) -> None:
        """Answer the rows whose outcome is unknown."""
        lines, place = self._different.lines, self._different.place
        spending = Spending(self.cost)
        ordered = lines[np.argsort(place, kind="stable")]
        ends = np.cumsum(np.bincount(place, minlength=self._different.count)).tolist()
        for number, (begin, end) in enumerate(watched(pairwise([0, *ends]))):
            part = ordered[begin:end]
            if outcomes[part[0]] != Outcome.UNKNOWN:
                continue
            plan = self._plans.get(number)
            if plan is None:
                if self._is_whole:
                    continue
                plan = self._plan(self._different.position(number))
                spending.spend(plan.cost)
            answer = plan.run()
            outcomes[part] = answer.outcome
            if children is not None and answer.winning_moves:
                move = answer.winning_moves[0]
                children[part] = PASS_ONLY
                if not move.is_pass:
                    child, width = move.child.coordinates, children.shape[1]
                    children[part] = packed_child(self._form, child, width, int(part[0]))


def packed_child(form: str, child: tuple[int, ...], width: int, row: int) -> Moves:
    """Return the coordinates of a child as a row of a batch.

    Args:
        form: an example of a position of the family, for messages.
        child: its coordinates.
        width: the number of numbers of a row.
        row: the row of the child's parent.

    Raises:
        NarrowRowsError: the child has more numbers.
        InvalidRowError: a number does not fit int32.
    """
    if len(child) > width:
        raise NarrowRowsError(len(child))
    if max(child, default=0) > INT32_MAX:
        raise InvalidRowError(
            row,
            f"{form}: it has a winning move to {list(child[:8])}; batches take numbers up to"
            " 2^31 - 1, single questions larger ones",
        )
    return np.array(child + (0,) * (width - len(child)), np.int32)
