"""What Nim and Wythoff's game share: positions are heaps, written `nim:[3,5,7;2]`."""

import random
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, permutations
from typing import ClassVar

from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.rules import (
    Rules,
    TypedMoves,
    check_coordinates,
    refused,
)
from position_oracle.engine.games.spec import Coordinates, GameSpec, check_common_options
from position_oracle.engine.games.tree import Choices, PlainTree, Rows
from position_oracle.engine.theory.bounds import product
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.moves import Action


class HeapRules(Rules):
    """Heaps of tokens; the game ends when all are empty."""

    typed_form = "heaps"
    typed_moves: ClassVar[TypedMoves] = (("2 3", "take 3 tokens from heap 2"),)

    single_heaps: ClassVar[bool] = False
    """Whether every move is in one heap, so that an empty heap may be left out."""

    def check_game(self, game: GameSpec) -> None:
        """A number of heaps that the game is played with, and the common options."""
        if game.heaps is not None and not self.heaps_allowed(game.heaps):
            raise NotationError(
                f"{game.family}: heaps={game.heaps}; {game.family} is played with"
                f" {self.heap_counts}"
            )
        check_common_options(game, self.allows)

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """As many heaps as the game says, each from 0 to 2^63 - 1."""
        if game.heaps is not None and len(coordinates) != game.heaps:
            raise InvalidPositionError(
                f"{self.family}: got {len(coordinates)} heaps; {game.text} has {game.heaps}"
            )
        check_coordinates(self.family, "", coordinates)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """As many heaps as there are numbers, where the game does not say."""
        if game.heaps is None:
            game = replace(game, heaps=len(coordinates))
        self.check(game, coordinates)
        return Position(game, coordinates)

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """All heaps are empty."""
        return not any(coordinates)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """In misere play: the opponent has taken the last token."""
        return game.misere and not any(coordinates)

    @abstractmethod
    def has_nim_sums(self, game: GameSpec) -> bool:
        """Whether the P-positions are those of Nim without passes, or of misere Nim."""

    @abstractmethod
    def lines(self, game: GameSpec, count: int) -> tuple[tuple[int, ...], ...]:
        """The sets of heaps, of `count`, from which a move takes equal numbers, in their order."""

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Line by line, the most tokens first."""
        for line in self.lines(game, len(coordinates)):
            for taken in range(min(coordinates[i] for i in line), 0, -1):
                yield take(coordinates, line, taken)

    def tree(self, position: Position, *, misere: bool) -> PlainTree[Coordinates]:
        """By the heaps; in ascending order where no position is declared."""
        game, count = position.game, len(position.coordinates)
        lines = self.lines(game, count)

        def ordered(heaps: Coordinates) -> Coordinates:
            return heaps if game.is_variant else tuple(sorted(heaps))

        def options(heaps: Coordinates) -> Iterator[Coordinates]:
            for line in lines:
                for taken in range(min(heaps[i] for i in line), 0, -1):
                    yield ordered(take(heaps, line, taken))

        def choices(heaps: Coordinates) -> Choices[Coordinates]:
            ends = list(accumulate(min(heaps[i] for i in line) for line in lines))

            def option(number: int) -> Coordinates:
                index = bisect_right(ends, number)
                return ordered(take(heaps, lines[index], ends[index] - number))

            return Choices(ends[-1], option)

        return PlainTree(
            options,
            lambda position: ordered(position.coordinates),
            lambda heaps: product(heap + 1 for heap in heaps),
            misere=misere,
            choices=choices,
            rows=None if game.is_variant else descending(lines, count),
        )

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """The largest of the heaps at each place of their order; none where some are declared."""
        if positions[0].game.is_variant:
            return None
        columns = zip(*(sorted(each.coordinates) for each in positions), strict=True)
        return self.position(positions[0].game, tuple(map(max, columns)))

    @abstractmethod
    def heaps_allowed(self, count: int) -> bool:
        """Whether the game is played with this number of heaps."""

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `[heap,heap,...]` or `[heap,heap,...;passes]`."""
        coordinates, passes = parse_bracket_body(body, self.form)
        if not self.heaps_allowed(len(coordinates)):
            raise InvalidPositionError(
                f"{self.family}: got {len(coordinates)} heaps; it is played with {self.heap_counts}"
            )
        implied = self.implied_heaps(options)
        if implied is not None and len(coordinates) != implied:
            raise InvalidPositionError(
                f"{self.family}: got {len(coordinates)} heaps; {options.text} has {implied}"
            )
        return Position(replace(options, heaps=len(coordinates), passes=passes), coordinates)

    @property
    @abstractmethod
    def heap_counts(self) -> str:
        """The numbers of heaps allowed, in words."""

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The heaps as rows of tokens."""
        return heap_lines(position.coordinates)

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By the heaps that changed."""
        old, new = position.coordinates, child.coordinates
        if len(old) == len(new):
            changed = [
                i
                for i, (before, after) in enumerate(zip(old, new, strict=True), start=1)
                if before != after
            ]
            if changed:
                first = changed[0] - 1
                yield actions.taking_from(changed, old[first] - new[first])

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The heaps, joined by plus, and the tokens taken from each."""
        return actions.read_taking(typed, len(position.coordinates))

    def random_move(self, position: Position, chance: random.Random) -> Move:
        """By line and tokens, without listing moves; where heaps ascend, from the list."""
        game, heaps = position.game, position.coordinates
        if self.moves_may_coincide(game) or self._is_closed(position):
            return super().random_move(position, chance)
        number = chance.randrange(
            sum(min(heaps[i] for i in line) for line in self.lines(game, len(heaps)))
            + self._can_pass(position)
        )
        for line in self.lines(game, len(heaps)):
            most = min(heaps[i] for i in line)
            if number < most:
                action = actions.taking_from([i + 1 for i in line], number + 1)
                return Move(self.after(position, action), action=action)
            number -= most
        return Move(position.passed(), is_pass=True, action=actions.THE_PASS)

    def moves_may_coincide(self, game: GameSpec) -> bool:
        """Whether two ways to move may lead to one position."""
        return False

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """From each line one token, all but one, or all."""
        heaps = position.coordinates
        for line in self.lines(position.game, len(heaps)):
            most = min(heaps[i] for i in line)
            for tokens in (most, most - 1, 1):
                yield actions.taking_from([i + 1 for i in line], tokens)

    def after(self, position: Position, action: Action) -> Position:
        """Equally many tokens, at least one, from the heaps of a line."""
        game, heaps = position.game, position.coordinates
        line = tuple(sorted(change.heap - 1 for change in action.taking))
        if line not in self.lines(game, len(heaps)):
            raise refused(position, action, "a move takes tokens from one heap or a line of them")
        if any(change.left or change.is_pass for change in action.taking):
            raise refused(position, action, "heaps are not split, and have no passes of their own")
        tokens = action.taking[0].tokens
        if any(change.tokens != tokens for change in action.taking):
            raise refused(position, action, "equally many are taken from each heap")
        if not 1 <= tokens <= min(heaps[i] for i in line):
            raise refused(position, action, "there are not as many tokens, or none are taken")
        return self.position(game, take(heaps, line, tokens))

    def format_body(self, position: Position) -> str:
        """Write `[heap,heap,...]`, with `;passes` where some are left."""
        return format_bracket_body(position.coordinates, position.game.passes)


def descending(lines: tuple[tuple[int, ...], ...], count: int) -> Rows[Coordinates]:
    """Heaps in ascending order as rows that never increase."""
    turned = tuple(tuple(sorted(count - 1 - heap for heap in line)) for line in lines)
    return Rows(turned, lambda heaps: heaps[::-1], lambda rows: rows[::-1])


def take(coordinates: Coordinates, line: tuple[int, ...], taken: int) -> Coordinates:
    """The heaps after a move that takes the same number from every heap of a line."""
    return tuple(heap - taken if i in line else heap for i, heap in enumerate(coordinates))


def is_symmetric(game: GameSpec) -> bool:
    """Whether heaps may be permuted without changing the outcome."""
    declared = set(game.declared)
    return game.noise is None and all(
        other in declared for position in declared for other in permutations(position)
    )
