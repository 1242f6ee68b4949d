"""Moves and positions as numbers that stay the same throughout a game.

Learning programs need a fixed number of actions and a vector of a fixed length. The meaning of an
action number never changes during a game: a bite keeps its number, and so does taking 3 tokens from
heap 2, or from a heap of 7 if heaps have no order.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from position_oracle.clients import rules
from position_oracle.clients.errors import InvalidQuestionError
from position_oracle.clients.rules import State
from position_oracle.schema.moves import Action, Move

MAX_ACTIONS: Final = 1_000_000
"""Maximum number of actions of a game."""

MAX_REACHED: Final = 50_000
"""Maximum number of positions that are visited to find the actions of a game without a better
way."""


class Numbering(ABC):
    """The actions of all positions reachable from a start, numbered from 0; the pass is last."""

    def __init__(self, start: State, actions: int, features: int) -> None:
        """Set the first position, the number of actions without the pass, and of features."""
        if actions >= MAX_ACTIONS:
            raise InvalidQuestionError(
                f"{start.text} has {actions + 1:,} actions; at most {MAX_ACTIONS:,} are numbered",
                "start",
            )
        self.start = start
        self.actions = actions + 1
        self.features = features + 1

    def number(self, position: State, action: Action) -> int:
        """Return the number of a legal action."""
        return self.actions - 1 if action.is_pass else self._number(position, action)

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
        """The largest number in a vector; moves never increase it."""
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
    if state.family in {"chomp", "chomp3"}:
        return _Bites(state)
    if state.family == "toads":
        return _Cells(state)
    if state.family == "wythoff" or (state.family == "nim" and "{m" not in _plain(state.game)):
        kinds = ("heappass", "max=", "take=")
        if not any(kind in state.game for kind in kinds):
            return _Lines(state)
    return _Reached(state)


def _plain(game: str) -> str:
    return game.replace("misere", "").replace("{,", "{")


class _Bites(Numbering):
    """Numbering of bites: the cookies of a board, row by row."""

    def __init__(self, start: State) -> None:
        rows = start.rows or ()
        self._width = max(rows, default=0)
        super().__init__(start, self._width * len(rows), len(rows))

    def _number(self, position: State, action: Action) -> int:
        bite = action.bite
        return 0 if bite is None else (bite.row - 1) * self._width + bite.column - 1

    def _vector(self, position: State) -> list[int]:
        return list(position.rows or ())


class _Cells(Numbering):
    """Numbering of moves on a strip by their cells."""

    def __init__(self, start: State) -> None:
        super().__init__(start, len(start.coordinates), len(start.coordinates))

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
        super().__init__(start, len(self._lines) * self._most, heaps)

    def _number(self, position: State, action: Action) -> int:
        line = tuple(sorted(change.heap - 1 for change in action.taking))
        return self._lines[line] * self._most + action.taking[0].tokens - 1

    def _vector(self, position: State) -> list[int]:
        return list(position.coordinates)


class _Reached(Numbering):
    """Numbering of actions found in all positions that play reaches; heaps go by their sizes.

    The features say whether each action is legal; for games of heaps they are the numbers of heaps
    of each kind, and for a sum the features of its components.
    """

    def __init__(self, start: State) -> None:
        keys = sorted({_key(position, action) for position, action in _all(start)})
        self._numbers = {key: number for number, key in enumerate(keys)}
        self._parts = [numbering_of(part.text) for part in start.components]
        self._kinds = 2 * (max(start.coordinates, default=0) + 1) if _is_heaps(start) else 0
        inside = sum(part.features for part in self._parts)
        super().__init__(start, len(keys), inside or len(keys) + self._kinds)

    def _number(self, position: State, action: Action) -> int:
        return self._numbers[_key(position, action)]

    def _vector(self, position: State) -> list[int]:
        if self._parts:
            pairs = zip(self._parts, position.components, strict=True)
            return [number for part, state in pairs for number in part.vector(state)]
        there = [0] * len(self._numbers)
        for move in rules.legal_moves(position.text):
            if move.action is not None and not move.action.is_pass:
                there[self._number(position, move.action)] = 1
        counts = [0] * self._kinds
        for heap, has_pass in _heaps(position) if self._kinds else ():
            counts[2 * heap + has_pass] += 1
        return there + counts

    @property
    def largest(self) -> int:
        """A heap of n tokens may be split into n heaps."""
        tokens = sum(heap for heap, _ in _heaps(self.start)) if self._kinds else 0
        return max(1, self.start.passes, tokens, *(part.largest for part in self._parts))


Key = tuple[tuple[str, ...], int, tuple[int, ...]]


def _key(position: State, action: Action) -> Key:
    """Return the key of an action, which does not depend on the place of its heap."""
    component = -1 if action.component is None else action.component
    if action.taking and _is_heaps(position):
        change = action.taking[0]
        size, has_pass = _heaps(position)[change.heap - 1]
        return ("heap",), component, (size, has_pass, change.tokens, change.is_pass, *change.left)
    record = action.as_json()
    texts = tuple(f"{name}={record[name]}" for name in sorted(record.keys() - {"words"}))
    return texts, component, ()


def _is_heaps(position: State) -> bool:
    """Return whether a position has unordered heaps."""
    return position.family in {"octal", "nim"} and not position.components


def _heaps(position: State) -> list[tuple[int, int]]:
    """Return the heaps, with 1 for those that have a pass of their own."""
    numbers = position.coordinates
    if "heappass" in position.game:
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    return [(heap, 0) for heap in numbers]


def _all(start: State) -> Iterator[tuple[State, Action]]:
    """Yield every position that play can reach, with its actions.

    Raises:
        InvalidQuestionError: there are too many positions.
    """
    seen, waiting = {start.text}, [start.text]
    while waiting:
        text = waiting.pop()
        position = rules.read(text)
        for move in rules.legal_moves(text):
            if move.action is not None and not move.is_pass:
                yield position, move.action
            if move.child not in seen:
                seen.add(move.child)
                waiting.append(move.child)
        if len(seen) > MAX_REACHED:
            raise InvalidQuestionError(
                f"play from {start.text} comes to more than {MAX_REACHED:,} positions", "start"
            )
