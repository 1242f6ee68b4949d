"""Games as a search plays them: positions as small values, and what each action leads to.

A `Tree` knows the moves of one game and nothing else: no notation, no drawing, no words. Every
family makes one (`Rules.tree`). Shared passes, declared positions and sums wrap the trees of any
family; `tree_of` puts them together.

The positions of a tree, its nodes, are hashable and compare by value. Positions that differ only in
what does not matter, such as the order of heaps, may be one node.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from math import inf
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.choices import Choices, by_list, in_lines
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.theory.bounds import boards_in_box, product
from position_oracle.schema.errors import ResourceLimitError

WORD_BITS: Final = 64
"""Cookies of a poset whose positions are machine words."""

MAX_WORDS: Final = 2**19
"""Most positions that are machine words."""

MAX_COOKIES: Final = 1024
"""Most cookies of a poset that is searched."""

Node = TypeVar("Node", bound=Hashable)
Inner = TypeVar("Inner", bound=Hashable)


class Rows(NamedTuple, Generic[Node]):
    """Nodes as rows that never increase, whose moves compiled code can list.

    Attributes:
        lines: the places from which a move takes equally many, in the order of the rules; None for
            the bites of Chomp, row by row from the poison row, left to right.
        of: the rows of a node.
        node: the node of rows.
    """

    lines: tuple[tuple[int, ...], ...] | None
    of: Callable[[Node], Coordinates]
    node: Callable[[Coordinates], Node]


class Tree(ABC, Generic[Node]):
    """The moves of one game.

    Attributes:
        rows: how nodes are rows; None where they are not.
        has_declared: whether positions are declared N.
    """

    rows: Rows[Any] | None = None
    has_declared: bool = False

    @abstractmethod
    def options(self, node: Node) -> Iterable[Node]:
        """The node after each distinct action, one entry an action, in the order of the rules.

        Two equal heaps are two heaps; the parts of a split heap have no order.
        """

    def choices(self, node: Node) -> Choices[Node]:
        """The options by number; games with large numbers of them count without listing.

        Raises:
            ResourceLimitError: more than `MAX_LISTED` would have to be listed.
        """
        return by_list(self.options(node))

    def won(self, node: Node) -> bool:
        """Whether the player to move has won at a node without options."""
        return False

    def gives_up(self, node: Node) -> bool:
        """Whether a move to this node loses by rule, as eating the poison does in normal play.

        Such a move is an action in random play. Values and lengths of games leave it out.
        """
        return False

    def is_declared(self, node: Node) -> bool:
        """Whether a node is declared N: the game, and a sum with it, ends there."""
        return False

    def may_pass(self, node: Node) -> bool:
        """Whether a pass may be used here, if there is one."""
        return next(iter(self.options(node)), None) is not None

    @abstractmethod
    def node(self, position: Position) -> Node:
        """The node of a position of the game, or of one that play can come to."""

    @abstractmethod
    def bound(self, node: Node) -> float:
        """At least as many nodes as play can come to from one; infinite where there is no bound."""

    @property
    def bound_is_exact(self) -> bool:
        """Whether play comes to as many nodes as `bound` says."""
        return False

    @property
    def has_bound(self) -> bool:
        """Whether `bound` is one; else play comes to at least as many nodes."""
        return True


class WithPasses(Tree[tuple[Inner, int]], Generic[Inner]):
    """A game with passes that both players share; a node has the passes left.

    A pass is not available where the game has no move, or only one that loses by rule (Morrison,
    Friedman & Landsberg, section 1.2).
    """

    def __init__(self, tree: Tree[Inner]) -> None:
        self._tree = tree
        self.has_declared = tree.has_declared

    @property
    def inner(self) -> Tree[Inner]:
        """The game without passes."""
        return self._tree

    def options(self, node: tuple[Inner, int]) -> Iterator[tuple[Inner, int]]:
        """The regular moves, then the pass."""
        inner, passes = node
        for option in self._tree.options(inner):
            yield option, passes
        if passes and self._tree.may_pass(inner):
            yield inner, passes - 1

    def choices(self, node: tuple[Inner, int]) -> Choices[tuple[Inner, int]]:
        """The regular moves, then the pass."""
        inner, passes = node
        count, option, listed = self._tree.choices(inner)

        def numbered(number: int) -> tuple[Inner, int]:
            return (option(number), passes) if number < count else (inner, passes - 1)

        can_pass = passes > 0 and self._tree.may_pass(inner)
        return Choices(count + can_pass, numbered, listed)

    def won(self, node: tuple[Inner, int]) -> bool:
        """As without passes."""
        return self._tree.won(node[0])

    def gives_up(self, node: tuple[Inner, int]) -> bool:
        """As without passes."""
        return self._tree.gives_up(node[0])

    def is_declared(self, node: tuple[Inner, int]) -> bool:
        """As without passes."""
        return self._tree.is_declared(node[0])

    def node(self, position: Position) -> tuple[Inner, int]:
        """With the passes left."""
        return self._tree.node(position), position.game.passes

    def bound(self, node: tuple[Inner, int]) -> float:
        """As without passes, for each number of passes left."""
        return self._tree.bound(node[0]) * (node[1] + 1)

    @property
    def bound_is_exact(self) -> bool:
        """But for the ends of the game, where no pass is allowed."""
        return self._tree.bound_is_exact

    @property
    def has_bound(self) -> bool:
        """As without passes."""
        return self._tree.has_bound


class Declared(Tree[Inner], Generic[Inner]):
    """A game in which some positions are won on arrival: by the player who is to move there."""

    has_declared = True

    def __init__(self, tree: Tree[Inner], declares: Callable[[Inner], bool]) -> None:
        self._tree = tree
        self._declares = declares

    def options(self, node: Inner) -> Iterable[Inner]:
        """No move leads out of a declared position."""
        return () if self.is_declared(node) else self._tree.options(node)

    def choices(self, node: Inner) -> Choices[Inner]:
        """No move leads out of a declared position."""
        return super().choices(node) if self.is_declared(node) else self._tree.choices(node)

    def won(self, node: Inner) -> bool:
        """Declared positions are."""
        return self.is_declared(node) or self._tree.won(node)

    def is_declared(self, node: Inner) -> bool:
        """By the game."""
        return self._declares(node)

    def gives_up(self, node: Inner) -> bool:
        """As in the plain game."""
        return self._tree.gives_up(node)

    def may_pass(self, node: Inner) -> bool:
        """Not at a declared position."""
        return not self.is_declared(node) and self._tree.may_pass(node)

    def node(self, position: Position) -> Inner:
        """As in the plain game."""
        return self._tree.node(position)

    def bound(self, node: Inner) -> float:
        """As in the plain game."""
        return self._tree.bound(node)

    @property
    def has_bound(self) -> bool:
        """As in the plain game."""
        return self._tree.has_bound


class PlainTree(Tree[Inner], Generic[Inner]):
    """A game by its moves; the loser of normal play cannot move, or has taken the poison."""

    def __init__(
        self,
        moves: Callable[[Inner], Iterator[tuple[Any, Inner]]],
        bound: Callable[[Inner], float],
        *,
        misere: bool,
        node: Callable[[Any], Inner] | None = None,
        form: Callable[[Inner], Inner] | None = None,
        choices: Callable[[Inner], Choices[tuple[Any, Inner]]] | None = None,
        poison: Inner | None = None,
        rows: Rows[Inner] | None = None,
    ) -> None:
        """Make a tree.

        Args:
            moves: each action, and the node it leads to; `Rules.actions` where nodes are values.
            bound: see `Tree.bound`.
            misere: whether the player wins who cannot move; of Chomp, who eats the poison.
            node: the node of a value; None for the value itself.
            form: the one form of what `moves` leads to; None where it has that.
            choices: the moves by number; None to list them.
            poison: of boards of Chomp, that of the poison alone; the numbers of the empty board are
                all 0, or there are none.
            rows: see `Tree.rows`.
        """
        self.rows = rows
        self._moves = moves
        self._bound = bound
        self._misere = misere
        self._node = node
        self._form = form
        self._choices = choices
        self._poison = poison
        self._spares = poison is not None and not misere

    def options(self, node: Inner) -> Iterator[Inner]:
        """By the moves."""
        options = map(itemgetter(1), self._moves(node))
        return options if self._form is None else map(self._form, options)

    def choices(self, node: Inner) -> Choices[Inner]:
        """By the moves."""
        if self._choices is None:
            return super().choices(node)
        number, option, listed = self._choices(node)
        form = self._form or _unchanged
        return Choices(number, lambda chosen: form(option(chosen)[1]), listed)

    def won(self, node: Inner) -> bool:
        """In misere play; of Chomp in normal play, where the opponent has eaten the poison."""
        return self._misere == (self._poison is None)

    def gives_up(self, node: Inner) -> bool:
        """In normal play the player who eats the poison loses."""
        return self._spares and _is_empty(node)

    def may_pass(self, node: Inner) -> bool:
        """Of Chomp while a cookie is left that does not lose by rule."""
        if self._poison is None:
            return super().may_pass(node)
        return not _is_empty(node) and not (self._spares and node == self._poison)

    def node(self, position: Position) -> Inner:
        """By the function."""
        return _unchanged(position.value) if self._node is None else self._node(position.value)

    def bound(self, node: Inner) -> float:
        """By the function."""
        return self._bound(node)

    @property
    def bound_is_exact(self) -> bool:
        """In Chomp play comes to every board inside."""
        return self._poison is not None


def _unchanged(node: Any) -> Any:
    return node


def _is_empty(board: Any) -> bool:
    return not any(board)


class PosetTree(Tree[int]):
    """Chomp on a finite set of cookies with an order: a bite takes a cookie and all above it.

    A node is a set of cookies, one bit each, in the order of the rules. Bit 0 is the poison, which
    lies below all others.
    """

    def __init__(
        self,
        kept: list[int],
        node: Callable[[Position], int],
        *,
        misere: bool,
        most: float = float("inf"),
    ) -> None:
        """Make a tree.

        Args:
            kept: for each cookie the bits of all that a bite at it leaves.
            node: the bits of a position.
            misere: whether the player who eats the poison wins.
            most: at least as many positions as there are.
        """
        self.kept = kept
        self._most = most
        self.misere = misere
        self._node = node

    def options(self, node: int) -> Iterator[int]:
        """A bite at each cookie."""
        return (node & kept for bit, kept in enumerate(self.kept) if node >> bit & 1)

    def choices(self, node: int) -> Choices[int]:
        """The cookies left."""
        bits = [bit for bit, digit in enumerate(bin(node)[:1:-1]) if digit == "1"]
        return Choices(len(bits), lambda number: node & self.kept[bits[number]], len(bits) // 8)

    def won(self, node: int) -> bool:
        """In normal play the opponent has eaten the poison."""
        return not self.misere

    def gives_up(self, node: int) -> bool:
        """In normal play the player who eats the poison loses."""
        return not node and not self.misere

    def may_pass(self, node: int) -> bool:
        """While a cookie is left that does not lose by rule."""
        return node > (0 if self.misere else 1)

    def node(self, position: Position) -> int:
        """The bits of the cookies left."""
        return self._node(position)

    def bound(self, node: int) -> float:
        """As many as there are where they are machine words; else those of boards in a box."""
        if not is_of_words(self):
            return self._most
        try:
            return float(len(words_of(tuple(self.kept), node)))
        except ResourceLimitError:
            return inf

    @property
    def bound_is_exact(self) -> bool:
        """Where they are machine words."""
        return is_of_words(self)


class SumTree(Tree[tuple[Hashable, ...]]):
    """Games side by side: a move is a move in one of them.

    A declared position of one of them ends the whole sum, won by the player to move. In normal play
    a move there is left out, as eating the poison is: the player who has no other move loses either
    way.
    """

    def __init__(
        self,
        parts: tuple[Tree[Hashable], ...],
        positions: Callable[[Position], tuple[Position, ...]],
        *,
        misere: bool,
    ) -> None:
        """Make a tree.

        Args:
            parts: the tree of each component; in misere play the trees of misere games.
            positions: the components of a position.
            misere: whether the player who makes the last move of all loses.
        """
        self._parts = parts
        self._positions = positions
        self._misere = misere

    def options(self, node: tuple[Hashable, ...]) -> Iterator[tuple[Hashable, ...]]:
        """The moves of each component; none that loses by rule in normal play."""
        if any(tree.is_declared(part) for tree, part in zip(self._parts, node, strict=True)):
            return
        for index, (tree, part) in enumerate(zip(self._parts, node, strict=True)):
            before, after = node[:index], node[index + 1 :]
            for option in tree.options(part):
                if not (tree.gives_up(option) or (not self._misere and tree.is_declared(option))):
                    yield (*before, option, *after)

    def choices(self, node: tuple[Hashable, ...]) -> Choices[tuple[Hashable, ...]]:
        """Those of each component, without the first where it loses by rule."""
        if any(tree.has_declared for tree in self._parts):
            return super().choices(node)
        parts = [tree.choices(part) for tree, part in zip(self._parts, node, strict=True)]
        skipped = [
            int(part.number > 0 and tree.gives_up(part.option(0)))
            for tree, part in zip(self._parts, parts, strict=True)
        ]

        def option(index: int, number: int) -> tuple[Hashable, ...]:
            changed = parts[index].option(number + skipped[index])
            return (*node[:index], changed, *node[index + 1 :])

        lengths = (part.number - skip for part, skip in zip(parts, skipped, strict=True))
        return in_lines(lengths, option, sum(part.listed for part in parts))

    def won(self, node: tuple[Hashable, ...]) -> bool:
        """In misere play."""
        return self._misere

    def node(self, position: Position) -> tuple[Hashable, ...]:
        """The nodes of the components."""
        components = self._positions(position)
        return tuple(tree.node(part) for tree, part in zip(self._parts, components, strict=True))

    def bound(self, node: tuple[Hashable, ...]) -> float:
        """The product of those of the components."""
        return product(tree.bound(part) for tree, part in zip(self._parts, node, strict=True))

    @property
    def has_bound(self) -> bool:
        """Where all components have one."""
        return all(tree.has_bound for tree in self._parts)


class ValueTree(PlainTree[Any]):
    """A game by the rules of its family, whose nodes are the values of positions.

    Declared positions are compared with these; other trees may leave out what does not matter.
    """

    def __init__(self, position: Position, *, misere: bool) -> None:
        """Make the tree of the game that begins at a position.

        Raises:
            ResourceLimitError: as of `Rules.tree`.
        """
        game = position.game
        self._rules = rules_of(game.family)
        self._plain = self._rules.tree(position, misere=misere)
        self._game = game
        super().__init__(
            lambda value: self._rules.actions(value, game),
            self._bound_of,
            misere=self._rules.has_poison != misere,
        )
        self._spares = self._rules.has_poison and not misere

    def _bound_of(self, value: Any) -> float:
        """That of the plain tree."""
        plain = self._plain
        return plain.bound(plain.node(Position(self._game, value))) if plain.has_bound else 0.0

    def gives_up(self, node: Any) -> bool:
        """In normal play the player who takes the poison loses."""
        return self._spares and not self._has(node, 1)

    def may_pass(self, node: Any) -> bool:
        """While a move is left that does not lose by rule."""
        return self._has(node, 2 if self._spares else 1)

    def _has(self, node: Any, moves: int) -> bool:
        return len(list(islice(self._rules.actions(node, self._game), moves))) == moves


def has_rows(tree: Tree[Any]) -> bool:
    """Whether the nodes of a tree are rows, with passes or without."""
    return (tree.inner if isinstance(tree, WithPasses) else tree).rows is not None


def is_of_words(tree: Tree[Any]) -> TypeGuard[PosetTree]:
    """Whether the nodes of a tree are sets of cookies that fit machine words."""
    return isinstance(tree, PosetTree) and len(tree.kept) <= WORD_BITS


@lru_cache(maxsize=8)
def words_of(kept: tuple[int, ...], node: int) -> NDArray[np.uint64]:
    """All positions inside one of at most `WORD_BITS` cookies, ascending.

    Args:
        kept: see `PosetTree`.
        node: the cookies left.

    Raises:
        ResourceLimitError: more than `MAX_WORDS`.
    """
    bits = [bit for bit in range(len(kept)) if node >> bit & 1]
    below = {bit: sum(1 << each for each in bits if not kept[each] >> bit & 1) for bit in bits}
    words = np.zeros(1, np.uint64)
    for bit in sorted(bits, key=lambda bit: below[bit].bit_count()):
        current().check()
        needed = np.uint64(below[bit] & ~(1 << bit))
        words = np.concatenate((words, words[words & needed == needed] | np.uint64(1 << bit)))
        if len(words) > MAX_WORDS:
            raise ResourceLimitError(f"more than {MAX_WORDS:,} sets of cookies")
    words.sort()
    return words


def poset_tree(
    cookies: list[Coordinates],
    has: Callable[[Position], Callable[[Coordinates], bool]],
    *,
    misere: bool,
) -> PosetTree:
    """Chomp on cookies with coordinates: a bite takes all that are nowhere smaller.

    Args:
        cookies: in the order of the rules; the poison, all of whose coordinates are 0, is first.
        has: what says which cookies are left in a position.
        misere: whether the player who eats the poison wins.

    Raises:
        ResourceLimitError: more than `MAX_COOKIES`.
    """
    if len(cookies) > MAX_COOKIES:
        raise ResourceLimitError(
            f"a game of {len(cookies):,} cookies; at most {MAX_COOKIES:,} are searched"
        )
    points = np.array(cookies, np.int64).reshape(len(cookies), len(cookies[0]) if cookies else 0)
    above = (points[np.newaxis] >= points[:, np.newaxis]).all(axis=2)
    packed = np.packbits(~above, axis=1, bitorder="little")
    kept = [int.from_bytes(row.tobytes(), "little") for row in packed]

    def node(position: Position) -> int:
        is_left = has(position)
        return sum(1 << bit for bit, cookie in enumerate(cookies) if is_left(cookie))

    sides = (points.max(axis=0) + 1).tolist() if cookies else []
    return PosetTree(kept, node, misere=misere, most=boards_in_box(sides))


@lru_cache(maxsize=16)
def tree_of(position: Position, *, misere: bool | None = None) -> Tree[Any]:
    """The game of a position, with its passes and declared positions.

    Args:
        position: where play begins.
        misere: the kind of play; None for that of the game. In a misere sum every component is
            played misere.

    Raises:
        ResourceLimitError: too large to be searched at all.
    """
    game = position.game
    is_misere = game.misere if misere is None else misere
    tree: Tree[Any]
    if game.is_variant:
        tree = Declared(ValueTree(position, misere=is_misere), game.declares)
    else:
        tree = rules_of(game.family).tree(position, misere=is_misere)
    return WithPasses(tree) if game.passes else tree
