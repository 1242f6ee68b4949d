"""Lists of positions of any games; each position is answered or refused alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from position_oracle.engine.budget import Cost, Plan, current, watched
from position_oracle.engine.games.position import Position
from position_oracle.oracle.answers import Answer
from position_oracle.schema.answerer import MAX_POSITIONS
from position_oracle.schema.errors import PositionOracleError, ResourceLimitError, StoppedError
from position_oracle.schema.positions import PositionLike, position_text, positions_list

Planned = Plan[Answer] | PositionOracleError


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
        ArrayTypeError: the positions are not a list.
        ResourceLimitError: there are more than `MAX_POSITIONS`.
    """
    listed = tuple(map(_read, positions_list(positions)))
    if len(listed) > MAX_POSITIONS:
        raise ResourceLimitError(f"{len(listed):,} positions; at most {MAX_POSITIONS:,} at once")
    planned: dict[Position | str | PositionOracleError, Planned] = {}
    total = Cost(1e-6 * len(listed), 100 * len(listed))
    for position in watched(dict.fromkeys(listed)):
        planned[position] = found = _planned(plan, position, total)
        if isinstance(found, Plan):
            total = _with(total, found.cost)

    def run() -> tuple[Answer | PositionOracleError, ...]:
        found = {position: _answer(each) for position, each in watched(planned.items(), every=1)}
        return tuple(found[position] for position in listed)

    return Plan(total, run)


def _read(position: PositionLike) -> Position | str | PositionOracleError:
    """Return the position or its text to plan, or the error for anything else."""
    try:
        return position if isinstance(position, Position) else position_text(position)
    except PositionOracleError as error:
        return error


def _planned(
    plan: Callable[[PositionLike], Plan[Answer]],
    position: Position | str | PositionOracleError,
    before: Cost,
) -> Planned:
    if isinstance(position, PositionOracleError):
        return position
    try:
        found = plan(position)
        limit = current().limit
        current().admit(found.cost, "the question")
        total = _with(before, found.cost)
        if not total.fits(limit):
            return ResourceLimitError(f"the list so far {total.excess(limit)}; ask again from here")
    except StoppedError:
        raise
    except PositionOracleError as error:
        return error
    return found


def _with(before: Cost, cost: Cost) -> Cost:
    """Return the cost with one more: the sum of the times, the larger memory."""
    memory = max(before.memory_bytes, cost.memory_bytes + 1000)
    return replace(before + cost, memory_bytes=memory)


def _answer(planned: Planned) -> Answer | PositionOracleError:
    if isinstance(planned, PositionOracleError):
        return planned
    try:
        return planned.run()
    except StoppedError:
        raise
    except PositionOracleError as error:
        return error
