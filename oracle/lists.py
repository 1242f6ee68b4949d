"""Positions of any games in one list, each answered or refused on its own."""

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
    """The answer to each position of a list, or the error that refuses it.

    Equal positions are planned and answered once. A position is refused where it alone, or with
    those before it, costs more than the budget allows.

    Args:
        plan: plans the answer to a position, or raises the error that refuses it.
        positions: the positions, or their texts.

    Raises:
        ArrayTypeError: they are no list.
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
    """What is planned: the position or its text; the error that refuses what is neither."""
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
    """The cost of one more: the time of both, the memory of the larger."""
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
