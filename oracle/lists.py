"""Lists of positions of any games; each position is answered or refused alone."""

from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import TypeVar

from position_oracle.engine.budget import Cost, Plan, SharedWork, current, watched
from position_oracle.engine.games.position import Position
from position_oracle.oracle.answers import Answer
from position_oracle.schema.errors import PositionOracleError, ResourceLimitError, StoppedError
from position_oracle.schema.positions import PositionLike, position_text, positions_list

Planned = Plan[Answer] | PositionOracleError
T = TypeVar("T")


def plan_list(
    plan: Callable[[PositionLike], Plan[Answer]], positions: Sequence[PositionLike]
) -> Plan[tuple[Answer | PositionOracleError, ...]]:
    """Plan the answer to each position of a list, or the error that refuses it.

    Equal positions are planned and answered once. A position is refused if it costs more than the
    budget allows, alone or together with the positions before it.

    Args:
        plan: makes the plan for a position, or raises the error that refuses it.
        positions: the positions, or their texts.

    Raises:
        ArrayTypeError, ResourceLimitError: see `positions_list`.
    """
    listed = [_or_error(partial(_read, each)) for each in positions_list(positions)]
    planned: dict[Position | str | PositionOracleError, Planned] = {}
    total = Cost(1e-6 * len(listed), 100 * len(listed))
    works = set[SharedWork]()
    for position in watched(dict.fromkeys(listed)):
        if isinstance(position, PositionOracleError):
            planned[position] = position
            continue
        planned[position] = found = _or_error(partial(_admitted, plan, position, total, works))
        if isinstance(found, Plan):
            total = _with(total, found.cost, works)
            works |= found.cost.shared

    def run() -> tuple[Answer | PositionOracleError, ...]:
        found = {
            position: _or_error(each.run) if isinstance(each, Plan) else each
            for position, each in watched(planned.items())
        }
        return tuple(found[position] for position in listed)

    return Plan(total, run)


def _or_error(work: Callable[[], T]) -> T | PositionOracleError:
    """Return the result of work, or its error, unless the budget has ended."""
    try:
        return work()
    except StoppedError:
        raise
    except PositionOracleError as error:
        return error


def _read(position: PositionLike) -> Position | str:
    return position if isinstance(position, Position) else position_text(position)


def _admitted(
    plan: Callable[[PositionLike], Plan[Answer]],
    position: Position | str,
    before: Cost,
    works: Set[SharedWork],
) -> Plan[Answer]:
    """Return the plan for a position, within the budget after the positions before it."""
    found, limit = plan(position), current().limit
    current().admit(found.cost, "the question")
    total = _with(before, found.cost, works)
    if not total.fits(limit):
        raise ResourceLimitError(f"the list so far {total.excess(limit)}; ask again from here")
    return found


def _with(before: Cost, cost: Cost, works: Set[SharedWork]) -> Cost:
    """Return the cost with one more: the sum of the times, each work once; the larger memory."""
    rest = cost.after(works)
    return Cost(
        before.seconds + rest.seconds,
        max(before.memory_bytes, cost.memory_bytes + 1000),
        before.saved_seconds + rest.saved_seconds,
    )
