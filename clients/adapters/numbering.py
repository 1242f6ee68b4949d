"""Moves and positions as numbers that stay the same throughout a game.

Learning programs need a fixed number of actions and a vector of a fixed length. The meaning of an
action number never changes during a game: a bite keeps its number, and so does taking 3 tokens from
heap 2, or from a heap of 7 if heaps have no order.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from position_oracle.clients import rules
from position_oracle.clients.errors import InvalidQuestionError
from position_oracle.clients.rules import State
from position_oracle.engine.games.game_text import parse_game
from position_oracle.schema.moves import Action, Move

MAX_ACTIONS: Final = 1_000_000
"""Maximum number of actions of a game."""

MAX_REACHED: Final = 50_000
"""Maximum number of positions that are visited to find the actions of a game without a better
way."""


class Numbering(ABC):
    """The actions of all positions reachable from a start, numbered from 0; the pass is last.

    Attributes:
        start: the first position.
        actions: the number of actions.
        features: the length of the vector of a position.
        plies: an upper bound of the plies of a game.
    """

    def __init__(self, start: State, actions: int, features: int, regular_plies: int) -> None:
        """Set the first position, and the numbers of actions, features and plies without passes."""
        if actions >= MAX_ACTIONS:
            raise InvalidQuestionError(
                f"{start.text} has {actions + 1:,} actions; at most {MAX_ACTIONS:,} are numbered",
                "start",
            )
        self.start = start
        self.actions = actions + 1
        self.features = features + 1
        self.plies = regular_plies + start.passes

    def number(self, position: State, action: Action) -> int:
        """Return the number of a legal action."""
        is_pass = action.is_pass and action.component is None
        return self.actions - 1 if is_pass else self._number(position, action)

    def vector(self, position: State) -> list[int]:
        """Return the position as numbers, with the passes left at the end."""
        found = self._vector(position)
        return [*found, *[0] * (self.features - 1 - len(found)), position.passes]

    def legal(self, text: str) -> dict[int, Move]:
        """Return the legal moves of a position by their numbers, ascending."""
        position = rules.read(text)
        moves: dict[int, Move] = {}
        for move in rules.legal_moves(text):
            if move.action is not None:
                moves.setdefault(self.number(position, move.action), move)
        return dict(sorted(moves.items()))

    @property
    def largest(self) -> int:
        """The largest number in a vector of the game."""
        return max(self.vector(self.start), default=0)

    @abstractmethod
    def _number(self, position: State, action: Action) -> int:
        """Return the number of a legal action that is not a pass."""

    @abstractmethod
    def _vector(self, position: State) -> list[int]:
        """Return the position as numbers, without the passes."""


def numbering_of(start: str) -> Numbering:
    """Return the numbering of a game that begins at a position.

    Raises:
        InvalidQuestionError: the text is not a position, or the game has too many actions.
    """
    state = rules.read(start)
    kind = _NUMBERINGS.get(_family(state), _Reached)
    return kind(state)


def _family(position: State) -> str:
    """Return the family of rules; several families may share a name in texts."""
    return parse_game(position.game).family


class _Bites(Numbering):
    """Numbering of bites: the cookies of a board, row by row."""

    def __init__(self, start: State) -> None:
        rows = start.rows or ()
        self._width = max(rows, default=0)
        super().__init__(start, self._width * len(rows), len(rows), sum(rows))

    def _number(self, position: State, action: Action) -> int:
        bite = action.bite
        return 0 if bite is None else (bite.row - 1) * self._width + bite.column - 1

    def _vector(self, position: State) -> list[int]:
        return list(position.rows or ())


class _Cells(Numbering):
    """Numbering of moves on a strip by their cells."""

    def __init__(self, start: State) -> None:
        cells = len(start.coordinates)
        super().__init__(start, cells, cells, cells * cells)

    def _number(self, position: State, action: Action) -> int:
        return (action.cell or 1) - 1

    def _vector(self, position: State) -> list[int]:
        return list(position.coordinates)

    @property
    def largest(self) -> int:
        """Cells are 0, 1 or 2."""
        return max(2, self.start.passes)


class _Lines(Numbering):
    """Numbering of takings: sets of heaps, and the tokens taken from each."""

    def __init__(self, start: State) -> None:
        heaps = len(start.coordinates)
        sizes = range(1, heaps + 1) if start.family == "wythoff" else (1,)
        sets = (line for size in sizes for line in combinations(range(heaps), size))
        self._lines = {line: place for place, line in enumerate(sets)}
        self._most = max(start.coordinates, default=0)
        actions = len(self._lines) * self._most
        super().__init__(start, actions, heaps, sum(start.coordinates))

    def _number(self, position: State, action: Action) -> int:
        line = tuple(sorted(change.heap - 1 for change in action.taking))
        return self._lines[line] * self._most + action.taking[0].tokens - 1

    def _vector(self, position: State) -> list[int]:
        return list(position.coordinates)


class _Reached(Numbering):
    """Numbering of actions found in all positions that play reaches; heaps go by their sizes.

    The features say whether each action is legal, and are the coordinates of the position; for a
    sum they are the features of its components.
    """

    def __init__(self, start: State) -> None:
        keys: set[Key] = set()
        positions = longest = self._most = 0
        for position in _all(start):
            moves = rules.legal_moves(position)
            actions = (move.action for move in moves if move.action and not move.is_pass)
            keys.update(_key(position, action) for action in actions)
            positions += 1
            longest = max(longest, len(position.coordinates))
            self._most = max(self._most, *position.coordinates, 1)
        self._numbers = {key: number for number, key in enumerate(sorted(keys))}
        self._parts = [numbering_of(part.text) for part in start.components]
        inside = sum(part.features for part in self._parts)
        # No position occurs twice in a game.
        super().__init__(start, len(keys), inside or len(keys) + longest, positions)

    def _number(self, position: State, action: Action) -> int:
        return self._numbers[_key(position, action)]

    def _vector(self, position: State) -> list[int]:
        if self._parts:
            pairs = zip(self._parts, position.components, strict=True)
            return [number for part, state in pairs for number in part.vector(state)]
        there = [0] * len(self._numbers)
        for move in rules.legal_moves(position.text):
            if move.action is not None and not move.is_pass:
                there[self._number(position, move.action)] = 1
        return [*there, *position.coordinates]

    @property
    def largest(self) -> int:
        """The largest coordinate of a position, or number of a component."""
        return max(self._most, self.start.passes, *(part.largest for part in self._parts))


_NUMBERINGS: Final[dict[str, Callable[[State], Numbering]]] = {
    "chomp": _Bites,
    "chomp3": _Bites,
    "toads": _Cells,
    "nim": _Lines,
    "wythoff": _Lines,
}
"""The numberings of families whose actions need not be looked for, by family."""

_UNORDERED: Final = {"octal", "octal_heap_pass", "subtraction", "nim_heap_pass", "partition"}
"""The families whose heaps have no order."""

Key = tuple[tuple[str, ...], int, tuple[int, ...]]


def _key(position: State, action: Action) -> Key:
    """Return the key of an action, which does not depend on the place of its heap."""
    component = -1 if action.component is None else action.component
    part = position if action.component is None else position.components[component]
    if action.taking and _family(part) in _UNORDERED:
        change = action.taking[0]
        size, has_pass = _heaps(part)[change.heap - 1]
        return ("heap",), component, (size, has_pass, change.tokens, change.is_pass, *change.left)
    record = action.as_json()
    texts = tuple(f"{name}={record[name]}" for name in sorted(record.keys() - {"words"}))
    return texts, component, ()


def _heaps(position: State) -> list[tuple[int, int]]:
    """Return the heaps, with 1 for those that have a pass of their own."""
    numbers = position.coordinates
    if "heappass" in position.game:
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    return [(heap, 0) for heap in numbers]


def _all(start: State) -> Iterator[State]:
    """Yield every position that play can reach.

    Raises:
        InvalidQuestionError: there are too many positions.
    """
    seen, waiting = {start.text}, [start.text]
    while waiting:
        position = rules.read(waiting.pop())
        yield position
        for move in rules.legal_moves(position):
            if move.child not in seen:
                seen.add(move.child)
                waiting.append(move.child)
        if len(seen) > MAX_REACHED:
            raise InvalidQuestionError(
                f"play from {start.text} comes to more than {MAX_REACHED:,} positions", "start"
            )
