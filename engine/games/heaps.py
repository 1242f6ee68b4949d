"""Common rules of Nim and Wythoff's game, whose positions are heaps: `nim:[3,5,7;2]`."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any, ClassVar

from position_oracle.engine.games import actions
from position_oracle.engine.games.choices import Choices, in_lines
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import (
    HullRules,
    Regular,
    TypedMoves,
    check_coordinates,
    refused,
)
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import Rows, Tree, plain_tree
from position_oracle.engine.theory.bounds import product
from position_oracle.engine.theory.heap_counts import smaller_heaps
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action

Line = tuple[int, ...]
"""Heaps, counted from 0, from which a move takes equal numbers."""


class HeapRules(HullRules):
    """Heaps of tokens; the game ends when all are empty."""

    typed_form = "heaps"
    typed_moves: ClassVar[TypedMoves] = (("2 3", "take 3 tokens from heap 2"),)

    def heaps_allowed(self, count: int) -> bool:
        """Return whether the game is played with this number of heaps."""
        return count in self.heap_numbers or (count == 3 and "rule" in self.options)

    @abstractmethod
    def has_nim_sums(self, game: GameSpec) -> bool:
        """Return whether the P-positions are those of Nim without passes, or of misere Nim."""

    @abstractmethod
    def lines(self, game: GameSpec, count: int) -> tuple[Line, ...]:
        """Return the lines of this many heaps, in order."""

    def ordered(self, game: GameSpec, heaps: Coordinates) -> Coordinates:
        """Return the heaps in canonical order: unchanged, unless the game sorts them."""
        return heaps

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position of heaps, each 0 to 2^63 - 1; the game may fix their number."""
        if game.heaps is None:
            if not self.heaps_allowed(len(coordinates)):
                raise InvalidPositionError(
                    f"{self.family}: got {len(coordinates)} heaps; it is played with"
                    f" {self.heap_counts}"
                )
            game = game.with_heaps(len(coordinates))
        if len(coordinates) != game.heaps:
            raise InvalidPositionError(
                f"{self.family}: got {len(coordinates)} heaps; {game.text} has {game.heaps}"
            )
        check_coordinates(self.family, "", coordinates)
        return Position(game, self.ordered(game, coordinates))

    def actions(self, value: Coordinates, game: GameSpec) -> Regular:
        """Yield the moves line by line, the largest number of tokens first."""
        for line in self.lines(game, len(value)):
            for taken in range(min(value[i] for i in line), 0, -1):
                yield (line, taken), self.ordered(game, take(value, line, taken))

    def action(self, position: Position, called: tuple[Line, int]) -> Action:
        """Return the action that takes tokens from a line."""
        line, tokens = called
        return actions.taking_from([heap + 1 for heap in line], tokens)

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the lines whose heaps shrink by equal numbers."""
        game, heaps = position.game, position.value
        if isinstance(aim, Action):
            pairs = [self._read(position, aim)]
        else:
            fewer, lines = sum(heaps) - sum(aim.value), self.lines(game, len(heaps))
            pairs = [(line, fewer // len(line)) for line in lines if fewer % len(line) == 0]
        for line, tokens in pairs:
            if 1 <= tokens <= min(heaps[i] for i in line):
                yield (line, tokens), self.ordered(game, take(heaps, line, tokens))

    def _read(self, position: Position, action: Action) -> tuple[Line, int]:
        """Return the line and the number of tokens of an action.

        Raises:
            IllegalMoveError: the rules do not allow it.
        """
        heaps, changes = position.value, action.taking
        line = tuple(sorted(change.heap - 1 for change in changes))
        if line not in self.lines(position.game, len(heaps)):
            raise refused(position, action, "a move takes tokens from one heap or a line of them")
        if any(change.left or change.is_pass for change in changes):
            raise refused(position, action, "heaps are not split, and have no passes of their own")
        tokens = changes[0].tokens
        if any(change.tokens != tokens for change in changes):
            raise refused(position, action, "equally many are taken from each heap")
        if not 1 <= tokens <= min(heaps[i] for i in line):
            raise refused(position, action, "there are not as many tokens, or none are taken")
        return line, tokens

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read heap numbers joined by plus, and the number of tokens taken from each."""
        return actions.read_taking(typed, len(position.value))

    def choices(self, value: Coordinates, game: GameSpec) -> Choices[tuple[Any, Coordinates]]:
        """Number the moves by line and tokens."""
        lines = self.lines(game, len(value))
        most = [min(value[i] for i in line) for line in lines]

        def option(index: int, number: int) -> tuple[Any, Coordinates]:
            line, taken = lines[index], most[index] - number
            return (line, taken), self.ordered(game, take(value, line, taken))

        return in_lines(most, option)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield from each line one token, all but one, and all."""
        for line in self.lines(position.game, len(position.value)):
            most = min(position.value[i] for i in line)
            yield from (_taking(line, tokens) for tokens in (most, most - 1, 1))

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Return the heaps as rows of tokens."""
        return heap_lines(position.value)

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """Return the largest heap at each place of the order; None if positions are declared."""
        if positions[0].game.is_variant:
            return None
        columns = zip(*(sorted(each.value) for each in positions), strict=True)
        return self.position(positions[0].game, tuple(map(max, columns)))

    def tree(self, position: Position, *, misere: bool) -> Tree[Coordinates]:
        """Return the tree by the heaps in ascending order.

        Declared positions tell orders apart, so with them the bound counts every order.
        """
        game, count = position.game, len(position.value)
        return plain_tree(
            lambda heaps: self.actions(heaps, game),
            _smaller_in_order if game.is_variant else smaller_heaps,
            misere=misere,
            node=_ascending,
            form=_ascending,
            choices=lambda heaps: self.choices(heaps, game),
            rows=descending(self.lines(game, count), count),
        )


def _ascending(heaps: Coordinates) -> Coordinates:
    return tuple(sorted(heaps))


def _smaller_in_order(heaps: Coordinates) -> float:
    return product(heap + 1 for heap in heaps)


def descending(lines: tuple[Line, ...], count: int) -> Rows[Coordinates]:
    """Convert heaps in ascending order to rows that never increase."""
    turned = tuple(tuple(sorted(count - 1 - heap for heap in line)) for line in lines)
    return Rows(turned, lambda heaps: heaps[::-1], lambda rows: rows[::-1])


def take(heaps: Coordinates, line: Line, taken: int) -> Coordinates:
    """Return the heaps after a move that takes the same number from every heap of a line."""
    if len(line) == 1:
        (heap,) = line
        return (*heaps[:heap], heaps[heap] - taken, *heaps[heap + 1 :])
    return tuple(heap - taken if i in line else heap for i, heap in enumerate(heaps))


def is_symmetric(game: GameSpec) -> bool:
    """Return whether permuting heaps never changes the outcome."""
    declared = set(game.declared)
    return game.noise is None and all(
        other in declared for position in declared for other in permutations(position)
    )


def _taking(line: Line, tokens: int) -> Action:
    return actions.taking_from([heap + 1 for heap in line], tokens)
