"""The graph of all positions that play reaches from one position, children first.

`build` makes a graph from the moves of any game (`engine.games.tree`). `engine.solvers.folds`
answers a question for all positions in one pass.
"""

from array import array
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current, first_of
from position_oracle.engine.games.tree import Tree, is_of_words, words_of
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import heaps
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

Node = TypeVar("Node", bound=Hashable)

MAX_POSITIONS: Final = 2**19
"""Maximum number of positions of a graph, unless another limit is given."""

MAX_MOVES: Final = 6_000_000
"""Maximum number of moves of a graph, unless another limit is given."""

MAX_PLAIN: Final = 40_000
"""Maximum number of moves of a graph that is folded as plain Python."""

_STEP: Final = 200_000
"""Number of moves that compiled code folds between two checks of the budget: some milliseconds."""

_PLAIN_STEP: Final = 20_000

_CHECK_EVERY: Final = 64
_BLOCK: Final = 1 << 14


@dataclass(frozen=True)
class Graph(Generic[Node]):
    """Positions and moves.

    Attributes:
        number: maps each position to its number, 0 .. n - 1; a child's number is smaller than its
            parents', and the start position has the last number.
        first: int64 (n + 1,); the moves of position i are first[i] .. first[i + 1] - 1.
        child: int32 (moves,): the position that each move leads to, in the order of the rules; one
            entry for each distinct action.
        gives_up: bool (n,): whether moving to a position loses by rule; see `Tree.gives_up`.
        won: bool (n,): whether the player to move has won a position without moves.
    """

    number: Mapping[Node, int] = field(repr=False)
    first: NDArray[np.int64] = field(repr=False)
    child: NDArray[np.int32] = field(repr=False)
    gives_up: NDArray[np.bool_] = field(repr=False)
    won: NDArray[np.bool_] = field(repr=False)

    @property
    def positions(self) -> int:
        """Number of positions."""
        return len(self.won)

    @property
    def moves(self) -> int:
        """Number of moves."""
        return len(self.child)

    @cached_property
    def degree(self) -> int:
        """Maximum number of moves of a position."""
        return int(np.diff(self.first).max(initial=0))

    @property
    def nbytes(self) -> int:
        """Approximate number of bytes of memory."""
        each = 200 if isinstance(self.number, dict) else 8
        return self.first.nbytes + self.child.nbytes + each * self.positions

    @property
    def largest(self) -> int:
        """An upper bound of every Grundy value and of the length of every game.

        It is large, so that one compiled kernel folds all graphs.
        """
        return max(self.positions, 1 << 16)

    @property
    def is_plain(self) -> bool:
        """Whether folds run as plain Python: at most 0.02 s for each question."""
        return self.moves <= MAX_PLAIN

    def blocks(self) -> Iterator[tuple[int, int, Any, Any]]:
        """Yield the moves of consecutive positions; see `engine.solvers.ranked.Ranked.blocks`."""
        first: Any = self.first
        child: Any = self.child
        step = _STEP
        if self.is_plain:
            first, child, step = first.tolist(), child.tolist(), _PLAIN_STEP
        begin = 0
        while begin < self.positions:
            end = int(np.searchsorted(self.first, self.first[begin] + step, "right")) - 1
            end = min(max(end, begin + 1), begin + step, self.positions)
            yield begin, end, first[begin : end + 1], child
            begin = end

    def children(self, position: int) -> list[int]:
        """Return the numbers of the children of a position, one for each action."""
        return self.child[self.first[position] : self.first[position + 1]].tolist()


def build(
    tree: Tree[Any],
    start: Hashable,
    *others: Hashable,
    max_positions: int = MAX_POSITIONS,
    max_moves: int = MAX_MOVES,
    max_bound: float | None = None,
) -> Graph[Any]:
    """Build the graph of a game from a node.

    Args:
        tree: the moves of the game.
        start: the start node; it gets the last number.
        others: further nodes of the graph.
        max_positions: the maximum number of positions.
        max_moves: the maximum number of moves.
        max_bound: the maximum of `Tree.bound`, which is known before any work; None for
            `max_positions`.

    Raises:
        ResourceLimitError: a maximum is exceeded.
        InvalidPositionError: play can return to a position.
    """
    most = max_positions if max_bound is None else max_bound
    if max(map(tree.bound, (start, *others))) > most:
        raise _too_large(f"{most:,} positions")
    if is_of_words(tree) and isinstance(start, int) and not others:
        return _of_poset(tree, start, max_positions, max_moves)
    game = None if others else ranked_of(tree, start, max_positions)
    if game is not None and not game.is_plain:
        return _of_ranked(tree, game, max_moves)
    number: dict[Any, int] = {}
    first, child = array("q", (0,)), array("i")
    won = bytearray()
    nodes = (
        each
        for begin in (*others, start)
        if begin not in number
        for each in _children_first(tree, begin, number, max_positions, max_moves)
    )
    for node, options in nodes:
        child.extend(map(number.__getitem__, options))
        number[node] = len(won)
        first.append(len(child))
        won.append(not options and tree.won(node))
    if (
        child and np.frombuffer(child, np.int32).min() < 0
    ):  # the number of a node that is not finished
        raise InvalidPositionError("play comes back to a position, and need not end")
    gives_up = np.fromiter(map(tree.gives_up, number), np.bool_, len(number))
    ordered = np.fromiter(number.values(), np.int64, len(number))
    by_number = np.empty_like(gives_up)
    by_number[ordered] = gives_up
    return Graph(
        number,
        np.frombuffer(first, np.int64),
        np.frombuffer(child, np.int32) if child else np.zeros(0, np.int32),
        by_number,
        np.frombuffer(won, np.bool_),
    )


def _children_first(
    tree: Tree[Any], start: Hashable, seen: dict[Any, int], max_positions: int, max_moves: int
) -> Iterator[tuple[Any, list[Any]]]:
    """Yield every reachable node with its options, after all of its options."""
    budget = current()
    seen[start] = -1
    stack: list[tuple[Any, list[Any], Iterator[Any]]] = []
    moves, opened = 0, [start]
    while opened or stack:
        for node in opened:
            options = first_of(tree.options(node), max_moves - moves + 1)
            stack.append((node, options, iter(options)))
            moves += len(options)
            if moves > max_moves:
                raise _too_large(f"{max_moves:,} moves")
            if len(seen) > max_positions:
                raise _too_large(f"{max_positions:,} positions")
            if len(seen) % _CHECK_EVERY == 0:
                budget.check()
        node, options, left = stack[-1]
        opened = []
        for option in left:
            if option not in seen:
                seen[option] = -1
                opened.append(option)
                break
        else:
            stack.pop()
            yield node, options


class _Words(Mapping[int, int]):
    """The number of each set of cookies: its index in the ascending list of all sets."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words

    def __getitem__(self, word: int) -> int:
        place = int(np.searchsorted(self._words, np.uint64(word)))
        if place == len(self._words) or int(self._words[place]) != word:
            raise KeyError(word)
        return place

    def __iter__(self) -> Iterator[int]:
        return iter(self._words.tolist())

    def __len__(self) -> int:
        return len(self._words)


def _of_poset(tree: Tree[int], start: int, max_positions: int, max_moves: int) -> Graph[int]:
    """Build the graph of Chomp on a poset by arrays.

    A move clears bits, so children come first in the ascending order of words.
    """
    budget, words = current(), words_of(tree.kept, start)
    kept = np.array([mask & start for mask in tree.kept], np.uint64)
    bits = [bit for bit in range(len(kept)) if start >> bit & 1]
    if len(words) > max_positions:
        raise _too_large(f"{max_positions:,} positions")
    moves = int(np.bitwise_count(words).sum())
    if moves > max_moves:
        raise _too_large(f"{max_moves:,} moves")
    first = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.bitwise_count(words), out=first[1:])
    child = np.empty(moves, np.int32)
    for begin in range(0, len(words), _BLOCK):
        block = words[begin : begin + _BLOCK]
        place = first[begin : begin + len(block)].copy()
        for bit in bits:  # in the order of the rules
            budget.check()
            has = np.flatnonzero(block >> np.uint64(bit) & np.uint64(1))
            child[place[has]] = np.searchsorted(words, block[has] & kept[bit])
            place[has] += 1
    empty = np.zeros(len(words), np.bool_)
    empty[0] = True
    return Graph(_Words(words), first, child, empty & tree.gives_up(0), empty & tree.won(0))


class _Ranks(Mapping[Any, int]):
    """The number of each node of a game with ranked positions."""

    def __init__(self, tree: Tree[Any], game: Ranked) -> None:
        self._has_passes = tree.inner is not None
        self._rows: Any = (tree.inner or tree).rows
        self._game = game

    def __getitem__(self, node: Any) -> int:
        inner, passes = node if self._has_passes else (node, 0)
        rows, game = self._rows.of(inner), self._game
        if not (game.shape.contains(rows) and passes <= game.passes):
            raise KeyError(node)
        return game.shape.rank(rows) * (game.passes + 1) + passes

    def __iter__(self) -> Iterator[Any]:
        game = self._game
        for rank in range(game.shape.count):
            node = self._rows.node(tuple(game.shape.positions(rank, rank + 1)[0].tolist()))
            if self._has_passes:
                yield from ((node, passes) for passes in range(game.passes + 1))
            else:
                yield node

    def __len__(self) -> int:
        return self._game.positions


def ranked_of(tree: Tree[Any], start: Any, most: float) -> Ranked | None:
    """Return all positions inside one position as a game whose moves compiled code lists.

    The result is None if positions are not rows, or if there are more than `most`.
    """
    passes = 0
    if tree.inner is not None:
        tree, (start, passes) = tree.inner, start
    if tree.rows is None:
        return None
    rows = tree.rows.of(start)
    if not any(rows) or estimate_ideals(tuple(filter(None, rows))) * (passes + 1) > most:
        return None
    lines, empty = tree.rows.lines, tree.rows.node((0,) * len(rows))
    misere = tree.won(empty) != (lines is None)
    return Ranked(heaps(rows, ordered=True), lines, passes, misere)


def _of_ranked(tree: Tree[Any], game: Ranked, max_moves: int) -> Graph[Any]:
    """Build the graph from moves that compiled code lists."""
    budget, moves = current(), 0
    firsts, children = [np.zeros(1, np.int64)], np.empty(max_moves, np.int32)
    for begin, end, first, child in game.blocks():
        budget.check()
        firsts.append(first[1 : end - begin + 1] + moves)
        added = int(first[end - begin])
        if moves + added > max_moves:
            raise _too_large(f"{max_moves:,} moves")
        children[moves : moves + added] = child[:added]
        moves += added
    children.resize(moves, refcheck=False)  # in place, because a copy takes tens of milliseconds
    won, gives_up = (np.zeros(game.positions, np.bool_) for _ in range(2))
    won[: len(game.won)], gives_up[: len(game.gives_up)] = game.won, game.gives_up
    number = _Ranks(tree, game)
    return Graph(number, np.concatenate(firsts), children, gives_up, won)


def _too_large(limit: str) -> ResourceLimitError:
    return ResourceLimitError(f"play can reach more than {limit}, the limit of a search")
