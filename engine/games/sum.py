"""Sums of games: several positions side by side; a move is a move in one of them.

    chomp3:[2,1,0] + nim:[3,5] + chomp:4/2       whoever cannot move loses; poison is not eaten
    misere{chomp:4/2 + chomp:3/1 + nim:[3]}      whoever makes the last move of all loses

The theory is in `engine.theory.sums`: which components may stand in which kind of play, and why.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from position_oracle.engine.games.actions import THE_PASS, inside
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import Rules, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import SumTree, tree_of
from position_oracle.engine.theory.sums import Convention, Play
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.moves import PASS, Action
from position_oracle.schema.numbers import read_digits

MAX_COMPONENTS: Final = 64

# Inside one position a plus may also join parts, as in declared=[1,0,2]+[0,1,1] and in boxes of
# transfinite Chomp; only where a family and its colon follow does it begin another position.
_PLUS: Final = re.compile(r"\+\s*(?=[a-z][a-z0-9]*\s*(?:\{[^{}]*\}\s*)?:)")
_MISERE: Final = re.compile(r"misere\s*\{(?P<components>.*)\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SumPosition(Position):
    """A position of a sum.

    Attributes:
        game: `NORMAL_SUM` or `MISERE_SUM`.
        coordinates: none; the components have them.
        components: the positions side by side, 1 to 64 of them, in the order they are written.
    """

    components: tuple[Position, ...] = ()

    @property
    def play(self) -> Play:
        """How the sum ends."""
        return Play.MISERE if self.game.misere else Play.NORMAL

    def with_component(self, index: int, component: Position) -> "SumPosition":
        """The sum after a move in one component."""
        parts = self.components
        return replace(self, components=(*parts[:index], component, *parts[index + 1 :]))


def make_sum(components: tuple[Position, ...], play: Play = Play.NORMAL) -> SumPosition:
    """The sum of positions, if the theory knows such sums.

    Raises:
        InvalidPositionError: too many components or none, or one that may not stand there; the
            message names it and gives the reason.
    """
    _check_count(len(components))
    for index, component in enumerate(components):
        _check_component(index, component)
        if _spares_poison(component, play) and _is_empty(component):
            raise InvalidPositionError(
                f"component {index} of a sum in normal play is an empty board: in normal play the"
                " poison cannot be eaten, so no play arrives there"
            )
    return SumPosition(MISERE_SUM if play is Play.MISERE else NORMAL_SUM, (), components)


def _check_count(components: int) -> None:
    if not 1 <= components <= MAX_COMPONENTS:
        raise InvalidPositionError(
            f"a sum of {components} positions; allowed are 1 to {MAX_COMPONENTS}"
        )


def _check_component(index: int, component: Position) -> None:
    game = component.game
    if not game.is_plain:
        raise InvalidPositionError(
            f"component {index} is {game.text}, which ends by a rule of its own; misere play of the"
            " whole sum is written misere{...}"
        )
    if not rules_of(game.family).has_finite_moves(component):
        raise InvalidPositionError(
            f"component {index} is infinite; boxes that share only the poison, such as"
            " transfinite:1xw^2 + wx1, are such a sum by themselves"
        )


def convention_of(component: Position, play: Play) -> Convention:
    """What the Grundy value of a component counts in a kind of play."""
    return rules_of(component.game.family).convention(component, play)


def component_moves(rules: Rules, component: Position, play: Play) -> Iterator[Position]:
    """Where the moves in one component of a sum lead, by the rules of its family."""
    spares_poison = _spares_poison(component, play)
    for move in rules.moves(component):
        if not (spares_poison and _is_empty(move.child)):
            yield move.child


def changed_component(before: SumPosition, after: SumPosition) -> int | None:
    """Index of the component in which a move was made, from 0; None where it is not one."""
    if (before.game, len(before.components)) != (after.game, len(after.components)):
        return None
    pairs = enumerate(zip(before.components, after.components, strict=True))
    changed = [index for index, (old, new) in pairs if old != new]
    return changed[0] if len(changed) == 1 else None


def split_sum(text: str) -> tuple[list[str], Play] | None:
    """The texts of the components and the kind of play; None for a single position."""
    text = text.strip()
    misere = _MISERE.fullmatch(text)
    parts = _PLUS.split(misere["components"] if misere else text)
    if misere is None and len(parts) == 1:
        return None
    _check_count(len(parts))
    parts = [part.rstrip() for part in parts]
    return parts, Play.MISERE if misere else Play.NORMAL


class SumRules(Rules):
    """Rules of sums, by the rules of the components."""

    family = "sum"
    typed_moves = (("2: 3 1", "the move 3 1 in the second component"),)
    form = "chomp3:[2,1,0] + nim:[3,5], or misere{chomp:4/2 + nim:[3]}"

    allows = frozenset({"misere"})

    def moves(self, position: Position) -> Iterator[Move]:
        """All moves, component by component; named by the sum they lead to, passes too."""
        whole = as_sum(position)
        for index, component in enumerate(whole.components):
            rules = rules_of(component.game.family)
            for child in component_moves(rules, component, whole.play):
                yield Move(whole.with_component(index, child))

    def tree(self, position: Position, *, misere: bool) -> SumTree:
        """By the components, each with its passes."""
        parts = as_sum(position).components
        trees = tuple(tree_of(part, misere=misere) for part in parts)
        return SumTree(trees, lambda position: as_sum(position).components, misere=misere)

    def ends_at(self, position: Position) -> bool:
        """Whether no component has a move left."""
        return next(self.moves(position), None) is None

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The components one below the other."""
        lines = []
        for part in as_sum(position).components:
            drawn = rules_of(part.game.family).draw(part)
            lines += ["", f"  {part}", *drawn]
        return lines[1:]

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """The ways of the component that the move is made in; passes too."""
        before, after = as_sum(position), as_sum(child)
        index = changed_component(before, after)
        if index is not None:
            part, left = before.components[index], after.components[index]
            if left.game != part.game and left == _passed(part):
                yield inside(index, THE_PASS)
            elif left.game == part.game:
                ways = rules_of(part.game.family).ways(part, left)
                yield from (inside(index, action) for action in ways)

    def winner(self, position: Position) -> Outcome | None:
        """Who has won where no move is left: in misere play the player who would move."""
        if next(self.moves(position), None) is not None:
            return None
        return Outcome.N if as_sum(position).play is Play.MISERE else Outcome.P

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The number of the component, from 1, a colon, and what its family has."""
        number, colon, text = typed.removeprefix("component ").partition(":")
        index = read_digits(number)
        parts = as_sum(position).components
        if not colon or index is None or not 1 <= index <= len(parts):
            return None
        part = parts[index - 1]
        inner = text.strip()
        found = THE_PASS if inner == PASS else rules_of(part.game.family).read_action(part, inner)
        return None if found is None else inside(index - 1, found)

    def notable_actions(self, position: Position) -> Iterator[Action]:
        """Those of each component."""
        for index, part in enumerate(as_sum(position).components):
            for move in rules_of(part.game.family).notable_moves(part):
                if move.action is not None:
                    yield inside(index, move.action)

    def amount(self, position: Position) -> int:
        """That of all components."""
        parts = as_sum(position).components
        return sum(rules_of(part.game.family).amount(part) for part in parts)

    def act(self, position: Position, action: Action) -> Position:
        """The action of a component in it."""
        return self.after(position, action)

    def after(self, position: Position, action: Action) -> Position:
        """The sum after an action in a component, passes too."""
        whole = as_sum(position)
        index = action.component
        if index is None or not 0 <= index < len(whole.components):
            last = len(whole.components) - 1
            raise refused(position, action, f"a move is in one of the components 0 to {last}")
        part = whole.components[index]
        child = rules_of(part.game.family).act(part, replace(action, component=None))
        if _spares_poison(part, whole.play) and _is_empty(child):
            raise refused(position, action, "in normal play the poison cannot be eaten")
        return whole.with_component(index, child)

    def texts(self, position: Position, action: Action) -> tuple[str, ...]:
        """The number of the component, from 1, a colon, and what its family has."""
        index = action.component or 0
        part = as_sum(position).components[index]
        inner = rules_of(part.game.family).texts(part, replace(action, component=None))
        texts = (PASS,) if action.is_pass else inner
        return tuple(f"{index + 1}: {text}" for text in texts)

    def _is_closed(self, position: Position) -> bool:
        return False

    def _can_pass(self, position: Position) -> bool:
        return False

    def format_position(self, position: Position) -> str:
        """The components joined by plus signs, inside `misere{...}` in misere play."""
        whole = as_sum(position)
        text = " + ".join(
            rules_of(part.game.family).format_position(part) for part in whole.components
        )
        return f"misere{{{text}}}" if whole.play is Play.MISERE else text

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """A sum has no coordinates of its own."""
        self._refuse()

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """A sum has no coordinates of its own."""
        self._refuse()

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """A sum has no coordinates of its own."""
        self._refuse()

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """A sum is written without a family; `notation.parse` reads it."""
        self._refuse()

    def format_body(self, position: Position) -> str:
        """A sum is written without a family."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotationError(f"a sum is written by its components: {self.form}")


def as_sum(position: Position) -> SumPosition:
    """The position of a sum as what it is.

    Raises:
        InvalidPositionError: it has no components.
    """
    if not isinstance(position, SumPosition):
        raise InvalidPositionError(f"{position.game.text} is a sum, and has no components here")
    return position


def _passed(part: Position) -> Position | None:
    return part.passed() if part.game.passes else None


def _spares_poison(component: Position, play: Play) -> bool:
    return play is Play.NORMAL and rules_of(component.game.family).has_poison


def _is_empty(board: Position) -> bool:
    return rules_of(board.game.family).is_empty(board)


RULES: Final = SumRules()

NORMAL_SUM: Final = GameSpec("sum")
MISERE_SUM: Final = GameSpec("sum", misere=True)
