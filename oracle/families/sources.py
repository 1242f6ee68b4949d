"""Sources: theorems, tables, kernels and the graph; and the combination of their plans.

A source is one way to know positions of a family. For a question it returns a plan, or None if it
has no answer. A family has one ordered list of sources for single questions, batches, admission and
warm-up. If a plan is not `is_sure`, the next source is planned, too, and runs if the answer is
still unknown.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import numpy.typing as npt

from position_oracle.engine.amounts import duration_text
from position_oracle.engine.budget import Cost, Plan, current, watched
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.sum import Components, components_of
from position_oracle.engine.theory.bounds import product
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.oracle.answers import Answer, Certainty, Turns, WinProbability
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.errors import (
    InvalidPositionError,
    InvalidRowError,
    ResourceLimitError,
    UnknownAnswerError,
)

if TYPE_CHECKING:
    from typing import TypeAlias

T = TypeVar("T")

Rows = npt.NDArray[np.integer]
"""The positions of a batch, integers (n, k): one position a row."""

Outcomes = npt.NDArray[np.uint8]
Moves = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
RowIndices = npt.NDArray[np.intp]
Found: "TypeAlias" = tuple[Outcomes, Moves | None]
"""Outcomes (n,) of a batch, and the children (n, k) after moves, if requested."""

KnownRows: "TypeAlias" = tuple[Mask, Plan[Found]]
KnownChances: "TypeAlias" = tuple[Mask, Plan[Floats]]
"""Which rows of a batch are known, bool (n,), and a plan for these."""

KINDS: Final[tuple[ValueKind, ValueKind]] = ("grundy", "remoteness")

LOOK_UP: Final = Cost(2e-5)
"""The cost of an answer from a table or a closed form."""

SOON: Final = 0.02
"""Work of at most this many seconds begins whatever the deadline is."""

CELL_SECONDS: Final = 2e-8
SHEET_SECONDS: Final = 6e-6
"""Seconds for a cell, and for a sheet, of a window."""

SLICE: Final = 32_768
"""Number of rows of a batch that are answered between two checks of the budget: a few milliseconds
of work."""

SMALL_BOUND: Final = 5_000
"""Maximum bound of the work of a quick search; see `is_quickly_searched`."""

INT32_MAX: Final = 2**31 - 1


NOT_ALL: Final = "whether another move wins, too, is not known"
"""End of the reason of an answer that lists some winning moves but perhaps not all."""

MAX_POSITIONS: Final = 300_000
"""Maximum number of positions of a graph that is made on demand."""

MAX_MOVES: Final = 2_500_000
"""Maximum number of moves of such a graph: some seconds of work."""

ROW_POSITIONS: Final = 500_000
ROW_MOVES: Final = 30_000_000
"""Maximum number of moves for boards and heaps, whose moves compiled code lists."""

TOO_LARGE: Final = (
    f"no theorem or table decides it; a search on demand goes to {MAX_POSITIONS:,} positions and"
    f" {MAX_MOVES:,} moves (boards and heaps: {ROW_POSITIONS:,} and {ROW_MOVES:,}); a search of all"
    " smaller positions would decide it"
)

TOO_MANY: Final = "there are too many moves to list all that win"
"""End of the reason of an answer that names one winning move, or none, of very many."""

ALL_BY_SEARCH: Final = "all winning moves by a search of all positions that play can reach"
"""Part of a reason: a search found the moves of a theorem's outcome."""


@lru_cache(maxsize=64)
def count_moves(position: Position, most: int) -> int:
    """Return an upper bound of the number of moves, or the given bound if it is smaller."""
    if parts := components_of(position):
        return min(most, sum(count_moves(part, most) for part in parts))
    game = position.game
    try:
        counted = rules_of(game.family).count(position.value, game, most)
    except (InvalidPositionError, ResourceLimitError):  # infinitely many, or very many
        return most
    return min(most, counted + 1)


def weight(position: Position) -> float:
    """Return the time of a move as a multiple of that in a position of three numbers."""
    return 1 + max(0, _width(position) - 3) / 16


def _width(position: Position) -> int:
    """Return how many numbers a position has; boxes count their sides."""
    value = position.value
    if isinstance(value, Components):
        return sum(map(_width, value.parts))
    if isinstance(value, OrdinalPosition):
        return len(value.boxes) * value.dimension
    return len(position.coordinates)


class Source:
    """One way to know some positions; each method returns None if the source has no answer."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the outcome of a legal position, with all winning moves if requested."""
        return None

    def plan_look_up(self, position: Position) -> Plan[Answer] | None:
        """Plan the outcome for a look-up; `Prober.look_up` runs only plans without work."""
        return self.plan(position, with_moves=False)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan Grundy values, or remoteness, of a position and its children."""
        return None

    def plan_known_chance(
        self, position: Position, model: Model
    ) -> Plan[WinProbability | None] | None:
        """Plan a win probability by a theorem."""
        return None

    def plan_chance(self, position: Position, model: Model) -> Plan[WinProbability | None] | None:
        """Plan a win probability by a table or a simulation, which a search may know exactly."""
        return None

    def plan_turns(self, position: Position) -> Plan[Turns | None] | None:
        """Plan the mean number of turns of a random game by a theorem, without the distribution."""
        return None

    def plan_rows(self, game: GameSpec, rows: Rows, *, with_moves: bool) -> KnownRows | None:
        """Return which of many positions are known, bool (n,), and a plan for these.

        Args:
            game: the game of all rows.
            rows: integers (n, k), checked by the prober of the family.
            with_moves: whether to find the first winning move of each.
        """
        return None

    def plan_value_rows(self, kind: ValueKind, game: GameSpec, rows: Rows) -> Plan[Ints] | None:
        """Plan Grundy values, or remoteness, int64 (n,), of many positions; -1 if unknown."""
        return None

    def plan_chances(self, game: GameSpec, rows: Rows, model: Model) -> KnownChances | None:
        """Plan win probabilities of many positions; NaN if unknown."""
        return None


class Undecided(Source):
    """The last source, which names the build that would decide a position."""

    def __init__(self, tell: Callable[[Position], Answer], cost: Cost = LOOK_UP) -> None:
        """Set the answer without an outcome, and its cost."""
        self._tell, self._cost = tell, cost

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan an answer without an outcome."""
        return Plan(self._cost, lambda: self._tell(position), is_sure=False)

    def plan_look_up(self, position: Position) -> None:
        """Nothing is known."""


def first_answer(
    position: Position, plans: Iterable[Plan[Answer] | None], *, with_moves: bool
) -> Plan[Answer]:
    """Plan to ask sources in order until the answer is complete."""
    chosen = [in_time(plan, partial(unknown, position)) for plan in _until_sure(plans)]
    if len(chosen) == 1:
        return chosen[0]

    def run() -> Answer:
        found = None
        for plan in chosen:
            answer = plan.run()
            found = answer if found is None else joined(found, answer)
            if found.outcome and (not with_moves or names_all_wins(found)):
                break
        return found or unknown(position, TOO_LARGE)

    return Plan(_sum(chosen), run, is_sure=bool(chosen) and chosen[-1].is_sure)


def first_found(plans: Iterable[Plan[T | None] | None]) -> Plan[T | None]:
    """Plan to ask sources in order until one of them answers."""
    chosen = [in_time(plan, _nothing) for plan in _until_sure(plans)]
    if len(chosen) == 1:
        return chosen[0]

    def run() -> T | None:
        found = (plan.run() for plan in chosen)
        return next((each for each in found if each is not None), None)

    return Plan(_sum(chosen), run, is_sure=bool(chosen) and chosen[-1].is_sure)


def in_time(plan: Plan[T], late: Callable[[str], T], soon: float = SOON) -> Plan[T]:
    """Return a plan whose work begins only if the caller's deadline leaves enough time.

    Args:
        plan: the plan.
        late: makes the answer for the other case from a reason.
        soon: work of at most this many seconds begins whatever the deadline is.
    """
    cost = plan.cost.seconds
    if cost <= soon:
        return plan

    def run() -> T:
        given = current().seconds
        if cost <= given:
            return plan.run()
        needed, left = duration_text(cost), duration_text(given)
        return late(f"deciding it takes about {needed}; the deadline leaves {left}")

    return replace(plan, run=run)


def _nothing(_: str) -> None:
    return None


def _until_sure(plans: Iterable[Plan[T] | None]) -> list[Plan[T]]:
    chosen = []
    for plan in plans:
        if plan is not None:
            chosen.append(plan)
            if plan.is_sure:
                break
    return chosen


def _sum(plans: Iterable[Plan[T]]) -> Cost:
    return sum((plan.cost for plan in plans), Cost())


def joined(found: Answer, later: Answer) -> Answer:
    """Join two answers; the reason is that of the first if it decides."""
    if not later.outcome or (found.outcome and not names_all_wins(later)):
        return found
    if not found.outcome:
        return replace(later, transfinite=found.transfinite)
    moves = dict.fromkeys((*(found.winning_moves or ()), *(later.winning_moves or ())))
    return replace(found, winning_moves=tuple(moves), reason=f"{found.reason}; {ALL_BY_SEARCH}")


def names_all_wins(answer: Answer) -> bool:
    """Return whether an answer lists all winning moves."""
    if answer.winning_moves is None:
        return False
    if answer.outcome is Outcome.P or ALL_BY_SEARCH in answer.reason:
        return True
    facts = answer.transfinite  # a rule of transfinite Chomp names one bite
    is_one = facts is not None and facts.rule is not None
    return not is_one and NOT_ALL not in answer.reason and TOO_MANY not in answer.reason


def unknown(position: Position, reason: str) -> Answer:
    """Make the answer for a position that no source decides; `reason` names a build that would."""
    return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, reason)


def slices(count: int, size: int = SLICE) -> Iterator[slice]:
    """Yield the slices of a batch; check the budget before each."""
    for start in range(0, count, size):
        current().check()
        yield slice(start, start + size)


def no_sheets(game: GameSpec) -> UnknownAnswerError:
    """Return the error for sheets of a game without sheets; it names the games that have some."""
    return UnknownAnswerError(
        f"{game.text} has no sheets; there are those of three-row Chomp, of Nim with three heaps,"
        " such as nim{heaps=3,passes=1}, and of Wythoff's game with three heaps in normal play with"
        " an even number of passes, such as wythoff{rule=pairs}"
    )


def window_cost(x: int, size_y: int, size_z: int) -> Cost:
    """Return the cost of a window of W_x besides its sheets."""
    cells = size_y * size_z
    seconds = 0.002 + CELL_SECONDS * (cells + x * (size_y + 1)) + SHEET_SECONDS * x
    return Cost(seconds, 2 * cells + 16 * (size_y + x))


def packed(coordinates: Rows, columns: int, form: str) -> npt.NDArray[np.int32]:
    """Return coordinates of a batch as int32 (n, columns), C-contiguous; a view if possible.

    Raises:
        InvalidPositionError: the array has another shape, or a number does not fit int32.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != columns:
        reason = f"positions of {form} have {columns} numbers, not {coordinates.shape[-1]}"
        raise InvalidRowError(0, reason) if len(coordinates) else InvalidPositionError(reason)
    narrow = np.ascontiguousarray(coordinates, np.int32)
    if narrow.dtype != coordinates.dtype:
        changed = np.flatnonzero((narrow != coordinates).any(axis=1))
        if len(changed):
            raise InvalidRowError(
                int(changed[0]),
                "batches take numbers up to 2^31 - 1, single questions larger ones",
            )
    return narrow


def check_not_negative(rows: npt.NDArray[np.integer], what: str) -> None:
    """Raise InvalidRowError if a number of a batch is negative."""
    if rows.min(initial=0) < 0:
        row = int(np.argmax((rows < 0).any(axis=1)))
        raise InvalidRowError(row, f"{what} may not be negative")


def declared_rows(game: GameSpec, rows: Rows) -> Mask:
    """Return which rows of three numbers are declared N, and so have no moves; bool (n,)."""
    declared = np.zeros(len(rows), np.bool_)
    for position in watched(game.declared):
        declared |= (rows == np.array(position)).all(axis=1)
    if game.noise is not None:
        x, y, z = rows.T.astype(np.int64)
        declared |= game.noise.at(x, y) == z
    return declared


def is_quickly_searched(numbers: tuple[int, ...]) -> bool:
    """Return whether the graph of heaps or of a board is searched in at most 0.2 s.

    Compiling kernels would take longer. The bound of the work is the number of smaller positions,
    times their moves / 30.
    """
    return product(number + 1 for number in numbers) * max(1.0, sum(numbers) / 30) <= SMALL_BOUND
