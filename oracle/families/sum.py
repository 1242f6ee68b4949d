"""Sums of games: answers from the Grundy values of their components."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial, reduce
from operator import xor
from typing import Final, NoReturn

from position_oracle.engine.budget import Cost, Plan, first_of, watched
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.sum import (
    NORMAL_SUM,
    component_moves,
    components_of,
    goes_by_value,
)
from position_oracle.engine.theory.sums import is_p_position
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    NOT_ALL,
    TOO_LARGE,
    TOO_MANY,
    Rows,
    Source,
    count_moves,
    unknown,
    weight,
)
from position_oracle.oracle.families.values import Values, ValueTable
from position_oracle.schema.answerer import ValueKind
from position_oracle.schema.errors import UnknownAnswerError

_THEOREM: Final[Mapping[bool, str]] = {
    False: "Sprague and Grundy: P exactly if the nim-sum of the components' values is 0",
    True: "Huddleston & Shurman, section 4: P exactly if the nim-sum of the components'"
    " values is 0, or 1 where none exceeds 1",
}

_NOT_BY_VALUES: Final = (
    "in misere play Grundy values decide only Chomp with every bite allowed and single heaps of Nim"
)

MAX_LOOKED: Final = 100_000
"""Maximum number of moves that are checked for winning ones, in all components together."""

_MOVE_SECONDS: Final = 1e-5

PlanPart = Callable[[Position], Plan[Values | None]]
"""Function that plans the Grundy values of a component."""

PartValue = tuple[int | None, Certainty | None]
"""The value of a component, None if unknown, and its certainty, None if it needs no source."""

FindValue = Callable[[Position, bool], PartValue]
"""Function that finds the value of a component, of a sum in misere play if the flag is true."""

Option = tuple[Position, int]
"""A move in a component: the child and its value."""


class SumProber(Prober):
    """Answers questions about sums whose components have known Grundy values."""

    family = "sum"

    def __init__(self, resources: Resources, *, of_list: bool = False) -> None:
        """Make a prober.

        Args:
            resources: tables, the cache, and the probers of the components.
            of_list: whether to ask about equal components once, for one list of positions.
        """
        super().__init__(resources)
        self._plan_part: PlanPart = cache(self._planned) if of_list else self._planned
        self._find_value: FindValue | None = cache(self._found) if of_list else None

    def games(self) -> tuple[Covered, ...]:
        """Return one entry: sums of games with Grundy values."""
        return (
            covered(
                NORMAL_SUM,
                "components with known Grundy values; in misere play Chomp and single heaps;"
                " small sums of any games",
                Certainty.EXACT_SEARCH,
                has_rows=False,
            ),
        )

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The source with the values of the components."""
        return (_Components(self._plan_part, self._find_value),)

    def _planned(self, part: Position) -> Plan[Values | None]:
        return self.resources.prober(part.game).plan_values("grundy", part)

    def _found(self, part: Position, misere: bool) -> PartValue:
        return _part_value(ValueTable(self._plan_part(part).run()), part, misere=misere)

    def plan_rows(self, game: GameSpec, coordinates: Rows, *, with_moves: bool) -> NoReturn:
        """Raise UnknownAnswerError: sums have no coordinates, so they cannot be packed."""
        raise UnknownAnswerError("sums are asked one at a time, as text")


class _Components(Source):
    """Source that decides by the Grundy values of the components."""

    def __init__(self, plan_part: PlanPart, find_value: FindValue | None) -> None:
        self._plan_part, self._find_value = plan_part, find_value

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan the outcome by the nim-sum of the values, and winning moves by component."""
        misere, parts = position.game.misere, components_of(position)
        if not all(goes_by_value(part, misere=misere) for part in parts):
            answer = unknown(position, f"{_NOT_BY_VALUES}, and {TOO_LARGE}")
            return Plan(LOOK_UP, lambda: answer, is_sure=False)
        plans = list(map(self._plan_part, parts))
        cost = sum((plan.cost for plan in plans), LOOK_UP)
        if with_moves:
            looked = count_moves(position, MAX_LOOKED)
            cost += Cost(_MOVE_SECONDS * looked * weight(position), 1 << 26)

        def run() -> Answer:
            if self._find_value is not None and not with_moves:
                return _answer(position, [self._find_value(part, misere) for part in parts])
            tables = [ValueTable(plan.run()) for plan in plans]
            values = list(map(partial(_part_value, misere=misere), tables, parts))
            found = _answer(position, values)
            if not with_moves or not found.outcome:
                return found
            if found.outcome is Outcome.P:
                return replace(found, winning_moves=())
            known = [value for value, _ in values if value is not None]
            moves, left_out = _winning(position, tables, known)
            reason = found.reason if left_out is None else f"{found.reason}; {left_out}"
            return replace(found, reason=reason, winning_moves=moves)

        return Plan(cost, run, is_sure=all(plan.is_sure for plan in plans))

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan the nim-sum in normal play; sums have no such value in misere play."""
        if kind != "grundy" or position.game.misere:
            return None
        plans = list(map(self._plan_part, components_of(position)))

        def run() -> Values | None:
            tables = [ValueTable(plan.run()) for plan in plans]
            if any(table.grundy is None for table in tables):
                return None

            def grundy(sum_: Position) -> int | None:
                parts = zip(tables, components_of(sum_), strict=True)
                values = [_value(table, part, misere=False) for table, part in parts]
                known = [value for value in values if value is not None]
                return reduce(xor, known) if len(known) == len(values) else None

            return Values(grundy, Certainty.EXACT_SEARCH, "the nim-sum of the components")

        cost = sum((plan.cost for plan in plans), LOOK_UP)
        return Plan(cost, run, is_sure=all(plan.is_sure for plan in plans))


def _part_value(table: ValueTable, part: Position, *, misere: bool) -> PartValue:
    certainty = None if table.grundy is None else table.grundy.certainty
    return _value(table, part, misere=misere), certainty


def _answer(position: Position, found: list[PartValue]) -> Answer:
    """Return the outcome by the values of the components."""
    misere, known = position.game.misere, list[int]()
    for part, (value, _) in zip(components_of(position), found, strict=True):
        if value is None:
            return unknown(position, f"{part} is beyond stored Grundy values and searches")
        known.append(value)
    outcome = Outcome.P if is_p_position(known, misere=misere) else Outcome.N
    reason = f"{_THEOREM[misere]}; here {', '.join(map(str, known))}"
    return Answer(position, outcome, _certainty({certainty for _, certainty in found}), reason)


def _winning(
    whole: Position, tables: list[ValueTable], values: list[int]
) -> tuple[tuple[Move, ...] | None, str | None]:
    """Return the winning moves, None if too many, and the reason why some are left out."""
    nim_sum = reduce(xor, values, 0)
    wins: list[Move] = []
    are_known = True
    left, misere = MAX_LOOKED, whole.game.misere
    for index, (table, part) in enumerate(zip(tables, components_of(whole), strict=True)):
        options: Iterable[Option] | None = _wanted(part, values[index] ^ nim_sum)
        if options is None:
            looked = [
                child for _, child in first_of(component_moves(part, misere=misere), left + 1)
            ]
            left -= len(looked)
            if left < 0:
                return None, TOO_MANY
            children = dict.fromkeys(looked)
            options = list(_valued(children, table, misere=misere))
            are_known &= len(options) == len(children)
        for child, value in options:
            if is_p_position([*values[:index], value, *values[index + 1 :]], misere=misere):
                wins.append(Move(whole.child(whole.value.with_part(index, child))))
    return tuple(wins) or (() if are_known else None), None if are_known else NOT_ALL


def _wanted(part: Position, others: int) -> Iterator[tuple[Position, int]] | None:
    """Return the moves in a component that may win, and their values.

    These moves have the value `others`, the nim-sum of the other components, or that value and 1.
    None means that all moves must be checked.
    """
    if part.game.family != "nim" or part.game.passes or part.game.is_variant:
        return None
    return _nim_children(part, (others, others ^ 1))


def _nim_children(part: Position, values: tuple[int, ...]) -> Iterator[tuple[Position, int]]:
    heaps = part.value
    total = reduce(xor, heaps, 0)
    for index, heap in enumerate(heaps):
        for rest in sorted({heap ^ total ^ value for value in values}):
            if rest < heap:
                yield part.child((*heaps[:index], rest, *heaps[index + 1 :])), total ^ heap ^ rest


def _valued(
    children: Iterable[Position], table: ValueTable, *, misere: bool
) -> Iterator[tuple[Position, int]]:
    """Yield the children whose values are known, with their values."""
    for child in watched(children):
        value = _value(table, child, misere=misere)
        if value is not None:
            yield child, value


def _value(table: ValueTable, part: Position, *, misere: bool) -> int | None:
    """Return the value of a component; in misere play every bite of Chomp is allowed."""
    values = table.at(part)
    is_chomp = rules_of(part.game.family).has_poison
    return values.grundy_unrestricted if misere and is_chomp else values.grundy


def _certainty(known: set[Certainty | None]) -> Certainty:
    """Return the least certainty of some values; the empty board needs no source."""
    for certainty in (Certainty.EXACT_SEARCH, Certainty.EXACT_TABLE):
        if certainty in known:
            return certainty
    return Certainty.THEOREM


PROBER = SumProber
