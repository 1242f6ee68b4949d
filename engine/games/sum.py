"""Sums of games: several positions side by side; a move is a move in one component.

    chomp3:[2,1,0] + nim:[3,5] + chomp:4/2       normal play; poison is not eaten
    misere{chomp:4/2 + chomp:3/1 + nim:[3]}      the last move of all loses

The theory is in `engine.theory.sums`: which components each kind of play allows, and why.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from position_oracle.engine.games.actions import THE_PASS, inside
from position_oracle.engine.games.choice import notable_moves
from position_oracle.engine.games.moves import (
    act,
    action_of,
    is_eaten,
    is_endless,
    options,
    ways,
)
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import Regular, Rules, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import Tree, sum_tree, tree_of
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import PASS, Action
from position_oracle.schema.numbers import read_digits

MAX_COMPONENTS: Final = 64

# Inside one position a plus may also join parts, as in declared=[1,0,2]+[0,1,1] and in boxes of
# transfinite Chomp; only where a family and its colon follow does it begin another position.
_PLUS: Final = re.compile(r"\+\s*(?=[a-z][a-z0-9]*\s*(?:\{[^{}]*\}\s*)?:)")
_MISERE: Final = re.compile(r"misere\s*\{(?P<components>.*)\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Components:
    """The value of a sum.

    Attributes:
        parts: the positions side by side, 1 to 64 of them, in the order they are written.
    """

    parts: tuple[Position, ...]

    def with_part(self, index: int, part: Position) -> "Components":
        """Return the components after a move in one of them."""
        return Components((*self.parts[:index], part, *self.parts[index + 1 :]))


def components_of(position: Position) -> tuple[Position, ...]:
    """Return the components of a sum; empty for any other position."""
    return position.value.parts if isinstance(position.value, Components) else ()


def make_sum(components: tuple[Position, ...], *, misere: bool = False) -> Position:
    """Return the sum of positions, if the theory knows such sums.

    Raises:
        InvalidPositionError: there are no components or too many, or the sum does not allow one of
            them; the message names it and gives the reason.
    """
    _check_count(len(components))
    for index, component in enumerate(components):
        _check_component(index, component)
        if not misere and _loses_by_rule(component):
            raise InvalidPositionError(
                f"component {index} of a sum in normal play is an empty board or declared N: there"
                " the poison cannot be eaten, and no move leads to a declared position"
            )
    return Position(MISERE_SUM if misere else NORMAL_SUM, Components(components))


def _check_count(components: int) -> None:
    if not 1 <= components <= MAX_COMPONENTS:
        raise InvalidPositionError(
            f"a sum of {components} positions; allowed are 1 to {MAX_COMPONENTS}"
        )


def _check_component(index: int, component: Position) -> None:
    game = component.game
    if game.misere:
        raise InvalidPositionError(
            f"component {index} is {game.text}, which ends by a rule of its own; misere play of the"
            " whole sum is written misere{...}"
        )
    if is_endless(component):
        raise InvalidPositionError(
            f"component {index} is infinite; boxes that share only the poison, such as"
            " transfinite:1xw^2 + wx1, are such a sum by themselves"
        )


def goes_by_value(component: Position, *, misere: bool) -> bool:
    """Return whether Grundy values decide a sum with this component; see `engine.theory.sums`.

    In misere play this holds for plain Chomp, in which every bite is allowed, and for single heaps
    of Nim.
    """
    game = component.game
    is_heap = game.family == "nim" and game.heaps == 1
    has_values = is_heap or rules_of(game.family).has_poison
    return not misere or (has_values and not game.passes and not game.is_variant)


def component_moves(component: Position, *, misere: bool) -> Iterator[tuple[Any, Position]]:
    """Yield the moves in one component; in normal play without those that lose by rule.

    The list is lazy, because there may be very many moves.
    """
    for called, child in options(component, misere=misere):
        if misere or not _loses_by_rule(child):
            yield called, child


def _loses_by_rule(child: Position) -> bool:
    """Return whether a move in a component loses the sum: eating the poison, or a declared N."""
    return child.game.declares(child.value) or is_eaten(child)


def changed_component(before: Position, after: Position) -> int | None:
    """Return the index of the component in which a move was made, from 0; None if it is not one."""
    old, new = components_of(before), components_of(after)
    if before.game != after.game or len(old) != len(new):
        return None
    changed = [i for i, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    return changed[0] if len(changed) == 1 else None


def split_sum(text: str) -> tuple[list[str], bool] | None:
    """Return the texts of the components and whether play is misere; None for a single position."""
    text = text.strip()
    misere = _MISERE.fullmatch(text)
    parts = _PLUS.split(misere["components"] if misere else text)
    if misere is None and len(parts) == 1:
        return None
    _check_count(len(parts))
    parts = [part.rstrip() for part in parts]
    return parts, misere is not None


class SumRules(Rules):
    """Rules of sums, by the rules of the components."""

    family = "sum"
    introductions = (
        Introduction(
            title="A sum of games",
            start="nim:[3] + kayles:[4]",
            rules="Choose one of the games and move in it. The other games stay as they are.",
            loses="you cannot move in any of them",
            note="Nim hides in every such game: each part is worth a heap of Nim.",
        ),
    )
    typed_moves = (("2: 3 1", "the move 3 1 in the second component"),)
    form = "chomp3:[2,1,0] + nim:[3,5], or misere{chomp:4/2 + nim:[3]}"

    allows = frozenset({"misere"})

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Raise an error: a sum has no coordinates of its own."""
        self._refuse()

    def numbers(self, value: Components) -> Coordinates:
        """Return no coordinates."""
        return ()

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Raise an error: a sum is written without a family; `notation.parse` reads it."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotationError(f"write the components of the sum: {self.form}")

    def format_body(self, position: Position) -> str:
        """Return the components joined by plus signs, inside `misere{...}` in misere play."""
        text = " + ".join(map(str, components_of(position)))
        return f"misere{{{text}}}" if position.game.misere else text

    def actions(self, value: Components, game: GameSpec) -> Regular:
        """Yield moves component by component, with passes; none if a component is declared N."""
        if any(part.game.declares(part.value) for part in value.parts):
            return
        for index, part in enumerate(value.parts):
            for called, child in component_moves(part, misere=game.misere):
                yield (index, called), value.with_part(index, child)

    def action(self, position: Position, called: tuple[int, object]) -> Action:
        """Return the action of the component."""
        index, inner = called
        return inside(index, action_of(components_of(position)[index], inner))

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Yield the moves that match in the component of the move."""
        parts = components_of(position)
        if isinstance(aim, Action):
            index = aim.component
            found: tuple[Action, ...] = (replace(aim, component=None),)
            if index is None or not 0 <= index < len(parts):
                last = len(parts) - 1
                raise refused(position, aim, f"a move is in one of the components 0 to {last}")
            child = act(parts[index], found[0], misere=position.game.misere)
            if not position.game.misere and _loses_by_rule(child):
                reason = "in normal play poison and declared positions lose, and are left out"
                raise refused(position, aim, reason)
        else:
            index = changed_component(position, aim)
            if index is None:
                return
            child = components_of(aim)[index]
            if not position.game.misere and _loses_by_rule(child):
                return
            found = tuple(ways(parts[index], child, misere=position.game.misere))
        for inner in found:
            yield (index, inner), position.value.with_part(index, child)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read the number of the component, from 1, a colon, and a text that its family reads."""
        number, colon, text = typed.removeprefix("component ").partition(":")
        index = read_digits(number)
        parts = components_of(position)
        if not colon or index is None or not 1 <= index <= len(parts):
            return None
        part = parts[index - 1]
        inner = text.strip()
        found = THE_PASS if inner == PASS else rules_of(part.game.family).read_action(part, inner)
        return None if found is None else inside(index - 1, found)

    def notable_actions(self, position: Position) -> Iterator[Action]:
        """Yield the notable actions of each component."""
        for index, part in enumerate(components_of(position)):
            for move in notable_moves(part):
                if move.action is not None:
                    yield inside(index, move.action)

    def amount(self, position: Position) -> int:
        """Return the total amount of all components."""
        return sum(rules_of(part.game.family).amount(part) for part in components_of(position))

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Draw the components one below the other."""
        lines = []
        for part in components_of(position):
            lines += ["", f"  {part}", *rules_of(part.game.family).draw(part)]
        return lines[1:]

    def tree(self, position: Position, *, misere: bool) -> Tree[tuple[Hashable, ...]]:
        """Return the tree by the components, each with its passes."""
        trees = tuple(tree_of(part, misere=misere) for part in components_of(position))
        return sum_tree(trees, components_of, misere=misere)


RULES: Final = SumRules()

NORMAL_SUM: Final = GameSpec("sum")
MISERE_SUM: Final = GameSpec("sum", misere=True)
